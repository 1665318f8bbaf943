/* bench.h: declares what the subcommands of gsort-bench share: settings, measurements, the report.
 *
 * A subcommand is a row of the table in bench_main.c and one function, which measures and adds rows
 * and ceilings to the report. It interleaves its repeats, so that a change of the machine's speed
 * affects all cases alike. bench_report.c prints them as text or JSON. All speeds are decimal GB/s.
 */
#ifndef BENCH_H
#define BENCH_H

#include "base/status.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BENCH_REPEATS_MAX  99
#define BENCH_ROWS_MAX     64
#define BENCH_CEILINGS_MAX 8
#define BENCH_RATIOS_MAX   16

struct bench_settings {
    const char *directory, *type;
    const char *plot;      /* NULL: none is drawn */
    uint64_t size_bytes;   /* of the data of one measurement */
    uint64_t memory_bytes; /* of a sort that spills; 0: a quarter of the data */
    uint32_t repeat_count, thread_count;
    bool is_json;
};

/* One case. Fields that are 0 or NULL do not apply. */
struct bench_row {
    const char *name, *engine;
    const char *part;          /* of what `name` says */
    const char *shows, *loses; /* of a step on a ladder */
    uint64_t block_bytes;
    uint32_t depth, thread_count;
    uint64_t memory_bytes, spilled_bytes; /* of a sort */
    uint64_t sorted_bytes;                /* by it, in memory, */
    uint32_t element_bytes;               /* in elements of so many; 0: these are not told */
    uint64_t size_bytes;                  /* of its file, where cases differ in it; then also: */
    const char *codec;                    /* as --compress names it */
    uint64_t bytes_read, bytes_written;   /* all files together */
    double io_busy; /* part of the merge in which files were read or written; mean */
    uint32_t sample_count;
    double samples[BENCH_REPEATS_MAX];
};

/* A ceiling, the most that the machine can do: a row's median, or computed from others (row
 * NULL). */
struct bench_ceiling {
    const char *name, *text;
    const struct bench_row *row;
    double speed;
};

struct bench_report {
    uint32_t row_count, ceiling_count, ratio_count;
    struct bench_row rows[BENCH_ROWS_MAX];
    struct bench_ceiling ceilings[BENCH_CEILINGS_MAX];
    struct bench_row ratios[BENCH_RATIOS_MAX]; /* name, samples, and size, memory and codec */
    const char *ratio_text;                    /* of what; NULL: of times, one by another */
    const char *directory;                     /* NULL: no file system took part */
    const char *access;                        /* "direct" or "buffered" */
    char note[128];                            /* what could not be measured, and why; or empty */
};

enum gs_status bench_disk(const struct bench_settings *settings, struct bench_report *report,
                          struct gs_error *error);
enum gs_status bench_order(const struct bench_settings *settings, struct bench_report *report,
                           struct gs_error *error);
enum gs_status bench_outofcore(const struct bench_settings *settings, struct bench_report *report,
                               struct gs_error *error);
enum gs_status bench_records(const struct bench_settings *settings, struct bench_report *report,
                             struct gs_error *error);
enum gs_status bench_scale(const struct bench_settings *settings, struct bench_report *report,
                           struct gs_error *error);
enum gs_status bench_sort(const struct bench_settings *settings, struct bench_report *report,
                          struct gs_error *error);
enum gs_status bench_verbs(const struct bench_settings *settings, struct bench_report *report,
                           struct gs_error *error);
enum gs_status bench_verify(const struct bench_settings *settings, struct bench_report *report,
                            struct gs_error *error);
/* In builds with CUDA. fail GS_E_DEVICE where there is no GPU */
enum gs_status bench_kernels(const struct bench_settings *settings, struct bench_report *report,
                             struct gs_error *error);
enum gs_status bench_fed(const struct bench_settings *settings, struct bench_report *report,
                         struct gs_error *error);
enum gs_status bench_gpus(const struct bench_settings *settings, struct bench_report *report,
                          struct gs_error *error);
enum gs_status bench_record_kernels(const struct bench_settings *settings,
                                    struct bench_report *report, struct gs_error *error);
enum gs_status bench_ladder(const struct bench_settings *settings, struct bench_report *report,
                            struct gs_error *error);

/* bench_row_add: adds a copy of `row`, without samples.
 * bench_row_sample: adds a measurement to a row.
 * bench_ratio_add: adds a row for ratios. A sample is one time divided by another, the last
 * argument. */
struct bench_row *bench_row_add(struct bench_report *report, struct bench_row row);
struct bench_row *bench_ratio_add(struct bench_report *report, const char *name);
void bench_row_sample(struct bench_row *row, uint64_t bytes, uint64_t ns);

/* bench_row_median: returns the median of the samples, of which there is at least one. */
double bench_row_median(const struct bench_row *row);

/* bench_best: returns the row of that name and engine (NULL: any) with the highest median; NULL:
 * there is none. */
const struct bench_row *bench_best(const struct bench_report *report, const char *name,
                                   const char *engine);

void bench_ceiling_add(struct bench_report *report, struct bench_ceiling ceiling);

/* bench_round: shows the progress on stderr if that is a terminal.
 * bench_rounds: calls `measure` `round_count` times, until it fails. */
void bench_round(uint32_t round, uint32_t round_count);
enum gs_status bench_rounds(uint32_t round_count,
                            enum gs_status (*measure)(void *bench, struct gs_error *error),
                            void *bench, struct gs_error *error);

/* bench_print: prints the report, with machine, date and `command`, to stdout.
 * bench_print_to: writes the same as JSON to a file. */
void bench_print(const struct bench_report *report, const char *command, bool is_json);
void bench_print_to(FILE *file, const struct bench_report *report, const char *command);

/* bench_plot_can: returns whether python3 has the modules that draw.
 * bench_plot_is_path: returns whether a name ends in .svg or .png.
 * bench_plot: draws the report there. Returns false after a failure, which stderr explains. */
bool bench_plot_can(void);
bool bench_plot_is_path(const char *path);
bool bench_plot(const struct bench_report *report, const char *command, const char *path);

#ifdef __cplusplus
}
#endif
#endif
