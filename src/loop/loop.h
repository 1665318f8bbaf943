/* loop.h: runs the event loop of a job: calls the stages of a phase, submits transfers and tasks
 * for them, waits for events, and cancels.
 *
 *     stages   source, device, merger, ..   each pumps until nothing moves; the loop sleeps when
 *                                           none does, and ends when all are done
 *     links    first K, check, unique, ..   each window of a merge passes them one after the other
 *
 * A phase is a list of stages. The loop calls each stage's `pump`, which does all work that is
 * possible now. If no stage could do anything, the loop sleeps until a transfer or task ends, and
 * calls its callback. Callbacks change the state of stages, and record failures in loop->error. All
 * of this runs on one thread, so stages need no locks. Only transfers and tasks run elsewhere.
 *
 * A job must not sleep forever. If no transfer, task or work of the device is in progress, nothing
 * would end the sleep. This is a bug, for instance if two stages wait for the same buffer. The loop
 * calls all stages once more. If still nothing happens, the job fails with a line that asks for a
 * bug report. */
#ifndef GSI_LOOP_H
#define GSI_LOOP_H

#include "base/memory.h"
#include "device/device.h"
#include "loop/buffers.h"
#include "plan/plan.h"

/* A stage of a phase. Each function may be NULL. Functions record failures in loop->error. */
struct gsi_stage {
    void *context;
    /* Handles an event of the device. At most one stage of a phase has this function. */
    void (*accept)(void *context, const struct gsi_event *event);
    /* Does all work that is possible now. Returns whether there was any. */
    bool (*pump)(void *context);
    /* Returns whether the stage has finished all its work. */
    bool (*is_done)(const void *context);
    /* Only stages of an output (output/delivery.h) have the next two functions.
     * accept_window: accepts the next window of the output, in order.
     * end: is called once, after the last window. The next calls of `pump` then pass on the data
     * that the stage has held back. */
    bool (*accept_window)(void *context, struct gsi_buffer *window); /* returns false */
    void (*end)(void *context);
};

/* A step that each window of the output passes, such as the check of the order. */
struct gsi_link {
    void *context;
    /* Accepts the next window, in order. Returns whether to pass the window to the next link. If
     * false, this link keeps the window, or has returned it to its set of buffers. */
    bool (*accept)(void *context, struct gsi_buffer *window);
};

/* gsi_links_accept: passes a window through `count` links, until one returns false. */
static inline void gsi_links_accept(const struct gsi_link *links, uint32_t count,
                                    struct gsi_buffer *window)
{
    for (uint32_t i = 0; i < count && links[i].accept(links[i].context, window); i++)
        ;
}

/* Bytes and times of a phase. */
struct gsi_phase_report {
    uint64_t bytes_read, bytes_written, ns;
    uint64_t io_busy_ns; /* the part of ns with a file transfer in progress */
};

/* The resources of a job: time, transfers and memory. */
struct gsi_cost_report {
    uint64_t ns;
    uint64_t start_ns;                  /* the part of ns before the first phase */
    uint64_t end_ns;                    /* time after ns, to free all resources */
    uint64_t bytes_read, bytes_written; /* of all files */
    struct gsi_phase_report phases[GS_PHASE_COUNT];
    uint64_t memory_peak_bytes;                   /* according to the ledger (base/memory.h) */
    uint64_t memory_parts[GSI_MEMORY_PART_COUNT]; /* uses of the memory at the peak */
};

struct gsi_loop {
    struct gs_error *error; /* the first failure of the job */
    struct gsi_ledger ledger;
    /* Stages read these and do not change them. */
    const struct gsi_layout *layout;
    const struct gsi_plan *plan;
    /* Stages submit work to these. */
    struct gsi_engine *engine;
    struct gsi_pool *pool;
    struct gsi_pool *disk_pool;      /* one thread, for system calls that wait for the disk */
    struct gsi_callbacks *callbacks; /* for transfers by callbacks; NULL: there are none */
    struct gsi_device *device;       /* NULL: not open yet */

    const gs_cancel *cancel; /* NULL: the job cannot be cancelled */
    void (*progress)(void *context, const struct gs_progress *progress); /* NULL: not requested */
    void *progress_context;
    struct gsi_listener listener;

    uint64_t io_pending; /* transfers submitted and not done */
    bool is_stalled;     /* the last call of all stages found no work, and nothing was in
                          * progress */
    /* How many of them are transfers of files, not of streams; and the time up to which io_busy_ns
     * is counted. */
    uint64_t file_io_pending, file_io_since_ns;

