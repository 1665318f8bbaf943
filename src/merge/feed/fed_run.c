/* fed_run.c: counts the blocks and buffers of runs that a merge reads. */
#include "merge/feed/fed_run.h"

bool gsi_fed_run_has_all_reserved(const struct gsi_fed_run *run)
{
    return run->buffer_count >= run->feed->reserved_per_run;
}

bool gsi_fed_run_may_use_buffer(const struct gsi_fed_run *run)
{
    const struct gsi_feed *feed = run->feed;
    if (feed->buffers->count - feed->buffers->free_count >= feed->max_in_use)
        return false;
    return feed->is_exact || !gsi_fed_run_has_all_reserved(run) ||
           feed->unreserved_in_use < feed->unreserved_count;
}

void gsi_fed_run_start_read(struct gsi_fed_run *run)
{
    struct gsi_feed *feed = run->feed;
    struct gsi_buffer *buffer = gsi_buffers_pop(feed->buffers);
    gsi_fed_block_of(buffer)->run = run;
    buffer->turn_idx = run->started_count++;
    run->pending_count++;
    feed->pending_count++;
    feed->unreserved_in_use += ++run->buffer_count > feed->reserved_per_run;
    feed->must_read_run = NULL;
    run->ops->start_read(run, buffer);
}

/* Returns whether the merge gets no block of the run until another one is read. */
static bool needs_read(const struct gsi_fed_run *run)
{
    return run->pending_count == run->is_gathering && !run->is_all_started;
}

/* Sets must_read_run if the merge waits for this run, and none of its blocks is pending. */
static void update_must_read(struct gsi_fed_run *run)
{
    if (run->feed->awaited_run == run && needs_read(run))
        run->feed->must_read_run = run;
}

bool gsi_fed_run_await(struct gsi_fed_run *run)
{
    run->feed->awaited_run = run;
    update_must_read(run);
    return run->feed->must_read_run == run;
}

void gsi_fed_run_feed_block(struct gsi_fed_run *run, struct gsi_buffer *block, const void *bound)
{
    struct gsi_feed *feed = run->feed;
    feed->awaited_run = NULL;
    feed->pending_count--;
    feed->fed_count++;
    run->pending_count--;
    run->fed_count++;
    feed->loop->device->ops->merge_feed(feed->merge, run->input_idx, block, bound);
}

void gsi_fed_run_block_absorbed(struct gsi_fed_run *run)
{
    run->feed->pending_count--;
    run->pending_count--;
    update_must_read(run);
}

void gsi_fed_run_set_gathering(struct gsi_fed_run *run, bool is_gathering)
{
    run->feed->gathering_count += (uint64_t)is_gathering - run->is_gathering;
    run->is_gathering = is_gathering;
    update_must_read(run);
}

void gsi_fed_run_release_buffer(struct gsi_fed_run *run, struct gsi_buffer *buffer)
{
    run->feed->unreserved_in_use -= run->buffer_count-- > run->feed->reserved_per_run;
    gsi_buffers_return(run->feed->buffers, buffer);
}
