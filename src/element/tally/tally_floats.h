/* tally_floats.h: counts floats of a width and finds extremes; tally.c includes it for each width.
 *
 *     #define FLOATS_BITS 32
 *     #include "element/tally/tally_floats.h"     makes  static void scan_floats_32(...)
 *
 * A vector holds twice as many binary32 in words of 4 bytes as in words of 8. So this is 1.8 times
 * as fast (tools/gsort-bench/RESULTS.md, "Sizes chosen by measurement"). No include guard, on
 * purpose. */
#define FLOATS_PASTE(a, b, c) a##b##c
#define FLOATS_NAME(a, b, c)  FLOATS_PASTE(a, b, c)
#define FLOATS_WORD           FLOATS_NAME(uint, FLOATS_BITS, _t)
#define FLOATS_LANE           FLOATS_NAME(gsi_lane_u, FLOATS_BITS, )
#define FLOATS_KEY            FLOATS_NAME(gsi_key_of_u, FLOATS_BITS, )

GSI_SIMD_CLONES static void FLOATS_NAME(scan_floats_, FLOATS_BITS, )(struct gsi_key_map map,
                                                                     const void *elements, size_t n,
                                                                     struct block *block)
{
    const FLOATS_LANE *words = elements;
    const FLOATS_WORD nan_above = (FLOATS_WORD)map.nan_above, minus_zero = (FLOATS_WORD)map.sign;
    FLOATS_WORD min = nan_above, max = 0; /* keys of +inf and -inf */
    FLOATS_WORD nans = 0, plus_infinities = 0, minus_infinities = 0, minus_zeros = 0;
    for (size_t i = 0; i < n; i++) {
        FLOATS_WORD bits = words[i], key = FLOATS_KEY(map, bits);
        FLOATS_WORD is_nan = key > nan_above;
        FLOATS_WORD number = key & (is_nan - 1); /* a NaN counts as 0 for the maximum */
        min = key < min ? key : min;
        max = number > max ? number : max;
        nans += is_nan;
        plus_infinities += key == nan_above;
        minus_infinities += key == 0;
        minus_zeros += bits == minus_zero;
    }
    *block = (struct block){.mix = mix_block(elements, n, FLOATS_BITS / 8),
                            .min = min,
                            .max = max,
                            .nans = nans,
                            .positive_infinities = plus_infinities,
                            .negative_infinities = minus_infinities,
                            .negative_zeros = minus_zeros};
}

#undef FLOATS_PASTE
#undef FLOATS_NAME
#undef FLOATS_WORD
#undef FLOATS_LANE
#undef FLOATS_KEY
#undef FLOATS_BITS
