// bench_kernels.cu: measures gsort's kernels in device memory: chunk sorts, merges of 2 to 128
// runs, and the tally of elements, beside CUB's kernels and a copy.
//
// Events of the device are the clock. Each round measures every case once, gsort's and CUB's in
// turn, on keys that are made for it; the first round only warms up. Every output is checked
// outside the clock: order, and the fingerprint of its input; tallies and maxima against the
// host's. GB/s are bytes of input per time. A merge at the speed of the copy, which also reads and
// writes every byte once, could not be faster. Tallies only read.
//
// gsort sorts unsigned keys that its pass in has made of elements; so does CUB here, but where that
// could matter (merge sorts and maxima of floats) it gets the elements. Elements of 16 bytes are
// pairs of a key and a value of 8 bytes to CUB, which compares keys alone: less work.
#include "gsort-bench/bench.h"

#include "element/layout.h"
#include "element/tally/digest.h"
#include "element/tally/tally.h"

#include "bench_cub.h"
#include "bench_cuda.h"
#include "bench_keys.cuh"
#include "kernels/common/bulk_copy.cuh"
#include "kernels/common/launch.cuh"
#include "kernels/sort/sort_kernels.h"
#include "kernels/tally/tally.cuh"

#include <cstdio>
#include <cstdlib>
#include <cstring>

enum kind {
    COPY,
    SORT,
    CUB_RADIX_SORT,
    CUB_MERGE_SORT,
    MERGE,
    CIRCULAR_MERGE, // with --tune merge=circular
    CUB_MERGE,
    TALLY,
    LEAN_TALLY,
    CUB_MAX
};

struct kernel_case {
    const char *name;
    enum kind kind;
    enum pattern pattern;
    uint32_t run_count; // of a merge
};

constexpr uint32_t RUNS_MOST = 128;

static const kernel_case cases[] = {
    {"copy on device", COPY, RANDOM, 1},
    {"sort random", SORT, RANDOM, 1},
    {"sort random, CUB radix", CUB_RADIX_SORT, RANDOM, 1},
    {"sort random, CUB merge", CUB_MERGE_SORT, RANDOM, 1},
    {"sort sorted", SORT, SORTED, 1},
    {"sort reverse", SORT, REVERSE, 1},
    {"sort equal", SORT, EQUAL, 1},
    {"sort few distinct", SORT, FEW, 1},
    {"sort organ pipe", SORT, ORGAN_PIPE, 1},
    {"merge 2", MERGE, RANDOM, 2},
    {"merge 2, CUB", CUB_MERGE, RANDOM, 2},
    {"merge 2, circular", CIRCULAR_MERGE, RANDOM, 2},
    {"merge 4", MERGE, RANDOM, 4},
    {"merge 8", MERGE, RANDOM, 8},
    {"merge 16", MERGE, RANDOM, 16},
    {"merge 32", MERGE, RANDOM, 32},
    {"merge 64", MERGE, RANDOM, 64},
    {"merge 128", MERGE, RANDOM, RUNS_MOST},
    {"tally", TALLY, RANDOM, 1},
    {"tally, no fingerprint", LEAN_TALLY, RANDOM, 1},
    {"max, CUB", CUB_MAX, RANDOM, 1},
};
constexpr size_t CASE_COUNT = sizeof cases / sizeof cases[0];
static_assert(CASE_COUNT <= BENCH_ROWS_MAX, "a case is a row");

// Ratios of the times of two cases, which are indexes of `cases`.
static const struct {
    const char *name;
    size_t ours, others;
} ratios[] = {
    {"sort random / CUB radix", 1, 2},
    {"sort random / CUB merge", 1, 3},
    {"merge 2 / CUB", 9, 10},
    {"merge 2, circular / tiles", 11, 9},
    {"tally / max, CUB", CASE_COUNT - 3, CASE_COUNT - 1},
    {"tally, no fingerprint / max, CUB", CASE_COUNT - 2, CASE_COUNT - 1},
};
constexpr size_t RATIO_COUNT = sizeof ratios / sizeof ratios[0];
static_assert(RATIO_COUNT <= BENCH_RATIOS_MAX, "bench.h");

