/* zst.c: reads frame headers by libzstd, and walks over blocks. */
#define ZSTD_STATIC_LINKING_ONLY /* for frame headers, and decompression by blocks */
#include "input/zst/zst.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define CHECKSUM_BYTES 4u
#define BLOCK_RLE      1u /* one byte stands for the whole block */

static uint32_t read_u32(const uint8_t *data)
{
    return data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16 | (uint32_t)data[3] << 24;
}

bool gsi_zst_begins(const uint8_t *data, size_t bytes)
{
    if (bytes < GSI_ZST_MAGIC_BYTES)
        return false;
    uint32_t magic = read_u32(data);
    return magic == ZSTD_MAGICNUMBER ||
           (magic & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START;
}

int gsi_zst_frame_read(const uint8_t *data, size_t bytes, struct gsi_zst_frame *frame)
{
    ZSTD_frameHeader header;
    size_t wanted = ZSTD_getFrameHeader(&header, data, bytes);
    if (ZSTD_isError(wanted))
        return -1;
    if (wanted > 0)
        return (int)wanted;
    bool is_skippable = header.frameType == ZSTD_skippableFrame;
    *frame = (struct gsi_zst_frame){.is_skippable = is_skippable,
                                    .content_bytes = header.frameContentSize,
                                    .window_bytes = header.windowSize,
                                    .header_bytes = header.headerSize,
                                    .dictionary_id = header.dictID,
                                    .has_checksum = header.checksumFlag != 0};
    if (is_skippable)
        frame->header_bytes = ZSTD_SKIPPABLEHEADERSIZE;
    else if (header.frameContentSize == ZSTD_CONTENTSIZE_UNKNOWN)
        frame->content_bytes = GSI_ZST_UNKNOWN;
    return 0;
}

struct gsi_zst_walk gsi_zst_walk_begin(const struct gsi_zst_frame *frame)
{
    return (struct gsi_zst_walk){.next_off = frame->header_bytes,
                                 .has_checksum = frame->has_checksum};
}

uint64_t gsi_zst_walk_continue(struct gsi_zst_walk *walk, const uint8_t *data, uint64_t bytes)
{
    while (!walk->is_last && walk->next_off + GSI_ZST_BLOCK_HEADER_BYTES <= bytes) {
        const uint8_t *at = data + walk->next_off;
        uint32_t header = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16;
        uint32_t size = (header >> 1 & 3) == BLOCK_RLE ? 1 : header >> 3;
        walk->next_off += GSI_ZST_BLOCK_HEADER_BYTES + size;
        walk->is_last = (header & 1) != 0;
    }
    return walk->is_last ? walk->next_off + (walk->has_checksum ? CHECKSUM_BYTES : 0) : 0;
}

/* Decompresses one block after the other into contiguous memory. So it needs no separate memory for
 * zstd's window. */
static size_t unpack_blocks(ZSTD_DCtx *context, const uint8_t *data, size_t bytes, uint8_t *blocks,
                            size_t wanted)
{
    size_t off = 0, made = 0, next, more;
    while (made < wanted) {
        if ((next = ZSTD_nextSrcSizeToDecompress(context)) == 0) { /* after a frame */
            ZSTD_decompressBegin(context);
            next = ZSTD_nextSrcSizeToDecompress(context);
        }
        if (next > bytes - off)
            break;
        more = ZSTD_decompressContinue(context, blocks + made, wanted + ZSTD_BLOCKSIZE_MAX - made,
                                       data + off, next);
        if (ZSTD_isError(more))
            break;
        off += next;
        made += more;
    }
    return made < wanted ? made : wanted;
}

size_t gsi_zst_peek(const uint8_t *data, size_t bytes, uint8_t *plain, size_t plain_bytes)
{
    size_t made = SIZE_MAX;
    uint8_t *blocks = malloc(plain_bytes + ZSTD_BLOCKSIZE_MAX);
    ZSTD_DCtx *context = ZSTD_createDCtx();
    if (blocks != NULL && context != NULL) {
        ZSTD_decompressBegin(context);
        made = unpack_blocks(context, data, bytes, blocks, plain_bytes);
        memcpy(plain, blocks, made);
    }
    ZSTD_freeDCtx(context);
    free(blocks);
    return made;
}
