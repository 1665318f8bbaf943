/* tally_sorted.h: what a tally counts, of elements that are in order: less is left to do then.
 * Extremes are at the ends. Floats with one sign and exponent lie side by side, so their
 * significands are added as integers, by vectors, where a tally looks at a table for each; and no
 * table has to be cleared and added up, which would take longer than sorting a few elements. The
 * fingerprint is for those who know what came in. */
#ifndef GSI_TALLY_SORTED_H
#define GSI_TALLY_SORTED_H

#include "element/tally/tally.h"

#ifdef __cplusplus
extern "C" {
#endif

/* gsi_tally_sorted_begin: an empty one, whose limbs are in two's complement until the end.
 * gsi_tally_sorted_add: counts `n` raw numbers in the layout's order, in pieces in any order. Of
 * others it says anything, and whoever sorted them has to find out.
 * gsi_tally_sorted_join: into += from; both before the end.
 * gsi_tally_sorted_end: it is as gsi_tally_save says then, but for the fingerprint, which is 0. */
void gsi_tally_sorted_begin(struct gsi_tally_saved *tally);
void gsi_tally_sorted_add(const struct gsi_layout *layout, struct gsi_tally_saved *tally,
                          const void *elements, size_t n);
void gsi_tally_sorted_join(struct gsi_tally_saved *into, const struct gsi_tally_saved *from);
void gsi_tally_sorted_end(struct gsi_tally_saved *tally);

#ifdef __cplusplus
}
#endif
#endif
