/* loop.c: the loop's primitives: submit, wait, drain, phases, progress, cancel. */
#include "loop/loop.h"

#include "base/checked.h"
#include "base/clock.h"
#include "loop/cancel.h"

/* How often progress is reported, and with that the longest sleep while it is. */
#define PROGRESS_NS 200000000u

/* What tells nobody when it happens is looked for so often: 10 ms later is soon enough, and costs
 * nothing that shows. */
#define NAP_NS 10000000u

/* The time up to now in which files were read or written belongs to the phase. Transfers of streams
 * do not count: they wait for somebody else. */
static void count_io_busy(struct gsi_job *job)
{
    uint64_t now = gsi_clock_ns();
    if (job->file_io_pending > 0)
        job->report->phases[job->phase].io_busy_ns += now - job->file_io_since_ns;
    job->file_io_since_ns = now;
}

void gsi_job_submit(struct gsi_job *job, struct gsi_io *io)
{
    job->io_pending++;
    if (io->off != GSI_IO_STREAM && job->file_io_pending++ == 0)
        job->file_io_since_ns = gsi_clock_ns();
    gsi_engine_submit(job->engine, io);
}

void gsi_job_io_excuse(struct gsi_job *job, const struct gsi_io *io)
{
    job->io_pending--;
    if (io->off != GSI_IO_STREAM && job->file_io_pending == 1)
        count_io_busy(job);
    job->file_io_pending -= io->off != GSI_IO_STREAM;
}

/* `what` and `name` say where: "temporary file in " and a directory. */
static bool io_done(struct gsi_job *job, const struct gsi_io *io, const char *what,
                    const char *name)
{
    gsi_job_io_excuse(job, io);
    if (io->sys_errno != 0 && job->error->status == GS_OK) {
        const char *verb = io->op == GSI_IO_READ ? "read" : "write";
        const char *why = gsi_io_is_refused(io) ? ", io_uring takes no more; try --io threads" : "";
        if (io->off == GSI_IO_STREAM)
            gsi_fail(job->error, gsi_status_of_errno(io->sys_errno), io->sys_errno,
                     "%s'%s': cannot %s%s", what, name, verb, why);
        else
            gsi_fail(job->error, gsi_status_of_errno(io->sys_errno), io->sys_errno,
                     "%s'%s': cannot %s at byte %llu%s", what, name, verb,
                     (unsigned long long)(io->off + io->moved), why);
    }
    return job->error->status == GS_OK;
}

bool gsi_job_io_done(struct gsi_job *job, const struct gsi_io *io, const char *name)
{
    return io_done(job, io, "", name);
}

bool gsi_job_spill_done(struct gsi_job *job, const struct gsi_io *io,
                        const struct gsi_frame_ref *ref)
{
    return io_done(job, io, "temporary file in ", gsi_spill_where(&job->store, ref));
}

static void report_progress(struct gsi_job *job)
{
    uint64_t now = gsi_clock_ns();
    if (job->options->progress == NULL || now - job->progress_ns < PROGRESS_NS)
        return;
    job->progress_ns = now;
    struct gs_progress progress = {.phase = job->phase,
                                   .bytes_done = job->phase_done_bytes,
                                   .bytes_total = job->phase_total_bytes,
                                   .elapsed_ns = now - job->begin_ns,
                                   .phase_ns = now - job->phase_begin_ns};
    job->options->progress(job->options->progress_context, &progress);
}

static enum gs_status wait_for(struct gsi_job *job, uint64_t ns)
{
    bool has_progress = job->options->progress != NULL;
    if (gsi_cancel_is_set(job->options->cancel))
        return gsi_fail(job->error, GS_E_CANCELED, 0, "canceled");
    if (job->error->status != GS_OK)
        return job->error->status;
    /* A task may have finished since the caller looked; its wake makes the wait return at once. */
    gsi_engine_wait(job->engine, has_progress ? gsi_min_u64(ns, PROGRESS_NS) : ns);
    gsi_pool_reap(job->pool);
    gsi_pool_reap(job->disk_pool);
    if (has_progress)
        report_progress(job);
    return job->error->status;
}

enum gs_status gsi_job_wait(struct gsi_job *job)
{
    return wait_for(job, UINT64_MAX);
}

enum gs_status gsi_job_nap(struct gsi_job *job)
{
    return wait_for(job, NAP_NS);
}

bool gsi_job_reap(struct gsi_job *job, struct gsi_event *event)
{
    if (!job->device->ops->reap(job->device, event))
        return false;
    if (event->status == GS_OK)
        return true;
    gsi_fail(job->error, event->status, 0, "%s", event->failure);
    return false;
}

void gsi_job_drain(struct gsi_job *job)
{
    gsi_engine_cancel(job->engine);
    while (job->io_pending > 0 || gsi_pool_pending(job->pool) > 0 ||
           gsi_pool_pending(job->disk_pool) > 0) {
        gsi_engine_wait(job->engine, UINT64_MAX);
        gsi_pool_reap(job->pool);
        gsi_pool_reap(job->disk_pool);
    }
}

void gsi_job_phase(struct gsi_job *job, enum gs_phase phase, uint64_t total_bytes)
{
    uint64_t now = gsi_clock_ns();
    count_io_busy(job);
    if (job->phase_begin_ns != 0)
        job->report->phases[job->phase].ns += now - job->phase_begin_ns;
    job->phase = phase;
    job->phase_begin_ns = now;
    job->phase_done_bytes = 0;
    job->phase_total_bytes = total_bytes == UINT64_MAX ? 0 : total_bytes;
}

void gsi_job_note_spilled(struct gsi_job *job, const struct gsi_spilled_run *run)
{
    struct gs_report *report = job->report;
    report->spilled_runs++;
    report->spilled_bytes += run->key_count * job->layout.key_bytes;
    report->spilled_coded_bytes += run->bytes;
    report->coded_runs += job->choice.is_coding;
}

enum gs_status gsi_job_check_whole(const struct gsi_job *job, const struct gsi_input *input,
                                   uint64_t bytes)
{
    if (input->expected_bytes != UINT64_MAX && bytes != input->expected_bytes)
        return gsi_fail(job->error, GS_E_INPUT, 0,
                        "'%s': %llu bytes follow its header, which says that there are %llu",
                        input->name, (unsigned long long)bytes,
                        (unsigned long long)input->expected_bytes);
    if (bytes % job->layout.element_bytes == 0)
        return GS_OK;
    if (job->layout.record != NULL)
        return gsi_fail(job->error, GS_E_INPUT, 0,
                        "'%s': %llu bytes are no whole number of records of %u; give the right "
                        "--record",
                        input->name, (unsigned long long)bytes, job->layout.element_bytes);
    return gsi_fail(job->error, GS_E_INPUT, 0,
                    "'%s': %llu bytes are no whole number of %u-byte %s elements; give the right "
                    "--type",
                    input->name, (unsigned long long)bytes, job->layout.element_bytes,
                    job->layout.type->name);
}

uint64_t gsi_job_most_bytes(const struct gsi_job *job)
{
    return job->options->has_top
               ? gsi_mul_max_u64(job->options->top_count, job->layout.element_bytes)
               : UINT64_MAX;
}

uint64_t gsi_job_output_bytes(const struct gsi_job *job)
{
    return gsi_min_u64(job->data_bytes, gsi_job_most_bytes(job));
}
