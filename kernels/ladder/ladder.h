/* ladder.h: declares the kernel ladder: the textbook's reductions and merges, from the simplest
 * kernel to the kernels of gsort, one step at a time. It is there to be read and to be measured
 * (gsort-bench ladder).
 *
 * Tests and measurements loop over the tables. All calls but `take` are asynchronous on `stream`.
 * They return the first error of a launch. They return cudaErrorInvalidValue for an unsupported
 * type, for a length that no grid covers, and for a tile larger than a block's shared memory.
 * Source of the rungs: W. Hwu, D. Kirk and I. El Hajj, "Programming Massively Parallel Processors",
 * 4th edition, 2023, chapters 10 and 12; M. Harris, "Optimizing parallel reduction in CUDA",
 * 2007. */
#ifndef GSI_LADDER_H
#define GSI_LADDER_H

#include <cuda_runtime.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum gsi_ladder_type {
    GSI_LADDER_U32,
    GSI_LADDER_U64,
    GSI_LADDER_I32, /* reductions only, like the next three */
    GSI_LADDER_I64,
    GSI_LADDER_F32,
    GSI_LADDER_F64,
    GSI_LADDER_PAIR /* merges and sorts only: a u64 compared by its high half */
};

enum gsi_ladder_operation { GSI_LADDER_SUM, GSI_LADDER_MIN, GSI_LADDER_MAX };

/* A rung; `shows` is its one idea, `loses` the loss that the next rung avoids. */
struct gsi_reduce_rung {
    const char *name, *shows, *loses;

    /* Returns the bytes of device memory for `run`, aligned to 256. */
    size_t (*scratch_bytes)(enum gsi_ladder_type type, uint64_t n);

    /* Reduces `n` elements at `in`, aligned to their size, on the device; n may be 0. */
    cudaError_t (*run)(enum gsi_ladder_type type, enum gsi_ladder_operation operation,
                       const void *in, uint64_t n, void *scratch, cudaStream_t stream);

    /* Waits for `stream` and returns the result that `run` left in `scratch`.
     * out   *value: integers in 64 bits, sign extended, sums modulo 2^64. Floats are summed as
     * doubles; *value then has the bits of a double.
     * limit floats are ordered by their bits, -0 before 0, and none is a NaN; a minimum or maximum
     * of no elements is undefined */
    cudaError_t (*result)(enum gsi_ladder_type type, enum gsi_ladder_operation operation,
                          const void *scratch, cudaStream_t stream, uint64_t *value);
};

/* How a merge is divided; 0: the rung's default. Rungs that do not divide merges ignore it. */
struct gsi_merge_shape {
    uint32_t tile; /* elements; a block's shared memory holds 2 * tile of them */
    uint32_t threads, blocks;
};

struct gsi_merge_rung {
    const char *name, *shows, *loses;

    /* Returns how many bytes of device memory a merge into `n` elements needs. A sort of `n`
     * elements needs as many. */
    size_t (*scratch_bytes)(enum gsi_ladder_type type, uint64_t n);

    /* Merges a[0 .. m) and b[0 .. n), sorted, into out[0 .. m + n), all on the device and not
     * overlapping; equal keys of a are first. m and n may be 0. Memory is allocated in multiples of
     * 16 bytes, because whole units of it may be read. */
    cudaError_t (*run)(enum gsi_ladder_type type, const void *a, uint64_t m, const void *b,
                       uint64_t n, void *out, struct gsi_merge_shape shape, void *scratch,
                       cudaStream_t stream);

    /* Sorts keys[0 .. n) stably: tiles, then passes of this rung with tiles of shape.tile. `spare`
     * holds n elements as well. NULL: this rung does not sort.
     * out   *sorted: where the result will be, `keys` or `spare` */
    cudaError_t (*sort)(enum gsi_ladder_type type, void *keys, void *spare, uint64_t n,
                        struct gsi_merge_shape shape, void *scratch, cudaStream_t stream,
                        void **sorted);
};

#define GSI_REDUCE_RUNGS 13
#define GSI_MERGE_RUNGS  8

extern const struct gsi_reduce_rung gsi_reduce_ladder[GSI_REDUCE_RUNGS];
extern const struct gsi_merge_rung gsi_merge_ladder[GSI_MERGE_RUNGS];

/* gsi_bulk_circular_merge: rung 6, for u32 and u64.
 * fails cudaErrorNotSupported: the GPU has no bulk copies (compute capability below 9.0) */
cudaError_t gsi_bulk_circular_merge(enum gsi_ladder_type type, const void *a, uint64_t m,
                                    const void *b, uint64_t n, void *out,
                                    struct gsi_merge_shape shape, void *scratch,
                                    cudaStream_t stream);

/* gsi_ladder_merge_on_host: the merge of rung 0, by a processor in host memory. */
cudaError_t gsi_ladder_merge_on_host(enum gsi_ladder_type type, const void *a, uint64_t m,
                                     const void *b, uint64_t n, void *out);

#ifdef __cplusplus
}
#endif
#endif
