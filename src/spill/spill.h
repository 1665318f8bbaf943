/* spill.h: writes the spilled runs of a job to disk, and releases their disk after a merge has read
 * it. */
#ifndef GSI_SPILL_H
#define GSI_SPILL_H

#include "loop/loop.h"
#include "run/codec_choice.h"
#include "run/store.h"

/* The numbers and sizes of runs in the report of a job. */
struct gsi_runs_report {
    uint64_t count;         /* before merges */
    uint64_t spilled_count; /* how many of count are on disk */
    uint64_t spilled_bytes;
    char codec[16];        /* the codec of spilled frames: "none", "zstd:1" */
    uint64_t coded_count;  /* how many of spilled_count are compressed by the codec */
    uint64_t coded_bytes;  /* bytes of the frames that contain spilled_bytes */
    uint64_t temp_bytes;   /* maximum of temporary disk space */
    uint32_t merge_passes; /* intermediate passes over spilled data */
    bool is_direct;        /* reads and writes of frames bypass the page cache */
};

struct gsi_spill {
    struct gsi_spill_store store;
    bool has_store;                 /* the store is open */
    struct gsi_codec codec;         /* zeroed: frames are not compressed */
    struct gsi_codec_choice choice; /* decides which runs are compressed */
    /* Every run is spilled, and frames stay on disk after they were read, because a job that
     * resumes this one may read them again. */
    bool keeps_frames;
    /* Numbers of runs that were written, including runs written by merges. */
    uint64_t run_count, coded_run_count;
    uint64_t key_bytes, frame_bytes; /* of the elements of these runs, and of their frames */
};

/* gsi_spill_count_run: adds a run to the counts in `spill`, after it was written. */
void gsi_spill_count_run(struct gsi_spill *spill, const struct gsi_spilled_run *run,
                         uint32_t key_bytes);

/* gsi_spill_io_done: calls gsi_loop_temp_io_done for the transfer of a frame, with the path of its
 * directory for messages. */
static inline bool gsi_spill_io_done(struct gsi_loop *loop, const struct gsi_spill *spill,
                                     const struct gsi_io *io, const struct gsi_frame_ref *ref)
{
    return gsi_loop_temp_io_done(loop, io, gsi_spill_directory_path(&spill->store, ref));
}

/* ---- writer.c: makes frames of one spilled run from the windows of a merge ----
 *
 *     accept(window) -> seal on a thread: header, checksums, compression -> allocate, in order ->
 *     write -> free */

struct gsi_spill_writer {
    struct gsi_loop *loop;
    struct gsi_spill *spill;
    struct gsi_buffers *windows;
    struct gsi_spilled_run *run;
    struct gsi_buffer_list sealing; /* windows that threads seal, in key order */
    uint32_t pending;               /* number of windows that are being sealed or written */
};

/* gsi_spill_writer_init: prepares to append frames to `run`, which will have `key_count` elements
 * (UINT64_MAX: unknown). The writer returns windows to `windows` after writing them. Each window
 * has GSI_FRAME_HEADER_BYTES of memory before its data. */
enum gs_status gsi_spill_writer_init(struct gsi_spill_writer *writer, struct gsi_loop *loop,
                                     struct gsi_spill *spill, struct gsi_buffers *windows,
                                     struct gsi_spilled_run *run, uint64_t key_count);

/* gsi_spill_writer_accept: makes a frame of the next window of the run. This function is the
 * `accept` of a link (loop/loop.h). Returns false, because the writer keeps the window. */
bool gsi_spill_writer_accept(void *context, struct gsi_buffer *window);

/* ---- disk_release.c: releases the disk of frames after a merge has read them ----
 *
 * The merge adds each frame after reading it, and the frame is gathered. If all needed frames of a
 * file are gathered, a thread releases the file's disk in one call. If gathered frames use too much
 * disk before that, a thread releases all of them, and adjacent ones in one call (store.h explains
 * why). Meanwhile other frames are gathered. If gathered and unreleased frames together reach
 * limit_bytes, the merge must wait. */

struct gsi_disk_release {
    struct gsi_task task;
    struct gsi_loop *loop;
    struct gsi_spill_store *store;
    const struct gsi_frame_ref **frames; /* table of borrowed frames */
    uint64_t frame_count;
    /* A thread releases frames [begin, releasing_end) of the table; frames [releasing_end, end) are
     * gathered. */
    uint64_t begin, releasing_end, end;
    uint64_t gathered_bytes, releasing_bytes, limit_bytes;
    bool has_finished_file; /* all needed frames of some file are gathered */
    bool is_flushing;       /* the merge has added its last frame */
};

/* gsi_disk_release_open: prepares to release at most `frame_count` frames.
 * in    spilled_bytes: bytes of all frames on disk; limit_bytes is a part of them
 * fails GS_E_MEMORY */
enum gs_status gsi_disk_release_open(struct gsi_disk_release *release, struct gsi_loop *loop,
                                     struct gsi_spill_store *store, uint64_t spilled_bytes,
                                     uint64_t frame_count);
void gsi_disk_release_close(struct gsi_disk_release *release); /* also accepts zeroed ones */

/* gsi_disk_release_is_full: returns whether the merge must wait before it adds a frame.
 * gsi_disk_release_is_idle: returns whether the disk of all added frames is released. */
bool gsi_disk_release_is_full(const struct gsi_disk_release *release);
bool gsi_disk_release_is_idle(const struct gsi_disk_release *release);

/* gsi_disk_release_add: adds a frame that the merge has read. The frame is borrowed until close;
 * `is_last`: the merge adds no other frame. */
void gsi_disk_release_add(struct gsi_disk_release *release, const struct gsi_frame_ref *frame,
                          bool is_last);

/* gsi_disk_release_flush: releases all gathered frames, because the merge adds no more frames. */
void gsi_disk_release_flush(struct gsi_disk_release *release);

#endif
