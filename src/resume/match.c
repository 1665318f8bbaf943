/* match.c: reads a journal from its first entry to its last. A new journal begins with what has to
 * be the same when the sort continues. Settings are compared as text, so that the error line can
 * say what differs. Files are compared by what the file system says of them and by samples. */
#include "resume/match.h"

#include "base/assert.h"
#include "base/checked.h"
#include "base/u128.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <xxhash.h>

/* Of a file so many blocks are looked at, at most, the first and the last among them. */
#define SAMPLES      16u
#define SAMPLE_BYTES 4096u

/* How far apart they are, at least. */
#define SAMPLE_STEP ((uint64_t)1 << 20)

/* Inputs an entry, at most: of a million there are 245 entries, each of which is synced. */
#define INPUTS_AT_ONCE GSI_CONSTANT(4096u, 3u)

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
        fwrite(job->settings, 1, job->setting_bytes, to);
        if (job->seed != NULL)
            fprintf(to, SEED "%c%020" PRIu64 "%c", 0, *job->seed, 0);
    }
    if (to == NULL || fclose(to) != 0)
        return gsi_fail(job->loop->error, GS_E_MEMORY, 0,
                        "out of memory: cannot allocate the settings");
    resume->setting_bytes = bytes;
    return GS_OK;
}

/* Both are whole: they end with a NUL, as do all parts of them. Names are the same, in the same
 * order, or it is another version. */
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
               : gsi_resume_fail_version(resume, resume->job.loop->error);
}

enum gs_status gsi_resume_match_settings(const struct gsi_resume *resume,
                                         const struct gsi_resume_entry *begin)
{
    enum gs_status status = GS_OK;
    uint64_t bytes = begin->head.begin.setting_bytes;
    char *then = NULL;
    bool was_shuffled = begin->head.begin.version == GSI_RESUME_SHUFFLED;
    if (was_shuffled != (resume->job.seed != NULL))
        return gsi_fail(resume->job.loop->error, GS_E_USAGE, 0,
                        "'%s': contains a sort with%s --shuffle; repeat the same command, or "
                        "remove the directory to start again",
                        resume->dir.path, was_shuffled ? "" : "out");
    if (bytes == 0 || bytes > SETTINGS_MOST_BYTES)
        return gsi_resume_fail_version(resume, resume->job.loop->error);
    GSI_TRY(GSI_NEW(NULL, then, bytes, resume->job.loop->error));
    GSI_TRY_OR(gsi_resume_get(resume, begin->parts[0], then, bytes), done);
    status = then[bytes - 1] == '\0' ? compare_settings(resume, then, bytes)
                                     : gsi_resume_fail_version(resume, resume->job.loop->error);
done:
    GSI_FREE(NULL, then, bytes);
    return status;
}

/* Blocks at even distances; the last one ends the file. */
static enum gs_status sample(const struct gsi_input *input, uint64_t *hash, struct gs_error *error)
{
    uint8_t block[SAMPLE_BYTES];
    uint64_t bytes = gsi_min_u64(SAMPLE_BYTES, input->bytes), last = input->bytes - bytes;
    uint64_t count = gsi_clamp_u64(last / SAMPLE_STEP + 1, 1, SAMPLES);
    *hash = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t off = count > 1 ? gsi_part_begin(last, i, count - 1) : last;
        GSI_TRY(gsi_input_read(input, block, bytes, off, error));
        *hash = XXH3_64bits_withSeed(block, bytes, *hash);
    }
    return GS_OK;
}

enum gs_status gsi_resume_describe(const struct gsi_resume *resume, struct gsi_input *input,
                                   struct gsi_resume_input *described)
{
    const struct gsi_resume_job *job = &resume->job;
    struct stat target;
    bool was_closed = input->fd < 0;
    enum gs_status status = gsi_input_reopen(input, job->loop->error);
    if (status != GS_OK)
        return status;
    *described = (struct gsi_resume_input){.bytes = input->bytes,
                                           .inode = input->inode,
                                           .mtime_ns = input->mtime_ns,
                                           .ctime_ns = input->ctime_ns};
    described->is_output = stat(job->output, &target) == 0 && target.st_dev == input->device_id &&
                           target.st_ino == input->inode;
    status = sample(input, &described->sample_hash, job->loop->error);
    if (was_closed)
        gsi_input_close_for_now(input);
    return status;
}

