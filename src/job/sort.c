/* sort.c: the sort: makes runs, merges them until the fan-in is enough, merges to the output,
 * verifies.
 *
 *   make_runs -> [r r r r r r] -> intermediate merges, no more than needed -> [r r r] -> output
 *
 * Inputs that are sorted already are runs as they are. Windows of the last merge pass
 *
 *   merger -> first K -> check -> ranks -> progress -+-> sink -> recorder          as it is
 *                                                    '-> unique -> blocks -> sink  one of equal keys,
 *                                                                                  or not elements
 *
 * and each sink may be a split, which has one for each of its files.
 *
 * So what the merge made is verified, whatever becomes of it. */
#include "base/assert.h"
#include "base/checked.h"
#include "base/report.h"
#include "input/carried.h"
#include "input/header.h"
#include "job/make_runs.h"
#include "merge/find.h"
#include "merge/merger.h"
#include "merge/set_filter.h"
#include "merge/sorted_inputs.h"
#include "output/first_n.h"
#include "output/in_order.h"
#include "output/ranks.h"
#include "output/read_back.h"
#include "output/split/split.h"
#include "output/stream_check.h"
#include "output/unique.h"
#include "output/verify_read.h"
#include "plan/merge_tree.h"
#include "plan/plan.h"
#include "spill/writer.h"

/* The most links that windows of a merge pass. */
#define LINKS_MAX 6

struct sort {
    struct gsi_job *job;
    struct gsi_loop *loop;
    struct gsi_run_list list;
    struct gsi_merger merger;
    struct gsi_buffers windows;
    struct gsi_buffers frames, pieces; /* to feed from: of spilled runs, and of sorted inputs */
    struct gsi_in_order pass; /* which may have begun the output, then with check and sink */
    struct gsi_stretches stretches;
    bool has_tally; /* of what was read */
    struct gsi_first_n first_n;
    struct gsi_stream_check check; /* imprint of what came out */
    struct gsi_ranks ranks;
    struct gsi_unique unique;
    struct gsi_early_fold early;
    struct gsi_carried carried;
    struct gsi_sink sink;
    struct gsi_split split;
    struct gsi_link links[LINKS_MAX];
};

/* ---- merges ---- */

/* Buffers of a merge: windows of some shape; frames only if a run is spilled. */
static enum gs_status make_buffers(struct sort *sort, struct gsi_buffer_shape shape,
                                   bool has_spilled)
{
    struct gsi_loop *loop = sort->loop;
    struct gsi_arena *arena = &sort->job->arena;
    GSI_TRY(gsi_arena_windows(arena, &sort->windows, &loop->ledger, shape, loop->error));
    if (has_spilled)
        GSI_TRY(gsi_buffers_carve(&sort->frames, &arena->chunks, gsi_shape_frame(loop->plan),
                                  loop->error));
    return GS_OK;
}

/* Where inputs are merged, all memory but the windows is for feeding, anew for each merge: of both
 * kinds each run gets two buffers and each kind what a merge may need beside them (plan_merge.c);
 * what is left is shared by their numbers. */
static enum gs_status share_buffers(struct sort *sort, const struct gsi_run_entry *entries,
                                    uint32_t count)
{
    struct gsi_loop *loop = sort->loop;
    const struct gsi_arena *arena = &sort->job->arena;
    const struct gsi_plan *plan = loop->plan;
    uint64_t unit = plan->frame_bytes, files = 0;
    for (uint32_t i = 0; i < count; i++)
        files += entries[i].file != NULL;
    uint64_t own_files = gsi_plan_fed_frames(plan, files);
    uint64_t own_spilled = gsi_plan_fed_frames(plan, count - files);
    GSI_ASSERT(own_files + own_spilled <= arena->window_off / unit);
    uint64_t spare = arena->window_off / unit - own_files - own_spilled;
    uint64_t bytes = (own_files + spare * files / gsi_max_u64(count, 1)) * unit;
    gsi_buffers_clear(&sort->pieces);
    gsi_buffers_clear(&sort->frames);
    GSI_TRY(gsi_buffers_init(&sort->pieces, &loop->ledger, arena->memory, bytes,
                             gsi_shape_chunk(plan), false, loop->error));
    return gsi_buffers_init(&sort->frames, &loop->ledger, arena->memory + bytes,
                            arena->window_off - bytes, gsi_shape_frame(plan), false, loop->error);
}

