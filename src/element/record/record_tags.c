/* record_tags.c: bytes of normalised keys into tags, one part of the key after the other over a
 * block of records that stays in the first-level cache: no branch depends on a record, and each
 * loop is compiled for its width. */
#include "element/record/record_tags.h"

#include "base/checked.h"
#include "base/simd.h"

#include <string.h>

/* Records a block: with tags of 16 bytes and a hundred bytes a record, 30 KiB. */
#define BLOCK 256u

/* Where the records of a block are. */
struct block {
    const uint8_t *first; /* one after the other, `stride` apart; or, if NULL: */
    size_t stride;
    const uint8_t *const *each;
    size_t n;
};

GSI_INLINE const uint8_t *element_at(const struct block *block, size_t i, bool is_row)
{
    return is_row ? block->first + i * block->stride : block->each[i];
}

/* Big-endian integer of 1 to 8 bytes; `bytes` is a constant where this is called. */
GSI_INLINE uint64_t load_big(const uint8_t *at, uint32_t bytes)
{
    uint64_t word = 0;
    memcpy(&word, at, bytes);
    return __builtin_bswap64(word) >> (64 - 8 * bytes);
}

GSI_INLINE void push_bytes_wide(const struct block *block, uint32_t off, uint32_t bytes,
                                uint64_t flip, gsi_u128 *tags, bool is_row)
{
    for (size_t i = 0; i < block->n; i++)
        tags[i] =
            tags[i] << 8 * bytes | (load_big(element_at(block, i, is_row) + off, bytes) ^ flip);
}

#define PUSH_CASE(bytes)                                                               \
    case bytes:                                                                        \
        if (block->first != NULL)                                                      \
            push_bytes_wide(block, off, bytes, flip >> (64 - 8 * bytes), tags, true);  \
        else                                                                           \
            push_bytes_wide(block, off, bytes, flip >> (64 - 8 * bytes), tags, false); \
        break;

/* `bytes` from 1 to 8 of each record; flip: all ones or all zeros. */
static void push_bytes(const struct block *block, uint32_t off, uint32_t bytes, uint64_t flip,
                       gsi_u128 *tags)
{
    switch (bytes) {
        PUSH_CASE(1)
        PUSH_CASE(2)
        PUSH_CASE(3)
        PUSH_CASE(4)
        PUSH_CASE(5)
        PUSH_CASE(6)
        PUSH_CASE(7)
        PUSH_CASE(8)
    }
}

/* Bytes [skip, skip + bytes) of a number. */
static void push_word(const struct block *block, const struct gsi_key_part *part, uint32_t skip,
                      uint32_t bytes, gsi_u128 *tags)
{
    uint32_t low_bits = 8 * (part->bytes - skip - bytes);
    uint64_t mask = UINT64_MAX >> (64 - 8 * bytes);
    for (size_t i = 0; i < block->n; i++) {
        const uint8_t *element = element_at(block, i, block->first != NULL);
        tags[i] = tags[i] << 8 * bytes | (gsi_part_word(part, element) >> low_bits & mask);
    }
}

/* Ten bytes of each key into the low end of tags that are zero. */
static void push_key(const struct gsi_record *record, const struct block *block, uint32_t at,
                     gsi_u128 *tags)
{
    uint32_t left = GSI_TAG_KEY_BYTES;
    for (uint32_t p = 0; p < record->part_count && left > 0; p++) {
        const struct gsi_key_part *part = &record->parts[p];
        while (left > 0 && at >= part->at && at < part->at + part->bytes) {
            uint32_t skip = at - part->at;
            uint32_t bytes = (uint32_t)gsi_min_u64(gsi_min_u64(left, 8), part->bytes - skip);
            if (part->kind == GSI_PART_BYTES)
                push_bytes(block, part->off + skip, bytes, part->flip != 0 ? UINT64_MAX : 0, tags);
            else
                push_word(block, part, skip, bytes, tags);
            at += bytes;
            left -= bytes;
        }
    }
    for (size_t i = 0; left > 0 && i < block->n; i++)
        tags[i] <<= 8 * left;
}

void gsi_record_tags(const struct gsi_record *record, const void *elements, size_t n, uint32_t at,
                     uint64_t index, gsi_u128 *tags)
{
    struct block block = {.first = elements, .stride = record->bytes};
    for (; n > 0; n -= block.n, block.first += block.n * record->bytes) {
        block.n = gsi_min_u64(n, BLOCK);
        memset(tags, 0, block.n * sizeof *tags);
        push_key(record, &block, at, tags);
        for (size_t i = 0; i < block.n; i++)
            tags[i] = tags[i] << GSI_TAG_INDEX_BITS | (index + i);
        tags += block.n;
        index += block.n;
    }
}

void gsi_record_tags_at(const struct gsi_record *record, const uint8_t *const *elements, size_t n,
                        uint32_t at, gsi_u128 *tags)
{
    gsi_u128 keys[BLOCK];
    struct block block = {.each = elements};
    for (; n > 0; n -= block.n, block.each += block.n) {
        block.n = gsi_min_u64(n, BLOCK);
        memset(keys, 0, block.n * sizeof *keys);
        push_key(record, &block, at, keys);
        for (size_t i = 0; i < block.n; i++)
            tags[i] = keys[i] << GSI_TAG_INDEX_BITS | gsi_tag_index(tags[i]);
        tags += block.n;
    }
}

void gsi_record_tags_shift(const struct gsi_record *record, const void *element, uint32_t from,
                           uint32_t to, gsi_u128 *tags, size_t n)
{
    uint8_t bytes[GSI_TAG_KEY_BYTES];
    uint32_t shared = (uint32_t)gsi_min_u64(from - to, GSI_TAG_KEY_BYTES);
    gsi_u128 front = 0;
    gsi_record_key(record, element, to, GSI_TAG_KEY_BYTES, bytes);
    for (uint32_t i = 0; i < GSI_TAG_KEY_BYTES; i++)
        front = front << 8 | (i < shared ? bytes[i] : 0);
    front <<= GSI_TAG_INDEX_BITS;
    for (size_t i = 0; i < n; i++) {
        gsi_u128 key = gsi_tag_key(tags[i]) >> 8 * shared;
        tags[i] = front | key << GSI_TAG_INDEX_BITS | gsi_tag_index(tags[i]);
    }
}
