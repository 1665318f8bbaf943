/* driver.c: gs_run: from options to a running job and back to nothing. Everything that can be found
 * wrong is found here, before the first byte is read. */
#include "base/checked.h"
#include "base/clock.h"
#include "input/choose.h"
#include "input/file_reader.h"
#include "input/header.h"
#include "job/job_memory.h"
#include "job/job_space.h"
#include "loop/cancel.h"
#include "merge/sorted_inputs.h"
#include "output/read_back.h"
#include "output/unique.h"
#include "plan/plan.h"
#include "resume/resume.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Transfers in flight, all stages together; the stages' buffers are the real limit. */
#define ENGINE_DEPTH 64

/* More inputs than this are opened a second time when their turn comes: a process may have 1024
 * descriptors by default, and an input takes two. */
#define INPUTS_OPEN_MAX 128

static const char *const standard_input[] = {"-"};

static void wake_job(void *context)
{
    struct gsi_job *job = context;
    gsi_engine_wake(job->engine);
}

/* What a signal interrupts (in a file system of the network, say) is tried again, but after a
 * cancel. */
static enum gs_status open_input(struct gsi_job *job, const char *path, struct gsi_input *input)
{
    enum gs_status status = gsi_input_open(path, input, job->error);
    while (status != GS_OK && job->error->sys_errno == EINTR &&
           !gsi_cancel_is_set(job->options->cancel)) {
        memset(job->error, 0, sizeof *job->error);
        status = gsi_input_open(path, input, job->error);
    }
    return status;
}

static enum gs_status open_inputs(struct gsi_job *job, const char *const *paths, size_t count)
{
    bool has_stdin = false;
    job->rests_inputs = count > INPUTS_OPEN_MAX;
    for (size_t i = 0; i < count; i++) {
        struct gsi_input *input = &job->inputs[i];
        if (strcmp(paths[i], "-") == 0 && has_stdin)
            return gsi_fail(job->error, GS_E_USAGE, 0,
                            "'-': given twice; standard input can be read only once");
        has_stdin |= strcmp(paths[i], "-") == 0;
        GSI_TRY(open_input(job, paths[i], input));
        job->input_count++;
        GSI_TRY(gsi_header_look(job, input));
        if (input->is_direct && gsi_input_is_cached(input))
            gsi_input_go_buffered(input); /* copying from the page cache is faster than the disk */
        if (job->rests_inputs)
            gsi_input_rest(input);
    }
    return GS_OK;
}

static enum gs_status measure_inputs(struct gsi_job *job)
{
    for (size_t i = 0; i < job->input_count; i++) {
        const struct gsi_input *input = &job->inputs[i];
        if (input->is_stream) {
            job->input_bytes = UINT64_MAX;
            continue;
        }
        enum gs_status status = gsi_job_check_whole(job, input, input->bytes);
        if (status != GS_OK)
            return status;
        if (job->input_bytes != UINT64_MAX &&
            !gsi_add_u64(job->input_bytes, input->bytes, &job->input_bytes))
            return gsi_fail(job->error, GS_E_INPUT, 0, "'%s': the inputs are too large together",
                            input->name);
    }
    return GS_OK;
}

static bool has_sort(const struct gsi_job *job)
{
    return job->options->action == GS_ACTION_SORT || job->options->action == GS_ACTION_EXPLAIN;
}

/* Inputs smaller than this are sorted before a GPU has started. */
#define AUTO_CUDA_MIN_BYTES ((uint64_t)2 << 30)

/* Of a GPU's free memory, the part that is not taken by default: other users of it, and what its
 * driver takes while kernels are loaded. */
#define DEVICE_SPARED_PART 20

/* Less is not worth trying. */
#define DEVICE_MIN_BYTES ((uint64_t)64 << 20)

static void use_cpu(struct gsi_job *job)
{
    job->device_ops = gsi_device_find(GS_DEVICE_CPU);
    job->device_bytes = 0;
    job->report->device_name[0] = '\0';
}

