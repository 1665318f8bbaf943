/* resume.c: the directory of a sort that can go on, and its record. */
#include "sort/resume.h"

#include "base/checked.h"
#include "sort/resume_match.h"
#include "sort/resume_runs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MANIFEST     "manifest"
#define NEW_MANIFEST "manifest.new" /* until it has its first entry */
#define RUNS         "runs"
#define OUTPUT       "output"

static enum gs_status fail_damaged(const struct gsi_resume *resume)
{
    return gsi_fail(resume->job->error, GS_E_CORRUPT, 0,
                    "'%s': its record cannot be read; remove it to begin anew", resume->dir.path);
}

enum gs_status gsi_resume_fail_wrong(const struct gsi_resume *resume)
{
    return gsi_fail(resume->job->error, GS_E_CORRUPT, 0,
                    "'%s': what is kept there is not what its record says; it was removed, begin "
                    "anew",
                    resume->dir.path);
}

/* Only what stays while the program does not can be gone on with. */
static enum gs_status check_options(const struct gsi_job *job)
{
    const struct gs_options *options = job->options;
    const char *what = NULL;
    if (options->merge || options->unique || options->has_top)
        what = "is for whole sorts; it goes without -m, -u and --top";
    else if (options->temp_dir_count > 0)
        what = "names the temporary directory; it goes without -T";
    else if (options->device == GS_DEVICE_CUDA)
        what = "is for the CPU; it goes without --device cuda";
    else if (options->output == NULL || strcmp(options->output, "-") == 0)
        what = "needs a file to write to, by -o";
    if (what != NULL)
        return gsi_fail(job->error, GS_E_USAGE, 0, "--resume: %s", what);
    for (size_t i = 0; i < job->input_count; i++)
        if (job->inputs[i].is_stream || job->inputs[i].coding != GSI_CODING_NONE)
            return gsi_fail(job->error, GS_E_USAGE, 0,
                            "'%s': --resume cannot read this twice; it needs files that are not "
                            "packed",
                            job->inputs[i].name);
    return GS_OK;
}

/* The whole manifest. */
static enum gs_status read_image(struct gsi_resume *resume)
{
    struct gs_error *error = resume->job->error;
    struct stat info;
    if (fstat(resume->journal.fd, &info) != 0)
        return gsi_fail(error, GS_E_IO, errno, "'%s/" MANIFEST "': cannot read", resume->dir.path);
    resume->image_bytes = (uint64_t)info.st_size;
    resume->image = malloc(resume->image_bytes + 1);
    if (resume->image == NULL)
        return gsi_fail(error, GS_E_MEMORY, 0, "memory: cannot hold '%s/" MANIFEST "'",
                        resume->dir.path);
    int64_t moved = gsi_file_read(resume->journal.fd, resume->image, resume->image_bytes, 0);
    if (moved < 0)
        return gsi_fail(error, GS_E_IO, errno, "'%s/" MANIFEST "': cannot read", resume->dir.path);
    resume->image_bytes = (uint64_t)moved;
    return GS_OK;
}

static void sum_up(struct gsi_resume *resume, const struct gsi_resume_entry *entry)
{
    bool is_run = entry->type == GSI_RESUME_RUN;
    resume->entry_count++;
    if (is_run)
        resume->data_bytes = entry->head.run.data_bytes;
    if (!is_run && entry->type != GSI_RESUME_MERGED)
        return;
    const uint8_t *frames = entry->parts[is_run ? 2 : 0];
    uint64_t count = is_run ? entry->head.run.frame_count : entry->head.merged.frame_count;
    for (uint64_t i = 0; i < count; i++) {
        struct gsi_frame_ref ref;
        memcpy(&ref, frames + i * sizeof ref, sizeof ref);
        resume->runs_end = gsi_max_u64(resume->runs_end, ref.off + ref.bytes);
    }
}

struct gsi_journal gsi_resume_first(const struct gsi_resume *resume)
{
    struct gsi_journal journal = {.fd = resume->journal.fd};
    struct gsi_journal_entry begin;
    (void)gsi_journal_next(&journal, resume->image, resume->image_bytes, &begin);
    return journal;
}

