/* job_plan.c: what a plan is asked for, and the codec. */
#include "job/planning/planning.h"

#include "base/checked.h"
#include "input/format/format.h"
#include "input/header.h"
#include "input/payload/payload_tally.h"
#include "input/source.h"
#include "job/job_report.h"
#include "job/permute/permute.h"
#include "job/spec/spec.h"
#include "job/steps.h"
#include "job/strategy/strategy.h"
#include "merge/set_filter.h"
#include "merge/sorted_inputs.h"
#include "output/byte_order.h"
#include "output/ranks.h"
#include "output/read_back.h"
#include "output/split/split.h"
#include "output/write_flow/write_flow.h"
#include "plan/plan.h"

#include <string.h>

bool gsi_job_has_sort(const struct gsi_job *job)
{
    return job->options->action == GS_SORT || job->options->action == GS_EXPLAIN;
}

uint64_t gsi_job_sort_input_bytes(const struct gsi_job *job)
{
    const struct gsi_inputs *inputs = &job->inputs;
    if (inputs->entry_map == NULL || inputs->bytes == UINT64_MAX)
        return inputs->bytes;
    return gsi_mul_max_u64(inputs->bytes / inputs->layout->element_bytes,
                           job->chosen.layout.element_bytes);
}

/* Memory beside the sort: what was given, and what stages need. */
static uint64_t plan_stages(const struct gsi_job *job, const struct gsi_budget *budget,
                            struct gsi_job_plan *plan)
{
    const struct gsi_target *target = &job->target;
    const struct gsi_inputs *inputs = &job->inputs;
    const uint64_t memory_bytes = budget->memory_bytes;
    const uint32_t threads = budget->thread_count;
    uint64_t bytes = job->given_bytes;
    gsi_target_plan_packing(target, budget, &plan->output);
    gsi_split_plan(target, budget, &plan->output);
    gsi_write_flow_plan(target, budget, &plan->output);
    if (!plan->device_makes_entries) {
        plan->input.payload = gsi_source_plan(inputs, memory_bytes, threads);
        if (job->options->resume_dir == NULL) /* which counts elements in entries */
            plan->input.payload_tally = gsi_payload_tally_plan(inputs->entry_map, threads);
    }
    plan->input.pre_aggregate = gsi_target_pre_aggregate_plan(target, memory_bytes, threads);
    plan->input.sets = gsi_set_filter_plan(inputs->sets, memory_bytes, threads);
    plan->counted = gsi_counted_plan(job, budget);
    plan->select = gsi_select_plan(job, memory_bytes);
    const bool is_reread = plan->output.pack.used > 0 && job->options->verify_read;
    const uint64_t stages[] = {gsi_header_plan(inputs, is_reread, budget, &plan->input),
                               plan->output.pack.bytes,
                               plan->output.split.bytes,
                               plan->output.write_flow.bytes,
                               plan->input.payload.bytes,
                               plan->input.payload_tally.bytes,
                               plan->input.pre_aggregate.bytes,
                               plan->input.sets.bytes,
                               plan->counted.bytes,
                               plan->select.bytes};
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++)
        bytes = gsi_add_max_u64(bytes, stages[i]);
    plan->permute = gsi_permute_plan(job, memory_bytes - gsi_min_u64(bytes, memory_bytes));
    return gsi_add_max_u64(bytes, gsi_permute_own_bytes(&plan->permute));
}

/* Returns whether the device makes pairs of elements and positions, so that only elements are
 * copied there, and only positions are copied back. Threads make them in three cases: elements are
 * left out, so positions are no sequence; with --top, which may need one pass only; and if there
 * may be too many positions. */
static bool device_makes_entries(const struct gsi_job *job)
{
    const struct gsi_inputs *inputs = &job->inputs;
    return job->device.bytes > 0 && gsi_job_has_sort(job) && inputs->entry_map != NULL &&
           gsi_entry_suits_device(inputs->entry_map) && inputs->filter == NULL &&
           !job->options->has_top &&
           (inputs->bytes != UINT64_MAX || inputs->entry_map->output_bytes == 8);
}

