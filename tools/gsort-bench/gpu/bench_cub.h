/* bench_cub.h: calls CUB's sorts, merges and reductions, to measure gsort's kernels and the rungs
 * of the ladder beside them. They are in a file of their own because they are slow to compile. */
#ifndef BENCH_CUB_H
#define BENCH_CUB_H

#include "kernels/ladder/ladder.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* PAIRS: n keys of 8 bytes, then n values of 8 bytes; only keys are compared. */
enum bench_cub_type { BENCH_CUB_U32, BENCH_CUB_U64, BENCH_CUB_F32, BENCH_CUB_F64, BENCH_CUB_PAIRS };

/* Device memory of *bytes for a call. If memory is NULL, the call only sets *bytes to what it
 * needs. cudaErrorInvalidValue: there is no such call for that type. */
struct bench_cub_temp {
    void *memory;
    size_t *bytes;
};

/* bench_cub_radix_sort: sorts between `keys` and `spare`, which is as large; *sorted is the one
 * that the last pass wrote. Not for floats.
 * bench_cub_merge_sort: sorts in place.
 * bench_cub_merge_halves: merges keys [0, n / 2) and [n / 2, n), each sorted, into `out`; n is
 * even. Not for floats.
 * bench_cub_max: writes the largest of `keys` to *max on the device. Not for pairs. */
cudaError_t bench_cub_radix_sort(enum bench_cub_type type, void *keys, void *spare, uint64_t n,
                                 void **sorted, struct bench_cub_temp temp);
cudaError_t bench_cub_merge_sort(enum bench_cub_type type, void *keys, uint64_t n,
                                 struct bench_cub_temp temp);
cudaError_t bench_cub_merge_halves(enum bench_cub_type type, const void *keys, uint64_t n,
                                   void *out, struct bench_cub_temp temp);
cudaError_t bench_cub_max(enum bench_cub_type type, const void *keys, uint64_t n, void *max,
                          struct bench_cub_temp temp);

/* The arguments are those of the rungs (ladder.h). Sums are of u32, u64, f32 and f64, into 64 bits
 * at `total`; merges of u32 and u64.
 * in    temp: device memory of *temp_bytes; NULL: only say in *temp_bytes how much it takes */
cudaError_t bench_cub_sum(enum gsi_ladder_type type, const void *in, uint64_t n, void *total,
                          void *temp, size_t *temp_bytes, cudaStream_t stream);
cudaError_t bench_cub_merge(enum gsi_ladder_type type, const void *a, uint64_t m, const void *b,
                            uint64_t n, void *out, void *temp, size_t *temp_bytes,
                            cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
