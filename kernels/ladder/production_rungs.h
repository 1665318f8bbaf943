/* production_rungs.h: declares the last rungs of the ladders, which gsort itself runs. ladder.h
 * describes the calls. */
#ifndef GSI_PRODUCTION_RUNGS_H
#define GSI_PRODUCTION_RUNGS_H

#include "kernels/ladder/ladder.h"

#ifdef __cplusplus
extern "C" {
#endif

size_t gsi_production_reduce_bytes(enum gsi_ladder_type type, uint64_t n);
cudaError_t gsi_production_reduce(enum gsi_ladder_type type, enum gsi_ladder_operation operation,
                                  const void *in, uint64_t n, void *scratch, cudaStream_t stream);
cudaError_t gsi_production_reduce_result(enum gsi_ladder_type type,
                                         enum gsi_ladder_operation operation, const void *scratch,
                                         cudaStream_t stream, uint64_t *value);

/* For u32 and u64. */
size_t gsi_production_merge_bytes(enum gsi_ladder_type type, uint64_t n);
cudaError_t gsi_production_merge(enum gsi_ladder_type type, const void *a, uint64_t m,
                                 const void *b, uint64_t n, void *out, struct gsi_merge_shape shape,
                                 void *scratch, cudaStream_t stream);
cudaError_t gsi_production_sort(enum gsi_ladder_type type, void *keys, void *spare, uint64_t n,
                                struct gsi_merge_shape shape, void *scratch, cudaStream_t stream,
                                void **sorted);

#ifdef __cplusplus
}
#endif
#endif
