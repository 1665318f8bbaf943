// bench_record_kernels.cu: measures gsort's kernels for records in device memory, beside a copy.
// Steps are the pass in, tags, their sort, and the gather with fingerprint and order, by record and
// key.
//
// Events of the device are the clock. Each round measures every case once, on records that are made
// for it; the first round only warms up. Every output is checked outside the clock: it is in order,
// and has the fingerprint of its input. GB/s are bytes of records over time.
#include "gsort-bench/bench.h"

#include "bench_cuda.h"
#include "kernels/common/launch.cuh"
#include "kernels/record/records.cuh"
#include "kernels/sort/sort_kernels.h"

#include <cstdio>
#include <cstring>

enum step { TAKE, TAG, SORT, GATHER, STEP_COUNT };

static const char *const step_names[] = {"count, what is shared", "tags", "sort tags",
                                         "gather, order"};

// Keys begin with `alike` bytes that are one of few for all records: so tags tie.
struct record_case {
    const char *name;
    uint32_t record_bytes;
    const char *key;
    uint32_t alike;
};

static const record_case cases[] = {
    {"16, key of 4", 16, "0:b4", 0},        {"100, key of 10", 100, "0:b10", 0},
    {"100, key of 16", 100, "0:u128be", 0}, {"100, key of 32, ties", 100, "0:b32", 14},
    {"101, key of 10", 101, "0:b10", 0},    {"1024, key of 10", 1024, "0:b10", 0},
};
constexpr size_t CASE_COUNT = sizeof cases / sizeof cases[0];
constexpr uint64_t FEW = 1000; // beginnings of keys that are alike

constexpr unsigned THREADS = 256;

struct record_bench {
    uint64_t bytes;         // of records, at most
    uint8_t *records, *out; // that many each, and a word
    gsi_u128 *tags, *spare; // of the shortest records
    void *scratch;
    gsi_record *record;
    const uint8_t **block;
    gsi_records_seen *seen; // of the input, and of the output
    cudaEvent_t events[STEP_COUNT + 1];
    uint64_t fill_count; // so far; each fill has other random bytes
};

static __global__ void fill_words(uint64_t *words, uint64_t n, uint64_t seed)
{
    for (uint64_t i = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += uint64_t(gridDim.x) * blockDim.x)
        words[i] = gsi_mix_u64((seed << 40) + i);
}

static __global__ void make_alike(uint8_t *records, uint64_t n, uint32_t record_bytes,
                                  uint32_t alike, uint64_t seed)
{
    for (uint64_t i = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += uint64_t(gridDim.x) * blockDim.x) {
        const uint64_t group = gsi_mix_u64((seed << 40) + i) % FEW;
        for (uint32_t b = 0; b < alike; b++)
            records[i * record_bytes + b] = static_cast<uint8_t>(gsi_mix_u64(group) >> b % 8 * 8);
    }
}

static enum gs_status open_bench(record_bench *bench, struct bench_report *report,
                                 struct gs_error *error)
{
    struct cudaDeviceProp device;
    STATUS_TRY(bench_cuda_find(&device, error));
    snprintf(report->note, sizeof report->note, "%.48s; records by their bytes", device.name);
    CUDA_TRY("kernels", gsi_cuda_records_prepare());
    CUDA_TRY("kernels", gsi_sort_kernels_16.prepare());
    CUDA_TRY("kernels", gsi_sort_kernels_tied.prepare());
    size_t scratch = 0;
    uint64_t most = 0;
    for (const record_case &c : cases) {
        const uint64_t n = bench->bytes / c.record_bytes;
        most = n > most ? n : most;
        for (const gsi_sort_kernels *kernels : {&gsi_sort_kernels_16, &gsi_sort_kernels_tied})
            if (kernels->chunk_scratch_bytes(n) > scratch)
                scratch = kernels->chunk_scratch_bytes(n);
    }
    CUDA_TRY("device memory", cudaMalloc(&bench->records, bench->bytes + 8));
    CUDA_TRY("device memory", cudaMalloc(&bench->out, bench->bytes + 8));
    CUDA_TRY("device memory", cudaMalloc(&bench->tags, most * 16));
    CUDA_TRY("device memory", cudaMalloc(&bench->spare, most * 16));
    CUDA_TRY("device memory", cudaMalloc(&bench->scratch, scratch));
    CUDA_TRY("device memory", cudaMalloc(&bench->record, sizeof *bench->record));
    CUDA_TRY("device memory", cudaMalloc(&bench->block, sizeof *bench->block));
    CUDA_TRY("device memory", cudaMalloc(&bench->seen, 2 * sizeof *bench->seen));
    for (cudaEvent_t &event : bench->events)
        CUDA_TRY("CUDA event", cudaEventCreate(&event));
    return GS_OK;
}

