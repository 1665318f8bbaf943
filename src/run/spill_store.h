/* spill_store.h: where spilled runs lie: one unnamed temporary file in each temporary directory,
 * shared by all runs, so that ten thousand runs need no more descriptors than one. Frames are
 * appended to the files in turn. */
#ifndef GSI_SPILL_STORE_H
#define GSI_SPILL_STORE_H

#include "base/memory.h"
#include "io/engine.h"
#include "run/frame.h"

struct gsi_spill_file {
    const char *directory; /* borrowed */
    int fd;
    bool is_direct;
    uint64_t end;       /* where the next frame goes */
    uint64_t allocated; /* bytes of disk taken beforehand */
};

struct gsi_spill_store {
    struct gsi_ledger *ledger;
    struct gsi_spill_file *files;
    uint32_t file_count, next_file;
};

/* A spilled run: its frames in key order. */
struct gsi_spilled_run {
    struct gsi_frame_ref *frames;
    uint64_t frame_count, frame_capacity;
    uint64_t key_count, bytes; /* bytes on disk */
};

/* gsi_spill_store_open: `directories` are borrowed until close.
 * fails GS_E_IO: a directory where no file can be made */
enum gs_status gsi_spill_store_open(struct gsi_spill_store *store, const char *const *directories,
                                    size_t count, struct gsi_ledger *ledger,
                                    struct gs_error *error);
void gsi_spill_store_close(struct gsi_spill_store *store); /* also zeroed and half-open ones */

/* gsi_spill_place: a place for `bytes` (a multiple of GSI_FRAME_ALIGN) in the next file. */
void gsi_spill_place(struct gsi_spill_store *store, uint32_t bytes, uint32_t *file_idx,
                     uint64_t *off);

/* gsi_spilled_run_reserve: room for `frames` references; gsi_spilled_run_append: add one, at most
 * as many as were reserved; gsi_spilled_run_clear: forget them all. */
enum gs_status gsi_spilled_run_reserve(struct gsi_ledger *ledger, struct gsi_spilled_run *run,
                                       uint64_t frames, struct gs_error *error);
void gsi_spilled_run_append(struct gsi_spilled_run *run, const struct gsi_frame_ref *ref);
void gsi_spilled_run_clear(struct gsi_ledger *ledger, struct gsi_spilled_run *run);

/* gsi_spill_uncache: the transfer of a frame is done: what was written goes to disk now, what was
 * read leaves the page cache, which counts against a container's memory. Nothing to do for direct
 * transfers. */
void gsi_spill_uncache(const struct gsi_io *io);

/* gsi_spill_release: the run was merged: give its disk space back, where the system can. */
void gsi_spill_release(struct gsi_spill_store *store, const struct gsi_spilled_run *run);

#endif
