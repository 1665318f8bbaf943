/* bench_verbs.c: measures verbs that only read, and merges of sorted files, beside plain transfers
 * of the same data.
 *
 *     stats   --stats-only of random elements                   } beside reading once
 *     check   --check of sorted ones                            }
 *     top     --top 1000 of random ones                         }
 *     merge   -m of 16 sorted files that take turns             } beside reading, then writing once
 *     ranges  -m of 16 sorted files that follow each other      }
 *
 * Ratios are of times, made round by round. */
#include "bench.h"
#include "bench_raw.h"
#include "bench_sorted.h"
#include "job/job_report.h"

#include "base/checked.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FILES_MOST   5u /* at one time: random, sorted, parts that take turns and follow, output */
#define PARTS        16u
#define TOP_COUNT    1000u
#define SIZE_UNIT    ((uint64_t)4096 * PARTS)
#define MEMORY_BYTES ((uint64_t)1 << 30)

enum verb { STATS, CHECK, TOP, MERGE, RANGES, VERB_COUNT };

static const struct {
    const char *name, *ratio;
} verbs[VERB_COUNT] = {[STATS] = {"stats", "stats / read"},
                       [CHECK] = {"check", "check / read"},
                       [TOP] = {"top", "top 1000 / read"},
                       [MERGE] = {"merge", "merge of 16 / (read + write)"},
                       [RANGES] = {"ranges", "of 16 in a row / (read + write)"}};

struct verbs_bench {
    const struct bench_settings *settings;
    struct bench_report *report;
    struct bench_row *rows[VERB_COUNT], *ratios[VERB_COUNT];
    struct bench_raw raw;
    uint64_t size_bytes;
    int random, ordered, turns[PARTS], ranges[PARTS];
};

/* `fd`, of random elements, is sorted into a new file, which takes its place. */
static enum gs_status sort_file(const struct verbs_bench *bench, int *fd, struct gs_error *error)
{
    struct bench_sorted sorted;
    struct gsi_options options = {.memory_bytes = MEMORY_BYTES};
    int ordered = -1;
    enum gs_status status = bench_sorted_open(&sorted, bench->settings, fd, 1, error);
    if (status == GS_OK)
        status = bench_sorted_keep(&sorted, &options, &ordered, error);
    bench_sorted_close(&sorted);
    if (status == GS_OK) {
        close(*fd);
        *fd = ordered;
    }
    return status;
}

static enum gs_status make_random(struct verbs_bench *bench, uint64_t seed, uint64_t bytes, int *fd,
                                  struct gs_error *error)
{
    enum gs_status status = bench_raw_create(&bench->raw, fd, error);
    return status != GS_OK ? status
                           : bench_raw_fill(&bench->raw, *fd, &(struct bench_fill){.seed = seed}, 0,
                                            bytes, error);
}

/* Bytes [from, from + bytes) of `from_fd` in a file of their own. */
static enum gs_status copy_range(struct verbs_bench *bench, int from_fd, uint64_t from,
                                 uint64_t bytes, int *fd, struct gs_error *error)
{
    enum gs_status status = bench_raw_create(&bench->raw, fd, error);
    off_t off = (off_t)from;
    while (status == GS_OK && bytes > 0) {
        ssize_t copied = copy_file_range(from_fd, &off, *fd, NULL, bytes, 0);
        if (copied <= 0)
            return gsi_fail(error, GS_E_IO, errno, "'%s': cannot copy a part",
                            bench->settings->directory);
        bytes -= (uint64_t)copied;
    }
    if (status == GS_OK)
        fdatasync(*fd);
    return status;
}

static enum gs_status make_inputs(struct verbs_bench *bench, struct gs_error *error)
{
    uint64_t part = bench->size_bytes / PARTS;
    GSI_TRY(make_random(bench, 0, bench->size_bytes, &bench->random, error));
    GSI_TRY(make_random(bench, 0, bench->size_bytes, &bench->ordered, error));
    GSI_TRY(sort_file(bench, &bench->ordered, error));
    for (uint64_t p = 0; p < PARTS; p++) {
        GSI_TRY(make_random(bench, (p + 1) << 40, part, &bench->turns[p], error));
        GSI_TRY(sort_file(bench, &bench->turns[p], error));
        GSI_TRY(copy_range(bench, bench->ordered, p * part, part, &bench->ranges[p], error));
    }
    return GS_OK;
}

