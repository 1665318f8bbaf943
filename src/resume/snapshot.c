/* snapshot.c: sums up a journal, and appends to it. */
#include "resume/resume_parts.h"

#include "base/checked.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum gs_status gsi_snapshot_fail_version(const struct gsi_resume *resume, struct gs_error *error)
{
    return gsi_fail(error, GS_E_USAGE, 0,
                    "'%s/manifest': is not the journal of a sort that this gsort can resume; "
                    "remove the directory to start again, or choose another one",
                    resume->dir.path);
}

enum gs_status gsi_snapshot_fail_wrong(const struct gsi_resume *resume)
{
    return gsi_fail(resume->job.loop->error, GS_E_CORRUPT, 0,
                    "'%s': its files do not match its journal and were removed; start again",
                    resume->dir.path);
}

/* ---- reading ---- */

static enum gs_status fail_read(const struct gsi_resume *resume, int refusal)
{
    return gsi_fail(resume->job.loop->error, GS_E_IO, refusal, "'%s/manifest': cannot read",
                    resume->dir.path);
}

enum gs_status gsi_snapshot_get(const struct gsi_resume *resume, uint64_t off, void *data,
                                uint64_t bytes)
{
    int64_t moved = gsi_file_read(resume->journal.fd, data, bytes, off);
    if (moved < 0)
        return fail_read(resume, errno);
    if ((uint64_t)moved == bytes)
        return GS_OK;
    return resume->is_ours ? gsi_snapshot_fail_wrong(resume)
                           : gsi_snapshot_fail_version(resume, resume->job.loop->error);
}

enum gs_status gsi_snapshot_load(const struct gsi_resume *resume,
                                 const struct gsi_resume_entry *entry, uint32_t idx, void *data,
                                 uint64_t bytes)
{
    if (gsi_resume_array_bytes(entry->type, &entry->head, idx) != bytes)
        return gsi_snapshot_fail_wrong(resume);
    return gsi_snapshot_get(resume, entry->arrays[idx], data, bytes);
}

static enum gs_status check_version(const struct gsi_resume *resume, uint32_t version)
{
    if (version >= GSI_RESUME_VERSION && version <= GSI_RESUME_SHUFFLED)
        return GS_OK;
    return gsi_fail(
        resume->job.loop->error, GS_E_USAGE, 0,
        "'%s/manifest': is a journal of version %u, but this gsort reads versions %u to %u; "
        "use the gsort that started it, or remove the directory to start again",
        resume->dir.path, version, GSI_RESUME_VERSION, GSI_RESUME_SHUFFLED);
}

/* BEGIN is the first entry, and only that. An entry that this gsort does not know is the end. */
enum gs_status gsi_snapshot_next(const struct gsi_resume *resume, struct gsi_journal *at,
                                 struct gsi_resume_entry *entry)
{
    struct gsi_journal_entry raw;
    const bool is_first = at->end == 0;
    bool is_there;
    int refusal = gsi_journal_next(at, &raw, &is_there);
    memset(entry, 0, sizeof *entry);
    if (refusal != 0)
        return fail_read(resume, refusal);
    if (!is_there || (raw.type == GSI_RESUME_BEGIN) != is_first)
        return GS_OK;
    GSI_TRY(gsi_snapshot_get(resume, raw.off, &entry->head,
                             gsi_min_u64(raw.bytes, gsi_resume_head_bytes(raw.type))));
    if (is_first) /* of another version, the other members may be others */
        GSI_TRY(check_version(resume, entry->head.begin.version));
    if (!gsi_resume_decode(&raw, entry))
        entry->type = 0;
    return GS_OK;
}

static void sum_up(struct gsi_resume *resume)
{
    struct gsi_snapshot *snapshot = &resume->snapshot;
    const struct gsi_resume_entry *last = snapshot->last;
    const struct gsi_resume_run *run = &last[GSI_RESUME_RUN].head.run;
    if (!snapshot->has_entries)
        return;
    snapshot->begin = last[GSI_RESUME_BEGIN].head.begin;
    snapshot->has_runs = snapshot->begin.version != GSI_RESUME_COUNTED;
    snapshot->is_written = last[GSI_RESUME_DONE].type != 0;
    snapshot->data_bytes =
        snapshot->has_runs ? run->data_bytes : last[GSI_RESUME_COUNTS].head.counts.data_bytes;
    snapshot->runs_end = gsi_max_u64(run->runs_end, last[GSI_RESUME_MERGED].head.merged.runs_end);
}

enum gs_status gsi_snapshot_read(struct gsi_resume *resume)
{
    struct gsi_snapshot *snapshot = &resume->snapshot;
    struct gsi_resume_entry entry;
    struct gsi_journal at = resume->journal;
    uint64_t input_count = 0;
    GSI_TRY(gsi_snapshot_next(resume, &at, &entry));
    if (entry.type != GSI_RESUME_BEGIN || entry.head.begin.thread_count == 0)
        return gsi_snapshot_fail_version(resume, resume->job.loop->error);
    resume->first = at;
    while (entry.type != 0) {
        if (entry.type == GSI_RESUME_INPUTS)
            input_count += entry.head.inputs.count;
        else if (entry.type != GSI_RESUME_BEGIN)
            snapshot->has_entries = resume->has_entries = true;
        snapshot->last[entry.type] = entry;
        snapshot->count[entry.type]++;
        resume->journal = at;
        GSI_TRY(gsi_snapshot_next(resume, &at, &entry));
    }
    if (input_count != snapshot->last[GSI_RESUME_BEGIN].head.begin.input_count)
        return gsi_snapshot_fail_version(resume, resume->job.loop->error);
    sum_up(resume);
    return GS_OK;
}

/* ---- appending ---- */

int gsi_snapshot_write(struct gsi_resume *resume, enum gsi_resume_type type)
{
    struct iovec parts[1 + GSI_RESUME_ARRAYS] = {
        {.iov_base = &resume->head, .iov_len = gsi_resume_head_bytes(type)}};
    for (uint32_t i = 0; i < GSI_RESUME_ARRAYS; i++)
        parts[1 + i] = (struct iovec){.iov_base = resume->arrays[i],
                                      .iov_len = gsi_resume_array_bytes(type, &resume->head, i)};
    return gsi_journal_append(&resume->journal, type, parts, 1 + GSI_RESUME_ARRAYS);
}

static void write_entry(struct gsi_task *task, uint32_t worker_idx)
{
    (void)worker_idx;
    struct gsi_resume *resume = GSI_CONTAINER_OF(task, struct gsi_resume, task);
    bool is_synced = resume->sync_fd < 0 || fdatasync(resume->sync_fd) == 0;
    resume->refusal = is_synced ? gsi_snapshot_write(resume, resume->type) : errno;
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
    resume->has_entries = true;
    resume->appended[resume->type]++;
}

void gsi_snapshot_append(struct gsi_resume *resume, enum gsi_resume_type type, int sync_fd)
{
    resume->type = type;
    resume->sync_fd = sync_fd;
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
