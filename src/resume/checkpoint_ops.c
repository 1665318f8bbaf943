/* checkpoint_ops.c: passes on what stages call the checkpoint with, to runs.h, output_marks.h and
 * resume.h. */
#include "resume/checkpoint_ops.h"

#include "element/tally/tally_report.h"
#include "resume/output_marks.h"
#include "resume/runs.h"

static struct gsi_resume *resume_of(struct gsi_checkpoint *checkpoint)
{
    return GSI_CONTAINER_OF(checkpoint, struct gsi_resume, checkpoint);
}

static const struct gsi_resume *resume_of_const(const struct gsi_checkpoint *checkpoint)
{
    return (const struct gsi_resume *)(const void *)checkpoint; /* its first member */
}

static enum gs_status open_store(struct gsi_checkpoint *checkpoint, struct gsi_spill_store *store)
{
    return gsi_resume_open_store(resume_of(checkpoint), store);
}

static enum gs_status restore(struct gsi_checkpoint *checkpoint, struct gsi_run_list *list,
                              uint64_t *data_bytes)
{
    *data_bytes = resume_of(checkpoint)->data_bytes;
    return gsi_resume_runs_restore(resume_of(checkpoint), list);
}

static struct gsi_buffer *next_chunk(struct gsi_checkpoint *checkpoint, struct gsi_source *source)
{
    return gsi_resume_runs_next(resume_of(checkpoint), source);
}

static bool is_idle(const struct gsi_checkpoint *checkpoint)
{
    return gsi_resume_runs_is_idle(resume_of_const(checkpoint));
}

static bool may_seal(const struct gsi_checkpoint *checkpoint)
{
    return gsi_resume_runs_can_seal(resume_of_const(checkpoint));
}

static void run_sealed(struct gsi_checkpoint *checkpoint)
{
    gsi_resume_runs_sealed(resume_of(checkpoint));
}

static void run_spilled(struct gsi_checkpoint *checkpoint, struct gsi_spilled_run *run)
{
    gsi_resume_runs_note(resume_of(checkpoint), run);
}

static bool is_appending(const struct gsi_checkpoint *checkpoint)
{
    return resume_of_const(checkpoint)->is_appending;
}

static enum gs_status runs_merged(struct gsi_checkpoint *checkpoint,
                                  const struct gsi_run_list *list, uint32_t first, uint32_t count,
                                  const struct gsi_spilled_run *merged)
{
    return gsi_resume_runs_merged(resume_of(checkpoint), list, first, count, merged);
}

static enum gs_status output_begin(struct gsi_checkpoint *checkpoint, struct gsi_run_list *list,
                                   struct gsi_sink *sink, struct gsi_stream_check *check)
{
    return gsi_output_marks_begin(resume_of(checkpoint), list, sink, check);
}

/* Merges of runs into runs come before the output: of these there are no marks. */
static void window_pulled(struct gsi_checkpoint *checkpoint, uint64_t bytes)
{
    if (resume_of(checkpoint)->marks != NULL)
        gsi_output_marks_pulled(resume_of(checkpoint)->marks, bytes);
}

static void window_delivered(struct gsi_checkpoint *checkpoint, const struct gsi_buffer *window)
{
    gsi_output_marks_delivered(resume_of(checkpoint)->marks, window->data, window->bytes);
}

static bool pump(struct gsi_checkpoint *checkpoint)
{
    return gsi_output_marks_pump(resume_of(checkpoint)->marks);
}

static enum gs_status tally(struct gsi_checkpoint *checkpoint, struct gsi_loop *loop,
                            struct gsi_tally_report *tally)
{
    (void)loop;
    *tally = gsi_resume_runs_tally(resume_of(checkpoint));
    return GS_OK;
}

static enum gs_status output_written(struct gsi_checkpoint *checkpoint)
{
    return gsi_resume_append_done(resume_of(checkpoint));
}

static enum gs_status output_placed(struct gsi_checkpoint *checkpoint)
{
    return gsi_resume_end(resume_of(checkpoint));
}

static enum gs_status wait(struct gsi_checkpoint *checkpoint)
{
    return gsi_resume_wait(resume_of(checkpoint));
}

const struct gsi_checkpoint_ops gsi_resume_checkpoint_ops = {
    .open_store = open_store,
    .restore = restore,
    .next_chunk = next_chunk,
    .is_idle = is_idle,
    .may_seal = may_seal,
    .run_sealed = run_sealed,
    .run_spilled = run_spilled,
    .is_appending = is_appending,
    .runs_merged = runs_merged,
    .output_begin = output_begin,
    .window_pulled = window_pulled,
    .window_delivered = window_delivered,
    .pump = pump,
    .tally = tally,
    .output_written = output_written,
    .output_placed = output_placed,
    .wait = wait,
};
