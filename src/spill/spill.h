/* spill.h: the runs that a job has on disk: the store of their frames, the codec, and counts of
 * what was written. */
#ifndef GSI_SPILL_H
#define GSI_SPILL_H

#include "loop/loop.h"
#include "run/codec_choice.h"
#include "run/store.h"

struct gsi_spill {
    struct gsi_spill_store store;
    bool has_store;                 /* it is open */
    struct gsi_codec codec;         /* zeroed: frames are raw */
    struct gsi_codec_choice choice; /* which runs are coded */
    /* Every run is spilled, and frames stay after they were read: a job that was killed needs them
     * again. */
    bool keeps_frames;
    /* Counts of runs that were written; those that merges wrote, too. */
    uint64_t run_count, coded_run_count;
    uint64_t key_bytes, frame_bytes; /* of their keys, and of the frames that hold them */
};

/* gsi_spill_note: counts a run that was written. */
void gsi_spill_note(struct gsi_spill *spill, const struct gsi_spilled_run *run, uint32_t key_bytes);

/* gsi_spill_io_done: gsi_loop_io_done for the transfer of a frame. */
static inline bool gsi_spill_io_done(struct gsi_loop *loop, const struct gsi_spill *spill,
                                     const struct gsi_io *io, const struct gsi_frame_ref *ref)
{
    return gsi_loop_temp_io_done(loop, io, gsi_spill_where(&spill->store, ref));
}

#endif
