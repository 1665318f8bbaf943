/* tally.c: passes over raw elements as they are read.
 *
 * Two or three loops pass over each block while it is in the cache. The first is vectorised and
 * computes the fingerprint, the extremes and the sum of integers. The second adds up floats and
 * cannot be vectorised. The third maps elements to sort keys. Extremes are kept as ascending sort
 * keys (of the layout, not reversed), where NaNs are above all others. Integers are summed with
 * their sign bit flipped, so that only non-negative numbers are added. The excess is subtracted at
 * the end.
 */
#include "element/tally/tally.h"
#include "element/tally/digest.h"

#include "element/tally/exact_sum.h"
#include "element/tally/moments.h"
#include "element/tally/tally_block.h"

#include <stdlib.h>
#include <string.h>

#define CACHE_LINE_BYTES 64

struct gsi_tally {
    struct gsi_layout layout;
    /* Its limbs contain sums that were joined. All other floats are in the table. */
    struct gsi_tally_sums sums;
    _Alignas(CACHE_LINE_BYTES) uint64_t table[]; /* floats: of the exact sum; then moments */
};

static bool is_float(const struct gsi_layout *layout)
{
    return layout->type->kind == GSI_KEY_FLOAT;
}

static struct gsi_exact_format exact_format(const struct gsi_layout *layout)
{
    return layout->element_bytes == 4 ? GSI_EXACT_F32 : GSI_EXACT_F64;
}

static size_t table_bytes(const struct gsi_layout *layout)
{
    return is_float(layout) ? gsi_exact_sum_words(exact_format(layout)) * sizeof(uint64_t) : 0;
}

static struct gsi_exact_sum exact_sum(const struct gsi_tally *tally)
{
    return (struct gsi_exact_sum){exact_format(&tally->layout), (uint64_t *)tally->table};
}

static uint64_t *moments_of(const struct gsi_tally *tally)
{
    return (uint64_t *)tally->table + table_bytes(&tally->layout) / sizeof(uint64_t);
}

static size_t tally_bytes(const struct gsi_layout *layout)
{
    size_t bytes = sizeof(struct gsi_tally) + table_bytes(layout);
    if (layout->has_moments)
        bytes += gsi_moments_words(layout) * sizeof(uint64_t);
    return (bytes + CACHE_LINE_BYTES - 1) / CACHE_LINE_BYTES * CACHE_LINE_BYTES;
}

static struct gsi_tally *begin(struct gsi_tally *tally, const struct gsi_layout *layout)
{
    if (tally == NULL)
        return NULL;
    tally->layout = *layout;
    gsi_tally_clear(tally);
    return tally;
}

struct gsi_tally *gsi_tally_create(const struct gsi_layout *layout)
{
    return begin(aligned_alloc(CACHE_LINE_BYTES, tally_bytes(layout)), layout);
}

struct gsi_tally *gsi_tally_alloc(const struct gsi_layout *layout, struct gsi_bump *bump)
{
    return begin(gsi_bump_alloc(bump, 1, tally_bytes(layout), CACHE_LINE_BYTES), layout);
}

void gsi_tally_free(struct gsi_tally *tally)
{
    free(tally);
}

void gsi_tally_clear(struct gsi_tally *tally)
{
    const struct gsi_layout layout = tally->layout;
    gsi_tally_sums_clear(&tally->sums);
    if (is_float(&layout)) {
        struct gsi_exact_sum exact = exact_sum(tally);
        gsi_exact_sum_clear(&exact);
    }
    if (layout.has_moments)
        gsi_moments_clear(&layout, moments_of(tally));
}

/* The sums of one block. Counts and extremes are words, so that all lanes are alike. */
struct block {
    struct gsi_block_sum mix, low, high;
    uint64_t nans, positive_infinities, negative_infinities, negative_zeros;
    uint64_t min, max;
};

GSI_INLINE struct block scan_ints(struct gsi_key_map map, const void *elements, size_t n,
                                  uint32_t bytes)
{
    struct block block = {.min = UINT64_MAX};
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = gsi_block_load(elements, i, bytes);
        uint64_t key = gsi_block_key(map, bits, bytes);
        gsi_block_sum_add(&block.mix, gsi_mix_u64(bits));
        gsi_block_sum_add(&block.low, key);
        block.min = key < block.min ? key : block.min;
        block.max = key > block.max ? key : block.max;
    }
    return block;
}

GSI_SIMD_CLONES static void scan_ints_32(struct gsi_key_map map, const void *elements, size_t n,
                                         struct block *block)
{
    *block = scan_ints(map, elements, n, 4);
}

