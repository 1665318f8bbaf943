/* bench_sort.c: gsort from end to end, as a share of what the disk allows.
 *
 * Every round measures, one after the other, on the same data:
 *
 *     read      the input once, direct, 2 MiB blocks, 16 in flight      } the ceiling of a sort
 *     write     a new file of that size, allocated, direct, synced      } fits: both, once each
 *     resident  gs_run with memory for all of it
 *     spilled   gs_run with --memory: its ceiling is both, twice
 *     stats     gs_run that only reads: its ceiling is the read
 *
 * The ratios are of times, made round by round: a ratio of neighbours in time feels a slow disk
 * less than a ratio of medians. The page cache is dropped before each; outputs are checked after
 * the clock has stopped.
 *
 * Before a sort its memory is touched once and given back, outside the clock: on a virtual machine
 * whose host takes free memory away, getting it back is slower than the disk and would be all that
 * is seen.
 *
 * The input has no name (gs_run reads it through /proc/self/fd), and an output loses its name as
 * soon as gs_run has given it one, so nothing is left behind however the program ends. */
#include "bench.h"

#include "base/checked.h"
#include "base/clock.h"
#include "base/memory.h"
#include "format/key_order.h"
#include "format/key_type.h"
#include "io/engine.h"
#include "io/file.h"
#include "plan/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK_BYTES  ((uint64_t)2 << 20)
#define DEPTH        16u
#define MEMORY_SLACK ((uint64_t)64 << 20) /* above 5/4 of the data */
#define FILES_MOST   3u                   /* at one time: input, runs, output */

enum sort_case { CASE_READ, CASE_WRITE, CASE_RESIDENT, CASE_SPILLED, CASE_STATS, CASE_COUNT };

struct sort_bench {
    const struct bench_settings *settings;
    struct bench_report *report;
    struct bench_row *rows[CASE_COUNT];
    struct gsi_engine *engine;
    uint8_t *blocks; /* DEPTH of them */
    int input_fd;
    bool is_direct;
    char input_path[32], *output_path;
    struct gs_tally tally; /* of the input, by the first gs_run */
    bool has_tally;
};

/* ---- one pass over a file ---- */

struct lane {
    struct gsi_io io;
    struct pass *pass;
};

struct pass {
    struct sort_bench *bench;
    enum gsi_io_op op;
    int fd;
    bool is_fill; /* new random data in each block that is written */
    uint64_t next_off;
    uint32_t busy_count;
    int sys_errno;
    struct lane lanes[DEPTH];
};

/* The data is the mix of its own word numbers: seeded, uniform, not compressible. */
static void fill_block(uint64_t *words, uint64_t off, uint64_t bytes)
{
    for (uint64_t w = 0; w < bytes / sizeof *words; w++)
        words[w] = gsi_mix_u64(off / sizeof *words + w);
}

static void lane_next(struct lane *lane)
{
    struct pass *pass = lane->pass;
    uint64_t end_off = pass->bench->settings->size_bytes;
    if (pass->next_off == end_off || pass->sys_errno != 0)
        return;
    pass->busy_count++;
    lane->io.off = pass->next_off;
    lane->io.bytes = gsi_min_u64(BLOCK_BYTES, end_off - pass->next_off);
    pass->next_off += lane->io.bytes;
    if (pass->is_fill)
        fill_block(lane->io.data, lane->io.off, lane->io.bytes);
    gsi_engine_submit(pass->bench->engine, &lane->io);
}

static void lane_done(struct gsi_io *io)
{
    struct lane *lane = (struct lane *)io;
    struct pass *pass = lane->pass;
    if (io->moved < io->bytes && pass->sys_errno == 0)
        pass->sys_errno = io->sys_errno != 0 ? io->sys_errno : EIO;
    pass->busy_count--;
    lane_next(lane);
}

