/* plan.h: every decision of a job, made before the first byte is read. A pure function: same
 * request, same plan; tests/golden pins some.
 *
 *   arena = [ chunk buffer ][ chunk buffer ] .. [ window ][ window ] ..
 *     reading   chunks are read into, sorted in and, unless resident, spilled out of chunk buffers;
 *               spilled frames are made in the window memory
 *     merging   chunk buffers that hold no resident run are carved into feed buffers, each of one
 *               frame
 *
 * On a device with memory of its own (plan_device.c) runs lie there, and chunk buffers are what is
 * on its way to it.
 *
 * Inputs that are sorted already are merged as they are (plan_merge.c): no chunks, no runs but
 * those that are merged first because there are too many inputs.
 *
 * Records take the place of a tag each beside their bytes, and a chunk or frame holds a power of
 * two of them (plan_room.h).
 *
 * What only reads has little buffers: as many as are read into and worked on at once; --top in one
 * pass (plan_top.c) has candidates beside them.
 *
 * Resident: everything fits; chunks are small enough that the last one is sorted soon after it is
 * read. Spilled: runs of one chunk while their number stays below the fan-in, else several chunks
 * merged into a run, as few as will do, because that costs time on the processors. Hybrid: only as
 * many runs are spilled as must be. If even the longest runs are more than the fan-in, some are
 * merged first, no more than needed (merge_tree.h). */
#ifndef GSI_PLAN_H
#define GSI_PLAN_H

#include "base/memory.h"
#include "base/report.h"
#include "plan/merge_tree.h"

/* What the process takes beside the arena, threads and formats: code, libraries, stacks, rings; the
 * measured resident size of a run on a small file (the manual, "Memory"). GSI_PLAN_LEAST_BYTES
 * adds the least memory in which anything can be done. */
#define GSI_PLAN_PROCESS_BYTES ((uint64_t)6 << 20)
#define GSI_PLAN_LEAST_BYTES   (GSI_PLAN_PROCESS_BYTES + ((uint64_t)2 << 20))

/* Tables: bytes that a run, or an input that is one, takes in the list of runs and in the feed; and a
 * frame in the index of its run and in the order of reading. Where these tables are it is asserted. */
#define GSI_PLAN_RUN_TABLE_BYTES   512
#define GSI_PLAN_FRAME_TABLE_BYTES 64

/* Transfers of the inputs in flight at most (input/source.h). */
#define GSI_PLAN_READS 16u

struct gsi_plan_request {
    uint64_t input_bytes; /* UINT64_MAX: a stream */
    uint64_t memory_bytes;
    uint32_t record_bytes;  /* 0: numbers */
    uint32_t element_bytes; /* of numbers, too */
    uint32_t thread_count;
    uint64_t thread_bytes; /* what a device takes for each thread */
    uint64_t format_bytes; /* what packing, unpacking and such stages take, and inputs */
    uint64_t
        added_bytes; /* that the output may have more than the input; modulo 2^64, so less, too */
    uint64_t
        read_bytes;  /* of the inputs, where these are not what is sorted of them; 0: they are */
    uint32_t fan_in; /* 0: as many runs as leave each a fair share of memory */
    uint64_t chunk_bytes, window_bytes; /* 0: chosen */
    uint64_t device_bytes;        /* a device's own memory that may be taken; 0: it has none */
    uint32_t device_count;        /* devices that work as one, with as much each; 0: one */
    bool device_is_apart;         /* of several: none reads another one's memory */
    uint64_t device_fixed_bytes;  /* taken there whatever the plan */
    uint64_t device_scratch_part; /* sorting n bytes there takes n / scratch_part more */
    bool spill_all;
    bool may_pass;   /* what is nearly in order may be written as it is read */
    bool keeps_runs; /* no disk is given back before the end, but that of runs merged into others */
    bool has_top;    /* the output is the first top_count elements, top_bytes at most */
    uint64_t top_count, top_bytes;
    bool is_unique;              /* the first of equal keys only are written */
    bool is_counted;             /* numbers are counted and made anew */
    bool is_reduction;           /* nothing is sorted or written */
    bool is_merge;               /* inputs are sorted already; of each that is not empty */
    const uint64_t *merge_bytes; /* its bytes, UINT64_MAX: a stream; borrowed */
    uint64_t merge_count;
    struct gsi_ledger *ledger; /* what planning itself takes for a moment; NULL: not entered */
};

