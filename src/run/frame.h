/* frame.h: defines the unit of a spilled run: some sort keys, or records, with a header that lets
 * anyone check them.
 *
 *     byte  0  magic "gsF3"          4  codec      5  key bytes   6  first plane   7  planes
 *           8  key count (u32)      12  stored bytes (u32): of the keys, raw or coded
 *          16  first key, 16 bytes  32  last key, 16 bytes       (low bytes used, rest 0)
 *          48  XXH3-64 of the stored bytes
 *          56  XXH3-64 of header bytes 0 .. 55
 *          64  stored bytes, then zeros up to a multiple of GSI_FRAME_ALIGN
 *
 * Bytes 6 and 7 describe the planes of a frame that zstd coded (planes.h); else they are 0. Frames
 * of records have key bytes 0. Their bytes 6 and 7 contain the offset (u16) in the normalised key
 * at which the first and last key, 16 bytes each, begin.
 *
 * Little endian. Frames start at multiples of GSI_FRAME_ALIGN, so that direct I/O can move them. In
 * memory a frame is as large as its raw keys need; on disk a coded frame is smaller. */
#ifndef GSI_FRAME_H
#define GSI_FRAME_H

#include "base/status.h"
#include "element/layout.h"
#include "run/codec.h"

#define GSI_FRAME_HEADER_BYTES 64u
#define GSI_FRAME_ALIGN        4096u

/* Most memory of a frame, bytes: bytes and keys are counted in 32 bits, here and on disk. */
#define GSI_FRAME_BYTES_MAX ((uint64_t)1 << 30)

/* Describes a frame on disk; kept in memory for every frame of every run. */
struct gsi_frame_ref {
    uint64_t off;   /* in its file */
    uint32_t bytes; /* on disk, header and padding included */
    uint32_t count; /* keys */
    uint32_t file_idx;
    uint32_t key_off;   /* records: offset of first_key in the normalised key */
    uint64_t data_hash; /* of the stored bytes: identifies the frame */
    uint8_t first_key[16];
};

/* gsi_frame_seal: makes a frame of the `count` keys at frame + GSI_FRAME_HEADER_BYTES. Codes them
 * with `coder`, if there is one and that saves disk; fills in the header; zeroes the padding. The
 * frame's memory is a multiple of GSI_FRAME_ALIGN, at most GSI_FRAME_BYTES_MAX. Any thread, each
 * with its own coder.
 * in    packed: the layout of the keys; keys split into planes need a coder */
void gsi_frame_seal(const struct gsi_layout *layout, uint8_t *frame, uint32_t count,
                    struct gsi_coder *coder, const struct gsi_packed_keys *packed);

/* gsi_frame_describe: returns the reference to a sealed frame, with place 0 in file 0. */
struct gsi_frame_ref gsi_frame_describe(const uint8_t *frame);

/* gsi_frame_open: checks that the frame that was read is the undamaged one that `ref` describes.
 * Its keys are then at frame + GSI_FRAME_HEADER_BYTES. Any thread, each with its own coder.
 * in    capacity: bytes of memory at `frame`, which contain ref->bytes that were read
 *       packed->is_packed: accept keys split into planes, if the frame holds such; out: the layout
 * fails GS_E_CORRUPT, with *what set to a phrase that says what is wrong */
enum gs_status gsi_frame_open(const struct gsi_layout *layout, uint8_t *frame, uint64_t capacity,
                              const struct gsi_frame_ref *ref, struct gsi_coder *coder,
                              struct gsi_packed_keys *packed, const char **what);

#endif
