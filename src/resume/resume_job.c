/* resume_job.c: opens and removes the directory of a sort, keeps its plan, and places its output.
 * */
#include "resume/resume_parts.h"

#include "base/assert.h"
#include "base/checked.h"
#include "element/record/record_tally.h"
#include "io/file_parts.h"
#include "output/read_back.h"
#include "plan/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MANIFEST     "manifest"
#define NEW_MANIFEST "manifest.gsort" /* until it has its first entries */
#define RUNS         "runs"
#define OUTPUT       "output"

/* Inputs an entry, at most: of a million there are 245 entries, each of which is synced. */
#define INPUTS_AT_ONCE GSI_CONSTANT(4096u, 3u)

/* In the order in which they are removed: the journal goes last. */
static const char *const names[] = {RUNS, OUTPUT, NEW_MANIFEST, MANIFEST};
#define NAMES (sizeof names / sizeof names[0])

const struct gsi_snapshot *gsi_resume_snapshot(const struct gsi_resume *resume)
{
    static const struct gsi_snapshot nothing;
    return resume != NULL ? &resume->snapshot : &nothing;
}

/* Returns whether there is a file in DIR, and in *held_bytes how much disk it has. */
static bool has_file(const struct gsi_resume *resume, const char *name, uint64_t *held_bytes)
{
    struct stat info;
    bool is_there = fstatat(resume->dir.fd, name, &info, AT_SYMLINK_NOFOLLOW) == 0;
    *held_bytes = is_there ? (uint64_t)info.st_blocks * 512 : 0;
    return is_there;
}

/* If the journal has no entries, a new one is begun later. An output in its place may have replaced
 * an input. */
static enum gs_status read_journal(struct gsi_resume *resume)
{
    uint64_t runs_bytes, output_bytes;
    GSI_TRY(gsi_snapshot_read(resume));
    (void)has_file(resume, RUNS, &runs_bytes);
    bool has_output = has_file(resume, OUTPUT, &output_bytes);
    resume->snapshot.held_bytes = runs_bytes + output_bytes;
    if (resume->snapshot.has_entries) {
        GSI_TRY(gsi_resume_match_settings(resume));
        return gsi_resume_match_inputs(resume, resume->snapshot.is_written && !has_output);
    }
    close(resume->journal.fd);
    resume->journal = (struct gsi_journal){.fd = -1};
    return GS_OK;
}

/* The output must not have the name of a file that --resume has in the same directory. */
static enum gs_status check_output(const struct gsi_resume *resume, const struct gsi_output *output)
{
    struct stat there, here;
    if (output->directory == NULL || stat(output->directory, &there) != 0 ||
        fstat(resume->dir.fd, &here) != 0 || there.st_dev != here.st_dev ||
        there.st_ino != here.st_ino)
        return GS_OK;
    for (size_t i = 0; i < NAMES; i++)
        if (strcmp(output->target_name, names[i]) == 0)
            return gsi_fail(resume->job.loop->error, GS_E_USAGE, 0,
                            "'%s': --resume uses this file name in its directory; choose another "
                            "name or another directory",
                            output->name);
    return GS_OK;
}

enum gs_status gsi_resume_open(const struct gsi_resume_job *job, struct gsi_resume **out)
{
    enum gs_status status = GS_OK;
    struct gsi_output output;
    *out = NULL;
    struct gsi_resume *resume = calloc(1, sizeof *resume);
    if (resume == NULL)
        return gsi_fail(job->loop->error, GS_E_MEMORY, 0,
                        "out of memory: cannot allocate the journal");
    *out = resume;
    resume->job = *job;
    job->spill->keeps_frames = true;
    resume->journal.fd = -1;
    GSI_TRY(gsi_kept_dir_open(job->dir, &resume->dir, job->loop->error));
    GSI_TRY(gsi_output_locate(job->output, &output, job->loop->error));
    status = check_output(resume, &output);
    if (status == GS_OK)
        status = gsi_resume_settings(resume, &output);
    gsi_output_close(&output);
    GSI_TRY(status);
    GSI_TRY(
        gsi_kept_dir_file(&resume->dir, MANIFEST, false, &resume->journal.fd, job->loop->error));
    return resume->journal.fd >= 0 ? read_journal(resume) : GS_OK;
}

/* ---- the plan ---- */

/* Checks that the memory of the first process's plan is there. Unless a number of bytes promises
 * less, any memory of the machine may be used. */