GSI_SIMD_CLONES static void scan_ints_64(struct gsi_key_map map, const void *elements, size_t n,
                                         struct block *block)
{
    *block = scan_ints(map, elements, n, 8);
}

GSI_INLINE struct gsi_block_sum mix_block(const void *elements, size_t n, uint32_t bytes)
{
    struct gsi_block_sum mix = {0};
    for (size_t i = 0; i < n; i++)
        gsi_block_sum_add(&mix, gsi_mix_u64(gsi_block_load(elements, i, bytes)));
    return mix;
}

#define FLOATS_BITS 32
#include "element/tally/tally_floats.h"
#define FLOATS_BITS 64
#include "element/tally/tally_floats.h"

GSI_SIMD_CLONES static void scan_ints_128(struct gsi_key_map map, const void *elements, size_t n,
                                          struct block *block)
{
    const gsi_lane_u64 *halves = elements;
    struct block sums = {0};
    for (size_t i = 0; i < n; i++) {
        uint64_t low = halves[2 * i], high = halves[2 * i + 1];
        gsi_block_sum_add(&sums.mix, gsi_mix_u128(low, high));
        gsi_block_sum_add(&sums.low, low);
        gsi_block_sum_add(&sums.high, high ^ map.sign);
    }
    *block = sums;
}

GSI_SIMD_CLONES static void map_32(struct gsi_key_map map, gsi_lane_u32 *elements, size_t n)
{
    for (size_t i = 0; i < n; i++)
        elements[i] = gsi_key_of_u32(map, elements[i]);
}

GSI_SIMD_CLONES static void map_64(struct gsi_key_map map, gsi_lane_u64 *elements, size_t n)
{
    for (size_t i = 0; i < n; i++)
        elements[i] = gsi_key_of_u64(map, elements[i]);
}

static void map_block(const struct gsi_layout *layout, void *elements, size_t n)
{
    struct gsi_key_map map = layout->map;
    if (gsi_block_map_is_identity(map))
        return;
    GSI_BY_WIDTH(layout->element_bytes, map_32(map, elements, n), map_64(map, elements, n),
                 gsi_block_map_128(map, elements, n, elements));
}

/* No vector instruction compares 128 bits, but new extremes are rare and their branches predicted.
 */
static void extremes_128(struct gsi_tally *tally, const void *elements, size_t n)
{
    gsi_u128 min = tally->sums.min, max = tally->sums.max,
             sign = (gsi_u128)tally->layout.map.sign << 64;
    for (size_t i = 0; i < n; i++) {
        gsi_u128 x = gsi_block_load_u128(elements, i) ^ sign;
        if (x < min)
            min = x;
        if (x > max)
            max = x;
    }
    tally->sums.min = min;
    tally->sums.max = max;
}

static void add_block(struct gsi_tally *tally, const void *elements, size_t n)
{
    struct gsi_key_map map = gsi_key_map_ascending(tally->layout.map);
    struct block block;
    if (tally->layout.element_bytes == 16) {
        scan_ints_128(map, elements, n, &block);
        extremes_128(tally, elements, n);
    } else {
        bool is_float_type = is_float(&tally->layout);
        /* cppcheck-suppress uninitvar ; either one fills the block */
        GSI_BY_WORD(tally->layout.element_bytes,
                    (is_float_type ? scan_floats_32 : scan_ints_32)(map, elements, n, &block),
                    (is_float_type ? scan_floats_64 : scan_ints_64)(map, elements, n, &block));
        if (block.min < tally->sums.min)
            tally->sums.min = block.min;
        if (block.max > tally->sums.max)
            tally->sums.max = block.max;
    }
    tally->sums.count += n;
    tally->sums.nans += block.nans;
    tally->sums.positive_infinities += block.positive_infinities;
    tally->sums.negative_infinities += block.negative_infinities;
    tally->sums.negative_zeros += block.negative_zeros;
    tally->sums.fingerprint += gsi_block_sum_total(block.mix);
    tally->sums.sum[0] += gsi_block_sum_total(block.low);
    tally->sums.sum[1] += gsi_block_sum_total(block.high);
    if (is_float(&tally->layout)) {
        struct gsi_exact_sum exact = exact_sum(tally);
        gsi_exact_sum_add(&exact, elements, n);
    }
    if (tally->layout.has_moments)
        gsi_moments_add(&tally->layout, moments_of(tally), elements, n);
}

void gsi_tally_add(struct gsi_tally *tally, const void *elements, size_t n)
{
    const char *at = elements;
    for (size_t step; n > 0; n -= step, at += step * tally->layout.element_bytes) {
        step = gsi_block_elements(n);
        add_block(tally, at, step);
    }
}

