/* plan_in_order.c: one pass for what is nearly in order (output/in_order.h): how much is held
 * back. */
#include "base/assert.h"
#include "base/checked.h"
#include "base/report.h"
#include "plan/plan_parts.h"
#include "plan/plan_room.h"

/* More runs than these are merged as frames; and of chunks their pieces take such a part at
 * most. */
#define FILES_MOST GSI_CONSTANT(64u, 6u)
#define FILES_PART 4u

uint64_t gsi_plan_low_chunks(const struct gsi_plan *plan, uint64_t chunks)
{
    return gsi_max_u64((uint64_t)plan->thread_count + 2, chunks / 4);
}

/* Two pieces of each, what a merge may need beside them (plan_frames.c), of which each may be a
 * page shorter than a frame; and as much as is read ahead of them. */
uint64_t gsi_plan_piece_chunks(const struct gsi_plan *plan, uint64_t files)
{
    return gsi_ceil_div_u64(2 * gsi_plan_fed_frames(plan, files),
                            plan->chunk_bytes / plan->frame_bytes);
}

static uint64_t chunk_count(const struct gsi_plan *plan)
{
    return (plan->arena_bytes - gsi_plan_window_region(plan)) / gsi_max_u64(plan->chunk_bytes, 1);
}

/* Spilled runs that are fed at once, at most: what is read while a pass goes on makes a run of each
 * chunk. */
static uint64_t most_framed(const struct gsi_plan *plan)
{
    if (plan->input_bytes == UINT64_MAX)
        return plan->fan_in;
    uint64_t room = gsi_plan_chunk_room(plan, plan->chunk_bytes);
    return gsi_min_u64(plan->fan_in, gsi_ceil_div_u64(plan->input_bytes, room) + 1);
}

/* Whether pieces of `files` runs leave enough chunks to feed the spilled ones, however many of
 * these are merged at once. */
static bool leaves_enough(const struct gsi_plan *plan, uint64_t files)
{
    uint64_t chunks = chunk_count(plan), pieces = gsi_plan_piece_chunks(plan, files);
    return pieces < chunks && gsi_plan_feed_is_enough(plan, chunks - pieces, most_framed(plan));
}

uint64_t gsi_plan_most_files(const struct gsi_plan *plan, bool has_one_pass)
{
    uint64_t files = FILES_MOST, most_chunks = chunk_count(plan) / FILES_PART;
    if (plan->spilled_runs == 0 || plan->is_merge)
        return 0;
    while (files > 0 &&
           (gsi_plan_piece_chunks(plan, files) > most_chunks || !leaves_enough(plan, files)))
        files--;
    return gsi_max_u64(files, has_one_pass);
}

/* Whether one pass can hold elements back: there are chunks for that beside those that are read
 * into, and beside pieces of what it has written. */
static bool may_hold_back(const struct gsi_plan *plan)
{
    uint64_t chunks = chunk_count(plan);
    return chunks > gsi_plan_low_chunks(plan, chunks) + 2 + gsi_plan_piece_chunks(plan, 1) &&
           leaves_enough(plan, 1);
}

/* The longest frames that feed the spilled runs may leave no chunk for those pieces, although a MiB
 * more of memory, or less, would leave some. Slightly shorter frames do. They keep two thirds of
 * their length, as many disks limit the number of transfers. */
void gsi_plan_frames_in_order(const struct gsi_plan_request *request, struct gsi_plan *plan,
                              uint64_t least)
{
    const uint64_t longest = plan->frame_bytes;
    if (!request->may_write_early || request->window_bytes > 0 || plan->spilled_runs == 0)
        return;
    const uint64_t most_parts = plan->chunk_bytes * 3 / 2 / longest;
    for (uint64_t parts = plan->chunk_bytes / longest + 1; parts <= most_parts; parts++) {
        if (may_hold_back(plan))
            return;
        plan->frame_bytes = gsi_plan_fit_unit(plan, plan->chunk_bytes / parts);
        if (plan->frame_bytes < least)
            break;
    }
    if (plan->frame_bytes < least || !may_hold_back(plan))
        plan->frame_bytes = longest;
}

/* Chunks of which a part is written already stay until all of it is, so a third of the chunks is
 * left for them. */
void gsi_plan_in_order(const struct gsi_plan_request *request, struct gsi_plan *plan)
{
    uint64_t chunks = chunk_count(plan);
    if (!request->may_write_early || plan->spilled_runs == 0)
        return;
    if (!may_hold_back(plan))
        return;
    uint64_t low = gsi_plan_low_chunks(plan, chunks);
    uint64_t held = (chunks - low) * 2 / 3 * gsi_plan_chunk_room(plan, plan->chunk_bytes);
    if (held >= 2 * plan->window_bytes)
        plan->late_bytes = held;
}
