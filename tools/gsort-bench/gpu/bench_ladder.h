/* bench_ladder.h: declares what the parts of the ladder's bench share: its memory, its cases, their
 * data, and the expected outputs. */
#ifndef BENCH_LADDER_H
#define BENCH_LADDER_H

#include "bench_cuda.h"

#include "kernels/ladder/ladder.h"

enum ladder_kind {
    LADDER_COPY,
    LADDER_REDUCE,
    LADDER_CUB_SUM,
    LADDER_CUB_MAX,
    LADDER_HOST_MERGE,
    LADDER_MERGE,
    LADDER_CUB_MERGE,
    LADDER_SORT,
    LADDER_CUB_SORT
};

/* One line of the table. A merge takes `m` and `n` keys from the starts of the two halves. */
struct ladder_case {
    const char *name, *part, *shows, *loses;
    enum ladder_kind kind;
    uint32_t rung; /* of its ladder */
    enum gsi_ladder_operation operation;
    uint64_t m, n;
    struct gsi_merge_shape shape;
};

/* A reduction's result as `take` gives it, and for sums of floats how far from it is right. */
struct ladder_reference {
    uint64_t value;
    double slack;
};

struct ladder_bench {
    enum gsi_ladder_type type;
    bool is_float;
    uint32_t width;                  /* of an element */
    uint64_t bytes, n;               /* of the array; elements */
    uint8_t *host_halves, *host_out; /* `bytes` each: each half sorted */
    uint8_t *random, *halves;        /* on the device: random elements; each half sorted */
    uint8_t *work, *out;             /* `bytes` each, on the device as all that follow */
    void *scratch;                   /* the rungs' and CUB's */
    size_t scratch_bytes;
    void *sorted;                          /* where the last sort left its keys */
    struct ladder_reference references[3]; /* by operation */
    uint64_t key_sum;                      /* of the mixes of all integers, modulo 2^64 */
    cudaEvent_t begin, end;
};

/* ladder_data_make: random elements, sorted halves, and what reductions are to find. */
enum gs_status ladder_data_make(struct ladder_bench *bench, struct gs_error *error);

/* ladder_check: checks the output of the case that has just run. ladder_spoil makes sure that the
 * output of an earlier case does not pass for it. */
enum gs_status ladder_spoil(struct ladder_bench *bench, const struct ladder_case *c,
                            struct gs_error *error);
enum gs_status ladder_check(struct ladder_bench *bench, const struct ladder_case *c,
                            struct gs_error *error);

#endif
