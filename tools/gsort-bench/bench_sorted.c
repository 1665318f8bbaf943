/* bench_sorted.c: times gsi_job_run and checks its output.
 *
 * Before each sort, outside the clock, it touches the memory once and frees it. On a virtual
 * machine whose host reclaims free memory, getting it back is slower than the disk, and would hide
 * everything else.
 *
 * The input has no name (the job reads it through /proc/self/fd), and the output loses its name as
 * soon as the job has created it. So no files are left, however the program ends. */
#include "bench_sorted.h"

#include "base/checked.h"
#include "base/clock.h"
#include "base/memory.h"
#include "element/number_type.h"
#include "io/file.h"
#include "job/job_report.h"
#include "job/run.h"
#include "plan/limits.h"
#include "report/number.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RESIDENT_SLACK ((uint64_t)64 << 20)

enum gs_status bench_sorted_open(struct bench_sorted *sorted, const struct bench_settings *settings,
                                 const int *input_fds, uint32_t count, struct gs_error *error)
{
    *sorted = (struct bench_sorted){.settings = settings, .input_count = count};
    for (uint32_t i = 0; i < count; i++) {
        sorted->input_fds[i] = input_fds[i];
        snprintf(sorted->input_paths[i], sizeof sorted->input_paths[i], "/proc/self/fd/%d",
                 input_fds[i]);
    }
    if (asprintf(&sorted->output_path, "%s/gsort-bench-%ld.out", settings->directory,
                 (long)getpid()) < 0) {
        sorted->output_path = NULL;
        return gsi_fail(error, GS_E_MEMORY, 0, "out of memory: cannot allocate a file name");
    }
    if (access(sorted->output_path, F_OK) == 0)
        return gsi_fail(error, GS_E_IO, 0, "'%s': is in the way", sorted->output_path);
    return GS_OK;
}

void bench_sorted_close(struct bench_sorted *sorted)
{
    free(sorted->output_path);
    *sorted = (struct bench_sorted){0};
}

uint64_t bench_resident_memory(uint64_t bytes)
{
    uint64_t wanted = bytes + bytes / 4 + RESIDENT_SLACK;
    return gsi_min_u64(wanted, gsi_limits_probe("").memory_bytes / 10 * 9);
}

enum gs_status bench_space(const struct bench_settings *settings, uint32_t file_count,
                           struct gs_error *error)
{
    uint64_t free_bytes, file_system;
    if (gsi_key_type_find(settings->type) == NULL)
        return gsi_fail(error, GS_E_USAGE, 0, "--type: there is no type '%s'", settings->type);
    enum gs_status status = gsi_space_free(settings->directory, &free_bytes, &file_system, error);
    if (status == GS_OK && free_bytes / file_count < settings->size_bytes)
        status = gsi_fail_space(error, 0, settings->directory, "the sort",
                                gsi_mul_max_u64(settings->size_bytes, file_count), free_bytes,
                                "use a smaller --size");
    return status;
}

enum gs_status bench_touch_memory(uint64_t bytes, struct gs_error *error)
{
    void *memory;
    enum gs_status status = gsi_memory_map(NULL, GSI_MEMORY_DATA, bytes, &memory, error);
    if (status != GS_OK)
        return status;
    gsi_memory_touch(memory, bytes);
    gsi_memory_unmap(NULL, GSI_MEMORY_DATA, memory, bytes);
    return GS_OK;
}

static enum gs_status check_output(const struct bench_sorted *sorted,
                                   const struct gsi_options *sort, int fd,
                                   const struct gs_report *sort_report, struct gs_error *error)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct gsi_options options = {.action = GS_CHECK,
                                  .inputs = (const char *[]){path},
                                  .input_count = 1,
                                  .type = sort->type,
                                  .record_bytes = sort->record_bytes,
                                  .keys = sort->keys,
                                  .key_count = sort->key_count,
                                  .thread_count = sorted->settings->thread_count};
    struct gs_report report = {0};
    struct gs_error why = {0};
    enum gs_status status = gsi_job_run(&options, NULL, &report, &why);
    if (status == GS_E_DISORDER)
        gsi_disorder_tell(options.inputs, options.input_count, options.unique, &report, &why);
    if (status != GS_OK)
        return gsi_fail(error, status == GS_E_DISORDER ? GS_E_VERIFY : status, 0,
                        "gsort's output, checked: %s", why.text);
    const struct gsi_tally_report *in = &sort_report->tally, *out = &report.tally;
    bool is_top = sort->has_top && sort->top_count < in->count;
    if (out->count != (is_top ? sort->top_count : in->count) ||
        (!is_top && memcmp(out->fingerprint, in->fingerprint, sizeof in->fingerprint) != 0))
        return gsi_fail(error, GS_E_VERIFY, 0,
                        "'%s': gsort's output does not hold what its input does",
                        sorted->settings->directory);
    return GS_OK;
}

