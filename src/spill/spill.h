/* spill.h: describes the runs that a job has on disk: the store of their frames, the codec, and
 * counts of written data. */
#ifndef GSI_SPILL_H
#define GSI_SPILL_H

#include "loop/loop.h"
#include "run/codec_choice.h"
#include "run/store.h"

/* Runs, as it happened. */
struct gsi_runs_report {
    uint64_t count;         /* before merges */
    uint64_t spilled_count; /* of these, on disk */
    uint64_t spilled_bytes;
    char codec[16];        /* spilled runs may be coded with it: "none", "zstd:1" */
    uint64_t coded_count;  /* of spilled_count, those that were coded */
    uint64_t coded_bytes;  /* bytes of frames that hold spilled_bytes */
    uint64_t temp_bytes;   /* the most temporary disk space at one time */
    uint32_t merge_passes; /* intermediate passes over spilled data */
    bool is_direct;        /* they bypass the page cache */
};

struct gsi_spill {
    struct gsi_spill_store store;
    bool has_store;                 /* the store is open */
    struct gsi_codec codec;         /* zeroed: frames are raw */
    struct gsi_codec_choice choice; /* which runs are coded */
    /* Every run is spilled, and frames stay after they are read: a job that was killed needs them
     * again. */
    bool keeps_frames;
    /* Counts of runs that were written, including those written by merges. */
    uint64_t run_count, coded_run_count;
    uint64_t key_bytes, frame_bytes; /* of their keys, and of the frames that contain them */
};

/* gsi_spill_note: counts a run that was written. */
void gsi_spill_note(struct gsi_spill *spill, const struct gsi_spilled_run *run, uint32_t key_bytes);

/* gsi_spill_io_done: calls gsi_loop_io_done for the transfer of a frame, with its directory for
 * messages. */
static inline bool gsi_spill_io_done(struct gsi_loop *loop, const struct gsi_spill *spill,
                                     const struct gsi_io *io, const struct gsi_frame_ref *ref)
{
    return gsi_loop_temp_io_done(loop, io, gsi_spill_where(&spill->store, ref));
}

/* ---- writer.c: makes frames of one spilled run from the windows of a merge ----
 *
 *     take(window) -> seal, and maybe code, on a thread -> place, in order -> write -> free */

struct gsi_spill_writer {
    struct gsi_loop *loop;
    struct gsi_spill *spill;
    struct gsi_buffers *windows;
    struct gsi_spilled_run *run;
    struct gsi_buffer_list sealing; /* in order */
    uint32_t pending;               /* being sealed or written */
};

/* gsi_spill_writer_init: prepares to append frames to `run`, which will have `key_count` keys
 * (UINT64_MAX: unknown). Written windows are returned to `windows`. They have
 * GSI_FRAME_HEADER_BYTES before their data. */
enum gs_status gsi_spill_writer_init(struct gsi_spill_writer *writer, struct gsi_loop *loop,
                                     struct gsi_spill *spill, struct gsi_buffers *windows,
                                     struct gsi_spilled_run *run, uint64_t key_count);

/* gsi_spill_writer_accept: accepts the next window of the run and keeps it. This is the `take`
 * function of a link (loop/loop.h). */
bool gsi_spill_writer_accept(void *context, struct gsi_buffer *window);

/* ---- disk_release.c: releases the disk of frames after a merge has read them ----
 *
 * Frames are gathered until their file holds nothing else that is needed; then the file is released
 * in one call. If runs are not merged evenly, too many frames may be gathered before that; then all
 * are released, neighbours in one call (store.h explains why). A thread releases frames while
 * others are gathered. When both have reached their limit, the merge gets no more frames for a
 * while. */

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
