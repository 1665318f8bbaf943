/* tally.c: the pass over raw elements on their way in.
 *
 * Each block goes through two or three loops while it is in the cache: one, vectorised, for the
 * fingerprint, extremes and integer sum; for floats one that cannot be vectorised for their sum;
 * and one that turns elements into sort keys. Extremes are kept as ascending sort keys (those of
 * the layout, not reversed), where NaNs are above all others. Integers are summed with their sign
 * bit flipped, so that only non-negative numbers are added, and the excess is taken off at the end.
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
    uint64_t count;
    uint64_t nans, positive_infinities, negative_infinities, negative_zeros;
    gsi_u128 fingerprint;
    gsi_u128 sum[2];   /* of biased integers: low words, high words of 16-byte elements */
    gsi_u128 min, max; /* ascending keys; min > max: none */
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

struct gsi_tally *gsi_tally_place(const struct gsi_layout *layout, struct gsi_shelf *shelf)
{
    return begin(gsi_shelf_place(shelf, 1, tally_bytes(layout), CACHE_LINE_BYTES), layout);
}

void gsi_tally_free(struct gsi_tally *tally)
{
    free(tally);
}

void gsi_tally_clear(struct gsi_tally *tally)
{
    struct gsi_layout layout = tally->layout;
    memset(tally, 0, sizeof *tally);
    tally->layout = layout;
    tally->min = ~(gsi_u128)0;
    if (is_float(&layout)) {
        struct gsi_exact_sum exact = exact_sum(tally);
        gsi_exact_sum_clear(&exact);
    }
    if (layout.has_moments)
        gsi_moments_clear(&layout, moments_of(tally));
}

/* What one block adds. Counts and extremes are words, so that all lanes are alike. */
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
    gsi_u128 min = tally->min, max = tally->max, sign = (gsi_u128)tally->layout.map.sign << 64;
    for (size_t i = 0; i < n; i++) {
        gsi_u128 x = gsi_block_load_u128(elements, i) ^ sign;
        if (x < min)
            min = x;
        if (x > max)
            max = x;
    }
    tally->min = min;
    tally->max = max;
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
        if (block.min < tally->min)
            tally->min = block.min;
        if (block.max > tally->max)
            tally->max = block.max;
    }
    tally->count += n;
    tally->nans += block.nans;
    tally->positive_infinities += block.positive_infinities;
    tally->negative_infinities += block.negative_infinities;
    tally->negative_zeros += block.negative_zeros;
    tally->fingerprint += gsi_block_sum_total(block.mix);
    tally->sum[0] += gsi_block_sum_total(block.low);
    tally->sum[1] += gsi_block_sum_total(block.high);
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

void gsi_tally_add_map(struct gsi_tally *tally, void *elements, size_t n)
{
    char *at = elements;
    for (size_t step; n > 0; n -= step, at += step * tally->layout.element_bytes) {
        step = gsi_block_elements(n);
        add_block(tally, at, step);
        map_block(&tally->layout, at, step);
    }
}

void gsi_tally_merge(struct gsi_tally *into, const struct gsi_tally *from)
{
    into->count += from->count;
    into->nans += from->nans;
    into->positive_infinities += from->positive_infinities;
    into->negative_infinities += from->negative_infinities;
    into->negative_zeros += from->negative_zeros;
    into->fingerprint += from->fingerprint;
    into->sum[0] += from->sum[0];
    into->sum[1] += from->sum[1];
    if (from->min < into->min)
        into->min = from->min;
    if (from->max > into->max)
        into->max = from->max;
    if (is_float(&into->layout)) {
        struct gsi_exact_sum into_exact = exact_sum(into), from_exact = exact_sum(from);
        gsi_exact_sum_merge(&into_exact, &from_exact);
    }
    if (into->layout.has_moments)
        gsi_moments_merge(&into->layout, moments_of(into), moments_of(from));
}

void gsi_tally_add_parts(struct gsi_tally *tally, const struct gsi_tally_parts *parts)
{
    tally->count += parts->count;
    tally->nans += parts->nans;
    tally->positive_infinities += parts->positive_infinities;
    tally->negative_infinities += parts->negative_infinities;
    tally->negative_zeros += parts->negative_zeros;
    tally->fingerprint += parts->fingerprint;
    tally->sum[0] += parts->sum[0];
    tally->sum[1] += parts->sum[1];
    if (parts->min < tally->min)
        tally->min = parts->min;
    if (parts->max > tally->max)
        tally->max = parts->max;
    if (is_float(&tally->layout)) {
        struct gsi_exact_sum exact = exact_sum(tally);
        for (size_t i = 0; i < parts->limb_count; i++)
            gsi_exact_sum_add_fixed(&exact, parts->limbs[i], 32 * i);
    }
    if (tally->layout.has_moments)
        gsi_moments_add_limbs(&tally->layout, moments_of(tally), parts->square_limbs,
                              parts->square_limb_count);
}

void gsi_tally_save(const struct gsi_tally *tally, struct gsi_tally_saved *saved)
{
    *saved = (struct gsi_tally_saved){.count = tally->count,
                                      .nans = tally->nans,
                                      .positive_infinities = tally->positive_infinities,
                                      .negative_infinities = tally->negative_infinities,
                                      .negative_zeros = tally->negative_zeros,
                                      .fingerprint = tally->fingerprint,
                                      .sum = {tally->sum[0], tally->sum[1]},
                                      .min = tally->min,
                                      .max = tally->max};
    if (is_float(&tally->layout)) {
        struct gsi_exact_sum exact = exact_sum(tally);
        saved->is_negative = gsi_exact_sum_fixed(&exact, saved->limbs);
    }
}

