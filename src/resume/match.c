/* match.c: compares settings as text, so that the error line can say what differs. Files are
 * compared by what the file system says about them, and by samples. */
#include "resume/resume_parts.h"

#include "base/checked.h"
#include "base/u128.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <xxhash.h>

/* A sample is so many blocks of a file at most, the first and the last among them, at least a step
 * apart. */
#define SAMPLES      16u
#define SAMPLE_BYTES 4096u
#define SAMPLE_STEP  ((uint64_t)1 << 20)

/* The setting that a process adopts from the journal, instead of comparing it. It has 20 digits. */
#define SEED "seed"

/* Longer settings in a journal are damage. */
#define SETTINGS_MOST_BYTES ((uint64_t)1 << 24)

enum gs_status gsi_resume_settings(struct gsi_resume *resume, const struct gsi_output *output)
{
    const struct gsi_resume_job *job = &resume->job;
    size_t bytes = 0;
    FILE *to = open_memstream(&resume->settings, &bytes);
    if (to != NULL) {
        bool has_directory = output->directory != NULL;
        fprintf(to, "--output%c%s%s%s%c", 0, has_directory ? output->directory : "",
                has_directory ? "/" : "", has_directory ? output->target_name : job->output, 0);
        job->put_settings(job->context, to);
        if (job->seed != NULL)
            fprintf(to, SEED "%c%020" PRIu64 "%c", 0, *job->seed, 0);
    }
    if (to == NULL || fclose(to) != 0)
        return gsi_fail(job->loop->error, GS_E_MEMORY, 0,
                        "out of memory: cannot allocate the settings");
    resume->setting_bytes = bytes;
    return GS_OK;
}

/* Both end with a NUL, as do all their parts. Another version has other names, or another order. */
static enum gs_status compare_settings(const struct gsi_resume *resume, const char *then,
                                       uint64_t then_bytes)
{
    const char *now = resume->settings;
    const char *then_end = then + then_bytes, *now_end = now + resume->setting_bytes;
    while (then < then_end && now < now_end) {
        const char *name = now;
        bool is_other = strcmp(then, now) != 0;
        then += strlen(then) + 1;
        now += strlen(now) + 1;
        if (is_other || then >= then_end)
            break;
        if (resume->job.seed != NULL && strcmp(name, SEED) == 0)
            *resume->job.seed = strtoull(then, NULL, 10);
        else if (strcmp(then, now) != 0)
            return gsi_fail(resume->job.loop->error, GS_E_USAGE, 0,
                            "'%s': contains a sort whose %s is '%s', not '%s'; repeat the same "
                            "command, or remove the directory to start again",
                            resume->dir.path, name, then, now);
        then += strlen(then) + 1;
        now += strlen(now) + 1;
    }
    return then == then_end && now == now_end
               ? GS_OK
               : gsi_snapshot_fail_version(resume, resume->job.loop->error);
}

/* They end BEGIN. */
enum gs_status gsi_resume_match_settings(const struct gsi_resume *resume)
{
    enum gs_status status = GS_OK;
    struct gs_error *error = resume->job.loop->error;
    const uint64_t bytes = resume->snapshot.begin.setting_bytes;
    const bool was_shuffled = resume->snapshot.begin.version == GSI_RESUME_SHUFFLED;
    char *then = NULL;
    if (was_shuffled != (resume->job.seed != NULL))
        return gsi_fail(error, GS_E_USAGE, 0,
                        "'%s': contains a sort with%s --shuffle; repeat the same command, or "
                        "remove the directory to start again",
                        resume->dir.path, was_shuffled ? "" : "out");
    if (bytes == 0 || bytes > SETTINGS_MOST_BYTES)
        return gsi_snapshot_fail_version(resume, error);
    GSI_TRY(GSI_NEW(NULL, then, bytes, error));
    GSI_TRY_OR(gsi_snapshot_get(resume, resume->first.end - bytes, then, bytes), done);
    status = then[bytes - 1] == '\0' ? compare_settings(resume, then, bytes)
                                     : gsi_snapshot_fail_version(resume, error);
done:
    GSI_FREE(NULL, then, bytes);
    return status;
}

/* Describes a file, with a sample: blocks at even distances, the last of which ends the file. */
static enum gs_status describe(const struct gsi_input *file, struct gsi_resume_input *described,
                               struct gs_error *error)
{
    uint8_t block[SAMPLE_BYTES];
    uint64_t bytes = gsi_min_u64(SAMPLE_BYTES, file->bytes), last = file->bytes - bytes;
    uint64_t count = gsi_clamp_u64(last / SAMPLE_STEP + 1, 1, SAMPLES);
    *described = (struct gsi_resume_input){.bytes = file->bytes,
                                           .inode = file->inode,
                                           .mtime_ns = file->mtime_ns,
                                           .ctime_ns = file->ctime_ns};
    for (uint64_t i = 0; i < count; i++) {
        uint64_t off = count > 1 ? gsi_part_begin(last, i, count - 1) : last;
        GSI_TRY(gsi_input_read(file, block, bytes, off, error));
        described->sample_hash = XXH3_64bits_withSeed(block, bytes, described->sample_hash);
    }
    return GS_OK;
}