static enum gs_status check_memory(const struct gsi_resume *resume, uint64_t now,
                                   struct gs_error *error)
{
    uint64_t then = resume->snapshot.begin.memory_bytes;
    bool is_open = resume->job.memory_is_open;
    if (then > now && is_open)
        now = gsi_limits_probe("").memory_bytes;
    if (then <= now)
        return GS_OK;
    return gsi_fail(error, GS_E_USAGE, 0,
                    "--memory: the sort in '%s' was planned with %llu bytes, %s %llu; %s, or "
                    "remove the directory to start again",
                    resume->dir.path, (unsigned long long)then,
                    is_open ? "but the machine has" : "not", (unsigned long long)now,
                    is_open ? "wait until it has that many" : "give it that many");
}

enum gs_status gsi_resume_constrain(const struct gsi_resume *resume,
                                    struct gsi_plan_request *request, struct gs_error *error)
{
    if (resume == NULL)
        return GS_OK;
    if (resume->snapshot.has_entries && !request->is_counted) {
        const struct gsi_resume_begin *begin = &resume->snapshot.begin;
        const uint64_t entries =
            resume->snapshot.data_bytes / resume->job.inputs->layout->element_bytes;
        GSI_TRY(check_memory(resume, request->memory_bytes, error));
        request->memory_bytes = begin->memory_bytes;
        request->thread_bytes = begin->thread_bytes;
        request->thread_count = begin->thread_count;
        request->has_fixed = true;
        request->fixed =
            (struct gsi_plan_fixed){.chunk_bytes = begin->chunk_bytes,
                                    .frame_bytes = begin->frame_bytes,
                                    .window_bytes = begin->window_bytes,
                                    .chunks_per_run = begin->chunks_per_run,
                                    .fan_in = begin->fan_in,
                                    .run_count = resume->snapshot.count[GSI_RESUME_RUN],
                                    .run_bytes = entries * request->element_bytes};
    }
    request->format_bytes += gsi_resume_runs_plan(resume, request->thread_count);
    return GS_OK;
}

/* Adds threads, for which the budget has memory beyond the plan's. */
static void add_threads(const struct gsi_resume *resume, const struct gsi_budget *budget,
                        const struct gsi_plan_request *request, struct gsi_plan *plan)
{
    uint64_t each =
        request->thread_bytes + gsi_resume_runs_plan(resume, 2) - gsi_resume_runs_plan(resume, 1);
    uint64_t memory = request->memory_bytes, more = 0;
    if (budget->thread_count > request->thread_count && budget->memory_bytes > memory)
        more = gsi_min_u64(budget->thread_count - request->thread_count,
                           (budget->memory_bytes - memory) / each);
    plan->memory_bytes += more * each;
    plan->thread_count = (uint32_t)gsi_min_u64(budget->thread_count, plan->thread_count + more);
}

enum gs_status gsi_resume_plan(const struct gsi_resume *resume, const struct gsi_budget *budget,
                               const struct gsi_plan_request *request,
                               const struct gsi_codec_plan *codec, struct gsi_plan *plan,
                               struct gsi_resume_begin *begin, struct gs_error *error)
{
    if (resume == NULL)
        return GS_OK;
    bool has_codec = codec->id != GSI_CODEC_NONE;
    *begin =
        (struct gsi_resume_begin){.version = request->is_counted        ? GSI_RESUME_COUNTED
                                             : resume->job.seed != NULL ? GSI_RESUME_SHUFFLED
                                                                        : GSI_RESUME_VERSION,
                                  .element_bytes = resume->job.loop->layout->element_bytes,
                                  .memory_bytes = request->memory_bytes,
                                  .thread_bytes = request->thread_bytes - codec->bytes,
                                  .thread_count = request->thread_count,
                                  .codec = has_codec ? (uint32_t)codec->id << 8 | codec->level : 0,
                                  .fan_in = plan->fan_in,
                                  .chunks_per_run = plan->chunks_per_run,
                                  .chunk_bytes = plan->chunk_bytes,
                                  .frame_bytes = plan->frame_bytes,
                                  .window_bytes = plan->window_bytes,
                                  .input_count = resume->job.inputs->count,
                                  .setting_bytes = resume->setting_bytes};
    const struct gsi_resume_begin *then = &resume->snapshot.begin;
    bool is_same = request->is_counted ? then->version == GSI_RESUME_COUNTED
                                       : memcmp(begin, then, sizeof *begin) == 0;
    if (resume->snapshot.has_entries && !is_same)
        return gsi_snapshot_fail_version(resume, error);
    add_threads(resume, budget, request, plan);
    return GS_OK;
}

