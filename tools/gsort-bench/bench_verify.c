/* bench_verify.c: measures what a sort's checks of itself cost: digests of its input and output,
 * the order of the output, and checksums of spilled frames.
 *
 * Every round sorts the same file in memory and spilled raw. Then one thread takes two digests of
 * as many bytes, and seals and opens frames of as many. The ratios are this time by the time that
 * all threads of the sort had. A sort pays less where it waits for the disk. */
#include "base/checked.h"
#include "base/clock.h"
#include "bench.h"
#include "bench_sorted.h"
#include "device/cpu/cpu_leaf_sort.h"
#include "element/key_order.h"
#include "element/number_type.h"
#include "element/tally/digest.h"
#include "job/job_report.h"
#include "run/frame.h"

#include <stdio.h>
#include <string.h>

#define FRAME_BYTES ((uint64_t)1 << 20)

enum way { WAY_RESIDENT, WAY_SPILLED, WAY_COUNT };

struct verify_bench {
    const struct bench_settings *settings;
    struct bench_report *report;
    struct bench_row *sorts[WAY_COUNT], *ratios[WAY_COUNT], *digest, *frames;
    struct bench_input input;
    struct gsi_layout layout;
};

static _Alignas(64) uint8_t frame[FRAME_BYTES];
static uint8_t *const keys = frame + GSI_FRAME_HEADER_BYTES;

static enum gs_status measure_sort(struct verify_bench *bench, enum way way, uint64_t *ns,
                                   struct gs_error *error)
{
    const uint64_t size = bench->settings->size_bytes;
    struct bench_row *row = bench->sorts[way];
    struct gsi_options options = {.memory_bytes = way == WAY_RESIDENT
                                                      ? bench_resident_memory(size)
                                                      : bench_spilled_memory(bench->settings, size),
                                  .device = GSI_DEVICE_CPU,
                                  .compress = GSI_COMPRESS_NONE};
    struct gs_report report = {0};
    GSI_TRY(bench_sorted_run(&bench->input.sorted, &options, &report, ns, error));
    bench_row_sample(row, size, *ns);
    row->thread_count = report.plan.thread_count;
    row->memory_bytes = options.memory_bytes;
    row->spilled_bytes = report.runs.spilled_bytes;
    if ((way == WAY_SPILLED) == (report.runs.spilled_bytes == 0) && bench->report->note[0] == '\0')
        snprintf(bench->report->note, sizeof bench->report->note, "%s: %s", row->name,
                 way == WAY_SPILLED ? "nothing was; use a larger --size" : "a part was spilled");
    return GS_OK;
}

/* ---- the checks alone ---- */

static uint32_t key_count(const struct verify_bench *bench)
{
    return (uint32_t)(FRAME_BYTES - GSI_FRAME_HEADER_BYTES) / bench->layout.key_bytes;
}

static void fill_frame(const struct verify_bench *bench)
{
    for (uint64_t i = 0; i < FRAME_BYTES / sizeof i; i++) {
        uint64_t word = gsi_mix_u64(i);
        memcpy(frame + i * sizeof word, &word, sizeof word);
    }
    gsi_leaf_prepare(bench->layout.key_bytes);
    gsi_leaf_sort(bench->layout.key_bytes, keys, key_count(bench));
}

static enum gs_status measure_digests(struct verify_bench *bench, uint64_t frames, uint64_t *ns,
                                      struct gs_error *error)
{
    struct gsi_digest digest;
    uint64_t begin = gsi_clock_ns();
    for (uint64_t i = 0; i < 2 * frames; i++) {
        digest = GSI_DIGEST_EMPTY;
        gsi_digest_add(&bench->layout, &digest, keys, key_count(bench));
        if (digest.disorder_idx != UINT64_MAX)
            return gsi_fail(error, GS_E_VERIFY, 0, "digest: sorted keys were found out of order");
    }
    *ns = gsi_clock_ns() - begin;
    bench_row_sample(bench->digest, 2 * frames * FRAME_BYTES, *ns);
    return GS_OK;
}

static enum gs_status measure_frames(struct verify_bench *bench, uint64_t frames, uint64_t *ns,
                                     struct gs_error *error)
{
    struct gsi_packed_keys raw = {0};
    const char *what;
    uint64_t begin = gsi_clock_ns();
    for (uint64_t i = 0; i < frames; i++) {
        gsi_frame_seal(&bench->layout, frame, key_count(bench), NULL, &raw);
        struct gsi_frame_ref ref = gsi_frame_ref_of(frame);
        if (gsi_frame_open(&bench->layout, frame, FRAME_BYTES, &ref, NULL, &raw, &what) != GS_OK)
            return gsi_fail(error, GS_E_VERIFY, 0, "frames: a sealed frame %s", what);
    }
    *ns = gsi_clock_ns() - begin;
    bench_row_sample(bench->frames, frames * FRAME_BYTES, *ns);
    return GS_OK;
}

/* ---- rounds ---- */

static enum gs_status measure_round(void *context, struct gs_error *error)
{
    struct verify_bench *bench = context;
    const uint64_t frames = gsi_ceil_div_u64(bench->settings->size_bytes, FRAME_BYTES);
    uint64_t ns[WAY_COUNT] = {0}, digest_ns = 0, frames_ns = 0;
    for (int way = 0; way < WAY_COUNT; way++) {
        GSI_TRY(measure_sort(bench, (enum way)way, &ns[way], error));
        ns[way] *= bench->sorts[way]->thread_count;
    }
    GSI_TRY(measure_digests(bench, frames, &digest_ns, error));
    GSI_TRY(measure_frames(bench, frames, &frames_ns, error));
    bench_row_sample(bench->ratios[WAY_RESIDENT], digest_ns, ns[WAY_RESIDENT]);
    bench_row_sample(bench->ratios[WAY_SPILLED], digest_ns + frames_ns, ns[WAY_SPILLED]);
    return GS_OK;
}

static void add_rows(struct verify_bench *bench)
{
    static const char *const names[WAY_COUNT] = {"resident", "spilled"};
    static const char *const ratio_names[WAY_COUNT] = {"digests / resident",
                                                       "digests and frames / spilled"};
    for (int way = 0; way < WAY_COUNT; way++) {
        bench->sorts[way] = bench_row_add(bench->report, (struct bench_row){.name = names[way]});
        bench->ratios[way] = bench_ratio_add(bench->report, ratio_names[way]);
    }
    bench->digest =
        bench_row_add(bench->report, (struct bench_row){.name = "digest", .thread_count = 1});
    bench->frames =
        bench_row_add(bench->report, (struct bench_row){.name = "frames", .thread_count = 1});
    bench->report->ratio_text = "part of the processors' time";
}

enum gs_status bench_verify(const struct bench_settings *settings, struct bench_report *report,
                            struct gs_error *error)
{
    struct verify_bench bench = {.settings = settings, .report = report};
    enum gs_status status = GS_OK;
    GSI_TRY_OR(bench_input_open(&bench.input, settings, error), done);
    GSI_TRY_OR(bench_input_fill(&bench.input, 0, settings->size_bytes, error), done);
    bench.layout = gsi_layout_make(gsi_key_type_find(settings->type), false);
    fill_frame(&bench);
    add_rows(&bench);
    GSI_TRY_OR(bench_rounds(settings->repeat_count, measure_round, &bench, error), done);
    report->directory = settings->directory;
    report->access = bench.input.raw.is_direct ? "direct" : "buffered";
done:
    bench_input_close(&bench.input);
    return status;
}
