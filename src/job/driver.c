/* driver.c: runs a job: opens everything in order, checks it before the first byte is read, runs
 * the strategy, and closes everything again, whatever failed. */
#include "base/assert.h"
#include "base/clock.h"
#include "base/process.h"
#include "input/header.h"
#include "io/array.h"
#include "io/callback.h"
#include "job/job.h"
#include "job/job_report.h"
#include "job/order_by.h"
#include "job/planning/planning.h"
#include "job/run.h"
#include "job/spec/compile.h"
#include "job/spec/spec.h"
#include "job/steps.h"
#include "job/strategy/strategy.h"
#include "loop/loop.h"
#include "merge/sorted_inputs.h"
#include "option/option_parse.h"
#include "output/delivery.h"
#include "output/ranks.h"
#include "output/write_flow/write_flow.h"
#include "plan/limits.h"
#include "plan/plan.h"
#include "plan/plan_model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Transfers in flight, all stages together; the stages' buffers are the real limit. */
#define ENGINE_DEPTH 64

static const char *const standard_input[] = {"-"};

/* Opens the codec of spilled frames, if there is one. */
static enum gs_status open_codec(struct gsi_job *job)
{
    const struct gsi_plan *plan = &job->plan.sizes;
    const struct gsi_codec_plan *codec = &job->plan.codec;
    bool has_codec = codec->id != GSI_CODEC_NONE;
    job->spill.choice = gsi_codec_choice_make(
        has_codec ? job->options->compress : GSI_COMPRESS_NONE, plan->thread_count);
    if (!has_codec)
        return GS_OK;
    GSI_ASSERT(gsi_codec_bytes(codec->id, codec->level, plan->frame_bytes) <= codec->bytes);
    gsi_compress_text(gsi_codec_choice_of(codec->id), codec->level, job->report->runs.codec,
                      sizeof job->report->runs.codec);
    return gsi_codec_open(&job->spill.codec, &job->loop.ledger, codec->id, codec->level,
                          plan->frame_bytes, plan->thread_count, job->loop.error);
}

static enum gs_status open_engine(struct gsi_job *job)
{
    GSI_TRY(gsi_engine_open(job->options->io, ENGINE_DEPTH, &job->loop.engine,
                            job->report->engine.note, sizeof job->report->engine.note,
                            job->loop.error));
    job->report->engine.name = job->loop.engine->ops->name;
    return gsi_cancel_watch(job->options->cancel, job->loop.engine, job->loop.error);
}

/* Opens a table and threads for the readers and the writer of the program. */
static enum gs_status open_callers(struct gsi_job *job)
{
    const struct gsi_options *options = job->options;
    if (options->readers != NULL && options->input_count == 0)
        return gsi_fail(job->loop.error, GS_E_USAGE, 0,
                        "readers: set inputs to their names and input_count to their number");
    if (options->writer != NULL && options->writer->write == NULL)
        return gsi_fail(job->loop.error, GS_E_USAGE, 0, "writer: its member write is NULL");
    uint32_t count = gsi_callbacks_count(options->readers, options->input_count, options->writer);
    return gsi_callbacks_open(count, gsi_job_wake, job, &job->loop.ledger, &job->loop.callbacks,
                              job->loop.error);
}

static enum gs_status open_pools(struct gsi_job *job)
{
    GSI_TRY(gsi_pool_create(job->plan.sizes.thread_count, gsi_job_wake, job, &job->loop.pool,
                            job->loop.error));
    return gsi_pool_create(1, gsi_job_wake, job, &job->loop.disk_pool, job->loop.error);
}

static void close_all(struct gsi_job *job)
{
    gsi_pool_free(job->loop.pool); /* first: its threads use everything below */
    gsi_callbacks_close(job->loop.callbacks);
    gsi_pool_free(job->loop.disk_pool);
    gsi_job_close_device(job);
    gsi_codec_close(&job->spill.codec);
    gsi_header_close(&job->inputs);
    gsi_engine_close(job->loop.engine);
    if (job->spill.has_store)
        gsi_spill_store_close(&job->spill.store);
    gsi_target_close(&job->target);
    gsi_resume_close(job->resume, job->loop.error->status);
    gsi_set_filter_close(&job->sets);
    for (size_t i = 0; i < job->inputs.count; i++)
        gsi_input_close(&job->inputs.table[i]);
    gsi_job_memory_end(job);
    gsi_key_scope_close(&job->chosen.scope, NULL);
    gsi_filter_close(&job->chosen.filter);
    gsi_names_close(&job->chosen.names);
    gsi_values_close(&job->chosen.values);
    gsi_positions_close(&job->positions);
}

