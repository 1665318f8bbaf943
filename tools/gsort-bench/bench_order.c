/* bench_order.c: measures sorts of u64 that spill, by the order that the file already has.
 *
 * A round reads and writes a file of --size plainly, then makes and sorts each kind once; making is
 * outside the clock. Ratios: time by that of reading and writing the file once, which is what one
 * pass takes. */
#include "bench.h"
#include "bench_sorted.h"
#include "job/job_report.h"

#include "base/checked.h"
#include "element/key_order.h"

#include <stdio.h>
#include <string.h>

#define RANK_SHIFT  20 /* bits below a rank */
#define PIECES      16
#define LATE_PART   100 /* of the file */
#define STRAY_PART  100
#define EVENTS_LATE 4

/* The element of a rank in the order, and of none. */
static uint64_t of_rank(uint64_t rank)
{
    return rank << RANK_SHIFT | gsi_mix_u64(rank) >> (64 - RANK_SHIFT);
}

static uint64_t make_random(uint64_t i, uint64_t n)
{
    (void)n;
    return gsi_mix_u64(i);
}

static uint64_t make_sorted(uint64_t i, uint64_t n)
{
    (void)n;
    return of_rank(i);
}

static uint64_t make_reverse(uint64_t i, uint64_t n)
{
    return of_rank(n - 1 - i);
}

static uint64_t make_stray(uint64_t i, uint64_t n)
{
    uint64_t mixed = gsi_mix_u64(i);
    return of_rank(mixed % STRAY_PART == 0 ? mixed / STRAY_PART % n : i);
}

static uint64_t late_by(uint64_t i, uint64_t most)
{
    return of_rank(i - gsi_min_u64(i, gsi_mix_u64(i) % (most + 1)));
}

static uint64_t make_late(uint64_t i, uint64_t n)
{
    return late_by(i, n / LATE_PART);
}

static uint64_t make_pieces(uint64_t i, uint64_t n)
{
    uint64_t each = gsi_max_u64(1, n / PIECES);
    return of_rank(i % each * PIECES + i / each);
}

static uint64_t make_events(uint64_t i, uint64_t n)
{
    (void)n;
    return late_by(i, EVENTS_LATE);
}

static const struct {
    const char *name, *part;
    uint64_t (*make)(uint64_t i, uint64_t n);
} kinds[] = {
    {"random", "", make_random},
    {"sorted", "", make_sorted},
    {"reverse", "", make_reverse},
    {"strays", "1 % anywhere", make_stray},
    {"late", "all by at most 1 % of the file", make_late},
    {"pieces", "16 sorted files, one behind the other", make_pieces},
    {"timestamps", "up to 4 events late", make_events},
};
#define KIND_COUNT (sizeof kinds / sizeof kinds[0])

struct order_bench {
    const struct bench_settings *settings;
    struct bench_report *report;
    struct bench_input input;
    struct bench_row *rows[KIND_COUNT], *ratios[KIND_COUNT];
};

static enum gs_status measure_kind(struct order_bench *bench, size_t kind, struct gs_error *error)
{
    uint64_t size = bench->settings->size_bytes, ns;
    const struct bench_raw *raw = &bench->input.raw;
    const struct bench_fill fill = {.make = kinds[kind].make};
    struct gsi_options options = {.memory_bytes = bench_spilled_memory(bench->settings, size),
                                  .device = GSI_DEVICE_CPU};
    struct gs_report report = {0};
    GSI_TRY(bench_raw_fill(&bench->input.raw, bench->input.fd, &fill, 0, size, error));
    GSI_TRY(bench_sorted_run(&bench->input.sorted, &options, &report, &ns, error));
    bench_row_sample(bench->rows[kind], size, ns);
    bench_row_sample(bench->ratios[kind], ns, raw->read_ns + raw->write_ns);
    bench->rows[kind]->thread_count = report.plan.thread_count;
    bench->rows[kind]->memory_bytes = options.memory_bytes;
    bench->rows[kind]->spilled_bytes = report.runs.spilled_bytes;
    return GS_OK;
}

static enum gs_status measure_round(void *context, struct gs_error *error)
{
    struct order_bench *bench = context;
    GSI_TRY(
        bench_raw_measure(&bench->input.raw, bench->input.fd, bench->settings->size_bytes, error));
    for (size_t kind = 0; kind < KIND_COUNT; kind++)
        GSI_TRY(measure_kind(bench, kind, error));
    return GS_OK;
}

static void add_rows(struct order_bench *bench)
{
    bench_raw_rows_add(&bench->input.raw, bench->report);
    for (size_t kind = 0; kind < KIND_COUNT; kind++) {
        struct bench_row row = {.name = kinds[kind].name, .shows = kinds[kind].part};
        bench->rows[kind] = bench_row_add(bench->report, row);
        bench->ratios[kind] = bench_ratio_add(bench->report, kinds[kind].name);
    }
}

enum gs_status bench_order(const struct bench_settings *settings, struct bench_report *report,
                           struct gs_error *error)
{
    struct order_bench bench = {.settings = settings, .report = report};
    enum gs_status status = GS_OK;
    report->ratio_text = "time / (read + write)";
    GSI_TRY_OR(bench_input_open(&bench.input, settings, error), done);
    GSI_TRY_OR(bench_input_fill(&bench.input, 0, settings->size_bytes, error), done);
    add_rows(&bench);
    GSI_TRY_OR(bench_rounds(settings->repeat_count, measure_round, &bench, error), done);
    bench_raw_ceiling_add(&bench.input.raw, report, "once", false);
done:
    bench_input_close(&bench.input);
    return status;
}
