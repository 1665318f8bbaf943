/* spill.h: describes the runs that a job has on disk: the store of their frames, the codec, and
 * counts of written data. */
#ifndef GSI_SPILL_H
#define GSI_SPILL_H

#include "loop/loop.h"
#include "run/codec_choice.h"
#include "run/store.h"

/* Runs, as it happened. */
struct gsi_runs_report {
    uint64_t count;         /* before merges */
    uint64_t spilled_count; /* of these, on disk */
    uint64_t spilled_bytes;
    char codec[16];        /* spilled runs may be coded with it: "none", "zstd:1" */
    uint64_t coded_count;  /* of spilled_count, those that were coded */
    uint64_t coded_bytes;  /* bytes of frames that hold spilled_bytes */
    uint64_t temp_bytes;   /* the most temporary disk space at one time */
    uint32_t merge_passes; /* intermediate passes over spilled data */
    bool is_direct;        /* they bypass the page cache */
};

struct gsi_spill {
    struct gsi_spill_store store;
    bool has_store;                 /* the store is open */
    struct gsi_codec codec;         /* zeroed: frames are raw */
    struct gsi_codec_choice choice; /* which runs are coded */
    /* Every run is spilled, and frames stay after they are read: a job that was killed needs them
     * again. */
    bool keeps_frames;
    /* Counts of runs that were written, including those written by merges. */
    uint64_t run_count, coded_run_count;
    uint64_t key_bytes, frame_bytes; /* of their keys, and of the frames that contain them */
};

/* gsi_spill_note: counts a run that was written. */
void gsi_spill_note(struct gsi_spill *spill, const struct gsi_spilled_run *run, uint32_t key_bytes);

/* gsi_spill_io_done: calls gsi_loop_io_done for the transfer of a frame, with its directory for
 * messages. */
static inline bool gsi_spill_io_done(struct gsi_loop *loop, const struct gsi_spill *spill,
                                     const struct gsi_io *io, const struct gsi_frame_ref *ref)
{
    return gsi_loop_temp_io_done(loop, io, gsi_spill_where(&spill->store, ref));
}

#endif
