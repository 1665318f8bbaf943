/* bench_ladder.c: measures the kernel ladder (ladder/ladder.h) rung by rung, beside the copy
 * bandwidth of the device, CUB's kernels and a merge by a processor. It has reductions of an array,
 * merges of its two halves, sorts of it, and merges with published lengths and grids.
 *
 * Events of the device are the clock. Every case runs once before it is measured, and the output of
 * that run is checked. GB/s are bytes of input per time. A merge at the speed of the copy, which
 * also reads and writes every byte once, could not be faster. A reduction only reads. Ratios stand
 * beside what was published of them: "Parallel Merge Sort (merge operation)", ByeolJun's blog,
 * 2021, for merges, and Harris's order of reductions. */
#include "bench_ladder.h"
#include "bench_cub.h"

#include "base/checked.h"
#include "base/clock.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

/* One thread of a GPU merges so slowly that it gets less: about half a second's work. */
#define SEQUENTIAL_BYTES ((uint64_t)4 << 20)
#define MI               ((uint64_t)1 << 20)

/* ---- cases ---- */

struct case_list {
    uint32_t count;
    struct ladder_case cases[BENCH_ROWS_MAX];
};

static void add_case(struct case_list *list, struct ladder_case c)
{
    list->cases[list->count++] = c;
}

static void add_reductions(struct case_list *list)
{
    static const char *const names[] = {"sum", "min", "max"};
    for (uint32_t o = GSI_LADDER_SUM; o <= GSI_LADDER_MAX; o++)
        for (uint32_t r = 0; r < GSI_REDUCE_RUNGS; r++) {
            const struct gsi_reduce_rung *rung = &gsi_reduce_ladder[r];
            /* Extremes only where it is the loads that take time. */
            if (o == GSI_LADDER_SUM || strcmp(rung->name, "wide loads") == 0)
                add_case(list, (struct ladder_case){.name = names[o],
                                                    .part = rung->name,
                                                    .shows = rung->shows,
                                                    .loses = rung->loses,
                                                    .kind = LADDER_REDUCE,
                                                    .rung = r,
                                                    .operation = o});
        }
    add_case(list, (struct ladder_case){.name = "sum", .part = "CUB", .kind = LADDER_CUB_SUM});
    add_case(list, (struct ladder_case){.name = "max",
                                        .part = "CUB",
                                        .kind = LADDER_CUB_MAX,
                                        .operation = GSI_LADDER_MAX});
}

/* `like`: lengths and shape. */
static void add_merge(struct case_list *list, struct ladder_case like, const char *rung_name)
{
    for (uint32_t r = 0; r < GSI_MERGE_RUNGS; r++) {
        if (strcmp(gsi_merge_ladder[r].name, rung_name) != 0)
            continue;
        like.kind = LADDER_MERGE;
        like.part = gsi_merge_ladder[r].name;
        like.rung = r;
        add_case(list, like);
    }
}

static void add_host_merge(struct case_list *list, struct ladder_case like)
{
    like.kind = LADDER_HOST_MERGE;
    like.part = "one processor";
    add_case(list, like);
}

static void add_merges(struct case_list *list, const struct ladder_bench *bench)
{
    uint64_t half = bench->n / 2;
    uint64_t short_half = gsi_min_u64(half, SEQUENTIAL_BYTES / 2 / bench->width);
    struct ladder_case whole = {.name = "merge", .m = half, .n = half};
    add_host_merge(list, whole);
    for (uint32_t r = 0; r < GSI_MERGE_RUNGS; r++) {
        const struct gsi_merge_rung *rung = &gsi_merge_ladder[r];
        struct ladder_case c = whole;
        c.m = c.n = r == 0 ? short_half : half;
        c.shows = rung->shows;
        c.loses = rung->loses;
        add_merge(list, c, rung->name);
    }
    whole.kind = LADDER_CUB_MERGE;
    whole.part = "CUB";
    add_case(list, whole);
    struct ladder_case large_tile = {.name = "merge, tile of 8192",
                                     .m = half,
                                     .n = half,
                                     .shape = {.tile = 8192, .threads = 256}};
    add_merge(list, large_tile, "tiled");
    add_merge(list, large_tile, "circular");
}

