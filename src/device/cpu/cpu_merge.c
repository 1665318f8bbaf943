/* cpu_merge.c: cuts the slices into tiles that fit the cache, and merges each tile by the fastest
 * method for its number of slices.
 *
 * Tiles need not have an exact size. A pivot near the right quantile of the longest slice cuts all
 * slices once, which costs k binary searches per tile. Ties are broken by slice and position, so
 * any input can be cut into tiles, including one of equal keys. */
#include "device/cpu/cpu_merge.h"

#include "base/checked.h"
#include "base/u128.h"
#include "device/cpu/cpu_merge_simd.h"
#include "device/cpu/cpu_presorted.h"
#include "element/width.h"

#include <stdbool.h>
#include <string.h>

/* With fewer keys than this on one side, a search for each is cheaper than a merge loop. */
#define FEW_KEYS 8

/* Most slices for the pairwise tree. With more slices, sorting the tile takes about as long,
 * and its cost does not depend on k (RESULTS.md, "Sizes chosen by measurement"). */
#define TREE_SLICES    512
#define TREE_SLICES_16 8

#define KEY        uint32_t
#define WIDE(name) name##_4
#include "device/cpu/cpu_merge_width.h"
#define KEY        uint64_t
#define WIDE(name) name##_8
#include "device/cpu/cpu_merge_width.h"
#define KEY        gsi_u128
#define WIDE(name) name##_16
#include "device/cpu/cpu_merge_width.h"

static void merge_tree(uint32_t key_bytes, const struct gsi_slice *slices, uint32_t k, void *out,
                       void *scratch)
{
    GSI_BY_WIDTH(key_bytes, merge_tree_4(slices, k, out, scratch),
                 merge_tree_8(slices, k, out, scratch), merge_tree_16(slices, k, out, scratch));
}

static void merge_by_sort(uint32_t key_bytes, const struct gsi_slice *slices, uint32_t k, void *out,
                          void *scratch)
{
    GSI_BY_WIDTH(key_bytes, merge_by_sort_4(slices, k, out, scratch),
                 merge_by_sort_8(slices, k, out, scratch),
                 merge_by_sort_16(slices, k, out, scratch));
}

/* Cuts about `tile` keys off the front of the slices, which have `left` keys in all. It cuts no
 * more than `most`, except if slices have one key each. Returns how many keys were cut. Each round
 * cuts at the wanted quantile of the slice that has most keys before the last cut. Similar slices
 * need one round; for any data, every round leaves fewer keys. */
static uint64_t cut_tile(uint32_t key_bytes, const struct gsi_slice *slices, uint32_t k,
                         uint64_t left, uint64_t tile, uint64_t most, uint64_t *cut)
{
    uint64_t taken = left;
    for (uint32_t i = 0; i < k; i++)
        cut[i] = slices[i].count;
    while (taken > most) {
        uint32_t longest = 0;
        for (uint32_t i = 1; i < k; i++)
            if (cut[i] > cut[longest])
                longest = i;
        if (cut[longest] < 2)
            break; /* more slices than keys in a tile: a larger tile is only slower */
        double quantile = (double)tile / (double)taken;
        uint64_t idx =
            gsi_clamp_u64((uint64_t)(quantile * (double)cut[longest]), 1, cut[longest] - 1);
        taken = gsi_merge_cut_at(key_bytes, slices, k, (struct gsi_pivot){longest, idx}, cut);
    }
    return taken;
}

/* Moves cut[i] keys off the front of every slice into `tile`. Returns how many slices supplied
 * any. */
static uint32_t pop_tile(uint32_t key_bytes, struct gsi_slice *slices, uint32_t k,
                         const uint64_t *cut, struct gsi_slice *tile)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < k; i++) {
        if (cut[i] > 0)
            tile[used++] = (struct gsi_slice){slices[i].keys, cut[i]};
        slices[i].keys = (const uint8_t *)slices[i].keys + cut[i] * key_bytes;
        slices[i].count -= cut[i];
    }
    return used;
}

/* Drops empty slices, keeping the order of the others. Returns how many remain. */
static uint32_t drop_empty(struct gsi_slice *slices, uint32_t k)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < k; i++)
        if (slices[i].count > 0)
            slices[kept++] = slices[i];
    return kept;
}

void gsi_merge_tiles(uint32_t key_bytes, struct gsi_merge_work *work, void *out,
                     void (*tile_done)(void *context, void *keys, size_t n), void *context)
{
    const uint32_t tree_slices = key_bytes == 16 ? TREE_SLICES_16 : TREE_SLICES;
    uint8_t *end = out;
    uint32_t k = drop_empty(work->slices, work->slice_count);
    uint64_t left = 0;
    for (uint32_t i = 0; i < k; i++)
        left += work->slices[i].count;
    while (left > 0) {
        uint64_t tile = GSI_TILE_BYTES / key_bytes, most = 2 * tile;
        if (key_bytes == 16 && k > TREE_SLICES_16)
            tile = GSI_WIDE_PIECE_KEYS * 3 / 4, most = GSI_WIDE_PIECE_KEYS;
        uint64_t taken = cut_tile(key_bytes, work->slices, k, left, tile, most, work->cut);
        uint32_t used = pop_tile(key_bytes, work->slices, k, work->cut, work->tile);
        if (used == 1)
            memcpy(end, work->tile[0].keys, taken * key_bytes);
        else if (used <= tree_slices && taken * key_bytes <= GSI_MERGE_SCRATCH_BYTES)
            merge_tree(key_bytes, work->tile, used, end, work->scratch);
        else
            merge_by_sort(key_bytes, work->tile, used, end, work->scratch);
        tile_done(context, end, taken);
        end += taken * key_bytes;
        left -= taken;
        k = drop_empty(work->slices, k);
    }
}
