/* job_arena.c: opens the arena of a job and the device that sorts in it. */
#include "job/steps.h"

#include "base/clock.h"
#include "io/array.h"
#include "job/job_report.h"
#include "job/planning/planning.h"
#include "job/strategy/strategy.h"

void gsi_job_wake(void *context)
{
    struct gsi_job *job = context;
    gsi_engine_wake(job->loop.engine);
}

void gsi_job_close_device(struct gsi_job *job)
{
    if (job->loop.device != NULL) {
        job->report->device.host_run_bytes = job->loop.device->host_bytes;
        job->report->device.tuned_merge_count = job->loop.device->pair_merges.count;
        job->device.ops->close(job->loop.device);
    }
    job->loop.device = NULL;
    gsi_buffers_clear(&job->arena.chunks);
    gsi_memory_unmap(&job->loop.ledger, GSI_MEMORY_DATA, job->arena.memory, job->arena.bytes);
    job->arena = (struct gsi_arena){0};
}

/* Shortens chunks if the device adds payload to their elements, because a run holds both. */
static void size_chunks(struct gsi_job *job)
{
    const struct gsi_inputs *inputs = &job->inputs;
    for (uint32_t i = 0; inputs->device_tally != NULL && i < job->arena.chunks.count; i++) {
        struct gsi_buffer *chunk = &job->arena.chunks.all[i];
        chunk->capacity =
            chunk->capacity / inputs->entry_map->entry_bytes * inputs->layout->element_bytes;
    }
}

/* Returns whether fewer elements may be sorted than are read. */
static bool may_shrink(const struct gsi_job *job)
{
    return gsi_inputs_are_filtered(&job->inputs) || job->inputs.fold != NULL;
}

/* Returns whether elements are read in the array itself: by a GPU that has access to it, or to
 * count them. For payload, job/spec/compile.c has decided that (is_lent). A search for quantiles
 * overwrites its buffers with keys (select.c). */
static bool lends(const struct gsi_job *job)
{
    const struct gsi_inputs *inputs = &job->inputs;
    const struct gsi_array *array = job->array;
    bool is_sort = job->options->action == GS_SORT;
    bool has_entries = inputs->entry_map != NULL && inputs->device_tally == NULL;
    if (array == NULL || array->bytes == 0 || gsi_inputs_may_shrink(inputs) || has_entries ||
        !gsi_layout_is_native(job->loop.layout) || job->plan.sizes.is_counted)
        return inputs->is_lent;
    if (job->device.bytes > 0)
        return is_sort && job->device.ops->reaches(NULL, array->from, array->bytes);
    return job->options->action == GS_STATS && !gsi_select_is(job) &&
           (uintptr_t)array->from % job->loop.layout->align_bytes == 0;
}

/* Returns whether a GPU reads and writes the whole array where it is. Entries, and blocks that are
 * written after the last merge, are in the arena. */
static bool is_array_reached(const struct gsi_job *job)
{
    const struct gsi_array *array = job->array;
    return array != NULL && array->to != NULL && job->device.bytes > 0 &&
           job->inputs.entry_map == NULL && lends(job) && !gsi_target_has_blocks(&job->target) &&
           job->device.ops->reaches(NULL, array->to, array->bytes);
}

/* Opens the arena and the device that works on it as planned, if the strategy needs them. */
static enum gs_status try_device(struct gsi_job *job)
{
    const struct gsi_plan *plan = &job->plan.sizes;
    const struct gsi_strategy *strategy = job->strategy = gsi_strategy_choose(job);
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
                                       .lacks_peer_access = job->device.is_apart,
                                       .failed_set = &job->device.failed_set,
                                       .chunk_shift = gsi_plan_chunk_shift(plan),
                                       .frame_shift = gsi_plan_frame_shift(plan),
                                       .plan = plan,
                                       .may_shrink = may_shrink(job),
                                       .arena = job->arena.memory,
                                       .arena_bytes = job->arena.bytes,
                                       .has_own_data = is_array_reached(job),
                                       .wake = gsi_job_wake,
                                       .wake_context = job,
                                       .pool = job->loop.pool,
                                       .ledger = &job->loop.ledger,
                                       .chunk_buffers = job->arena.chunks.count,
                                       .window_count = plan->window_count,
                                       .field_tallies = job->report->field_tallies};
    if (job->inputs.device_tally != NULL) {
        config.entry_map = job->inputs.entry_map;
        config.first_position = job->inputs_spec.first_position;
        config.element_tally = job->inputs.device_tally;
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
    gsi_job_close_device(job);
    GSI_TRY(gsi_job_replan(job));
    return try_device(job);
}

enum gs_status gsi_job_open_device(struct gsi_job *job)
{
    enum gs_status status = try_device(job);
    while (status != GS_OK && gsi_job_use_less_device(job, status))
        status = retry_device(job);
    if (status == GS_OK && job->loop.device != NULL)
        job->inputs.is_lent = lends(job);
    return status;
}
