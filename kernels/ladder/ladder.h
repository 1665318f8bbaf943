/* ladder.h: the kernel ladder: the textbook's reductions and merges, from the simplest kernel to
 * one near the copy bandwidth, a step at a time, to be read and to be measured (gsort-bench
 * ladder). Sorting itself uses none of them.
 *
 * Tests and measurements loop over the tables. Calls are asynchronous on `stream`; they return the
 * first error of a launch, cudaErrorInvalidValue for a type a rung does not serve or a length no
 * grid covers. Source of the rungs: W. Hwu, D. Kirk and I. El Hajj, "Programming Massively Parallel
 * Processors", 4th edition, 2023, chapters 10 and 12; M. Harris, "Optimizing parallel reduction in
 * CUDA", 2007. */
#ifndef GSI_LADDER_H
#define GSI_LADDER_H

#include <cuda_runtime.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum gsi_ladder_type {
    GSI_LADDER_U32,
    GSI_LADDER_U64,
    GSI_LADDER_I32, /* reductions only */
    GSI_LADDER_I64, /* reductions only */
    GSI_LADDER_PAIR /* merges and sorts only: a u64 compared by its high half */
};

enum gsi_ladder_operation { GSI_LADDER_SUM, GSI_LADDER_MIN, GSI_LADDER_MAX };

/* A rung; `shows` is its one idea, `loses` what the next rung fixes. */
struct gsi_reduce_rung {
    const char *name, *shows, *loses;

    /* Reduce `n` elements at `in` into *total, both on the device; n may be 0.
     * in    `in`: aligned to its element
     * out   total: the result in 64 bits, sums modulo 2^64; gsi_ladder_value reads it */
    cudaError_t (*run)(enum gsi_ladder_type type, enum gsi_ladder_operation operation,
                       const void *in, uint64_t n, uint64_t *total, cudaStream_t stream);
};

/* gsi_ladder_value: the value of a total, sign extended for signed types. Of no elements: 0, and
 * the greatest (min) or least (max) number of 64 bits. Kernels order signed numbers as unsigned
 * ones with the sign turned over; this turns it back. */
static inline uint64_t gsi_ladder_value(enum gsi_ladder_type type,
                                        enum gsi_ladder_operation operation, uint64_t total)
{
    int is_turned =
        operation != GSI_LADDER_SUM && (type == GSI_LADDER_I32 || type == GSI_LADDER_I64);
    return is_turned ? total ^ (uint64_t)1 << 63 : total;
}

struct gsi_merge_rung {
    const char *name, *shows, *loses;

    /* Merge a[0 .. m) and b[0 .. n), sorted, into out[0 .. m + n), all on the device and not
     * overlapping; of equal keys, a's come first. m and n may be 0. NULL: the
     * rung is not of this library.
     * in    tile: elements of a tile, at least 1, 2 * tile of them in a block's shared memory;
     *       48 KiB at most; 0: the rung's own. Means nothing to rungs without tiles. */
    cudaError_t (*run)(enum gsi_ladder_type type, const void *a, uint64_t m, const void *b,
                       uint64_t n, void *out, uint32_t tile, cudaStream_t stream);

    /* Sort keys[0 .. n) in place and stably: tiles, then passes of this rung; `scratch` holds n
     * elements as well. NULL: this rung does not sort. */
    cudaError_t (*sort)(enum gsi_ladder_type type, void *keys, void *scratch, uint64_t n,
                        uint32_t tile, cudaStream_t stream);
};

#define GSI_REDUCE_RUNGS 7
#define GSI_MERGE_RUNGS  5

extern const struct gsi_reduce_rung gsi_reduce_ladder[GSI_REDUCE_RUNGS];
extern const struct gsi_merge_rung gsi_merge_ladder[GSI_MERGE_RUNGS];

#ifdef __cplusplus
}
#endif
#endif
