/* fed_run.c: counts the buffers of runs. */
#include "merge/feed/fed_run.h"

bool gsi_fed_run_has_own(const struct gsi_fed_run *run)
{
    return run->held_count >= run->feed->own_count;
}

bool gsi_fed_run_may_start(const struct gsi_fed_run *run)
{
    const struct gsi_feed *feed = run->feed;
    if (feed->buffers->count - feed->buffers->free_count >= feed->most_held)
        return false;
    return feed->is_exact || !gsi_fed_run_has_own(run) || feed->extra_count < feed->spare_count;
}

void gsi_fed_run_start(struct gsi_fed_run *run)
{
    struct gsi_feed *feed = run->feed;
    struct gsi_buffer *buffer = gsi_buffers_pop(feed->buffers);
    gsi_fed_block_of(buffer)->run = run;
    buffer->turn_idx = run->started_count++;
    run->coming_count++;
    feed->coming_count++;
    feed->extra_count += ++run->held_count > feed->own_count;
    feed->needed = NULL;
    run->ops->start(run, buffer);
}

/* Nothing more reaches the merge before another block of the run is read. */
static bool is_starved(const struct gsi_fed_run *run)
{
    return run->coming_count == run->is_open && !run->is_end;
}

/* If the merge waits for this run, another of its blocks may have to be read. */
static void check_wanted(struct gsi_fed_run *run)
{
    if (run->feed->wanted == run && is_starved(run))
        run->feed->needed = run;
}

bool gsi_fed_run_need(struct gsi_fed_run *run)
{
    run->feed->wanted = run;
    check_wanted(run);
    return run->feed->needed == run;
}

void gsi_fed_run_feed(struct gsi_fed_run *run, struct gsi_buffer *block, const void *bound)
{
    struct gsi_feed *feed = run->feed;
    feed->wanted = NULL;
    feed->coming_count--;
    feed->fed_count++;
    run->coming_count--;
    run->fed_count++;
    feed->loop->device->ops->merge_feed(feed->merge, run->input_idx, block, bound);
}

void gsi_fed_run_joined(struct gsi_fed_run *run)
{
    run->feed->coming_count--;
    run->coming_count--;
    check_wanted(run);
}

void gsi_fed_run_set_open(struct gsi_fed_run *run, bool is_open)
{
    run->feed->open_count += (uint64_t)is_open - run->is_open;
    run->is_open = is_open;
    check_wanted(run);
}

void gsi_fed_run_release(struct gsi_fed_run *run, struct gsi_buffer *buffer)
{
    run->feed->extra_count -= run->held_count-- > run->feed->own_count;
    gsi_buffers_return(run->feed->buffers, buffer);
}
