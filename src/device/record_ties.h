/* record_ties.h: finds the record whose index is in a tag, and orders tags whose ten bytes are
 * equal: by the rest of the records' keys, then by index. Pure, for any thread.
 *
 * Every buffer of records has a range of indexes that begins at a multiple of 2^shift, so one table
 * lookup finds a record:
 *
 *     record of index i  =  blocks[(i >> shift) - first_block] + (i mod 2^shift) * record bytes
 *
 * A chunk of 2^s records may need several entries; a frame of 2^shift records needs one. */
#ifndef GSI_RECORD_TIES_H
#define GSI_RECORD_TIES_H

#include "device/merge_cut.h"
#include "element/record/record_tags.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The table that finds records by their indexes. */
struct gsi_record_table {
    const struct gsi_record *record;
    const uint8_t **blocks; /* table, borrowed */
    uint64_t first_block;
    uint32_t shift;
};

static inline const uint8_t *gsi_record_at(const struct gsi_record_table *places, gsi_u128 tag)
{
    uint64_t index = gsi_tag_index(tag), block = (index >> places->shift) - places->first_block;
    uint64_t within = index & (((uint64_t)1 << places->shift) - 1);
    return places->blocks[block] + within * places->record->bytes;
}

/* Below, `end` is the end of the tags' choice: keys whose tags agree may differ from there on.
 *
 * gsi_ties_are_possible: returns whether two keys may differ when their tags agree. */
static inline bool gsi_ties_are_possible(const struct gsi_record *record, uint32_t end)
{
    return record->key_bytes > end;
}

/* gsi_ties_sort: sorts tags, which are already in the order of their ten bytes, by whole keys, then
 * by index. Without ties it reads each tag once; each tie costs reads of its records. */
void gsi_ties_sort(const struct gsi_record_table *places, gsi_u128 *tags, size_t n, uint32_t end);

/* gsi_tie_compare: compares two tags by whole keys, then by index. */
int gsi_tie_compare(const struct gsi_record_table *places, gsi_u128 a, gsi_u128 b, uint32_t end);

/* gsi_ties_below: returns how many tags of a slice, in the order of whole keys, precede `bound` or
 * equal it. */
uint64_t gsi_ties_below(const struct gsi_record_table *places, struct gsi_slice slice,
                        gsi_u128 bound, uint32_t end);

/* gsi_ties_cut: does the same as gsi_merge_cut, by whole keys. It reads records only if ten bytes
 * do not determine the cut.
 * in    cut, scratch: k and 3 * k entries */
void gsi_ties_cut(const struct gsi_record_table *places, const struct gsi_slice *slices, uint32_t k,
                  uint64_t rank, uint32_t end, uint64_t *cut, uint64_t *scratch);

#ifdef __cplusplus
}
#endif
#endif