/* The published lengths and grids, where the array is long enough. */
static void add_published_merges(struct case_list *list, const struct ladder_bench *bench)
{
    static const char *const as_published[] = {"basic", "tiled", "circular"};
    struct ladder_case large = {.name = "4 Mi + 4 Mi", .m = 4 * MI, .n = 4 * MI};
    struct ladder_case small = {.m = 33000, .n = 31000};
    if (bench->n / 2 >= large.m) {
        for (uint32_t r = 0; r < GSI_MERGE_RUNGS; r++)
            add_merge(list, large, gsi_merge_ladder[r].name);
        large.name = "4 Mi + 4 Mi, 32 x 1024";
        add_host_merge(list, large);
        large.shape = (struct gsi_merge_shape){.tile = 1024, .threads = 1024, .blocks = 32};
        for (uint32_t i = 0; i < 3; i++)
            add_merge(list, large, as_published[i]);
        large.name = "the same, tile of 8192";
        large.shape.tile = 8192;
        for (uint32_t i = 1; i < 3; i++)
            add_merge(list, large, as_published[i]);
    }
    if (bench->n / 2 < small.m)
        return;
    small.name = "33000 + 31000, 16 x 128";
    add_host_merge(list, small);
    small.shape = (struct gsi_merge_shape){.tile = 1024, .threads = 128, .blocks = 16};
    for (uint32_t i = 0; i < 3; i++)
        add_merge(list, small, as_published[i]);
}

static void add_sorts(struct case_list *list, const struct ladder_bench *bench)
{
    struct ladder_case c = {.name = "sort", .m = bench->n / 2, .n = bench->n / 2};
    for (uint32_t r = 0; r < GSI_MERGE_RUNGS; r++) {
        if (gsi_merge_ladder[r].sort == NULL)
            continue;
        c.kind = LADDER_SORT;
        c.part = gsi_merge_ladder[r].name;
        c.rung = r;
        add_case(list, c);
    }
    c.kind = LADDER_CUB_SORT;
    c.part = "CUB, merge sort";
    add_case(list, c);
}

static void make_cases(struct case_list *list, const struct ladder_bench *bench)
{
    add_case(list, (struct ladder_case){.name = "copy", .part = "on device", .kind = LADDER_COPY});
    add_reductions(list);
    if (bench->is_float)
        return;
    add_merges(list, bench);
    add_published_merges(list, bench);
    add_sorts(list, bench);
}

/* How many times as fast one case is as another, and what was published of that. */
static const struct ladder_ratio {
    const char *name, *part, *fast, *slow, *published;
} ratios[] = {
    {"sum", "block atomics / atomics", "block atomics", "atomics", NULL},
    {"sum", "block atomics / shuffle", "block atomics", "shuffle", NULL},
    {"sum", "strided / interleaved", "strided", "interleaved", "published: above 1"},
    {"sum", "sequential / strided", "sequential", "strided", "published: above 1"},
    {"sum", "last warp / sequential", "last warp", "sequential", "published: above 1"},
    {"sum", "cascaded / last warp", "cascaded", "last warp", "published: above 1"},
    {"sum", "cascaded shuffle / cascaded", "cascaded shuffle", "cascaded", "published: above 1"},
    {"4 Mi + 4 Mi, 32 x 1024", "basic / one processor", "basic", "one processor",
     "published: about 2"},
    {"4 Mi + 4 Mi, 32 x 1024", "tiled / basic", "tiled", "basic", "published: 4 to 5"},
    {"4 Mi + 4 Mi, 32 x 1024", "circular / tiled", "circular", "tiled", "published: about 1"},
    {"merge", "tiled / basic", "tiled", "basic", NULL},
    {"merge", "circular / tiled", "circular", "tiled", NULL},
    {"merge", "tiled registers / tiled", "tiled registers", "tiled", NULL},
    {"merge", "circular registers / circular", "circular registers", "circular", NULL},
    {"merge", "production / CUB", "production", "CUB", NULL},
    {"sort", "production / CUB", "production", "CUB, merge sort", NULL},
};
#define RATIO_COUNT (sizeof ratios / sizeof ratios[0])

