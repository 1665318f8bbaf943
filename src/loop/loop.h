/* loop.h: runs the phases of a job: pumps their stages, submits work for them, waits, drains and
 * cancels.
 *
 *     stages   source, device, merger, ..   each pumps until nothing moves; the loop sleeps when
 *                                           none does, and ends when all are done
 *     links    first K, check, unique, ..   each window of a merge passes them one after the other
 *
 * Everything runs on the caller's thread, except transfers (the engine's) and tasks (the pools'). A
 * phase is a list of stages. Each stage does whatever can be done; if nothing moved, the loop
 * sleeps. Completions run callbacks while it sleeps. Callbacks change the state of stages and
 * record a failure in loop->error, where the loop finds it. So no stage needs a lock, and an idle
 * job sleeps in one system call.
 *
 * A job must not sleep forever. If it is about to sleep while no transfer, task or work of the
 * device is under way, nothing would wake it. Stages were promised the same buffers twice, say. The
 * loop looks once more, and then the job fails with a line that asks for a report. */
#ifndef GSI_LOOP_H
#define GSI_LOOP_H

#include "base/memory.h"
#include "device/device.h"
#include "loop/buffers.h"
#include "plan/plan.h"

/* A part of a phase. Each call may be NULL; failures are recorded in loop->error. */
struct gsi_stage {
    void *context;
    /* Takes an event of the device. At most one stage of a loop has this call. */
    void (*accept)(void *context, const struct gsi_event *event);
    /* Does what can be done now. Returns whether anything moved. */
    bool (*pump)(void *context);
    /* Returns whether nothing is under way in the stage, and nothing more is expected. */
    bool (*is_done)(const void *context);
    /* The parts of an output (output/delivery.h) have these, too.
     * accept_window: takes the next window, in order.
     * end: called once, when the stage is done and has all windows. It passes on what the stage
     * held back, as it is pumped. */
    bool (*accept_window)(void *context, struct gsi_buffer *window); /* as that of a link: false */
    void (*end)(void *context);
};

/* One station on the way of a merge's windows to the output. */
struct gsi_link {
    void *context;
    /* Takes the next window, in order. Returns whether the next link gets it, too; if not, this
     * link kept it or gave it back to its set. */
    bool (*accept)(void *context, struct gsi_buffer *window);
};

/* gsi_links_accept: passes a window through `count` links. */
static inline void gsi_links_accept(const struct gsi_link *links, uint32_t count,
                                    struct gsi_buffer *window)
{
    for (uint32_t i = 0; i < count && links[i].accept(links[i].context, window); i++)
        ;
}

/* The bytes that a phase moved. */
struct gsi_phase_report {
    uint64_t bytes_read, bytes_written, ns;
    uint64_t io_busy_ns; /* of ns, while a transfer to or from a file was under way */
};

/* The resources of a job: time, transfers and memory. */
struct gsi_cost_report {
    uint64_t ns;
    uint64_t start_ns;                  /* of ns, before the first phase */
    uint64_t end_ns;                    /* after ns, to give everything back */
    uint64_t bytes_read, bytes_written; /* all files together */
    struct gsi_phase_report phases[GS_PHASE_COUNT];
    uint64_t memory_peak_bytes; /* by the ledger, in which every large buffer is entered */
    uint64_t memory_parts[GSI_MEMORY_PART_COUNT]; /* of the peak; they add up to it */
};

struct gsi_loop {
    struct gs_error *error; /* the first failure of the job */
    struct gsi_ledger ledger;
    /* Stages read these and do not change them. */
    const struct gsi_layout *layout;
    const struct gsi_plan *plan;
    /* These work for stages. */
    struct gsi_engine *engine;
    struct gsi_pool *pool;
    struct gsi_pool *disk_pool;      /* one thread, for calls that wait for the disk */
    struct gsi_callbacks *callbacks; /* for transfers by callbacks; NULL: there are none */
    struct gsi_device *device;       /* NULL: not open yet */

    const gs_cancel *cancel; /* NULL: the job cannot be cancelled */
    void (*progress)(void *context, const struct gs_progress *progress); /* NULL: no one asks */
    void *progress_context;
    struct gsi_listener listener;

