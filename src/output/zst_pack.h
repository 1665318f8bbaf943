/* zst_pack.h: writes the output as zstd frames of FRAME_BYTES each, packed on the pool, several at
 * a time.
 *
 *     windows --copy--> slots --pool--> packed --engine, in order--> output
 *
 * Each frame stands alone and says how much it holds. So the bytes depend only on data and level,
 * and frames_reader.c can unpack several frames at a time. */
#ifndef GSI_ZST_PACK_H
#define GSI_ZST_PACK_H

#include "io/file.h"
#include "loop/loop.h"

struct gsi_zst_pack;

/* gsi_zst_pack_plan: the memory that `slot_count` slots at a level take. */
uint64_t gsi_zst_pack_plan(uint32_t level, uint32_t slot_count);

/* gsi_zst_pack_open: packs into `output`, which may be opened later, at a level from 1 to
 * GSI_ZSTD_LEVEL_MAX.
 * fails GS_E_MEMORY */
enum gs_status gsi_zst_pack_open(struct gsi_zst_pack **pack, struct gsi_loop *loop,
                                 const struct gsi_output *output, uint32_t level,
                                 uint32_t slot_count);
void gsi_zst_pack_close(struct gsi_zst_pack *pack); /* also NULL; nothing may be in flight */

/* gsi_zst_pack_begin: windows go back to `windows` once they are copied. *pending will count
 * windows and slots that are under way. */
void gsi_zst_pack_begin(struct gsi_zst_pack *pack, struct gsi_buffers *windows, uint32_t *pending);

/* gsi_zst_pack_put: adds the header, before all windows; at most GSI_HEADER_BYTES_MAX. */
void gsi_zst_pack_put(struct gsi_zst_pack *pack, const uint8_t *data, uint64_t bytes);

/* gsi_zst_pack_take: takes the next window in output order. */
void gsi_zst_pack_take(struct gsi_zst_pack *pack, struct gsi_buffer *window);

/* gsi_zst_pack_end: after the last window, when nothing is pending: packs and writes what is left,
 * which is pending then. */
void gsi_zst_pack_end(struct gsi_zst_pack *pack);

/* gsi_zst_pack_written: how many bytes the output has so far. */
uint64_t gsi_zst_pack_written(const struct gsi_zst_pack *pack);

#endif
