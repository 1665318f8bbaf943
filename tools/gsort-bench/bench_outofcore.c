/* bench_outofcore.c: measures sorts of files larger than memory: time, bytes moved, and how busy
 * the disk is.
 *
 *     by memory   files of --size, in a sixteenth, an eighth, a quarter and half of it, with
 *                 each codec; ratios: time by that of reading and writing the file twice
 *     by size     files of 1/2 to 8 times --memory in it, uncoded and with --compress auto: where
 *                 the file stops to fit, time should bend and not jump (--plot draws it)
 *
 * A round reads and writes a file of --size plainly, then sorts each case once, smallest file
 * first: the input is one file that grows, outside the clock. So a change of the machine's speed
 * meets all cases alike, and no more than three files take space at a time. */
#include "bench.h"
#include "bench_sorted.h"
#include "job/job_report.h"

#include "base/checked.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MIB             ((uint64_t)1 << 20)
#define MEMORY_LEAST    (12 * MIB) /* less is too little to sort in */
#define PART_OF_SIZE    8          /* --memory by default */
#define SIZE_UNIT       4096u
#define SORT_CASES_MOST 40u

struct sort_case {
    uint64_t size_bytes, memory_bytes;
    enum gsi_compress_choice codec;
    struct bench_row *row, *ratio; /* ratio: NULL unless by memory */
};

struct outofcore {
    const struct bench_settings *settings;
    struct bench_report *report;
    struct sort_case cases[SORT_CASES_MOST]; /* by size, smallest first */
    uint32_t case_count;
    struct bench_input input;
    uint64_t input_bytes;
};

static const char *const codec_names[] = {[GSI_COMPRESS_AUTO] = "auto",
                                          [GSI_COMPRESS_NONE] = "none",
                                          [GSI_COMPRESS_ZSTD] = "zstd:1",
                                          [GSI_COMPRESS_DELTAS] = "deltas"};

static void add_case(struct outofcore *bench, uint64_t size_bytes, uint64_t memory_bytes,
                     enum gsi_compress_choice codec)
{
    for (uint32_t c = 0; c < bench->case_count; c++) {
        const struct sort_case *other = &bench->cases[c];
        if (other->size_bytes == size_bytes && other->memory_bytes == memory_bytes &&
            other->codec == codec)
            return;
    }
    bench->cases[bench->case_count++] =
        (struct sort_case){.size_bytes = size_bytes, .memory_bytes = memory_bytes, .codec = codec};
}

static void add_cases(struct outofcore *bench)
{
    static const enum gsi_compress_choice codecs[] = {GSI_COMPRESS_NONE, GSI_COMPRESS_AUTO,
                                                      GSI_COMPRESS_ZSTD};
    static const uint64_t quarters[] = {2, 3, 4, 5, 6, 8, 12, 16, 24, 32}; /* of memory */
    uint64_t size = bench->settings->size_bytes, memory = bench->settings->memory_bytes;
    if (memory == 0)
        memory = size / PART_OF_SIZE;
    for (size_t q = 0; q < sizeof quarters / sizeof quarters[0]; q++) {
        uint64_t bytes = gsi_round_down_u64(memory / 4 * quarters[q], SIZE_UNIT);
        if (bytes == 0 || bytes > size)
            continue;
        add_case(bench, bytes, memory, GSI_COMPRESS_NONE);
        add_case(bench, bytes, memory, GSI_COMPRESS_AUTO);
    }
    for (uint64_t part = 16; part >= 2; part /= 2)
        for (size_t c = 0; c < sizeof codecs / sizeof codecs[0] && size / part >= MEMORY_LEAST; c++)
            add_case(bench, size, size / part, codecs[c]);
}

