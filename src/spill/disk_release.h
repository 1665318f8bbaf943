/* disk_release.h: releases the disk of frames after a merge has read them, so that there is room
 * for the merge's own output.
 *
 * Frames are gathered until their file holds nothing else that is needed; then the file is released
 * in one call. If runs are not merged evenly, too many frames may be gathered before that; then all
 * are released, neighbours in one call (store.h explains why). A thread releases frames while
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
    /* In the table, [begin, busy_end) is being released and [busy_end, end) is gathered. */
    uint64_t begin, busy_end, end;
    uint64_t gathered_bytes, busy_bytes, most_bytes;
    bool has_free_file; /* there is a file whose frames are all gathered */
    bool is_ended;      /* no other frame follows */
};

/* gsi_disk_release_open: prepares to release at most `frame_count` frames.
 * in    spilled_bytes: of frames on disk; a part of them may be released late
 * fails GS_E_MEMORY */
enum gs_status gsi_disk_release_open(struct gsi_disk_release *release, struct gsi_loop *loop,
                                     struct gsi_spill_store *store, uint64_t spilled_bytes,
                                     uint64_t frame_count);
void gsi_disk_release_close(struct gsi_disk_release *release); /* also accepts zeroed ones */

/* gsi_disk_release_is_full: returns whether nothing may be added now.
 * gsi_disk_release_is_idle: returns whether everything that was added is released. */
bool gsi_disk_release_is_full(const struct gsi_disk_release *release);
bool gsi_disk_release_is_idle(const struct gsi_disk_release *release);

/* gsi_disk_release_add: adds a frame that the merge was fed, borrowed until close; `is_last`: no
 * other follows. */
void gsi_disk_release_add(struct gsi_disk_release *release, const struct gsi_frame_ref *frame,
                          bool is_last);

/* gsi_disk_release_end: states that no frame follows the last one that was added. */
void gsi_disk_release_end(struct gsi_disk_release *release);

#endif