/* What is different about a file; NULL: nothing that can be seen. */
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

/* A second name of what was replaced is still the old file, with one link less. */
static enum gs_status match_input(const struct gsi_resume *resume, struct gsi_input *input,
                                  const struct gsi_resume_input *then, bool is_placed)
{
    struct gsi_resume_input now;
    bool is_replaced = is_placed && then->is_output;
    if (is_replaced && input->inode == resume->done.head.done.file.inode)
        return GS_OK;
    enum gs_status status = gsi_resume_describe(resume, input, &now);
    if (status != GS_OK)
        return status;
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
    enum gs_status status = GS_OK;
    const struct gsi_resume_job *job = &resume->job;
    struct gsi_resume_entry entry;
    struct gsi_resume_input then;
    bool is_there;
    size_t i = 0;
    struct gsi_journal at = resume->first;
    GSI_TRY(gsi_resume_next(resume, &at, &entry, &is_there));
    while (is_there && entry.type == GSI_RESUME_INPUTS) {
        for (uint64_t k = 0; k < entry.head.inputs.count && i < job->inputs->count; k++) {
            GSI_TRY(gsi_resume_get(resume, entry.parts[0] + k * sizeof then, &then, sizeof then));
            GSI_TRY(match_input(resume, &job->inputs->table[i++], &then, is_placed));
        }
        GSI_TRY(gsi_resume_next(resume, &at, &entry, &is_there));
    }
    if (i < job->inputs->count)
        status = gsi_resume_fail_version(resume, resume->job.loop->error);
    return status;
}

enum gs_status gsi_resume_describe_output(const struct gsi_resume *resume, int fd,
                                          struct gsi_resume_input *described)
{
    const struct gsi_resume_job *job = &resume->job;
    struct stat info;
    if (fstat(fd, &info) != 0)
        return gsi_fail(job->loop->error, GS_E_IO, errno, "'%s': cannot read its size",
                        job->target->output.name);
    const struct gsi_input file = {
        .name = job->target->output.name, .fd = fd, .bytes = (uint64_t)info.st_size};
    *described = (struct gsi_resume_input){.bytes = file.bytes,
                                           .inode = info.st_ino,
                                           .mtime_ns = (int64_t)info.st_mtim.tv_sec * 1000000000 +
                                                       info.st_mtim.tv_nsec};
    return sample(&file, &described->sample_hash, job->loop->error);
}

enum gs_status gsi_resume_is_output(const struct gsi_resume *resume, int fd, bool *is_output)
{
    struct gsi_resume_input now;
    enum gs_status status = gsi_resume_describe_output(resume, fd, &now);
    *is_output = status == GS_OK && find_change(&resume->done.head.done.file, &now, false) == NULL;
    return status;
}

/* ---- the journal as a whole ---- */

static void add_up(struct gsi_resume *resume, const struct gsi_resume_entry *entry,
                   uint64_t *inputs)
{
    resume->entry_count += entry->type != GSI_RESUME_INPUTS;
    switch (entry->type) {
    case GSI_RESUME_INPUTS:
        *inputs += entry->head.inputs.count;
        break;
    case GSI_RESUME_RUN:
        resume->run_count++;
        resume->data_bytes = entry->head.run.data_bytes;
        resume->runs_end = gsi_max_u64(resume->runs_end, entry->head.run.runs_end);
        break;
    case GSI_RESUME_COUNTS:
        resume->counts = *entry;
        resume->data_bytes = entry->head.counts.data_bytes;
        break;
    case GSI_RESUME_MERGED:
        resume->runs_end = gsi_max_u64(resume->runs_end, entry->head.merged.runs_end);
        break;
    case GSI_RESUME_WRITTEN:
        resume->written = *entry;
        resume->written_count++;
        break;
    default:
        resume->done = *entry;
        break;
    }
}

