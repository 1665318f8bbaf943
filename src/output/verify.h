/* verify.h: checks that the output has all elements of the input, in order.
 *
 *     inputs --(1)--> read --(2)--> sorted --(3)--> windows --(4)--> payload, groups --> files
 *
 * Elements are measured at each of these points. Between two of them exactly what the operators
 * between them keep is compared:
 *
 *   1  filter         kept + dropped = read; count and fingerprint of the kept (gsi_inputs_verify)
 *   2  pre-aggregate  count: folded + sorted = read
 *   3  sort           count and fingerprint, and the order; after the first K only the count
 *   4  payload        count, sum of positions; fingerprint, if whole elements are written
 *      groups         count of all groups, aggregates of fields (gsi_write_flow_verify)
 *
 * output/read_back.h compares the bytes on the disk. */
#ifndef GSI_VERIFY_H
#define GSI_VERIFY_H

#include "output/delivery.h"

struct gsi_verification {
    struct gsi_delivery *delivery;
    /* in: the tally of sorted entries; out: that of elements that were read. These differ with
     * pre-aggregation and payload. */
    struct gsi_tally_report *tally, *fields;
    bool is_of_elements; /* the tally is of what was read, although entries with it were sorted */
    struct gsi_pre_aggregate *pre_aggregate; /* NULL: none */
    struct gsi_digest dropped;               /* were sorted, and are correctly not in the output */
    uint64_t most_count;                     /* the output may have at most so many elements */
    const char *cause;                       /* another reason for a difference than the memory */
};

/* gsi_verify: checks all points.
 * fails GS_E_VERIFY */
enum gs_status gsi_verify(const struct gsi_verification *verification);

#endif
