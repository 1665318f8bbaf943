/* bench_gpus.c: measures several GPUs of one host. It measures their links to the host, alone and
 * together, the links between them, and a merge over two of them. It sorts an array in pinned
 * memory over 1, 2, 4 .. of them.
 *
 * Rows that end with a number are of so many GPUs at once, from the first one on. The order of
 * outputs is checked outside the clock. */
#include "bench_cuda.h"
#include "bench_peers.h"
#include "job/job_report.h"

#include "base/checked.h"
#include "base/clock.h"
#include "element/key_order.h"
#include "embed/embed.h"

#include <stdio.h>

#define MIB        ((uint64_t)1 << 20)
#define LINK_BYTES (1024 * MIB) /* a copy on each link */
#define GPUS_MOST  16

enum way { TO_GPU, FROM_GPU, BOTH_WAYS };

struct gpus_bench {
    int count;
    uint64_t array_bytes;
    uint8_t *host; /* pinned: 2 * LINK_BYTES for each GPU, or the array */
    uint64_t host_bytes;
    uint8_t *memory[GPUS_MOST]; /* of each GPU, 2 * LINK_BYTES */
    cudaStream_t streams[GPUS_MOST][2];
    uint64_t fill_count;
    struct bench_peers *peers; /* NULL: there is one GPU */
    struct gs_report sorted;   /* the array, last */
};

static enum gs_status wait_for_all(const struct gpus_bench *bench, struct gs_error *error)
{
    for (int i = 0; i < bench->count; i++) {
        CUDA_TRY("GPU", cudaSetDevice(i));
        CUDA_TRY("copy", cudaDeviceSynchronize());
    }
    return GS_OK;
}

static enum gs_status measure_links(struct gpus_bench *bench, int gpus, enum way way,
                                    struct bench_row *row, struct gs_error *error)
{
    const uint64_t begin_ns = gsi_clock_ns();
    for (int i = 0; i < gpus; i++) {
        uint8_t *const host = bench->host + (uint64_t)i * 2 * LINK_BYTES;
        CUDA_TRY("GPU", cudaSetDevice(i));
        if (way != FROM_GPU)
            CUDA_TRY("copy", cudaMemcpyAsync(bench->memory[i], host, LINK_BYTES,
                                             cudaMemcpyHostToDevice, bench->streams[i][0]));
        if (way != TO_GPU)
            CUDA_TRY("copy",
                     cudaMemcpyAsync(host + LINK_BYTES, bench->memory[i] + LINK_BYTES, LINK_BYTES,
                                     cudaMemcpyDeviceToHost, bench->streams[i][1]));
    }
    STATUS_TRY(wait_for_all(bench, error));
    bench_row_sample(row, (uint64_t)gpus * (way == BOTH_WAYS ? 2 : 1) * LINK_BYTES,
                     gsi_clock_ns() - begin_ns);
    return GS_OK;
}

/* GPU 0 fetches from GPU 1, and with both GPU 1 from GPU 0. */
static enum gs_status measure_peers(struct gpus_bench *bench, bool is_both, struct bench_row *row,
                                    struct gs_error *error)
{
    const uint64_t begin_ns = gsi_clock_ns();
    for (int i = 0; i <= (is_both ? 1 : 0); i++) {
        CUDA_TRY("GPU", cudaSetDevice(i));
        CUDA_TRY("copy between GPUs",
                 cudaMemcpyPeerAsync(bench->memory[i], i, bench->memory[1 - i] + LINK_BYTES, 1 - i,
                                     LINK_BYTES, bench->streams[i][0]));
    }
    STATUS_TRY(wait_for_all(bench, error));
    bench_row_sample(row, (is_both ? 2 : 1) * LINK_BYTES, gsi_clock_ns() - begin_ns);
    return GS_OK;
}

static enum gs_status measure_array(struct gpus_bench *bench, int gpus, struct bench_row *row,
                                    struct gs_error *error)
{
    uint64_t *const keys = (uint64_t *)bench->host;
    const uint64_t n = bench->array_bytes / sizeof *keys;
    for (uint64_t i = 0; i < n; i++)
        keys[i] = gsi_mix_u64(bench->fill_count++);
    struct gsi_options options = {.type = "u64",
                                  .memory_bytes = 16384 * MIB,
                                  .device = GSI_DEVICE_CUDA,
                                  .device_set = ((uint64_t)1 << gpus) - 1};
    bench->sorted = (struct gs_report){0};
    const uint64_t begin_ns = gsi_clock_ns();
    struct gsi_array array = {
        .from = (uint8_t *)keys, .to = (uint8_t *)keys, .bytes = bench->array_bytes};
    STATUS_TRY(gsi_array_run(&array, &options, NULL, &bench->sorted, error));
    bench_row_sample(row, bench->array_bytes, gsi_clock_ns() - begin_ns);
    for (uint64_t i = 1; i < n; i++)
        if (keys[i - 1] > keys[i])
            return gsi_fail(error, GS_E_VERIFY, 0, "%s: the output is wrong", row->name);
    return GS_OK;
}

static enum gs_status open_bench(struct gpus_bench *bench, struct gs_error *error)
{
    bench->host_bytes = gsi_max_u64(bench->array_bytes, (uint64_t)bench->count * 2 * LINK_BYTES);
    CUDA_TRY("pinned memory",
             cudaHostAlloc((void **)&bench->host, bench->host_bytes, cudaHostAllocPortable));
    for (int i = 0; i < bench->count; i++) {
        CUDA_TRY("GPU", cudaSetDevice(i));
        CUDA_TRY("memory of the GPU", cudaMalloc((void **)&bench->memory[i], 2 * LINK_BYTES));
        for (int k = 0; k < 2; k++)
            CUDA_TRY("stream",
                     cudaStreamCreateWithFlags(&bench->streams[i][k], cudaStreamNonBlocking));
        for (int k = 0; k < bench->count; k++)
            if (k != i)
                (void)cudaDeviceEnablePeerAccess(k, 0); /* without it copies go through the host */
        (void)cudaGetLastError();
    }
    return bench->count > 1 ? bench_peers_open(&bench->peers, error) : GS_OK;
}

