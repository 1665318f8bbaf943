/* loop.h: the floor that stages stand on: submit, wait, drain, cancel, progress.
 *
 * Everything runs on the caller's thread but transfers (the engine's) and tasks (the pools'). A
 * phase is a list of stages: each does whatever can be done, and if nothing moved, the loop sleeps.
 * Completions change state through callbacks while it does; a failure is recorded in loop->error
 * there, and the loop finds it. So no stage needs a lock, and an idle job sleeps in one system
 * call. */
#ifndef GSI_LOOP_H
#define GSI_LOOP_H

#include "base/memory.h"
#include "loop/buffers.h"
#include "loop/stage.h"

struct gsi_loop {
    struct gs_error *error; /* the first failure of the job */
    struct gsi_ledger ledger;
    /* What stages read and do not change. */
    const struct gsi_layout *layout;
    const struct gs_plan *plan;
    /* What works for them. */
    struct gsi_engine *engine;
    struct gsi_pool *pool;
    struct gsi_pool *disk_pool; /* one thread, for calls that wait for the disk */
    struct gsi_device *device;  /* NULL: not open yet */

    const gs_cancel *cancel;                                             /* NULL: nobody can */
    void (*progress)(void *context, const struct gs_progress *progress); /* NULL: nobody asks */
    void *progress_context;

    uint64_t io_pending;                        /* transfers submitted and not done */
    uint64_t file_io_pending, file_io_since_ns; /* of these, none of a stream; counted up to */

    /* What stages count; the report is made of it at the end. */
    struct gs_phase_report phases[GS_PHASE_COUNT];
    enum gs_phase phase;
    uint64_t begin_ns, phase_begin_ns, progress_ns;
    uint64_t done_bytes, total_bytes; /* of the phase, as progress tells them; total 0: not known */
};

/* gsi_loop_now: what is counted of the phase that goes on. */
static inline struct gs_phase_report *gsi_loop_now(struct gsi_loop *loop)
{
    return &loop->phases[loop->phase];
}

/* gsi_loop_has_failed: the first failure is on record; what follows from it is not reported. */
static inline bool gsi_loop_has_failed(const struct gsi_loop *loop)
{
    return loop->error->status != GS_OK;
}

/* gsi_loop_submit: start a transfer; its `done` must call gsi_loop_io_done first, which records a
 * failure naming `name` and returns false if the job has failed: then `done` does no more than let
 * go of what it held.  gsi_loop_temp_io_done: the same of a temporary file in a directory. */
void gsi_loop_submit(struct gsi_loop *loop, struct gsi_io *io);
bool gsi_loop_io_done(struct gsi_loop *loop, const struct gsi_io *io, const char *name);
bool gsi_loop_temp_io_done(struct gsi_loop *loop, const struct gsi_io *io, const char *directory);

/* gsi_loop_io_ended: called by `done` instead, when a failure of it is no failure of the job. */
void gsi_loop_io_ended(struct gsi_loop *loop, const struct gsi_io *io);

/* gsi_loop_run: a phase: pump the stages, in this order and again and again, until all are done.
 * fails with the first failure that any of them recorded; GS_E_CANCELED */
enum gs_status gsi_loop_run(struct gsi_loop *loop, const struct gsi_stage *stages, uint32_t count);

/* gsi_loop_wait: sleep until a transfer or a task is finished and run its callback.
 * gsi_loop_wait_until: until `*is_done`.  gsi_loop_nap: a few milliseconds at most, between two
 * looks at what can only be looked at.
 * fails as gsi_loop_run */
enum gs_status gsi_loop_wait(struct gsi_loop *loop);
enum gs_status gsi_loop_wait_until(struct gsi_loop *loop, const bool *is_done);
enum gs_status gsi_loop_nap(struct gsi_loop *loop);

/* gsi_loop_drain: after a failure: give up what is in flight and wait until nothing is, so that
 * memory can be taken from under it. */
void gsi_loop_drain(struct gsi_loop *loop);

/* gsi_loop_phase: the times and bytes that follow belong to `phase`; UINT64_MAX: nobody knows how
 * many bytes it has. */
void gsi_loop_phase(struct gsi_loop *loop, enum gs_phase phase, uint64_t total_bytes);

#endif