/* ---- begin ---- */

static enum gs_status fail_foreign(const struct gsi_resume *resume, const char *name)
{
    return gsi_fail(resume->job.loop->error, GS_E_USAGE, 0,
                    "'%s/%s': --resume needs this name, but did not create what has it now; choose "
                    "another directory",
                    resume->dir.path, name);
}

/* Another process may have begun to write a journal. Any other file of its name is refused. */
static enum gs_status check_new_journal(const struct gsi_resume *resume)
{
    int fd;
    bool is_ours;
    GSI_TRY(gsi_kept_dir_file(&resume->dir, NEW_MANIFEST, false, &fd, resume->job.loop->error));
    if (fd < 0)
        return GS_OK;
    int refusal = gsi_journal_may_be(fd, GSI_RESUME_BEGIN, GSI_RESUME_SHUFFLED, &is_ours);
    close(fd);
    if (refusal != 0)
        return gsi_fail(resume->job.loop->error, gsi_status_of_errno(refusal), refusal,
                        "'%s/" NEW_MANIFEST "': cannot read", resume->dir.path);
    return is_ours ? GS_OK : fail_foreign(resume, NEW_MANIFEST);
}

/* Removes files that the journal has no entries about. Without a journal, there must be none. */
static enum gs_status clear_dir(struct gsi_resume *resume)
{
    uint64_t held;
    const bool has_journal = resume->snapshot.count[GSI_RESUME_BEGIN] > 0;
    for (size_t i = 0; i < NAMES && !has_journal; i++)
        if (strcmp(names[i], NEW_MANIFEST) != 0 && has_file(resume, names[i], &held))
            return fail_foreign(resume, names[i]);
    if (!has_journal)
        GSI_TRY(check_new_journal(resume));
    (void)!unlinkat(resume->dir.fd, RUNS, 0);
    (void)!unlinkat(resume->dir.fd, OUTPUT, 0);
    resume->snapshot.held_bytes = 0;
    return GS_OK;
}

/* Takes memory that the plan does not count, and gives it back before the arena is taken. */
static enum gs_status append_inputs(struct gsi_resume *resume, int *refusal)
{
    enum gs_status status = GS_OK;
    const struct gsi_resume_job *job = &resume->job;
    uint64_t count, most = gsi_min_u64(job->inputs->count, INPUTS_AT_ONCE);
    struct gsi_resume_input *inputs;
    GSI_TRY(GSI_NEW(&job->loop->ledger, inputs, most, job->loop->error));
    for (uint64_t i = 0; status == GS_OK && *refusal == 0 && i < job->inputs->count; i += count) {
        count = gsi_min_u64(most, job->inputs->count - i);
        for (uint64_t k = 0; status == GS_OK && k < count; k++)
            status = gsi_resume_describe(resume, &job->inputs->table[i + k], &inputs[k]);
        resume->head.inputs.count = count;
        resume->arrays[0] = inputs;
        if (status == GS_OK)
            *refusal = gsi_snapshot_write(resume, GSI_RESUME_INPUTS);
    }
    GSI_FREE(&job->loop->ledger, inputs, most);
    return status;
}

/* The journal gets its name once its first entries are on the disk. */
static enum gs_status begin_journal(struct gsi_resume *resume)
{
    struct gs_error *error = resume->job.loop->error;
    GSI_TRY(clear_dir(resume));
    resume->is_ours = true;
    (void)!unlinkat(resume->dir.fd, NEW_MANIFEST, 0);
    resume->journal = (struct gsi_journal){.fd = -1};
    GSI_TRY(gsi_kept_dir_file(&resume->dir, NEW_MANIFEST, true, &resume->journal.fd, error));
    resume->head.begin = resume->snapshot.begin;
    resume->arrays[0] = resume->settings;
    int refusal = gsi_snapshot_write(resume, GSI_RESUME_BEGIN);
    if (refusal == 0)
        GSI_TRY(append_inputs(resume, &refusal));
    if (refusal == 0 && renameat(resume->dir.fd, NEW_MANIFEST, resume->dir.fd, MANIFEST) != 0)
        refusal = errno;
    if (refusal != 0)
        return gsi_fail(error, gsi_status_of_errno(refusal), refusal,
                        "'%s/" MANIFEST "': cannot write", resume->dir.path);
    return gsi_kept_dir_sync(&resume->dir, error);
}