static void close_bench(record_bench *bench)
{
    void *const blocks[] = {bench->records, bench->out,    bench->tags,  bench->spare,
                            bench->scratch, bench->record, bench->block, bench->seen};
    for (void *block : blocks)
        (void)cudaFree(block);
    for (cudaEvent_t event : bench->events)
        if (event != nullptr)
            (void)cudaEventDestroy(event);
}

// Records, and nothing of an earlier output that may pass for this one's.
static enum gs_status make_input(record_bench *bench, const record_case *c,
                                 const gsi_record *record, struct gs_error *error)
{
    const uint64_t n = bench->bytes / c->record_bytes, seed = ++bench->fill_count;
    CUDA_TRY("fill",
             gsi_launch(fill_words, dim3(1024), dim3(THREADS), 0, nullptr,
                        reinterpret_cast<uint64_t *>(bench->records), bench->bytes / 8 + 1, seed));
    if (c->alike > 0)
        CUDA_TRY("fill", gsi_launch(make_alike, dim3(1024), dim3(THREADS), 0, nullptr,
                                    bench->records, n, c->record_bytes, c->alike, seed));
    CUDA_TRY("fill", cudaMemset(bench->out, 0xA5, bench->bytes));
    CUDA_TRY("fill", cudaMemset(bench->seen, 0, 2 * sizeof *bench->seen));
    CUDA_TRY("fill", cudaMemcpy(bench->record, record, sizeof *record, cudaMemcpyHostToDevice));
    CUDA_TRY("fill", gsi_cuda_places_set(bench->block, 0, 1, bench->records, 0, nullptr));
    return GS_OK;
}

static enum gs_status check_output(const record_bench *bench, const record_case *c,
                                   struct gs_error *error)
{
    gsi_records_seen seen[2];
    CUDA_TRY(c->name, cudaMemcpy(seen, bench->seen, sizeof seen, cudaMemcpyDeviceToHost));
    const bool is_sorted = seen[1].disorder_inverted == 0;
    if (is_sorted && memcmp(seen[0].fingerprint, seen[1].fingerprint, 16) == 0)
        return GS_OK;
    return gsi_fail(error, GS_E_VERIFY, 0, "%s: the output %s", c->name,
                    is_sorted ? "does not hold what the input does" : "is not sorted");
}

