/* sort.c: the sort: makes runs, merges them until the fan-in is enough, merges to the output,
 * verifies.
 *
 *   make_runs -> [r r r r r r] -> intermediate merges, no more than needed -> [r r r] -> output
 *
 * Inputs that are sorted already are runs as they are. Windows of the last merge pass
 *
 *   merger -> first K -> delivery (output/delivery.h)
 *
 * All windows are verified, even those that are not written. */
#include "base/assert.h"
#include "base/checked.h"
#include "element/tally/digest.h"
#include "job/job_report.h"
#include "job/strategy/strategy.h"
#include "loop/run_list.h"
#include "merge/find.h"
#include "merge/merger.h"
#include "merge/presorted.h"
#include "merge/set_filter.h"
#include "merge/sorted_inputs.h"
#include "output/delivery.h"
#include "output/one_pass.h"
#include "output/verify.h"
#include "plan/merge_tree.h"
#include "plan/plan.h"
#include "resume/resume.h"
#include "spill/spill.h"

struct sort {
    struct gsi_job *job;
    struct gsi_loop *loop;
    struct gsi_run_list list;
    struct gsi_merger merger;
    struct gsi_buffers blocks;    /* to feed from */
    struct gsi_one_pass one_pass; /* which may have begun to deliver */
    struct gsi_presorted presorted;
    bool has_tally; /* of what was read */
    struct gsi_pre_aggregate pre_aggregate;
    uint64_t left_bytes;      /* of output that the last merge may still make */
    struct gsi_link links[2]; /* of that merge */
    struct gsi_delivery delivery;
};

/* ---- merges ---- */

/* Buffers of a merge: windows of some shape, and with `is_fed` those that runs are read into. */
static enum gs_status make_buffers(struct sort *sort, struct gsi_buffer_shape shape, bool is_fed)
{
    struct gsi_loop *loop = sort->loop;
    struct gsi_arena *arena = &sort->job->arena;
    GSI_TRY(gsi_arena_windows(arena, &sort->delivery.windows, &loop->ledger, shape, loop->error));
    if (is_fed)
        GSI_TRY(gsi_buffers_carve(&sort->blocks, &arena->chunks, gsi_shape_frame(loop->plan),
                                  loop->error));
    return GS_OK;
}

/* Begin a merge of `count` runs from `first` on; the spec says where it goes. */
static enum gs_status begin_merge(struct sort *sort, uint32_t first, uint32_t count,
                                  struct gsi_merger_spec spec)
{
    struct gsi_job *job = sort->job;
    spec.spill = &job->spill;
    spec.inputs = &job->inputs;
    spec.entries = count > 0 ? &sort->list.entries[first] : NULL; /* an empty list has none */
    spec.count = count;
    spec.windows = &sort->delivery.windows;
    spec.most_bytes = UINT64_MAX;
    spec.blocks = sort->blocks.count > 0 ? &sort->blocks : NULL;
    return gsi_merger_begin(&sort->merger, sort->loop, &spec);
}

static bool count_progress(void *context, struct gsi_buffer *window)
{
    struct gsi_loop *loop = context;
    loop->done_bytes += window->bytes;
    return true;
}

/* ---- intermediate merges ---- */

static bool is_written(const void *context)
{
    const struct gsi_spill_writer *writer = context;
    return writer->pending == 0;
}

/* Merge `count` runs from `first` on into one that is spilled. */
static enum gs_status merge_group(struct sort *sort, uint32_t first, uint32_t count)
{
    enum gs_status status = GS_OK;
    struct gsi_job *job = sort->job;
    struct gsi_loop *loop = sort->loop;
    struct gsi_spilled_run merged = {0};
    struct gsi_spill_writer writer;
    const struct gsi_link links[] = {{.context = loop, .accept = count_progress},
                                     {.context = &writer, .accept = gsi_spill_writer_accept}};
    const struct gsi_stage stages[] = {gsi_merger_stage(&sort->merger),
                                       {.context = &writer, .is_done = is_written}};
    GSI_TRY_OR(gsi_spill_writer_init(&writer, loop, &job->spill, &sort->delivery.windows, &merged,
                                     gsi_run_list_count_keys(&sort->list, first, count)),
               fail);
    GSI_TRY_OR(
        begin_merge(sort, first, count, (struct gsi_merger_spec){.links = links, .link_count = 2}),
        fail);
    GSI_TRY_OR(gsi_loop_run(loop, stages, 2), fail);
    gsi_merger_end(&sort->merger);
    if (loop->plan->is_merge)
        gsi_spill_count_run(&job->spill, &merged, loop->layout->key_bytes);
    GSI_TRY_OR(gsi_resume_append_merged(job->resume, &sort->list, first, count, &merged), fail);
    gsi_run_list_replace(&sort->list, first, count, &merged);
    return GS_OK;
fail:
    gsi_loop_drain(loop);
    gsi_merger_end(&sort->merger);
    gsi_spilled_run_clear(&loop->ledger, &merged);
    return status;
}

