/* disk_release.h: gives the disk of frames back after a merge has taken them in, so that what the merge
 * writes has room.
 *
 * Frames are gathered until a file holds nothing else that is needed, and then given back in one
 * piece; if they would become too many before, because runs are not merged evenly, all that were
 * gathered are, neighbours in one call (store.h says why). That is done on a thread, while
 * others are gathered; the merge is not fed when both are as many as may be. */
#ifndef GSI_DISK_RELEASE_H
#define GSI_DISK_RELEASE_H

#include "loop/loop.h"
#include "run/store.h"
#include "spill/read_order.h"

struct gsi_disk_release {
    struct gsi_task task;
    struct gsi_loop *loop;
    struct gsi_spill_store *store;
    const struct gsi_spilled_run *const *runs; /* borrowed */
    struct gsi_ordered_frame *order;           /* borrowed; entries that were added are its own */
    /* Of order: [begin, busy_end) is being given back, [busy_end, end) is gathered. */
    uint64_t begin, busy_end, end;
    uint64_t gathered_bytes, busy_bytes, most_bytes;
    bool has_free_file; /* a file whose frames are all gathered */
    bool is_ended;      /* no other frame follows */
};

/* gsi_disk_release_init: frames come in the order of `order`, whose entries are sorted anew once they
 * were added; `spilled_bytes` of frames are on disk, of which a part may be given back late. */
void gsi_disk_release_init(struct gsi_disk_release *release, struct gsi_loop *loop,
                           struct gsi_spill_store *store, uint64_t spilled_bytes,
                           const struct gsi_spilled_run *const *runs,
                           struct gsi_ordered_frame *order);

/* gsi_disk_release_is_full: add nothing now.  gsi_disk_release_is_idle: everything added was given back. */
bool gsi_disk_release_is_full(const struct gsi_disk_release *release);
bool gsi_disk_release_is_idle(const struct gsi_disk_release *release);

/* gsi_disk_release_add: the next frame was taken in; `is_last`: no other follows. */
void gsi_disk_release_add(struct gsi_disk_release *release, bool is_last);

/* gsi_disk_release_end: no other frame follows the last one that was added. */
void gsi_disk_release_end(struct gsi_disk_release *release);

#endif
