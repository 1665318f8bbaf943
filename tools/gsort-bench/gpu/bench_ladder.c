/* bench_ladder.c: the kernel ladder (ladder/ladder.h) rung by rung, beside the copy bandwidth of
 * the device and CUB's kernels: sums of an array, merges of its two halves, sorts of it.
 *
 * Events of the device are the clock. Every case runs once before it is measured, and the output of
 * that run is checked: a sum against the host's, a merge or sort for order and for what its input
 * held. GB/s are bytes of input over time, so that a merge at the speed of the copy, which also
 * reads and writes every byte once, could not be faster; a sum only reads. */
#include "bench_cuda.h"
#include "bench_ladder_cub.h"
#include "gsort-bench/bench.h"

#include "base/checked.h"
#include "base/memory.h"
#include "device/cpu/cpu_leaf_sort.h"
#include "element/key_order.h"

#include <stdio.h>
#include <string.h>

/* One thread of a GPU merges so slowly that it gets less: about half a second's work. */
#define SEQUENTIAL_BYTES ((uint64_t)4 << 20)

enum kind { KIND_COPY, KIND_SUM, KIND_CUB_SUM, KIND_MERGE, KIND_CUB_MERGE, KIND_SORT };

static const struct ladder_case {
    const char *name;
    enum kind kind;
    enum gsi_ladder_type type;
    uint32_t rung; /* of its ladder */
} cases[] = {
#define BOTH(name, kind, rung)                   \
    {name ", u32", kind, GSI_LADDER_U32, rung},  \
    {                                            \
        name ", u64", kind, GSI_LADDER_U64, rung \
    }
    {"copy on device", KIND_COPY, GSI_LADDER_U64, 0},
    BOTH("sum 1 interleaved", KIND_SUM, 0),
    BOTH("sum 2 two loads", KIND_SUM, 1),
    BOTH("sum 3 strided", KIND_SUM, 2),
    BOTH("sum 4 sequential", KIND_SUM, 3),
    BOTH("sum 5 last warp", KIND_SUM, 4),
    BOTH("sum 6 shuffle", KIND_SUM, 5),
    BOTH("sum 7 cascaded", KIND_SUM, 6),
    BOTH("sum CUB", KIND_CUB_SUM, 0),
    BOTH("merge 0 sequential", KIND_MERGE, 0),
    BOTH("merge 1 basic", KIND_MERGE, 1),
    BOTH("merge 2 tiled", KIND_MERGE, 2),
    BOTH("merge 3 circular", KIND_MERGE, 3),
    BOTH("merge 4 production", KIND_MERGE, 4),
    BOTH("merge CUB", KIND_CUB_MERGE, 0),
    BOTH("sort 1 basic", KIND_SORT, 1),
    BOTH("sort 2 tiled", KIND_SORT, 2),
    BOTH("sort 3 circular", KIND_SORT, 3),
    BOTH("sort 4 production", KIND_SORT, 4),
};
#define CASE_COUNT (sizeof cases / sizeof cases[0])

struct ladder_bench {
    uint64_t bytes;
    uint8_t *host;       /* `bytes` */
    uint8_t *random;     /* on the device, as the next five: random bits */
    uint8_t *halves[2];  /* the same, each half sorted: as u32, as u64 */
    uint8_t *work, *out; /* `bytes` each */
    uint64_t *total;
    void *temp; /* CUB's */
    size_t temp_bytes;
    uint64_t sums[2]; /* of `random`: as u32, as u64 */
    cudaEvent_t begin, end;
};

static uint32_t key_bytes(enum gsi_ladder_type type)
{
    return type == GSI_LADDER_U32 ? sizeof(uint32_t) : sizeof(uint64_t);
}

static uint64_t key_at(enum gsi_ladder_type type, const void *keys, uint64_t i)
{
    return type == GSI_LADDER_U32 ? ((const uint32_t *)keys)[i] : ((const uint64_t *)keys)[i];
}