static enum gs_status measure_verb(struct verbs_bench *bench, enum verb verb, uint64_t *ns,
                                   struct gs_error *error)
{
    static const enum gs_action actions[VERB_COUNT] = {[STATS] = GS_STATS, [CHECK] = GS_CHECK};
    struct bench_sorted sorted;
    struct gs_report report = {0};
    struct gsi_options options = {.action = actions[verb],
                                  .memory_bytes = MEMORY_BYTES,
                                  .has_top = verb == TOP,
                                  .top_count = TOP_COUNT,
                                  .merge = verb == MERGE || verb == RANGES};
    const int *const inputs[VERB_COUNT] = {[STATS] = &bench->random,
                                           [CHECK] = &bench->ordered,
                                           [TOP] = &bench->random,
                                           [MERGE] = bench->turns,
                                           [RANGES] = bench->ranges};
    enum gs_status status =
        bench_sorted_open(&sorted, bench->settings, inputs[verb], options.merge ? PARTS : 1, error);
    if (status == GS_OK)
        status = bench_sorted_run(&sorted, &options, &report, ns, error);
    bench_sorted_close(&sorted);
    if (status == GS_OK) {
        bench_row_sample(bench->rows[verb], bench->size_bytes, *ns);
        bench->rows[verb]->thread_count = report.plan.thread_count;
    }
    return status;
}

static enum gs_status measure_round(void *context, struct gs_error *error)
{
    struct verbs_bench *bench = context;
    const struct bench_raw *raw = &bench->raw;
    uint64_t ns;
    GSI_TRY(bench_raw_measure(&bench->raw, bench->random, bench->size_bytes, error));
    for (int verb = 0; verb < VERB_COUNT; verb++) {
        GSI_TRY(measure_verb(bench, (enum verb)verb, &ns, error));
        bool writes = verb == MERGE || verb == RANGES;
        bench_row_sample(bench->ratios[verb], ns, raw->read_ns + (writes ? raw->write_ns : 0));
    }
    return GS_OK;
}

static void add_rows(struct verbs_bench *bench)
{
    bench_raw_rows_add(&bench->raw, bench->report);
    for (int v = 0; v < VERB_COUNT; v++) {
        bench->rows[v] = bench_row_add(bench->report, (struct bench_row){.name = verbs[v].name});
        bench->ratios[v] = bench_ratio_add(bench->report, verbs[v].ratio);
    }
}

static void close_file(int fd)
{
    if (fd >= 0)
        close(fd);
}

enum gs_status bench_verbs(const struct bench_settings *settings, struct bench_report *report,
                           struct gs_error *error)
{
    enum gs_status status = GS_OK;
    struct verbs_bench bench = {
        .settings = settings, .report = report, .random = -1, .ordered = -1};
    for (uint32_t p = 0; p < PARTS; p++)
        bench.turns[p] = bench.ranges[p] = -1;
    bench.size_bytes = gsi_max_u64(gsi_round_down_u64(settings->size_bytes, SIZE_UNIT), SIZE_UNIT);
    GSI_TRY_OR(bench_space(settings, FILES_MOST, error), done);
    GSI_TRY_OR(bench_raw_open(&bench.raw, settings->directory, error), done);
    GSI_TRY_OR(make_inputs(&bench, error), done);
    add_rows(&bench);
    GSI_TRY_OR(bench_rounds(settings->repeat_count, measure_round, &bench, error), done);
    bench_ceiling_add(
        report, (struct bench_ceiling){.name = "read", .row = bench.raw.read, .text = "read once"});
    bench_raw_ceiling_add(&bench.raw, report, "merge", false);
done:
    close_file(bench.random);
    close_file(bench.ordered);
    for (uint32_t p = 0; p < PARTS; p++) {
        close_file(bench.turns[p]);
        close_file(bench.ranges[p]);
    }
    bench_raw_close(&bench.raw);
    return status;
}
