/* compare.c: numbers by their sort keys, records by their normalised ones. */
#include "element/compare.h"

#include "base/u128.h"
#include "element/record/record.h"
#include "element/width.h"

#include <string.h>

static gsi_u128 number_key(const struct gsi_layout *layout, const void *element)
{
    uint64_t words[2] = {0, 0};
    memcpy(words, element, layout->element_bytes);
    struct gsi_key_map map = layout->map;
    return GSI_BY_WIDTH(layout->key_bytes, gsi_key_of_u32(map, (uint32_t)words[0]),
                        gsi_key_of_u64(map, words[0]),
                        (gsi_u128)gsi_key_high(map, words[1]) << 64 | gsi_key_low(map, words[0]));
}

int gsi_compare(const struct gsi_layout *layout, const void *a, const void *b)
{
    if (!gsi_layout_is_native(layout))
        return gsi_record_compare(layout->record, a, b, 0);
    gsi_u128 left = number_key(layout, a), right = number_key(layout, b);
    return (left > right) - (left < right);
}
