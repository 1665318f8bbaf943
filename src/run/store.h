/* store.h: stores spilled runs in a few unnamed files in each temporary directory. All runs share
 * these files, so ten thousand runs need no more descriptors than one run.
 *
 *     directory 0   file 0: the first frames of all runs  ..  file 31: the last frames of all runs
 *     directory 1   file 0 .. file 31: other frames of the same runs
 *
 * Unless the input was nearly in order, a merge reads the first frames of all runs before it reads
 * the last ones. So it finishes one file after another. The disk of a finished file is released in
 * one call, while nothing is read there. One call is better than many, because ext4 and xfs stop
 * all transfers of a file while they punch a hole in the file. With -o discard, ext4 also passes
 * the hole to the disk, which takes up to 1 ms.
 *
 * Each frame is written to the directory that has the fewest bytes to write. So a fast disk gets
 * more frames than a slow one. Directories on full disks get no frames. Only the thread of the loop
 * calls these functions, except gsi_spill_punch_hole. */
#ifndef GSI_RUN_STORE_H
#define GSI_RUN_STORE_H

#include "base/memory.h"
#include "io/engine.h"
#include "run/frame.h"

struct gsi_spill_directory {
    const char *path; /* borrowed */
    bool is_direct;
    bool is_full;          /* the last frame did not fit; false again after space is released */
    uint64_t queued_bytes; /* of writes in flight */
    uint64_t file_system;  /* equal for directories that share a file system */
    uint32_t limit_idx;    /* index of the first directory in the same file system */
    uint64_t usable_bytes; /* of the file system; set only in directory limit_idx */
};

struct gsi_spill_file {
    int fd;
    uint32_t directory_idx;
    uint64_t end;        /* offset of the next frame */
    uint64_t allocated;  /* bytes of disk allocated in advance */
    uint64_t live_bytes; /* of frames that a merge has yet to read */
};

struct gsi_spill_store {
    struct gsi_ledger *ledger;
    struct gsi_spill_directory *directories;
    struct gsi_spill_file *files; /* all files of directory 0, then of directory 1, .. */
    uint32_t directory_count, files_per_directory, next_directory;
    uint64_t taken_bytes, peak_bytes; /* disk of all files: now, and the maximum so far */
    int refusal;                      /* errno if the last allocation failed; 0: it did not fail */
};

/* A spilled run: its frames in key order. */
struct gsi_spilled_run {
    struct gsi_frame_ref *frames;
    uint64_t frame_count, frame_capacity;
    uint64_t key_count, bytes; /* bytes on disk */
};

/* Maximum number of files per directory. */
#define GSI_SPILL_FILES_MAX 32u

/* Disk is allocated in advance for at most this many frames, in all directories together. */
#define GSI_SPILL_FRAMES_AHEAD 8u

/* gsi_spill_store_open: creates the files of a store. Only free disk limits the store.
 * in    directories: borrowed until close
 *       bytes: approximate size of the data to be spilled
 * fails GS_E_IO: no file can be created in a directory; GS_E_MEMORY */
enum gs_status gsi_spill_store_open(struct gsi_spill_store *store, const char *const *directories,
                                    size_t count, uint64_t bytes, struct gsi_ledger *ledger,
                                    struct gs_error *error);
/* gsi_spill_store_open_file: opens a store with one file that has a name and may contain frames.
 * in    path: its directory, borrowed until close; fd: the file, owned by the store from now on;
 *       is_direct: whether it does direct I/O; end: offset where the last frame ends; the file is
 *       truncated there
 * fails GS_E_IO, GS_E_MEMORY; then `fd` is closed */
enum gs_status gsi_spill_store_open_file(struct gsi_spill_store *store, const char *const *path,
                                         int fd, bool is_direct, uint64_t end,
                                         struct gsi_ledger *ledger, struct gs_error *error);

void gsi_spill_store_close(struct gsi_spill_store *store); /* also accepts zeroed and half-open
                                                            * stores */