static bool is_built(const struct ladder_case *c)
{
    return (c->kind != KIND_MERGE || gsi_merge_ladder[c->rung].run != NULL) &&
           (c->kind != KIND_SORT || gsi_merge_ladder[c->rung].sort != NULL);
}

/* Bytes of input of a case. */
static uint64_t case_bytes(const struct ladder_bench *bench, const struct ladder_case *c)
{
    bool is_sequential = c->kind == KIND_MERGE && c->rung == 0;
    return is_sequential ? gsi_min_u64(bench->bytes, SEQUENTIAL_BYTES) : bench->bytes;
}

/* ---- data ---- */

static void fill_host(struct ladder_bench *bench)
{
    uint64_t *words = (uint64_t *)(void *)bench->host;
    for (uint64_t i = 0; i < bench->bytes / sizeof *words; i++)
        words[i] = gsi_mix_u64(i);
}

static enum gs_status fill_device(struct ladder_bench *bench, struct gs_error *error)
{
    uint64_t half = bench->bytes / 2;
    for (uint32_t t = 0; t < 2; t++) {
        enum gsi_ladder_type type = t == 0 ? GSI_LADDER_U32 : GSI_LADDER_U64;
        uint32_t width = key_bytes(type);
        fill_host(bench);
        bench->sums[t] = 0;
        for (uint64_t i = 0; i < bench->bytes / width; i++)
            bench->sums[t] += key_at(type, bench->host, i);
        CUDA_TRY("copy to the device",
                 cudaMemcpy(bench->random, bench->host, bench->bytes, cudaMemcpyHostToDevice));
        gsi_leaf_sort(width, bench->host, half / width);
        gsi_leaf_sort(width, bench->host + half, half / width);
        CUDA_TRY("copy to the device",
                 cudaMemcpy(bench->halves[t], bench->host, bench->bytes, cudaMemcpyHostToDevice));
    }
    return GS_OK;
}

/* ---- one run ---- */

/* The two arrays of a merge: the same number of keys from the start of either half. */
struct merge_input {
    const uint8_t *a, *b;
    uint64_t count; /* keys of each */
};

static struct merge_input merge_input(const struct ladder_bench *bench, const struct ladder_case *c)
{
    const uint8_t *halves = bench->halves[c->type == GSI_LADDER_U64];
    return (struct merge_input){.a = halves,
                                .b = halves + bench->bytes / 2,
                                .count = case_bytes(bench, c) / 2 / key_bytes(c->type)};
}

static cudaError_t run_case(struct ladder_bench *bench, const struct ladder_case *c)
{
    uint64_t n = bench->bytes / key_bytes(c->type);
    struct merge_input in = merge_input(bench, c);
    switch (c->kind) {
    case KIND_COPY:
        return cudaMemcpyAsync(bench->out, bench->random, bench->bytes, cudaMemcpyDeviceToDevice,
                               NULL);
    case KIND_SUM:
        return gsi_reduce_ladder[c->rung].run(c->type, GSI_LADDER_SUM, bench->random, n,
                                              bench->total, NULL);
    case KIND_CUB_SUM:
        return bench_cub_sum(c->type, bench->random, n, bench->total, bench->temp,
                             &bench->temp_bytes, NULL);
    case KIND_MERGE:
        return gsi_merge_ladder[c->rung].run(c->type, in.a, in.count, in.b, in.count, bench->out, 0,
                                             NULL);
    case KIND_CUB_MERGE:
        return bench_cub_merge(c->type, in.a, in.count, in.b, in.count, bench->out, bench->temp,
                               &bench->temp_bytes, NULL);
    default:
        return gsi_merge_ladder[c->rung].sort(c->type, bench->work, bench->out, n, 0, NULL);
    }
}

