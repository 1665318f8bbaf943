/* bench_scale.c: measures sorts in memory by threads and by size. It sorts a file of --size by 1,
 * 2, 4 .. threads and by all. With all threads it also sorts a quarter of it to four times as much.
 * Outputs go to /dev/null, so a file system is measured only by reading; use one in memory.
 *
 * The sizes are beginnings of one file. Ratios: efficiency, which is the speed of a thread beside
 * that of one alone; and of sizes, the time of an element beside that of an element of --size. */
#include "bench.h"
#include "bench_sorted.h"
#include "job/job_report.h"
#include "job/run.h"

#include "base/checked.h"
#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ELEMENT_BYTES 8u
#define SIZE_MOST     4u /* times --size */
#define CASES_MOST    16u

struct scale_case {
    uint64_t size_bytes;
    uint32_t thread_count;
    struct bench_row *row, *ratio;
};

struct scale_bench {
    const struct bench_settings *settings;
    struct bench_report *report;
    struct bench_raw raw;
    int fd;
    struct scale_case cases[CASES_MOST];
    uint32_t case_count, base; /* the case of --size by all threads */
};

static void add_case(struct scale_bench *bench, uint64_t size_bytes, uint32_t thread_count,
                     const char *ratio)
{
    struct bench_row row = {.name = "sort",
                            .thread_count = thread_count,
                            .sorted_bytes = size_bytes,
                            .element_bytes = ELEMENT_BYTES};
    struct scale_case *added = &bench->cases[bench->case_count++];
    *added = (struct scale_case){.size_bytes = size_bytes, .thread_count = thread_count};
    added->row = bench_row_add(bench->report, row);
    added->ratio = bench_ratio_add(bench->report, ratio);
    added->ratio->thread_count = thread_count;
    added->ratio->sorted_bytes = size_bytes;
}

static void add_cases(struct scale_bench *bench)
{
    uint64_t size = bench->settings->size_bytes;
    uint32_t all = bench->settings->thread_count;
    for (uint32_t threads = 1; threads < all; threads *= 2)
        add_case(bench, size, threads, "efficiency");
    bench->base = bench->case_count;
    add_case(bench, size, all, "efficiency");
    for (uint32_t part = 4; part >= 2; part /= 2)
        add_case(bench, gsi_round_up_u64(size / part, ELEMENT_BYTES), all, "element");
    for (uint32_t times = 2; times <= SIZE_MOST; times *= 2)
        add_case(bench, size * times, all, "element");
}

static enum gs_status measure_case(struct scale_bench *bench, const struct scale_case *one,
                                   uint64_t *ns, struct gs_error *error)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", bench->fd);
    const struct gsi_options options = {.inputs = (const char *[]){path},
                                        .input_count = 1,
                                        .output = "/dev/null",
                                        .type = "u64",
                                        .device = GSI_DEVICE_CPU,
                                        .has_range = true,
                                        .range_count = one->size_bytes / ELEMENT_BYTES,
                                        .thread_count = one->thread_count,
                                        .memory_bytes = bench_resident_memory(one->size_bytes)};
    struct gs_report report = {0};
    GSI_TRY(bench_touch_memory(options.memory_bytes, error));
    uint64_t begin = gsi_clock_ns();
    GSI_TRY(gsi_job_run(&options, NULL, &report, error));
    *ns = gsi_clock_ns() - begin;
    bench_row_sample(one->row, one->size_bytes, *ns);
    if (report.runs.spilled_bytes > 0 && bench->report->note[0] == '\0')
        snprintf(bench->report->note, sizeof bench->report->note,
                 "%llu MiB: a part was spilled; use a smaller --size",
                 (unsigned long long)one->size_bytes >> 20);
    return GS_OK;
}

static enum gs_status measure_round(void *context, struct gs_error *error)
{
    struct scale_bench *bench = context;
    uint64_t ns[CASES_MOST];
    for (uint32_t c = 0; c < bench->case_count; c++)
        GSI_TRY(measure_case(bench, &bench->cases[c], &ns[c], error));
    const struct scale_case *base = &bench->cases[bench->base];
    for (uint32_t c = 0; c < bench->case_count; c++) {
        const struct scale_case *one = &bench->cases[c];
        if (c <= bench->base)
            bench_row_sample(one->ratio, ns[0], ns[c] * one->thread_count);
        else
            bench_row_sample(one->ratio, ns[c] * (base->size_bytes / ELEMENT_BYTES),
                             ns[bench->base] * (one->size_bytes / ELEMENT_BYTES));
    }
    return GS_OK;
}

enum gs_status bench_scale(const struct bench_settings *settings, struct bench_report *report,
                           struct gs_error *error)
{
    struct scale_bench bench = {.settings = settings, .report = report, .fd = -1};
    enum gs_status status = GS_OK;
    report->ratio_text = "efficiency of threads; time of an element";
    report->directory = settings->directory;
    GSI_TRY_OR(bench_space(settings, SIZE_MOST, error), done);
    GSI_TRY_OR(bench_raw_open(&bench.raw, settings->directory, error), done);
    GSI_TRY_OR(bench_raw_create(&bench.raw, &bench.fd, error), done);
    GSI_TRY_OR(bench_raw_fill(&bench.raw, bench.fd, &(struct bench_fill){0}, 0,
                              SIZE_MOST * settings->size_bytes, error),
               done);
    report->access = bench.raw.is_direct ? "direct" : "buffered";
    add_cases(&bench);
    GSI_TRY_OR(bench_rounds(settings->repeat_count, measure_round, &bench, error), done);
done:
    if (bench.fd >= 0)
        close(bench.fd);
    bench_raw_close(&bench.raw);
    return status;
}
