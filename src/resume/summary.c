/* summary.c: reads a journal from its first entry to its last. A new journal begins with what has
 * to be the same when the sort goes on. */
#include "resume/summary.h"

#include "base/assert.h"
#include "base/checked.h"
#include "resume/match.h"

#include <errno.h>
#include <stdio.h>

/* Inputs an entry, at most: of a million there are 245 entries, each of which is synced. */
#define INPUTS_AT_ONCE GSI_CONSTANT(4096u, 3u)

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
    if (version == GSI_RESUME_VERSION)
        return GS_OK;
    return gsi_fail(resume->job.loop->error, GS_E_USAGE, 0,
                    "'%s/manifest': is a journal of version %u, but this gsort reads version %u; "
                    "use the gsort that started it, or remove the directory to start again",
                    resume->dir.path, version, GSI_RESUME_VERSION);
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
