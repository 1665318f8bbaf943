/* record_places.h: finds the record whose index is in a tag.
 *
 * Every buffer of records has a range of indexes that begins at a multiple of 2^shift, so one table
 * lookup finds it:
 *
 *     record of index i  =  blocks[(i >> shift) - first_block] + (i mod 2^shift) * record bytes
 *
 * A chunk of 2^s records may need several entries; a frame of 2^shift records needs one. */
#ifndef GSI_RECORD_PLACES_H
#define GSI_RECORD_PLACES_H

#include "element/record/record_tags.h"

struct gsi_record_places {
    const struct gsi_record *record;
    const uint8_t **blocks; /* table, borrowed */
    uint64_t first_block;
    uint32_t shift;
};

static inline const uint8_t *gsi_record_at(const struct gsi_record_places *places, gsi_u128 tag)
{
    uint64_t index = gsi_tag_index(tag), block = (index >> places->shift) - places->first_block;
    uint64_t within = index & (((uint64_t)1 << places->shift) - 1);
    return places->blocks[block] + within * places->record->bytes;
}

#endif
