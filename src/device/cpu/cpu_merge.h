/* cpu_merge.h: merges sorted slices into one array, on one thread, tile by tile in its cache. */
#ifndef GSI_CPU_MERGE_H
#define GSI_CPU_MERGE_H

#include "base/assert.h"
#include "device/cpu/cpu_wide_sort.h"
#include "device/merge_cut.h"

/* Target size of a tile's output, bytes: tile and scratch together fill a second-level cache of 1
 * to 2 MiB. */
#define GSI_TILE_BYTES GSI_CONSTANT((size_t)512 << 10, (size_t)8 << 10)

/* Scratch that a thread needs, bytes; sorts of chunks use it, too. */
#define GSI_MERGE_SCRATCH_BYTES GSI_CONSTANT(2 * GSI_TILE_BYTES, GSI_WIDE_SORT_BYTES)
_Static_assert(GSI_MERGE_SCRATCH_BYTES >= GSI_WIDE_SORT_BYTES, "a sort by short tags finds room");

/* The arguments of one merge; all borrowed for the call. */
struct gsi_merge_work {
    struct gsi_slice *slices; /* consumed: empty after the call */
    uint32_t slice_count;
    uint64_t *cut;          /* slice_count entries of scratch */
    struct gsi_slice *tile; /* slice_count entries of scratch */
    void *scratch;          /* GSI_MERGE_SCRATCH_BYTES, aligned to 64 */
};

/* gsi_merge_tiles: merges the slices into `out`, which they must not overlap.
 * in    tile_done: called after each tile with its place in `out`, while the tile is in the cache
 * owns  nothing; any thread */
void gsi_merge_tiles(uint32_t key_bytes, struct gsi_merge_work *work, void *out,
                     void (*tile_done)(void *context, void *keys, size_t n), void *context);

#endif