/* Begin a merge of `count` runs from `first` on; the spec says where it goes. */
static enum gs_status begin_merge(struct sort *sort, uint32_t first, uint32_t count,
                                  struct gsi_merger_spec spec)
{
    struct gsi_job *job = sort->job;
    spec.spill = &job->spill;
    spec.inputs = &job->inputs;
    spec.recorder = job->recorder;
    spec.entries = count > 0 ? &sort->list.entries[first] : NULL; /* an empty list has none */
    spec.count = count;
    spec.windows = &sort->windows;
    if (sort->loop->plan->is_merge)
        GSI_TRY(share_buffers(sort, spec.entries, count));
    if (sort->loop->plan->is_merge || sort->pieces.count > 0)
        spec.pieces = &sort->pieces;
    spec.frames = sort->frames.count > 0 ? &sort->frames : NULL;
    return gsi_merger_begin(&sort->merger, sort->loop, &spec);
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
    const struct gsi_link to_writer = {.context = &writer, .take = gsi_spill_writer_take};
    const struct gsi_stage stages[] = {gsi_merger_stage(&sort->merger),
                                       {.context = &writer, .is_done = is_written}};
    GSI_TRY_OR(gsi_spill_writer_init(&writer, loop, &job->spill, &sort->windows, &merged,
                                     gsi_run_list_keys(&sort->list, first, count)),
               fail);
    GSI_TRY_OR(begin_merge(sort, first, count,
                           (struct gsi_merger_spec){.links = &to_writer, .link_count = 1}),
               fail);
    GSI_TRY_OR(gsi_loop_run(loop, stages, 2), fail);
    gsi_merger_end(&sort->merger);
    if (loop->plan->is_merge)
        gsi_spill_note(&job->spill, &merged, loop->layout->key_bytes);
    GSI_TRY_OR(job->recorder->ops->runs_merged(job->recorder, &sort->list, first, count, &merged),
               fail);
    gsi_run_list_replace(&sort->list, first, count, &merged);
    return GS_OK;
fail:
    gsi_loop_drain(loop);
    gsi_merger_end(&sort->merger);
    gsi_spilled_run_clear(&loop->ledger, &merged);
    return status;
}

/* Where `pass` moves the fewest bytes. */
static enum gs_status find_span(const struct sort *sort, const struct gsi_merge_pass *pass,
                                uint32_t *first)
{
    struct gsi_loop *loop = sort->loop;
    uint64_t *run_bytes;
    GSI_TRY(GSI_NEW(&loop->ledger, run_bytes, pass->run_count, loop->error));
    for (uint32_t i = 0; i < pass->run_count; i++) {
        const struct gsi_run_entry *entry = &sort->list.entries[i];
        bool is_known = entry->file != NULL && entry->key_count != UINT64_MAX;
        run_bytes[i] =
            is_known ? entry->key_count * loop->layout->element_bytes : entry->spilled.bytes;
    }
    *first = (uint32_t)gsi_merge_pass_first(pass, run_bytes);
    GSI_FREE(&loop->ledger, run_bytes, pass->run_count);
    return GS_OK;
}

/* Intermediate merges, until the runs that are fed are no more than the fan-in. These are the first
 * of the list. */
static enum gs_status reduce_runs(struct sort *sort)
{
    uint32_t fan_in = sort->loop->plan->fan_in, first;
    gsi_loop_phase(sort->loop, GS_PHASE_MERGE_RUNS, 0);
    for (uint32_t fed; (fed = gsi_run_list_fed(&sort->list)) > fan_in;) {
        struct gsi_merge_pass pass = gsi_merge_pass_make(fed, fan_in);
        GSI_TRY(find_span(sort, &pass, &first));
        GSI_TRY(merge_group(sort, first, (uint32_t)pass.first_group));
        for (uint32_t i = 1; i < pass.group_count; i++)
            GSI_TRY(merge_group(sort, first + i, fan_in));
        gsi_run_list_prune(&sort->list);
        sort->job->report->merge_passes++;
    }
    return GS_OK;
}