static struct gsi_plan_request plan_request(struct gsi_job *job)
{
    const struct gs_options *options = job->options;
    struct gsi_plan_request request = {.input_bytes = job->input_bytes,
                                       .memory_bytes = job->memory_bytes,
                                       .element_bytes = job->layout.element_bytes,
                                       .record_bytes = job->record.bytes,
                                       .thread_count = job->thread_count,
                                       .thread_bytes = gsi_device_overhead(&job->layout, 1),
                                       .fan_in = options->fan_in,
                                       .chunk_bytes = options->chunk_bytes,
                                       .window_bytes = options->window_bytes,
                                       .device_bytes = job->device_bytes,
                                       .device_fixed_bytes = job->device_fixed_bytes,
                                       .device_scratch_part = job->device_scratch_part,
                                       .spill_all = options->spill_all,
                                       .has_top = options->has_top,
                                       .top_bytes =
                                           gsi_unique_output_bytes(job, gsi_job_most_bytes(job)),
                                       .is_unique = options->unique,
                                       .is_reduction = !has_sort(job)};
    request.is_merge = options->merge;
    request.ledger = &job->ledger;
    request.added_bytes = gsi_unique_output_bytes(job, job->input_bytes) - job->input_bytes;
    request.format_bytes = gsi_header_plan(job, request.memory_bytes, job->thread_count) +
                           gsi_unique_plan(job, request.memory_bytes) + job->given_bytes;
    return request;
}

/* Whether the first elements are kept in one pass, which only reads the others. */
static bool keeps_top(struct gsi_job *job)
{
    struct gsi_plan_request request = plan_request(job);
    struct gs_plan plan;
    struct gs_error unheard = {0};
    return gsi_plan_make(&request, &plan, &unheard) == GS_OK && plan.top_room > 0;
}

/* --device auto: a GPU for sorts that repay its start. A reduction only reads, which memory does
 * faster than the way to a GPU. */
static bool is_for_gpu(struct gsi_job *job)
{
    return has_sort(job) && job->input_bytes != UINT64_MAX &&
           job->input_bytes >= AUTO_CUDA_MIN_BYTES && !keeps_top(job);
}

static enum gs_status choose_device(struct gsi_job *job)
{
    const struct gs_options *options = job->options;
    struct gsi_device_limits limits = {0};
    struct gs_error unheard = {0};
    bool is_auto = options->device == GS_DEVICE_AUTO;
    if (options->merge || options->resume_dir != NULL) {
        use_cpu(job);
        if (options->device == GS_DEVICE_CUDA)
            snprintf(job->report->device_note, sizeof job->report->device_note,
                     "sorted files are merged on the CPU");
        return GS_OK;
    }
    job->device_ops = gsi_device_find(options->device);
    if (job->device_ops == NULL)
        return gsi_fail(job->error, GS_E_USAGE, 0,
                        "--device: this build has no CUDA; build it where a CUDA toolkit is");
    if (job->device_ops == gsi_device_find(GS_DEVICE_CPU) || (is_auto && !is_for_gpu(job))) {
        use_cpu(job);
        return GS_OK;
    }
    enum gs_status status = job->device_ops->probe(options->device_index, &job->layout, &limits,
                                                   is_auto ? &unheard : job->error);
    if (status != GS_OK && !is_auto)
        return status;
    if (status != GS_OK) {
        use_cpu(job);
        return GS_OK;
    }
    job->device_bytes = limits.memory_bytes - limits.memory_bytes / DEVICE_SPARED_PART;
    if (options->device_memory_bytes > 0)
        job->device_bytes = gsi_min_u64(options->device_memory_bytes, limits.memory_bytes);
    job->device_fixed_bytes = limits.fixed_bytes;
    job->device_scratch_part = limits.scratch_part;
    memcpy(job->report->device_name, limits.name, sizeof limits.name);
    return GS_OK;
}

/* Frames are no larger by default (plan_frames.c), so a codec is planned for as much. */
#define CODEC_FRAME_BYTES ((uint64_t)1 << 20)