/* The version comes first in any record, whatever is behind it. */
static enum gs_status check_version(const struct gsi_resume *resume)
{
    struct gsi_journal at = resume->journal;
    struct gsi_journal_entry raw;
    uint32_t version = GSI_RESUME_VERSION;
    bool is_there;
    if (gsi_journal_next(&at, &raw, &is_there) == 0 && is_there && raw.type == GSI_RESUME_BEGIN)
        GSI_TRY(gsi_resume_get(resume, raw.off, &version, sizeof version));
    if (version >= GSI_RESUME_VERSION && version <= GSI_RESUME_SHUFFLED)
        return GS_OK;
    return gsi_fail(
        resume->job.loop->error, GS_E_USAGE, 0,
        "'%s/manifest': is a journal of version %u, but this gsort reads versions %u to %u; "
        "use the gsort that started it, or remove the directory to start again",
        resume->dir.path, version, GSI_RESUME_VERSION, GSI_RESUME_SHUFFLED);
}

enum gs_status gsi_resume_journal_read(struct gsi_resume *resume)
{
    struct gsi_resume_entry begin, entry;
    uint64_t inputs = 0;
    bool is_there;
    GSI_TRY(check_version(resume));
    GSI_TRY(gsi_resume_entry_next(resume, &resume->journal, &begin, &is_there));
    if (!is_there || begin.type != GSI_RESUME_BEGIN || begin.head.begin.thread_count == 0)
        GSI_TRY(gsi_resume_fail_version(resume, resume->job.loop->error));
    resume->has_begin = true;
    resume->first = resume->journal;
    struct gsi_journal at = resume->first;
    GSI_TRY(gsi_resume_next(resume, &at, &entry, &is_there));
    while (is_there) {
        add_up(resume, &entry, &inputs);
        resume->journal = at;
        GSI_TRY(gsi_resume_next(resume, &at, &entry, &is_there));
    }
    if (inputs != begin.head.begin.input_count)
        GSI_TRY(gsi_resume_fail_version(resume, resume->job.loop->error));
    resume->has_entries = resume->entry_count > 0;
    if (!resume->has_entries)
        return GS_OK;
    GSI_TRY(gsi_resume_match_settings(resume, &begin));
    resume->begin = begin.head.begin;
    return GS_OK;
}

/* Takes memory that the plan does not know: it is given back before the arena is taken. */
static enum gs_status append_inputs(struct gsi_resume *resume, int *refusal)
{
    enum gs_status status = GS_OK;
    const struct gsi_resume_job *job = &resume->job;
    struct gsi_resume_inputs head;
    uint64_t most = gsi_min_u64(job->inputs->count, INPUTS_AT_ONCE);
    struct gsi_resume_input *inputs;
    GSI_TRY(GSI_NEW(&job->loop->ledger, inputs, most, job->loop->error));
    for (uint64_t i = 0; status == GS_OK && *refusal == 0 && i < job->inputs->count;
         i += head.count) {
        head.count = gsi_min_u64(most, job->inputs->count - i);
        for (uint64_t k = 0; status == GS_OK && k < head.count; k++)
            status = gsi_resume_describe(resume, &job->inputs->table[i + k], &inputs[k]);
        const struct iovec parts[] = {{.iov_base = &head, .iov_len = sizeof head},
                                      {.iov_base = inputs, .iov_len = head.count * sizeof *inputs}};
        if (status == GS_OK)
            *refusal = gsi_journal_append(&resume->journal, GSI_RESUME_INPUTS, parts, 2);
    }
    GSI_FREE(&job->loop->ledger, inputs, most);
    return status;
}

enum gs_status gsi_resume_journal_begin(struct gsi_resume *resume, const char *name,
                                        const char *new_name)
{
    const struct gsi_resume_job *job = &resume->job;
    const struct iovec parts[] = {
        {.iov_base = &resume->begin, .iov_len = sizeof resume->begin},
        {.iov_base = resume->settings, .iov_len = resume->begin.setting_bytes}};
    gsi_kept_dir_remove(&resume->dir, new_name);
    resume->journal = (struct gsi_journal){.fd = -1};
    GSI_TRY(gsi_kept_dir_file(&resume->dir, new_name, true, &resume->journal.fd, job->loop->error));
    int refusal = gsi_journal_append(&resume->journal, GSI_RESUME_BEGIN, parts, 2);
    if (refusal == 0)
        GSI_TRY(append_inputs(resume, &refusal));
    if (refusal == 0 && renameat(resume->dir.fd, new_name, resume->dir.fd, name) != 0)
        refusal = errno;
    if (refusal != 0)
        return gsi_fail(job->loop->error, gsi_status_of_errno(refusal), refusal,
                        "'%s/%s': cannot write", resume->dir.path, name);
    return GS_OK;
}