static enum gs_status measure(struct ladder_bench *bench, const struct ladder_case *c, uint64_t *ns,
                              struct gs_error *error)
{
    if (c->kind == KIND_SORT)
        CUDA_TRY(c->name, cudaMemcpyAsync(bench->work, bench->random, bench->bytes,
                                          cudaMemcpyDeviceToDevice, NULL));
    CUDA_TRY(c->name, cudaEventRecord(bench->begin, NULL));
    CUDA_TRY(c->name, run_case(bench, c));
    CUDA_TRY(c->name, cudaEventRecord(bench->end, NULL));
    CUDA_TRY(c->name, cudaEventSynchronize(bench->end));
    return bench_cuda_elapsed(bench->begin, bench->end, c->name, ns, error);
}

/* ---- its output ---- */

/* Of keys on the device: the sum of their mixes, modulo 2^64, and whether they are in order. */
struct digest {
    uint64_t sum;
    bool is_sorted;
};

static enum gs_status take_digest(struct ladder_bench *bench, enum gsi_ladder_type type,
                                  const void *keys, uint64_t count, struct digest *digest,
                                  struct gs_error *error)
{
    CUDA_TRY("copy from the device",
             cudaMemcpy(bench->host, keys, count * key_bytes(type), cudaMemcpyDeviceToHost));
    *digest = (struct digest){.is_sorted = true};
    for (uint64_t i = 0, previous = 0; i < count; i++) {
        uint64_t key = key_at(type, bench->host, i);
        digest->sum += gsi_mix_u64(key);
        digest->is_sorted = digest->is_sorted && previous <= key;
        previous = key;
    }
    return GS_OK;
}

static enum gs_status check_sum(struct ladder_bench *bench, const struct ladder_case *c,
                                struct gs_error *error)
{
    uint64_t total;
    CUDA_TRY(c->name, cudaMemcpy(&total, bench->total, sizeof total, cudaMemcpyDeviceToHost));
    if (total != bench->sums[c->type == GSI_LADDER_U64])
        return gsi_fail(error, GS_E_VERIFY, 0, "%s: the sum is wrong", c->name);
    return GS_OK;
}

static enum gs_status check_keys(struct ladder_bench *bench, const struct ladder_case *c,
                                 struct gs_error *error)
{
    struct merge_input in = merge_input(bench, c);
    const uint8_t *out = c->kind == KIND_SORT ? bench->work : bench->out;
    struct digest a, b, got;
    STATUS_TRY(take_digest(bench, c->type, in.a, in.count, &a, error));
    STATUS_TRY(take_digest(bench, c->type, in.b, in.count, &b, error));
    STATUS_TRY(take_digest(bench, c->type, out, 2 * in.count, &got, error));
    if (!got.is_sorted || got.sum != a.sum + b.sum)
        return gsi_fail(error, GS_E_VERIFY, 0, "%s: the output %s", c->name,
                        got.is_sorted ? "does not hold what the input does" : "is not sorted");
    return GS_OK;
}

/* Nothing of an earlier case's output may pass for this one's. */
static enum gs_status check_case(struct ladder_bench *bench, const struct ladder_case *c,
                                 struct gs_error *error)
{
    uint64_t ns;
    CUDA_TRY(c->name, cudaMemset(bench->out, 0xA5, bench->bytes));
    CUDA_TRY(c->name, cudaMemset(bench->total, 0xA5, sizeof *bench->total));
    STATUS_TRY(measure(bench, c, &ns, error));
    if (c->kind == KIND_SUM || c->kind == KIND_CUB_SUM)
        return check_sum(bench, c, error);
    return c->kind == KIND_COPY ? GS_OK : check_keys(bench, c, error);
}

/* ---- the subcommand ---- */