constexpr unsigned BLOCKS = 1024, THREADS = 256;

// ---- the bench ----

struct kernel_bench {
    gsi_layout layout;
    const gsi_sort_kernels *kernels;
    bool has_bulk_copies;
    uint64_t n;
    uint8_t *a, *b; // n elements each; b: room for RUNS_MOST more
    uint8_t *level; // as b; the merge's own
    void *temp;
    size_t temp_bytes;
    digest *digests;
    void *max; // 16 bytes
    gsi_cuda_tally *tally;
    void *staging; // a tally's, pinned
    cudaEvent_t begin, end;
    uint64_t fill_count; // so far; each fill but a tally's has other random keys
    bool has_reference;
    gsi_tally_report reference; // of a tally's elements, by the host
};

static bool is_cub(enum kind kind)
{
    return kind == CUB_RADIX_SORT || kind == CUB_MERGE_SORT || kind == CUB_MERGE || kind == CUB_MAX;
}

static bool is_tally(enum kind kind)
{
    return kind == TALLY || kind == LEAN_TALLY || kind == CUB_MAX;
}

// Returns whether a case is of elements instead of keys.
static bool is_of_elements(const kernel_bench *bench, enum kind kind)
{
    const bool is_float = bench->layout.type->kind == GSI_KEY_FLOAT;
    return kind == TALLY || kind == LEAN_TALLY ||
           (is_float && (kind == CUB_MERGE_SORT || kind == CUB_MAX));
}

static bool exists(const kernel_bench *bench, const kernel_case *c)
{
    return c->kind == CIRCULAR_MERGE ? bench->has_bulk_copies
                                     : c->kind != CUB_MAX || bench->layout.key_bytes <= 8;
}

static enum bench_cub_type cub_type(const kernel_bench *bench, enum kind kind)
{
    const bool is_float = is_of_elements(bench, kind);
    switch (bench->layout.key_bytes) {
    case 4:
        return is_float ? BENCH_CUB_F32 : BENCH_CUB_U32;
    case 8:
        return is_float ? BENCH_CUB_F64 : BENCH_CUB_U64;
    default:
        return BENCH_CUB_PAIRS;
    }
}

// Keys of each run of a case; runs begin aligned.
static uint64_t run_keys(const kernel_bench *bench, const kernel_case *c)
{
    return c->run_count == 1 ? bench->n : bench->n / c->run_count / 4 * 4;
}

static uint64_t case_bytes(const kernel_bench *bench, const kernel_case *c)
{
    return run_keys(bench, c) * c->run_count * bench->layout.key_bytes;
}

static view view_of(const kernel_bench *bench, const kernel_case *c, void *data)
{
    view v = {};
    v.data = data;
    v.n = run_keys(bench, c) * c->run_count;
    v.form = bench->layout.key_bytes == 4   ? WORDS_4
             : bench->layout.key_bytes == 8 ? WORDS_8
             : is_cub(c->kind)              ? PAIRS
                                            : TAGS;
    v.kind = bench->layout.type->kind;
    v.is_raw = is_of_elements(bench, c->kind);
    v.map = bench->layout.map;
    return v;
}

static enum gs_status take_digest(kernel_bench *bench, const kernel_case *c, void *data,
                                  digest *out, struct gs_error *error)
{
    CUDA_TRY(c->name, cudaMemset(bench->digests, 0, sizeof *bench->digests));
    CUDA_TRY(c->name, gsi_launch(digest_keys, BLOCKS, THREADS, 0, nullptr, view_of(bench, c, data),
                                 bench->digests));
    CUDA_TRY(c->name, cudaMemcpy(out, bench->digests, sizeof *out, cudaMemcpyDeviceToHost));
    return GS_OK;
}

// ---- one measurement: its input, in bench->a ----

