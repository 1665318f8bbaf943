/* checkpoint.c: the checkpoint that does nothing. */
#include "merge/checkpoint.h"

static enum gs_status restore(struct gsi_checkpoint *checkpoint, struct gsi_run_list *list,
                              uint64_t *data_bytes)
{
    (void)checkpoint, (void)list;
    *data_bytes = 0;
    return GS_OK;
}

static struct gsi_buffer *next_chunk(struct gsi_checkpoint *checkpoint, struct gsi_source *source)
{
    (void)checkpoint;
    return gsi_source_next(source);
}

static bool yes(const struct gsi_checkpoint *checkpoint)
{
    (void)checkpoint;
    return true;
}

static bool no(const struct gsi_checkpoint *checkpoint)
{
    (void)checkpoint;
    return false;
}

static bool nothing_moved(struct gsi_checkpoint *checkpoint)
{
    (void)checkpoint;
    return false;
}

static void run_sealed(struct gsi_checkpoint *checkpoint)
{
    (void)checkpoint;
}

static void run_spilled(struct gsi_checkpoint *checkpoint, struct gsi_spilled_run *run)
{
    (void)checkpoint, (void)run;
}

static enum gs_status runs_merged(struct gsi_checkpoint *checkpoint,
                                  const struct gsi_run_list *list, uint32_t first, uint32_t count,
                                  const struct gsi_spilled_run *merged)
{
    (void)checkpoint, (void)list, (void)first, (void)count, (void)merged;
    return GS_OK;
}

static enum gs_status output_begin(struct gsi_checkpoint *checkpoint, struct gsi_run_list *list,
                                   struct gsi_sink *sink, struct gsi_stream_check *check)
{
    (void)checkpoint, (void)list, (void)sink, (void)check;
    return GS_OK;
}

static void window_pulled(struct gsi_checkpoint *checkpoint, uint64_t bytes)
{
    (void)checkpoint, (void)bytes;
}

static void window_delivered(struct gsi_checkpoint *checkpoint, const struct gsi_buffer *window)
{
    (void)checkpoint, (void)window;
}

static enum gs_status tally(struct gsi_checkpoint *checkpoint, struct gsi_loop *loop,
                            struct gsi_tally_report *tally)
{
    (void)checkpoint;
    return loop->device->ops->tally(loop->device, tally, loop->error);
}

static enum gs_status nothing_to_do(struct gsi_checkpoint *checkpoint)
{
    (void)checkpoint;
    return GS_OK;
}

const struct gsi_checkpoint_ops gsi_checkpoint_none_ops = {
    .restore = restore,
    .next_chunk = next_chunk,
    .is_idle = yes,
    .may_seal = yes,
    .run_sealed = run_sealed,
    .run_spilled = run_spilled,
    .is_appending = no,
    .runs_merged = runs_merged,
    .output_begin = output_begin,
    .window_pulled = window_pulled,
    .window_delivered = window_delivered,
    .pump = nothing_moved,
    .tally = tally,
    .output_written = nothing_to_do,
    .output_placed = nothing_to_do,
    .wait = nothing_to_do,
};
