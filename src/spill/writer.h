/* writer.h: turns the windows of a merge into the frames of one spilled run.
 *
 *     take(window) -> seal, and maybe code, on a thread -> place, in order -> write -> free */
#ifndef GSI_SPILL_WRITER_H
#define GSI_SPILL_WRITER_H

#include "spill/spill.h"

struct gsi_spill_writer {
    struct gsi_loop *loop;
    struct gsi_spill *spill;
    struct gsi_buffers *windows;
    struct gsi_spilled_run *run;
    struct gsi_buffer_list sealing; /* in order */
    uint32_t pending;               /* being sealed or written */
};

/* gsi_spill_writer_init: prepares to append frames to `run`, which will have `key_count` keys
 * (UINT64_MAX: unknown). Written windows are returned to `windows`. They have
 * GSI_FRAME_HEADER_BYTES before their data. */
enum gs_status gsi_spill_writer_init(struct gsi_spill_writer *writer, struct gsi_loop *loop,
                                     struct gsi_spill *spill, struct gsi_buffers *windows,
                                     struct gsi_spilled_run *run, uint64_t key_count);

/* gsi_spill_writer_take: accepts the next window of the run and keeps it. This is the `take`
 * function of a link (loop/stage.h). */
bool gsi_spill_writer_take(void *context, struct gsi_buffer *window);

#endif