static enum gs_status measure_all(struct ladder_bench *bench, uint32_t repeat_count,
                                  struct bench_report *report, struct gs_error *error)
{
    enum gs_status status = GS_OK;
    struct bench_row *rows[CASE_COUNT] = {0};
    for (size_t i = 0; i < CASE_COUNT; i++) {
        if (!is_built(&cases[i]))
            continue;
        GSI_TRY_OR(check_case(bench, &cases[i], error), done);
        rows[i] = bench_row_add(report, (struct bench_row){.name = cases[i].name});
    }
    for (uint32_t repeat = 0; repeat < repeat_count; repeat++) {
        bench_round(repeat, repeat_count);
        for (size_t i = 0; i < CASE_COUNT; i++) {
            uint64_t ns;
            if (rows[i] == NULL)
                continue;
            GSI_TRY_OR(measure(bench, &cases[i], &ns, error), done);
            bench_row_sample(rows[i], case_bytes(bench, &cases[i]), ns);
        }
    }
    bench_ceiling_add(report,
                      (struct bench_ceiling){.name = "merge", .text = "the copy", .row = rows[0]});
    bench_ceiling_add(report, (struct bench_ceiling){.name = "sum",
                                                     .text = "twice the copy: it reads only",
                                                     .speed = 2 * bench_row_median(rows[0])});
done:
    bench_round(repeat_count, repeat_count);
    return status;
}

static enum gs_status open_bench(struct ladder_bench *bench, struct bench_report *report,
                                 struct gs_error *error)
{
    struct cudaDeviceProp device;
    size_t sum_bytes = 0, merge_bytes = 0;
    STATUS_TRY(bench_cuda_find(&device, error));
    snprintf(report->note, sizeof report->note, "%.80s; merge 0: of %llu bytes", device.name,
             (unsigned long long)gsi_min_u64(bench->bytes, SEQUENTIAL_BYTES));

    uint8_t **arrays[] = {&bench->random, &bench->halves[0], &bench->halves[1], &bench->work,
                          &bench->out};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        CUDA_TRY("device memory", cudaMalloc((void **)arrays[i], bench->bytes));
    CUDA_TRY("device memory", cudaMalloc((void **)&bench->total, sizeof *bench->total));
    for (uint32_t t = 0; t < 2; t++) {
        enum gsi_ladder_type type = t == 0 ? GSI_LADDER_U32 : GSI_LADDER_U64;
        uint64_t n = bench->bytes / key_bytes(type);
        CUDA_TRY("CUB", bench_cub_sum(type, NULL, n, NULL, NULL, &sum_bytes, NULL));
        CUDA_TRY("CUB",
                 bench_cub_merge(type, NULL, n / 2, NULL, n / 2, NULL, NULL, &merge_bytes, NULL));
        bench->temp_bytes = gsi_max_u64(bench->temp_bytes, gsi_max_u64(sum_bytes, merge_bytes));
    }
    CUDA_TRY("device memory", cudaMalloc(&bench->temp, bench->temp_bytes));
    CUDA_TRY("CUDA event", cudaEventCreate(&bench->begin));
    CUDA_TRY("CUDA event", cudaEventCreate(&bench->end));
    return GS_OK;
}

static void close_bench(struct ladder_bench *bench)
{
    void *arrays[] = {bench->random, bench->halves[0], bench->halves[1], bench->work,
                      bench->out,    bench->total,     bench->temp};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        (void)cudaFree(arrays[i]);
    if (bench->begin != NULL)
        (void)cudaEventDestroy(bench->begin);
    if (bench->end != NULL)
        (void)cudaEventDestroy(bench->end);
}

enum gs_status bench_ladder(const struct bench_settings *settings, struct bench_report *report,
                            struct gs_error *error)
{
    struct ladder_bench bench = {.bytes = settings->size_bytes};
    struct gsi_ledger ledger = {.ceiling_bytes = UINT64_MAX};
    void *host = NULL;
    enum gs_status status = GS_OK;
    GSI_TRY_OR(open_bench(&bench, report, error), done);
    GSI_TRY_OR(gsi_memory_map(&ledger, GS_MEMORY_DATA, bench.bytes, &host, error), done);
    bench.host = host;
    GSI_TRY_OR(fill_device(&bench, error), done);
    GSI_TRY_OR(measure_all(&bench, settings->repeat_count, report, error), done);
done:
    close_bench(&bench);
    if (host != NULL)
        gsi_memory_unmap(&ledger, GS_MEMORY_DATA, host, bench.bytes);
    return status;
}