/* --compress auto takes this part of memory at most for the codec. */
#define AUTO_CODEC_PART 8

/* The plan spills: plan again with what the codec takes of memory, which *planned says then, too.
 * With auto, rather no codec than
 * too little memory. */
static enum gs_status plan_codec(struct gsi_job *job, struct gsi_plan_request *planned)
{
    struct gsi_plan_request request = *planned;
    const struct gs_options *options = job->options;
    struct gs_plan *plan = &job->report->plan, with_codec;
    struct gs_error unheard = {0};
    bool is_auto = options->compress == GS_COMPRESS_AUTO;
    uint32_t level = gsi_max_u32(1, options->compress_level);
    uint64_t frame =
        gsi_max_u64(gsi_max_u64(CODEC_FRAME_BYTES, request.window_bytes), plan->frame_bytes);
    uint64_t bytes = gsi_codec_bytes(level, frame);
    if (is_auto && plan->thread_count * bytes > request.memory_bytes / AUTO_CODEC_PART)
        return GS_OK;
    request.thread_bytes += bytes;
    enum gs_status status = gsi_plan_make(&request, &with_codec, is_auto ? &unheard : job->error);
    if (status != GS_OK)
        return is_auto ? GS_OK : status;
    *plan = with_codec;
    *planned = request;
    job->codec_level = level;
    return GS_OK;
}

static enum gs_status make_plan(struct gsi_job *job)
{
    enum gs_status status = GS_OK;
    uint64_t *sizes = NULL;
    const struct gs_options *options = job->options;
    struct gsi_plan_request request = plan_request(job);
    job->ledger.ceiling_bytes = gsi_job_memory_ceiling(job);
    if (options->merge)
        GSI_TRY_OR(gsi_sorted_inputs_sizes(job, &sizes, &request.merge_count), done);
    request.merge_bytes = sizes;
    GSI_TRY_OR(gsi_resume_request(job, &request), done);
    GSI_TRY_OR(gsi_plan_make(&request, &job->report->plan, job->error), done);
    job->codec_level = 0;
    if (job->report->plan.spilled_runs > 0 && options->compress != GS_COMPRESS_NONE)
        GSI_TRY_OR(plan_codec(job, &request), done);
    GSI_TRY_OR(gsi_resume_plan(job, &request), done);
    gsi_read_back_plan(options, &job->report->plan);
    job->ledger.ceiling_bytes = job->report->plan.memory_bytes;
done:
    GSI_FREE(&job->ledger, sizes, job->input_count);
    return status;
}

/* After the device had too little memory: half of it, then the CPU. Says so in the report. */
static bool try_less_device(struct gsi_job *job, enum gs_status status)
{
    if (status != GS_E_MEMORY || job->device_bytes == 0)
        return false;
    char *note = job->report->device_note;
    size_t size = sizeof job->report->device_note;
    uint64_t tried = gsi_min_u64(job->device_bytes, job->report->plan.device_bytes);
    memset(job->error, 0, sizeof *job->error);
    if (tried / 2 >= DEVICE_MIN_BYTES) {
        snprintf(note, size, "not %llu MiB of the GPU's memory could be had",
                 (unsigned long long)(tried >> 20));
        job->device_bytes = tried / 2;
        return true;
    }
    snprintf(note, size, "too little of the GPU's memory could be had; sorted on the CPU");
    use_cpu(job);
    return true;
}

/* What codes frames on their way there. */
static enum gs_status open_codec(struct gsi_job *job)
{
    const struct gs_plan *plan = &job->report->plan;
    bool has_codec = job->codec_level > 0;
    job->choice = gsi_codec_choice_make(has_codec ? job->options->compress : GS_COMPRESS_NONE,
                                        plan->thread_count);
    if (!has_codec)
        return GS_OK;
    snprintf(job->report->codec, sizeof job->report->codec, "zstd:%u", job->codec_level);
    return gsi_codec_open(&job->codec, &job->ledger, job->codec_level, plan->frame_bytes,
                          plan->thread_count, job->error);
}