/* Reports a cancel instead of the call that its signal interrupted. */
static enum gs_status interrupted(struct gsi_job *job, enum gs_status status)
{
    if (status == GS_OK || job->loop.error->sys_errno != EINTR ||
        !gsi_cancel_is_set(job->options->cancel))
        return status;
    memset(job->loop.error, 0, sizeof *job->loop.error);
    return gsi_fail(job->loop.error, GS_E_CANCELED, 0, "canceled");
}

/* Connects the parts of a job; opens nothing. */
static void set_up(struct gsi_job *job, const struct gsi_options *options, struct gs_report *report,
                   struct gs_error *error)
{
    memset(error, 0, sizeof *error);
    gsi_compress_text(GSI_COMPRESS_NONE, 0, report->runs.codec, sizeof report->runs.codec);
    report->top.is_given = options->has_top;
    report->top.count = options->top_count;
    job->options = options;
    job->report = report;
    job->loop = (struct gsi_loop){.error = error,
                                  .layout = &job->chosen.layout,
                                  .plan = &job->plan.sizes,
                                  .cancel = options->cancel,
                                  .progress = options->progress,
                                  .progress_context = options->progress_context,
                                  .listener = options->listener,
                                  .begin_ns = gsi_clock_ns()};
    job->inputs_spec = gsi_spec_of_inputs(options);
    job->inputs = (struct gsi_inputs){.loop = &job->loop,
                                      .spec = &job->inputs_spec,
                                      .layout = &job->chosen.layout,
                                      .plan = &job->plan.input};
    job->target = (struct gsi_target){.loop = &job->loop,
                                      .spec = &job->output_spec,
                                      .inputs = &job->inputs,
                                      .plan = &job->plan.output};
    if (job->array != NULL && options->action == GS_SORT)
        job->target.output = gsi_array_output(job->array, options->inputs[0]);
}

/* Opens all inputs and reads their headers. */
static enum gs_status open_all(struct gsi_job *job)
{
    const struct gsi_options *options = job->options;
    const char *const *paths = options->input_count > 0 ? options->inputs : standard_input;
    size_t count = options->input_count > 0 ? options->input_count : 1;
    GSI_TRY(gsi_job_memory_begin(job, count));
    GSI_TRY(gsi_header_allocate(&job->inputs));
    GSI_TRY(open_engine(job));
    GSI_TRY(open_callers(job));
    GSI_TRY(gsi_job_open_inputs(job, paths, count));
    job->inputs.head = gsi_spec_of_head(options, job->inputs.formatted);
    GSI_TRY(gsi_job_conflicts_check_inputs(job));
    return gsi_job_conflicts_check_output(job);
}

enum gs_status gsi_job_commit(struct gsi_job *job, struct gsi_delivery *delivery,
                              const struct gsi_digest *written)
{
    GSI_TRY(gsi_delivery_finish(delivery, written));
    GSI_TRY(gsi_resume_append_done(job->resume));
    GSI_TRY(gsi_delivery_commit(delivery));
    return gsi_resume_end(job->resume);
}

/* Opens the journal of --resume, if there is one. */
static enum gs_status find_journal(struct gsi_job *job)
{
    const struct gsi_options *options = job->options;
    if (options->resume_dir == NULL || options->action != GS_SORT)
        return GS_OK;
    const struct gsi_resume_job recorded = {
        .dir = options->resume_dir,
        .output = options->output,
        .memory_is_open = options->memory_bytes == 0 || options->memory_is_share ||
                          options->memory_bytes > gsi_limits_probe("").most_bytes,
        .put_settings = gsi_spec_put_settings,
        .context = job,
        .seed = options->is_shuffled ? &job->report->payload.seed : NULL,
        .report = &job->report->resumed,
        .tally = &job->report->tally,
        .field_tallies = job->report->field_tallies,
        .loop = &job->loop,
        .inputs = &job->inputs,
        .target = &job->target,
        .spill = &job->spill};
    enum gs_status status = gsi_resume_open(&recorded, &job->resume);
    job->chosen.entry_map.seed = job->report->payload.seed;
    return status;
}

/* Chooses the device, makes the plan and opens the output. */
static enum gs_status plan_job(struct gsi_job *job)
{
    GSI_TRY(gsi_job_plan(job));
    GSI_TRY(gsi_ranks_check(&job->options->order_statistics, job->options->action != GS_STATS,
                            job->loop.layout, job->loop.error));
    if (job->options->action == GS_SORT)
        GSI_TRY(gsi_job_open_output(job));
    GSI_TRY(gsi_job_check_temp_dirs(job));
    GSI_TRY(gsi_job_conflicts_check_output(job));
    GSI_TRY(
        gsi_write_flow_check_group(job->options->group_keys, job->loop.layout, job->loop.error));
    GSI_TRY(gsi_spec_check_format(job));
    return gsi_resume_start(job->resume, &job->plan.begin);
}