static enum gs_status sort_runs(kernel_bench *bench, const kernel_case *c, struct gs_error *error)
{
    const uint64_t count = run_keys(bench, c), bytes = count * bench->layout.key_bytes;
    for (uint32_t r = 0; r < c->run_count; r++) {
        uint8_t *const run = bench->a + r * bytes;
        void *sorted;
        CUDA_TRY("sort of a run",
                 bench->kernels->chunk_sort(run, bench->b + r * bytes, count, bench->temp, nullptr,
                                            nullptr, &sorted));
        if (sorted != run)
            CUDA_TRY("copy on device",
                     cudaMemcpyAsync(run, sorted, bytes, cudaMemcpyDeviceToDevice, nullptr));
    }
    return GS_OK;
}

static enum gs_status make_input(kernel_bench *bench, const kernel_case *c, struct gs_error *error)
{
    const uint64_t seed = is_tally(c->kind) ? 0 : ++bench->fill_count;
    const bool is_merge = c->run_count > 1;
    view v = view_of(bench, c, bench->a);
    const bool is_split = v.form == PAIRS && is_merge; // runs are sorted as tags first
    if (is_split)
        v.form = TAGS;
    CUDA_TRY("fill", gsi_launch(fill_keys, BLOCKS, THREADS, 0, nullptr, v, c->pattern, seed));
    if (is_merge)
        STATUS_TRY(sort_runs(bench, c, error));
    if (is_split) {
        const uint64_t bytes = case_bytes(bench, c);
        CUDA_TRY("split", gsi_launch(split_tags, BLOCKS, THREADS, 0, nullptr,
                                     view_of(bench, c, bench->b), v));
        CUDA_TRY("copy on device",
                 cudaMemcpyAsync(bench->a, bench->b, bytes, cudaMemcpyDeviceToDevice, nullptr));
    }
    return GS_OK;
}

// ---- one measurement: what is timed ----

static cudaError_t run_merge(kernel_bench *bench, const kernel_case *c)
{
    const uint64_t count = run_keys(bench, c);
    gsi_pair_merges pairs = {c->kind == CIRCULAR_MERGE ? GSI_MERGE_CIRCULAR : GSI_MERGE_TILED, 0};
    gsi_slice slices[RUNS_MOST];
    for (uint32_t r = 0; r < c->run_count; r++)
        slices[r] = {bench->a + r * count * bench->layout.key_bytes, count};
    return bench->kernels->merge(slices, c->run_count, bench->b, bench->level, bench->temp, nullptr,
                                 &pairs, nullptr);
}

// *out: where the output is.
static cudaError_t run_case(kernel_bench *bench, const kernel_case *c, void **out)
{
    const enum bench_cub_type type = cub_type(bench, c->kind);
    const bench_cub_temp temp = {bench->temp, &bench->temp_bytes};
    const uint64_t n = run_keys(bench, c) * c->run_count;
    *out = bench->b;
    switch (c->kind) {
    case COPY:
        return cudaMemcpyAsync(bench->b, bench->a, case_bytes(bench, c), cudaMemcpyDeviceToDevice,
                               nullptr);
    case SORT:
        return bench->kernels->chunk_sort(bench->a, bench->b, n, bench->temp, nullptr, nullptr,
                                          out);
    case CUB_RADIX_SORT:
        return bench_cub_radix_sort(type, bench->a, bench->b, n, out, temp);
    case CUB_MERGE_SORT:
        *out = bench->a;
        return bench_cub_merge_sort(type, bench->a, n, temp);
    case MERGE:
    case CIRCULAR_MERGE:
        return run_merge(bench, c);
    case CUB_MERGE:
        return bench_cub_merge_halves(type, bench->a, n, bench->b, temp);
    case TALLY:
        return gsi_cuda_tally_add(&bench->layout, bench->tally, bench->a, n, false, nullptr);
    case LEAN_TALLY:
        return gsi_cuda_tally_add_lean(&bench->layout, bench->tally, bench->a, n, nullptr, nullptr);
    default:
        return bench_cub_max(type, bench->a, n, bench->max, temp);
    }
}

// ---- one measurement: its output ----