bool gsi_resume_next(const struct gsi_resume *resume, struct gsi_journal *journal,
                     struct gsi_resume_entry *entry)
{
    struct gsi_journal_entry raw;
    return gsi_journal_next(journal, resume->image, resume->image_bytes, &raw) &&
           gsi_resume_decode(&raw, entry) && entry->type != GSI_RESUME_BEGIN;
}

/* The last entry, if it says that all is done. */
static bool find_done(const struct gsi_resume *resume, struct gsi_resume_entry *entry)
{
    bool is_done = false;
    for (struct gsi_journal at = gsi_resume_first(resume); gsi_resume_next(resume, &at, entry);)
        is_done = entry->type == GSI_RESUME_DONE;
    return is_done;
}

bool gsi_resume_is_written(const struct gsi_job *job)
{
    struct gsi_resume_entry entry;
    return job->resume != NULL && job->resume->image != NULL && find_done(job->resume, &entry);
}

static void forget_record(struct gsi_resume *resume)
{
    free(resume->image);
    close(resume->journal.fd);
    resume->image = NULL;
    resume->journal = (struct gsi_journal){.fd = -1};
}

/* BEGIN, and what follows it as far as it can be read; nothing was done that is not there. An input
 * may be the output, and has changed when that is in its place. */
static enum gs_status read_record(struct gsi_resume *resume)
{
    enum gs_status status = GS_OK;
    struct gsi_journal_entry raw;
    struct gsi_resume_entry entry;
    GSI_TRY(read_image(resume));
    if (!gsi_journal_next(&resume->journal, resume->image, resume->image_bytes, &raw) ||
        !gsi_resume_decode(&raw, &entry) || entry.type != GSI_RESUME_BEGIN ||
        entry.head.begin.version != GSI_RESUME_VERSION)
        GSI_TRY(fail_damaged(resume));
    resume->begin = entry.head.begin;
    const uint8_t *inputs = entry.parts[0];
    for (struct gsi_journal at = resume->journal; gsi_resume_next(resume, &at, &entry);) {
        sum_up(resume, &entry);
        resume->journal = at;
    }
    if (resume->entry_count == 0)
        forget_record(resume);
    else if (!find_done(resume, &entry))
        GSI_TRY(gsi_resume_match(resume, &resume->begin, inputs));
fail:
    return status;
}

/* Disk that its files have. */
static uint64_t held_by(const struct gsi_resume *resume, const char *name)
{
    struct stat info;
    return fstatat(resume->dir.fd, name, &info, AT_SYMLINK_NOFOLLOW) == 0
               ? (uint64_t)info.st_blocks * 512
               : 0;
}

enum gs_status gsi_resume_open(struct gsi_job *job)
{
    enum gs_status status = GS_OK;
    if (job->options->resume_dir == NULL)
        return GS_OK;
    GSI_TRY(check_options(job));
    if (job->options->action != GS_ACTION_SORT)
        return GS_OK;
    struct gsi_resume *resume = calloc(1, sizeof *resume);
    if (resume == NULL)
        return gsi_fail(job->error, GS_E_MEMORY, 0, "memory: cannot allocate the record");
    job->resume = resume;
    resume->job = job;
    resume->journal.fd = -1;
    GSI_TRY(gsi_kept_dir_open(job->options->resume_dir, &resume->dir, job->error));
    GSI_TRY(gsi_kept_dir_file(&resume->dir, MANIFEST, false, &resume->journal.fd, job->error));
    resume->held_bytes = held_by(resume, RUNS) + held_by(resume, OUTPUT);
    if (resume->journal.fd >= 0)
        GSI_TRY(read_record(resume));
fail:
    return status;
}

void gsi_resume_request(const struct gsi_job *job, struct gsi_plan_request *request)
{
    if (job->options->resume_dir == NULL)
        return;
    request->spill_all = true;
    request->keeps_runs = true;
    if (job->resume == NULL)
        return;
    request->format_bytes += gsi_resume_runs_bytes(job);
    if (job->resume->image == NULL) { /* the first life */
        job->resume->begin.memory_bytes = request->memory_bytes;
        job->resume->begin.thread_count = request->thread_count;
    }
    request->memory_bytes = job->resume->begin.memory_bytes;
    request->thread_count = job->resume->begin.thread_count;
}

