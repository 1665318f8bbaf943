/* cpu_merge.h: merge sorted slices into one array, on one thread, tile by tile in its cache. */
#ifndef GSI_CPU_MERGE_H
#define GSI_CPU_MERGE_H

#include "base/assert.h"
#include "device/cpu/cpu_wide_sort.h"
#include "device/merge_cut.h"

/* Bytes of output a tile aims at: tile and scratch together fill a second-level cache of 1 to 2
 * MiB. */
#define GSI_TILE_BYTES GSI_CONSTANT((size_t)512 << 10, (size_t)8 << 10)

/* Scratch a thread needs, bytes; sorts of chunks take it, too. */
#define GSI_MERGE_SCRATCH_BYTES GSI_CONSTANT(2 * GSI_TILE_BYTES, GSI_WIDE_SORT_BYTES)
_Static_assert(GSI_MERGE_SCRATCH_BYTES >= GSI_WIDE_SORT_BYTES, "a sort by short tags finds room");

/* What one merge works on; all borrowed for the call. */
struct gsi_merge_work {
    struct gsi_slice *slices; /* consumed */
    uint32_t slice_count;
    uint64_t *cut;          /* slice_count entries of scratch */
    struct gsi_slice *tile; /* slice_count entries of scratch */
    void *scratch;          /* GSI_MERGE_SCRATCH_BYTES, aligned to 64 */
};

/* gsi_merge_tiles: merge the slices into `out`, which they must not overlap.
 * in    tile_done: called after each tile with its place in `out`, while it is in the cache
 * owns  nothing; any thread */
void gsi_merge_tiles(uint32_t key_bytes, struct gsi_merge_work *work, void *out,
                     void (*tile_done)(void *context, void *keys, size_t n), void *context);

#endif
