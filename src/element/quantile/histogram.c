/* histogram.c: borders as keys; where a key belongs is guessed from its value and put right by
 * them. */
#include "element/quantile/quantile.h"

#include "element/compare.h"
#include "element/tally/digest.h"
#include "element/tally/tally_block.h"

#include <math.h>
#include <string.h>

/* ---- borders ---- */

/* min + ceil(i * span / bins), which neither overflows nor rounds. */
static gsi_u128 integer_border(gsi_u128 min, gsi_u128 span, uint32_t i, uint32_t bins)
{
    gsi_u128 whole = span / bins, rest = span % bins;
    return min + i * whole + (i * rest + bins - 1) / bins;
}

/* As numpy.linspace; where max - min is too large for a double, by halves. */
static double float_border(double min, double max, uint32_t i, uint32_t bins)
{
    double width = (max - min) / bins;
    if (!isinf(max - min))
        return width > 0 ? i * width + min : (double)i / bins * (max - min) + min;
    return 2 * ((max / 2 - min / 2) / bins * i + min / 2);
}

/* The key of the least number of the type at or above a border. */
static gsi_u128 float_key(const struct gsi_layout *layout, double border)
{
    gsi_u128 key = 0;
    float single = (float)border;
    if ((double)single < border)
        single = nextafterf(single, INFINITY);
    border = border == 0 ? -0.0 : border; /* -0 is ordered before 0, and both occur */
    single = single == 0 ? -0.0F : single;
    gsi_element_to_key(layout, layout->element_bytes == 4 ? (const void *)&single : &border, &key);
    return key;
}

static gsi_u128 border_key(const struct gsi_histogram *histogram, const uint8_t min[16],
                           const uint8_t max[16], uint32_t i)
{
    const struct gsi_key_type *type = histogram->layout.type;
    gsi_u128 low = 0, high = 0, greatest = ~(gsi_u128)0 >> (128 - 8 * histogram->layout.key_bytes);
    gsi_element_to_key(&histogram->layout, min, &low);
    gsi_element_to_key(&histogram->layout, max, &high);
    bool is_float = type->kind == GSI_KEY_FLOAT;
    double least = is_float ? gsi_value_of(type, min) : 0,
           most = is_float ? gsi_value_of(type, max) : 0;
    if (is_float && least == most)
        return float_key(&histogram->layout,
                         float_border(least - 0.5, most + 0.5, i, histogram->bins));
    if (low == high) /* the next integer, if there is one, follows the integer in the middle */
        return low + (2 * i > histogram->bins && low < greatest);
    if (i == 0)
        return low;
    if (!is_float)
        return integer_border(low, high - low, i, histogram->bins);
    gsi_u128 key = float_key(&histogram->layout, float_border(least, most, i, histogram->bins));
    return key < low ? low : key < high ? key : high; /* rounded past an end */
}

/* ---- where a number belongs ---- */

/* Returns the number that is scaled linearly to bins: an integer's key, or a float's value. */
GSI_INLINE double position_of(const struct gsi_layout *layout, const void *keys, size_t i)
{
    if (layout->type->kind != GSI_KEY_FLOAT)
        return (double)gsi_bracket_key(keys, layout->key_bytes, i);
    uint8_t value[16];
    gsi_key_to_element(layout, (const uint8_t *)keys + i * layout->key_bytes, value);
    return gsi_value_of(layout->type, value);
}

bool gsi_histogram_make(struct gsi_histogram *histogram, const struct gsi_key_type *type,
                        uint32_t bins, const uint8_t min[16], const uint8_t max[16])
{
    bool is_float = type->kind == GSI_KEY_FLOAT;
    *histogram = (struct gsi_histogram){.layout = gsi_layout_make(type, false), .bins = bins};
    if (is_float && (isinf(gsi_value_of(type, min)) || isinf(gsi_value_of(type, max))))
        return false;
    for (uint32_t i = 0; i < bins; i++)
        histogram->from[i] = border_key(histogram, min, max, i);
    gsi_u128 ends[2] = {0};
    gsi_element_to_key(&histogram->layout, min, &ends[0]);
    gsi_element_to_key(&histogram->layout, max, &ends[1]);
    histogram->last = !is_float && ends[0] == ends[1] ? bins / 2 : bins - 1;
    histogram->low = position_of(&histogram->layout, &ends[0], 0);
    double width = position_of(&histogram->layout, &ends[1], 0) - histogram->low;
    histogram->scale = width > 0 && !isinf(width) ? bins / width : 0;
    return true;
}

/* The last bin that begins at or below the key. */
GSI_INLINE uint32_t bin_of(const struct gsi_histogram *histogram, const void *keys, size_t i)
{
    gsi_u128 key = gsi_bracket_key(keys, histogram->layout.key_bytes, i);
    double guess = (position_of(&histogram->layout, keys, i) - histogram->low) * histogram->scale;
    uint32_t bin = guess < histogram->bins - 1 ? (uint32_t)guess : histogram->bins - 1;
    while (bin > 0 && !gsi_histogram_reaches(histogram, bin, key))
        bin--;
    while (bin + 1 < histogram->bins && gsi_histogram_reaches(histogram, bin + 1, key))
        bin++;
    return bin;
}

void gsi_histogram_add(const struct gsi_histogram *histogram, const void *numbers, size_t n,
                       uint64_t *counts)
{
    _Alignas(64) uint8_t block[16 * GSI_BLOCK_ELEMENTS];
    const struct gsi_layout *layout = &histogram->layout;
    const uint8_t *at = numbers;
    bool is_float = layout->type->kind == GSI_KEY_FLOAT;
    for (size_t step; n > 0; n -= step, at += step * layout->element_bytes) {
        step = gsi_block_elements(n);
        gsi_keys_below(layout, at, step, NULL, block);
        for (size_t i = 0; i < step; i++)
            if (!is_float || gsi_bracket_key(block, layout->key_bytes, i) <= layout->map.nan_above)
                counts[bin_of(histogram, block, i)]++;
    }
}

void gsi_histogram_from(const struct gsi_histogram *histogram, uint32_t bin, uint8_t value[16])
{
    memset(value, 0, 16);
    gsi_key_to_element(&histogram->layout, &histogram->from[bin], value);
}