/* NULL: that case is not of this type or size. */
static const struct ladder_case *find_case(const struct case_list *list, const char *name,
                                           const char *part)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (strcmp(list->cases[i].name, name) == 0 && strcmp(list->cases[i].part, part) == 0)
            return &list->cases[i];
    return NULL;
}

static uint64_t case_bytes(const struct ladder_bench *bench, const struct ladder_case *c)
{
    return c->m + c->n > 0 ? (c->m + c->n) * bench->width : bench->bytes;
}

/* ---- one run ---- */

static enum bench_cub_type cub_type(const struct ladder_bench *bench)
{
    if (bench->is_float)
        return bench->width == 4 ? BENCH_CUB_F32 : BENCH_CUB_F64;
    return bench->width == 4 ? BENCH_CUB_U32 : BENCH_CUB_U64;
}

static cudaError_t run_merge(struct ladder_bench *bench, const struct ladder_case *c)
{
    const uint8_t *a = bench->halves, *b = a + bench->n / 2 * bench->width;
    if (c->kind == LADDER_CUB_MERGE)
        return bench_cub_merge(bench->type, a, c->m, b, c->n, bench->out, bench->scratch,
                               &bench->scratch_bytes, NULL);
    return gsi_merge_ladder[c->rung].run(bench->type, a, c->m, b, c->n, bench->out, c->shape,
                                         bench->scratch, NULL);
}

static cudaError_t run_case(struct ladder_bench *bench, const struct ladder_case *c)
{
    struct bench_cub_temp temp = {bench->scratch, &bench->scratch_bytes};
    bench->sorted = bench->work;
    switch (c->kind) {
    case LADDER_COPY:
        return cudaMemcpyAsync(bench->out, bench->random, bench->bytes, cudaMemcpyDeviceToDevice,
                               NULL);
    case LADDER_REDUCE:
        return gsi_reduce_ladder[c->rung].run(bench->type, c->operation, bench->random, bench->n,
                                              bench->scratch, NULL);
    case LADDER_CUB_SUM:
        return bench_cub_sum(bench->type, bench->random, bench->n, bench->out, bench->scratch,
                             &bench->scratch_bytes, NULL);
    case LADDER_CUB_MAX:
        return bench_cub_max(cub_type(bench), bench->random, bench->n, bench->out, temp);
    case LADDER_SORT:
        return gsi_merge_ladder[c->rung].sort(bench->type, bench->work, bench->out, bench->n,
                                              c->shape, bench->scratch, NULL, &bench->sorted);
    case LADDER_CUB_SORT:
        return bench_cub_merge_sort(cub_type(bench), bench->work, bench->n, temp);
    default:
        return run_merge(bench, c);
    }
}

static enum gs_status measure_host(struct ladder_bench *bench, const struct ladder_case *c,
                                   uint64_t *ns, struct gs_error *error)
{
    const uint8_t *b = bench->host_halves + bench->n / 2 * bench->width;
    uint64_t begin = gsi_clock_ns();
    CUDA_TRY(c->part, gsi_ladder_merge_on_host(bench->type, bench->host_halves, c->m, b, c->n,
                                               bench->host_out));
    *ns = gsi_clock_ns() - begin;
    return GS_OK;
}

static enum gs_status measure(struct ladder_bench *bench, const struct ladder_case *c, uint64_t *ns,
                              struct gs_error *error)
{
    if (c->kind == LADDER_HOST_MERGE)
        return measure_host(bench, c, ns, error);
    if (c->kind == LADDER_SORT || c->kind == LADDER_CUB_SORT)
        CUDA_TRY(c->part, cudaMemcpyAsync(bench->work, bench->random, bench->bytes,
                                          cudaMemcpyDeviceToDevice, NULL));
    CUDA_TRY(c->part, cudaEventRecord(bench->begin, NULL));
    CUDA_TRY(c->part, run_case(bench, c));
    CUDA_TRY(c->part, cudaEventRecord(bench->end, NULL));
    CUDA_TRY(c->part, cudaEventSynchronize(bench->end));
    return bench_cuda_elapsed(bench->begin, bench->end, c->part, ns, error);
}

