/* inner_sort.c: starts a sort, waits for it, and adds what it cost. */
#include "job/permute/inner_sort.h"

#include "base/pool.h"
#include "job/job.h"
#include "job/job_report.h"
#include "job/run.h"
#include "job/spec/spec.h"
#include "loop/loop.h"
#include "plan/plan.h"

#include <stdlib.h>

static void *run(void *context)
{
    struct gsi_inner_sort *sort = context;
    enum gs_status status = gsi_job_run(&sort->options, NULL, sort->report, &sort->error);
    sort->error.status = status;
    gsi_pipe_end_reader(&sort->in, status);
    gsi_pipe_end_writer(&sort->out, status);
    return NULL;
}

/* ---- options ---- */

static void set_elements(struct gsi_inner_sort *sort, uint32_t entry_bytes, const char *key)
{
    struct gsi_options *options = &sort->options;
    sort->key = key;
    if (key == NULL) {
        options->type = entry_bytes == sizeof(uint64_t) ? "u64" : "u128";
        return;
    }
    options->record_bytes = entry_bytes;
    options->keys = &sort->key;
    options->key_count = 1;
}

/* ---- the sort ---- */

enum gs_status gsi_inner_sort_start(
    struct gsi_inner_sort *sort, const struct gsi_job *job, const char *name, uint32_t entry_bytes,
    const char *key, uint64_t bytes, uint64_t memory_bytes,
    int64_t (*read)(void *context, void *data, size_t bytes, struct gs_error *error), void *context)
{
    *sort = (struct gsi_inner_sort){.options = gsi_spec_of_part(job->options), .name = name};
    struct gsi_options *options = &sort->options;
    options->thread_count = job->plan.sizes.thread_count;
    sort->reader = read != NULL ? (struct gs_reader){.read = read, .context = context}
                                : gsi_pipe_reader(&sort->in);
    sort->reader.bytes = bytes;
    sort->writer = gsi_pipe_writer(&sort->out);
    options->inputs = &sort->name;
    options->readers = &sort->reader;
    options->writer = &sort->writer;
    options->memory_bytes = memory_bytes + GSI_PLAN_PROCESS_BYTES;
    sort->temp_dir = job->target.output.directory;
    if (options->temp_dir_count == 0 && sort->temp_dir != NULL) {
        options->temp_dirs = &sort->temp_dir;
        options->temp_dir_count = 1;
    }
    set_elements(sort, entry_bytes, key);
    sort->report = calloc(1, sizeof *sort->report);
    if (sort->report == NULL)
        return gsi_fail(job->loop.error, GS_E_MEMORY, 0, "out of memory: cannot allocate a report");
    gsi_pipe_open(&sort->in);
    gsi_pipe_open(&sort->out);
    sort->is_open = true;
    int refusal = gsi_thread_start(&sort->thread, run, sort);
    sort->has_thread = refusal == 0;
    return sort->has_thread
               ? GS_OK
               : gsi_fail(job->loop.error, GS_E_MEMORY, refusal,
                          "out of memory: cannot start a thread for a sort of positions");
}

enum gs_status gsi_inner_sort_wait(struct gsi_inner_sort *sort, struct gsi_job *job)
{
    while (!gsi_pipe_is_ready(&sort->out))
        GSI_TRY(gsi_loop_nap(&job->loop));
    return GS_OK;
}

/* Adds transfers to and from temporary files; those of callbacks are no files. The transfers of
 * both sorts are reported as intermediate merges: the job itself has none. */
static void add_costs(const struct gsi_inner_sort *sort, struct gsi_job *job)
{
    const struct gs_report *report = sort->report;
    struct gsi_phase_report *sum = &job->loop.phases[GS_PHASE_MERGE_RUNS];
    struct gsi_ledger *ledger = &job->loop.ledger;
    sum->bytes_read += report->cost.bytes_read - report->input.bytes;
    sum->bytes_written += report->cost.bytes_written - report->output.bytes;
    job->run_count += (uint32_t)report->runs.count;
    job->spill.run_count += (uint32_t)report->runs.spilled_count;
    job->spill.coded_run_count += (uint32_t)report->runs.coded_count;
    job->spill.key_bytes += report->runs.spilled_bytes;
    job->spill.frame_bytes += report->runs.coded_bytes;
    job->spill.store.peak_bytes += report->runs.temp_bytes;
    job->report->runs.merge_passes += report->runs.merge_passes;
    if (report->runs.spilled_count > 0)
        memcpy(job->report->runs.codec, report->runs.codec, sizeof report->runs.codec);
    ledger->peak_bytes += report->cost.memory_peak_bytes;
    for (int i = 0; i < GSI_MEMORY_PART_COUNT; i++)
        ledger->peak_parts[i] += report->cost.memory_parts[i];
}

enum gs_status gsi_inner_sort_stop(struct gsi_inner_sort *sort, struct gsi_job *job)
{
    struct gs_error *error = job->loop.error;
    if (sort->is_open) {
        gsi_pipe_stop(&sort->in);
        gsi_pipe_stop(&sort->out);
    }
    if (sort->has_thread) {
        pthread_join(sort->thread, NULL);
        add_costs(sort, job);
        if (sort->error.status != GS_OK && error->status == GS_OK)
            *error = sort->error;
    }
    if (sort->is_open) {
        gsi_pipe_close(&sort->in);
        gsi_pipe_close(&sort->out);
    }
    free(sort->report);
    sort->report = NULL;
    sort->is_open = sort->has_thread = false;
    return error->status;
}