    uint64_t io_pending; /* transfers submitted and not done */
    bool is_stalled;     /* nothing is under way, and nothing has moved since that was seen */
    /* The part of these that concerns files, not streams; io_busy_ns is counted up to `since`. */
    uint64_t file_io_pending, file_io_since_ns;

    /* Counters of stages. The report is made from it at the end. */
    struct gsi_phase_report phases[GS_PHASE_COUNT];
    enum gs_phase phase;
    uint64_t begin_ns, phase_begin_ns, progress_ns;
    uint64_t start_ns;                /* from begin_ns to the first phase */
    uint64_t done_bytes, total_bytes; /* of the phase, for progress; total 0: not known */
    uint64_t early_bytes;             /* of done_bytes, what later phases need not move any more */
};

/* gsi_loop_phase_counts: the counts of the current phase. */
static inline struct gsi_phase_report *gsi_loop_phase_counts(struct gsi_loop *loop)
{
    return &loop->phases[loop->phase];
}

/* gsi_loop_has_failed: the first failure is recorded; those that follow from it are not. */
static inline bool gsi_loop_has_failed(const struct gsi_loop *loop)
{
    return loop->error->status != GS_OK;
}

/* gsi_loop_submit: starts a transfer, whose `done` must call gsi_loop_io_done first.
 * gsi_loop_io_done: records a failure of the transfer, naming `name`. Returns false if the job has
 * failed: then `done` only lets go of what it held.
 * gsi_loop_temp_io_done: the same for a temporary file in `directory`. */
void gsi_loop_submit(struct gsi_loop *loop, struct gsi_io *io);
bool gsi_loop_io_done(struct gsi_loop *loop, const struct gsi_io *io, const char *name);
bool gsi_loop_temp_io_done(struct gsi_loop *loop, const struct gsi_io *io, const char *directory);

/* gsi_loop_count_io_end: `done` calls this instead if a failed transfer does not fail the job. */
void gsi_loop_count_io_end(struct gsi_loop *loop, const struct gsi_io *io);

/* gsi_loop_run: runs a phase: pumps the stages in this order, again and again, until all are done.
 * fails with the first failure that any of them recorded; GS_E_CANCELED; GS_E_INTERNAL: a
 * standstill */
enum gs_status gsi_loop_run(struct gsi_loop *loop, const struct gsi_stage *stages, uint32_t count);

/* gsi_loop_wait: sleeps until a transfer or a task is finished, and runs its callback.
 * gsi_loop_wait_until: waits until `*is_done`.
 * gsi_loop_nap: waits a few milliseconds at most; for what can only be polled.
 * fails as gsi_loop_run */
enum gs_status gsi_loop_wait(struct gsi_loop *loop);
enum gs_status gsi_loop_wait_until(struct gsi_loop *loop, const bool *is_done);
enum gs_status gsi_loop_nap(struct gsi_loop *loop);

/* gsi_loop_drain: after a failure: gives up what is in flight and waits until nothing is, so that
 * its memory can be freed. */
void gsi_loop_drain(struct gsi_loop *loop);

/* gsi_loop_begin_phase: the times and bytes that follow belong to `phase`.
 * in    total_bytes: of the phase; UINT64_MAX: not known */
void gsi_loop_begin_phase(struct gsi_loop *loop, enum gs_phase phase, uint64_t total_bytes);

/* gsi_loop_estimate_left_ns: predicts the time until all phases end. The current phase has lasted phase_ns.
 * The rest of it and later phases are assumed to move their planned bytes as fast. 0: it is not
 * known. */
uint64_t gsi_loop_estimate_left_ns(const struct gsi_loop *loop, uint64_t phase_ns);

/* ---- cancel.c: the inside of gs_cancel. NULL is a job that cannot be cancelled. ---- */

/* gsi_cancel_is_set: returns whether gs_cancel_now was called.
 * gsi_cancel_is_of_this_process: returns whether this process made it. */
bool gsi_cancel_is_set(const gs_cancel *cancel);
bool gsi_cancel_is_of_this_process(const gs_cancel *cancel);

/* gsi_cancel_watch: from now on, gs_cancel_now makes the engine's wait return, as long as both
 * exist. Call it before the engine's first wait.
 * fails GS_E_USAGE: it is another process's */
enum gs_status gsi_cancel_watch(const gs_cancel *cancel, struct gsi_engine *engine,
                                struct gs_error *error);

#endif