/* Why nearly sorted input is not written while it is read (output/one_pass.h); NULL: it may be. */
static const char *why_not_one_pass(const struct gsi_job *job)
{
    const struct gsi_options *options = job->options;
    const struct gsi_inputs *inputs = &job->inputs;
    if (options->resume_dir != NULL)
        return "--resume writes every run to disk";
    if (options->spill_all)
        return "--spill=always writes every run to disk";
    if (gsi_spec_is_split(options) || options->into)
        return "the output is not one file";
    if (gsi_spec_pack_level(options) > 0)
        return "the output is compressed";
    if (inputs->entry_map != NULL || (options->unique && !gsi_spec_keeps_elements(options)) ||
        gsi_byte_order_differs(options->out_order, inputs->layout))
        return "the output differs from the elements that are sorted";
    if (options->has_top || gsi_ranks_wanted(&options->order_statistics))
        return "the number of elements must be known first";
    if (inputs->are_many)
        return "there are too many inputs to keep open";
    bool is_known = inputs->bytes != UINT64_MAX && !gsi_inputs_may_shrink(inputs);
    bool has_header = inputs->header.bytes > 0 || inputs->spec->kept_header_bytes > 0 ||
                      inputs->head.format != NULL;
    return is_known || !has_header ? NULL : "the header needs the number of elements";
}

/* The request for gsi_plan_make. Fills in the parts of the plan that describe stages. */
static struct gsi_plan_request
plan_request(const struct gsi_job *job, const struct gsi_budget *budget, struct gsi_job_plan *plan)
{
    const struct gsi_options *options = job->options;
    const struct gsi_layout *layout = &job->chosen.layout;
    const bool is_counted = gsi_counted_is(job, budget);
    *plan = (struct gsi_job_plan){.device_makes_entries = device_makes_entries(job)};
    struct gsi_plan_request request = {
        .input_bytes = gsi_job_sort_input_bytes(job),
        .memory_bytes = budget->memory_bytes,
        .element_bytes = layout->element_bytes,
        .record_bytes = layout->form != GSI_FORM_KEYS && !is_counted ? layout->element_bytes : 0,
        .are_inline = layout->form == GSI_FORM_INLINE,
        .is_counted = is_counted,
        .thread_count = budget->thread_count,
        .thread_bytes = gsi_device_overhead(layout, 1),
        .fan_in = budget->fan_in,
        .chunk_bytes = budget->chunk_bytes,
        .window_bytes = budget->window_bytes,
        .device_bytes = job->device.bytes,
        .device_count = job->device.count,
        .lacks_peer_access = job->device.is_apart,
        .device_fixed_bytes = job->device.fixed_bytes,
        .device_scratch_part = job->device.scratch_part,
        .merge_kernel = options->merge_kernel,
        .spill_all = options->spill_all,
        .has_top = options->has_top && !job->output_spec.is_split,
        .top_count = options->top_count,
        .top_bytes = gsi_write_flow_output_bytes(&job->target, gsi_target_most_bytes(&job->target)),
        .is_unique = options->unique,
        .is_permuted = gsi_permute_is(job),
        .is_reduction = !gsi_job_has_sort(job)};
    if (plan->device_makes_entries)
        request.elements_per_entry =
            job->inputs.entry_map->entry_bytes / job->inputs.layout->element_bytes;
    request.is_merge = options->merge;
    request.is_filtered = gsi_inputs_are_filtered(&job->inputs);
    request.may_write_early = why_not_one_pass(job) == NULL;
    request.added_bytes =
        gsi_write_flow_output_bytes(&job->target, request.input_bytes) - request.input_bytes;
    if (request.is_permuted)
        request.added_bytes = job->output_spec.permuted_bytes - request.input_bytes;
    request.read_bytes = gsi_add_max_u64(job->inputs.bytes, gsi_values_bytes(&job->chosen.values));
    request.format_bytes = plan_stages(job, budget, plan);
    return request;
}

/* The ledger as it is when there is no plan: what planning takes for itself is given back. */
static struct gsi_ledger ledger_for(const struct gsi_job *job, const struct gsi_budget *budget)
{
    struct gsi_ledger ledger = job->loop.ledger;
    ledger.ceiling_bytes = gsi_job_memory_ceiling(budget);
    return ledger;
}

bool gsi_job_keeps_top(const struct gsi_job *job)
{
    struct gsi_job_plan plan;
    struct gsi_plan_request request = plan_request(job, &job->budget, &plan);
    struct gsi_ledger ledger = ledger_for(job, &job->budget);
    struct gs_error unheard = {0};
    request.ledger = &ledger;
    return gsi_plan_make(&request, &plan.sizes, &unheard) == GS_OK && plan.sizes.top_room > 0;
}

/* Frames are no larger by default (plan_frames.c), so a codec is planned for as much. */
#define CODEC_FRAME_BYTES ((uint64_t)1 << 20)

/* --compress auto takes this part of memory at most for the codec. */
#define AUTO_CODEC_PART 8