/* ---- the last merge ---- */

static bool count_progress(void *context, struct gsi_buffer *window)
{
    struct gsi_loop *loop = context;
    loop->done_bytes += window->bytes;
    return true;
}

static bool tell_recorder(void *context, struct gsi_buffer *window)
{
    struct gsi_recorder *recorder = context;
    recorder->ops->window_delivered(recorder, window);
    return true;
}

static bool pump_recorder(void *context)
{
    struct gsi_recorder *recorder = context;
    return recorder->ops->pump(recorder);
}

/* What windows of the last merge pass; how many these are. */
static uint32_t link_output(struct sort *sort)
{
    uint32_t count = 0;
    sort->links[count++] = gsi_first_n_link(&sort->first_n);
    sort->links[count++] = gsi_stream_check_link(&sort->check);
    if (sort->ranks.is_wanted)
        sort->links[count++] = gsi_ranks_link(&sort->ranks);
    sort->links[count++] = (struct gsi_link){.context = sort->loop, .take = count_progress};
    if (gsi_target_has_blocks(&sort->job->target)) {
        sort->links[count++] = gsi_unique_link(&sort->unique);
        return count;
    }
    if (gsi_target_is_split(sort->job->options)) {
        sort->links[count++] = gsi_split_link(&sort->split);
        return count;
    }
    sort->links[count++] = gsi_sink_link(&sort->sink);
    sort->links[count++] = (struct gsi_link){.context = sort->job->recorder, .take = tell_recorder};
    return count;
}

/* Until everything that came from the merge is written, but for what stages hold back. */
static enum gs_status run_output(struct sort *sort)
{
    const struct gsi_stage stages[] = {gsi_merger_stage(&sort->merger),
                                       gsi_unique_stage(&sort->unique),
                                       gsi_split_stage(&sort->split),
                                       gsi_sink_stage(&sort->sink),
                                       {.context = sort->job->recorder, .pump = pump_recorder}};
    return gsi_loop_run(sort->loop, stages, sizeof stages / sizeof stages[0]);
}

/* All windows are delivered: what the stages behind the merge still hold. */
static enum gs_status finish_output(struct sort *sort)
{
    struct gsi_job *job = sort->job;
    bool has_blocks = gsi_target_has_blocks(&job->target);
    if (has_blocks) {
        gsi_unique_finish(&sort->unique);
        GSI_TRY(run_output(sort));
        job->report->unique_count = sort->unique.count;
        job->report->group_count = job->options->has_top ? 0 : sort->unique.groups.count;
        GSI_TRY(gsi_header_head(&job->inputs, sort->unique.count));
    }
    if (gsi_target_is_split(job->options)) {
        gsi_split_finish(&sort->split);
        return run_output(sort);
    }
    if (job->options->merge && gsi_inputs_filter(&job->inputs) && !has_blocks)
        GSI_TRY(
            gsi_header_head(&job->inputs, sort->sink.bytes / sort->loop->layout->element_bytes));
    gsi_sink_finish(&sort->sink);
    GSI_TRY(run_output(sort));
    return job->recorder->ops->wait(job->recorder);
}

/* Where windows, or blocks, go at last. */
static enum gs_status begin_sink(struct sort *sort, uint64_t bytes)
{
    struct gsi_target *target = &sort->job->target;
    struct gsi_buffers *from =
        gsi_target_has_blocks(target) ? &sort->unique.blocks : &sort->windows;
    if (gsi_target_is_split(sort->job->options))
        return gsi_split_begin(&sort->split, from, gsi_unique_written_bytes(target), bytes);
    gsi_sink_init(&sort->sink, target, from, bytes);
    return GS_OK;
}

