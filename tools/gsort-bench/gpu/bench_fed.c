/* bench_fed.c: measures merges of runs in pinned host memory, through the device's own interface
 * (device/device.h). Frames are fed one by one, and windows return one by one, as in the last merge
 * of a sort on a GPU. Frames are as long as in a job that keeps runs in host memory, a quarter of a
 * window; shorter ones keep the link less busy. The upper bound is the link: as
 * many bytes as are merged, copied in and out at the same time.
 *
 * The clock runs from the first frame fed to the last window filled. Every output is checked
 * outside the clock: it is in order, and has the fingerprint of its input. */
#include "bench_cuda.h"

#include "base/checked.h"
#include "base/clock.h"
#include "base/memory.h"
#include "element/key_order.h"
#include "loop/buffers.h"
#include "plan/plan.h"

#include <pthread.h>

#define MIB          ((uint64_t)1 << 20)
#define WINDOW_BYTES (16 * MIB)
#define FRAME_BYTES  (WINDOW_BYTES / 4)
#define WINDOWS      8u
#define KEY_BYTES    ((uint32_t)sizeof(uint64_t))
#define FRAME_KEYS   (FRAME_BYTES / KEY_BYTES)
#define RUNS_MOST    128u
#define FEED_STEP    16u

static const struct {
    uint32_t runs;
    const char *name, *ratio;
} merges[] = {{2, "merge 2, fed", "merge 2, fed / both ways"},
              {16, "merge 16, fed", "merge 16, fed / both ways"},
              {32, "merge 32, fed", "merge 32, fed / both ways"},
              {64, "merge 64, fed", "merge 64, fed / both ways"},
              {RUNS_MOST, "merge 128, fed", "merge 128, fed / both ways"}};
#define MERGE_COUNT (sizeof merges / sizeof merges[0])

struct fed_bench {
    struct gsi_layout layout;
    struct gsi_ledger ledger;
    struct gsi_plan plan;
    struct gsi_device *device;
    struct gsi_buffers frames, windows;
    uint8_t *arena, *there; /* `there`: on the GPU, as much as the frames */
    uint64_t fill_count;    /* so far; each fill has other keys */
    struct gsi_digest want, got;
    cudaStream_t in, out;
    pthread_mutex_t lock;
    pthread_cond_t woken;
    bool is_woken;
};

static void wake(void *context)
{
    struct fed_bench *bench = context;
    pthread_mutex_lock(&bench->lock);
    bench->is_woken = true;
    pthread_cond_signal(&bench->woken);
    pthread_mutex_unlock(&bench->lock);
}

static void wait_for_wake(struct fed_bench *bench)
{
    pthread_mutex_lock(&bench->lock);
    while (!bench->is_woken)
        pthread_cond_wait(&bench->woken, &bench->lock);
    bench->is_woken = false;
    pthread_mutex_unlock(&bench->lock);
}

/* Key i of a run is in the i-th of equal spans of all keys: sorted, and at random among those of
 * the other runs. */
static void fill_frames(struct fed_bench *bench, uint32_t runs)
{
    const uint32_t frames_a_run = bench->frames.count / runs;
    const uint64_t span = UINT64_MAX / (frames_a_run * FRAME_KEYS);
    bench->want = GSI_DIGEST_EMPTY;
    for (uint32_t f = 0; f < frames_a_run * runs; f++) {
        uint64_t *keys = (uint64_t *)bench->frames.all[f].data;
        const uint64_t first = f / runs * FRAME_KEYS, seed = gsi_mix_u64(bench->fill_count++);
        struct gsi_digest piece = GSI_DIGEST_EMPTY;
        for (uint64_t i = 0; i < FRAME_KEYS; i++)
            keys[i] = (first + i) * span + gsi_mix_u64(seed + i) % span;
        gsi_digest_add_mapped(&bench->layout, &piece, keys, FRAME_KEYS);
        gsi_digest_join_keys(&bench->layout, &bench->want, &piece);
        bench->frames.all[f].bytes = FRAME_BYTES;
        bench->frames.all[f].packed.is_packed = false;
    }
}

/* Frame f belongs to run f mod runs. Frames are fed in the order in which they are needed, some at
 * a time, as if a disk delivered them. */
static void feed_some(struct fed_bench *bench, struct gsi_merge *merge, uint32_t runs,
                      uint32_t *next)
{
    const uint32_t count = bench->frames.count / runs * runs;
    for (uint32_t i = 0; i < FEED_STEP && *next < count; i++, (*next)++) {
        const uint32_t f = *next;
        bench->device->ops->merge_feed(merge, f % runs, &bench->frames.all[f],
                                       f + runs < count ? bench->frames.all[f + runs].data : NULL);
    }
}