static enum gs_status take_reference(kernel_bench *bench, struct gs_error *error)
{
    constexpr uint64_t PIECE = 32 << 20;
    const uint32_t bytes = bench->layout.element_bytes;
    void *piece = malloc(PIECE);
    struct gsi_tally *tally = gsi_tally_create(&bench->layout);
    cudaError_t code = cudaSuccess;
    const bool has_memory = piece != nullptr && tally != nullptr;
    for (uint64_t i = 0, count; has_memory && code == cudaSuccess && i < bench->n; i += count) {
        count = bench->n - i < PIECE / bytes ? bench->n - i : PIECE / bytes;
        code = cudaMemcpy(piece, bench->a + i * bytes, count * bytes, cudaMemcpyDeviceToHost);
        gsi_tally_add(tally, piece, count);
    }
    if (has_memory)
        bench->reference = gsi_tally_finish(tally);
    bench->has_reference = true;
    free(piece);
    gsi_tally_free(tally);
    CUDA_TRY("copy from the device", code);
    return has_memory ? GS_OK
                      : gsi_fail(error, GS_E_MEMORY, 0, "out of memory: cannot tally on the host");
}

static enum gs_status check_tally(kernel_bench *bench, const kernel_case *c, struct gs_error *error)
{
    struct gsi_tally *tally = gsi_tally_create(&bench->layout);
    if (tally == nullptr)
        return gsi_fail(error, GS_E_MEMORY, 0, "out of memory: cannot allocate a tally");
    cudaError_t code = gsi_cuda_tally_fetch(&bench->layout, bench->tally, bench->staging, nullptr);
    if (code == cudaSuccess)
        code = cudaStreamSynchronize(nullptr);
    if (code == cudaSuccess)
        gsi_cuda_tally_join(&bench->layout, bench->staging, tally);
    const gsi_tally_report got = gsi_tally_finish(tally), want = bench->reference;
    gsi_tally_free(tally);
    CUDA_TRY(c->name, code);
    const bool is_right = got.count == want.count &&
                          memcmp(got.min, want.min, sizeof got.min) == 0 &&
                          memcmp(got.max, want.max, sizeof got.max) == 0 &&
                          memcmp(got.sum, want.sum, sizeof got.sum) == 0 &&
                          memcmp(&got.sum_float, &want.sum_float, sizeof got.sum_float) == 0 &&
                          (c->kind == LEAN_TALLY ||
                           memcmp(got.fingerprint, want.fingerprint, sizeof got.fingerprint) == 0);
    return is_right ? GS_OK : gsi_fail(error, GS_E_VERIFY, 0, "%s: not the host's result", c->name);
}

static enum gs_status check_max(kernel_bench *bench, const kernel_case *c, struct gs_error *error)
{
    uint8_t max[16], want[16];
    CUDA_TRY(c->name, cudaMemcpy(max, bench->max, sizeof max, cudaMemcpyDeviceToHost));
    memcpy(want, bench->reference.max, sizeof want);
    if (!is_of_elements(bench, c->kind))
        gsi_element_to_key(&bench->layout, bench->reference.max, want);
    if (memcmp(max, want, bench->layout.key_bytes) != 0)
        return gsi_fail(error, GS_E_VERIFY, 0, "%s: not the largest element", c->name);
    return GS_OK;
}

static enum gs_status check_keys(kernel_bench *bench, const kernel_case *c, void *out,
                                 const digest *in, struct gs_error *error)
{
    digest got;
    STATUS_TRY(take_digest(bench, c, out, &got, error));
    const bool is_sorted = c->kind == COPY || got.disorder_count == 0;
    if (is_sorted && got.key_sum == in->key_sum)
        return GS_OK;
    return gsi_fail(error, GS_E_VERIFY, 0, "%s: the output %s", c->name,
                    is_sorted ? "does not hold what the input does" : "is not sorted");
}

