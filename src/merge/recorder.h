/* recorder.h: what keeps a record of a sort, so that the sort can go on after a kill. Stages call
 * it with what they have done. Most sorts have a recorder that does nothing; resume/ has the
 * other. */
#ifndef GSI_RECORDER_H
#define GSI_RECORDER_H

#include "base/report.h"
#include "input/source.h"
#include "loop/run_list.h"

struct gsi_recorder;
struct gsi_sink;
struct gsi_stream_check;

struct gsi_recorder_ops {
    /* ---- while runs are made ---- */

    /* open_store: opens the store that frames go to, with those on record; NULL: the job opens an
     * ordinary one. */
    enum gs_status (*open_store)(struct gsi_recorder *recorder, struct gsi_spill_store *store);
    /* restore: appends the runs on record to an empty list.
     * out   data_bytes: of the input, that these runs hold */
    enum gs_status (*restore)(struct gsi_recorder *recorder, struct gsi_run_list *list,
                              uint64_t *data_bytes);
    /* next_chunk: the next chunk that is filled and, if need be, counted; NULL: not yet, or none.
     * is_idle: no chunk is being counted. */
    struct gsi_buffer *(*next_chunk)(struct gsi_recorder *recorder, struct gsi_source *source);
    bool (*is_idle)(const struct gsi_recorder *recorder);
    /* may_seal: whether another run may be begun.
     * run_sealed: all chunks so far are in runs. */
    bool (*may_seal)(const struct gsi_recorder *recorder);
    void (*run_sealed)(struct gsi_recorder *recorder);
    /* run_spilled: the oldest sealed run is written.
     * is_recording: an entry is on its way to the record; until it is there, no other may
     * follow. */
    void (*run_spilled)(struct gsi_recorder *recorder, struct gsi_spilled_run *run);
    bool (*is_recording)(const struct gsi_recorder *recorder);
    /* runs_merged: `merged` is about to take the place of `count` runs from `first` on. */
    enum gs_status (*runs_merged)(struct gsi_recorder *recorder, const struct gsi_run_list *list,
                                  uint32_t first, uint32_t count,
                                  const struct gsi_spilled_run *merged);

    /* ---- while the output is written ---- */

    /* output_begin: takes what is in the output already from the runs, and lets the sink and the
     * check go on from there. */
    enum gs_status (*output_begin)(struct gsi_recorder *recorder, struct gsi_run_list *list,
                                   struct gsi_sink *sink, struct gsi_stream_check *check);
    /* window_pulled: the merge has cut a window of `bytes`.
     * window_delivered: the sink has got a window.
     * pump: does what can be done. Returns whether anything moved. */
    void (*window_pulled)(struct gsi_recorder *recorder, uint64_t bytes);
    void (*window_delivered)(struct gsi_recorder *recorder, const struct gsi_buffer *window);
    bool (*pump)(struct gsi_recorder *recorder);
    /* tally: the tally of everything that was read. */
    enum gs_status (*tally)(struct gsi_recorder *recorder, struct gsi_loop *loop,
                            struct gsi_tally_report *tally);
    /* output_written: the whole output is written.
     * output_placed: the output has its name. */
    enum gs_status (*output_written)(struct gsi_recorder *recorder);
    enum gs_status (*output_placed)(struct gsi_recorder *recorder);

    /* wait: waits until everything so far is on record. */
    enum gs_status (*wait)(struct gsi_recorder *recorder);
};

struct gsi_recorder {
    const struct gsi_recorder_ops *ops;
    uint32_t most_chunks;  /* to read at a time, because a kill loses them; 0: as many as pays */
    uint64_t held_bytes;   /* of disk, kept from before the kill */
    uint64_t *taken;       /* elements of each run in windows that were pulled; NULL: not counted */
    uint64_t pulled_bytes; /* of output, before and after kills */
};

/* GSI_RECORDER_NONE: a recorder that keeps no record. */
extern const struct gsi_recorder_ops gsi_recorder_none_ops;
#define GSI_RECORDER_NONE ((struct gsi_recorder){.ops = &gsi_recorder_none_ops})

#endif
