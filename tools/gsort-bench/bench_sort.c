/* bench_sort.c: measures gsort from end to end, as a part of the disk's speed.
 *
 * Every round measures, one after the other, on the same data:
 *
 *     read      the input once, direct, 2 MiB blocks, 16 in flight      } the ceiling of a sort
 *     write     a new file of that size, allocated, direct, synced      } fits: both, once each
 *     resident  gsi_run with memory for all of it
 *     spilled   gsi_run with --memory: its ceiling is both, twice
 *     stats     gsi_run that only reads: its ceiling is the read
 *
 * The ratios are of times, made round by round: a ratio of neighbours in time feels a slow disk
 * less than a ratio of medians. The page cache is dropped before each; outputs are checked after
 * the clock has stopped. */
#include "bench.h"
#include "bench_sorted.h"
#include "job/job_report.h"

#include <stdio.h>
#include <string.h>

enum sort_case { CASE_RESIDENT, CASE_SPILLED, CASE_STATS, CASE_COUNT };

struct sort_bench {
    const struct bench_settings *settings;
    struct bench_report *report;
    struct bench_row *rows[CASE_COUNT], *ratios[CASE_COUNT];
    struct bench_input input;
    uint64_t resident_bytes;       /* of memory */
    struct gsi_tally_report tally; /* of the input, by the first gsi_run */
    bool has_tally;
};

static uint64_t resident_memory(struct sort_bench *bench)
{
    uint64_t size = bench->settings->size_bytes, given = bench_resident_memory(size);
    if (given < size + size / 4)
        snprintf(bench->report->note, sizeof bench->report->note,
                 "resident: had %llu MiB of memory, would have taken more",
                 (unsigned long long)given >> 20);
    return given;
}

/* Every run must have seen the data that the first one saw. */
static enum gs_status check_tally(struct sort_bench *bench, const struct gsi_tally_report *tally,
                                  struct gs_error *error)
{
    if (!bench->has_tally)
        bench->tally = *tally;
    bench->has_tally = true;
    if (tally->count == bench->tally.count &&
        memcmp(tally->fingerprint, bench->tally.fingerprint, sizeof tally->fingerprint) == 0)
        return GS_OK;
    return gsi_fail(error, GS_E_VERIFY, 0, "'%s': gsort did not always read the same data",
                    bench->settings->directory);
}

static enum gs_status measure_gsort(struct sort_bench *bench, enum sort_case which,
                                    uint64_t memory_bytes, uint64_t *ns, struct gs_error *error)
{
    struct bench_row *row = bench->rows[which];
    bool is_sort = which != CASE_STATS;
    struct gsi_options options = {.action = is_sort ? GS_SORT : GS_STATS,
                                  .memory_bytes = memory_bytes};
    struct gs_report report = {0};
    enum gs_status status = bench_sorted_run(&bench->input.sorted, &options, &report, ns, error);
    if (status != GS_OK)
        return status;
    row->thread_count = report.plan.thread_count;
    if (is_sort) {
        row->memory_bytes = memory_bytes;
        row->spilled_bytes = report.runs.spilled_bytes;
    }
    return check_tally(bench, &report.tally, error);
}

/* ---- rounds ---- */

static enum gs_status measure_round(void *context, struct gs_error *error)
{
    struct sort_bench *bench = context;
    const struct bench_raw *raw = &bench->input.raw;
    uint64_t ns[CASE_COUNT] = {0}, size = bench->settings->size_bytes;
    GSI_TRY(bench_raw_measure(&bench->input.raw, bench->input.fd, size, error));
    GSI_TRY(measure_gsort(bench, CASE_RESIDENT, bench->resident_bytes, &ns[CASE_RESIDENT], error));
    GSI_TRY(measure_gsort(bench, CASE_SPILLED, bench_spilled_memory(bench->settings, size),
                          &ns[CASE_SPILLED], error));
    GSI_TRY(measure_gsort(bench, CASE_STATS, 0, &ns[CASE_STATS], error));
    for (int c = 0; c < CASE_COUNT; c++)
        bench_row_sample(bench->rows[c], size, ns[c]);
    uint64_t once = raw->read_ns + raw->write_ns;
    bench_row_sample(bench->ratios[CASE_RESIDENT], ns[CASE_RESIDENT], once);
    bench_row_sample(bench->ratios[CASE_SPILLED], ns[CASE_SPILLED], 2 * once);
    bench_row_sample(bench->ratios[CASE_STATS], ns[CASE_STATS], raw->read_ns);
    return GS_OK;
}

static void add_rows(struct sort_bench *bench)
{
    static const char *const names[CASE_COUNT] = {"resident", "spilled", "stats"};
    static const char *const ratio_names[CASE_COUNT] = {
        "resident / (read + write)", "spilled / 2 (read + write)", "stats / read"};
    bench_raw_rows_add(&bench->input.raw, bench->report);
    for (int c = 0; c < CASE_COUNT; c++) {
        bench->rows[c] = bench_row_add(bench->report, (struct bench_row){.name = names[c]});
        bench->ratios[c] = bench_ratio_add(bench->report, ratio_names[c]);
    }
}

static void add_ceilings(struct sort_bench *bench)
{
    struct bench_report *report = bench->report;
    bench_raw_ceiling_add(&bench->input.raw, report, "resident", false);
    bench_raw_ceiling_add(&bench->input.raw, report, "spilled", true);
    bench_ceiling_add(
        report,
        (struct bench_ceiling){.name = "stats", .row = bench->input.raw.read, .text = "read once"});
    if (report->note[0] != '\0')
        return;
    if (bench->rows[CASE_RESIDENT]->spilled_bytes > 0)
        snprintf(report->note, sizeof report->note, "resident: part of it was spilled");
    else if (bench->rows[CASE_SPILLED]->spilled_bytes == 0)
        snprintf(report->note, sizeof report->note,
                 "spilled: nothing was, the data fits in its memory; use a larger --size");
}

enum gs_status bench_sort(const struct bench_settings *settings, struct bench_report *report,
                          struct gs_error *error)
{
    struct sort_bench bench = {.settings = settings, .report = report};
    enum gs_status status = GS_OK;
    GSI_TRY_OR(bench_input_open(&bench.input, settings, error), done);
    GSI_TRY_OR(bench_input_fill(&bench.input, 0, settings->size_bytes, error), done);
    bench.resident_bytes = resident_memory(&bench);
    add_rows(&bench);
    GSI_TRY_OR(bench_rounds(settings->repeat_count, measure_round, &bench, error), done);
    add_ceilings(&bench);
done:
    bench_input_close(&bench.input);
    return status;
}