/* Reserves disk space and opens the codec. */
static enum gs_status open_arena_users(struct gsi_job *job)
{
    if (job->options->action == GS_SORT)
        GSI_TRY(gsi_job_take_space(job));
    return job->plan.sizes.spilled_runs > 0 ? open_codec(job) : GS_OK;
}

/* Opens threads, device and disk as planned, then runs the strategy. */
static enum gs_status do_job(struct gsi_job *job)
{
    GSI_TRY(open_pools(job));
    GSI_TRY(gsi_header_open_unpacker(&job->inputs));
    if (!job->output_spec.is_split)
        GSI_TRY(gsi_target_open_pack(&job->target));
    GSI_TRY(gsi_job_open_device(job));
    if (!job->strategy->has_no_arena)
        GSI_TRY(open_arena_users(job));
    gsi_spec_note(job);
    GSI_TRY(job->strategy->run(job));
    gsi_top_note(job);
    return GS_OK;
}

/* The journal says that the whole output is written: only moves it to its place. */
static enum gs_status finish_written(struct gsi_job *job)
{
    GSI_TRY(gsi_job_open_output(job));
    return gsi_resume_finish(job->resume);
}

/* A small array needs no engine, plan, threads or device. */
static enum gs_status run_small(struct gsi_job *job)
{
    struct gsi_inputs *inputs = &job->inputs;
    job->loop.ledger.ceiling_bytes = UINT64_MAX;
    GSI_TRY(GSI_NEW(&job->loop.ledger, inputs->table, 1, job->loop.error));
    inputs->table[0] = gsi_array_input(job->array, job->options->inputs[0]);
    inputs->count = inputs->room = 1;
    GSI_TRY(gsi_spec_compile(job));
    return gsi_small_array(job);
}

static enum gs_status run_job(struct gsi_job *job)
{
    if (gsi_cancel_is_set(job->options->cancel)) /* also where there is nothing to wait for */
        return gsi_fail(job->loop.error, GS_E_CANCELED, 0, "canceled");
    GSI_TRY(gsi_job_conflicts_begin(job));
    if (gsi_small_array_is(job))
        return run_small(job);
    GSI_TRY(gsi_plan_model_check(job->options->device_model, job->loop.error));
    GSI_TRY(open_all(job));
    GSI_TRY(gsi_spec_compile(job));
    if (gsi_strategy_is_look(job)) {
        gsi_spec_note(job);
        return GS_OK;
    }
    if (job->options->merge && job->options->action != GS_EXPLAIN) /* which reads no streams */
        GSI_TRY(gsi_sorted_inputs_check(&job->inputs, job->options->output));
    GSI_TRY(find_journal(job));
    if (gsi_resume_snapshot(job->resume)->is_written)
        return finish_written(job);
    GSI_TRY(plan_job(job));
    if (job->options->action == GS_EXPLAIN)
        return gsi_job_explain_space(job);
    GSI_TRY(gsi_order_by_begin(job));
    return do_job(job);
}

static enum gs_status run(struct gsi_job *job, const struct gsi_options *options,
                          struct gs_report *report, struct gs_error *error)
{
    struct gsi_file_limit limit;
    gsi_file_limit_block(&limit);
    set_up(job, options, report, error);
    enum gs_status status = interrupted(job, run_job(job));
    gsi_into_tell(&job->target, &report->part);
    gsi_job_report(job);
    uint64_t end_ns = gsi_clock_ns();
    close_all(job);
    report->cost.end_ns = gsi_clock_ns() - end_ns;
    gsi_file_limit_restore(&limit);
    return status;
}

enum gs_status gsi_job_run(const struct gsi_options *options, const bool is_given[GSI_OPT_COUNT],
                           struct gs_report *report, struct gs_error *error)
{
    struct gsi_job job = {.is_given = is_given};
    if (options->order_by_count == 0)
        return run(&job, options, report, error);
    enum gs_status status = gsi_order_by_open(options, is_given, &job.order_by, error);
    if (status == GS_OK) {
        job.is_given = is_given != NULL ? job.order_by->is_given : NULL;
        status = run(&job, &job.order_by->groups, report, error);
    }
    return gsi_order_by_end(job.order_by, status, report, error);
}

enum gs_status gsi_job_run_array(const struct gsi_options *options, struct gsi_array *array,
                                 struct gs_report *report, struct gs_error *error)
{
    struct gsi_job job = {.array = array};
    return run(&job, options, report, error);
}
