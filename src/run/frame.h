/* frame.h: the unit of a spilled run: some sort keys with a header that lets anyone check them.
 *
 *     byte  0  magic "gsF1"          4  codec      5  key bytes   6  reserved, 0
 *           8  key count (u32)      12  stored bytes (u32)
 *          16  first key, 16 bytes  32  last key, 16 bytes       (low bytes used, rest 0)
 *          48  XXH3-64 of the stored bytes
 *          56  XXH3-64 of header bytes 0 .. 55
 *          64  stored bytes, then zeros up to a multiple of GSI_FRAME_ALIGN
 *
 * Little endian. Frames start at multiples of GSI_FRAME_ALIGN, so that direct I/O can move them. */
#ifndef GSI_FRAME_H
#define GSI_FRAME_H

#include "base/status.h"
#include "format/layout.h"

#define GSI_FRAME_HEADER_BYTES 64u
#define GSI_FRAME_ALIGN        4096u

enum gsi_codec { GSI_CODEC_NONE = 0 };

/* What is known of a frame on disk; kept in memory for every frame of every run. */
struct gsi_frame_ref {
    uint64_t off;   /* in its file */
    uint32_t bytes; /* on disk, header and padding included */
    uint32_t count; /* keys */
    uint32_t file_idx;
    uint8_t first_key[16];
};

/* gsi_frame_seal: make a frame of `count` keys that lie at frame + GSI_FRAME_HEADER_BYTES: fill in
 * the header, zero the padding. The frame's memory is a multiple of GSI_FRAME_ALIGN. Any thread.
 * Returns its bytes on disk. */
uint32_t gsi_frame_seal(const struct gsi_layout *layout, uint8_t *frame, uint32_t count);

/* gsi_frame_check: whether the frame that was read is the one that `ref` describes, undamaged.
 * Any thread. fails GS_E_CORRUPT, with *what set to a phrase that says what is wrong */
enum gs_status gsi_frame_check(const struct gsi_layout *layout, const uint8_t *frame,
                               const struct gsi_frame_ref *ref, const char **what);

#endif
