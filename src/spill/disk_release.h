/* disk_release.h: gives the disk of frames back after a merge has taken them in, so that what the
 * merge writes has room.
 *
 * Frames are gathered until a file holds nothing else that is needed; then the file is given back
 * in one piece. Runs that are not merged evenly may gather too many frames before that; then all
 * are given back, neighbours in one call (store.h says why). A thread gives frames back while
 * others are gathered. When both have reached their limit, the merge gets no more frames for a
 * while. */
#ifndef GSI_DISK_RELEASE_H
#define GSI_DISK_RELEASE_H

#include "loop/loop.h"
#include "run/store.h"

struct gsi_disk_release {
    struct gsi_task task;
    struct gsi_loop *loop;
    struct gsi_spill_store *store;
    const struct gsi_frame_ref **frames; /* table, borrowed frames */
    uint64_t frame_count;
    /* Of the table: [begin, busy_end) is being given back, [busy_end, end) is gathered. */
    uint64_t begin, busy_end, end;
    uint64_t gathered_bytes, busy_bytes, most_bytes;
    bool has_free_file; /* a file whose frames are all gathered */
    bool is_ended;      /* no other frame follows */
};

/* gsi_disk_release_open: gives back `frame_count` frames at most.
 * in    spilled_bytes: of frames on disk; a part of them may be given back late
 * fails GS_E_MEMORY */
enum gs_status gsi_disk_release_open(struct gsi_disk_release *release, struct gsi_loop *loop,
                                     struct gsi_spill_store *store, uint64_t spilled_bytes,
                                     uint64_t frame_count);
void gsi_disk_release_close(struct gsi_disk_release *release); /* also zeroed ones */

/* gsi_disk_release_is_full: nothing may be added now.
 * gsi_disk_release_is_idle: everything that was added is given back. */
bool gsi_disk_release_is_full(const struct gsi_disk_release *release);
bool gsi_disk_release_is_idle(const struct gsi_disk_release *release);

/* gsi_disk_release_add: the merge was fed this frame, borrowed until close; `is_last`: no other
 * follows. */
void gsi_disk_release_add(struct gsi_disk_release *release, const struct gsi_frame_ref *frame,
                          bool is_last);

/* gsi_disk_release_end: no frame follows the last one that was added. */
void gsi_disk_release_end(struct gsi_disk_release *release);

#endif
