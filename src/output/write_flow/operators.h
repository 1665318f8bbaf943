/* operators.h: operators of the flow (loop/flow.h) that turns sorted elements into output:
 *
 *     elements --make--> entry of each group --map--> payload of the entry --observe--> digest
 *               --unique                      --argsort, --out                --verify=read */
#ifndef GSI_OPERATORS_H
#define GSI_OPERATORS_H

#include "element/entry/entry_map.h"
#include "element/groups.h"
#include "loop/flow.h"

/* Makes an entry of each group. */
struct gsi_group_operator {
    struct gsi_groups groups;
    struct gsi_groups_batch *pieces; /* of each batch */
    uint8_t *last_element;           /* of all batches that have begun */
    bool has_last;
    bool has_repeats; /* digests of windows count elements that equal the element before */
    struct gs_error *error;
};

/* gsi_group_operator_alloc: allocates the operator from a bump allocator, for up to `batch_count`
 * batches at a time. A sum that does not fit is stored in group->error when its batch is joined.
 * gsi_group_operator_restart: forgets all elements.
 * gsi_group_operator: returns the operator. */
void gsi_group_operator_alloc(struct gsi_group_operator *group, const struct gsi_layout *layout,
                              const struct gsi_groups_rule *rule, uint32_t batch_count,
                              struct gsi_bump *bump);
void gsi_group_operator_restart(struct gsi_group_operator *group);
struct gsi_operator gsi_group_operator(struct gsi_group_operator *group);

/* Makes the output of an entry: the position or some fields of its element, then counts and
 * sums. */
struct gsi_payload_operator {
    const struct gsi_entry_map *entry_map; /* borrowed */
    uint64_t entry_bytes;                  /* of what it reads */
    bool is_put;                           /* it reads positions, which a device made */
    gsi_u128 *sums;                        /* of each batch, and of one that is an entry ahead */
    gsi_u128 position_sum;                 /* of all batches that were joined */
};

struct gsi_operator gsi_payload_operator(struct gsi_payload_operator *payload,
                                         uint64_t written_bytes);

/* Adds up a digest of elements; of records, without their order. */
struct gsi_digest_operator {
    const struct gsi_layout *layout; /* borrowed */
    struct gsi_digest *digests;      /* of each batch, and of one that is an entry ahead */
    struct gsi_digest digest;        /* of all batches that were joined */
    uint64_t marked_count;           /* the owner sets it: where a window ends */
    struct gsi_digest marked;        /* a copy of the digest when it had so many elements */
};

struct gsi_operator gsi_digest_operator(struct gsi_digest_operator *digest);

#endif
