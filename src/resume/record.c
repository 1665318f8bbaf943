/* record.c: entries to the journal and back. */
#include "resume/record.h"

#include "base/checked.h"
#include "resume/match.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Inputs an entry, at most: of a million there are 245 entries, each of which is synced. */
#define INPUTS_AT_ONCE 4096u

enum gs_status gsi_resume_fail_version(const struct gsi_resume *resume)
{
    return gsi_fail(resume->job->error, GS_E_CORRUPT, 0,
                    "'%s/manifest': is no record of a sort that this gsort can go on with; remove "
                    "that directory to begin anew, or choose another one",
                    resume->dir.path);
}

enum gs_status gsi_resume_get(const struct gsi_resume *resume, uint64_t off, void *data,
                              uint64_t bytes)
{
    int64_t moved = gsi_file_read(resume->journal.fd, data, bytes, off);
    if (moved < 0)
        return gsi_fail(resume->job->error, GS_E_IO, errno, "'%s/manifest': cannot read",
                        resume->dir.path);
    if ((uint64_t)moved == bytes)
        return GS_OK;
    return resume->is_ours ? gsi_resume_fail_wrong(resume) : gsi_resume_fail_version(resume);
}

/* Any entry; one that this gsort does not know is the end. */
static enum gs_status read_entry(const struct gsi_resume *resume, struct gsi_journal *journal,
                                 struct gsi_resume_entry *entry, bool *is_there)
{
    enum gs_status status = GS_OK;
    struct gsi_journal_entry raw;
    int refusal = gsi_journal_next(journal, &raw, is_there);
    if (refusal != 0)
        return gsi_fail(resume->job->error, GS_E_IO, refusal, "'%s/manifest': cannot read",
                        resume->dir.path);
    if (!*is_there)
        return GS_OK;
    memset(entry, 0, sizeof *entry);
    GSI_TRY(gsi_resume_get(resume, raw.off, &entry->head,
                           gsi_min_u64(raw.bytes, gsi_resume_head_bytes(raw.type))));
    *is_there = gsi_resume_decode(&raw, entry);
fail:
    return status;
}

enum gs_status gsi_resume_next(const struct gsi_resume *resume, struct gsi_journal *journal,
                               struct gsi_resume_entry *entry, bool *is_there)
{
    enum gs_status status = read_entry(resume, journal, entry, is_there);
    *is_there = status == GS_OK && *is_there && entry->type != GSI_RESUME_BEGIN;
    return status;
}

