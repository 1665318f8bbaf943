/* journal_io.c: writes entries to the journal and reads them back. */
#include "resume/journal_io.h"

#include "base/checked.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum gs_status gsi_resume_fail_version(const struct gsi_resume *resume, struct gs_error *error)
{
    return gsi_fail(error, GS_E_USAGE, 0,
                    "'%s/manifest': is not the journal of a sort that this gsort can resume; "
                    "remove the directory to start again, or choose another one",
                    resume->dir.path);
}

enum gs_status gsi_resume_get(const struct gsi_resume *resume, uint64_t off, void *data,
                              uint64_t bytes)
{
    int64_t moved = gsi_file_read(resume->journal.fd, data, bytes, off);
    if (moved < 0)
        return gsi_fail(resume->job.loop->error, GS_E_IO, errno, "'%s/manifest': cannot read",
                        resume->dir.path);
    if ((uint64_t)moved == bytes)
        return GS_OK;
    return resume->is_ours ? gsi_resume_fail_wrong(resume)
                           : gsi_resume_fail_version(resume, resume->job.loop->error);
}

/* Any entry; one that this gsort does not know is the end. */
enum gs_status gsi_resume_entry_next(const struct gsi_resume *resume, struct gsi_journal *journal,
                                     struct gsi_resume_entry *entry, bool *is_there)
{
    struct gsi_journal_entry raw;
    int refusal = gsi_journal_next(journal, &raw, is_there);
    if (refusal != 0)
        return gsi_fail(resume->job.loop->error, GS_E_IO, refusal, "'%s/manifest': cannot read",
                        resume->dir.path);
    if (!*is_there)
        return GS_OK;
    memset(entry, 0, sizeof *entry);
    GSI_TRY(gsi_resume_get(resume, raw.off, &entry->head,
                           gsi_min_u64(raw.bytes, gsi_resume_head_bytes(raw.type))));
    *is_there = gsi_resume_decode(&raw, entry);
    return GS_OK;
}

enum gs_status gsi_resume_next(const struct gsi_resume *resume, struct gsi_journal *journal,
                               struct gsi_resume_entry *entry, bool *is_there)
{
    enum gs_status status = gsi_resume_entry_next(resume, journal, entry, is_there);
    *is_there = status == GS_OK && *is_there && entry->type != GSI_RESUME_BEGIN;
    return status;
}

static void write_entry(struct gsi_task *task, uint32_t worker_idx)
{
    (void)worker_idx;
    struct gsi_resume *resume = GSI_CONTAINER_OF(task, struct gsi_resume, task);
    resume->refusal = resume->sync_fd < 0 || fdatasync(resume->sync_fd) == 0 ? 0 : errno;
    if (resume->refusal == 0)
        resume->refusal =
            gsi_journal_append(&resume->journal, resume->type, resume->parts, resume->part_count);
}

static void entry_written(struct gsi_task *task)
{
    struct gsi_resume *resume = GSI_CONTAINER_OF(task, struct gsi_resume, task);
    resume->is_appending = false;
    if (resume->refusal != 0) {
        gsi_fail(resume->job.loop->error, gsi_status_of_errno(resume->refusal), resume->refusal,
                 "'%s': cannot write the journal", resume->dir.path);
        return;
    }
    resume->entry_count++;
    if (resume->appended != NULL)
        resume->appended(resume);
}

void gsi_resume_append(struct gsi_resume *resume, enum gsi_resume_type type, int sync_fd,
                       void (*appended)(struct gsi_resume *resume))
{
    resume->type = type;
    resume->sync_fd = sync_fd;
    resume->appended = appended;
    resume->parts[0] =
        (struct iovec){.iov_base = &resume->head, .iov_len = gsi_resume_head_bytes(type)};
    resume->is_appending = true;
    resume->task = (struct gsi_task){.run = write_entry, .done = entry_written, .is_urgent = true};
    gsi_pool_submit(resume->job.loop->disk_pool, &resume->task);
}

bool gsi_resume_is_idle(const struct gsi_resume *resume)
{
    return resume == NULL || !resume->is_appending;
}

enum gs_status gsi_resume_wait(struct gsi_resume *resume)
{
    while (!gsi_resume_is_idle(resume))
        GSI_TRY(gsi_loop_wait(resume->job.loop));
    return resume != NULL ? resume->job.loop->error->status : GS_OK;
}
