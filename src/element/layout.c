/* layout.c: makes layouts, and the records that describe native numbers. */
#include "element/layout.h"

#include "base/checked.h"
#include "element/key_scope.h"
#include "element/number_rows.h"
#include "element/record/integer_record.h"
#include "element/record/record_tags.h"
#include "element/width.h"

#include <pthread.h>
#include <string.h>

#define COUNT_ELEMENT(...) +1
#define NATIVE_TYPES \
    (0 GSI_NUMBER_ROWS(COUNT_ELEMENT, GSI_NO_ROW, GSI_NO_ROW, GSI_NO_ROW, GSI_NO_ROW, GSI_NO_ROW))
#define NAN_PLACES (GSI_NAN_LAST + 1)

static const struct gsi_key_map map_f32 = GSI_KEY_MAP_F32, map_f64 = GSI_KEY_MAP_F64;

/* Returns the record that is one native number. It is made when a layout first asks for it, and is
 * never freed: there is at most one for each type and order. */
static const struct gsi_record *record_of(const struct gsi_key_type *type, bool is_reversed,
                                          enum gsi_nan_place place)
{
    static struct gsi_record records[NATIVE_TYPES][2][NAN_PLACES];
    static bool are_made[NATIVE_TYPES][2][NAN_PLACES];
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    const size_t row = (size_t)(type - gsi_key_types);
    struct gsi_record *record = &records[row][is_reversed][place];
    bool *is_made = &are_made[row][is_reversed][place];
    if (__atomic_load_n(is_made, __ATOMIC_ACQUIRE))
        return record;
    pthread_mutex_lock(&lock);
    if (!*is_made) {
        gsi_record_make_number(type->bytes, type->name, is_reversed, record);
        gsi_record_place_nans(record, place);
        __atomic_store_n(is_made, true, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    return record;
}

struct gsi_layout gsi_layout_make(const struct gsi_key_type *type, bool is_reversed)
{
    struct gsi_layout layout = {.type = type,
                                .number = type->name,
                                .record = record_of(type, is_reversed, GSI_NAN_WITH_ORDER),
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
    layout->record = record_of(layout->type, layout->is_reversed, place);
    gsi_key_map_place_nans(&layout->map, place);
}

struct gsi_layout gsi_layout_make_records(const struct gsi_record *record,
                                          struct gsi_key_scope *scope, bool is_reversed)
{
    static const struct gsi_key_type type = {"record", 0, GSI_KEY_UNSIGNED};
    struct gsi_layout layout = {.type = &type,
                                .record = record,
                                .form = GSI_FORM_TAGS,
                                .is_reversed = is_reversed,
                                .element_bytes = record->bytes,
                                .key_bytes = record->bytes};
    gsi_layout_use_tags(&layout, scope);
    return layout;
}

void gsi_layout_use_tags(struct gsi_layout *layout, struct gsi_key_scope *scope)
{
    if (gsi_layout_is_native(layout))
        return;
    layout->form = GSI_FORM_TAGS;
    layout->align_bytes = 1;
    layout->plane_bytes = 0;
    layout->scope = scope;
    layout->integer_map = NULL;
}

void gsi_layout_use_integers(struct gsi_layout *layout, struct gsi_integer_map *map,
                             uint32_t index_bits)
{
    const struct gsi_record *record = layout->record;
    if (gsi_layout_is_native(layout))
        return;
    if (gsi_integer_map_make(record, map)) {
        layout->form = GSI_FORM_KEYS;
        layout->align_bytes = layout->plane_bytes = record->bytes;
        layout->scope = NULL;
        layout->integer_map = map;
    } else if (gsi_inline_map_make(record, map) && map->index_bits >= index_bits) {
        gsi_key_scope_forget(layout->scope); /* the tag has the whole key */
        layout->form = GSI_FORM_INLINE;
        layout->integer_map = map;
    }
}

void gsi_layout_tags(const struct gsi_layout *layout, const void *elements, size_t n,
                     struct gsi_tag_choice choice, uint64_t index, gsi_u128 *tags)
{
    if (layout->form == GSI_FORM_INLINE)
        gsi_records_to_integers(layout->integer_map, elements, n, index, tags);
    else
        gsi_record_tags(layout->record, elements, n, choice, index, tags);
}

void gsi_layout_head(const struct gsi_layout *layout, uint32_t off, const void *element,
                     uint8_t head[16])
{
    if (layout->form == GSI_FORM_KEYS)
        memcpy(head, element, layout->key_bytes);
    else
        gsi_record_key(layout->record, element, off, 16, head);
}

/* Starts after what all keys share, so that 16 bytes distinguish frames as well as they can. */
uint32_t gsi_layout_head_off(const struct gsi_layout *layout)
{
    return layout->form == GSI_FORM_KEYS
               ? 0
               : (uint32_t)gsi_min_u64(gsi_key_scope_shared(layout->scope), UINT16_MAX);
}

bool gsi_layout_falls(const struct gsi_layout *layout)
{
    const struct gsi_record *record = layout->record;
    bool key_falls = record->key_count > 0 && record->keys[0].is_descending;
    return key_falls != layout->is_reversed;
}

bool gsi_layout_nans_lead(const struct gsi_layout *layout)
{
    enum gsi_nan_place place = layout->record->nan_place;
    return place == GSI_NAN_WITH_ORDER ? gsi_layout_falls(layout) : place == GSI_NAN_FIRST;
}
