/* feeder.c: chooses the run of which a block is read next. */
#include "merge/feed/feeder.h"

#include "base/assert.h"
#include "merge/feed/frame_feed.h"
#include "merge/feed/input_feed.h"
#include "plan/plan.h"

/* With --resume, a killed job must read blocks again that it had read ahead. So only this many
 * blocks are read ahead, enough to keep the disk busy. */
#define KEPT_AHEAD GSI_CONSTANT(16u, 2u)

enum gs_status gsi_feeder_begin(struct gsi_feeder *feeder, struct gsi_spill *spill,
                                struct gsi_inputs *inputs, struct gsi_buffers *buffers,
                                const struct gsi_run_entry *entries, uint32_t count,
                                const uint64_t *first_indexes)
{
    enum gs_status status = GS_OK;
    struct gsi_loop *loop = inputs->loop;
    uint32_t files = 0, fed = 0;
    for (uint32_t i = 0; i < count; i++) {
        files += entries[i].is_extent;
        fed += entries[i].resident == NULL;
    }
    uint64_t reserved = gsi_plan_merge_frames(loop->plan, fed);
    GSI_ASSERT(buffers->count >= reserved);
    *feeder =
        (struct gsi_feeder){.feed = {.loop = loop,
                                     .buffers = buffers,
                                     .run_count = fed,
                                     .reserved_per_run = gsi_plan_frames_per_run(loop->plan),
                                     .is_exact = files == 0 && loop->layout->form == GSI_FORM_KEYS,
                                     .unreserved_count = buffers->count - reserved,
                                     .max_in_use = UINT64_MAX},
                            .input_count = count};
    if (spill->keeps_frames)
        feeder->feed.max_in_use = fed + gsi_plan_shared_frames(loop->plan) + KEPT_AHEAD;
    const struct gsi_feed_entries table = {entries, first_indexes, count};
    GSI_TRY_OR(GSI_NEW(&loop->ledger, feeder->runs, count, loop->error), fail);
    if (fed > files)
        GSI_TRY_OR(gsi_frame_feed_open(&feeder->frames, &feeder->feed, spill, &table, feeder->runs),
                   fail);
    if (files > 0)
        GSI_TRY_OR(
            gsi_input_feed_open(&feeder->inputs, &feeder->feed, inputs, &table, feeder->runs),
            fail);
    return GS_OK;
fail:
    gsi_feeder_clear(feeder);
    return status;
}

void gsi_feeder_clear(struct gsi_feeder *feeder)
{
    gsi_frame_feed_close(feeder->frames);
    gsi_input_feed_close(feeder->inputs);
    if (feeder->runs != NULL)
        GSI_FREE(&feeder->feed.loop->ledger, feeder->runs, feeder->input_count);
    *feeder = (struct gsi_feeder){0};
}

/* Returns the run of which a block is read next; NULL: none may be read now. If first keys are
 * equal, a spilled run is read before an input. */
static struct gsi_fed_run *choose_run(const struct gsi_feeder *feeder)
{
    struct gsi_fed_run *must_read_run = feeder->feed.must_read_run, *of_frames = NULL,
                       *of_inputs = NULL;
    if (must_read_run != NULL)
        return must_read_run->ops->can_start(must_read_run) ? must_read_run : NULL;
    if (feeder->frames != NULL)
        of_frames = gsi_frame_feed_next(feeder->frames);
    if (feeder->inputs != NULL)
        of_inputs = gsi_input_feed_next(feeder->inputs);
    if (of_frames == NULL || of_inputs == NULL)
        return of_frames != NULL ? of_frames : of_inputs;
    return gsi_frame_feed_forecast(of_frames) <= gsi_input_feed_forecast(of_inputs) ? of_frames
                                                                                    : of_inputs;
}

bool gsi_feeder_pump(struct gsi_feeder *feeder)
{
    bool has_progress = false;
    struct gsi_feed *feed = &feeder->feed;
    struct gsi_fed_run *run;
    while (feeder->runs != NULL && !feed->is_stopped && feed->buffers->free_count > 0 &&
           !gsi_loop_has_failed(feed->loop) && (run = choose_run(feeder)) != NULL) {
        gsi_fed_run_start_read(run);
        has_progress = true;
    }
    if (feeder->frames != NULL)
        has_progress |= gsi_frame_feed_pump(feeder->frames);
    return has_progress;
}

bool gsi_feeder_await_input(struct gsi_feeder *feeder, uint32_t input_idx)
{
    struct gsi_fed_run *run = feeder->runs != NULL ? feeder->runs[input_idx] : NULL;
    return run != NULL && gsi_fed_run_await(run);
}

void gsi_feeder_return_buffer(struct gsi_buffer *buffer)
{
    struct gsi_fed_run *run = gsi_fed_block_of(buffer)->run;
    run->ops->return_block(run, buffer);
}

void gsi_feeder_stop(struct gsi_feeder *feeder)
{
    feeder->feed.is_stopped = true;
    if (feeder->frames != NULL)
        gsi_frame_feed_stop(feeder->frames);
}

bool gsi_feeder_is_idle(const struct gsi_feeder *feeder)
{
    return feeder->feed.pending_count == feeder->feed.gathering_count &&
           gsi_frame_feed_is_idle(feeder->frames) && gsi_input_feed_is_idle(feeder->inputs);
}
