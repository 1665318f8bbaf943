/* layout.c: the constants of a type's key map. */
#include "element/layout.h"

#include "element/record/record.h"
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

struct gsi_layout gsi_layout_make_records(const struct gsi_record *record,
                                          struct gsi_key_scope *scope, bool is_reversed)
{
    static const struct gsi_key_type type = {"record", 0, GSI_KEY_UNSIGNED};
    return (struct gsi_layout){.type = &type,
                               .ops = &gsi_record_ops,
                               .is_reversed = is_reversed,
                               .element_bytes = record->bytes,
                               .key_bytes = record->bytes,
                               .align_bytes = 1,
                               .record = record,
                               .scope = scope};
}

bool gsi_layout_falls(const struct gsi_layout *layout)
{
    const struct gsi_record *record = layout->record;
    bool key_falls = record != NULL && record->key_count > 0 && record->keys[0].is_descending;
    return key_falls != layout->is_reversed;
}