enum gs_status gsi_resume_start(struct gsi_resume *resume, const struct gsi_resume_begin *begin)
{
    int fd;
    if (resume == NULL)
        return GS_OK;
    const struct gsi_resume_job *job = &resume->job;
    resume->snapshot.begin = *begin;
    if (!resume->snapshot.has_entries)
        GSI_TRY(begin_journal(resume));
    resume->is_ours = true;
    GSI_TRY(gsi_kept_dir_file(&resume->dir, OUTPUT, true, &fd, job->loop->error));
    GSI_TRY(
        gsi_output_redirect(&job->target->output, resume->dir.fd, OUTPUT, fd, job->loop->error));
    GSI_TRY(gsi_kept_dir_sync(&resume->dir, job->loop->error));
    job->report->bytes = resume->snapshot.data_bytes;
    return gsi_resume_runs_open(resume);
}

enum gs_status gsi_resume_open_store(struct gsi_resume *resume, struct gsi_spill_store *store)
{
    enum gs_status status;
    int fd;
    struct stat info;
    const struct gsi_resume_job *job = &resume->job;
    GSI_TRY(gsi_kept_dir_file(&resume->dir, RUNS, true, &fd, job->loop->error));
    if (fstat(fd, &info) != 0)
        status = gsi_fail(job->loop->error, GS_E_IO, errno, "'%s/" RUNS "': cannot open",
                          resume->dir.path);
    else if ((uint64_t)info.st_size < resume->snapshot.runs_end)
        status = gsi_snapshot_fail_wrong(resume);
    else
        status = gsi_kept_dir_sync(&resume->dir, job->loop->error); /* all names are there by now */
    const int direct_fd = status == GS_OK ? gsi_direct_open(fd, O_RDWR) : -1;
    if (status != GS_OK || direct_fd >= 0)
        close(fd);
    GSI_TRY(status);
    return gsi_spill_store_open_file(store, &resume->dir.path, direct_fd >= 0 ? direct_fd : fd,
                                     direct_fd >= 0, resume->snapshot.runs_end, &job->loop->ledger,
                                     job->loop->error);
}

/* ---- end ---- */

/* All runs are in the journal: the first seal lends its memory. */
enum gs_status gsi_resume_append_done(struct gsi_resume *resume)
{
    struct gsi_resume_input file;
    if (resume == NULL)
        return GS_OK;
    const struct gsi_resume_job *job = &resume->job;
    GSI_TRY(gsi_resume_wait(resume));
    GSI_TRY(gsi_output_seal(&job->target->output, job->target->file_bytes, job->loop->error));
    GSI_TRY(gsi_resume_describe_output(resume, job->target->output.fd, &file));
    gsi_record_tally_save(resume->tally, resume->seals);
    resume->head.done = (struct gsi_resume_done){.file = file,
                                                 .output_bytes = job->target->bytes,
                                                 .file_bytes = job->target->file_bytes,
                                                 .tally_count = resume->tally_count};
    resume->arrays[0] = resume->seals;
    gsi_snapshot_append(resume, GSI_RESUME_DONE, job->target->output.fd);
    return gsi_resume_wait(resume);
}

/* Checks that the file `fd` is the output that the journal describes. With --verify=read, reads all
 * of it, even if the other process did.
 * in    is_placed: it is in its place, where another one may be now, or none: -1 */
static enum gs_status check_written(struct gsi_resume *resume, int fd, bool is_placed)
{
    const struct gsi_resume_job *job = &resume->job;
    const struct gsi_tally_report *tally = job->tally;
    struct gsi_digest wanted = {.count = tally->count};
    bool is_output = false;
    if (fd >= 0)
        GSI_TRY(gsi_resume_is_output(resume, fd, &is_output));
    if (!is_output && is_placed)
        return gsi_fail(job->loop->error, GS_E_INPUT, 0,
                        "'%s': %s since the sort in '%s' ended; remove the directory to sort again",
                        job->target->output.name, fd >= 0 ? "has changed" : "was removed",
                        resume->dir.path);
    if (!is_output)
        return gsi_fail(job->loop->error, GS_E_CORRUPT, 0,
                        "'%s/" OUTPUT
                        "': is not the output in the journal; remove the directory to start again",
                        resume->dir.path);
    memcpy(wanted.fingerprint, tally->fingerprint, sizeof wanted.fingerprint);
    enum gs_status status = gsi_read_back_kept(resume->job.target, fd, is_placed, &wanted);
    resume->is_ours |= status == GS_E_VERIFY; /* so that it is removed, with the journal */
    return status;
}

