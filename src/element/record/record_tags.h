/* record_tags.h: what is sorted in a record's stead: a number of 16 bytes.
 *
 *     tag     ten bytes of the normalised key, from byte `at` on | index, 48 bits
 *
 * Tags of records whose keys are equal before `at` have the order of the keys, as far as ten bytes
 * tell them apart. Where these bytes are equal, the records decide (device/record_ties.h), then the
 * index. The index says where the record is (device/record_ties.h); it follows the order of the
 * input. */
#ifndef GSI_RECORD_TAGS_H
#define GSI_RECORD_TAGS_H

#include "base/u128.h"
#include "element/record/record.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GSI_TAG_BYTES      16u
#define GSI_TAG_KEY_BYTES  10u
#define GSI_TAG_INDEX_BITS 48u
#define GSI_TAG_INDEX_MASK (((uint64_t)1 << GSI_TAG_INDEX_BITS) - 1)

static inline uint64_t gsi_tag_index(gsi_u128 tag)
{
    return (uint64_t)tag & GSI_TAG_INDEX_MASK;
}

/* The bytes of the key, as a number below 2^80. */
static inline gsi_u128 gsi_tag_key(gsi_u128 tag)
{
    return tag >> GSI_TAG_INDEX_BITS;
}

/* gsi_record_tags: tags of `n` records that lie one after the other, the first with index `index`;
 * the bytes behind the key's end are zeros. */
void gsi_record_tags(const struct gsi_record *record, const void *elements, size_t n, uint32_t at,
                     uint64_t index, gsi_u128 *tags);

/* gsi_record_tags_at: the same for records that lie anywhere: tags[i] keeps its index and gets the
 * key bytes of elements[i]. */
void gsi_record_tags_at(const struct gsi_record *record, const uint8_t *const *elements, size_t n,
                        uint32_t at, gsi_u128 *tags);

/* gsi_record_tags_shift: turns tags made at `from` into tags made at `to` < from. The bytes [to,
 * from) of all their keys are those of `element`. */
void gsi_record_tags_shift(const struct gsi_record *record, const void *element, uint32_t from,
                           uint32_t to, gsi_u128 *tags, size_t n);

#ifdef __cplusplus
}
#endif
#endif
