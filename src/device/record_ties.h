/* record_ties.h: orders tags whose ten bytes are equal: by the rest of the records' keys, then by
 * index. Pure; any thread. */
#ifndef GSI_RECORD_TIES_H
#define GSI_RECORD_TIES_H

#include "device/merge_cut.h"
#include "device/record_places.h"

#ifdef __cplusplus
extern "C" {
#endif

/* gsi_ties_are_possible: returns whether two keys that agree before `at` may still differ when
 * their tags made at `at` agree. */
static inline bool gsi_ties_are_possible(const struct gsi_record *record, uint32_t at)
{
    return record->key_bytes > at && record->key_bytes - at > GSI_TAG_KEY_BYTES;
}

/* gsi_ties_sort: sorts tags made at `at`, which are already in the order of their ten bytes, by
 * whole keys, then by index. Without ties it reads each tag once; each tie costs reads of its
 * records. */
void gsi_ties_sort(const struct gsi_record_places *places, gsi_u128 *tags, size_t n, uint32_t at);

/* gsi_tie_compare: compares two tags made at `at` by whole keys, then by index. */
int gsi_tie_compare(const struct gsi_record_places *places, gsi_u128 a, gsi_u128 b, uint32_t at);

/* gsi_ties_below: returns how many tags of a slice, in the order of whole keys, precede `bound` or
 * equal it. */
uint64_t gsi_ties_below(const struct gsi_record_places *places, struct gsi_slice slice,
                        gsi_u128 bound, uint32_t at);

/* gsi_ties_cut: does the same as gsi_merge_cut, by whole keys. It reads records only if ten bytes
 * do not determine the cut.
 * in    cut, scratch: k and 3 * k entries */
void gsi_ties_cut(const struct gsi_record_places *places, const struct gsi_slice *slices,
                  uint32_t k, uint64_t rank, uint32_t at, uint64_t *cut, uint64_t *scratch);

#ifdef __cplusplus
}
#endif
#endif