// Nothing of an earlier output may pass for this one's.
static enum gs_status measure(kernel_bench *bench, const kernel_case *c, uint64_t *ns,
                              struct gs_error *error)
{
    digest in = {};
    void *out;
    STATUS_TRY(make_input(bench, c, error));
    if (is_tally(c->kind)) {
        if (!bench->has_reference)
            STATUS_TRY(take_reference(bench, error));
        CUDA_TRY(c->name, gsi_cuda_tally_clear(&bench->layout, bench->tally, nullptr));
    } else {
        STATUS_TRY(take_digest(bench, c, bench->a, &in, error));
        CUDA_TRY(c->name, cudaMemset(bench->b, 0xA5, bench->n * bench->layout.key_bytes));
    }
    CUDA_TRY(c->name, cudaMemset(bench->max, 0xA5, 16));
    CUDA_TRY(c->name, cudaDeviceSynchronize());
    CUDA_TRY(c->name, cudaEventRecord(bench->begin, nullptr));
    CUDA_TRY(c->name, run_case(bench, c, &out));
    CUDA_TRY(c->name, cudaEventRecord(bench->end, nullptr));
    CUDA_TRY(c->name, cudaEventSynchronize(bench->end));
    STATUS_TRY(bench_cuda_elapsed(bench->begin, bench->end, c->name, ns, error));
    if (c->kind == CUB_MAX)
        return check_max(bench, c, error);
    return is_tally(c->kind) ? check_tally(bench, c, error) : check_keys(bench, c, out, &in, error);
}

// ---- the subcommand ----

static enum gs_status measure_all(kernel_bench *bench, uint32_t repeat_count,
                                  struct bench_report *report, struct gs_error *error)
{
    struct bench_row *rows[CASE_COUNT] = {}, *ratio_rows[RATIO_COUNT] = {};
    for (size_t i = 0; i < CASE_COUNT; i++) {
        struct bench_row row = {};
        row.name = cases[i].name;
        rows[i] = exists(bench, &cases[i]) ? bench_row_add(report, row) : nullptr;
    }
    for (size_t r = 0; r < RATIO_COUNT; r++)
        if (rows[ratios[r].ours] != nullptr && rows[ratios[r].others] != nullptr)
            ratio_rows[r] = bench_ratio_add(report, ratios[r].name);
    for (uint32_t round = 0; round <= repeat_count; round++) {
        uint64_t ns[CASE_COUNT] = {};
        bench_round(round, repeat_count + 1);
        for (size_t i = 0; i < CASE_COUNT; i++) {
            if (rows[i] == nullptr)
                continue;
            STATUS_TRY(measure(bench, &cases[i], &ns[i], error));
            if (round > 0)
                bench_row_sample(rows[i], case_bytes(bench, &cases[i]), ns[i]);
        }
        for (size_t r = 0; round > 0 && r < RATIO_COUNT; r++)
            if (ratio_rows[r] != nullptr)
                bench_row_sample(ratio_rows[r], ns[ratios[r].ours], ns[ratios[r].others]);
    }
    bench_ceiling_add(report, {"merge", "the copy", rows[0], 0});
    bench_ceiling_add(
        report, {"tally", "twice the copy: it reads only", nullptr, 2 * bench_row_median(rows[0])});
    return GS_OK;
}

// The most that any case takes.
static enum gs_status find_temp_bytes(kernel_bench *bench, struct gs_error *error)
{
    for (size_t i = 0; i < CASE_COUNT; i++) {
        const kernel_case *c = &cases[i];
        const uint64_t n = run_keys(bench, c) * c->run_count;
        const enum bench_cub_type type = cub_type(bench, c->kind);
        size_t bytes = 0;
        const bench_cub_temp temp = {nullptr, &bytes};
        void *sorted;
        cudaError_t code = cudaSuccess;
        if (c->kind == SORT)
            bytes = bench->kernels->chunk_scratch_bytes(n);
        else if (c->kind == MERGE)
            bytes = bench->kernels->merge_scratch_bytes(n, c->run_count);
        else if (c->kind == CUB_RADIX_SORT)
            code = bench_cub_radix_sort(type, nullptr, nullptr, n, &sorted, temp);
        else if (c->kind == CUB_MERGE_SORT)
            code = bench_cub_merge_sort(type, nullptr, n, temp);
        else if (c->kind == CUB_MERGE)
            code = bench_cub_merge_halves(type, nullptr, n, nullptr, temp);
        else if (c->kind == CUB_MAX && exists(bench, c))
            code = bench_cub_max(type, nullptr, n, nullptr, temp);
        CUDA_TRY(c->name, code);
        bench->temp_bytes = bytes > bench->temp_bytes ? bytes : bench->temp_bytes;
    }
    return GS_OK;
}