static enum gs_status begin_output(struct sort *sort)
{
    struct gsi_job *job = sort->job;
    struct gsi_loop *loop = sort->loop;
    struct gsi_target *target = &job->target;
    uint64_t bytes = gsi_target_wanted_bytes(target);
    bool has_blocks = gsi_target_has_blocks(target);
    gsi_loop_phase(loop, GS_PHASE_WRITE, bytes);
    gsi_spill_trim(&job->spill.store);
    GSI_TRY(gsi_header_head(&job->inputs, (job->options->into ? target->whole_bytes : bytes) /
                                              loop->layout->element_bytes));
    bool is_begun = gsi_in_order_is_whole(&sort->pass);
    if (!is_begun) {
        gsi_stream_check_clear(&sort->check);
        GSI_TRY(gsi_stream_check_init(&sort->check, loop->layout, &loop->ledger, loop->error));
    }
    if (gsi_ranks_wanted(job->options))
        GSI_TRY(job->recorder->ops->tally(job->recorder, loop, &job->report->tally));
    gsi_ranks_begin(&sort->ranks, job->options, loop->layout, job->report);
    gsi_unique_begin(&sort->unique, &sort->merger, &sort->windows,
                     gsi_target_is_split(job->options) ? gsi_split_link(&sort->split)
                                                       : gsi_sink_link(&sort->sink));
    if (is_begun)
        sort->sink.total_bytes = bytes;
    else
        GSI_TRY(begin_sink(sort, gsi_unique_output_bytes(target, bytes)));
    GSI_TRY(
        job->recorder->ops->output_begin(job->recorder, &sort->list, &sort->sink, &sort->check));
    /* Without --top no limit: what is more than was expected has to be found. */
    sort->first_n =
        (struct gsi_first_n){.merger = &sort->merger,
                             .left_bytes = has_blocks ? UINT64_MAX : gsi_target_most_bytes(target)};
    GSI_TRY(begin_merge(sort, 0, sort->list.count,
                        (struct gsi_merger_spec){.to_elements = true,
                                                 .place = gsi_sink_place(target, bytes),
                                                 .links = sort->links,
                                                 .link_count = link_output(sort)}));
    gsi_first_n_begin(&sort->first_n);
    return GS_OK;
}

static enum gs_status merge_to_output(struct sort *sort)
{
    enum gs_status status = begin_output(sort);
    if (status == GS_OK)
        status = run_output(sort);
    if (status == GS_OK)
        status = finish_output(sort);
    if (status != GS_OK)
        gsi_loop_drain(sort->loop);
    gsi_merger_end(&sort->merger);
    return status;
}

/* ---- what came out ---- */

/* What went in has come out, in order: count and fingerprint of all elements agree. Of the first of
 * them only the count can, and not even that of the first ones that differ. */
static enum gs_status verify(struct sort *sort)
{
    struct gsi_job *job = sort->job;
    struct gsi_tally_report *tally = &job->report->tally;
    const struct gsi_imprint *imprint = &sort->check.imprint;
    bool is_cut = gsi_unique_is_full(&sort->unique);
    if (!sort->has_tally)
        GSI_TRY(job->recorder->ops->tally(job->recorder, sort->loop, tally));
    bool is_carried = sort->carried.carry != NULL;
    if (sort->early.fold == NULL && !is_carried)
        GSI_TRY(gsi_inputs_verify(&job->inputs, tally));
    uint64_t most =
        gsi_target_has_blocks(&job->target) ? UINT64_MAX : gsi_target_most_bytes(&job->target);
    most /= sort->loop->layout->element_bytes;
    if (imprint->disorder_idx != UINT64_MAX)
        return gsi_fail(sort->loop->error, GS_E_VERIFY, 0,
                        "'%s': element %llu came out below the one before it; %s: check the "
                        "memory of this machine",
                        job->target.output.name, (unsigned long long)imprint->disorder_idx,
                        gsi_target_left(&job->target));
    const struct gsi_imprint *dropped = &sort->pass.dropped; /* and did not come out again */
    gsi_u128 out = gsi_fingerprint(imprint->fingerprint) + gsi_fingerprint(dropped->fingerprint);
    bool is_same = imprint->count + dropped->count == tally->count &&
                   out == gsi_fingerprint(tally->fingerprint);
    if (!is_cut && (tally->count > most ? imprint->count != most : !is_same))
        return gsi_fail(sort->loop->error, GS_E_VERIFY, 0,
                        "'%s': what came out is not what was read (%llu of %llu elements, "
                        "fingerprints differ); %s: %scheck the memory of this machine",
                        job->target.output.name, (unsigned long long)imprint->count,
                        (unsigned long long)tally->count, gsi_target_left(&job->target),
                        sort->stretches.count > 0
                            ? "let nothing write to the inputs while they are sorted, or "
                            : "");
    bool is_within = true;
    if (imprint->count > 0)
        GSI_TRY(gsi_find_verify(&job->inputs, sort->check.first, sort->check.last, &is_within));
    if (!is_within)
        return gsi_fail(sort->loop->error, GS_E_VERIFY, 0,
                        "'%s': what came out is not within --find; %s: let nothing write to the "
                        "inputs while they are merged",
                        job->target.output.name, gsi_target_left(&job->target));
    uint64_t sorted_count = tally->count - dropped->count;
    if (sort->early.fold != NULL)
        GSI_TRY(gsi_verify_early(&job->target, &sort->early, job->report));
    if (is_carried)
        GSI_TRY(gsi_verify_carried(&job->target, &sort->carried, &sort->unique, job->report));
    return gsi_unique_verify(&sort->unique, sorted_count, job->report->field_tallies);
}