static enum gs_status take_events(struct fed_bench *bench, struct gs_error *error)
{
    struct gsi_event event;
    while (bench->device->ops->reap(bench->device, &event)) {
        if (event.status != GS_OK)
            return gsi_fail(error, event.status, 0, "%s", event.failure);
        if (event.kind != GSI_EVENT_WINDOW)
            continue;
        gsi_digest_join_keys(&bench->layout, &bench->got, &event.buffer->digest);
        gsi_buffers_return(&bench->windows, event.buffer);
    }
    return GS_OK;
}

static enum gs_status pull_all(struct fed_bench *bench, struct gsi_merge *merge, uint32_t runs,
                               struct gs_error *error)
{
    enum gsi_pull pull = GSI_PULL_OK;
    uint32_t next = 0;
    while (pull != GSI_PULL_END || bench->windows.free_count < bench->windows.count) {
        struct gsi_buffer *window;
        uint32_t needed;
        feed_some(bench, merge, runs, &next);
        STATUS_TRY(take_events(bench, error));
        while (pull != GSI_PULL_END && (window = gsi_buffers_pop(&bench->windows)) != NULL) {
            pull = bench->device->ops->merge_pull(merge, window, &needed);
            if (pull == GSI_PULL_OK)
                continue;
            gsi_buffers_return(&bench->windows, window);
            break;
        }
        const bool is_fed = next == bench->frames.count / runs * runs;
        if (is_fed && (pull != GSI_PULL_END || bench->windows.free_count < bench->windows.count))
            wait_for_wake(bench);
    }
    return GS_OK;
}

static enum gs_status measure_merge(struct fed_bench *bench, uint32_t runs, struct bench_row *row,
                                    struct gs_error *error)
{
    struct gsi_merge_input inputs[RUNS_MOST] = {0};
    struct gsi_merge *merge;
    fill_frames(bench, runs);
    for (uint32_t r = 0; r < runs; r++)
        inputs[r].bound = bench->frames.all[r].data;
    const struct gsi_merge_spec spec = {.inputs = inputs,
                                        .input_count = runs,
                                        .fed_buffers = bench->frames.count,
                                        .to_elements = true};
    bench->got = GSI_DIGEST_EMPTY;
    STATUS_TRY(bench->device->ops->merge_begin(bench->device, &spec, &merge, error));
    const uint64_t begin_ns = gsi_clock_ns();
    const enum gs_status status = pull_all(bench, merge, runs, error);
    const uint64_t ns = gsi_clock_ns() - begin_ns;
    bench->device->ops->merge_end(merge);
    STATUS_TRY(status);
    if (bench->got.disorder_idx != UINT64_MAX || bench->got.count != bench->want.count ||
        bench->got.fingerprint[0] != bench->want.fingerprint[0] ||
        bench->got.fingerprint[1] != bench->want.fingerprint[1])
        return gsi_fail(error, GS_E_VERIFY, 0, "%s: the output is wrong", row->name);
    bench_row_sample(row, bench->want.count * KEY_BYTES, ns);
    return take_events(bench, error);
}

/* Copies all frames in, and as many bytes out in windows, at the same time. */
static enum gs_status measure_copy(struct fed_bench *bench, struct bench_row *row,
                                   struct gs_error *error)
{
    const uint64_t bytes = bench->frames.count * FRAME_BYTES;
    const uint64_t begin_ns = gsi_clock_ns();
    for (uint64_t off = 0; off < bytes; off += WINDOW_BYTES) {
        const uint64_t n = gsi_min_u64(WINDOW_BYTES, bytes - off);
        const struct gsi_buffer *window = &bench->windows.all[off / WINDOW_BYTES % WINDOWS];
        CUDA_TRY("copy", cudaMemcpyAsync(bench->there + off, bench->arena + off, n,
                                         cudaMemcpyHostToDevice, bench->in));
        CUDA_TRY("copy", cudaMemcpyAsync(window->data, bench->there + bytes + off, n,
                                         cudaMemcpyDeviceToHost, bench->out));
    }
    CUDA_TRY("copy", cudaDeviceSynchronize());
    bench_row_sample(row, bytes, gsi_clock_ns() - begin_ns);
    return GS_OK;
}