/* A FIFO without a reader: only trying again tells that there is one. */
static enum gs_status open_output(struct gsi_job *job)
{
    enum gs_status status = gsi_output_open(job->options->output, &job->output, job->error);
    job->has_output = status == GS_OK;
    while (status == GS_OK && job->output.fd < 0) {
        GSI_TRY(gsi_job_nap(job));
        GSI_TRY(gsi_output_connect(&job->output, false, job->error));
    }
    return status;
}

static enum gs_status open_engine(struct gsi_job *job)
{
    GSI_TRY(gsi_engine_open(job->options->io, ENGINE_DEPTH, &job->engine, job->report->engine_note,
                            sizeof job->report->engine_note, job->error));
    job->report->engine = job->engine->ops->name;
    gsi_cancel_watch(job->options->cancel, job->engine);
    return GS_OK;
}

static enum gs_status open_pools(struct gsi_job *job)
{
    GSI_TRY(gsi_pool_create(job->report->plan.thread_count, wake_job, job, &job->pool, job->error));
    return gsi_pool_create(1, wake_job, job, &job->disk_pool, job->error);
}

static void close_device(struct gsi_job *job)
{
    if (job->device != NULL)
        job->device_ops->close(job->device);
    job->device = NULL;
    gsi_buffers_clear(&job->chunks);
    gsi_memory_unmap(&job->ledger, GS_MEMORY_DATA, job->arena, job->arena_bytes);
    job->arena = NULL;
    job->arena_bytes = 0;
}

/* gs_options.unverified. A merge, a check and --top need what imprints tell; what is on record for
 * --resume has to be whole. */
static bool goes_unverified(const struct gsi_job *job)
{
    const struct gs_options *options = job->options;
    return options->unverified && options->action == GS_ACTION_SORT && !options->merge &&
           !options->has_top && options->resume_dir == NULL && job->layout.record == NULL &&
           job->device_ops == gsi_device_find(GS_DEVICE_CPU);
}

/* The arena and the device that works on it, as planned. */
static enum gs_status try_device(struct gsi_job *job)
{
    const struct gs_plan *plan = &job->report->plan;
    void *memory;
    GSI_TRY(gsi_memory_map(&job->ledger, GS_MEMORY_DATA, plan->arena_bytes, &memory, job->error));
    job->arena = memory;
    job->arena_bytes = plan->arena_bytes;
    bool has_merge = has_sort(job) && plan->top_room == 0;
    job->window_off =
        has_merge ? plan->arena_bytes - plan->window_count * plan->window_bytes : plan->arena_bytes;
    GSI_TRY(gsi_buffers_init(&job->chunks, &job->ledger, job->arena, job->window_off,
                             gsi_shape_chunk(plan), true, job->error));
    job->layout.is_unverified = goes_unverified(job);
    struct gsi_device_config config = {.layout = job->layout,
                                       .device_index = job->options->device_index,
                                       .plan = plan,
                                       .arena = job->arena,
                                       .arena_bytes = job->arena_bytes,
                                       .wake = wake_job,
                                       .wake_context = job,
                                       .pool = job->pool,
                                       .ledger = &job->ledger,
                                       .chunk_buffers = job->chunks.count,
                                       .window_count = plan->window_count,
                                       .field_tallies = job->report->field_tallies};
    if (has_merge)
        config.window_count = (uint32_t)gsi_max_u64(
            plan->window_count, plan->window_count * plan->window_bytes / plan->frame_bytes);
    GSI_TRY(job->device_ops->open(&config, &job->device, job->error));
    job->report->device = job->device_ops->name;
    return GS_OK;
}

static enum gs_status open_device(struct gsi_job *job)
{
    enum gs_status status = try_device(job);
    while (status != GS_OK && try_less_device(job, status)) {
        close_device(job);
        status = make_plan(job);
        if (status == GS_OK)
            status = try_device(job);
    }
    return status;
}