void gsi_tally_add_saved(struct gsi_tally *tally, const struct gsi_tally_saved *saved)
{
    struct gsi_tally_parts parts = {.count = saved->count,
                                    .nans = saved->nans,
                                    .positive_infinities = saved->positive_infinities,
                                    .negative_infinities = saved->negative_infinities,
                                    .negative_zeros = saved->negative_zeros,
                                    .fingerprint = saved->fingerprint,
                                    .sum = {saved->sum[0], saved->sum[1]},
                                    .min = saved->min,
                                    .max = saved->max};
    gsi_tally_add_parts(tally, &parts);
    if (!is_float(&tally->layout))
        return;
    struct gsi_exact_sum exact = exact_sum(tally);
    for (size_t i = 0; i < GSI_EXACT_LIMBS; i++) {
        gsi_u128 limb = saved->limbs[i];
        gsi_exact_sum_add_fixed(&exact, saved->is_negative ? -limb : limb, 64 * i);
    }
}

/* words = sum[0] + (sum[1] << 64) - count * bias, modulo 2^256; a signed type's bias is its sign
 * bit. */
static void finish_integer_sum(const struct gsi_layout *layout, const struct gsi_tally_saved *saved,
                               uint64_t words[4])
{
    gsi_u128 middle = (saved->sum[0] >> 64) + (uint64_t)saved->sum[1];
    gsi_u128 upper = (saved->sum[1] >> 64) + (middle >> 64);
    gsi_u128 lower = middle << 64 | (uint64_t)saved->sum[0];
    gsi_u128 excess = (gsi_u128)saved->count * layout->map.sign;
    bool is_wide = layout->element_bytes == 16; /* the sign is the high word's */
    gsi_u128 low_excess = is_wide ? excess << 64 : excess;
    upper -= (is_wide ? excess >> 64 : 0) + (lower < low_excess);
    lower -= low_excess;
    words[0] = (uint64_t)lower;
    words[1] = (uint64_t)(lower >> 64);
    words[2] = (uint64_t)upper;
    words[3] = (uint64_t)(upper >> 64);
}

static double finish_float_sum(const struct gsi_tally_saved *saved)
{
    uint64_t numbers = saved->count - saved->nans;
    bool has_only_nans = saved->count > 0 && numbers == 0;
    if (has_only_nans || (saved->positive_infinities > 0 && saved->negative_infinities > 0))
        return __builtin_nan("");
    if (saved->positive_infinities > 0)
        return __builtin_inf();
    if (saved->negative_infinities > 0)
        return -__builtin_inf();
    if (numbers > 0 && saved->negative_zeros == numbers)
        return -0.0;
    return gsi_exact_signed_f64(saved->limbs, saved->is_negative);
}

/* Of the numbers: infinities make the mean infinite, or none, as they do the sum. */
static void finish_moments(const struct gsi_tally *tally, struct gsi_tally_report *result)
{
    struct gsi_exact_sum exact = exact_sum(tally);
    uint64_t n = tally->count - tally->nans;
    bool is_float_type = is_float(&tally->layout);
    result->has_moments = n > 0;
    if (n == 0)
        return;
    if (tally->positive_infinities + tally->negative_infinities == 0) {
        gsi_moments_finish(&tally->layout, moments_of(tally), n, result->sum,
                           is_float_type ? &exact : NULL, &result->mean, &result->variance);
        const gsi_u128 sum = (gsi_u128)result->sum[1] << 64 | result->sum[0];
        result->mean_time = (int64_t)gsi_divide_to_even((gsi_i128)sum, n);
        return;
    }
    result->variance = __builtin_nan("");
    result->mean = tally->positive_infinities == 0   ? -__builtin_inf()
                   : tally->negative_infinities == 0 ? __builtin_inf()
                                                     : __builtin_nan("");
}

struct gsi_tally_report gsi_tally_saved_finish(const struct gsi_layout *layout,
                                               const struct gsi_tally_saved *saved)
{
    struct gsi_tally_report result = {
        .count = saved->count,
        .nan_count = saved->nans,
        .positive_infinity_count = saved->positive_infinities,
        .negative_infinity_count = saved->negative_infinities,
        .negative_zero_count = saved->negative_zeros,
        .has_extremes = saved->count > saved->nans,
        .fingerprint = {(uint64_t)saved->fingerprint, (uint64_t)(saved->fingerprint >> 64)},
    };
    if (is_float(layout))
        result.sum_float = finish_float_sum(saved);
    else
        finish_integer_sum(layout, saved, result.sum);
    if (result.has_extremes) {
        struct gsi_layout ascending = *layout;
        ascending.map = gsi_key_map_ascending(layout->map);
        gsi_key_to_element(&ascending, &saved->min, result.min);
        gsi_key_to_element(&ascending, &saved->max, result.max);
    }
    return result;
}

struct gsi_tally_report gsi_tally_finish(const struct gsi_tally *tally)
{
    struct gsi_tally_saved saved;
    gsi_tally_save(tally, &saved);
    struct gsi_tally_report result = gsi_tally_saved_finish(&tally->layout, &saved);
    if (tally->layout.has_moments)
        finish_moments(tally, &result);
    return result;
}