/* *ns includes the sync of what was written. */
static enum gs_status run_pass(struct sort_bench *bench, enum gsi_io_op op, int fd, bool is_fill,
                               uint64_t *ns, struct gs_error *error)
{
    struct pass pass = {.bench = bench, .op = op, .fd = fd, .is_fill = is_fill};
    uint64_t begin = gsi_clock_ns();
    for (uint32_t l = 0; l < DEPTH; l++) {
        pass.lanes[l] = (struct lane){.pass = &pass,
                                      .io = {.op = op,
                                             .fd = fd,
                                             .data = bench->blocks + l * BLOCK_BYTES,
                                             .is_copy = !bench->is_direct,
                                             .done = lane_done}};
        lane_next(&pass.lanes[l]);
    }
    while (pass.busy_count > 0)
        gsi_engine_wait(bench->engine, UINT64_MAX);
    if (op == GSI_IO_WRITE && pass.sys_errno == 0 && fdatasync(fd) != 0)
        pass.sys_errno = errno;
    *ns = gsi_clock_ns() - begin;
    if (pass.sys_errno != 0)
        return gsi_fail(error, gsi_status_of_errno(pass.sys_errno), pass.sys_errno,
                        "'%s': cannot %s a temporary file", bench->settings->directory,
                        op == GSI_IO_WRITE ? "write" : "read");
    return GS_OK;
}

/* A new file, all of it written. *fd is open also after a failure, unless it is -1. */
static enum gs_status write_file(struct sort_bench *bench, bool is_fill, int *fd, uint64_t *ns,
                                 struct gs_error *error)
{
    const struct bench_settings *settings = bench->settings;
    enum gs_status status = gsi_temp_open(settings->directory, fd, &bench->is_direct, error);
    if (status != GS_OK)
        return status;
    if (fallocate(*fd, 0, 0, (off_t)settings->size_bytes) != 0 && errno != EOPNOTSUPP)
        return gsi_fail(error, gsi_status_of_errno(errno), errno,
                        "'%s': cannot allocate a temporary file of %llu bytes", settings->directory,
                        (unsigned long long)settings->size_bytes);
    return run_pass(bench, GSI_IO_WRITE, *fd, is_fill, ns, error);
}

/* ---- gsort ---- */

static uint64_t resident_memory(struct sort_bench *bench)
{
    uint64_t size = bench->settings->size_bytes, wanted = size + size / 4 + MEMORY_SLACK;
    uint64_t most = gsi_limits_probe("").memory_bytes / 10 * 9;
    if (wanted > most)
        snprintf(bench->report->note, sizeof bench->report->note,
                 "resident: had %llu MiB of memory, would have taken %llu",
                 (unsigned long long)most >> 20, (unsigned long long)wanted >> 20);
    return gsi_min_u64(wanted, most);
}

static uint64_t spilled_memory(const struct sort_bench *bench)
{
    const struct bench_settings *settings = bench->settings;
    return settings->memory_bytes > 0 ? settings->memory_bytes : settings->size_bytes / 4;
}

/* Every run must have seen the data that the first one saw. */
static enum gs_status check_tally(struct sort_bench *bench, const struct gs_tally *tally,
                                  struct gs_error *error)
{
    if (!bench->has_tally)
        bench->tally = *tally;
    bench->has_tally = true;
    if (tally->count == bench->tally.count &&
        memcmp(tally->fingerprint, bench->tally.fingerprint, sizeof tally->fingerprint) == 0)
        return GS_OK;
    return gsi_fail(error, GS_E_VERIFY, 0, "'%s': gsort's output does not hold what its input does",
                    bench->settings->directory);
}

static enum gs_status check_output(struct sort_bench *bench, int fd, struct gs_error *error)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct gs_options options = {.action = GS_ACTION_CHECK,
                                 .inputs = (const char *[]){path},
                                 .input_count = 1,
                                 .type = bench->settings->type,
                                 .thread_count = bench->settings->thread_count};
    struct gs_report report = {0};
    struct gs_error why = {0};
    enum gs_status status = gs_run(&options, &report, &why);
    if (status == GS_OK)
        return check_tally(bench, &report.tally, error);
    return gsi_fail(error, status == GS_E_DISORDER ? GS_E_VERIFY : status, 0,
                    "gsort's output, checked: %s", why.text);
}

static enum gs_status touch_memory(uint64_t bytes, struct gs_error *error)
{
    void *memory;
    enum gs_status status = gsi_memory_map(NULL, GS_MEMORY_DATA, bytes, &memory, error);
    if (status != GS_OK)
        return status;
    gsi_memory_populate(memory, bytes);
    gsi_memory_unmap(NULL, GS_MEMORY_DATA, memory, bytes);
    return GS_OK;
}

