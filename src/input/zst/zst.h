/* zst.h: reads frame headers of a .zst file, and finds where frames end, without decompressing
 * them. Such a file is a list of zstd frames and skippable frames (RFC 8878). The functions have no
 * side effects, and accept any bytes.
 *
 *     magic | header (window, content size, ..) | blocks, each with a header of 3 bytes | checksum
 *
 * A frame's length follows only from the headers of its blocks. A walk reads these headers one
 * after the other. So several whole frames can be decompressed at the same time. */
#ifndef GSI_ZST_H
#define GSI_ZST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GSI_ZST_MAGIC_BYTES        4u
#define GSI_ZST_HEADER_BYTES       18u /* the longest frame header, with the magic number */
#define GSI_ZST_BLOCK_HEADER_BYTES 3u
#define GSI_ZST_UNKNOWN            UINT64_MAX

/* gsi_zst_begins: returns whether the data begin with the magic number of a frame, skippable or
 * not. */
bool gsi_zst_begins(const uint8_t *data, size_t bytes);

struct gsi_zst_frame {
    bool is_skippable;
    uint64_t content_bytes; /* decompressed size, or GSI_ZST_UNKNOWN; of a skippable frame: its
                             * stored size */
    uint64_t window_bytes;  /* zstd's window: how many earlier bytes decompression needs */
    uint32_t header_bytes, dictionary_id;
    bool has_checksum;
};

/* gsi_zst_frame_read: reads the frame header at `data`. Returns 0; or, if `bytes` are too few, how
 * many are needed; or a negative number if it is not a frame. */
int gsi_zst_frame_read(const uint8_t *data, size_t bytes, struct gsi_zst_frame *frame);

/* The state of a walk along a frame's blocks. */
struct gsi_zst_walk {
    uint64_t next_off; /* of the next block header, from the frame's first byte */
    bool is_last, has_checksum;
};

/* gsi_zst_walk_begin: begins a walk after a header that was read; not for skippable frames. */
struct gsi_zst_walk gsi_zst_walk_begin(const struct gsi_zst_frame *frame);

/* gsi_zst_walk_continue: continues the walk in the first `bytes` of the frame at `data`. Returns
 * the length of the whole frame; 0: more bytes are needed, at least walk->next_off + 3. */
uint64_t gsi_zst_walk_continue(struct gsi_zst_walk *walk, const uint8_t *data, uint64_t bytes);

/* gsi_zst_peek: decompresses the beginning of `data` to `plain`. Returns the number of decompressed
 * bytes; SIZE_MAX: out of memory. It needs little more memory than `plain_bytes`, also for frames
 * with a large window. */
size_t gsi_zst_peek(const uint8_t *data, size_t bytes, uint8_t *plain, size_t plain_bytes);

#endif
