// sort_kernels.h: the sorts and merges of one key width, for hosts. All work is queued on `stream`;
// all pointers are device memory. Chunks, spare, out and temp are aligned to 16 bytes; slices to a
// key. Keys are read in whole units of 16 bytes: what lies around a slice in its units must be
// readable, so memory is taken in multiples of 16 bytes.
//
// Tied tags have the order of the records' whole keys; all tags that are compared are of `places`
// (host). Of other keys it may be nullptr.
#ifndef GSI_SORT_KERNELS_H
#define GSI_SORT_KERNELS_H

#include "device/merge_cut.h"

#include "kernels/sort/chain.h"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

struct gsi_cuda_places;
struct gsi_key_turn; // kernels/sort/key_turn.cuh

struct gsi_sort_kernels {
    uint32_t key_bytes;
    // Allow the kernels their shared memory; once a process and GPU, before anything else.
    cudaError_t (*prepare)(void);

    // chunk_sort: n keys; the result is where *sorted says, `keys` or `spare` (as large).
    // scratch: chunk_scratch_bytes(n), which is enough for fewer keys, too.
    size_t (*chunk_scratch_bytes)(uint64_t n);
    cudaError_t (*chunk_sort)(void *keys, void *spare, uint64_t n, void *scratch,
                              const gsi_cuda_places *places, cudaStream_t stream, void **sorted);

    // sort_in_place: the same, but the result is in `keys`, which are aligned to a key only (what
    // lies around them in whole units is read). Numbers become keys and numbers again as `turn`
    // (host) says; nullptr: they are keys.
    cudaError_t (*sort_in_place)(void *keys, void *spare, uint64_t n, void *scratch,
                                 const gsi_key_turn *turn, const gsi_cuda_places *places,
                                 cudaStream_t stream);

    // merge: `count` arrays into `out`, which overlaps none of them; of equal keys those of the
    // lower array first. temp: only used if count > 16; then it and `out` have room for all keys
    // and for count more (groups begin aligned). scratch: merge_scratch_bytes(keys of all arrays,
    // count). circular_merges: merges of two in it go by circular buffers, and are counted here;
    // only where the GPU copies in bulk (GSI_BULK_COPY_MAJOR). nullptr: by tiles, as all others.
    size_t (*merge_scratch_bytes)(uint64_t n, uint32_t count);
    cudaError_t (*merge)(const gsi_slice *slices /* host */, uint32_t count, void *out, void *temp,
                         void *scratch, const gsi_cuda_places *places, uint64_t *circular_merges,
                         cudaStream_t stream);

    // cut_windows: for windows w = 0 .. window_count - 1: cuts[w * count + i] = how many keys of
    // array i belong to the first min((w + 1) * window_keys, all) outputs; totals[w] = all. Only
    // keys up to `bound` count, if it is not nullptr: below it, or equal to it in the first
    // bound_arrays arrays. cuts and totals may be pinned memory of the host.
    // limit  count <= 1024
    cudaError_t (*cut_windows)(const gsi_chain *chains /* device */, uint32_t count,
                               const gsi_part *parts /* device */,
                               const void *bound /* host, a key */, uint32_t bound_arrays,
                               uint64_t window_keys, uint32_t window_count, uint64_t *cuts,
                               uint64_t *totals, const gsi_cuda_places *places,
                               cudaStream_t stream);

    // copy_words: 8-byte words, `from` memory of the GPU or pinned memory of the host, by a kernel:
    // a copy of the runtime would wait for all that are queued in its direction, whatever their
    // stream.
    cudaError_t (*copy_words)(void *to, const void *from, uint64_t words, cudaStream_t stream);

    // gather: arrays, one behind the other, to `out`, which overlaps none of them.
    cudaError_t (*gather)(const gsi_slice *slices /* host */, uint32_t count, void *out,
                          cudaStream_t stream);
};

// By key width: 4, 8, 16 bytes; tied tags.
extern const gsi_sort_kernels gsi_sort_kernels_4, gsi_sort_kernels_8, gsi_sort_kernels_16,
    gsi_sort_kernels_tied;

#endif