/* ---- the subcommand ---- */

static enum gs_status add_rows(struct ladder_bench *bench, const struct case_list *list,
                               struct bench_row **rows, struct bench_report *report,
                               struct gs_error *error)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const struct ladder_case *c = &list->cases[i];
        uint64_t ns;
        STATUS_TRY(ladder_spoil(bench, c, error));
        STATUS_TRY(measure(bench, c, &ns, error));
        STATUS_TRY(ladder_check(bench, c, error));
        rows[i] = bench_row_add(
            report, (struct bench_row){
                        .name = c->name, .part = c->part, .shows = c->shows, .loses = c->loses});
    }
    return GS_OK;
}

static enum gs_status measure_all(struct ladder_bench *bench, const struct case_list *list,
                                  uint32_t repeat_count, struct bench_report *report,
                                  struct gs_error *error)
{
    struct bench_row *rows[BENCH_ROWS_MAX], *ratio_rows[RATIO_COUNT] = {0};
    const struct ladder_case *fast[RATIO_COUNT], *slow[RATIO_COUNT];
    STATUS_TRY(add_rows(bench, list, rows, report, error));
    for (size_t r = 0; r < RATIO_COUNT; r++) {
        fast[r] = find_case(list, ratios[r].name, ratios[r].fast);
        slow[r] = find_case(list, ratios[r].name, ratios[r].slow);
        if (fast[r] == NULL || slow[r] == NULL)
            continue;
        ratio_rows[r] = bench_ratio_add(report, ratios[r].name);
        ratio_rows[r]->part = ratios[r].part;
        ratio_rows[r]->shows = ratios[r].published;
    }
    for (uint32_t repeat = 0; repeat < repeat_count; repeat++) {
        uint64_t ns[BENCH_ROWS_MAX];
        bench_round(repeat, repeat_count);
        for (uint32_t i = 0; i < list->count; i++) {
            STATUS_TRY(measure(bench, &list->cases[i], &ns[i], error));
            bench_row_sample(rows[i], case_bytes(bench, &list->cases[i]), ns[i]);
        }
        for (size_t r = 0; r < RATIO_COUNT; r++)
            if (ratio_rows[r] != NULL)
                bench_row_sample(ratio_rows[r], ns[slow[r] - list->cases],
                                 ns[fast[r] - list->cases]);
    }
    report->ratio_text = "ratios of speeds";
    bench_ceiling_add(report,
                      (struct bench_ceiling){.name = "merge", .text = "the copy", .row = rows[0]});
    bench_ceiling_add(report, (struct bench_ceiling){.name = "sum",
                                                     .text = "twice the copy: it reads only",
                                                     .speed = 2 * bench_row_median(rows[0])});
    return GS_OK;
}

/* Finds the most memory that any rung or call of CUB needs. */
static enum gs_status find_scratch_bytes(struct ladder_bench *bench, struct gs_error *error)
{
    uint64_t n = bench->n, most = 0;
    size_t bytes[3] = {0};
    struct bench_cub_temp max = {NULL, &bytes[1]}, sort = {NULL, &bytes[2]};
    CUDA_TRY("CUB", bench_cub_sum(bench->type, NULL, n, NULL, NULL, &bytes[0], NULL));
    CUDA_TRY("CUB", bench_cub_max(cub_type(bench), NULL, n, NULL, max));
    CUDA_TRY("CUB", bench_cub_merge_sort(cub_type(bench), NULL, n, sort));
    for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; i++)
        most = gsi_max_u64(most, bytes[i]);
    if (!bench->is_float) {
        CUDA_TRY("CUB", bench_cub_merge(bench->type, NULL, n / 2, NULL, n / 2, NULL, NULL,
                                        &bytes[0], NULL));
        most = gsi_max_u64(most, bytes[0]);
    }
    for (uint32_t r = 0; r < GSI_REDUCE_RUNGS; r++)
        most = gsi_max_u64(most, gsi_reduce_ladder[r].scratch_bytes(bench->type, n));
    for (uint32_t r = 0; r < GSI_MERGE_RUNGS; r++)
        most = gsi_max_u64(most, gsi_merge_ladder[r].scratch_bytes(bench->type, n));
    bench->scratch_bytes = most;
    return GS_OK;
}

