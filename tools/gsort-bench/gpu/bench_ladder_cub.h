/* bench_ladder_cub.h: CUB's own kernels, to measure the kernel ladder beside them; in a file of
 * their own because they are slow to compile. */
#ifndef BENCH_LADDER_CUB_H
#define BENCH_LADDER_CUB_H

#include "kernels/ladder/ladder.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

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
