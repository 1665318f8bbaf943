// sort_kernels.h: declares the sorts and merges of one key width, for hosts.
//
// All work is queued on `stream`; all pointers are device memory. Chunks, spare, out and temp are
// aligned to 16 bytes, slices to a key. Keys are read in whole units of 16 bytes. All bytes of a
// slice's first and last unit must be readable, so memory is allocated in multiples of 16 bytes.
//
// Tied tags have the order of the records' whole keys. All tags that are compared belong to
// `places` (host). For other keys `places` may be nullptr.
#ifndef GSI_SORT_KERNELS_H
#define GSI_SORT_KERNELS_H

#include "base/choices.h"
#include "device/merge_cut.h"

#include "kernels/sort/chain.h"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

struct gsi_cuda_record_table;
struct gsi_key_turn; // kernels/sort/key_turn.cuh

struct gsi_sort_kernels {
    uint32_t key_bytes;
    // Allows the kernels their shared memory; call it once per process and GPU, before anything
    // else.
    cudaError_t (*prepare)(void);

    // chunk_sort: sorts n keys. The result is in *sorted, which is `keys` or `spare` (as large).
    // scratch: chunk_scratch_bytes(n), which is enough for fewer keys, too.
    size_t (*chunk_scratch_bytes)(uint64_t n);
    cudaError_t (*chunk_sort)(void *keys, void *spare, uint64_t n, void *scratch,
                              const gsi_cuda_record_table *places, cudaStream_t stream,
                              void **sorted);

    // sort_in_place: the same, but the result is in `keys`, which are aligned to a key only; the
    // other bytes of their first and last unit are read. Numbers are converted to keys and back as
    // `turn` (host) says; nullptr: they are keys.
    cudaError_t (*sort_in_place)(void *keys, void *spare, uint64_t n, void *scratch,
                                 const gsi_key_turn *turn, const gsi_cuda_record_table *places,
                                 cudaStream_t stream);

    // merge: merges `count` arrays into `out`, which overlaps none of them; of equal keys those of
    // the lower array are first. temp: used only if count > 16. Then temp and `out` have room for
    // all keys and for count more, because groups begin aligned.
    // scratch: merge_scratch_bytes(keys of all arrays, count).
    // pairs: selects the kernel for two-way merges, and counts merges that did not use the tiled
    // kernel; nullptr: all use it.
    size_t (*merge_scratch_bytes)(uint64_t n, uint32_t count);
    cudaError_t (*merge)(const gsi_slice *slices /* host */, uint32_t count, void *out, void *temp,
                         void *scratch, const gsi_cuda_record_table *places, gsi_pair_merges *pairs,
                         cudaStream_t stream);

    // cut_windows: cuts windows w = 0 .. window_count - 1. Window w ends after the first
    // min((w + 1) * window_keys, all) outputs. Array i has cuts[w * count + i] of these.
    // totals[w] is all.
    // If `bound` is not nullptr, only keys up to it count: keys below it, and keys equal to it in
    // the first bound_arrays arrays. The host may own cuts and totals, as pinned memory.
    // limit  count <= 1024
    cudaError_t (*cut_windows)(const gsi_chain *chains /* device */, uint32_t count,
                               const gsi_part *parts /* device */,
                               const void *bound /* host, a key */, uint32_t bound_arrays,
                               uint64_t window_keys, uint32_t window_count, uint64_t *cuts,
                               uint64_t *totals, const gsi_cuda_record_table *places,
                               cudaStream_t stream);

    // copy_words: copies 8-byte words by a kernel. `from` is GPU memory or pinned host memory. A
    // copy of the runtime would wait for all queued copies in its direction, in any stream.
    cudaError_t (*copy_words)(void *to, const void *from, uint64_t words, cudaStream_t stream);

    // gather: concatenates arrays to `out`, which overlaps none of them.
    cudaError_t (*gather)(const gsi_slice *slices /* host */, uint32_t count, void *out,
                          cudaStream_t stream);
};

// By key width: 4, 8, 16 bytes; tied tags.
extern const gsi_sort_kernels gsi_sort_kernels_4, gsi_sort_kernels_8, gsi_sort_kernels_16,
    gsi_sort_kernels_tied;

#endif
