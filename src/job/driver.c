/* driver.c: makes a job of options, runs it, and takes it apart. Everything that can be found wrong
 * is found here, before the first byte is read. What is opened is closed in the same file, and in
 * which order, for any of it may fail: so it is longer than most. */
#include "base/assert.h"
#include "base/clock.h"
#include "base/file_limit.h"
#include "input/header.h"
#include "io/caller.h"
#include "job/job.h"
#include "job/job_conflicts.h"
#include "job/job_memory.h"
#include "job/job_report.h"
#include "job/job_space.h"
#include "job/planning/job_device.h"
#include "job/planning/job_plan.h"
#include "job/run.h"
#include "job/spec/compile.h"
#include "job/spec/spec.h"
#include "job/strategy/select.h"
#include "job/strategy/strategy.h"
#include "loop/cancel.h"
#include "merge/sorted_inputs.h"
#include "option/option_texts.h"
#include "output/delivery.h"
#include "output/into.h"
#include "output/ranks.h"
#include "output/split/columns.h"
#include "output/split/split_check.h"
#include "output/unique/unique.h"
#include "plan/limits.h"
#include "plan/plan.h"
#include "plan/plan_model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Transfers in flight, all stages together; the stages' buffers are the real limit. */
#define ENGINE_DEPTH 64

/* More inputs than this are closed for now and opened again to be read: a process may have 1024
 * descriptors by default, and an input takes two. */
#define INPUTS_OPEN_MAX GSI_CONSTANT(128, 2)

static const char *const standard_input[] = {"-"};

static void wake_job(void *context)
{
    struct gsi_job *job = context;
    gsi_engine_wake(job->loop.engine);
}

/* Nothing will be taken of this FIFO: opened, its writer would begin, and then lose its reader. */
static bool is_left_alone(const struct gsi_job *job, const char *path)
{
    struct stat info;
    return job->inputs_spec.takes_nothing && stat(path, &info) == 0 && S_ISFIFO(info.st_mode) &&
           access(path, R_OK) == 0;
}

/* What a signal interrupts (in a file system of the network, say) is tried again, but after a
 * cancel. */
static enum gs_status open_input(struct gsi_job *job, const char *path, struct gsi_input *input)
{
    const char *opened = is_left_alone(job, path) ? "/dev/null" : path; /* a stream, too */
    enum gs_status status = gsi_input_open(opened, input, job->loop.error);
    while (status != GS_OK && job->loop.error->sys_errno == EINTR &&
           !gsi_cancel_is_set(job->options->cancel)) {
        memset(job->loop.error, 0, sizeof *job->loop.error);
        status = gsi_input_open(opened, input, job->loop.error);
    }
    if (opened != path)
        input->path = input->name = path;
    return status;
}

static enum gs_status open_inputs(struct gsi_job *job, const char *const *paths, size_t count)
{
    const struct gs_reader *readers = job->options->readers;
    bool has_stdin = false;
    bool is_set = job->options->merge_set != GSI_SET_NONE; /* reads all files at the same time */
    job->inputs.are_many = count > (is_set ? GSI_SET_FILES_MAX : INPUTS_OPEN_MAX);
    for (size_t i = 0; i < count; i++) {
        struct gsi_input *input = &job->inputs.table[i];
        bool has_reader = readers != NULL && readers[i].read != NULL;
        bool is_stdin = !has_reader && job->array == NULL && strcmp(paths[i], "-") == 0;
        if (is_stdin && has_stdin)
            return gsi_fail(job->loop.error, GS_E_USAGE, 0,
                            "'-': is given twice, but standard input can be read only once");
        has_stdin |= is_stdin;
        if (job->array != NULL)
            *input = gsi_array_input(job->array, paths[i]);
        else if (has_reader)
            *input = gsi_callers_input(job->loop.callers, &readers[i], paths[i]);
        else
            GSI_TRY(open_input(job, paths[i], input));
        job->inputs.count++;
        GSI_TRY(gsi_header_inspect(&job->inputs, input));
        if (input->is_direct && gsi_input_is_cached(input))
            gsi_input_go_buffered(input); /* copying from the page cache is faster than the disk */
        if (job->inputs.are_many)
            gsi_input_close_for_now(input);
    }
    return GS_OK;
}

