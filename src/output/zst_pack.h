/* zst_pack.h: compresses the output into zstd frames of FRAME_BYTES each, several at a time.
 *
 *     windows --flow (loop/flow.h)--> frames --compressed on threads--> frames, in order --> next
 *
 * Each frame stands alone and says how much it holds. So the bytes depend only on data and level,
 * and frames_reader.c can unpack several frames at a time. */
#ifndef GSI_ZST_PACK_H
#define GSI_ZST_PACK_H

#include "input/header.h"
#include "loop/flow.h"
#include "loop/loop.h"

struct gsi_zst_pack;

/* gsi_zst_pack_plan: returns the bump allocator for `frame_count` frames at a level. */
struct gsi_bump gsi_zst_pack_plan(uint32_t level, uint32_t frame_count);

/* gsi_zst_pack_open: compresses at a level from 1 to GSI_ZSTD_LEVEL_MAX, in memory as planned.
 * in    name: of the output, for messages; borrowed
 * fails GS_E_MEMORY */
enum gs_status gsi_zst_pack_open(struct gsi_zst_pack **pack, struct gsi_loop *loop,
                                 const char *name, uint32_t level, uint32_t frame_count,
                                 const struct gsi_bump *planned);
void gsi_zst_pack_close(struct gsi_zst_pack *pack); /* also NULL; nothing may be in flight */

/* gsi_zst_pack_begin: windows return to `windows` once they are copied. `next` takes compressed
 * frames in order, and returns them to the set that this function returns.
 * in    header: what the first frame begins with; copied */
struct gsi_buffers *gsi_zst_pack_begin(struct gsi_zst_pack *pack, const struct gsi_header *header,
                                       struct gsi_buffers *windows, struct gsi_link next);

/* gsi_zst_pack_accept: accepts the next window in output order.
 * gsi_zst_pack_end: called after the last window, when idle; the rest follows as it is pumped.
 * gsi_zst_pack_pump: does everything that can be done now. Returns whether anything moved.
 * gsi_zst_pack_is_idle: returns whether no window waits and no frame is being compressed. */
void gsi_zst_pack_accept(struct gsi_zst_pack *pack, struct gsi_buffer *window);
void gsi_zst_pack_end(struct gsi_zst_pack *pack);
bool gsi_zst_pack_pump(struct gsi_zst_pack *pack);
bool gsi_zst_pack_is_idle(const struct gsi_zst_pack *pack);

#endif