/* Finds the first of the neighbouring runs for which `pass` moves the fewest bytes. */
static enum gs_status find_span(const struct sort *sort, const struct gsi_merge_pass *pass,
                                uint32_t *first)
{
    struct gsi_loop *loop = sort->loop;
    uint64_t *run_bytes;
    GSI_TRY(GSI_NEW(&loop->ledger, run_bytes, pass->run_count, loop->error));
    for (uint32_t i = 0; i < pass->run_count; i++) {
        const struct gsi_run_entry *entry = &sort->list.entries[i];
        if (gsi_run_is_spilled(entry))
            run_bytes[i] = entry->spilled.bytes;
        else if (entry->key_count != UINT64_MAX)
            run_bytes[i] = entry->key_count * loop->layout->element_bytes;
    }
    *first = (uint32_t)gsi_merge_pass_first_run(pass, run_bytes);
    GSI_FREE(&loop->ledger, run_bytes, pass->run_count);
    return GS_OK;
}

/* Intermediate merges, until the runs that are fed are no more than the fan-in. These are the first
 * of the list. */
static enum gs_status reduce_runs(struct sort *sort, uint32_t fan_in)
{
    uint32_t first;
    gsi_loop_begin_phase(sort->loop, GS_PHASE_MERGE_RUNS,
                         sort->loop->plan->moves[GS_PHASE_MERGE_RUNS].bytes_written);
    for (uint32_t fed; (fed = gsi_run_list_fed_count(&sort->list)) > fan_in;) {
        struct gsi_merge_pass pass = gsi_merge_pass_make(fed, fan_in);
        GSI_TRY(find_span(sort, &pass, &first));
        GSI_TRY(merge_group(sort, first, (uint32_t)pass.first_group));
        for (uint32_t i = 1; i < pass.group_count; i++)
            GSI_TRY(merge_group(sort, first + i, fan_in));
        gsi_run_list_remove_empty(&sort->list);
        sort->job->report->runs.merge_passes++;
    }
    return GS_OK;
}

/* ---- the last merge ---- */

/* Returns how many bytes of the merge are needed at most; UINT64_MAX: unknown, as with groups. */
static uint64_t most_bytes(const struct sort *sort)
{
    return sort->delivery.has_blocks ? UINT64_MAX : gsi_target_most_bytes(&sort->job->target);
}

/* The merger's pump, until no more is wanted. At least one window is made, so that the order of
 * sorted inputs is checked as far with --top 0 as with --top 1. */
static bool pump_merger(void *context)
{
    struct sort *sort = GSI_CONTAINER_OF((struct gsi_merger *)context, struct sort, merger);
    bool is_full = sort->left_bytes == 0 || gsi_write_flow_is_full(&sort->delivery.write_flow);
    if (is_full && sort->merger.delivered_count > 0 && !sort->merger.is_ended)
        gsi_merger_stop(&sort->merger);
    return gsi_merger_pump(&sort->merger);
}

/* Lets the first elements pass. The last window of them is shortened. Windows that were pulled
 * after it are merged in vain, but they are few. */
static bool keep_first(void *context, struct gsi_buffer *window)
{
    struct sort *sort = context;
    const struct gsi_layout *layout = sort->loop->layout;
    if (sort->left_bytes == 0) {
        gsi_buffers_return(&sort->delivery.windows, window);
        return false;
    }
    if (window->bytes > sort->left_bytes) {
        window->bytes = sort->left_bytes;
        window->digest = GSI_DIGEST_EMPTY;
        gsi_digest_add_elements(layout, &window->digest, window->data,
                                window->bytes / layout->element_bytes);
    }
    sort->left_bytes -= window->bytes;
    return count_progress(sort->loop, window);
}

/* The tally of everything that was read. */
static enum gs_status tally_read(struct sort *sort)
{
    struct gsi_job *job = sort->job;
    struct gsi_device *device = sort->loop->device;
    if (job->resume == NULL)
        return device->ops->tally(device, &job->report->tally, sort->loop->error);
    job->report->tally = gsi_resume_tally(job->resume);
    return GS_OK;
}

