/* bench_verify.c: what it costs that a sort checks itself: fingerprints of what goes in and comes
 * out, the order of what comes out, and, where it spills, checksums of frames.
 *
 * Every round sorts the same file verified and unverified (job/run.h), in memory and spilled raw,
 * one right after the other; the one that goes first changes from round to round. The ratios are of
 * times, made round by round. Outputs are checked after the clock has stopped. */
#include "base/report.h"
#include "bench.h"
#include "bench_input.h"

#include <stdio.h>

enum way { WAY_RESIDENT, WAY_SPILLED, WAY_COUNT };

static const struct {
    const char *verified, *unverified, *ratio;
} names[WAY_COUNT] = {{"resident", "resident unverified", "resident / unverified"},
                      {"spilled", "spilled unverified", "spilled / unverified"}};

struct verify_bench {
    const struct bench_settings *settings;
    struct bench_report *report;
    struct bench_row *rows[WAY_COUNT][2], *ratios[WAY_COUNT]; /* verified, unverified */
    struct bench_input input;
    uint32_t round;
};

static uint64_t memory_of(const struct verify_bench *bench, enum way way)
{
    uint64_t size = bench->settings->size_bytes;
    return way == WAY_RESIDENT ? bench_resident_memory(size)
                               : bench_spilled_memory(bench->settings, size);
}

static enum gs_status measure_sort(struct verify_bench *bench, enum way way, bool unverified,
                                   uint64_t *ns, struct gs_error *error)
{
    struct bench_row *row = bench->rows[way][unverified];
    struct gsi_options options = {.memory_bytes = memory_of(bench, way),
                                  .device = GSI_DEVICE_CPU,
                                  .compress = GSI_COMPRESS_NONE};
    struct gs_report report = {0};
    bench->input.sorted.is_unverified = unverified;
    enum gs_status status = bench_sorted_run(&bench->input.sorted, &options, &report, ns, error);
    if (status != GS_OK)
        return status;
    bench_row_sample(row, bench->settings->size_bytes, *ns);
    row->thread_count = report.plan.thread_count;
    row->memory_bytes = options.memory_bytes;
    row->spilled_bytes = report.spilled_bytes;
    if ((way == WAY_SPILLED) == (report.spilled_bytes == 0) && bench->report->note[0] == '\0')
        snprintf(bench->report->note, sizeof bench->report->note, "%s: %s", row->name,
                 way == WAY_SPILLED ? "nothing was; use a larger --size" : "a part was spilled");
    return GS_OK;
}

static enum gs_status measure_round(void *context, struct gs_error *error)
{
    struct verify_bench *bench = context;
    for (int way = 0; way < WAY_COUNT; way++) {
        uint64_t ns[2];
        for (uint32_t i = 0; i < 2; i++) {
            bool unverified = (i + bench->round) % 2 == 1;
            GSI_TRY(measure_sort(bench, (enum way)way, unverified, &ns[unverified], error));
        }
        bench_row_sample(bench->ratios[way], ns[0], ns[1]);
    }
    bench->round++;
    return GS_OK;
}

static void add_rows(struct verify_bench *bench)
{
    for (int way = 0; way < WAY_COUNT; way++) {
        bench->rows[way][0] =
            bench_row_add(bench->report, (struct bench_row){.name = names[way].verified});
        bench->rows[way][1] =
            bench_row_add(bench->report, (struct bench_row){.name = names[way].unverified});
        bench->ratios[way] = bench_ratio_add(bench->report, names[way].ratio);
    }
}

enum gs_status bench_verify(const struct bench_settings *settings, struct bench_report *report,
                            struct gs_error *error)
{
    struct verify_bench bench = {.settings = settings, .report = report};
    enum gs_status status = GS_OK;
    GSI_TRY_OR(bench_input_open(&bench.input, settings, error), done);
    GSI_TRY_OR(bench_input_fill(&bench.input, 0, settings->size_bytes, error), done);
    add_rows(&bench);
    GSI_TRY_OR(bench_rounds(settings->repeat_count, measure_round, &bench, error), done);
    report->directory = settings->directory;
    report->access = bench.input.raw.is_direct ? "direct" : "buffered";
done:
    bench_input_close(&bench.input);
    return status;
}