/* gsi_run with everything filled in; *fd is the output, which has lost its name, or -1. */
static enum gs_status run(const struct bench_sorted *sorted, struct gsi_options *options,
                          struct gs_report *report, uint64_t *ns, int *fd, struct gs_error *error)
{
    bool is_sort = options->action == GS_SORT;
    const char *inputs[BENCH_INPUTS_MAX];
    *fd = -1;
    for (uint32_t i = 0; i < sorted->input_count; i++) {
        inputs[i] = sorted->input_paths[i];
        posix_fadvise(sorted->input_fds[i], 0, 0, POSIX_FADV_DONTNEED);
    }
    options->inputs = inputs;
    options->input_count = sorted->input_count;
    options->output = is_sort ? sorted->output_path : NULL;
    options->type = options->record_bytes > 0 ? NULL : sorted->settings->type;
    options->thread_count = sorted->settings->thread_count;
    memset(report, 0, sizeof *report);
    uint64_t begin = gsi_clock_ns();
    enum gs_status status = gsi_job_run(options, NULL, report, error);
    *ns = gsi_clock_ns() - begin;
    options->inputs = NULL; /* of this call only */
    if (status == GS_OK && is_sort) {
        *fd = open(sorted->output_path, O_RDWR | O_CLOEXEC);
        if (*fd < 0)
            status = gsi_fail(error, GS_E_IO, errno, "'%s': cannot open", sorted->output_path);
        unlink(sorted->output_path);
    }
    return status;
}

enum gs_status bench_sorted_run(const struct bench_sorted *sorted, struct gsi_options *options,
                                struct gs_report *report, uint64_t *ns, struct gs_error *error)
{
    enum gs_status status = GS_OK;
    bool is_sort = options->action == GS_SORT;
    int output = -1;
    if (is_sort)
        GSI_TRY_OR(bench_touch_memory(options->memory_bytes, error), done);
    GSI_TRY_OR(run(sorted, options, report, ns, &output, error), done);
    if (is_sort)
        GSI_TRY_OR(check_output(sorted, options, output, report, error), done);
done:
    if (output >= 0)
        close(output);
    return status;
}

enum gs_status bench_sorted_keep(const struct bench_sorted *sorted, struct gsi_options *options,
                                 int *fd, struct gs_error *error)
{
    struct gs_report report = {0};
    uint64_t ns;
    return run(sorted, options, &report, &ns, fd, error);
}

/* ---- one input ---- */

#define FILES_MOST 3u /* at one time: input, runs, output */

enum gs_status bench_input_open(struct bench_input *input, const struct bench_settings *settings,
                                struct gs_error *error)
{
    *input = (struct bench_input){.fd = -1};
    GSI_TRY(bench_space(settings, FILES_MOST, error));
    GSI_TRY(bench_raw_open(&input->raw, settings->directory, error));
    GSI_TRY(bench_raw_create(&input->raw, &input->fd, error));
    return bench_sorted_open(&input->sorted, settings, &input->fd, 1, error);
}

void bench_input_close(struct bench_input *input)
{
    if (input->fd >= 0)
        close(input->fd);
    bench_sorted_close(&input->sorted);
    bench_raw_close(&input->raw);
}

enum gs_status bench_input_fill(struct bench_input *input, uint64_t from, uint64_t to,
                                struct gs_error *error)
{
    return bench_raw_fill(&input->raw, input->fd, &(struct bench_fill){0}, from, to, error);
}

uint64_t bench_spilled_memory(const struct bench_settings *settings, uint64_t bytes)
{
    return settings->memory_bytes > 0 ? settings->memory_bytes : bytes / 4;
}
