/* record_tags.h: makes the tags that are sorted instead of records: numbers of 16 bytes.
 *
 *     tag     ten bytes of the normalised key | index, 48 bits
 *
 * The ten bytes are a *choice*: places in the key, in ascending order. All keys agree in the bytes
 * before them and between them. So tags have the order of the keys, as far as ten bytes tell them
 * apart. If these bytes are equal, the records decide (device/record_ties.h), then the index. The
 * index says where the record is (device/record_ties.h); it follows the order of the input. */
#ifndef GSI_RECORD_TAGS_H
#define GSI_RECORD_TAGS_H

#include "base/checked.h"
#include "base/u128.h"
#include "element/record/record.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GSI_TAG_BYTES      16u
#define GSI_TAG_KEY_BYTES  10u
#define GSI_TAG_INDEX_BITS 48u
#define GSI_TAG_INDEX_MASK (((uint64_t)1 << GSI_TAG_INDEX_BITS) - 1)

/* The first ten of: byte at + i of the key, for each bit i of `bits`; all bytes from at + 32 on.
 * Bytes after the key's end are zeros. */
struct gsi_tag_choice {
    uint32_t at, bits;
};

#define GSI_CHOICE_BITS 32u

/* gsi_tag_choice_from: chooses the ten bytes from `at` on.
 * gsi_tag_choice_places: lists the chosen bytes.
 * gsi_tag_choice_end: returns the first byte of the key in which records may differ if their tags
 * agree. */
static inline struct gsi_tag_choice gsi_tag_choice_from(uint32_t at)
{
    struct gsi_tag_choice choice = {at, UINT32_MAX};
    return choice;
}

void gsi_tag_choice_places(struct gsi_tag_choice choice, uint32_t places[GSI_TAG_KEY_BYTES]);
uint32_t gsi_tag_choice_end(struct gsi_tag_choice choice);

static inline uint64_t gsi_tag_index(gsi_u128 tag)
{
    return (uint64_t)tag & GSI_TAG_INDEX_MASK;
}

/* Returns the bytes of the key, as a number below 2^80. */
static inline gsi_u128 gsi_tag_key(gsi_u128 tag)
{
    return tag >> GSI_TAG_INDEX_BITS;
}

/* gsi_record_tags: makes the tags of `n` records that follow each other in memory, the first with
 * index `index`. */
void gsi_record_tags(const struct gsi_record *record, const void *elements, size_t n,
                     struct gsi_tag_choice choice, uint64_t index, gsi_u128 *tags);

/* gsi_record_tags_at: does the same for records at any addresses: tags[i] keeps its index and gets
 * the key bytes of elements[i]. */
void gsi_record_tags_at(const struct gsi_record *record, const uint8_t *const *elements, size_t n,
                        struct gsi_tag_choice choice, gsi_u128 *tags);

/* gsi_record_tags_shift: turns tags of the choice `from` into tags of the choice `to`. Bytes that
 * only `to` contains precede the end of `from`; in all keys, they are those of `element`. */
void gsi_record_tags_shift(const struct gsi_record *record, const void *element,
                           struct gsi_tag_choice from, struct gsi_tag_choice to, gsi_u128 *tags,
                           size_t n);

/* Computes how many records fit into a piece of memory.
 *
 *     [ .. records ........................ .. ] [ tags ]
 *      ^ up to a page before and behind them      one a record
 *
 * Records rarely begin and end where pages do. The room around them is for direct I/O of whole
 * pages, or for a frame's header and padding. Inline records of a chunk need no bytes beside their
 * tags (loop/buffers.h). */

#define GSI_RECORD_PAGE_BYTES  4096u
#define GSI_RECORD_SPARE_BYTES (2 * GSI_RECORD_PAGE_BYTES + 64)

/* gsi_record_room: returns how many records fit into `bytes`. gsi_record_room_bytes: returns the
 * bytes that `n` records take, in whole pages.
 * in    record_bytes: of a record, beside its tag */
static inline uint64_t gsi_record_room(uint32_t record_bytes, uint64_t bytes)
{
    return bytes <= GSI_RECORD_SPARE_BYTES
               ? 0
               : (bytes - GSI_RECORD_SPARE_BYTES) / (record_bytes + GSI_TAG_BYTES);
}

static inline uint64_t gsi_record_room_bytes(uint32_t record_bytes, uint64_t n)
{
    return gsi_round_up_u64(n * (record_bytes + GSI_TAG_BYTES) + GSI_RECORD_SPARE_BYTES,
                            GSI_RECORD_PAGE_BYTES);
}

/* The same where the number of records has to be a power of two, as in chunks and frames (at least
 * one).  gsi_record_room_shift: its logarithm. */
static inline uint32_t gsi_record_room_shift(uint32_t record_bytes, uint64_t bytes)
{
    uint64_t n = gsi_record_room(record_bytes, bytes);
    return n == 0 ? 0 : 63 - (uint32_t)__builtin_clzll(n);
}

static inline uint64_t gsi_record_room_power(uint32_t record_bytes, uint64_t bytes)
{
    return (uint64_t)1 << gsi_record_room_shift(record_bytes, bytes);
}

#ifdef __cplusplus
}
#endif
#endif
