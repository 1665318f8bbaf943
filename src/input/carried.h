/* carried.h: what is known of elements that others were carried for: a tally, as of a sort of them,
 * and the sum of their positions. The job has it from before it reads until it has verified. */
#ifndef GSI_CARRIED_H
#define GSI_CARRIED_H

#include "base/memory.h"
#include "base/report.h"
#include "element/carry/carry.h"

struct gsi_carried_worker {
    void *tally; /* of elements as read */
    gsi_u128 position_sum;
};

struct gsi_carried {
    const struct gsi_carry *carry;
    struct gsi_ledger *ledger;
    struct gsi_shelf shelf;
    struct gsi_carried_worker *workers;
    uint32_t worker_count;
    /* The device counts them, and adds positions from `first` on: where it tells; NULL: workers
     * do. */
    const struct gsi_tally_report *of_device;
    uint64_t first;
};

/* gsi_carried_plan: its shelf; empty where nothing or only positions are carried.
 * gsi_carried_open: takes the memory that was planned.
 * fails GS_E_MEMORY
 * gsi_carried_open_device: the same where a device counts; takes no memory, and nothing is
 * added. */
struct gsi_shelf gsi_carried_plan(const struct gsi_carry *carry, uint32_t thread_count);
enum gs_status gsi_carried_open(struct gsi_carried *carried, const struct gsi_carry *carry,
                                uint32_t thread_count, const struct gsi_shelf *planned,
                                struct gsi_ledger *ledger, struct gs_error *error);
void gsi_carried_open_device(struct gsi_carried *carried, const struct gsi_carry *carry,
                             const struct gsi_tally_report *of_device, uint64_t first);
void gsi_carried_close(struct gsi_carried *carried); /* also zeroed ones */

/* gsi_carried_add: elements that lie one after the other, with places as in gsi_carry_take.
 * in    worker_idx: of the calling thread */
void gsi_carried_add(struct gsi_carried *carried, uint32_t worker_idx, const uint8_t *elements,
                     size_t n, uint64_t first, const uint32_t *places);

/* gsi_carried_tally: of all elements; `fields` as in tally_finish (element_ops.h).
 * out   position_sum: of all of them */
struct gsi_tally_report gsi_carried_tally(struct gsi_carried *carried,
                                          struct gsi_tally_report *fields, gsi_u128 *position_sum);

#endif