static void drop_resident(struct sort *sort)
{
    struct gsi_device *device = sort->loop->device;
    for (uint32_t i = 0; i < sort->list.count; i++)
        if (sort->list.entries[i].resident != NULL)
            device->ops->run_drop(device, sort->list.entries[i].resident);
}

/* Runs of what is read. What one pass has written is the output's beginning; or a run that is read in
 * pieces, as stretches of inputs are, and counted again then. */
static enum gs_status make_runs(struct sort *sort)
{
    struct gsi_job *job = sort->job;
    struct gsi_buffers some = {.ledger = &sort->loop->ledger,
                               .unit_bytes = job->arena.chunks.unit_bytes};
    GSI_TRY(make_buffers(sort, gsi_shape_window(sort->loop->plan), false));
    GSI_TRY(gsi_in_order_begin(&sort->pass, &job->target, &sort->list, &job->arena.chunks,
                               &sort->windows, &sort->check, &sort->sink, &sort->unique));
    GSI_TRY(gsi_stretches_begin(&sort->stretches, &job->inputs, &job->target.output,
                                gsi_plan_most_stretches(sort->loop->plan)));
    GSI_TRY(gsi_make_runs(job, &sort->list, &sort->pass, &sort->stretches));
    uint64_t chunks = gsi_make_runs_piece_chunks(sort->loop->plan, &sort->pass, &sort->stretches);
    if (gsi_in_order_is_whole(&sort->pass)) {
        job->recorder->pulled_bytes = sort->pass.written_bytes;
    } else if (chunks > 0) {
        GSI_TRY(job->recorder->ops->tally(job->recorder, sort->loop, &job->report->tally));
        sort->has_tally = true;
        GSI_ASSERT(chunks <= job->arena.chunks.free_count);
        for (; chunks > 0; chunks--)
            gsi_buffers_give(&some, gsi_buffers_take(&job->arena.chunks));
        GSI_TRY(gsi_buffers_carve(&sort->pieces, &some, gsi_shape_piece(sort->loop->plan),
                                  sort->loop->error));
    }
    return GS_OK;
}

/* Runs, wherever they come from, and no more than one merge takes. */
static enum gs_status make_list(struct sort *sort)
{
    struct gsi_job *job = sort->job;
    const struct gsi_plan *plan = sort->loop->plan;
    if (plan->is_merge) {
        GSI_TRY(gsi_sorted_inputs_list(&job->inputs, &sort->list));
        job->run_count = sort->list.count;
    } else {
        GSI_TRY(make_runs(sort));
        if (gsi_in_order_is_whole(&sort->pass))
            return GS_OK;
        gsi_buffers_clear(&sort->windows);
    }
    bool is_carved = gsi_run_list_fed(&sort->list) > 0 && !plan->is_merge;
    if (gsi_run_list_fed(&sort->list) <= plan->fan_in)
        return make_buffers(sort, gsi_shape_window(plan), is_carved);
    GSI_TRY(make_buffers(sort, gsi_shape_frame(plan), is_carved));
    GSI_TRY(reduce_runs(sort));
    gsi_buffers_clear(&sort->windows);
    return make_buffers(sort, gsi_shape_window(plan), false);
}

