/* frame.h: defines a frame, the unit of a spilled run: sort keys or records, with a header that
 * contains their checksums.
 *
 *     byte  0  magic "gsF3"          4  codec      5  key bytes   6  first plane   7  planes
 *           8  key count (u32)      12  stored bytes (u32): of the keys, raw or coded
 *          16  first key, 16 bytes  32  last key, 16 bytes       (low bytes used, rest 0)
 *          48  XXH3-64 of the stored bytes
 *          56  XXH3-64 of header bytes 0 .. 55
 *          64  stored bytes, then zeros up to a multiple of GSI_FRAME_ALIGN
 *
 * Bytes 6 and 7 describe the planes of a frame that zstd compressed (planes.h); else they are 0. In
 * frames of records, byte 5 is 0, and the first and last key are 16 bytes of normalised keys. Bytes
 * 6 and 7 are the offset (u16) of these 16 bytes in the normalised key.
 *
 * Numbers are little endian. Frames start at multiples of GSI_FRAME_ALIGN, so that direct I/O can
 * transfer them. The memory of a frame has room for its keys without compression. On disk a
 * compressed frame is smaller. */
#ifndef GSI_FRAME_H
#define GSI_FRAME_H

#include "base/status.h"
#include "element/layout.h"
#include "run/codec.h"

#define GSI_FRAME_HEADER_BYTES 64u
#define GSI_FRAME_ALIGN        4096u

/* Maximum memory of a frame in bytes. So 32 bits can count bytes and keys of a frame, in memory and
 * on disk. */
#define GSI_FRAME_BYTES_MAX ((uint64_t)1 << 30)

/* Describes a frame on disk. There is one in memory for each frame of each run. */
struct gsi_frame_ref {
    uint64_t off;   /* in its file */
    uint32_t bytes; /* on disk, header and padding included */
    uint32_t count; /* keys */
    uint32_t file_idx;
    uint32_t key_off;   /* records: offset of first_key in the normalised key */
    uint64_t data_hash; /* XXH3-64 of the stored bytes; identifies the frame */
    uint8_t first_key[16];
};

/* gsi_frame_seal: makes a frame of the `count` keys at frame + GSI_FRAME_HEADER_BYTES. Compresses
 * the keys with `coder` if this saves disk; NULL: never. Writes the header, and zeros as padding.
 * The frame's memory is a multiple of GSI_FRAME_ALIGN, at most GSI_FRAME_BYTES_MAX. Any thread may
 * call it with its own coder.
 * in    packed: whether the keys are split into planes, and into which; split keys need a coder */
void gsi_frame_seal(const struct gsi_layout *layout, uint8_t *frame, uint32_t count,
                    struct gsi_coder *coder, const struct gsi_packed_keys *packed);

/* gsi_frame_ref_of: returns the description of a sealed frame; its file and offset are 0. */
struct gsi_frame_ref gsi_frame_ref_of(const uint8_t *frame);

/* gsi_frame_open: checks that `frame`, which was read from disk, is the frame that `ref` describes,
 * without damage. Restores its keys at frame + GSI_FRAME_HEADER_BYTES. Any thread may call it with
 * its own coder.
 * in    capacity: bytes of memory at `frame`, which contain ref->bytes that were read
 *       packed->is_packed: do not join keys that are split into planes; out: whether they are split
 * fails GS_E_CORRUPT, with *what set to a phrase that says what is wrong */
enum gs_status gsi_frame_open(const struct gsi_layout *layout, uint8_t *frame, uint64_t capacity,
                              const struct gsi_frame_ref *ref, struct gsi_coder *coder,
                              struct gsi_packed_keys *packed, const char **what);

#endif