static void close_bench(struct gpus_bench *bench)
{
    bench_peers_close(bench->peers);
    for (int i = 0; i < bench->count; i++) {
        cudaSetDevice(i);
        cudaFree(bench->memory[i]);
        for (int k = 0; k < 2; k++)
            if (bench->streams[i][k] != NULL)
                cudaStreamDestroy(bench->streams[i][k]);
    }
    cudaFreeHost(bench->host);
    cudaSetDevice(0);
}

struct gpus_rows {
    struct bench_row *links[3][5], *peers[4], *arrays[5], *ratios[5], *peer_ratios[2];
    char names[3][5][32], array_names[5][32], ratio_names[5][48];
};

static void add_rows(struct gpus_rows *rows, int count, struct bench_report *report)
{
    static const char *const ways[] = {"to GPU", "from GPU", "both ways"};
    for (int w = 0; w < 3; w++)
        for (int k = 0; 1 << k <= count; k++) {
            snprintf(rows->names[w][k], sizeof rows->names[w][k], "%s, %d", ways[w], 1 << k);
            rows->links[w][k] =
                bench_row_add(report, (struct bench_row){.name = rows->names[w][k]});
        }
    if (count > 1) {
        rows->peers[0] = bench_row_add(report, (struct bench_row){.name = "GPU to GPU"});
        rows->peers[1] = bench_row_add(report, (struct bench_row){.name = "GPU to GPU, both ways"});
        rows->peers[2] = bench_row_add(report, (struct bench_row){.name = "gather, both ways"});
        rows->peers[3] = bench_row_add(report, (struct bench_row){.name = "merge over 2"});
        rows->peer_ratios[0] = bench_ratio_add(report, "gather / GPU to GPU, both ways");
        rows->peer_ratios[1] = bench_ratio_add(report, "fetched by merge / GPU to GPU, both ways");
    }
    for (int k = 0; 1 << k <= count; k++) {
        snprintf(rows->array_names[k], sizeof rows->array_names[k], "sort array, %d", 1 << k);
        rows->arrays[k] = bench_row_add(report, (struct bench_row){.name = rows->array_names[k]});
    }
    for (int k = 1; 1 << k <= count; k++) {
        snprintf(rows->ratio_names[k], sizeof rows->ratio_names[k], "sort array, %d / 1", 1 << k);
        rows->ratios[k] = bench_ratio_add(report, rows->ratio_names[k]);
    }
}

static double last_sample(const struct bench_row *row)
{
    return row->samples[row->sample_count - 1];
}

static enum gs_status measure_round(struct gpus_bench *bench, struct gpus_rows *rows, bool is_warm,
                                    struct gs_error *error)
{
    struct bench_row warming = {.name = "warming up"};
#define ROW_OF(row) (warming.sample_count = 0, is_warm ? (row) : &warming)
    for (int w = 0; w < 3; w++)
        for (int k = 0; 1 << k <= bench->count; k++)
            STATUS_TRY(measure_links(bench, 1 << k, (enum way)w, ROW_OF(rows->links[w][k]), error));
    for (int p = 0; p < 2 && bench->count > 1; p++)
        STATUS_TRY(measure_peers(bench, p == 1, ROW_OF(rows->peers[p]), error));
    if (bench->count > 1) {
        STATUS_TRY(bench_peers_gather(bench->peers, ROW_OF(rows->peers[2]), error));
        STATUS_TRY(bench_peers_merge(bench->peers, ROW_OF(rows->peers[3]), error));
    }
    for (int r = 0; is_warm && r < 2 && bench->count > 1;
         r++) /* half of what is merged was fetched */
        rows->peer_ratios[r]->samples[rows->peer_ratios[r]->sample_count++] =
            last_sample(rows->peers[2 + r]) / (r == 1 ? 2 : 1) / last_sample(rows->peers[1]);
    for (int k = 0; 1 << k <= bench->count; k++) {
        STATUS_TRY(measure_array(bench, 1 << k, ROW_OF(rows->arrays[k]), error));
        if (is_warm && k > 0)
            rows->ratios[k]->samples[rows->ratios[k]->sample_count++] =
                last_sample(rows->arrays[k]) / last_sample(rows->arrays[0]);
    }
    return GS_OK;
}

enum gs_status bench_gpus(const struct bench_settings *settings, struct bench_report *report,
                          struct gs_error *error)
{
    static struct gpus_rows rows; /* the report has its names */
    struct gpus_bench bench = {.array_bytes = gsi_round_down_u64(settings->size_bytes, 8)};
    struct cudaDeviceProp device;
    STATUS_TRY(bench_cuda_find(&device, error));
    CUDA_TRY("GPUs", cudaGetDeviceCount(&bench.count));
    bench.count = bench.count < GPUS_MOST ? bench.count : GPUS_MOST;
    add_rows(&rows, bench.count, report);
    enum gs_status status = open_bench(&bench, error);
    for (uint32_t round = 0; status == GS_OK && round <= settings->repeat_count; round++) {
        bench_round(round, settings->repeat_count + 1);
        status = measure_round(&bench, &rows, round > 0, error);
    }
    close_bench(&bench);
    report->ratio_text = "of two speeds";
    return status;
}
