/* faults_embed.c: with GSORT_FAULTS_BY=CALL, runs the jobs of gsort-faults by the calls for data in
 * memory, so that these get the same faults. The input is copied to memory first, and the result to
 * the output.
 *
 *     sorter     reserved and pushed, pulled
 *     parts      the same, then ranks, and the output as three parts
 *     array      sorted in its place
 *     argsort    the output are the elements at their positions */
#include "api/handle.h"
#include "job/job_report.h"
#include "support/struct_jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ELEMENT_BYTES 8
#define PIECE_BYTES   16384

struct embed {
    struct gsi_options options; /* without files */
    uint8_t *data;
    uint64_t bytes;
    gs_output *output;
    uint64_t written;
    struct gs_report *report;
    struct gs_error *error;
};

#define TRY(call)                        \
    do {                                 \
        enum gs_status status_ = (call); \
        if (status_ != GS_OK)            \
            return status_;              \
    } while (0)

static enum gs_status read_input(struct embed *embed, const char *path)
{
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return gs_fail(embed->error, GS_E_IO, errno, "'%s': cannot open", path);
    if (fstat(fd, &info) != 0) {
        gs_fail(embed->error, GS_E_IO, errno, "'%s': cannot ask for its size", path);
        close(fd);
        return GS_E_IO;
    }
    embed->data = malloc((size_t)info.st_size + 1);
    ssize_t moved = embed->data != NULL ? read(fd, embed->data, (size_t)info.st_size) : -1;
    close(fd);
    if (moved != info.st_size)
        return gs_fail(embed->error, GS_E_MEMORY, 0, "out of memory: cannot hold '%s'", path);
    embed->bytes = (uint64_t)moved;
    return GS_OK;
}

static enum gs_status put(struct embed *embed, const void *data, uint64_t bytes)
{
    TRY(gs_output_write(embed->output, data, bytes, embed->written, embed->error));
    embed->written += bytes;
    return GS_OK;
}

static enum gs_status feed(struct embed *embed, gs_sorter *sorter)
{
    for (uint64_t off = 0; off < embed->bytes;) {
        uint64_t bytes = embed->bytes - off < PIECE_BYTES ? embed->bytes - off : PIECE_BYTES;
        void *room;
        if (off % (2 * PIECE_BYTES) == 0) {
            TRY(gs_sorter_push(sorter, embed->data + off, bytes, embed->error));
        } else {
            TRY(gs_sorter_reserve(sorter, bytes, &room, &bytes, embed->error));
            memcpy(room, embed->data + off, bytes);
            TRY(gs_sorter_commit(sorter, room, bytes, embed->error));
        }
        off += bytes;
    }
    return gs_sorter_finish(sorter, embed->error);
}

static enum gs_status drain(struct embed *embed, gs_sorter *sorter)
{
    const void *data;
    uint64_t bytes;
    do {
        TRY(gs_sorter_pull(sorter, &data, &bytes, embed->error));
        TRY(put(embed, data, bytes));
    } while (bytes > 0);
    return GS_OK;
}

static enum gs_status drain_parts(struct embed *embed, gs_sorter *sorter)
{
    uint8_t element[ELEMENT_BYTES];
    uint64_t below, not_above, bytes;
    const void *data;
    TRY(gs_sorter_rank(sorter, 1000, element, embed->error));
    TRY(gs_sorter_rank_of(sorter, element, &below, &not_above, embed->error));
    if (below > 1000 || not_above <= 1000)
        return gs_fail(embed->error, GS_E_CORRUPT, 0, "memory: a rank is wrong");
    for (uint32_t i = 0; i < 3; i++)
        do {
            TRY(gs_sorter_pull_part(sorter, i, 3, &data, &bytes, embed->error));
            TRY(put(embed, data, bytes));
        } while (bytes > 0);
    return GS_OK;
}

static enum gs_status by_sorter(struct embed *embed, bool has_parts)
{
    gs_sorter *sorter;
    TRY(open_struct_sorter(&embed->options, &sorter, embed->error));
    enum gs_status status = feed(embed, sorter);
    if (status == GS_OK)
        status = has_parts ? drain_parts(embed, sorter) : drain(embed, sorter);
    if (status == GS_OK)
        status = struct_sorter_report(sorter, embed->report, embed->error);
    gs_sorter_close(sorter);
    return status;
}

static enum gs_status by_array(struct embed *embed)
{
    TRY(gs_sort_array(embed->data, embed->bytes, &embed->options, embed->report, embed->error));
    return put(embed, embed->data, embed->bytes);
}

static enum gs_status by_argsort(struct embed *embed)
{
    static uint64_t positions[1 << 16];
    TRY(gs_argsort_array(embed->data, embed->bytes, &embed->options, positions, embed->report,
                         embed->error));
    for (uint64_t i = 0; i < embed->bytes / ELEMENT_BYTES; i++)
        memcpy(positions + i, embed->data + positions[i] * ELEMENT_BYTES, ELEMENT_BYTES);
    return put(embed, positions, embed->bytes);
}

static enum gs_status run(struct embed *embed, const char *by, const char *input,
                          const char *output)
{
    TRY(read_input(embed, input));
    TRY(gs_output_open(output, &embed->output, embed->error));
    if (strcmp(by, "array") == 0)
        TRY(by_array(embed));
    else if (strcmp(by, "argsort") == 0)
        TRY(by_argsort(embed));
    else if (strcmp(by, "sorter") == 0 || strcmp(by, "parts") == 0)
        TRY(by_sorter(embed, strcmp(by, "parts") == 0));
    else
        TRY(gs_fail(embed->error, GS_E_USAGE, 0, "GSORT_FAULTS_BY: there is no '%s'", by));
    return gs_output_commit(embed->output, embed->written, embed->error);
}

static enum gs_status work(void *by, struct gsi_options *options,
                           const bool is_given[GSI_OPT_COUNT], struct gs_report *report,
                           struct gs_error *error)
{
    struct embed embed = {.report = report, .error = error, .options = *options};
    (void)is_given;
    embed.options.inputs = NULL;
    embed.options.input_count = 0;
    embed.options.output = NULL;
    embed.options.type = "u64";
    enum gs_status status = run(&embed, by, options->inputs[0], options->output);
    report->output.is_placed = status == GS_OK; /* of the output, where it said so of an array */
    gs_output_close(embed.output);
    free(embed.data);
    return status;
}

enum gs_status __real_gs_job_run(gs_job *job, enum gs_action action);
enum gs_status __wrap_gs_job_run(gs_job *job, enum gs_action action);

/* The program's call. */
enum gs_status __wrap_gs_job_run(gs_job *job, enum gs_action action)
{
    char *by = getenv("GSORT_FAULTS_BY");
    return by == NULL ? __real_gs_job_run(job, action) : gsi_job_run_work(job, action, work, by);
}