static enum gs_status begin_output(struct sort *sort)
{
    struct gsi_job *job = sort->job;
    struct gsi_delivery *delivery = &sort->delivery;
    if (gsi_ranks_wanted(&job->options->order_statistics))
        GSI_TRY(tally_read(sort));
    GSI_TRY(gsi_delivery_start(delivery));
    gsi_spill_trim_files(&job->spill.store);
    if (!sort->one_pass.has_written)
        GSI_TRY(gsi_memory_file_map(&job->target.memory_file));
    /* Without --top no limit: what is more than was expected has to be found. */
    sort->left_bytes = most_bytes(sort);
    sort->links[0] = (struct gsi_link){.context = sort, .accept = keep_first};
    sort->links[1] = gsi_delivery_link(delivery);
    struct gsi_merger_spec spec = {
        .to_elements = true,
        .made_bytes = gsi_one_pass_is_whole(&sort->one_pass) ? sort->one_pass.written_bytes : 0,
        .place = gsi_sink_place(&job->target, gsi_target_wanted_bytes(&job->target)),
        .links = sort->links,
        .link_count = 2};
    GSI_TRY(gsi_resume_mark_output(job->resume, &sort->list, delivery, &spec));
    return begin_merge(sort, 0, sort->list.count, spec);
}

static enum gs_status merge_to_output(struct sort *sort)
{
    struct gsi_stage stage = gsi_merger_stage(&sort->merger);
    stage.pump = pump_merger;
    enum gs_status status = begin_output(sort);
    if (status == GS_OK)
        status = gsi_delivery_run(&sort->delivery, stage);
    if (status != GS_OK)
        gsi_loop_drain(sort->loop);
    gsi_merger_end(&sort->merger);
    return status;
}

/* ---- verification ---- */

/* The output is within --find, whose places were found before the inputs were read. */
static enum gs_status verify_within(const struct sort *sort)
{
    const struct gsi_job *job = sort->job;
    const struct gsi_delivery *delivery = &sort->delivery;
    bool is_within = true;
    if (delivery->check.digest.count > 0)
        GSI_TRY(gsi_find_verify(&sort->job->inputs, sort->job->options->find, delivery->check.first,
                                delivery->check.last, &is_within));
    if (!is_within)
        return gsi_fail(sort->loop->error, GS_E_VERIFY, 0,
                        "'%s': the output has elements outside --find; %s; do not change the "
                        "inputs while they are merged",
                        job->target.output.name, gsi_target_describe_left(&job->target));
    return GS_OK;
}

static enum gs_status verify(struct sort *sort)
{
    struct gsi_job *job = sort->job;
    const bool has_fold = sort->pre_aggregate.fold != NULL;
    const struct gsi_verification verification = {
        .delivery = &sort->delivery,
        .tally = &job->report->tally,
        .fields = job->report->field_tallies,
        .is_of_elements = job->resume != NULL && job->inputs.entry_map != NULL,
        .pre_aggregate = has_fold ? &sort->pre_aggregate : NULL,
        .dropped = sort->one_pass.dropped,
        .most_count = most_bytes(sort) / sort->loop->layout->element_bytes,
        .cause =
            sort->presorted.count > 0 ? "do not change the inputs while they are sorted, or " : ""};
    if (!sort->has_tally)
        GSI_TRY(tally_read(sort));
    if (job->target.spec->most_count == UINT64_MAX) /* or files may not be read to their ends */
        GSI_TRY(gsi_set_filter_verify(job->inputs.sets));
    GSI_TRY(verify_within(sort));
    if (has_fold)
        job->report->groups.folded_count = gsi_pre_aggregate_count(&sort->pre_aggregate);
    return gsi_verify(&verification);
}

static void drop_resident(struct sort *sort)
{
    struct gsi_device *device = sort->loop->device;
    for (uint32_t i = 0; i < sort->list.count; i++)
        if (sort->list.entries[i].resident != NULL)
            device->ops->run_drop(device, sort->list.entries[i].resident);
}

/* Makes runs of the input. Elements that one pass has written are the beginning of the output; or a
 * run that is read by blocks, as presorted ranges are, and counted again then. */