/* What codes frames on their way there. */
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
    gsi_compress_text(codec->id == GSI_CODEC_DELTAS ? GSI_COMPRESS_DELTAS : GSI_COMPRESS_ZSTD,
                      codec->level, job->report->runs.codec, sizeof job->report->runs.codec);
    return gsi_codec_open(&job->spill.codec, &job->loop.ledger, codec->id, codec->level,
                          plan->frame_bytes, plan->thread_count, job->loop.error);
}

/* Whether what is written lies in a file that is read. What is appended lies behind all of it. */
static bool is_over_input(const struct gsi_job *job)
{
    const struct gsi_output *output = &job->target.output;
    struct stat info;
    return !gsi_fd_is_caller(output->fd) && fstat(output->fd, &info) == 0 &&
           (output->kind == GSI_OUTPUT_SHARED || S_ISBLK(info.st_mode)) &&
           gsi_inputs_contain(&job->inputs, &info);
}

/* A merge reads while it writes. A region is written over where it lies, and nothing else. */
static enum gs_status check_apart(const struct gsi_job *job)
{
    const struct gsi_options *options = job->options;
    const struct gsi_output *output = &job->target.output;
    bool is_elsewhere = options->has_region && output->base_off != options->region_off;
    if (!(options->merge || is_elsewhere) || !is_over_input(job))
        return GS_OK;
    if (options->merge)
        return gsi_fail(job->loop.error, GS_E_USAGE, 0,
                        "'%s': is an input and would be overwritten while it is read; -o FILE "
                        "replaces it after everything is written",
                        output->name);
    return gsi_fail(job->loop.error, GS_E_USAGE, 0,
                    "'%s': is the input of --region, but would be overwritten from byte %llu on, "
                    "where the region does not begin; choose another output",
                    output->name, (unsigned long long)output->base_off);
}

/* A FIFO without a reader: only trying again tells that there is one. */
static enum gs_status open_output(struct gsi_job *job)
{
    const struct gsi_options *options = job->options;
    enum gs_status status = GS_OK;
    if (job->inputs.values != NULL && job->output_spec.is_split)
        return gsi_columns_open_files(&job->target);
    if (job->output_spec.is_split)
        return gsi_split_open_files(&job->target);
    if (options->writer != NULL)
        job->target.output =
            gsi_callers_output(job->loop.callers, options->writer, options->output);
    else if (options->into)
        status = gsi_into_open(&job->target, &job->report->into);
    else if (job->array == NULL)
        status = gsi_output_open(options->output, &job->target.output, job->loop.error);
    job->target.is_open = status == GS_OK;
    if (status == GS_OK)
        status = check_apart(job);
    while (status == GS_OK && job->target.output.fd == -1) {
        GSI_TRY(gsi_loop_nap(&job->loop));
        GSI_TRY(gsi_output_connect(&job->target.output, false, job->loop.error));
    }
    return status;
}

static enum gs_status open_engine(struct gsi_job *job)
{
    GSI_TRY(gsi_engine_open(job->options->io, ENGINE_DEPTH, &job->loop.engine,
                            job->report->engine.note, sizeof job->report->engine.note,
                            job->loop.error));
    job->report->engine.name = job->loop.engine->ops->name;
    return gsi_cancel_watch(job->options->cancel, job->loop.engine, job->loop.error);
}

/* Threads for what the caller gives, and a table of it. */
static enum gs_status open_callers(struct gsi_job *job)
{
    const struct gsi_options *options = job->options;
    if (options->readers != NULL && options->input_count == 0)
        return gsi_fail(job->loop.error, GS_E_USAGE, 0,
                        "readers: set inputs to their names and input_count to their number");
    if (options->writer != NULL && options->writer->write == NULL)
        return gsi_fail(job->loop.error, GS_E_USAGE, 0, "writer: its member write is NULL");
    uint32_t count = gsi_callers_count(options->readers, options->input_count, options->writer);
    return gsi_callers_open(count, wake_job, job, &job->loop.ledger, &job->loop.callers,
                            job->loop.error);
}