/* Returns whether the frames of a job that spills may be compressed. A resumed job keeps the choice
 * of its first process. */
static bool may_code(const struct gsi_job *job)
{
    const struct gsi_snapshot *snapshot = gsi_resume_snapshot(job->resume);
    return job->options->compress != GSI_COMPRESS_NONE &&
           (!snapshot->has_entries || snapshot->begin.codec != 0);
}

/* The plan spills: plans again with the memory that the codec takes, which *planned says then, too.
 * With auto, no codec is better than too little memory. */
static enum gs_status plan_codec(const struct gsi_job *job, struct gsi_plan_request *planned,
                                 struct gsi_job_plan *plan, struct gs_error *error)
{
    struct gsi_plan_request request = *planned;
    const struct gsi_options *options = job->options;
    struct gsi_plan with_codec;
    struct gs_error unheard = {0};
    bool is_auto =
        options->compress == GSI_COMPRESS_AUTO && !gsi_resume_snapshot(job->resume)->has_entries;
    uint64_t frame =
        gsi_max_u64(gsi_max_u64(CODEC_FRAME_BYTES, request.window_bytes), plan->sizes.frame_bytes);
    struct gsi_codec_plan codec = {.id = gsi_codec_choose_id(options->compress,
                                                             job->loop.layout->plane_bytes > 0,
                                                             plan->sizes.device_bytes > 0),
                                   .level = gsi_max_u32(1, options->compress_level)};
    codec.bytes = gsi_codec_bytes(codec.id, codec.level, frame);
    if (is_auto && plan->sizes.thread_count * codec.bytes > request.memory_bytes / AUTO_CODEC_PART)
        return GS_OK;
    request.thread_bytes += codec.bytes;
    enum gs_status status = gsi_plan_make(&request, &with_codec, is_auto ? &unheard : error);
    if (status != GS_OK)
        return is_auto ? GS_OK : status;
    plan->sizes = with_codec;
    plan->codec = codec;
    *planned = request;
    return GS_OK;
}

/* Why nothing will be written before all is read, where that would spare spilling. */
static const char *why_not_in_order(const struct gsi_job *job, const struct gsi_plan *plan)
{
    if (plan->spilled_runs == 0 || plan->is_merge || plan->late_bytes > 0)
        return NULL;
    if (plan->device_bytes > 0)
        return "a GPU sorts the input";
    const char *why = why_not_one_pass(job);
    return why != NULL ? why : "there is too little memory to hold late elements";
}

enum gs_status gsi_job_make_plan(const struct gsi_job *job, const struct gsi_budget *budget,
                                 struct gsi_job_plan *plan, struct gs_error *error)
{
    enum gs_status status = GS_OK;
    uint64_t *sizes = NULL;
    const struct gsi_options *options = job->options;
    struct gsi_ledger ledger = ledger_for(job, budget);
    struct gsi_plan_request request = plan_request(job, budget, plan);
    request.ledger = &ledger;
    if (options->merge)
        GSI_TRY_OR(
            gsi_sorted_inputs_sizes(&job->inputs, &ledger, &sizes, &request.merge_count, error),
            done);
    request.merge_bytes = sizes;
    if (options->resume_dir != NULL && !request.is_counted)
        request.spill_all = request.keeps_runs = true;
    GSI_TRY_OR(gsi_resume_constrain(job->resume, &request, error), done);
    GSI_TRY_OR(gsi_plan_make(&request, &plan->sizes, error), done);
    if (plan->sizes.spilled_runs > 0 && may_code(job))
        GSI_TRY_OR(plan_codec(job, &request, plan, error), done);
    GSI_TRY_OR(gsi_resume_plan(job->resume, budget, &request, &plan->codec, &plan->sizes,
                               &plan->begin, error),
               done);
    gsi_read_back_plan(&job->target, &plan->sizes);
    plan->in_order_note = why_not_in_order(job, &plan->sizes);
done:
    GSI_FREE(&ledger, sizes, gsi_inputs_merged_count(&job->inputs));
    return status;
}

void gsi_job_adopt_plan(struct gsi_job *job, const struct gsi_job_plan *plan)
{
    job->plan = *plan;
    job->report->plan = plan->sizes;
    job->report->one_pass.note = plan->in_order_note;
    job->inputs.device_tally = plan->device_makes_entries ? &job->element_tally : NULL;
    job->target.has_one_pass = plan->sizes.late_bytes > 0;
    job->loop.ledger.ceiling_bytes = plan->sizes.memory_bytes;
}