static enum gs_status read_back(struct sort *sort)
{
    struct gsi_target *target = &sort->job->target;
    return gsi_read_back(target, &sort->windows,
                         gsi_target_has_blocks(target) ? &sort->unique.imprint
                                                       : &sort->check.imprint);
}

/* The output is as it should be; then it gets its name. */
static enum gs_status place_output(struct sort *sort)
{
    struct gsi_job *job = sort->job;
    struct gsi_target *target = &job->target;
    GSI_TRY(verify(sort));
    gsi_ranks_end(&sort->ranks);
    if (!gsi_target_has_blocks(target) || job->options->unique)
        gsi_stream_check_ends(&sort->check, job->report);
    if (gsi_target_is_split(job->options)) {
        GSI_TRY(read_back(sort));
        return gsi_split_place(&sort->split,
                               gsi_target_has_blocks(target) ? sort->unique.count
                                                             : sort->check.imprint.count,
                               job->report);
    }
    target->bytes = sort->sink.bytes;
    target->file_bytes = gsi_sink_file_bytes(&sort->sink);
    GSI_TRY(read_back(sort));
    GSI_TRY(job->recorder->ops->output_written(job->recorder));
    GSI_TRY(gsi_output_commit(&target->output, target->file_bytes, sort->loop->error));
    return job->recorder->ops->output_placed(job->recorder);
}

/* What sees elements as they are read: records are folded there, where they can be. */
static enum gs_status open_early(struct sort *sort)
{
    struct gsi_job *job = sort->job;
    const struct gsi_options *options = job->options;
    job->inputs.carried = &sort->carried;
    if (job->inputs.sets != NULL)
        GSI_TRY(gsi_set_filter_open(job->inputs.sets, job->memory_bytes, job->thread_count));
    GSI_TRY(gsi_carried_open(&sort->carried, job->inputs.carry, job->thread_count,
                             &sort->loop->ledger, sort->loop->error));
    if (gsi_unique_early_bytes(&job->target, job->memory_bytes, job->thread_count) == 0)
        return GS_OK;
    job->inputs.early = &sort->early;
    return gsi_early_fold_open(&sort->early, job->inputs.fold, sort->loop->layout,
                               options->group_keys, options->unique_keep, job->memory_bytes,
                               job->thread_count, &sort->loop->ledger, sort->loop->error);
}

enum gs_status gsi_sort(struct gsi_job *job)
{
    struct sort sort = {.job = job, .loop = &job->loop};
    enum gs_status status = GS_OK;
    GSI_TRY_OR(gsi_unique_open(&sort.unique, &job->target), done);
    GSI_TRY_OR(gsi_split_open(&sort.split, &job->target), done);
    GSI_TRY_OR(open_early(&sort), done);
    GSI_TRY_OR(make_list(&sort), done);
    GSI_TRY_OR(merge_to_output(&sort), done);
    GSI_TRY_OR(place_output(&sort), done);
done:
    drop_resident(&sort);
    gsi_run_list_clear(&sort.list);
    gsi_stream_check_clear(&sort.check);
    gsi_split_close(&sort.split);
    gsi_unique_close(&sort.unique);
    job->inputs.early = NULL;
    job->inputs.carried = NULL;
    gsi_carried_close(&sort.carried);
    gsi_early_fold_close(&sort.early);
    gsi_in_order_end(&sort.pass);
    gsi_stretches_end(&sort.stretches);
    gsi_buffers_clear(&sort.windows);
    gsi_buffers_clear(&sort.frames);
    gsi_buffers_clear(&sort.pieces);
    return status;
}