static enum gs_status open_bench(struct fed_bench *bench, uint64_t bytes, struct gs_error *error)
{
    const struct gsi_buffer_shape frame = {.unit_bytes = FRAME_BYTES};
    const struct gsi_buffer_shape window = {.unit_bytes = WINDOW_BYTES};
    const uint64_t window_region = WINDOWS * WINDOW_BYTES;
    void *memory;
    bytes = gsi_max_u64(gsi_round_down_u64(bytes, FRAME_BYTES), RUNS_MOST * FRAME_BYTES);
    bench->layout = gsi_layout_make(gsi_key_type_find("u64"), false);
    bench->ledger.ceiling_bytes = UINT64_MAX;
    bench->plan = (struct gsi_plan){.input_bytes = bytes,
                                    .chunk_bytes = FRAME_BYTES,
                                    .chunks_per_run = 1,
                                    .window_bytes = WINDOW_BYTES,
                                    .window_count = WINDOWS,
                                    .frame_bytes = FRAME_BYTES,
                                    .arena_bytes = bytes + window_region,
                                    .device_runs = 1,
                                    .device_run_bytes = FRAME_BYTES,
                                    .device_mirror_bytes = bytes};
    STATUS_TRY(
        gsi_memory_map(&bench->ledger, GSI_MEMORY_DATA, bench->plan.arena_bytes, &memory, error));
    bench->arena = memory;
    STATUS_TRY(
        gsi_buffers_init(&bench->frames, &bench->ledger, bench->arena, bytes, frame, false, error));
    STATUS_TRY(gsi_buffers_init(&bench->windows, &bench->ledger, bench->arena + bytes,
                                window_region, window, false, error));
    const struct gsi_device_config config = {.layout = bench->layout,
                                             .plan = &bench->plan,
                                             .arena = bench->arena,
                                             .arena_bytes = bench->plan.arena_bytes,
                                             .wake = wake,
                                             .wake_context = bench,
                                             .ledger = &bench->ledger,
                                             .chunk_buffers = bench->frames.count,
                                             .window_count = WINDOWS};
    STATUS_TRY(gsi_device_cuda.open(&config, &bench->device, error));
    CUDA_TRY("memory of the GPU", cudaMalloc((void **)&bench->there, 2 * bytes));
    CUDA_TRY("stream", cudaStreamCreateWithFlags(&bench->in, cudaStreamNonBlocking));
    CUDA_TRY("stream", cudaStreamCreateWithFlags(&bench->out, cudaStreamNonBlocking));
    return GS_OK;
}

static void close_bench(struct fed_bench *bench)
{
    cudaStreamDestroy(bench->in);
    cudaStreamDestroy(bench->out);
    cudaFree(bench->there);
    if (bench->device != NULL)
        gsi_device_cuda.close(bench->device);
    gsi_buffers_clear(&bench->frames);
    gsi_buffers_clear(&bench->windows);
    gsi_memory_unmap(&bench->ledger, GSI_MEMORY_DATA, bench->arena, bench->plan.arena_bytes);
}

/* The first round warms up. */
static enum gs_status measure_all(struct fed_bench *bench, const struct bench_settings *settings,
                                  struct bench_report *report, struct gs_error *error)
{
    struct bench_row warming = {.name = "warming up"};
    struct bench_row *copy = bench_row_add(report, (struct bench_row){.name = "both ways at once"});
    struct bench_row *rows[MERGE_COUNT], *ratios[MERGE_COUNT];
    for (size_t m = 0; m < MERGE_COUNT; m++)
        rows[m] = bench_row_add(report, (struct bench_row){.name = merges[m].name});
    for (size_t m = 0; m < MERGE_COUNT; m++)
        ratios[m] = bench_ratio_add(report, merges[m].ratio);
    for (uint32_t round = 0; round <= settings->repeat_count; round++) {
        bench_round(round, settings->repeat_count + 1);
        STATUS_TRY(measure_copy(bench, round > 0 ? copy : &warming, error));
        for (size_t m = 0; m < MERGE_COUNT; m++) {
            STATUS_TRY(measure_merge(bench, merges[m].runs, round > 0 ? rows[m] : &warming, error));
            warming.sample_count = 0;
            if (round > 0) /* of speeds: what part of the link's was reached */
                ratios[m]->samples[ratios[m]->sample_count++] =
                    rows[m]->samples[round - 1] / copy->samples[round - 1];
        }
    }
    report->ratio_text = "of the speed of the link";
    return GS_OK;
}

enum gs_status bench_fed(const struct bench_settings *settings, struct bench_report *report,
                         struct gs_error *error)
{
    struct fed_bench bench = {.lock = PTHREAD_MUTEX_INITIALIZER, .woken = PTHREAD_COND_INITIALIZER};
    struct cudaDeviceProp device;
    STATUS_TRY(bench_cuda_find(&device, error));
    enum gs_status status = open_bench(&bench, settings->size_bytes, error);
    if (status == GS_OK)
        status = measure_all(&bench, settings, report, error);
    close_bench(&bench);
    return status;
}