/* A record with its first entry, or none. */
static enum gs_status begin_record(struct gsi_resume *resume)
{
    enum gs_status status = GS_OK;
    struct gsi_job *job = resume->job;
    struct gsi_resume_input *inputs = NULL;
    struct iovec parts[2] = {{.iov_base = &resume->begin, .iov_len = sizeof resume->begin}};
    gsi_kept_dir_remove(&resume->dir, NEW_MANIFEST);
    GSI_TRY(gsi_kept_dir_file(&resume->dir, NEW_MANIFEST, true, &resume->journal.fd, job->error));
    GSI_TRY(gsi_resume_describe(job, &resume->begin, &inputs));
    parts[1] = (struct iovec){.iov_base = inputs, .iov_len = job->input_count * sizeof *inputs};
    int refusal = gsi_journal_append(&resume->journal, GSI_RESUME_BEGIN, parts, 2);
    if (refusal == 0 && renameat(resume->dir.fd, NEW_MANIFEST, resume->dir.fd, MANIFEST) != 0)
        refusal = errno;
    if (refusal != 0)
        GSI_TRY(gsi_fail(job->error, gsi_status_of_errno(refusal), refusal,
                         "'%s/" MANIFEST "': cannot write", resume->dir.path));
    GSI_TRY(gsi_kept_dir_sync(&resume->dir, job->error));
fail:
    free(inputs);
    return status;
}

/* Once all is written the plan does not matter any more. */
static enum gs_status check_plan(const struct gsi_resume *resume, bool is_written)
{
    struct gsi_resume_begin now;
    const struct gsi_resume_begin *then = &resume->begin;
    enum gs_status status = gsi_resume_describe(resume->job, &now, NULL);
    if (status != GS_OK)
        return status;
    if (is_written ? now.options_hash == then->options_hash && now.output_hash == then->output_hash
                   : memcmp(&now, then, sizeof now) == 0)
        return GS_OK;
    return gsi_fail(resume->job->error, GS_E_USAGE, 0,
                    "'%s': holds a sort with other options or another output; give the same "
                    "command, or remove it",
                    resume->dir.path);
}

/* The output goes on in DIR, if there is any on record: as long as that says. */
static enum gs_status keep_output(struct gsi_resume *resume)
{
    int fd;
    struct gsi_job *job = resume->job;
    enum gs_status status = gsi_kept_dir_file(&resume->dir, OUTPUT, true, &fd, job->error);
    return status != GS_OK ? status
                           : gsi_output_keep(&job->output, resume->dir.fd, OUTPUT, fd, job->error);
}

enum gs_status gsi_resume_start(struct gsi_job *job)
{
    enum gs_status status = GS_OK;
    struct gsi_resume *resume = job->resume;
    if (resume == NULL)
        return GS_OK;
    if (job->output.kind != GSI_OUTPUT_ATOMIC)
        GSI_TRY(gsi_fail(job->error, GS_E_USAGE, 0,
                         "'%s': is no file; --resume needs one to write to", job->output.name));
    if (job->pack_level > 0)
        GSI_TRY(gsi_fail(job->error, GS_E_USAGE, 0, "--resume: goes without packed output"));
    if (resume->image != NULL)
        GSI_TRY(check_plan(resume, false));
    resume->is_ours = true;
    if (resume->image == NULL)
        GSI_TRY(begin_record(resume));
    GSI_TRY(keep_output(resume));
    GSI_TRY(gsi_resume_runs_open(job));
    job->report->resumed_bytes = resume->data_bytes;
fail:
    return status;
}