static void close_all(struct gsi_job *job)
{
    gsi_pool_free(job->pool); /* first: its threads use everything below */
    gsi_pool_free(job->disk_pool);
    close_device(job);
    gsi_codec_close(&job->codec);
    gsi_header_close(job);
    gsi_engine_close(job->engine);
    if (job->has_store)
        gsi_spill_store_close(&job->store);
    if (job->has_output)
        gsi_output_close(&job->output);
    gsi_resume_close(job, job->error->status);
    for (size_t i = 0; i < job->input_count; i++)
        gsi_input_close(&job->inputs[i]);
    gsi_job_memory_end(job);
    gsi_key_scope_close(&job->scope, NULL);
}

/* Numbers behind a header that is no whole number of pages lie where direct I/O cannot put them
 * among those of other inputs. */
static bool is_read_direct(const struct gsi_job *job, const struct gsi_input *input)
{
    if (input->direct_fd >= 0 && !gsi_file_is_direct(input->direct_fd))
        return false; /* its file system refused it later than at open */
    if (job->options->merge)
        return gsi_file_reader_is_direct(&job->layout, input);
    return input->is_direct && (input->coding != GSI_CODING_NONE || job->layout.align_bytes == 1 ||
                                input->base_off % GSI_DIRECT_ALIGN == 0);
}

static void finish_report(struct gsi_job *job)
{
    struct gs_report *report = job->report;
    gsi_job_phase(job, job->phase, 0);
    for (int i = 0; i < GS_PHASE_COUNT; i++) {
        report->bytes_read += report->phases[i].bytes_read;
        report->bytes_written += report->phases[i].bytes_written;
    }
    report->is_unique = job->options->unique && job->options->action == GS_ACTION_SORT;
    report->input_bytes = report->tally.count * job->layout.element_bytes;
    report->input_file_bytes =
        job->options->merge ? report->input_bytes : report->phases[GS_PHASE_READ].bytes_read;
    report->direct_input = job->input_count > 0 && job->layout.element_bytes > 0;
    for (size_t i = 0; i < job->input_count; i++)
        report->direct_input = report->direct_input && is_read_direct(job, &job->inputs[i]);
    report->direct_output = job->has_output && job->pack_level == 0 &&
                            gsi_file_is_direct(job->output.direct_fd) &&
                            job->header_bytes % GSI_DIRECT_ALIGN == 0;
    report->direct_temp = job->has_store && gsi_spill_is_direct(&job->store);
    report->temp_bytes = job->store.peak_bytes;
    report->memory_peak_bytes = job->ledger.peak_bytes;
    memcpy(report->memory_parts, job->ledger.peak_parts, sizeof report->memory_parts);
    report->ns = gsi_clock_ns() - job->begin_ns;
}

/* Where the first element is, and how long. */
static void report_place(struct gsi_job *job)
{
    job->report->plan.record_bytes = job->record.bytes;
    const struct gsi_input *input = &job->inputs[0];
    job->report->is_packed = input->coding == GSI_CODING_ZSTD;
    job->report->data_off = input->is_stream ? input->skip_bytes : input->base_off;
}

