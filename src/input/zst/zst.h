/* zst.h: what can be known of a .zst file before it is unpacked. It holds zstd frames (RFC 8878),
 * one after the other, with skippable ones between them. Pure; any bytes may come.
 *
 *     magic | header (window, content size, ..) | blocks, each with a header of 3 bytes | checksum
 *
 * Only its blocks tell where a frame ends. gsi_zst_walk follows them, so that several whole frames
 * can be unpacked at the same time. */
#ifndef GSI_ZST_H
#define GSI_ZST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GSI_ZST_MAGIC_BYTES        4u
#define GSI_ZST_HEADER_BYTES       18u /* the longest header, magic too */
#define GSI_ZST_BLOCK_HEADER_BYTES 3u
#define GSI_ZST_UNKNOWN            UINT64_MAX

/* gsi_zst_begins: whether a frame, skippable or not, may begin here; false if `bytes` are fewer
 * than a magic has. */
bool gsi_zst_begins(const uint8_t *data, size_t bytes);

struct gsi_zst_frame {
    bool is_skippable;
    uint64_t content_bytes; /* skippable: as it lies there; else unpacked, or GSI_ZST_UNKNOWN */
    uint64_t window_bytes;  /* how far unpacking looks back */
    uint32_t header_bytes, dictionary_id;
    bool has_checksum;
};

/* gsi_zst_frame_read: reads the header at `data`. Returns 0: it was read; > 0: so many bytes from
 * `data` on are needed; < 0: it is no frame. */
int gsi_zst_frame_read(const uint8_t *data, size_t bytes, struct gsi_zst_frame *frame);

/* Where a walk along a frame's blocks is. */
struct gsi_zst_walk {
    uint64_t next_off; /* of the next block header, from the frame's first byte */
    bool is_last, has_checksum;
};

/* gsi_zst_walk_begin: begins behind a header that was read; not for skippable frames. */
struct gsi_zst_walk gsi_zst_walk_begin(const struct gsi_zst_frame *frame);

/* gsi_zst_walk_continue: goes on as far as the first `bytes` of the frame, which are at `data`, reach.
 * Returns the size of the whole frame, or 0: not known yet, at least walk->next_off + 3. */
uint64_t gsi_zst_walk_continue(struct gsi_zst_walk *walk, const uint8_t *data, uint64_t bytes);

/* gsi_zst_peek: unpacks the beginning of `data` to `plain`. Returns how many bytes came out;
 * SIZE_MAX: out of memory. It takes little more memory than `plain_bytes`, whatever window a frame
 * names. */
size_t gsi_zst_peek(const uint8_t *data, size_t bytes, uint8_t *plain, size_t plain_bytes);

#endif