static enum gs_status measure_gsort(struct sort_bench *bench, enum sort_case which,
                                    uint64_t memory_bytes, uint64_t *ns, struct gs_error *error)
{
    struct bench_row *row = bench->rows[which];
    bool is_sort = which != CASE_STATS;
    struct gs_options options = {.action = is_sort ? GS_ACTION_SORT : GS_ACTION_STATS,
                                 .inputs = (const char *[]){bench->input_path},
                                 .input_count = 1,
                                 .output = is_sort ? bench->output_path : NULL,
                                 .type = bench->settings->type,
                                 .memory_bytes = memory_bytes,
                                 .thread_count = bench->settings->thread_count};
    struct gs_report report = {0};
    int output = -1;
    enum gs_status status = GS_OK;
    if (is_sort)
        GSI_TRY(touch_memory(memory_bytes, error));
    uint64_t begin = gsi_clock_ns();
    status = gs_run(&options, &report, error);
    *ns = gsi_clock_ns() - begin;
    if (status == GS_OK && is_sort) {
        output = open(bench->output_path, O_RDONLY | O_CLOEXEC);
        if (output < 0)
            status = gsi_fail(error, GS_E_IO, errno, "'%s': cannot open", bench->output_path);
        unlink(bench->output_path);
    }
    GSI_TRY(status);
    row->thread_count = report.plan.thread_count;
    if (is_sort) {
        row->memory_bytes = memory_bytes;
        row->spilled_bytes = report.spilled_bytes;
    }
    GSI_TRY(check_tally(bench, &report.tally, error));
    if (is_sort)
        GSI_TRY(check_output(bench, output, error));
fail:
    if (output >= 0)
        close(output);
    return status;
}

/* ---- rounds ---- */

static enum gs_status measure_write(struct sort_bench *bench, uint64_t *ns, struct gs_error *error)
{
    int fd = -1;
    enum gs_status status = write_file(bench, false, &fd, ns, error);
    if (fd >= 0)
        close(fd);
    return status;
}

static enum gs_status measure_round(struct sort_bench *bench, uint64_t resident_bytes,
                                    struct bench_row *const ratios[3], struct gs_error *error)
{
    uint64_t ns[CASE_COUNT] = {0};
    enum gs_status status = GS_OK;
    for (enum sort_case c = 0; c < CASE_COUNT; c++) {
        posix_fadvise(bench->input_fd, 0, 0, POSIX_FADV_DONTNEED);
        if (c == CASE_READ)
            GSI_TRY(run_pass(bench, GSI_IO_READ, bench->input_fd, false, &ns[c], error));
        else if (c == CASE_WRITE)
            GSI_TRY(measure_write(bench, &ns[c], error));
        else
            GSI_TRY(measure_gsort(bench, c,
                                  c == CASE_RESIDENT  ? resident_bytes
                                  : c == CASE_SPILLED ? spilled_memory(bench)
                                                      : 0,
                                  &ns[c], error));
        bench_row_sample(bench->rows[c], bench->settings->size_bytes, ns[c]);
    }
    uint64_t once = ns[CASE_READ] + ns[CASE_WRITE];
    bench_row_sample(ratios[0], ns[CASE_RESIDENT], once);
    bench_row_sample(ratios[1], ns[CASE_SPILLED], 2 * once);
    bench_row_sample(ratios[2], ns[CASE_STATS], ns[CASE_READ]);
fail:
    return status;
}

static enum gs_status measure(struct sort_bench *bench, struct gs_error *error)
{
    static const char *const names[CASE_COUNT] = {"read", "write", "resident", "spilled", "stats"};
    static const char *const ratio_names[] = {"resident / (read + write)",
                                              "spilled / 2 (read + write)", "stats / read"};
    struct bench_row *ratios[3];
    for (int c = 0; c < CASE_COUNT; c++) {
        struct bench_row row = {.name = names[c]};
        if (c == CASE_READ || c == CASE_WRITE) {
            row.engine = bench->engine->ops->name;
            row.block_bytes = BLOCK_BYTES;
            row.depth = DEPTH;
        }
        bench->rows[c] = bench_row_add(bench->report, row);
    }
    for (int r = 0; r < 3; r++)
        ratios[r] = bench_ratio_add(bench->report, ratio_names[r]);
    uint64_t resident_bytes = resident_memory(bench);
    uint32_t repeat_count = bench->settings->repeat_count;
    enum gs_status status = GS_OK;
    for (uint32_t repeat = 0; status == GS_OK && repeat < repeat_count; repeat++) {
        bench_round(repeat, repeat_count);
        status = measure_round(bench, resident_bytes, ratios, error);
    }
    bench_round(repeat_count, repeat_count);
    return status;
}

