/* loop.h: one call of gs_run: what all stages share, and the loop that drives them.
 *
 * Everything runs on the caller's thread but transfers (the engine's) and tasks (the pool's). A
 * phase is a loop: hand out whatever can be handed out, and if nothing moved, gsi_job_wait.
 * Completions change state through callbacks inside gsi_job_wait; failures are recorded in
 * job->error there and found by the loop. So no stage needs a lock, and an idle job sleeps in one
 * system call. */
#ifndef GSI_LOOP_H
#define GSI_LOOP_H

#include "element/key_scope.h"
#include "io/file.h"
#include "loop/buffers.h"
#include "run/codec_choice.h"
#include "run/store.h"

struct gsi_npy_input;
struct gsi_zst_pack;
struct gsi_resume;
struct gsi_frames_reader;

struct gsi_job {
    const struct gs_options *options;
    struct gs_report *report;
    struct gs_error *error;
    struct gsi_layout layout;
    struct gsi_record record; /* with --record; */
    struct gsi_key_scope scope;
    struct gsi_ledger ledger;
    uint64_t begin_ns;
    uint64_t memory_bytes; /* asked for, or what there is by default */
    uint32_t thread_count; /* the same */
    uint64_t lists_bytes;  /* of names, in the options; */
    uint64_t given_bytes;  /* with the table of inputs */

    struct gsi_input *inputs;
    size_t input_count, input_room;
    bool rests_inputs;                /* there are too many to be open all at once */
    bool has_stream;                  /* among those that were looked at */
    uint64_t input_bytes;             /* UINT64_MAX: a stream is among them */
    struct gsi_npy_input *npy;        /* of .npy inputs; NULL: there are none */
    uint8_t *header;                  /* of the output */
    uint64_t header_bytes;            /* of it, there so far */
    uint64_t data_bytes;              /* of elements, read so far */
    struct gsi_frames_reader *unpack; /* of coded inputs; NULL: there are none */
    uint64_t unpack_window_bytes;     /* planned */
    uint32_t unpack_pieces;
    struct gsi_zst_pack *pack;        /* of the output; NULL: it is plain */
    uint32_t pack_level, pack_pieces; /* planned; level 0: plain */
    uint64_t unique_block_bytes;      /* planned, with --unique */
    struct gsi_output output;
    bool has_output;
    struct gsi_spill_store store;
    bool has_store;
    struct gsi_resume *resume;      /* NULL: a sort that is killed is lost */
    struct gsi_codec codec;         /* of spilled frames; zeroed: they are raw */
    uint32_t codec_level;           /* planned; 0: none */
    struct gsi_codec_choice choice; /* which runs are coded */

    struct gsi_engine *engine;
    struct gsi_pool *pool;
    struct gsi_pool *disk_pool;              /* one thread, for calls that wait for the disk */
    const struct gsi_device_ops *device_ops; /* chosen; `device` is open if not NULL */
    struct gsi_device *device;
    uint64_t device_bytes; /* 0: it works in the arena */
    uint64_t device_fixed_bytes, device_scratch_part;
    uint64_t io_pending;                        /* transfers submitted and not done */
    uint64_t file_io_pending, file_io_since_ns; /* of these, none of a stream; counted up to */

    uint8_t *arena;
    uint64_t arena_bytes, window_off; /* chunk memory, then window memory */
    struct gsi_buffers chunks;

    enum gs_phase phase;
    uint64_t phase_begin_ns, phase_done_bytes, phase_total_bytes, progress_ns;
};

/* gsi_job_submit: start a transfer; its `done` must call gsi_job_io_done first, which records a
 * failure naming `name` and returns false if the job has failed: then `done` does no more than let
 * go of what it held. */
void gsi_job_submit(struct gsi_job *job, struct gsi_io *io);
bool gsi_job_io_done(struct gsi_job *job, const struct gsi_io *io, const char *name);

/* gsi_job_spill_done: the same of a frame in a temporary file. */
bool gsi_job_spill_done(struct gsi_job *job, const struct gsi_io *io,
                        const struct gsi_frame_ref *ref);

/* gsi_job_io_excuse: called by `done` instead, when a failure is no failure of the job. */
void gsi_job_io_excuse(struct gsi_job *job, const struct gsi_io *io);

/* gsi_job_wait: sleep until a transfer or a task is finished and run its callback.
 * fails with the job's first failure, or GS_E_CANCELED */
enum gs_status gsi_job_wait(struct gsi_job *job);

/* gsi_job_nap: the same, for a few milliseconds at most: between two looks at what can only be
 * looked at. */
enum gs_status gsi_job_nap(struct gsi_job *job);

/* gsi_job_reap: the device's next event, if there is one. A failure of the device is recorded and
 * found by gsi_job_wait. */
bool gsi_job_reap(struct gsi_job *job, struct gsi_event *event);

/* gsi_job_drain: after a failure: give up what is in flight and wait until nothing is, so that
 * memory can be taken from under it. */
void gsi_job_drain(struct gsi_job *job);

/* gsi_job_phase: the times and bytes that follow belong to `phase`. */
void gsi_job_phase(struct gsi_job *job, enum gs_phase phase, uint64_t total_bytes);

/* gsi_job_note_spilled: the report counts a run that was written. */
void gsi_job_note_spilled(struct gsi_job *job, const struct gsi_spilled_run *run);

/* gsi_job_check_whole: fails GS_E_INPUT unless `bytes` of the input are a whole number of elements,
 * and as many as its header says. */
enum gs_status gsi_job_check_whole(const struct gsi_job *job, const struct gsi_input *input,
                                   uint64_t bytes);

/* gsi_job_most_bytes: that the output may have of elements; UINT64_MAX: as many as there are.
 * gsi_job_output_bytes: that it will have, once everything is read. */
uint64_t gsi_job_most_bytes(const struct gsi_job *job);
uint64_t gsi_job_output_bytes(const struct gsi_job *job);

/* The phases. gsi_sort and gsi_reduce do the work of an action; gsi_top that of a sort of which the
 * first elements are wanted, and kept in one pass. */
enum gs_status gsi_sort(struct gsi_job *job);
enum gs_status gsi_top(struct gsi_job *job);
enum gs_status gsi_reduce(struct gsi_job *job);

#endif