static enum gs_status open_bench(struct ladder_bench *bench, struct bench_report *report,
                                 struct gs_error *error)
{
    struct cudaDeviceProp device;
    STATUS_TRY(bench_cuda_find(&device, error));
    int length = snprintf(report->note, sizeof report->note, "%.80s", device.name);
    if (!bench->is_float)
        snprintf(report->note + length, sizeof report->note - (size_t)length,
                 "; merge sequential: of %llu bytes",
                 (unsigned long long)gsi_min_u64(bench->bytes, SEQUENTIAL_BYTES));
    STATUS_TRY(find_scratch_bytes(bench, error));
    uint8_t **arrays[] = {&bench->random, &bench->halves, &bench->work, &bench->out};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        CUDA_TRY("device memory", cudaMalloc((void **)arrays[i], bench->bytes));
    CUDA_TRY("device memory", cudaMalloc(&bench->scratch, bench->scratch_bytes));
    CUDA_TRY("CUDA event", cudaEventCreate(&bench->begin));
    CUDA_TRY("CUDA event", cudaEventCreate(&bench->end));
    return GS_OK;
}

static void close_bench(struct ladder_bench *bench)
{
    void *arrays[] = {bench->random, bench->halves, bench->work, bench->out, bench->scratch};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        (void)cudaFree(arrays[i]);
    if (bench->begin != NULL)
        (void)cudaEventDestroy(bench->begin);
    if (bench->end != NULL)
        (void)cudaEventDestroy(bench->end);
}

static bool take_type(struct ladder_bench *bench, const char *name)
{
    static const struct {
        const char *name;
        enum gsi_ladder_type type;
        uint32_t width;
        bool is_float;
    } types[] = {{"u32", GSI_LADDER_U32, 4, false},
                 {"u64", GSI_LADDER_U64, 8, false},
                 {"f32", GSI_LADDER_F32, 4, true},
                 {"f64", GSI_LADDER_F64, 8, true}};
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
        if (strcmp(name, types[t].name) == 0) {
            bench->type = types[t].type;
            bench->width = types[t].width;
            bench->is_float = types[t].is_float;
            return true;
        }
    return false;
}

enum gs_status bench_ladder(const struct bench_settings *settings, struct bench_report *report,
                            struct gs_error *error)
{
    struct ladder_bench bench = {.bytes = settings->size_bytes};
    struct case_list list = {0};
    struct gsi_ledger ledger = {.ceiling_bytes = UINT64_MAX};
    void *host = NULL;
    enum gs_status status = GS_OK;
    if (!take_type(&bench, settings->type))
        return gsi_fail(error, GS_E_USAGE, 0, "--type: '%s' is not u32, u64, f32 or f64",
                        settings->type);
    bench.n = bench.bytes / bench.width;
    make_cases(&list, &bench);
    GSI_TRY_OR(open_bench(&bench, report, error), done);
    GSI_TRY_OR(gsi_memory_map(&ledger, GSI_MEMORY_DATA, 2 * bench.bytes, &host, error), done);
    bench.host_halves = host;
    bench.host_out = bench.host_halves + bench.bytes;
    GSI_TRY_OR(ladder_data_make(&bench, error), done);
    GSI_TRY_OR(measure_all(&bench, &list, settings->repeat_count, report, error), done);
done:
    bench_round(settings->repeat_count, settings->repeat_count);
    close_bench(&bench);
    if (host != NULL)
        gsi_memory_unmap(&ledger, GSI_MEMORY_DATA, host, 2 * bench.bytes);
    return status;
}
