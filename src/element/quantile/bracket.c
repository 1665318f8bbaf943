/* bracket.c: passes over keys block by block. A block stays in the first-level cache while each
 * bracket scans it. Few keys are near a bracket, and only these are compared exactly. */
#include "element/quantile/quantile.h"

#include "element/compare.h"
#include "element/tally/tally_block.h"

#include <string.h>

gsi_u128 gsi_bracket_key(const void *keys, uint32_t key_bytes, size_t i)
{
    return key_bytes == 16 ? gsi_block_load_u128(keys, i) : gsi_block_load(keys, i, key_bytes);
}

/* Marks what is in a bracket or on its borders. Returns how many keys are below. */
#define MARK(name, T, WORD)                                                                 \
    GSI_SIMD_CLONES static uint64_t name(const T *keys, size_t n,                           \
                                         const struct gsi_bracket *bracket, uint8_t *marks) \
    {                                                                                       \
        const WORD low = (WORD)bracket->low, span = (WORD)bracket->high - low;              \
        WORD below = 0;                                                                     \
        for (size_t i = 0; i < n; i++) {                                                    \
            below += keys[i] < low;                                                         \
            marks[i] |= keys[i] - low <= span;                                              \
        }                                                                                   \
        return below;                                                                       \
    }
MARK(mark_32, gsi_lane_u32, uint32_t)
MARK(mark_64, gsi_lane_u64, uint64_t)

static uint64_t mark_128(const void *keys, size_t n, const struct gsi_bracket *bracket,
                         uint8_t *marks)
{
    const gsi_u128 low = bracket->low, span = bracket->high - low;
    uint64_t below = 0;
    for (size_t i = 0; i < n; i++) {
        gsi_u128 key = gsi_block_load_u128(keys, i);
        below += key < low;
        marks[i] |= key - low <= span;
    }
    return below;
}

/* Counts and marks, of such keys, those inside. */
#define SCAN(name, T, WORD)                                                                      \
    GSI_SIMD_CLONES static void name(const T *keys, size_t n, const struct gsi_bracket *bracket, \
                                     struct gsi_bracket_counts *counts, uint8_t *marks)          \
    {                                                                                            \
        const WORD low = (WORD)bracket->low, high = (WORD)bracket->high;                         \
        WORD at_low = 0, inside = 0, at_high = 0;                                                \
        for (size_t i = 0; i < n; i++) {                                                         \
            WORD key = keys[i], is_inside = (key > low) & (key < high);                          \
            at_low += key == low;                                                                \
            at_high += key == high;                                                              \
            inside += is_inside;                                                                 \
            marks[i] |= (uint8_t)is_inside;                                                      \
        }                                                                                        \
        counts->at_low += at_low;                                                                \
        counts->inside += inside;                                                                \
        counts->at_high += low == high ? 0 : at_high;                                            \
    }
SCAN(scan_32, gsi_lane_u32, uint32_t)
SCAN(scan_64, gsi_lane_u64, uint64_t)

static void scan_128(const void *keys, size_t n, const struct gsi_bracket *bracket,
                     struct gsi_bracket_counts *counts, uint8_t *marks)
{
    for (size_t i = 0; i < n; i++) {
        gsi_u128 key = gsi_block_load_u128(keys, i);
        bool is_inside = key > bracket->low && key < bracket->high;
        counts->at_low += key == bracket->low;
        counts->at_high += key == bracket->high && bracket->low != bracket->high;
        counts->inside += is_inside;
        marks[i] |= is_inside;
    }
}

/* Without a branch: what is not marked is written over by the next key. Returns how many are. */
static size_t move_marked(uint32_t bytes, const uint8_t *keys, size_t n, const uint8_t *marks,
                          uint8_t *to)
{
    size_t count = 0;
    if (bytes == 16)
        for (size_t i = 0; i < n; count += marks[i++])
            memmove(to + 16 * count, keys + 16 * i, 16);
    else
        for (size_t i = 0; i < n; count += marks[i++])
            gsi_block_store(to, count, bytes, gsi_block_load(keys, i, bytes));
    return count;
}

size_t gsi_brackets_scan(const struct gsi_layout *layout, const void *numbers, void *keys, size_t n,
                         const struct gsi_bracket *brackets, struct gsi_bracket_counts *counts,
                         size_t count)
{
    _Alignas(64) uint8_t block[16 * GSI_BLOCK_ELEMENTS];
    uint8_t marks[GSI_BLOCK_ELEMENTS];
    const uint32_t bytes = layout->element_bytes;
    const uint8_t *at = numbers;
    size_t kept = 0;
    for (size_t step; n > 0; n -= step, at += step * bytes) {
        step = gsi_block_elements(n);
        /* a block of its own, so that what is kept may go where the numbers are */
        gsi_keys_below(layout, at, step, NULL, block);
        memset(marks, 0, step);
        for (size_t i = 0; i < count; i++)
            counts[i].below +=
                GSI_BY_WIDTH(bytes, mark_32((void *)block, step, &brackets[i], marks),
                             mark_64((void *)block, step, &brackets[i], marks),
                             mark_128(block, step, &brackets[i], marks));
        size_t near = move_marked(bytes, block, step, marks, block);
        memset(marks, 0, near);
        for (size_t i = 0; i < count; i++)
            GSI_BY_WIDTH(bytes, scan_32((void *)block, near, &brackets[i], &counts[i], marks),
                         scan_64((void *)block, near, &brackets[i], &counts[i], marks),
                         scan_128(block, near, &brackets[i], &counts[i], marks));
        kept += move_marked(bytes, block, near, marks, (uint8_t *)keys + kept * bytes);
    }
    return kept;
}

/* Every second key stays. */
static void thin_out(struct gsi_bracket_list *list)
{
    size_t half = list->count / 2;
    for (size_t i = 0; i < half; i++)
        memcpy(list->keys + i * list->key_bytes, list->keys + (2 * i + 1) * list->key_bytes,
               list->key_bytes);
    list->skipped += list->count % 2 * list->stride;
    list->count = half;
    list->stride *= 2;
}

void gsi_bracket_list_add(struct gsi_bracket_list *list, const struct gsi_bracket *bracket,
                          const void *keys, size_t n)
{
    const uint32_t bytes = list->key_bytes;
    for (size_t i = 0; i < n; i++) {
        gsi_u128 key = gsi_bracket_key(keys, bytes, i);
        if (key <= bracket->low || key >= bracket->high || ++list->skipped < list->stride)
            continue;
        list->skipped = 0;
        if (list->count == list->room)
            thin_out(list);
        memcpy(list->keys + list->count++ * bytes, (const uint8_t *)keys + i * bytes, bytes);
    }
}