static enum gs_status open_pools(struct gsi_job *job)
{
    GSI_TRY(gsi_pool_create(job->plan.sizes.thread_count, wake_job, job, &job->loop.pool,
                            job->loop.error));
    return gsi_pool_create(1, wake_job, job, &job->loop.disk_pool, job->loop.error);
}

static void close_device(struct gsi_job *job)
{
    if (job->loop.device != NULL) {
        job->report->device.host_run_bytes = job->loop.device->host_bytes;
        job->report->device.circular_merge_count = job->loop.device->circular_merges;
        job->device.ops->close(job->loop.device);
    }
    job->loop.device = NULL;
    gsi_buffers_clear(&job->arena.chunks);
    gsi_memory_unmap(&job->loop.ledger, GSI_MEMORY_DATA, job->arena.memory, job->arena.bytes);
    job->arena = (struct gsi_arena){0};
}

/* A run has room for what is carried of the elements in its chunks, which are shorter before. */
static void size_chunks(struct gsi_job *job)
{
    const struct gsi_inputs *inputs = &job->inputs;
    for (uint32_t i = 0; inputs->device_tally != NULL && i < job->arena.chunks.count; i++) {
        struct gsi_buffer *chunk = &job->arena.chunks.all[i];
        chunk->capacity =
            chunk->capacity / inputs->carry->carried_bytes * inputs->layout->element_bytes;
    }
}

/* Whether less may be put than is read: elements are left out, or will be folded as they come. */
static bool may_shrink(const struct gsi_job *job)
{
    return gsi_inputs_filter(&job->inputs) || job->inputs.fold != NULL;
}

/* Opens the arena and the device that works on it as planned, if the strategy needs them. */
static enum gs_status try_device(struct gsi_job *job)
{
    const struct gsi_plan *plan = &job->plan.sizes;
    const struct gsi_strategy *strategy = gsi_strategy_choose(job);
    void *memory;
    if (strategy->has_no_arena)
        return GS_OK;
    GSI_TRY(gsi_memory_map(&job->loop.ledger, GSI_MEMORY_DATA, plan->arena_bytes, &memory,
                           job->loop.error));
    job->arena.memory = memory;
    job->arena.bytes = plan->arena_bytes;
    job->arena.window_off =
        plan->arena_bytes - (strategy->has_runs ? gsi_plan_window_region(plan) : 0);
    GSI_TRY(gsi_buffers_init(&job->arena.chunks, &job->loop.ledger, job->arena.memory,
                             job->arena.window_off, gsi_shape_chunk(plan), true, job->loop.error));
    size_chunks(job);
    struct gsi_device_config config = {.layout = job->chosen.layout,
                                       .device_index = job->device.index,
                                       .device_set = job->device.set,
                                       .device_is_apart = job->device.is_apart,
                                       .failed_set = &job->device.failed_set,
                                       .chunk_bytes = plan->chunk_bytes,
                                       .frame_bytes = plan->frame_bytes,
                                       .is_one_pass = plan->late_bytes > 0,
                                       .plan = plan,
                                       .may_shrink = may_shrink(job),
                                       .arena = job->arena.memory,
                                       .arena_bytes = job->arena.bytes,
                                       .wake = wake_job,
                                       .wake_context = job,
                                       .pool = job->loop.pool,
                                       .ledger = &job->loop.ledger,
                                       .chunk_buffers = job->arena.chunks.count,
                                       .window_count = plan->window_count,
                                       .field_tallies = job->report->field_tallies};
    if (job->inputs.device_tally != NULL) {
        config.carry = job->inputs.carry;
        config.first_position = job->inputs_spec.first_position;
        config.carried_tally = job->inputs.device_tally;
    }
    if (strategy->has_runs)
        config.window_count = (uint32_t)gsi_plan_most_windows(plan);
    uint64_t begin_ns = gsi_clock_ns();
    enum gs_status status = job->device.ops->open(&config, &job->loop.device, job->loop.error);
    job->report->device.start_ns += gsi_clock_ns() - begin_ns;
    GSI_TRY(status);
    job->report->device.name = job->device.ops->name;
    return GS_OK;
}