void gsi_tally_add_and_map(struct gsi_tally *tally, void *elements, size_t n)
{
    char *at = elements;
    for (size_t step; n > 0; n -= step, at += step * tally->layout.element_bytes) {
        step = gsi_block_elements(n);
        add_block(tally, at, step);
        map_block(&tally->layout, at, step);
    }
}

void gsi_tally_add_fingerprint_map(struct gsi_tally *tally, void *elements, size_t n)
{
    uint64_t fingerprint[2] = {0, 0};
    gsi_fingerprint_add_map(&tally->layout, fingerprint, elements, n);
    tally->sums.fingerprint += gsi_fingerprint(fingerprint);
}

void gsi_tally_add_count(struct gsi_tally *tally, uint64_t n)
{
    tally->sums.count += n;
}

void gsi_tally_add_sorted_keys(struct gsi_tally *tally, const void *keys, size_t n)
{
    _Alignas(CACHE_LINE_BYTES) uint8_t block[GSI_BLOCK_ELEMENTS * 16];
    const uint8_t *at = keys;
    const uint32_t bytes = tally->layout.element_bytes;
    for (size_t step; n > 0; n -= step, at += step * bytes) {
        step = gsi_block_elements(n);
        memcpy(block, at, step * bytes);
        gsi_keys_to_elements(&tally->layout, block, step);
        gsi_tally_sums_add_sorted(&tally->layout, &tally->sums, block, step);
    }
}

void gsi_tally_add_sums(struct gsi_tally *tally, const struct gsi_tally_sums *sums)
{
    gsi_tally_sums_join(&tally->sums, sums);
}

void gsi_tally_add_squares(struct gsi_tally *tally, const gsi_u128 *limbs, size_t limb_count)
{
    gsi_moments_add_limbs(&tally->layout, moments_of(tally), limbs, limb_count);
}

void gsi_tally_merge(struct gsi_tally *into, const struct gsi_tally *from)
{
    gsi_tally_sums_join(&into->sums, &from->sums);
    if (is_float(&into->layout)) {
        struct gsi_exact_sum into_exact = exact_sum(into), from_exact = exact_sum(from);
        gsi_exact_sum_merge(&into_exact, &from_exact);
    }
    if (into->layout.has_moments)
        gsi_moments_merge(&into->layout, moments_of(into), moments_of(from));
}

/* Returns what was counted so far, the sum of floats in two's complement. */
static struct gsi_tally_sums total(const struct gsi_tally *tally)
{
    struct gsi_tally_sums sums = tally->sums;
    if (is_float(&tally->layout)) {
        const struct gsi_exact_sum exact = exact_sum(tally);
        gsi_exact_sum_add_to(&exact, sums.limbs);
    }
    return sums;
}

void gsi_tally_save(const struct gsi_tally *tally, struct gsi_tally_sums *sums)
{
    *sums = total(tally);
    if (is_float(&tally->layout)) /* as version 1.0 wrote it into journals */
        sums->is_negative = gsi_exact_fixed_magnitude(sums->limbs);
}

/* Infinities make the mean infinite or NaN, as they do the sum. */
static void finish_moments(const struct gsi_tally *tally, const struct gsi_tally_sums *sums,
                           struct gsi_tally_report *result)
{
    const uint64_t n = sums->count - sums->nans;
    uint64_t limbs[GSI_EXACT_LIMBS];
    result->has_moments = n > 0;
    if (n == 0)
        return;
    if (sums->positive_infinities + sums->negative_infinities > 0) {
        result->variance = __builtin_nan("");
        result->mean = sums->positive_infinities == 0   ? -__builtin_inf()
                       : sums->negative_infinities == 0 ? __builtin_inf()
                                                        : __builtin_nan("");
        return;
    }
    for (size_t i = 0; i < GSI_EXACT_LIMBS; i++) {
        const uint64_t sign = 0 - (result->sum[3] >> 63);
        const uint64_t integer_limb = i < 4 ? result->sum[i] : sign;
        limbs[i] = is_float(&tally->layout) ? sums->limbs[i] : integer_limb;
    }
    gsi_moments_finish(&tally->layout, moments_of(tally), n, limbs, &result->mean,
                       &result->variance);
    const gsi_u128 sum = (gsi_u128)result->sum[1] << 64 | result->sum[0];
    result->mean_time = (int64_t)gsi_divide_to_even((gsi_i128)sum, n);
}

struct gsi_tally_report gsi_tally_finish(const struct gsi_tally *tally)
{
    const struct gsi_tally_sums sums = total(tally);
    struct gsi_tally_report result = gsi_tally_sums_report(&tally->layout, &sums);
    if (tally->layout.has_moments)
        finish_moments(tally, &sums, &result);
    return result;
}
