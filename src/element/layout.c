/* layout.c: the constants of a type's key map. */
#include "element/layout.h"

#include "element/key_scope.h"
#include "element/record/record_tags.h"
#include "element/record/record_word.h"
#include "element/width.h"

static const struct gsi_key_map map_f32 = GSI_KEY_MAP_F32, map_f64 = GSI_KEY_MAP_F64;

struct gsi_layout gsi_layout_make(const struct gsi_key_type *type, bool is_reversed)
{
    struct gsi_layout layout = {.type = type,
                                .ops = &gsi_number_ops,
                                .is_reversed = is_reversed,
                                .element_bytes = type->bytes,
                                .key_bytes = type->bytes,
                                .align_bytes = type->bytes,
                                .plane_bytes = type->bytes};
    bool is_wide = type->bytes >= 8;
    uint64_t all = GSI_BY_WIDTH(type->bytes, UINT32_MAX, UINT64_MAX, UINT64_MAX);
    if (type->kind == GSI_KEY_FLOAT)
        layout.map = is_wide ? map_f64 : map_f32;
    else if (type->kind == GSI_KEY_SIGNED)
        layout.map.sign = is_wide ? (uint64_t)1 << 63 : (uint64_t)1 << 31;
    if (is_reversed)
        layout.map.invert = all;
    return layout;
}

void gsi_layout_place_nans(struct gsi_layout *layout, enum gsi_nan_place place)
{
    layout->nan_place = place;
    gsi_key_map_place_nans(&layout->map, place);
}

struct gsi_layout gsi_layout_make_records(const struct gsi_record *record,
                                          struct gsi_key_scope *scope, bool is_reversed)
{
    static const struct gsi_key_type type = {"record", 0, GSI_KEY_UNSIGNED};
    struct gsi_layout layout = {.type = &type,
                                .is_reversed = is_reversed,
                                .element_bytes = record->bytes,
                                .key_bytes = record->bytes,
                                .record = record};
    gsi_layout_use_tags(&layout, scope);
    return layout;
}

void gsi_layout_use_tags(struct gsi_layout *layout, struct gsi_key_scope *scope)
{
    if (layout->record == NULL)
        return;
    layout->ops = &gsi_record_ops;
    layout->has_tags = true;
    layout->align_bytes = 1;
    layout->plane_bytes = 0;
    layout->scope = scope;
    layout->word = NULL;
}

void gsi_layout_use_words(struct gsi_layout *layout, struct gsi_record_word *word,
                          uint32_t index_bits)
{
    const struct gsi_record *record = layout->record;
    if (record == NULL)
        return;
    if (gsi_record_word_make(record, word)) {
        layout->ops = &gsi_word_ops;
        layout->has_tags = false;
        layout->align_bytes = layout->plane_bytes = record->bytes;
        layout->scope = NULL;
        layout->word = word;
    } else if (gsi_record_rider_make(record, word) && word->index_bits >= index_bits) {
        gsi_key_scope_forget(layout->scope); /* the tag has the whole key */
        layout->word = word;
    }
}

void gsi_layout_tags(const struct gsi_layout *layout, const void *elements, size_t n, uint32_t at,
                     uint64_t index, gsi_u128 *tags)
{
    if (layout->word != NULL)
        gsi_words_of(layout->word, elements, n, index, tags);
    else
        gsi_record_tags(layout->record, elements, n, at, index, tags);
}

bool gsi_layout_falls(const struct gsi_layout *layout)
{
    const struct gsi_record *record = layout->record;
    bool key_falls = record != NULL && record->key_count > 0 && record->keys[0].is_descending;
    return key_falls != layout->is_reversed;
}

bool gsi_layout_nans_lead(const struct gsi_layout *layout)
{
    const struct gsi_record *record = layout->record;
    enum gsi_nan_place place = record != NULL ? record->nan_place : layout->nan_place;
    return place == GSI_NAN_WITH_ORDER ? gsi_layout_falls(layout) : place == GSI_NAN_FIRST;
}