/* The largest input that is sorted or merged, 1 EiB, so that no sum or product in a plan leaves 64
 * bits. Any other size above it counts as this much, or is refused. */
#define GSI_PLAN_MOST_BYTES ((uint64_t)1 << 60)

/* gsi_plan_make: any numbers may stand in the request.
 * fails GS_E_USAGE: memory, chunk or window too small to work, or too large;
 *       GS_E_INPUT: more than GSI_PLAN_MOST_BYTES of input */
enum gs_status gsi_plan_make(const struct gsi_plan_request *request, struct gsi_plan *plan,
                             struct gs_error *error);

/* gsi_plan_late_bytes: how much disk frames that were merged already may still take, where
 * `spilled_bytes` were spilled. More than two files hold (GSI_SPILL_PARTS_MAX), because runs do not
 * come to the end of a file at the same time. */
static inline uint64_t gsi_plan_late_bytes(uint64_t spilled_bytes)
{
    return spilled_bytes / 13;
}

/* gsi_plan_pass_bytes: bytes of keys that a pass of intermediate merges moves, as planned. */
uint64_t gsi_plan_pass_bytes(const struct gsi_plan *plan, const struct gsi_merge_pass *pass);

/* gsi_plan_frames_beside: how many frames a merge may need beside two of each run: a window of
 * them, and two so that reads are in flight. */
uint64_t gsi_plan_frames_beside(const struct gsi_plan *plan);

/* Buffers that every run, or file, that feeds a merge may have, whatever the others hold. */
#define GSI_PLAN_OWN_FRAMES 2u

/* gsi_plan_fed_frames: how many frames, or pieces as large, a merge needs to be fed by `runs`. */
static inline uint64_t gsi_plan_fed_frames(const struct gsi_plan *plan, uint64_t runs)
{
    return runs > 0 ? GSI_PLAN_OWN_FRAMES * runs + gsi_plan_frames_beside(plan) : 0;
}

/* gsi_plan_low_chunks: of how many free ones, out of `chunks`, fewer are too few while more is read.
 * gsi_plan_piece_chunks: how many are cut into pieces of `files` runs that are read as sorted files: what
 * one pass has written, and stretches of inputs.
 * gsi_plan_most_files: how many such runs there may be, both kinds together, so that what is left of the
 * chunks feeds the spilled runs that are merged with them; 0: none. */
uint64_t gsi_plan_low_chunks(const struct gsi_plan *plan, uint64_t chunks);
uint64_t gsi_plan_piece_chunks(const struct gsi_plan *plan, uint64_t files);
uint64_t gsi_plan_most_files(const struct gsi_plan *plan);

/* gsi_plan_most_pieces: how many buffers these are cut into, at most. */
static inline uint64_t gsi_plan_most_pieces(const struct gsi_plan *plan)
{
    uint64_t files = gsi_plan_most_files(plan);
    return files > 0 ? gsi_plan_piece_chunks(plan, files) * (plan->chunk_bytes / plan->frame_bytes)
                     : 0;
}

/* gsi_plan_window_region: bytes of all windows.
 * gsi_plan_most_windows: how many there are at most; runs are spilled through windows of one frame. */
static inline uint64_t gsi_plan_window_region(const struct gsi_plan *plan)
{
    return plan->window_count * plan->window_bytes;
}
static inline uint64_t gsi_plan_most_windows(const struct gsi_plan *plan)
{
    uint64_t frames = plan->frame_bytes > 0 ? gsi_plan_window_region(plan) / plan->frame_bytes : 0;
    return frames > plan->window_count ? frames : plan->window_count;
}

/* gsi_plan_most_stretches: of these, stretches of inputs: one place is kept for what a pass writes. */
static inline uint64_t gsi_plan_most_stretches(const struct gsi_plan *plan)
{
    return gsi_plan_most_files(plan) - (plan->late_bytes > 0);
}

/* gsi_plan_feed_is_enough: whether `chunks` chunk buffers, carved into frames, can feed a merge of
 * `spilled` runs. */
bool gsi_plan_feed_is_enough(const struct gsi_plan *plan, uint64_t chunks, uint64_t spilled);

#endif