/* Numbers in the options that no job can be made of. */
static enum gs_status check_numbers(const struct gs_options *options, struct gs_error *error)
{
    const struct {
        const char *name;
        uint32_t value, least, most; /* 0 is the default */
    } numbers[] = {{"--parallel", options->thread_count, 1, GS_THREADS_MAX},
                   {"--batch-size", options->fan_in, 2, GS_FAN_IN_MAX},
                   {"--compress zstd", options->compress_level, 1, GS_ZSTD_LEVEL_MAX},
                   {"--zstd", options->output_zstd_level, 1, GS_ZSTD_LEVEL_MAX}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (numbers[i].value != 0 &&
            (numbers[i].value < numbers[i].least || numbers[i].value > numbers[i].most))
            return gsi_fail(error, GS_E_USAGE, 0, "%s: %u is not a number from %u to %u",
                            numbers[i].name, numbers[i].value, numbers[i].least, numbers[i].most);
    return GS_OK;
}

/* The signal that cancelled a job may have interrupted a call that waited. */
static enum gs_status interrupted(struct gsi_job *job, enum gs_status status)
{
    if (status == GS_OK || job->error->sys_errno != EINTR ||
        !gsi_cancel_is_set(job->options->cancel))
        return status;
    memset(job->error, 0, sizeof *job->error);
    return gsi_fail(job->error, GS_E_CANCELED, 0, "canceled");
}

/* What there is to work on. */
static enum gs_status find_elements(struct gsi_job *job)
{
    const struct gs_options *options = job->options;
    bool has_paths = options->input_count > 0;
    const char *const *paths = has_paths ? options->inputs : standard_input;
    size_t path_count = has_paths ? options->input_count : 1;
    GSI_TRY(gsi_job_memory_begin(job, path_count));
    GSI_TRY(gsi_header_begin(job));
    GSI_TRY(open_engine(job));
    GSI_TRY(open_inputs(job, paths, path_count));
    GSI_TRY(gsi_choose_elements(job, paths));
    GSI_TRY(measure_inputs(job));
    report_place(job);
    return GS_OK;
}

enum gs_status gs_run(const struct gs_options *options, struct gs_report *report,
                      struct gs_error *error)
{
    enum gs_status status = GS_OK;
    memset(report, 0, sizeof *report);
    memset(error, 0, sizeof *error);
    memcpy(report->codec, "none", sizeof "none");
    struct gsi_job job = {
        .options = options, .report = report, .error = error, .begin_ns = gsi_clock_ns()};
    report->has_top = options->has_top;
    report->top_count = options->top_count;
    GSI_TRY_OR(check_numbers(options, error), done);
    GSI_TRY_OR(find_elements(&job), done);
    if (options->action == GS_ACTION_LOOK) {
        gsi_choose_note(&job);
        goto done;
    }
    if (options->merge)
        GSI_TRY_OR(gsi_sorted_inputs_check(&job), done);
    GSI_TRY_OR(gsi_resume_open(&job), done);
    if (gsi_resume_is_written(&job)) {
        GSI_TRY_OR(open_output(&job), done);
        GSI_TRY_OR(gsi_resume_finish(&job), done);
        goto done;
    }
    GSI_TRY_OR(choose_device(&job), done);
    status = make_plan(&job);
    while (status != GS_OK && try_less_device(&job, status))
        status = make_plan(&job);
    bool has_record = job.resume != NULL && job.resume->has_record; /* of what it needs */
    if (status == GS_E_USAGE && !has_record)
        gsi_job_memory_tell_enough(&job, make_plan);
    GSI_TRY_OR(status, done);
    if (options->action == GS_ACTION_SORT)
        GSI_TRY_OR(open_output(&job), done);
    GSI_TRY_OR(gsi_unique_check(&job), done);
    GSI_TRY_OR(gsi_read_back_check(&job), done);
    GSI_TRY_OR(gsi_resume_start(&job), done);
    if (options->action == GS_ACTION_EXPLAIN) {
        status = gsi_job_explain_space(&job);
        goto done;
    }
    GSI_TRY_OR(open_pools(&job), done);
    GSI_TRY_OR(gsi_header_open(&job), done);
    GSI_TRY_OR(open_device(&job), done);
    if (options->action == GS_ACTION_SORT)
        GSI_TRY_OR(gsi_job_take_space(&job), done);
    if (report->plan.spilled_runs > 0)
        GSI_TRY_OR(open_codec(&job), done);
    gsi_choose_note(&job);
    if (options->action != GS_ACTION_SORT)
        GSI_TRY_OR(gsi_reduce(&job), done);
    else
        GSI_TRY_OR(report->plan.top_room > 0 ? gsi_top(&job) : gsi_sort(&job), done);
done:
    status = interrupted(&job, status);
    finish_report(&job);
    close_all(&job);
    return status;
}
