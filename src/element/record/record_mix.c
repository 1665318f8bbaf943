/* record_mix.c: computes fingerprints of many records. Vectors mix records of one word or one pair
 * of words. The words of a block are first copied side by side, because gather instructions are
 * slower. No vector instruction has a product of 128 bits, so it is added up from four products of
 * halves. */
#include "element/record/record_mix.h"

#include "base/assert.h"
#include "base/checked.h"
#include "base/simd.h"
#include "element/tally/tally_block.h"

/* Reads a word of a record, at any address. */
typedef uint16_t __attribute__((may_alias, aligned(1))) loose_u16;
typedef uint32_t __attribute__((may_alias, aligned(1))) loose_u32;
typedef uint64_t __attribute__((may_alias, aligned(1))) loose_u64;

/* Returns the upper half of a * b, xor the lower one. */
GSI_INLINE uint64_t fold_product(uint64_t a, uint64_t b)
{
    const uint64_t a_low = (uint32_t)a, a_high = a >> 32, b_low = (uint32_t)b, b_high = b >> 32;
    const uint64_t low = a_low * b_low, left = a_low * b_high, right = a_high * b_low;
    const uint64_t middle = (low >> 32) + (uint32_t)left + (uint32_t)right;
    const uint64_t high = a_high * b_high + (left >> 32) + (right >> 32) + (middle >> 32);
    return (middle << 32 | (uint32_t)low) ^ high;
}

/* Does what gsi_mix_record does, for one pair. */
GSI_INLINE uint64_t mix_pair(uint64_t first, uint64_t second, uint32_t bytes)
{
    return gsi_mix_u64(bytes +
                       fold_product(first ^ 0x9e3779b97f4a7c15u, second ^ 0xbf58476d1ce4e5b9u));
}

/* So many records have their words copied side by side. */
#define BLOCK GSI_CONSTANT(256u, 16u)

/* Copies the words of records of 8 to 15 bytes side by side: the first 8 bytes, and the bytes after
 * them, extended by zeros. `bytes` is a constant where this is called. */
GSI_INLINE void split_words(const uint8_t *records, size_t n, uint32_t bytes, uint64_t *first,
                            uint64_t *second)
{
    for (size_t i = 0; i < n; i++, records += bytes) {
        first[i] = *(const loose_u64 *)(const void *)records;
        second[i] = *(const loose_u64 *)(const void *)(records + bytes - 8) >> 8 * (16 - bytes);
    }
}

static void split(const uint8_t *records, size_t n, uint32_t bytes, uint64_t *first,
                  uint64_t *second)
{
    switch (bytes) {
    case 10:
        split_words(records, n, 10, first, second);
        return;
    case 12:
        split_words(records, n, 12, first, second);
        return;
    default:
        split_words(records, n, bytes, first, second);
    }
}

GSI_SIMD_CLONES static struct gsi_block_sum mix_pairs(const uint64_t *first, const uint64_t *second,
                                                      size_t n, uint32_t bytes)
{
    struct gsi_block_sum sum = {0};
    for (size_t i = 0; i < n; i++)
        gsi_block_sum_add(&sum, mix_pair(first[i], second[i], bytes));
    return sum;
}

/* Mixes records of 16 bytes. */
GSI_SIMD_CLONES static struct gsi_block_sum mix_wide(const loose_u64 *words, size_t n)
{
    struct gsi_block_sum sum = {0};
    for (size_t i = 0; i < n; i++)
        gsi_block_sum_add(&sum, mix_pair(words[2 * i], words[2 * i + 1], 16));
    return sum;
}

/* Defines a function that mixes records of `bytes`, each one word. */
#define MIX_WORDS(name, word, bytes)                                              \
    GSI_SIMD_CLONES static struct gsi_block_sum name(const word *words, size_t n) \
    {                                                                             \
        struct gsi_block_sum sum = {0};                                           \
        for (size_t i = 0; i < n; i++)                                            \
            gsi_block_sum_add(&sum, gsi_mix_word(words[i], (bytes)));             \
        return sum;                                                               \
    }

MIX_WORDS(mix_words, loose_u64, 8)
MIX_WORDS(mix_halves, loose_u32, 4)
MIX_WORDS(mix_quarters, loose_u16, 2)
MIX_WORDS(mix_bytes, uint8_t, 1)

static struct gsi_block_sum mix_block(const uint8_t *records, size_t n, uint32_t bytes)
{
    uint64_t first[BLOCK], second[BLOCK];
    switch (bytes) {
    case 1:
        return mix_bytes(records, n);
    case 2:
        return mix_quarters((const void *)records, n);
    case 4:
        return mix_halves((const void *)records, n);
    case 8:
        return mix_words((const void *)records, n);
    case 16:
        return mix_wide((const void *)records, n);
    default:
        split(records, n, bytes, first, second);
        return mix_pairs(first, second, n, bytes);
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
    bool is_part = bytes < 8 && (bytes & (bytes - 1)) != 0; /* of a word */
    if (bytes > GSI_RECORD_PAIR_BYTES || is_part)
        return mix_each(at, n, bytes);
    for (size_t step; n > 0; n -= step, at += step * bytes) {
        step = gsi_min_u64(n, BLOCK);
        sum += gsi_block_sum_total(mix_block(at, step, bytes));
    }
    return sum;
}