static void add_up(struct gsi_resume *resume, const struct gsi_resume_entry *entry,
                   uint64_t *inputs)
{
    resume->entry_count += entry->type != GSI_RESUME_INPUTS;
    switch (entry->type) {
    case GSI_RESUME_INPUTS:
        *inputs += entry->head.inputs.count;
        break;
    case GSI_RESUME_RUN:
        resume->data_bytes = entry->head.run.data_bytes;
        resume->runs_end = gsi_max_u64(resume->runs_end, entry->head.run.runs_end);
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

enum gs_status gsi_resume_record_read(struct gsi_resume *resume)
{
    enum gs_status status = GS_OK;
    struct gsi_resume_entry begin, entry;
    uint64_t inputs = 0;
    bool is_there;
    GSI_TRY(read_entry(resume, &resume->journal, &begin, &is_there));
    if (!is_there || begin.type != GSI_RESUME_BEGIN ||
        begin.head.begin.version != GSI_RESUME_VERSION || begin.head.begin.thread_count == 0)
        GSI_TRY(gsi_resume_fail_version(resume));
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
        GSI_TRY(gsi_resume_fail_version(resume));
    resume->has_record = resume->entry_count > 0;
    if (!resume->has_record)
        return GS_OK;
    GSI_TRY(gsi_resume_match_settings(resume, &begin));
    resume->begin = begin.head.begin;
fail:
    return status;
}

static enum gs_status append_inputs(struct gsi_resume *resume, int *refusal)
{
    enum gs_status status = GS_OK;
    struct gsi_job *job = resume->job;
    struct gsi_resume_inputs head;
    uint64_t most = gsi_min_u64(job->input_count, INPUTS_AT_ONCE);
    void *memory;
    GSI_TRY(
        gsi_memory_alloc(&job->ledger, most, sizeof(struct gsi_resume_input), &memory, job->error));
    struct gsi_resume_input *inputs = memory;
    for (uint64_t i = 0; status == GS_OK && *refusal == 0 && i < job->input_count;
         i += head.count) {
        head.count = gsi_min_u64(most, job->input_count - i);
        for (uint64_t k = 0; status == GS_OK && k < head.count; k++)
            status = gsi_resume_describe(resume, &job->inputs[i + k], &inputs[k]);
        const struct iovec parts[] = {{.iov_base = &head, .iov_len = sizeof head},
                                      {.iov_base = inputs, .iov_len = head.count * sizeof *inputs}};
        if (status == GS_OK)
            *refusal = gsi_journal_append(&resume->journal, GSI_RESUME_INPUTS, parts, 2);
    }
    gsi_memory_free(&job->ledger, memory, most, sizeof *inputs);
fail:
    return status;
}

uint64_t gsi_resume_record_bytes(const struct gsi_job *job)
{
    return gsi_min_u64(job->input_count, INPUTS_AT_ONCE) * sizeof(struct gsi_resume_input);
}

enum gs_status gsi_resume_record_begin(struct gsi_resume *resume, const char *name,
                                       const char *new_name)
{
    enum gs_status status = GS_OK;
    struct gsi_job *job = resume->job;
    const struct iovec parts[] = {
        {.iov_base = &resume->begin, .iov_len = sizeof resume->begin},
        {.iov_base = resume->settings, .iov_len = resume->begin.setting_bytes}};
    gsi_kept_dir_remove(&resume->dir, new_name);
    resume->journal = (struct gsi_journal){.fd = -1};
    GSI_TRY(gsi_kept_dir_file(&resume->dir, new_name, true, &resume->journal.fd, job->error));
    int refusal = gsi_journal_append(&resume->journal, GSI_RESUME_BEGIN, parts, 2);
    if (refusal == 0)
        GSI_TRY(append_inputs(resume, &refusal));
    if (refusal == 0 && renameat(resume->dir.fd, new_name, resume->dir.fd, name) != 0)
        refusal = errno;
    if (refusal != 0)
        GSI_TRY(gsi_fail(job->error, gsi_status_of_errno(refusal), refusal, "'%s/%s': cannot write",
                         resume->dir.path, name));
fail:
    return status;
}

static void write_entry(struct gsi_task *task, uint32_t worker_idx)
{
    (void)worker_idx;
    struct gsi_resume *resume =
        (struct gsi_resume *)((uint8_t *)task - offsetof(struct gsi_resume, task));
    resume->refusal = fdatasync(resume->sync_fd) == 0 ? 0 : errno;
    if (resume->refusal == 0)
        resume->refusal =
            gsi_journal_append(&resume->journal, resume->type, resume->parts, resume->part_count);
}

static void entry_written(struct gsi_task *task)
{
    struct gsi_resume *resume =
        (struct gsi_resume *)((uint8_t *)task - offsetof(struct gsi_resume, task));
    resume->is_recording = false;
    if (resume->refusal != 0) {
        gsi_fail(resume->job->error, gsi_status_of_errno(resume->refusal), resume->refusal,
                 "'%s': cannot put on record what was done", resume->dir.path);
        return;
    }
    resume->entry_count++;
    if (resume->recorded != NULL)
        resume->recorded(resume);
}

void gsi_resume_record(struct gsi_resume *resume, enum gsi_resume_type type, int sync_fd,
                       void (*recorded)(struct gsi_resume *resume))
{
    resume->type = type;
    resume->sync_fd = sync_fd;
    resume->recorded = recorded;
    resume->parts[0] =
        (struct iovec){.iov_base = &resume->head, .iov_len = gsi_resume_head_bytes(type)};
    resume->is_recording = true;
    resume->task = (struct gsi_task){.run = write_entry, .done = entry_written, .is_urgent = true};
    gsi_pool_submit(resume->job->disk_pool, &resume->task);
}

enum gs_status gsi_resume_wait(struct gsi_job *job)
{
    enum gs_status status = GS_OK;
    while (job->resume->is_recording)
        GSI_TRY(gsi_job_wait(job));
    return job->error->status;
fail:
    return status;
}