static enum gs_status make_runs(struct sort *sort)
{
    struct gsi_job *job = sort->job;
    GSI_TRY(make_buffers(sort, gsi_shape_window(sort->loop->plan), false));
    GSI_TRY(
        gsi_one_pass_begin(&sort->one_pass, &sort->delivery, &sort->list, job->arena.chunks.count));
    bool may_stay = job->options->resume_dir == NULL && !job->options->spill_all;
    if (may_stay)
        GSI_TRY(gsi_presorted_begin(&sort->presorted, &job->inputs, &job->target.output));
    GSI_TRY(gsi_make_runs(job, &sort->list, &sort->one_pass, &sort->presorted));
    if (!gsi_one_pass_is_whole(&sort->one_pass) &&
        (sort->one_pass.has_written || sort->presorted.count > 0)) {
        GSI_TRY(tally_read(sort));
        sort->has_tally = true;
    }
    return GS_OK;
}

/* How many runs are merged at once: as many as planned, or fewer if resident runs take more buffers
 * than planned. */
static uint32_t find_fan_in(const struct sort *sort)
{
    const struct gsi_plan *plan = sort->loop->plan;
    uint64_t most = gsi_plan_runs_at_once(plan, sort->job->arena.chunks.free_count);
    return (uint32_t)gsi_min_u64(plan->fan_in, most);
}

/* Makes or lists runs, and merges some until one merge can take them all. */
static enum gs_status make_list(struct sort *sort)
{
    struct gsi_job *job = sort->job;
    const struct gsi_plan *plan = sort->loop->plan;
    if (plan->is_merge) {
        GSI_TRY(gsi_sorted_inputs_list(&job->inputs, &sort->list));
        job->run_count = sort->list.count;
    } else {
        GSI_TRY(make_runs(sort));
        if (gsi_one_pass_is_whole(&sort->one_pass))
            return GS_OK;
        gsi_buffers_clear(&sort->delivery.windows);
    }
    uint32_t fed = gsi_run_list_fed_count(&sort->list), fan_in = find_fan_in(sort);
    if (fed <= fan_in)
        return make_buffers(sort, gsi_shape_window(plan), fed > 0);
    GSI_TRY(make_buffers(sort, gsi_shape_frame(plan), true));
    GSI_TRY(reduce_runs(sort, fan_in));
    gsi_buffers_clear(&sort->delivery.windows);
    return make_buffers(sort, gsi_shape_window(plan), false);
}

/* A GPU sorts data that fit into its memory and the host's while they are read. Folding sorted
 * records then costs a fraction of a hash table. So with a GPU, records are folded early only if
 * runs would be spilled. */
static bool pre_aggregates(const struct gsi_job *job)
{
    const struct gsi_plan *plan = job->loop.plan;
    return (plan->device_runs == 0 || plan->spilled_runs > 0) &&
           job->plan.input.pre_aggregate.used > 0;
}

/* Opens the operator that folds records as they are read, if they can be. */
static enum gs_status open_pre_aggregate(struct sort *sort)
{
    struct gsi_job *job = sort->job;
    const struct gsi_options *options = job->options;
    if (job->inputs.sets != NULL)
        GSI_TRY(gsi_set_filter_open(job->inputs.sets, job->budget.memory_bytes,
                                    job->budget.thread_count));
    if (!pre_aggregates(job))
        return GS_OK;
    job->inputs.pre_aggregate = &sort->pre_aggregate;
    return gsi_pre_aggregate_open(
        &sort->pre_aggregate, job->inputs.fold, sort->loop->layout, options->group_keys,
        options->unique_keep, job->budget.memory_bytes, job->budget.thread_count,
        &job->plan.input.pre_aggregate, &sort->loop->ledger, sort->loop->error);
}

static enum gs_status sort_all(struct sort *sort)
{
    struct gsi_job *job = sort->job;
    GSI_TRY(gsi_delivery_open(&sort->delivery, &job->target, gsi_job_delivery_report(job), true));
    GSI_TRY(open_pre_aggregate(sort));
    GSI_TRY(make_list(sort));
    GSI_TRY(merge_to_output(sort));
    GSI_TRY(verify(sort));
    gsi_delivery_tell_ends(&sort->delivery);
    return gsi_job_commit(job, &sort->delivery, NULL);
}

enum gs_status gsi_sort(struct gsi_job *job)
{
    struct sort sort = {.job = job, .loop = &job->loop};
    enum gs_status status = sort_all(&sort);
    drop_resident(&sort);
    gsi_run_list_clear(&sort.list);
    job->inputs.pre_aggregate = NULL;
    gsi_pre_aggregate_close(&sort.pre_aggregate);
    gsi_one_pass_close(&sort.one_pass);
    gsi_presorted_end(&sort.presorted);
    gsi_delivery_clear(&sort.delivery);
    gsi_buffers_clear(&sort.blocks);
    return status;
}
