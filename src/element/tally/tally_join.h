/* tally_join.h: results of tallies, added up, as far as results do: counts, fingerprints, sums of
 * integers; extremes are the outermost. A rounded sum of floats is no exact one: what is made here
 * is the sum of those, rounded once. Mean and variance do not add up. */
#ifndef GSI_TALLY_JOIN_H
#define GSI_TALLY_JOIN_H

#include "element/record/element_report.h"
#include "element/tally/exact_sum.h"
#include "element/tally/tally_report.h"

/* A sum of sums of floats. Begin with zeros. */
struct gsi_joined_sum {
    uint64_t limbs[GSI_EXACT_LIMBS]; /* of the finite ones; fixed-point, in two's complement */
    double beyond;                   /* the sum of the others */
};

/* gsi_joined_sum_add: adds the sum of a tally, unless that is of NaNs alone. */
void gsi_joined_sum_add(struct gsi_joined_sum *sum, const struct gsi_tally_report *tally);

/* gsi_tally_join: into += from, both of `field`.
 * in    sum: of floats: what is in `into` was added to it before, and what is in `from` is now
 * fails false: more elements than can be counted; `into` is as it was */
bool gsi_tally_join(const struct gsi_field_report *field, struct gsi_tally_report *into,
                    const struct gsi_tally_report *from, struct gsi_joined_sum *sum);

/* gsi_print_join: a sum of fingerprints: into += from. */
void gsi_print_join(uint64_t into[2], const uint64_t from[2]);

#endif
