/* merge_cut.c: computes the k-way co-rank by selection with pivots. */
#include "device/merge_cut.h"

#include "base/assert.h"
#include "base/u128.h"
#include "element/key_order.h"
#include "element/width.h"

#include <stdbool.h>
#include <string.h>

#define KEY        uint32_t
#define WIDE(name) name##_4
#include "device/merge_cut_width.h"
#define KEY        uint64_t
#define WIDE(name) name##_8
#include "device/merge_cut_width.h"
#define KEY        gsi_u128
#define WIDE(name) name##_16
#include "device/merge_cut_width.h"

/* After this many rounds, every other pivot is the middle of a bracket. Data with similar slices
 * need about ten rounds in all. */
#define EAGER_ROUNDS GSI_CONSTANT(12, 2)

/* Draws the pivot's slice with a probability proportional to its bracket. The pivot's position in
 * the bracket is the wanted quantile of the remaining elements. It is moved a little towards the
 * middle so that the far end of the brackets shrinks as well. */
struct gsi_pivot gsi_merge_cut_pivot(const uint64_t *low, const uint64_t *high, uint64_t open,
                                     uint64_t wanted, uint32_t round)
{
    uint64_t draw = gsi_mix_u64(round ^ open) % open;
    uint32_t slice = 0;
    while (draw >= high[slice] - low[slice]) {
        draw -= high[slice] - low[slice];
        slice++;
    }
    uint64_t width = high[slice] - low[slice];
    double quantile = (double)wanted / (double)open;
    quantile += (0.5 - quantile) * 0.06;
    if (round >= EAGER_ROUNDS && round % 2 == 0)
        quantile = 0.5;
    uint64_t step = (uint64_t)(quantile * (double)width);
    return (struct gsi_pivot){slice, low[slice] + (step < width ? step : width - 1)};
}

void gsi_merge_cut(uint32_t key_bytes, const struct gsi_slice *slices, uint32_t k, uint64_t rank,
                   uint64_t *cut, uint64_t *scratch)
{
    uint64_t *limit = scratch + k; /* upper ends of the brackets; cut holds the lower ends */
    for (uint32_t i = 0; i < k; i++) {
        cut[i] = 0;
        limit[i] = slices[i].count < rank ? slices[i].count : rank;
    }
    for (uint32_t round = 0;; round++) {
        uint64_t taken = 0, open = 0;
        for (uint32_t i = 0; i < k; i++) {
            taken += cut[i];
            open += limit[i] - cut[i];
        }
        if (taken == rank)
            return;
        if (taken + open == rank) {
            memcpy(cut, limit, k * sizeof *cut);
            return;
        }
        struct gsi_pivot pivot = gsi_merge_cut_pivot(cut, limit, open, rank - taken, round);
        GSI_BY_WIDTH(key_bytes, narrow_4, narrow_8, narrow_16)
        (slices, k, pivot, rank, cut, limit, scratch);
    }
}

uint64_t gsi_merge_cut_at(uint32_t key_bytes, const struct gsi_slice *slices, uint32_t k,
                          struct gsi_pivot pivot, uint64_t *cut)
{
    return GSI_BY_WIDTH(key_bytes, cut_at_4, cut_at_8, cut_at_16)(slices, k, pivot, cut);
}

uint64_t gsi_merge_below(uint32_t key_bytes, struct gsi_slice slice, const void *bound,
                         int is_inclusive)
{
    return GSI_BY_WIDTH(key_bytes, below_4, below_8, below_16)(slice, bound, is_inclusive);
}
