/* zst.h: finds out what can be known about a .zst file before decompression. It consists of zstd
 * frames (RFC 8878), one after the other, and skippable frames between them. The functions are
 * pure, and accept any bytes.
 *
 *     magic | header (window, content size, ..) | blocks, each with a header of 3 bytes | checksum
 *
 * Only the headers of its blocks say where a frame ends. A walk follows them, so that several whole
 * frames can be decompressed at the same time. */
#ifndef GSI_ZST_H
#define GSI_ZST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GSI_ZST_MAGIC_BYTES        4u
#define GSI_ZST_HEADER_BYTES       18u /* the longest header, with the magic */
#define GSI_ZST_BLOCK_HEADER_BYTES 3u
#define GSI_ZST_UNKNOWN            UINT64_MAX

/* gsi_zst_begins: returns whether a frame, skippable or not, may begin here; false if there are
 * fewer bytes than in a magic. */
bool gsi_zst_begins(const uint8_t *data, size_t bytes);

struct gsi_zst_frame {
    bool is_skippable;
    uint64_t content_bytes; /* skippable: as stored; else decompressed, or GSI_ZST_UNKNOWN */
    uint64_t window_bytes;  /* how far decompression refers back */
    uint32_t header_bytes, dictionary_id;
    bool has_checksum;
};

/* gsi_zst_frame_read: reads the header at `data`. Returns 0 if it was read; how many bytes from
 * `data` on are necessary, if there are fewer; or a negative number: it is no frame. */
int gsi_zst_frame_read(const uint8_t *data, size_t bytes, struct gsi_zst_frame *frame);

/* The state of a walk along a frame's blocks. */
struct gsi_zst_walk {
    uint64_t next_off; /* of the next block header, from the frame's first byte */
    bool is_last, has_checksum;
};

/* gsi_zst_walk_begin: begins a walk after a header that was read; not for skippable frames. */
struct gsi_zst_walk gsi_zst_walk_begin(const struct gsi_zst_frame *frame);

/* gsi_zst_walk_continue: continues the walk within the first `bytes` of the frame, which are at
 * `data`. Returns the size of the whole frame, or 0: it is not known yet, but at least
 * walk->next_off + 3. */
uint64_t gsi_zst_walk_continue(struct gsi_zst_walk *walk, const uint8_t *data, uint64_t bytes);

/* gsi_zst_peek: decompresses the beginning of `data` to `plain`. Returns the number of decompressed
 * bytes; SIZE_MAX: out of memory. It needs little more memory than `plain_bytes`, whatever window a
 * frame requests. */
size_t gsi_zst_peek(const uint8_t *data, size_t bytes, uint8_t *plain, size_t plain_bytes);

#endif