static enum gs_status open_bench(kernel_bench *bench, struct bench_report *report,
                                 struct gs_error *error)
{
    struct cudaDeviceProp device;
    STATUS_TRY(bench_cuda_find(&device, error));
    bench->has_bulk_copies = device.major >= GSI_BULK_COPY_MAJOR;
    snprintf(report->note, sizeof report->note, "%.48s; %s as keys, to CUB as %s", device.name,
             bench->layout.type->name,
             bench->layout.key_bytes == 16               ? "u64 keys with u64 values"
             : bench->layout.type->kind == GSI_KEY_FLOAT ? "keys or floats (merge sort, max)"
                                                         : "keys");
    CUDA_TRY("kernels", bench->kernels->prepare());
    STATUS_TRY(find_temp_bytes(bench, error));

    const uint64_t bytes = bench->n * bench->layout.key_bytes;
    const uint64_t merged_bytes = bytes + RUNS_MOST * bench->layout.key_bytes;
    const size_t tally_bytes = gsi_cuda_tally_bytes(&bench->layout);
    CUDA_TRY("device memory", cudaMalloc(&bench->a, bytes));
    CUDA_TRY("device memory", cudaMalloc(&bench->b, merged_bytes));
    CUDA_TRY("device memory", cudaMalloc(&bench->level, merged_bytes));
    CUDA_TRY("device memory", cudaMalloc(&bench->temp, bench->temp_bytes));
    CUDA_TRY("device memory", cudaMalloc(&bench->digests, sizeof *bench->digests));
    CUDA_TRY("device memory", cudaMalloc(&bench->max, 16));
    CUDA_TRY("device memory", cudaMalloc(reinterpret_cast<void **>(&bench->tally), tally_bytes));
    CUDA_TRY("pinned memory", cudaMallocHost(&bench->staging, tally_bytes));
    CUDA_TRY("CUDA event", cudaEventCreate(&bench->begin));
    CUDA_TRY("CUDA event", cudaEventCreate(&bench->end));
    return GS_OK;
}

static void close_bench(kernel_bench *bench)
{
    void *const blocks[] = {bench->a,       bench->b,   bench->level, bench->temp,
                            bench->digests, bench->max, bench->tally};
    for (void *block : blocks)
        (void)cudaFree(block);
    (void)cudaFreeHost(bench->staging);
    if (bench->begin != nullptr)
        (void)cudaEventDestroy(bench->begin);
    if (bench->end != nullptr)
        (void)cudaEventDestroy(bench->end);
}

enum gs_status bench_kernels(const struct bench_settings *settings, struct bench_report *report,
                             struct gs_error *error)
{
    kernel_bench bench = {};
    const struct gsi_key_type *type = gsi_key_type_find(settings->type);
    if (type == nullptr)
        return gsi_fail(error, GS_E_USAGE, 0, "--type: there is no type '%s'", settings->type);
    bench.layout = gsi_layout_make(type, false);
    bench.n = settings->size_bytes / bench.layout.key_bytes;
    bench.kernels = bench.layout.key_bytes == 4   ? &gsi_sort_kernels_4
                    : bench.layout.key_bytes == 8 ? &gsi_sort_kernels_8
                                                  : &gsi_sort_kernels_16;
    enum gs_status status = open_bench(&bench, report, error);
    if (status == GS_OK)
        status = measure_all(&bench, settings->repeat_count, report, error);
    bench_round(settings->repeat_count, settings->repeat_count); // the line ends
    close_bench(&bench);
    return status;
}
