/* payload_tally.h: tallies elements while they are read, if entries of key and payload are sorted
 * instead. The result is the tally that a sort of the elements would have, and the sum of their
 * positions. The job compares it with the output. */
#ifndef GSI_PAYLOAD_TALLY_H
#define GSI_PAYLOAD_TALLY_H

#include "base/memory.h"
#include "element/entry/entry_map.h"
#include "element/tally/tally_sums.h"

struct gsi_payload_tally_worker {
    struct gsi_record_tally *tally; /* of elements as read */
    gsi_u128 position_sum;
};

struct gsi_payload_tally {
    const struct gsi_entry_map *entry_map;
    struct gsi_ledger *ledger;
    struct gsi_bump bump;
    struct gsi_payload_tally_worker *workers;
    uint32_t worker_count;
    /* The tally of a device that counts elements itself; their positions begin at `first`. NULL:
     * `workers` count. */
    const struct gsi_tally_report *of_device;
    uint64_t first;
};

/* gsi_payload_tally_plan: returns the bump allocator; an empty one if there is no payload, or only
 * positions.
 * gsi_payload_tally_open: allocates the planned memory.
 * fails GS_E_MEMORY
 * gsi_payload_tally_open_device: opens the tally if a device counts elements. It needs no memory.
 * Do not call gsi_payload_tally_add. */
struct gsi_bump gsi_payload_tally_plan(const struct gsi_entry_map *entry_map,
                                       uint32_t thread_count);
enum gs_status gsi_payload_tally_open(struct gsi_payload_tally *payload,
                                      const struct gsi_entry_map *entry_map, uint32_t thread_count,
                                      const struct gsi_bump *planned, struct gsi_ledger *ledger,
                                      struct gs_error *error);
void gsi_payload_tally_open_device(struct gsi_payload_tally *payload,
                                   const struct gsi_entry_map *entry_map,
                                   const struct gsi_tally_report *of_device, uint64_t first);
void gsi_payload_tally_close(struct gsi_payload_tally *payload); /* also zeroed ones */

/* gsi_payload_tally_add: adds consecutive elements, with indexes as in gsi_entry_make.
 * in    worker_idx: of the calling thread */
void gsi_payload_tally_add(struct gsi_payload_tally *payload, uint32_t worker_idx,
                           const uint8_t *elements, size_t n, uint64_t first,
                           const uint32_t *indexes);

/* gsi_payload_tally_sum: returns the tally of all elements; `fields` as in gsi_record_tally_finish.
 * out   position_sum: the sum of all positions */
struct gsi_tally_report gsi_payload_tally_sum(struct gsi_payload_tally *payload,
                                              struct gsi_tally_report *fields,
                                              gsi_u128 *position_sum);

#endif