static enum gs_status measure(record_bench *bench, const record_case *c, uint64_t ns[STEP_COUNT],
                              struct gs_error *error)
{
    gsi_record record;
    const uint64_t n = bench->bytes / c->record_bytes;
    STATUS_TRY(gsi_record_make(c->record_bytes, &c->key, 1, nullptr, 0, false, &record, error));
    STATUS_TRY(make_input(bench, c, &record, error));
    gsi_cuda_record_table places = {};
    places.record = bench->record;
    places.record_bytes = c->record_bytes;
    places.blocks = bench->block;
    places.block_count = 1;
    places.shift = GSI_TAG_INDEX_BITS - 1;
    places.unshared = &bench->seen->unshared;
    const gsi_sort_kernels *kernels =
        record.key_bytes > GSI_TAG_KEY_BYTES ? &gsi_sort_kernels_tied : &gsi_sort_kernels_16;
    void *sorted;
    CUDA_TRY(c->name, cudaDeviceSynchronize());
    CUDA_TRY(c->name, cudaEventRecord(bench->events[TAKE], nullptr));
    CUDA_TRY(c->name, gsi_cuda_records_read(bench->record, c->record_bytes, bench->records, n,
                                            bench->records, bench->seen, nullptr));
    CUDA_TRY(c->name, cudaEventRecord(bench->events[TAG], nullptr));
    CUDA_TRY(c->name, gsi_cuda_records_tag(&places, bench->records, n, 0, bench->tags, nullptr));
    CUDA_TRY(c->name, cudaEventRecord(bench->events[SORT], nullptr));
    CUDA_TRY(c->name, kernels->chunk_sort(bench->tags, bench->spare, n, bench->scratch, &places,
                                          nullptr, &sorted));
    CUDA_TRY(c->name, cudaEventRecord(bench->events[GATHER], nullptr));
    CUDA_TRY(c->name, gsi_cuda_records_gather(&places, static_cast<const gsi_u128 *>(sorted), n,
                                              bench->out, bench->seen + 1, nullptr));
    CUDA_TRY(c->name, cudaEventRecord(bench->events[STEP_COUNT], nullptr));
    CUDA_TRY(c->name, cudaEventSynchronize(bench->events[STEP_COUNT]));
    for (uint32_t i = 0; i < STEP_COUNT; i++)
        STATUS_TRY(
            bench_cuda_elapsed(bench->events[i], bench->events[i + 1], c->name, &ns[i], error));
    return check_output(bench, c, error);
}

static enum gs_status measure_copy(record_bench *bench, uint64_t *ns, struct gs_error *error)
{
    CUDA_TRY("copy", cudaEventRecord(bench->events[0], nullptr));
    CUDA_TRY("copy", cudaMemcpyAsync(bench->out, bench->records, bench->bytes,
                                     cudaMemcpyDeviceToDevice, nullptr));
    CUDA_TRY("copy", cudaEventRecord(bench->events[1], nullptr));
    CUDA_TRY("copy", cudaEventSynchronize(bench->events[1]));
    return bench_cuda_elapsed(bench->events[0], bench->events[1], "copy", ns, error);
}

static struct bench_row *add_row(struct bench_report *report, const char *name)
{
    struct bench_row row = {};
    row.name = name;
    return bench_row_add(report, row);
}

static enum gs_status measure_all(record_bench *bench, uint32_t repeat_count,
                                  struct bench_report *report, struct gs_error *error)
{
    static char names[CASE_COUNT][STEP_COUNT + 1][64];
    struct bench_row *copy = add_row(report, "copy on device"), *rows[CASE_COUNT][STEP_COUNT + 1];
    for (size_t c = 0; c < CASE_COUNT; c++)
        for (size_t s = 0; s <= STEP_COUNT; s++) {
            snprintf(names[c][s], sizeof names[c][s], "%s: %s", cases[c].name,
                     s < STEP_COUNT ? step_names[s] : "sort and gather");
            rows[c][s] = add_row(report, names[c][s]);
        }
    for (uint32_t round = 0; round <= repeat_count; round++) {
        uint64_t ns[STEP_COUNT];
        bench_round(round, repeat_count + 1);
        for (size_t c = 0; c < CASE_COUNT; c++) {
            const uint64_t bytes = bench->bytes / cases[c].record_bytes * cases[c].record_bytes;
            STATUS_TRY(measure(bench, &cases[c], ns, error));
            for (size_t s = 0; round > 0 && s < STEP_COUNT; s++)
                bench_row_sample(rows[c][s], bytes, ns[s]);
            if (round > 0)
                bench_row_sample(rows[c][STEP_COUNT], bytes, ns[TAG] + ns[SORT] + ns[GATHER]);
        }
        STATUS_TRY(measure_copy(bench, ns, error));
        if (round > 0)
            bench_row_sample(copy, bench->bytes, ns[0]);
    }
    return GS_OK;
}

enum gs_status bench_record_kernels(const struct bench_settings *settings,
                                    struct bench_report *report, struct gs_error *error)
{
    record_bench bench = {};
    bench.bytes = settings->size_bytes;
    enum gs_status status = open_bench(&bench, report, error);
    if (status == GS_OK)
        status = measure_all(&bench, settings->repeat_count, report, error);
    bench_round(settings->repeat_count, settings->repeat_count); // the line ends
    close_bench(&bench);
    return status;
}