/* Puts the output in its place, if it is still in DIR. Otherwise checks that it is there. */
static enum gs_status place_output(struct gsi_resume *resume)
{
    const struct gsi_resume_job *job = &resume->job;
    struct gs_error *error = job->loop->error;
    struct gsi_output *output = &job->target->output;
    int fd;
    GSI_TRY(gsi_kept_dir_file(&resume->dir, OUTPUT, false, &fd, error));
    const bool is_placed = fd < 0;
    if (is_placed)
        fd = open(job->output, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 && errno != ENOENT)
        return gsi_fail(error, GS_E_IO, errno, "'%s': cannot open", output->name);
    enum gs_status status = check_written(resume, fd, is_placed);
    if (fd >= 0 && (is_placed || status != GS_OK))
        close(fd);
    GSI_TRY(status);
    if (is_placed)
        return gsi_output_sync_dir(output, error);
    GSI_TRY(gsi_output_redirect(output, resume->dir.fd, OUTPUT, fd, error));
    return gsi_output_commit(output, job->target->file_bytes, error);
}

enum gs_status gsi_resume_finish(struct gsi_resume *resume)
{
    const struct gsi_resume_job *job = &resume->job;
    const struct gsi_resume_entry *entry = &resume->snapshot.last[GSI_RESUME_DONE];
    const struct gsi_resume_done *done = &entry->head.done;
    job->loop->ledger.ceiling_bytes = UINT64_MAX; /* there is no plan, and little to allocate */
    GSI_TRY(gsi_resume_runs_open(resume));
    if (done->tally_count == resume->tally_count)
        GSI_TRY(gsi_resume_restore_tally(resume, entry));
    *job->tally = gsi_resume_tally(resume);
    job->target->bytes = done->output_bytes;
    job->target->file_bytes = done->file_bytes;
    GSI_TRY(place_output(resume));
    job->report->bytes = done->output_bytes;
    return gsi_resume_end(resume);
}

/* Without a journal, files of these names count as somebody else's. So the journal is removed last,
 * after the other names are synced: a power cut cannot leave them without it. */
static void empty(struct gsi_resume *resume)
{
    struct gs_error unheard = {0};
    for (size_t i = 0; i < NAMES; i++) {
        if (resume->is_done && strcmp(names[i], MANIFEST) == 0)
            (void)gsi_kept_dir_sync(&resume->dir, &unheard);
        (void)!unlinkat(resume->dir.fd, names[i], 0);
    }
}

enum gs_status gsi_resume_end(struct gsi_resume *resume)
{
    struct gs_error unheard = {0};
    if (resume == NULL)
        return GS_OK;
    const struct gsi_resume_job *job = &resume->job;
    resume->is_ours = resume->is_done = true;
    empty(resume);
    if (gsi_kept_dir_sync(&resume->dir, &unheard) == GS_OK)
        return GS_OK;
    return gsi_fail(job->loop->error, unheard.status, unheard.sys_errno,
                    "'%s': is complete, but the directory '%s' cannot be synced",
                    job->target->output.name, resume->dir.path);
}

void gsi_resume_close(struct gsi_resume *resume, enum gs_status status)
{
    if (resume == NULL)
        return;
    bool is_wrong = status == GS_E_VERIFY || status == GS_E_CORRUPT;
    bool is_kept = resume->is_ours && !resume->is_done && !is_wrong && resume->has_entries;
    bool is_left = resume->is_ours ? !is_kept : resume->dir.is_new;
    resume->job.report->is_kept = is_kept;
    if (resume->dir.fd >= 0 && is_left) {
        if (!resume->is_done) /* else gsi_resume_end did */
            empty(resume);
        (void)!rmdir(resume->dir.path); /* not if it holds anything else */
    }
    gsi_output_marks_end(resume);
    gsi_bump_close(&resume->bump, &resume->job.loop->ledger, GSI_MEMORY_TABLES);
    if (resume->journal.fd >= 0)
        close(resume->journal.fd);
    gsi_kept_dir_close(&resume->dir);
    free(resume->settings);
    free(resume);
}
