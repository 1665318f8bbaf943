/* store.h: where spilled runs lie: a few unnamed files in each temporary directory, shared by
 * all runs, so that ten thousand runs need no more descriptors than one.
 *
 *     directory 0   file 0: the first frames of every run   ..   file 31: the last ones
 *     directory 1   the same; a run's frames are in both
 *
 * A merge needs the first frames of all runs before it needs the last ones (unless the input was
 * nearly in order). So one file after the other is done with, and its disk is given back in one
 * piece, while nothing reads there. That matters because a file system stops all transfers of a
 * file while it punches a hole (ext4, xfs), and may hand the hole to the disk at once: 0.2 ms for
 * 432 KiB, and under load above 1 ms (ext4 without journal, -o discard, virtual disk, 2026-11-21).
 *
 * The next frame goes to the directory with the fewest bytes on their way to it, so a fast disk
 * gets more frames than a slow one; one without room is passed over. Owner's thread. */
#ifndef GSI_RUN_STORE_H
#define GSI_RUN_STORE_H

#include "base/memory.h"
#include "io/engine.h"
#include "run/frame.h"

struct gsi_spill_directory {
    const char *path; /* borrowed */
    bool is_direct;
    bool is_full;         /* refused the last frame; until something is given back */
    uint64_t queued;      /* bytes on their way there */
    uint64_t file_system; /* equal for directories that share one */
    uint32_t room_idx;    /* the first directory in the same file system */
    uint64_t room;        /* that one's: bytes that may still be taken there */
};

struct gsi_spill_file {
    int fd;
    uint32_t directory_idx;
    uint64_t end;        /* where the next frame goes */
    uint64_t allocated;  /* bytes of disk taken beforehand */
    uint64_t live_bytes; /* of frames that are still needed */
};

struct gsi_spill_store {
    struct gsi_ledger *ledger;
    struct gsi_spill_directory *directories;
    struct gsi_spill_file *files; /* parts of directory 0, of directory 1, .. */
    uint32_t directory_count, part_count, next_directory;
    uint64_t taken_bytes, peak_bytes; /* disk, all files together */
    int refusal;                      /* why the last frame had no room; 0: it had room */
};

/* A spilled run: its frames in key order. */
struct gsi_spilled_run {
    struct gsi_frame_ref *frames;
    uint64_t frame_count, frame_capacity;
    uint64_t key_count, bytes; /* bytes on disk */
    uint32_t merged_count;     /* keys of the first frame that were merged before (resume.h) */
};

/* Files a directory, where there is enough to spill and there are descriptors for as many. */
#define GSI_SPILL_PARTS_MAX 32u

/* Frames that disk is taken ahead for, at most, in all directories. */
#define GSI_SPILL_FRAMES_AHEAD 8u

/* gsi_spill_store_open: opens a store whose only limits are the disks.
 * in    directories: borrowed until close
 *       bytes: that will be spilled, about
 * fails GS_E_IO: a directory where no file can be made; GS_E_MEMORY */
enum gs_status gsi_spill_store_open(struct gsi_spill_store *store, const char *const *directories,
                                    size_t count, uint64_t bytes, struct gsi_ledger *ledger,
                                    struct gs_error *error);
/* gsi_spill_store_open_kept: opens a store of one file, which has a name and holds frames already.
 * in    path: its directory, borrowed until close; fd: the file, taken over; is_direct: whether it
 *       does direct I/O; end: behind the last frame; what follows is cut off
 * fails GS_E_IO, GS_E_MEMORY; `fd` is closed then, too */
enum gs_status gsi_spill_store_open_kept(struct gsi_spill_store *store, const char *const *path,
                                         int fd, bool is_direct, uint64_t end,
                                         struct gsi_ledger *ledger, struct gs_error *error);

void gsi_spill_store_close(struct gsi_spill_store *store); /* also zeroed and half-open ones */

/* gsi_spill_is_direct: whether all that was written to disk went there directly. */
bool gsi_spill_is_direct(const struct gsi_spill_store *store);

/* gsi_spill_store_limit: take at most `bytes` of a file system. */
void gsi_spill_store_limit(struct gsi_spill_store *store, uint64_t file_system, uint64_t bytes);

static inline const struct gsi_spill_directory *
gsi_spill_directory_of(const struct gsi_spill_store *store, const struct gsi_frame_ref *ref)
{
    return &store->directories[store->files[ref->file_idx].directory_idx];
}

/* gsi_spill_where: for messages: the frame's directory. */
static inline const char *gsi_spill_where(const struct gsi_spill_store *store,
                                          const struct gsi_frame_ref *ref)
{
    return gsi_spill_directory_of(store, ref)->path;
}

/* gsi_spill_place: finds a place for frame `frame_idx` of a run of `frame_count` and enters it in
 * `ref`, which says how large the frame is.
 * fails GS_E_SPACE, naming the directories, when all are full */
enum gs_status gsi_spill_place(struct gsi_spill_store *store, uint64_t frame_idx,
                               uint64_t frame_count, struct gsi_frame_ref *ref,
                               struct gs_error *error);

/* gsi_spill_restore: enters a frame that lies in a kept file already. */
void gsi_spill_restore(struct gsi_spill_store *store, const struct gsi_frame_ref *ref);

/* gsi_spill_written: a placed frame has been written.
 * gsi_spill_refused: it could not be written, for want of room; it has to be placed again. */
void gsi_spill_written(struct gsi_spill_store *store, const struct gsi_frame_ref *ref);
void gsi_spill_refused(struct gsi_spill_store *store, const struct gsi_frame_ref *ref);

/* gsi_spill_done: a frame is not needed any more. Returns whether it was the last in its file.
 * gsi_spill_punch: gives its disk back, where the system can; any thread.
 * gsi_spill_released: enters in the books that the frame's disk was given back. */
bool gsi_spill_done(struct gsi_spill_store *store, const struct gsi_frame_ref *ref);
void gsi_spill_punch(const struct gsi_spill_store *store, uint32_t file_idx, uint64_t off,
                     uint64_t bytes);
void gsi_spill_released(struct gsi_spill_store *store, const struct gsi_frame_ref *ref);

/* gsi_spill_trim: give back what was taken ahead of frames; nothing is being written. */
void gsi_spill_trim(struct gsi_spill_store *store);

/* gsi_spilled_run_reserve: makes room for `frames` references.
 * gsi_spilled_run_grow: makes room for twice as many.
 * gsi_spilled_run_append: adds one; there is room.
 * gsi_spilled_run_clear: forgets them all. */
enum gs_status gsi_spilled_run_reserve(struct gsi_ledger *ledger, struct gsi_spilled_run *run,
                                       uint64_t frames, struct gs_error *error);
enum gs_status gsi_spilled_run_grow(struct gsi_ledger *ledger, struct gsi_spilled_run *run,
                                    struct gs_error *error);
void gsi_spilled_run_append(struct gsi_spilled_run *run, const struct gsi_frame_ref *ref);
void gsi_spilled_run_clear(struct gsi_ledger *ledger, struct gsi_spilled_run *run);

/* gsi_spill_uncache: after the transfer of a frame: what was written goes to disk now, what was
 * read leaves the page cache, which counts against a container's memory. Does nothing after direct
 * transfers. */
void gsi_spill_uncache(const struct gsi_io *io);

#endif