static void add_rows(struct outofcore *bench)
{
    bench_raw_rows_add(&bench->input.raw, bench->report);
    for (uint32_t c = 0; c < bench->case_count; c++) {
        struct sort_case *sort = &bench->cases[c];
        struct bench_row row = {.name = "sort",
                                .size_bytes = sort->size_bytes,
                                .memory_bytes = sort->memory_bytes,
                                .codec = codec_names[sort->codec]};
        sort->row = bench_row_add(bench->report, row);
        if (sort->size_bytes < bench->settings->size_bytes || sort->memory_bytes >= row.size_bytes)
            continue;
        sort->ratio = bench_ratio_add(bench->report, "sort");
        *sort->ratio = row;
    }
}

/* Sets the length of the input; existing data stay. */
static enum gs_status resize_input(struct outofcore *bench, uint64_t bytes, struct gs_error *error)
{
    enum gs_status status = GS_OK;
    if (bytes < bench->input_bytes && ftruncate(bench->input.fd, (off_t)bytes) != 0)
        return gsi_fail(error, GS_E_IO, errno, "'%s': cannot shorten a temporary file",
                        bench->settings->directory);
    if (bytes > bench->input_bytes)
        status = bench_input_fill(&bench->input, bench->input_bytes, bytes, error);
    bench->input_bytes = bytes;
    return status;
}

static void take_report(struct sort_case *sort, const struct gs_report *report, uint32_t repeats)
{
    const struct gsi_phase_report *runs = &report->cost.phases[GS_PHASE_MERGE_RUNS];
    const struct gsi_phase_report *write = &report->cost.phases[GS_PHASE_WRITE];
    sort->row->thread_count = report->plan.thread_count;
    sort->row->spilled_bytes = report->runs.spilled_bytes;
    sort->row->bytes_read = report->cost.bytes_read;
    sort->row->bytes_written = report->cost.bytes_written;
    sort->row->io_busy +=
        (double)(runs->io_busy_ns + write->io_busy_ns) / (double)(runs->ns + write->ns) / repeats;
}

static enum gs_status measure_case(struct outofcore *bench, struct sort_case *sort,
                                   struct gs_error *error)
{
    struct gsi_options options = {.memory_bytes = sort->memory_bytes, .compress = sort->codec};
    struct gs_report report = {0};
    uint64_t ns;
    GSI_TRY(resize_input(bench, sort->size_bytes, error));
    GSI_TRY(bench_sorted_run(&bench->input.sorted, &options, &report, &ns, error));
    bench_row_sample(sort->row, sort->size_bytes, ns);
    if (sort->ratio != NULL)
        bench_row_sample(sort->ratio, ns,
                         2 * (bench->input.raw.read_ns + bench->input.raw.write_ns));
    take_report(sort, &report, bench->settings->repeat_count);
    return GS_OK;
}

static enum gs_status measure_round(void *context, struct gs_error *error)
{
    struct outofcore *bench = context;
    uint64_t size = bench->settings->size_bytes;
    GSI_TRY(resize_input(bench, size, error));
    GSI_TRY(bench_raw_measure(&bench->input.raw, bench->input.fd, size, error));
    for (uint32_t c = 0; c < bench->case_count; c++)
        GSI_TRY(measure_case(bench, &bench->cases[c], error));
    return GS_OK;
}

enum gs_status bench_outofcore(const struct bench_settings *settings, struct bench_report *report,
                               struct gs_error *error)
{
    struct outofcore *bench = calloc(1, sizeof *bench);
    enum gs_status status = GS_OK;
    if (bench == NULL)
        return gsi_fail(error, GS_E_MEMORY, errno, "out of memory: cannot allocate the cases");
    bench->settings = settings;
    bench->report = report;
    report->ratio_text = "time / (2 reads + 2 writes)";
    add_cases(bench);
    GSI_TRY_OR(bench_input_open(&bench->input, settings, error), done);
    add_rows(bench);
    GSI_TRY_OR(bench_rounds(settings->repeat_count, measure_round, bench, error), done);
    bench_raw_ceiling_add(&bench->input.raw, report, "once", false);
    bench_raw_ceiling_add(&bench->input.raw, report, "twice", true);
done:
    bench_input_close(&bench->input);
    free(bench);
    return status;
}