/* gsi_spill_is_direct: returns whether all writes to the store so far used direct I/O. */
bool gsi_spill_is_direct(const struct gsi_spill_store *store);

/* gsi_spill_store_set_limit: limits the frames in directories of `file_system` to `bytes`. */
void gsi_spill_store_set_limit(struct gsi_spill_store *store, uint64_t file_system, uint64_t bytes);

static inline const struct gsi_spill_directory *
gsi_spill_directory_of(const struct gsi_spill_store *store, const struct gsi_frame_ref *ref)
{
    return &store->directories[store->files[ref->file_idx].directory_idx];
}

/* gsi_spill_directory_path: returns the path of the frame's directory, for messages. */
static inline const char *gsi_spill_directory_path(const struct gsi_spill_store *store,
                                                   const struct gsi_frame_ref *ref)
{
    return gsi_spill_directory_of(store, ref)->path;
}

/* gsi_spill_allocate_frame: chooses file and offset of frame `frame_idx` of a run with
 * `frame_count` frames, and stores them in `ref`. The caller has set ref->bytes, the size of the
 * frame.
 * fails GS_E_SPACE, with the names of all directories, if all are full */
enum gs_status gsi_spill_allocate_frame(struct gsi_spill_store *store, uint64_t frame_idx,
                                        uint64_t frame_count, struct gsi_frame_ref *ref,
                                        struct gs_error *error);

/* gsi_spill_restore_frame: registers a frame that is already in the file of
 * gsi_spill_store_open_file. */
void gsi_spill_restore_frame(struct gsi_spill_store *store, const struct gsi_frame_ref *ref);

/* gsi_spill_frame_written: records that an allocated frame has been written.
 * gsi_spill_frame_refused: records that writing the frame failed because the disk is full. The
 * caller then allocates the frame again, in another directory. */
void gsi_spill_frame_written(struct gsi_spill_store *store, const struct gsi_frame_ref *ref);
void gsi_spill_frame_refused(struct gsi_spill_store *store, const struct gsi_frame_ref *ref);

/* gsi_spill_frame_consumed: records that a merge has read the frame. Returns whether its file then
 * contains no frame that a merge has yet to read.
 * gsi_spill_punch_hole: releases disk of file `file_idx`, if the file system can; any thread.
 * gsi_spill_frame_released: records that the frame's disk was released. */
bool gsi_spill_frame_consumed(struct gsi_spill_store *store, const struct gsi_frame_ref *ref);
void gsi_spill_punch_hole(const struct gsi_spill_store *store, uint32_t file_idx, uint64_t off,
                          uint64_t bytes);
void gsi_spill_frame_released(struct gsi_spill_store *store, const struct gsi_frame_ref *ref);

/* gsi_spill_trim_files: releases disk that was allocated in advance and not used. No read or write
 * of the store may be in flight. */
void gsi_spill_trim_files(struct gsi_spill_store *store);

/* gsi_spilled_run_alloc: allocates memory for `frames` references to frames.
 * gsi_spilled_run_grow: doubles the memory for references.
 * gsi_spilled_run_append: appends a reference; frame_count must be below frame_capacity.
 * gsi_spilled_run_clear: frees all references. */
enum gs_status gsi_spilled_run_alloc(struct gsi_ledger *ledger, struct gsi_spilled_run *run,
                                     uint64_t frames, struct gs_error *error);
enum gs_status gsi_spilled_run_grow(struct gsi_ledger *ledger, struct gsi_spilled_run *run,
                                    struct gs_error *error);
void gsi_spilled_run_append(struct gsi_spilled_run *run, const struct gsi_frame_ref *ref);
void gsi_spilled_run_clear(struct gsi_ledger *ledger, struct gsi_spilled_run *run);

/* gsi_spill_drop_cache: removes a transferred frame from the page cache, which counts against a
 * container's memory. Pages that are not on disk yet stay, but the kernel starts to write them.
 * Does nothing after direct I/O. */
void gsi_spill_drop_cache(const struct gsi_io *io);

#endif