enum gs_status gsi_resume_describe(const struct gsi_resume *resume, struct gsi_input *input,
                                   struct gsi_resume_input *described)
{
    const struct gsi_resume_job *job = &resume->job;
    struct stat target;
    bool was_closed = input->fd < 0;
    GSI_TRY(gsi_input_reopen(input, job->loop->error));
    enum gs_status status = describe(input, described, job->loop->error);
    described->is_output = stat(job->output, &target) == 0 && target.st_dev == input->device_id &&
                           target.st_ino == input->inode;
    if (was_closed)
        gsi_input_close_for_now(input);
    return status;
}

/* Returns what is different about a file; NULL: nothing that can be seen. */
static const char *find_change(const struct gsi_resume_input *then,
                               const struct gsi_resume_input *now, bool has_ctime)
{
    if (then->bytes != now->bytes)
        return "size";
    if (then->inode != now->inode)
        return "inode, so it is another file";
    if (then->mtime_ns != now->mtime_ns)
        return "modification time";
    if (has_ctime && then->ctime_ns != now->ctime_ns)
        return "change time";
    return then->sample_hash != now->sample_hash ? "content" : NULL;
}

/* An input that the output replaced may still have a second name. It lost a link, so its ctime
 * differs. */
static enum gs_status match_input(const struct gsi_resume *resume, struct gsi_input *input,
                                  const struct gsi_resume_input *then, bool is_placed)
{
    struct gsi_resume_input now;
    bool is_replaced = is_placed && then->is_output;
    if (is_replaced && input->inode == resume->snapshot.last[GSI_RESUME_DONE].head.done.file.inode)
        return GS_OK;
    GSI_TRY(gsi_resume_describe(resume, input, &now));
    const char *what = find_change(then, &now, !is_replaced);
    if (what == NULL)
        return GS_OK;
    return gsi_fail(resume->job.loop->error, GS_E_INPUT, 0,
                    "'%s': has changed since the sort in '%s' was started (%s); remove the "
                    "directory to start again",
                    input->name, resume->dir.path, what);
}

enum gs_status gsi_resume_match_inputs(const struct gsi_resume *resume, bool is_placed)
{
    const struct gsi_resume_job *job = &resume->job;
    struct gsi_resume_entry entry;
    struct gsi_resume_input then;
    size_t i = 0;
    struct gsi_journal at = resume->first;
    do {
        GSI_TRY(gsi_snapshot_next(resume, &at, &entry));
        const uint64_t count = entry.type == GSI_RESUME_INPUTS ? entry.head.inputs.count : 0;
        for (uint64_t k = 0; k < count && i < job->inputs->count; k++) {
            GSI_TRY(
                gsi_snapshot_get(resume, entry.arrays[0] + k * sizeof then, &then, sizeof then));
            GSI_TRY(match_input(resume, &job->inputs->table[i++], &then, is_placed));
        }
    } while (entry.type == GSI_RESUME_INPUTS);
    return i == job->inputs->count ? GS_OK : gsi_snapshot_fail_version(resume, job->loop->error);
}

enum gs_status gsi_resume_describe_output(const struct gsi_resume *resume, int fd,
                                          struct gsi_resume_input *described)
{
    const struct gsi_resume_job *job = &resume->job;
    struct stat info;
    if (fstat(fd, &info) != 0)
        return gsi_fail(job->loop->error, GS_E_IO, errno, "'%s': cannot read its size",
                        job->target->output.name);
    const struct gsi_input file = {.name = job->target->output.name,
                                   .fd = fd,
                                   .bytes = (uint64_t)info.st_size,
                                   .inode = info.st_ino,
                                   .mtime_ns = (int64_t)info.st_mtim.tv_sec * 1000000000 +
                                               info.st_mtim.tv_nsec};
    return describe(&file, described, job->loop->error);
}

enum gs_status gsi_resume_is_output(const struct gsi_resume *resume, int fd, bool *is_output)
{
    const struct gsi_resume_input *then = &resume->snapshot.last[GSI_RESUME_DONE].head.done.file;
    struct gsi_resume_input now;
    enum gs_status status = gsi_resume_describe_output(resume, fd, &now);
    *is_output = status == GS_OK && find_change(then, &now, false) == NULL;
    return status;
}
