/* equal_keys.c: neighbours compared. */
#include "element/equal_keys.h"

#include "element/record/record.h"
#include "element/tally/tally_block.h"

GSI_SIMD_CLONES static uint64_t count_32(const gsi_lane_u32 *elements, size_t n)
{
    uint32_t count = 0; /* of a block */
    for (size_t i = 1; i < n; i++)
        count += elements[i] == elements[i - 1];
    return count;
}

GSI_SIMD_CLONES static uint64_t count_64(const gsi_lane_u64 *elements, size_t n)
{
    uint64_t count = 0;
    for (size_t i = 1; i < n; i++)
        count += elements[i] == elements[i - 1];
    return count;
}

static uint64_t count_128(const void *elements, size_t n)
{
    uint64_t count = 0;
    for (size_t i = 1; i < n; i++)
        count += gsi_block_load_u128(elements, i) == gsi_block_load_u128(elements, i - 1);
    return count;
}

static uint64_t count_records(const struct gsi_record *record, const uint8_t *elements, size_t n)
{
    uint64_t count = 0;
    for (size_t i = 1; i < n; i++, elements += record->bytes)
        count += gsi_record_compare(record, elements, elements + record->bytes, 0) == 0;
    return count;
}

static uint64_t count_block(const struct gsi_layout *layout, const void *elements, size_t n)
{
    if (layout->has_tags)
        return count_records(layout->record, elements, n);
    return GSI_BY_WIDTH(layout->element_bytes, count_32(elements, n), count_64(elements, n),
                        count_128(elements, n));
}

/* Blocks overlap by the element that the next one's first is compared with. */
uint64_t gsi_equal_keys_count(const struct gsi_layout *layout, const void *elements, size_t n)
{
    const char *at = elements;
    uint64_t count = 0;
    for (size_t step; n > 1; n -= step, at += step * layout->element_bytes) {
        step = gsi_block_elements(n - 1);
        count += count_block(layout, at, step + 1);
    }
    return count;
}

size_t gsi_equal_keys_first(const struct gsi_layout *layout, const void *elements, size_t n)
{
    const char *all = elements;
    uint32_t bytes = layout->element_bytes;
    size_t block = 0; /* where the first block begins that has one */
    while (block + 1 < n &&
           count_block(layout, all + block * bytes, gsi_block_elements(n - 1 - block) + 1) == 0)
        block += gsi_block_elements(n - 1 - block);
    for (size_t i = block + 1; i < n; i++)
        if (count_block(layout, all + (i - 1) * bytes, 2) != 0)
            return i;
    return n;
}
