/* checkpoint.h: lets a sort go on after a kill. Stages tell the checkpoint what they have done, and
 * it puts that into a journal on disk (resume/resume.h). Without --resume the checkpoint does
 * nothing. */
#ifndef GSI_CHECKPOINT_H
#define GSI_CHECKPOINT_H

#include "element/tally/tally_report.h"
#include "input/source.h"
#include "loop/run_list.h"

struct gsi_checkpoint;
struct gsi_sink;
struct gsi_stream_check;

struct gsi_checkpoint_ops {
    /* ---- while runs are made ---- */

    /* open_store: opens the store that frames go to, with the frames that the journal tells of;
     * NULL: the job opens an ordinary one. */
    enum gs_status (*open_store)(struct gsi_checkpoint *checkpoint, struct gsi_spill_store *store);
    /* restore: appends the runs that the journal tells of to an empty list.
     * out   data_bytes: of the input, that these runs hold */
    enum gs_status (*restore)(struct gsi_checkpoint *checkpoint, struct gsi_run_list *list,
                              uint64_t *data_bytes);
    /* next_chunk: the next chunk that is filled and, if need be, counted; NULL: not yet, or none.
     * is_idle: no chunk is being counted. */
    struct gsi_buffer *(*next_chunk)(struct gsi_checkpoint *checkpoint, struct gsi_source *source);
    bool (*is_idle)(const struct gsi_checkpoint *checkpoint);
    /* may_seal: whether another run may be begun.
     * run_sealed: all chunks so far are in runs. */
    bool (*may_seal)(const struct gsi_checkpoint *checkpoint);
    void (*run_sealed)(struct gsi_checkpoint *checkpoint);
    /* run_spilled: the oldest sealed run is written.
     * is_appending: an entry is on its way to the journal; no other may follow until it is
     * there. */
    void (*run_spilled)(struct gsi_checkpoint *checkpoint, struct gsi_spilled_run *run);
    bool (*is_appending)(const struct gsi_checkpoint *checkpoint);
    /* runs_merged: `merged` is about to take the place of `count` runs from `first` on. */
    enum gs_status (*runs_merged)(struct gsi_checkpoint *checkpoint,
                                  const struct gsi_run_list *list, uint32_t first, uint32_t count,
                                  const struct gsi_spilled_run *merged);

    /* ---- while the output is written ---- */

    /* output_begin: takes what is in the output already from the runs, and lets the sink and the
     * check go on from there. */
    enum gs_status (*output_begin)(struct gsi_checkpoint *checkpoint, struct gsi_run_list *list,
                                   struct gsi_sink *sink, struct gsi_stream_check *check);
    /* window_pulled: the merge has cut a window of `bytes`.
     * window_delivered: the sink has got a window.
     * pump: does what can be done. Returns whether anything moved. */
    void (*window_pulled)(struct gsi_checkpoint *checkpoint, uint64_t bytes);
    void (*window_delivered)(struct gsi_checkpoint *checkpoint, const struct gsi_buffer *window);
    bool (*pump)(struct gsi_checkpoint *checkpoint);
    /* tally: the tally of everything that was read. */
    enum gs_status (*tally)(struct gsi_checkpoint *checkpoint, struct gsi_loop *loop,
                            struct gsi_tally_report *tally);
    /* output_written: the whole output is written.
     * output_placed: the output has its name. */
    enum gs_status (*output_written)(struct gsi_checkpoint *checkpoint);
    enum gs_status (*output_placed)(struct gsi_checkpoint *checkpoint);

    /* wait: waits until everything so far is in the journal. */
    enum gs_status (*wait)(struct gsi_checkpoint *checkpoint);
};

struct gsi_checkpoint {
    const struct gsi_checkpoint_ops *ops;
    uint32_t most_chunks;  /* to read at a time, because a kill loses them; 0: as many as pays */
    uint64_t held_bytes;   /* of disk, kept from before the kill */
    uint64_t *taken;       /* elements of each run in windows that were pulled; NULL: not counted */
    uint64_t pulled_bytes; /* of output, before and after kills */
};

/* GSI_CHECKPOINT_NONE: does nothing. */
extern const struct gsi_checkpoint_ops gsi_checkpoint_none_ops;
#define GSI_CHECKPOINT_NONE ((struct gsi_checkpoint){.ops = &gsi_checkpoint_none_ops})

#endif
