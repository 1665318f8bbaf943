/* bench_records.c: measures sorts of records, in memory and spilled, as a part of the disk's speed.
 *
 * Every round reads and writes a file of --size plainly, then sorts it once as each kind of
 * records: resident beside reading and writing once, spilled (with --memory) beside both twice. All
 * kinds but one take the same random bytes; "groups" are keys whose first nine bytes are those of
 * a thousand others. */
#include "bench.h"
#include "bench_raw.h"
#include "bench_sorted.h"
#include "job/job_report.h"

#include "base/checked.h"
#include "element/record/record_tags.h"

#include <stdio.h>
#include <unistd.h>

#define FILES_MOST 4u      /* at one time: two inputs, runs, output */
#define SIZE_UNIT  102400u /* a whole number of records of every kind, and of pages */

enum input { INPUT_RANDOM, INPUT_GROUPS, INPUT_COUNT };

static const struct kind {
    const char *resident, *spilled, *ratios[2];
    enum input input;
    uint32_t record_bytes;
    const char *key;
} kinds[] = {
    {"resident 100 B",
     "spilled 100 B",
     {"resident 100 B / (read + write)", "spilled 100 B / 2 (read + write)"},
     INPUT_RANDOM,
     100,
     "0:b10"},
    {"resident 100 B groups",
     "spilled 100 B groups",
     {"resident groups / random", "spilled groups / random"},
     INPUT_GROUPS,
     100,
     "0:b10"},
    {"resident 16 B",
     "spilled 16 B",
     {"resident 16 B / (read + write)", "spilled 16 B / 2 (read + write)"},
     INPUT_RANDOM,
     16,
     "0:u32"},
    {"resident 1 KiB",
     "spilled 1 KiB",
     {"resident 1 KiB / (read + write)", "spilled 1 KiB / 2 (read + write)"},
     INPUT_RANDOM,
     1024,
     "0:b10"},
};
#define KIND_COUNT (sizeof kinds / sizeof kinds[0])

/* Of 100 bytes, as in `kinds`. */
static const struct bench_fill fills[INPUT_COUNT] = {
    [INPUT_GROUPS] = {.record_bytes = 100, .shared_bytes = 9, .group_records = 1000}};

struct records_bench {
    const struct bench_settings *settings;
    struct bench_report *report;
    struct bench_row *rows[KIND_COUNT][2], *ratios[KIND_COUNT][2];
    struct bench_raw raw;
    struct bench_sorted sorted[INPUT_COUNT];
    int input_fds[INPUT_COUNT];
    uint64_t size_bytes;
};

/* Records with their tags, and a quarter more. */
static uint64_t resident_memory(const struct records_bench *bench, const struct kind *kind)
{
    uint64_t data = bench->size_bytes / kind->record_bytes * (kind->record_bytes + GSI_TAG_BYTES);
    return bench_resident_memory(data);
}

static enum gs_status measure_kind(struct records_bench *bench, size_t k, bool is_spilled,
                                   uint64_t *ns, struct gs_error *error)
{
    const struct kind *kind = &kinds[k];
    struct bench_row *row = bench->rows[k][is_spilled];
    struct gsi_options options = {
        .record_bytes = kind->record_bytes,
        .keys = &kind->key,
        .key_count = 1,
        .memory_bytes = is_spilled ? bench_spilled_memory(bench->settings, bench->size_bytes)
                                   : resident_memory(bench, kind)};
    struct gs_report report = {0};
    uint64_t memory_bytes = options.memory_bytes;
    enum gs_status status =
        bench_sorted_run(&bench->sorted[kind->input], &options, &report, ns, error);
    if (status != GS_OK)
        return status;
    bench_row_sample(row, bench->size_bytes, *ns);
    row->thread_count = report.plan.thread_count;
    row->memory_bytes = memory_bytes;
    row->spilled_bytes = report.runs.spilled_bytes;
    if (is_spilled == (report.runs.spilled_bytes == 0) && bench->report->note[0] == '\0')
        snprintf(bench->report->note, sizeof bench->report->note, "%s: %s",
                 is_spilled ? kind->spilled : kind->resident,
                 is_spilled ? "nothing was; use a larger --size" : "part of it was spilled");
    return GS_OK;
}

static enum gs_status measure_round(void *context, struct gs_error *error)
{
    struct records_bench *bench = context;
    const struct bench_raw *raw = &bench->raw;
    uint64_t ns, random_ns[2] = {0};
    GSI_TRY(bench_raw_measure(&bench->raw, bench->input_fds[0], bench->size_bytes, error));
    for (size_t k = 0; k < KIND_COUNT; k++)
        for (int spilled = 0; spilled < 2; spilled++) {
            GSI_TRY(measure_kind(bench, k, spilled != 0, &ns, error));
            uint64_t ceiling = (raw->read_ns + raw->write_ns) << spilled;
            if (k == 0)
                random_ns[spilled] = ns;
            bench_row_sample(bench->ratios[k][spilled], ns,
                             kinds[k].input == INPUT_GROUPS ? random_ns[spilled] : ceiling);
        }
    return GS_OK;
}

static void add_rows(struct records_bench *bench)
{
    bench_raw_rows_add(&bench->raw, bench->report);
    for (size_t k = 0; k < KIND_COUNT; k++)
        for (int spilled = 0; spilled < 2; spilled++) {
            struct bench_row row = {.name = spilled ? kinds[k].spilled : kinds[k].resident};
            bench->rows[k][spilled] = bench_row_add(bench->report, row);
            bench->ratios[k][spilled] = bench_ratio_add(bench->report, kinds[k].ratios[spilled]);
        }
}

static enum gs_status open_inputs(struct records_bench *bench, struct gs_error *error)
{
    GSI_TRY(bench_raw_open(&bench->raw, bench->settings->directory, error));
    for (int i = 0; i < INPUT_COUNT; i++) {
        GSI_TRY(bench_raw_create(&bench->raw, &bench->input_fds[i], error));
        GSI_TRY(
            bench_sorted_open(&bench->sorted[i], bench->settings, &bench->input_fds[i], 1, error));
        GSI_TRY(bench_raw_fill(&bench->raw, bench->input_fds[i], &fills[i], 0, bench->size_bytes,
                               error));
    }
    return GS_OK;
}

enum gs_status bench_records(const struct bench_settings *settings, struct bench_report *report,
                             struct gs_error *error)
{
    struct records_bench bench = {.settings = settings, .report = report, .input_fds = {-1, -1}};
    enum gs_status status = GS_OK;
    bench.size_bytes = gsi_max_u64(gsi_round_down_u64(settings->size_bytes, SIZE_UNIT), SIZE_UNIT);
    GSI_TRY_OR(bench_space(settings, FILES_MOST, error), done);
    GSI_TRY_OR(open_inputs(&bench, error), done);
    add_rows(&bench);
    GSI_TRY_OR(bench_rounds(settings->repeat_count, measure_round, &bench, error), done);
    bench_raw_ceiling_add(&bench.raw, report, "resident", false);
    bench_raw_ceiling_add(&bench.raw, report, "spilled", true);
done:
    for (int i = 0; i < INPUT_COUNT; i++) {
        bench_sorted_close(&bench.sorted[i]);
        if (bench.input_fds[i] >= 0)
            close(bench.input_fds[i]);
    }
    bench_raw_close(&bench.raw);
    return status;
}
