/* store.h: stores spilled runs in a few unnamed files in each temporary directory. All runs share
 * them, so ten thousand runs need no more descriptors than one.
 *
 *     directory 0   file 0: the first frames of every run   ..   file 31: the last ones
 *     directory 1   the same; a run's frames are in both
 *
 * A merge needs the first frames of all runs before it needs the last ones (unless the input was
 * nearly in order). So it finishes one file after another, and the disk of a file is released in
 * one call, while nothing is read there. This matters because a file system stops all transfers of
 * a file while it punches a hole (ext4, xfs). It may also pass the hole to the disk at once, which
 * takes up to 1 ms (ext4 with -o discard).
 *
 * The next frame is written to the directory with the fewest bytes queued, so a fast disk gets more
 * frames than a slow one. A directory without room is skipped. Owner's thread. */
#ifndef GSI_RUN_STORE_H
#define GSI_RUN_STORE_H

#include "base/memory.h"
#include "io/engine.h"
#include "run/frame.h"

struct gsi_spill_directory {
    const char *path; /* borrowed */
    bool is_direct;
    bool is_full;         /* refused the last frame; reset when space is released */
    uint64_t queued;      /* bytes being written there */
    uint64_t file_system; /* equal for directories that share a file system */
    uint32_t room_idx;    /* the first directory in the same file system */
    uint64_t room;        /* only at room_idx: bytes that may still be used there */
};

struct gsi_spill_file {
    int fd;
    uint32_t directory_idx;
    uint64_t end;        /* offset of the next frame */
    uint64_t allocated;  /* bytes of disk allocated in advance */
    uint64_t live_bytes; /* of frames that are still needed */
};

struct gsi_spill_store {
    struct gsi_ledger *ledger;
    struct gsi_spill_directory *directories;
    struct gsi_spill_file *files; /* the parts of directory 0, of directory 1, .. */
    uint32_t directory_count, part_count, next_directory;
    uint64_t taken_bytes, peak_bytes; /* disk, all files together */
    int refusal;                      /* errno of the last frame that had no room; 0: it had room */
};

/* A spilled run: its frames in key order. */
struct gsi_spilled_run {
    struct gsi_frame_ref *frames;
    uint64_t frame_count, frame_capacity;
    uint64_t key_count, bytes; /* bytes on disk */
};

/* Files per directory, if there is enough to spill and there are enough descriptors. */
#define GSI_SPILL_PARTS_MAX 32u

/* Most frames for which disk is allocated in advance, in all directories together. */
#define GSI_SPILL_FRAMES_AHEAD 8u

/* gsi_spill_store_open: opens a store whose only limits are the disks.
 * in    directories: borrowed until close
 *       bytes: approximate size of the data to be spilled
 * fails GS_E_IO: no file can be created in a directory; GS_E_MEMORY */
enum gs_status gsi_spill_store_open(struct gsi_spill_store *store, const char *const *directories,
                                    size_t count, uint64_t bytes, struct gsi_ledger *ledger,
                                    struct gs_error *error);
/* gsi_spill_store_open_kept: opens a store of one file, which has a name and already holds frames.
 * in    path: its directory, borrowed until close; fd: the file, owned by the store from now on;
 *       is_direct: whether it does direct I/O; end: end of the last frame; anything after it is cut
 *       off
 * fails GS_E_IO, GS_E_MEMORY; `fd` is closed then, too */
enum gs_status gsi_spill_store_open_kept(struct gsi_spill_store *store, const char *const *path,
                                         int fd, bool is_direct, uint64_t end,
                                         struct gsi_ledger *ledger, struct gs_error *error);

void gsi_spill_store_close(struct gsi_spill_store *store); /* also accepts zeroed and half-open
                                                            * stores */

/* gsi_spill_is_direct: returns whether everything written to disk so far used direct I/O. */
bool gsi_spill_is_direct(const struct gsi_spill_store *store);

/* gsi_spill_store_set_limit: limits the store to `bytes` of a file system. */
void gsi_spill_store_set_limit(struct gsi_spill_store *store, uint64_t file_system, uint64_t bytes);

static inline const struct gsi_spill_directory *
gsi_spill_directory_of(const struct gsi_spill_store *store, const struct gsi_frame_ref *ref)
{
    return &store->directories[store->files[ref->file_idx].directory_idx];
}

/* gsi_spill_where: returns the frame's directory, for messages. */
static inline const char *gsi_spill_where(const struct gsi_spill_store *store,
                                          const struct gsi_frame_ref *ref)
{
    return gsi_spill_directory_of(store, ref)->path;
}

/* gsi_spill_allocate: finds a place for frame `frame_idx` of a run of `frame_count` and enters it
 * in `ref`, which contains the size of the frame.
 * fails GS_E_SPACE, naming the directories, when all are full */
enum gs_status gsi_spill_allocate(struct gsi_spill_store *store, uint64_t frame_idx,
                                  uint64_t frame_count, struct gsi_frame_ref *ref,
                                  struct gs_error *error);

/* gsi_spill_restore: registers a frame that is already in a kept file. */
void gsi_spill_restore(struct gsi_spill_store *store, const struct gsi_frame_ref *ref);

/* gsi_spill_written: records that a placed frame has been written.
 * gsi_spill_refused: records that the frame could not be written for lack of room; it must be
 * placed again. */
void gsi_spill_written(struct gsi_spill_store *store, const struct gsi_frame_ref *ref);
void gsi_spill_refused(struct gsi_spill_store *store, const struct gsi_frame_ref *ref);

/* gsi_spill_done: records that a frame is no longer needed. Returns whether it was the last one in
 * its file.
 * gsi_spill_punch: releases the frame's disk, if the system can; any thread.
 * gsi_spill_released: records that the frame's disk was released. */
bool gsi_spill_done(struct gsi_spill_store *store, const struct gsi_frame_ref *ref);
void gsi_spill_punch(const struct gsi_spill_store *store, uint32_t file_idx, uint64_t off,
                     uint64_t bytes);
void gsi_spill_released(struct gsi_spill_store *store, const struct gsi_frame_ref *ref);

/* gsi_spill_trim: releases disk allocated in advance; nothing may be in flight. */
void gsi_spill_trim(struct gsi_spill_store *store);

/* gsi_spilled_run_alloc: makes room for `frames` references.
 * gsi_spilled_run_grow: makes room for twice as many.
 * gsi_spilled_run_append: appends one; there must be room.
 * gsi_spilled_run_clear: frees them all. */
enum gs_status gsi_spilled_run_alloc(struct gsi_ledger *ledger, struct gsi_spilled_run *run,
                                     uint64_t frames, struct gs_error *error);
enum gs_status gsi_spilled_run_grow(struct gsi_ledger *ledger, struct gsi_spilled_run *run,
                                    struct gs_error *error);
void gsi_spilled_run_append(struct gsi_spilled_run *run, const struct gsi_frame_ref *ref);
void gsi_spilled_run_clear(struct gsi_ledger *ledger, struct gsi_spilled_run *run);

/* gsi_spill_uncache: starts writing written data to disk, and drops read data from the page cache,
 * which counts against a container's memory. Call it after the transfer of a frame. Does nothing
 * after direct transfers. */
void gsi_spill_uncache(const struct gsi_io *io);

#endif