static void add_ceilings(struct sort_bench *bench)
{
    double both = 1 / (1 / bench_row_median(bench->rows[CASE_READ]) +
                       1 / bench_row_median(bench->rows[CASE_WRITE]));
    const struct bench_ceiling ceilings[] = {
        {.name = "resident", .text = "computed: read once, then write once", .speed = both},
        {.name = "spilled", .text = "computed: read twice and write twice", .speed = both / 2},
        {.name = "stats", .row = bench->rows[CASE_READ], .text = "read once"},
    };
    for (size_t c = 0; c < sizeof ceilings / sizeof ceilings[0]; c++)
        bench_ceiling_add(bench->report, ceilings[c]);
    struct bench_report *report = bench->report;
    if (report->note[0] != '\0')
        return;
    if (bench->rows[CASE_RESIDENT]->spilled_bytes > 0)
        snprintf(report->note, sizeof report->note, "resident: part of it was spilled");
    else if (bench->rows[CASE_SPILLED]->spilled_bytes == 0)
        snprintf(report->note, sizeof report->note,
                 "spilled: nothing was, the data fits in its memory; use a larger --size");
}

static enum gs_status check_settings(const struct bench_settings *settings, struct gs_error *error)
{
    if (gsi_key_type_find(settings->type) == NULL)
        return gsi_fail(error, GS_E_USAGE, 0, "--type: there is no type '%s'", settings->type);
    uint64_t free_bytes, file_system;
    enum gs_status status = gsi_space_free(settings->directory, &free_bytes, &file_system, error);
    if (status == GS_OK && free_bytes / FILES_MOST < settings->size_bytes)
        status = gsi_fail(error, GS_E_SPACE, 0,
                          "'%s': %llu bytes are free, the sort needs %u times %llu; "
                          "use a smaller --size",
                          settings->directory, (unsigned long long)free_bytes, FILES_MOST,
                          (unsigned long long)settings->size_bytes);
    return status;
}

enum gs_status bench_sort(const struct bench_settings *settings, struct bench_report *report,
                          struct gs_error *error)
{
    struct sort_bench bench = {.settings = settings, .report = report, .input_fd = -1};
    struct gsi_ledger ledger = {.ceiling_bytes = UINT64_MAX};
    void *blocks = NULL;
    char engine_note[128];
    uint64_t ns;
    enum gs_status status;
    GSI_TRY(check_settings(settings, error));
    GSI_TRY(
        gsi_engine_open(GS_IO_AUTO, DEPTH, &bench.engine, engine_note, sizeof engine_note, error));
    GSI_TRY(gsi_memory_map(&ledger, GS_MEMORY_DATA, DEPTH * BLOCK_BYTES, &blocks, error));
    bench.blocks = blocks;
    if (asprintf(&bench.output_path, "%s/gsort-bench-%ld.out", settings->directory,
                 (long)getpid()) < 0) {
        bench.output_path = NULL;
        GSI_TRY(gsi_fail(error, GS_E_MEMORY, 0, "memory: cannot allocate a file name"));
    }
    if (access(bench.output_path, F_OK) == 0)
        GSI_TRY(gsi_fail(error, GS_E_IO, 0, "'%s': is in the way", bench.output_path));
    GSI_TRY(write_file(&bench, true, &bench.input_fd, &ns, error));
    snprintf(bench.input_path, sizeof bench.input_path, "/proc/self/fd/%d", bench.input_fd);
    GSI_TRY(measure(&bench, error));
    add_ceilings(&bench);
    report->directory = settings->directory;
    report->access = bench.is_direct ? "direct" : "buffered";
fail:
    if (bench.input_fd >= 0)
        close(bench.input_fd);
    if (blocks != NULL)
        gsi_memory_unmap(&ledger, GS_MEMORY_DATA, blocks, DEPTH * BLOCK_BYTES);
    gsi_engine_close(bench.engine);
    free(bench.output_path);
    return status;
}
