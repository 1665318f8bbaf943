/* record_mix.c: fingerprints of many records. Those of one pair of words are mixed by vectors:
 * there is no vector instruction for a product of 128 bits, so it is made of four products of
 * halves. */
#include "element/record/record_mix.h"

#include "base/simd.h"
#include "element/tally/tally_block.h"

/* Words of records, which lie anywhere. */
typedef uint32_t __attribute__((may_alias, aligned(1))) loose_u32;
typedef uint64_t __attribute__((may_alias, aligned(1))) loose_u64;

/* The upper half of a * b, xor the lower one. */
GSI_INLINE uint64_t fold_product(uint64_t a, uint64_t b)
{
    const uint64_t a_low = (uint32_t)a, a_high = a >> 32, b_low = (uint32_t)b, b_high = b >> 32;
    const uint64_t low = a_low * b_low, left = a_low * b_high, right = a_high * b_low;
    const uint64_t middle = (low >> 32) + (uint32_t)left + (uint32_t)right;
    const uint64_t high = a_high * b_high + (left >> 32) + (right >> 32) + (middle >> 32);
    return (middle << 32 | (uint32_t)low) ^ high;
}

/* gsi_mix_record of one pair; `bytes` is a constant where this is called. */
GSI_INLINE uint64_t mix_pair(uint64_t first, uint64_t second, uint32_t bytes)
{
    return gsi_mix_u64(bytes +
                       fold_product(first ^ 0x9e3779b97f4a7c15u, second ^ 0xbf58476d1ce4e5b9u));
}

/* The two words of a record of 4 bytes or more, the second one of what is beyond 8, extended by
 * zeros. */
GSI_INLINE uint64_t first_word(const uint8_t *record, uint32_t bytes)
{
    const uint32_t behind = bytes < 8 ? bytes - 4 : 4;
    if (bytes >= 8)
        return *(const loose_u64 *)(const void *)record;
    const uint64_t rest = *(const loose_u32 *)(const void *)(record + behind);
    return *(const loose_u32 *)(const void *)record | rest >> 8 * (4 - behind) << 32;
}

GSI_INLINE uint64_t second_word(const uint8_t *record, uint32_t bytes)
{
    return bytes <= 8 ? 0
                      : *(const loose_u64 *)(const void *)(record + bytes - 8) >> 8 * (16 - bytes);
}

GSI_INLINE struct gsi_block_sum mix_block(const uint8_t *records, size_t n, uint32_t bytes)
{
    struct gsi_block_sum sum = {0};
    for (size_t i = 0; i < n; i++, records += bytes)
        gsi_block_sum_add(&sum,
                          mix_pair(first_word(records, bytes), second_word(records, bytes), bytes));
    return sum;
}

GSI_SIMD_CLONES static struct gsi_block_sum mix_short(const uint8_t *records, size_t n,
                                                      uint32_t bytes)
{
    switch (bytes) {
    case 4:
        return mix_block(records, n, 4);
    case 8:
        return mix_block(records, n, 8);
    case 10:
        return mix_block(records, n, 10);
    case 12:
        return mix_block(records, n, 12);
    case 16:
        return mix_block(records, n, 16);
    default:
        return mix_block(records, n, bytes);
    }
}

static gsi_u128 mix_each(const uint8_t *records, size_t n, uint32_t bytes)
{
    gsi_u128 sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += gsi_mix_record(records + i * bytes, bytes);
    return sum;
}

gsi_u128 gsi_mix_records(const void *records, size_t n, uint32_t bytes)
{
    const uint8_t *at = records;
    gsi_u128 sum = 0;
    if (bytes == 24) /* the loop over pairs of words goes away */
        return mix_each(at, n, 24);
    if (bytes < 4 || bytes > GSI_RECORD_PAIR_BYTES)
        return mix_each(at, n, bytes);
    for (size_t step; n > 0; n -= step, at += step * bytes) {
        step = gsi_block_elements(n);
        sum += gsi_block_sum_total(mix_short(at, step, bytes));
    }
    return sum;
}