static enum gs_status retry_device(struct gsi_job *job)
{
    close_device(job);
    GSI_TRY(gsi_job_replan(job));
    return try_device(job);
}

static enum gs_status open_device(struct gsi_job *job)
{
    enum gs_status status = try_device(job);
    while (status != GS_OK && gsi_job_use_less_device(job, status))
        status = retry_device(job);
    return status;
}

static void close_all(struct gsi_job *job)
{
    gsi_pool_free(job->loop.pool); /* first: its threads use everything below */
    gsi_callers_close(job->loop.callers);
    gsi_pool_free(job->loop.disk_pool);
    close_device(job);
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
    gsi_values_close(&job->chosen.values);
}

/* The signal that cancelled a job may have interrupted a call that waited. */
static enum gs_status interrupted(struct gsi_job *job, enum gs_status status)
{
    if (status == GS_OK || job->loop.error->sys_errno != EINTR ||
        !gsi_cancel_is_set(job->options->cancel))
        return status;
    memset(job->loop.error, 0, sizeof *job->loop.error);
    return gsi_fail(job->loop.error, GS_E_CANCELED, 0, "canceled");
}

/* Every part knows what it stands on; nothing is open. */
static void set_up(struct gsi_job *job, const struct gsi_options *options, struct gs_report *report,
                   struct gs_error *error)
{
    memset(report, 0, sizeof *report);
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

/* Opens all inputs and looks at how they begin. */
static enum gs_status open_all(struct gsi_job *job)
{
    const struct gsi_options *options = job->options;
    const char *const *paths = options->input_count > 0 ? options->inputs : standard_input;
    size_t count = options->input_count > 0 ? options->input_count : 1;
    GSI_TRY(gsi_job_memory_begin(job, count));
    GSI_TRY(gsi_header_begin(&job->inputs));
    GSI_TRY(open_engine(job));
    GSI_TRY(open_callers(job));
    GSI_TRY(open_inputs(job, paths, count));
    job->inputs.head = gsi_spec_of_head(options, job->inputs.formatted);
    GSI_TRY(gsi_job_conflicts_check_inputs(job));
    return gsi_job_conflicts_check_output(job);
}

enum gs_status gsi_job_place(struct gsi_job *job, struct gsi_delivery *delivery,
                             const struct gsi_digest *written)
{
    GSI_TRY(gsi_delivery_finish(delivery, written));
    GSI_TRY(gsi_resume_append_done(job->resume));
    GSI_TRY(gsi_delivery_place(delivery));
    return gsi_resume_end(job->resume);
}

/* What was done of it in another life, if anybody keeps a record. */
static enum gs_status find_journal(struct gsi_job *job)
{
    const struct gsi_options *options = job->options;
    char *settings;
    size_t bytes;
    if (options->resume_dir == NULL || options->action != GS_SORT)
        return GS_OK;
    enum gs_status status = gsi_spec_settings(job, &settings, &bytes);
    const struct gsi_resume_job recorded = {
        .dir = options->resume_dir,
        .output = options->output,
        .memory_is_open = options->memory_bytes == 0 || options->memory_is_share ||
                          options->memory_bytes > gsi_limits_probe("").most_bytes,
        .settings = settings,
        .setting_bytes = bytes,
        .report = &job->report->resumed,
        .tally = &job->report->tally,
        .field_tallies = job->report->field_tallies,
        .loop = &job->loop,
        .inputs = &job->inputs,
        .target = &job->target,
        .spill = &job->spill};
    if (status == GS_OK)
        status = gsi_resume_open(&recorded, &job->resume);
    free(settings);
    return status;
}

/* Device and plan, and what the output has to be for them. */
static enum gs_status plan_job(struct gsi_job *job)
{
    GSI_TRY(gsi_job_plan(job));
    GSI_TRY(gsi_ranks_check(&job->options->order_statistics, job->options->action != GS_STATS,
                            job->loop.layout, job->loop.error));
    if (job->options->action == GS_SORT)
        GSI_TRY(open_output(job));
    GSI_TRY(gsi_job_check_temp_dirs(job));
    GSI_TRY(gsi_job_conflicts_check_output(job));
    GSI_TRY(gsi_unique_check_group(job->options->group_keys, job->loop.layout, job->loop.error));
    GSI_TRY(gsi_spec_check_format(job));
    return gsi_resume_start(job->resume);
}

/* Returns whether the elements of an array are only read where they are: by a GPU that reaches
 * them, or to count them. For payload, job/spec/compile.c has decided that (is_lent). A search for
 * quantiles puts keys into the places of elements (select.c). */
static bool lends(const struct gsi_job *job)
{
    const struct gsi_inputs *inputs = &job->inputs;
    const struct gsi_array *array = job->array;
    struct gsi_device *device = job->loop.device;
    bool is_sort = job->options->action == GS_SORT;
    bool is_carried = inputs->carry != NULL && inputs->device_tally == NULL;
    if (array == NULL || array->bytes == 0 || gsi_inputs_shrink(inputs) || is_carried ||
        !gsi_layout_is_native(job->loop.layout) || job->plan.sizes.is_counted)
        return inputs->is_lent;
    if (job->device.bytes > 0)
        return is_sort && device->ops->reaches(device, array->from, array->bytes);
    return job->options->action == GS_STATS && !gsi_select_is_wanted(job->options) &&
           (uintptr_t)array->from % job->loop.layout->align_bytes == 0;
}

/* Opens what works with the arena. */
static enum gs_status open_arena_users(struct gsi_job *job)
{
    job->inputs.is_lent = lends(job);
    if (job->options->action == GS_SORT)
        GSI_TRY(gsi_job_take_space(job));
    return job->plan.sizes.spilled_runs > 0 ? open_codec(job) : GS_OK;
}

/* Opens threads, device and disk as planned, then runs the strategy. */
static enum gs_status do_job(struct gsi_job *job)
{
    GSI_TRY(open_pools(job));
    GSI_TRY(gsi_header_open(&job->inputs));
    if (!job->output_spec.is_split)
        GSI_TRY(gsi_target_open_pack(&job->target));
    GSI_TRY(open_device(job));
    const struct gsi_strategy *strategy = gsi_strategy_choose(job); /* after the last plan */
    if (!strategy->has_no_arena)
        GSI_TRY(open_arena_users(job));
    gsi_spec_note(job);
    GSI_TRY(strategy->run(job));
    gsi_top_note(job);
    return GS_OK;
}

/* The whole output is on record: all that is left is to put it in its place. */
static enum gs_status finish_written(struct gsi_job *job)
{
    GSI_TRY(open_output(job));
    return gsi_resume_finish(job->resume);
}

static enum gs_status run_job(struct gsi_job *job)
{
    if (gsi_cancel_is_set(job->options->cancel)) /* also where there is nothing to wait for */
        return gsi_fail(job->loop.error, GS_E_CANCELED, 0, "canceled");
    GSI_TRY(gsi_job_conflicts_begin(job));
    GSI_TRY(gsi_plan_model_check(job->options->device_model, job->loop.error));
    GSI_TRY(open_all(job));
    GSI_TRY(gsi_spec_compile(job));
    if (gsi_strategy_choose(job)->is_unplanned) {
        gsi_spec_note(job);
        return GS_OK;
    }
    if (job->options->merge && job->options->action != GS_EXPLAIN) /* which reads no streams */
        GSI_TRY(gsi_sorted_inputs_check(&job->inputs, job->options->output));
    GSI_TRY(find_journal(job));
    if (gsi_resume_is_written(job->resume))
        return finish_written(job);
    GSI_TRY(plan_job(job));
    return job->options->action == GS_EXPLAIN ? gsi_job_explain_space(job) : do_job(job);
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
    return run(&job, options, report, error);
}

enum gs_status gsi_job_run_array(const struct gsi_options *options, struct gsi_array *array,
                                 struct gs_report *report, struct gs_error *error)
{
    struct gsi_job job = {.array = array};
    return run(&job, options, report, error);
}