enum gs_status gsi_resume_open_store(struct gsi_job *job)
{
    enum gs_status status = GS_OK;
    int fd = -1;
    bool is_direct;
    struct stat info;
    struct gsi_resume *resume = job->resume;
    GSI_TRY(gsi_kept_dir_file(&resume->dir, RUNS, true, &fd, job->error));
    if (fstat(fd, &info) != 0)
        GSI_TRY(
            gsi_fail(job->error, GS_E_IO, errno, "'%s/" RUNS "': cannot open", resume->dir.path));
    if ((uint64_t)info.st_size < resume->runs_end)
        GSI_TRY(gsi_resume_fail_wrong(resume));
    GSI_TRY(gsi_kept_dir_sync(&resume->dir, job->error)); /* all names are there by now */
    fd = gsi_kept_dir_direct(fd, &is_direct);
    return gsi_spill_store_open_kept(&job->store, &resume->dir.path, fd, is_direct,
                                     resume->runs_end, &job->ledger, job->error);
fail:
    if (fd >= 0)
        close(fd);
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
    static const size_t head_bytes[] = {[GSI_RESUME_RUN] = sizeof resume->head.run,
                                        [GSI_RESUME_MERGED] = sizeof resume->head.merged,
                                        [GSI_RESUME_WRITTEN] = sizeof resume->head.written,
                                        [GSI_RESUME_DONE] = sizeof resume->head.done};
    resume->type = type;
    resume->sync_fd = sync_fd;
    resume->recorded = recorded;
    resume->parts[0] = (struct iovec){.iov_base = &resume->head, .iov_len = head_bytes[type]};
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

enum gs_status gsi_resume_record_done(struct gsi_job *job)
{
    enum gs_status status = GS_OK;
    struct gsi_resume *resume = job->resume;
    struct gsi_tally_saved *tallies = NULL;
    void *memory;
    if (resume == NULL)
        return GS_OK;
    GSI_TRY(gsi_output_seal(&job->output, job->report->output_file_bytes, job->error));
    GSI_TRY(gsi_memory_alloc(NULL, resume->tally_count, sizeof *tallies, &memory, job->error));
    tallies = memory;
    gsi_resume_runs_save(resume, tallies);
    resume->head.done = (struct gsi_resume_done){.output_bytes = job->report->output_bytes,
                                                 .file_bytes = job->report->output_file_bytes,
                                                 .tally_count = resume->tally_count};
    resume->parts[1] =
        (struct iovec){.iov_base = tallies, .iov_len = resume->tally_count * sizeof *tallies};
    resume->part_count = 2;
    gsi_resume_record(resume, GSI_RESUME_DONE, job->output.fd, NULL);
    status = gsi_resume_wait(job);
    if (status != GS_OK)
        gsi_job_drain(job);
fail:
    free(tallies);
    return status;
}

enum gs_status gsi_resume_finish(struct gsi_job *job)
{
    enum gs_status status = GS_OK;
    struct gsi_resume *resume = job->resume;
    struct gsi_resume_entry entry;
    int fd;
    (void)find_done(resume, &entry);
    GSI_TRY(check_plan(resume, true));
    GSI_TRY(gsi_kept_dir_file(&resume->dir, OUTPUT, false, &fd, job->error));
    if (fd >= 0) {
        GSI_TRY(gsi_output_keep(&job->output, resume->dir.fd, OUTPUT, fd, job->error));
        GSI_TRY(gsi_output_commit(&job->output, entry.head.done.file_bytes, job->error));
    }
    resume->is_ours = resume->is_done = true;
    job->ledger.ceiling_bytes = UINT64_MAX; /* there is no plan, and not much to take */
    GSI_TRY(gsi_resume_runs_open(job));
    if (entry.head.done.tally_count == resume->tally_count)
        gsi_resume_runs_add_saved(resume, entry.parts[0]);
    job->report->tally = gsi_resume_runs_tally(resume);
    job->report->output_bytes = entry.head.done.output_bytes;
    job->report->output_file_bytes = entry.head.done.file_bytes;
    job->report->resumed_bytes = job->report->output_bytes;
fail:
    return status;
}

static void empty(struct gsi_resume *resume)
{
    static const char *const names[] = {MANIFEST, NEW_MANIFEST, RUNS, OUTPUT};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        gsi_kept_dir_remove(&resume->dir, names[i]);
    (void)!rmdir(resume->dir.path); /* not if it holds anything else */
}

void gsi_resume_close(struct gsi_job *job, enum gs_status status)
{
    struct gsi_resume *resume = job->resume;
    if (resume == NULL)
        return;
    bool is_wrong = status == GS_E_VERIFY || status == GS_E_CORRUPT;
    bool is_kept = resume->is_ours && !resume->is_done && !is_wrong && resume->entry_count > 0;
    job->report->is_kept = is_kept;
    if (resume->dir.fd >= 0 &&
        ((resume->is_ours && !is_kept) || (resume->dir.is_new && !resume->is_ours)))
        empty(resume);
    gsi_resume_runs_close(resume);
    if (resume->journal.fd >= 0)
        close(resume->journal.fd);
    gsi_kept_dir_close(&resume->dir);
    free(resume->image);
    free(resume);
    job->resume = NULL;
}
