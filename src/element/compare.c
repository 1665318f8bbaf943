/* compare.c: compares elements by their keys. Counts equal neighbours in blocks, and finds the ends
 * of groups by steps that double, then halve. */
#include "element/compare.h"

#include "base/assert.h"
#include "base/u128.h"
#include "element/record/integer_record.h"
#include "element/record/record.h"
#include "element/tally/tally_block.h"
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

/* ---- equal keys ---- */

/* Elements of a block, so that the loop over a block vectorises. */
#define BLOCK GSI_CONSTANT(512, 32)

struct gsi_keyed gsi_keyed_by_layout(const struct gsi_layout *layout, const void *elements,
                                     size_t n)
{
    return (struct gsi_keyed){.at = elements,
                              .n = n,
                              .step = layout->element_bytes,
                              .bytes = layout->element_bytes,
                              .record = layout->form != GSI_FORM_KEYS ? layout->record : NULL};
}

bool gsi_keyed_is_equal(const struct gsi_keyed *keyed, const uint8_t *a, const uint8_t *b)
{
    return keyed->record != NULL ? gsi_record_compare(keyed->record, a, b, 0) == 0
                                 : memcmp(a, b, keyed->bytes) == 0;
}

static bool are_equal(const struct gsi_keyed *keyed, size_t a, size_t b)
{
    return gsi_keyed_is_equal(keyed, keyed->at + a * keyed->step, keyed->at + b * keyed->step);
}

/* Returns the width of keys that are integers and follow each other: 4, 8 or 16; else 0. */
static uint32_t word_bytes(const struct gsi_keyed *keyed)
{
    bool is_word = keyed->bytes == 4 || keyed->bytes == 8 || keyed->bytes == 16;
    return keyed->record == NULL && keyed->step == keyed->bytes && is_word ? keyed->bytes : 0;
}

/* ---- in any order ---- */

GSI_SIMD_CLONES static uint64_t count_32(const gsi_lane_u32 *keys, size_t n)
{
    uint32_t count = 0; /* of a block */
    for (size_t i = 1; i < n; i++)
        count += keys[i] == keys[i - 1];
    return count;
}

GSI_SIMD_CLONES static uint64_t count_64(const gsi_lane_u64 *keys, size_t n)
{
    uint64_t count = 0;
    for (size_t i = 1; i < n; i++)
        count += keys[i] == keys[i - 1];
    return count;
}

static uint64_t count_128(const void *keys, size_t n)
{
    uint64_t count = 0;
    for (size_t i = 1; i < n; i++)
        count += gsi_block_load_u128(keys, i) == gsi_block_load_u128(keys, i - 1);
    return count;
}

/* Blocks overlap by the key that the next one's first is compared with. */
uint64_t gsi_equal_keys_count(const struct gsi_keyed *keyed)
{
    const uint32_t bytes = word_bytes(keyed);
    const uint8_t *at = keyed->at;
    uint64_t count = 0;
    for (size_t i = 1; bytes == 0 && i < keyed->n; i++)
        count += are_equal(keyed, i - 1, i);
    for (size_t n = keyed->n, step; bytes > 0 && n > 1; n -= step, at += step * bytes) {
        step = gsi_block_elements(n - 1);
        count += GSI_BY_WIDTH(bytes, count_32((const gsi_lane_u32 *)(const void *)at, step + 1),
                              count_64((const gsi_lane_u64 *)(const void *)at, step + 1),
                              count_128(at, step + 1));
    }
    return count;
}

#define FIND(name, T)                                                                             \
    GSI_SIMD_CLONES static size_t name(const struct gsi_keyed *keyed, size_t at, size_t distance) \
    {                                                                                             \
        const T *words = (const T *)(const void *)keyed->at;                                      \
        size_t end = keyed->n - distance;                                                         \
        for (size_t step; at < end; at += step) {                                                 \
            T any = 0;                                                                            \
            step = end - at < BLOCK ? end - at : BLOCK;                                           \
            for (size_t i = at; i < at + step; i++)                                               \
                any |= words[i] == words[i + distance];                                           \
            for (size_t i = at; any && i < at + step; i++)                                        \
                if (words[i] == words[i + distance])                                              \
                    return i;                                                                     \
        }                                                                                         \
        return keyed->n;                                                                          \
    }
FIND(find_32, gsi_lane_u32)
FIND(find_64, gsi_lane_u64)

size_t gsi_equal_keys_find(const struct gsi_keyed *keyed, size_t from, size_t distance)
{
    const uint32_t bytes = word_bytes(keyed);
    if (from + distance >= keyed->n)
        return keyed->n;
    if (bytes == 4 || bytes == 8)
        return (bytes == 4 ? find_32 : find_64)(keyed, from, distance);
    while (from + distance < keyed->n && !are_equal(keyed, from, from + distance))
        from++;
    return from + distance < keyed->n ? from : keyed->n;
}

/* ---- in sorted order ---- */

size_t gsi_equal_keys_begin(const struct gsi_keyed *keyed, size_t from, size_t at)
{
    const size_t any = at; /* of the group */
    while (from < at) {
        size_t middle = from + (at - from) / 2;
        bool is_inside = are_equal(keyed, middle, any);
        from = is_inside ? from : middle + 1;
        at = is_inside ? middle : at;
    }
    return from;
}

size_t gsi_equal_keys_end(const struct gsi_keyed *keyed, size_t at)
{
    size_t step = 1;
    for (; at + step < keyed->n && are_equal(keyed, at, at + step); step *= 2)
        at += step;
    for (; step > 0; step /= 2)
        if (at + step < keyed->n && are_equal(keyed, at, at + step))
            at += step;
    return at + 1;
}
