/* zst.h: what the bytes of a .zst file say before they are unpacked: zstd frames (RFC 8878), one
 * after the other, skippable ones between them. Pure; any bytes may come.
 *
 *     magic | header (window, content size, ..) | blocks, each with a header of 3 bytes | checksum
 *
 * Where a frame ends is known only from its blocks: gsi_zst_walk follows them, so that whole frames
 * can be unpacked beside each other. */
#ifndef GSI_ZST_H
#define GSI_ZST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GSI_ZST_MAGIC_BYTES  4u
#define GSI_ZST_HEADER_BYTES 18u /* the longest header, magic too */
#define GSI_ZST_UNKNOWN      UINT64_MAX

/* gsi_zst_begins: whether a frame of either kind may begin here; false for less than a magic. */
bool gsi_zst_begins(const uint8_t *data, size_t bytes);

struct gsi_zst_frame {
    bool is_skippable;
    uint64_t content_bytes; /* skippable: of its own; else unpacked, or GSI_ZST_UNKNOWN */
    uint64_t window_bytes;  /* what unpacking it looks back upon */
    uint32_t header_bytes, dictionary_id;
    bool has_checksum;
};

/* gsi_zst_frame_read: the header at `data`. Returns 0: it was read; > 0: so many bytes from `data`
 * on are needed; < 0: no frame. */
int gsi_zst_frame_read(const uint8_t *data, size_t bytes, struct gsi_zst_frame *frame);

/* A frame as its bytes go by. */
struct gsi_zst_walk {
    uint64_t next_off; /* of the next block header, from the frame's first byte */
    bool is_last, has_checksum;
};

/* gsi_zst_walk_begin: behind a header that was read; not for skippable frames. */
struct gsi_zst_walk gsi_zst_walk_begin(const struct gsi_zst_frame *frame);

/* gsi_zst_walk_on: with the first `bytes` of the frame at `data`, go on as far as they reach.
 * Returns the size of the whole frame, or 0: not known yet, at least walk->next_off + 3. */
uint64_t gsi_zst_walk_on(struct gsi_zst_walk *walk, const uint8_t *data, uint64_t bytes);

/* gsi_zst_peek: unpack the beginning of `data` to `plain`; how many bytes came out. Whatever window
 * a frame names, it takes little more memory than `plain_bytes`. SIZE_MAX: there is not even that.
 */
size_t gsi_zst_peek(const uint8_t *data, size_t bytes, uint8_t *plain, size_t plain_bytes);

#endif