    /* Counters, from which the report is made. */
    struct gsi_phase_report phases[GS_PHASE_COUNT];
    enum gs_phase phase;
    uint64_t begin_ns, phase_begin_ns, progress_ns;
    uint64_t start_ns;                /* from begin_ns to the first phase */
    uint64_t done_bytes, total_bytes; /* of the phase, for progress; total 0: unknown */
    uint64_t early_bytes;             /* the part of done_bytes that later phases need not read or
                                       * write again */
};

/* gsi_loop_phase_counts: returns the counters of the current phase, for changes. */
static inline struct gsi_phase_report *gsi_loop_phase_counts(struct gsi_loop *loop)
{
    return &loop->phases[loop->phase];
}

/* gsi_loop_has_failed: returns whether a failure is recorded. Later failures are not recorded. */
static inline bool gsi_loop_has_failed(const struct gsi_loop *loop)
{
    return loop->error->status != GS_OK;
}

/* gsi_loop_submit: starts a transfer. Its callback `done` must first call gsi_loop_io_done.
 * gsi_loop_io_done: records a failure if the transfer has failed; `name` is the file in the
 * message. Returns false if the job has failed; then `done` must do no further work.
 * gsi_loop_temp_io_done: the same for a temporary file in `directory`. */
void gsi_loop_submit(struct gsi_loop *loop, struct gsi_io *io);
bool gsi_loop_io_done(struct gsi_loop *loop, const struct gsi_io *io, const char *name);
bool gsi_loop_temp_io_done(struct gsi_loop *loop, const struct gsi_io *io, const char *directory);

/* gsi_loop_count_io_end: `done` calls this instead of gsi_loop_io_done if a failed transfer must
 * not fail the job. */
void gsi_loop_count_io_end(struct gsi_loop *loop, const struct gsi_io *io);

/* gsi_loop_run: runs a phase: calls the stages in this order, again and again, until all are done.
 * fails with the first recorded failure; GS_E_CANCELED; GS_E_INTERNAL: nothing would end a sleep */
enum gs_status gsi_loop_run(struct gsi_loop *loop, const struct gsi_stage *stages, uint32_t count);

/* gsi_loop_wait: sleeps until a transfer or a task is finished, and runs its callback.
 * gsi_loop_wait_until: sleeps repeatedly until `*is_done` is true.
 * gsi_loop_nap: sleeps for at most a few milliseconds, before the caller polls again for an event
 * that wakes no one.
 * fails as gsi_loop_run */
enum gs_status gsi_loop_wait(struct gsi_loop *loop);
enum gs_status gsi_loop_wait_until(struct gsi_loop *loop, const bool *is_done);
enum gs_status gsi_loop_nap(struct gsi_loop *loop);

/* gsi_loop_drain: cancels all transfers after a failure, and waits until no transfer or task uses
 * memory. */
void gsi_loop_drain(struct gsi_loop *loop);

/* gsi_loop_begin_phase: ends the current phase and begins `phase`: further times and bytes are
 * counted for it.
 * in    total_bytes: bytes that the phase will process; UINT64_MAX: unknown */
void gsi_loop_begin_phase(struct gsi_loop *loop, enum gs_phase phase, uint64_t total_bytes);

/* gsi_loop_estimate_left_ns: estimates the time until the job ends. It assumes that the remaining
 * planned bytes are moved as fast as those of the current phase, which has lasted phase_ns. 0:
 * unknown. */
uint64_t gsi_loop_estimate_left_ns(const struct gsi_loop *loop, uint64_t phase_ns);

/* ---- cancel.c: gs_cancel. NULL: the job cannot be cancelled ---- */

/* gsi_cancel_is_set: returns whether gs_cancel_now was called.
 * gsi_cancel_is_of_this_process: returns whether this process created the object; true for NULL. */
bool gsi_cancel_is_set(const gs_cancel *cancel);
bool gsi_cancel_is_of_this_process(const gs_cancel *cancel);

/* gsi_cancel_watch: lets gs_cancel_now end the waits of an engine. Call it before the engine's
 * first wait.
 * fails GS_E_USAGE: another process created the object */
enum gs_status gsi_cancel_watch(const gs_cancel *cancel, struct gsi_engine *engine,
                                struct gs_error *error);

#endif
