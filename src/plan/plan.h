/* plan.h: makes all decisions of a job before the first byte is read.
 *
 * The plan is a pure function: the same request makes the same plan. So --explain prints what will
 * happen, and tests/golden pins plans without running anything.
 *
 *   arena = [ chunk buffer ][ chunk buffer ] .. [ window ][ window ] ..
 *     reading   chunks are read into chunk buffers, sorted there and, unless they are resident,
 *               spilled from there; spilled frames are made in the window memory
 *     merging   chunk buffers that hold no resident run are carved into feed buffers of one frame
 *
 * An example: 1 GiB of u64, -S 64M, 2 threads. --explain prints most of these numbers.
 *
 *     usable     64 MiB less the process and what threads take       51.8 MiB for the arena
 *     windows    threads + 8 writes in flight, a 64th of memory each 10 of 840 KiB
 *     chunks     no fewer than 8, as large as that allows            8 of 5.45 MiB
 *     fan-in     what chunks take / a run's share of it (1/64)       64 runs at once
 *     runs       1 GiB is 188 chunks, 3 of them a run                63 runs, so one merge will do
 *     frames     a third of a run's share, an even part of a chunk   232 KiB, 192 buffers
 *     enough?    2 frames a run, a window of 4, and 2 in flight      132 of 192: never stuck
 *     in order   2 of the 4 chunks that reading can do without   up to 10.9 MiB late
 *
 * 8 GiB in the same memory are some 400 runs of 4 chunks. A run takes half of the chunk buffers at
 * most, as the others are read into meanwhile. So some 340 of the runs are merged into 6 first
 * (merge_tree.h), and then 64 at once.
 *
 * The rule: as few passes over the disk as possible, then as little work as possible.
 *   resident   everything fits. Chunks are small, so that the last one is sorted soon after it was
 *              read, and not too many, because each costs every cut of the merge some time.
 *   hybrid     only as many runs are spilled as must be: a file slightly larger than memory takes
 *              slightly more time.
 *   spilled    runs have one chunk while that keeps them below the fan-in. Otherwise they have
 *              several chunks, as few as will do, because merging these costs processor time.
 *
 * Other jobs are planned in files of their own (plan_parts.h lists them): on a GPU, whose memory
 * holds runs; of inputs that are sorted already; with --top. Each record needs memory for a tag
 * besides its bytes, and a chunk or frame holds a power of two of them. A job that
 * only reads has as many buffers as are read into and worked on at once.
 *
 * Rejected:
 * - Merge full groups of runs until few enough are left. This moves more bytes than the tree of
 *   merge_tree.h, where every pass but the first merges everything.
 * - A smaller share for each run, and so a higher fan-in. Below about 1 MiB, reads cost a disk with
 *   seeks more time than another pass (SHARE_MAX_BYTES).
 * - Larger windows and frames. 1 to 4 MiB reach a disk's limit already.
 *
 * In doubt: the length of a stream is not known, so its tables are a guess. Its plan allows as many
 * spilled runs as can be merged at once. The time until the disk of merged frames is released is an
 * estimate (gsi_plan_late_bytes). Only GPUs have a model of time (plan_model.h). */
#ifndef GSI_PLAN_H
#define GSI_PLAN_H

#include "base/memory.h"
#include "element/record/record_tags.h"
#include "plan/merge_tree.h"
#include "run/frame.h"

/* The bytes that a phase moves. */
struct gsi_moves {
    uint64_t bytes_read, bytes_written;
};

struct gsi_plan {
    uint64_t input_bytes;  /* UINT64_MAX: a stream */
    uint64_t output_bytes; /* of elements, at most; UINT64_MAX: not known */
    uint64_t memory_bytes; /* ceiling; arena_bytes of it are taken for data */
    uint64_t arena_bytes;
    uint64_t chunk_bytes;    /* sorted in one piece by one thread */
    uint32_t chunks_per_run; /* merged with each other before they are spilled */
    uint64_t window_bytes;   /* output buffer of one merge step */
    uint64_t frame_bytes;    /* unit of a spilled run */
    uint32_t window_count;   /* output buffers in flight */
    uint32_t record_bytes;   /* of a record, which has a tag in these buffers; 0: numbers */
    uint32_t thread_count;
    bool is_merge;          /* runs are the inputs, sorted already; only passes spill runs */
    bool is_filtered;       /* with is_merge: elements of the inputs may be left out */
    bool is_in_place;       /* an array is sorted in place: no runs */
    bool is_counted;        /* values are counted, and the output is made of the counts: no runs */
    uint64_t stream_frames; /* with is_merge, for records: the most frames of a stream */
    uint64_t run_count;     /* runs after reading */
    uint64_t spilled_runs;  /* of these, on disk */
    uint64_t spilled_bytes; /* input bytes that go to disk once */
    uint32_t fan_in;        /* the most spilled runs merged at once */
    uint32_t merge_passes;  /* intermediate passes over spilled data */
    uint64_t read_bytes, write_bytes; /* predicted, all files together, frames raw */
    uint64_t temp_bytes;              /* temporary disk space at one time, at most */
    uint64_t space_bytes;             /* disk space of output and temporary files, at most */
    uint64_t disk_step_bytes;         /* disk is taken so far ahead of a spilled job's output */
    /* A device with memory of its own keeps up to device_runs runs of device_run_bytes there; 0:
     * runs stay in the arena. It also has a mirror of the chunk buffers for feeding. Up to
     * host_runs more runs are in host_bytes of host memory. All others are spilled. */
    uint32_t device_runs, host_runs;
    uint64_t device_bytes, device_run_bytes, device_mirror_bytes, host_bytes;
    enum gsi_merge_kernel merge_kernel; /* of the device, for two runs */
    /* Candidates for the first elements, if those are kept in one pass, and the memory that they
     * take. 0: everything is sorted. */
    uint64_t top_room;
    uint64_t top_bytes;
    /* Devices that work as one, and take device_bytes each: a run is dealt to all of them. */
    uint64_t device_count;
    /* Data that would be spilled are written as they are read, in one pass, if no element is later
     * than by this much. 0: that is not tried. */
    uint64_t late_bytes;
    /* read_bytes and write_bytes by phase; zeros: not known. */
    struct gsi_moves moves[GS_PHASE_COUNT];
};

/* The process needs this much besides the arena, threads and formats: for code, libraries, stacks
 * and rings. It is the measured resident size of a run on a small file (the manual, "Memory").
 * GSI_PLAN_LEAST_BYTES adds the least memory in which anything can be done. */
#define GSI_PLAN_PROCESS_BYTES ((uint64_t)6 << 20)
#define GSI_PLAN_LEAST_BYTES   (GSI_PLAN_PROCESS_BYTES + ((uint64_t)2 << 20))

/* Longest frames, without --window: 1 MiB reaches a disk's limit at depth 8 (gsort-bench disk). */
#define GSI_PLAN_FRAME_MAX_BYTES ((uint64_t)1 << 20)

/* Tables: bytes that a run, or an input that is one, takes in the list of runs and in the feed; and
 * a frame in the index of its run and in the order of reading. The owners of these tables assert
 * these sizes. */
#define GSI_PLAN_RUN_TABLE_BYTES   512
#define GSI_PLAN_FRAME_TABLE_BYTES 64

/* Transfers of the inputs in flight at most (input/source.h). */
#define GSI_PLAN_READS 16u

/* The resources of a plan, and the sizes that options fix. */
struct gsi_budget {
    uint64_t memory_bytes;
    uint32_t thread_count;
    uint32_t fan_in;                    /* most runs merged at once; 0: planned */
    uint64_t chunk_bytes, window_bytes; /* 0: planned */
};

/* Sizes that files were made with, so that a plan has to keep them. */
struct gsi_plan_fixed {
    uint64_t chunk_bytes, frame_bytes, window_bytes;
    uint32_t chunks_per_run, fan_in;
    uint64_t run_count, run_bytes; /* runs that there are, and their bytes of the input */
};

struct gsi_plan_request {
    uint64_t input_bytes; /* UINT64_MAX: a stream */
    uint64_t memory_bytes;
    uint32_t record_bytes;  /* 0: numbers */
    uint32_t element_bytes; /* of numbers, too */
    uint32_t thread_count;
    uint64_t thread_bytes; /* that a device takes for each thread */
    uint64_t format_bytes; /* for packing, unpacking and such stages, and for the inputs */
    uint64_t added_bytes;  /* output less input, at most; modulo 2^64, as it may be below 0 */
    uint64_t read_bytes;   /* bytes to read, if entries are sorted instead of them; 0: the same */
    uint32_t fan_in;       /* 0: as many runs as leave each a fair share of memory */
    uint64_t chunk_bytes, window_bytes; /* 0: chosen */
    bool has_fixed;                     /* a sort that spills everything has the sizes `fixed` */
    struct gsi_plan_fixed fixed;
    uint64_t device_bytes;        /* a device's own memory that may be taken; 0: it has none */
    uint32_t device_count;        /* devices that work as one, with as much each; 0: one */
    bool device_is_apart;         /* the devices cannot read each other's memory */
    uint64_t device_fixed_bytes;  /* taken there whatever the plan */
    uint64_t device_scratch_part; /* sorting n bytes there takes n / scratch_part more */
    uint32_t put_parts; /* it is given only one of so many parts of what it sorts; 0: all */
    enum gsi_merge_kernel merge_kernel; /* its kernel for two runs */
    bool spill_all;
    bool may_write_early; /* what is nearly in order may be written as it is read */
    bool keeps_runs; /* no disk is given back before the end, but that of runs merged into others */
    bool has_top;    /* the output is the first top_count elements, top_bytes at most */
    uint64_t top_count, top_bytes;
    bool is_unique;              /* the first of equal keys only are written */
    bool is_counted;             /* numbers are counted and made anew */
    bool is_permuted;            /* windows are filled from elements in memory, or by other sorts */
    bool is_reduction;           /* nothing is sorted or written */
    bool is_filtered;            /* a merge leaves elements of its inputs out */
    bool is_merge;               /* inputs are sorted already; those that are not empty have */
    const uint64_t *merge_bytes; /* so many bytes each, UINT64_MAX: a stream; borrowed */
    uint64_t merge_count;
    struct gsi_ledger *ledger; /* enters the memory for planning itself; NULL: it is not entered */
};

/* The largest input that is sorted or merged, 1 EiB, so that no sum or product in a plan leaves 64
 * bits. Any other size above it counts as this much, or is refused. */
#define GSI_PLAN_MOST_BYTES ((uint64_t)1 << 60)

/* gsi_plan_make: makes a plan. The request may contain any numbers.
 * fails GS_E_USAGE: memory, chunk or window too small to work, or too large;
 *       GS_E_INPUT: more than GSI_PLAN_MOST_BYTES of input */
enum gs_status gsi_plan_make(const struct gsi_plan_request *request, struct gsi_plan *plan,
                             struct gs_error *error);

/* gsi_plan_late_bytes: returns how much disk frames that are already merged may still take, if
 * `spilled_bytes` were spilled. Two files contain less (GSI_SPILL_PARTS_MAX), because runs do not
 * reach the end of a file at the same time. */
static inline uint64_t gsi_plan_late_bytes(uint64_t spilled_bytes)
{
    return spilled_bytes / 13;
}

/* gsi_plan_pass_bytes: returns the bytes of keys that a pass of intermediate merges moves, as
 * planned. */
uint64_t gsi_plan_pass_bytes(const struct gsi_plan *plan, const struct gsi_merge_pass *pass);

/* gsi_plan_frames_beside: returns how many frames a merge may need besides those of each run: one
 * window of them, and two for reads in flight. */
uint64_t gsi_plan_frames_beside(const struct gsi_plan *plan);

/* gsi_plan_own_frames: returns how many buffers each run of a merge has for itself: the rest of one
 * block, and one block above the bound. If elements are left out, a third one gathers the kept
 * elements.
 * gsi_plan_fed_frames: returns how many frames, or equally large blocks, a merge of `runs`
 * needs. */
static inline uint64_t gsi_plan_own_frames(const struct gsi_plan *plan)
{
    return plan->is_filtered ? 3 : 2;
}
static inline uint64_t gsi_plan_fed_frames(const struct gsi_plan *plan, uint64_t runs)
{
    return runs > 0 ? gsi_plan_own_frames(plan) * runs + gsi_plan_frames_beside(plan) : 0;
}

/* gsi_plan_low_chunks: returns how many of `chunks` buffers have to be free while the input is
 * read. */
uint64_t gsi_plan_low_chunks(const struct gsi_plan *plan, uint64_t chunks);

/* gsi_plan_window_region: returns the bytes of all windows.
 * gsi_plan_most_windows: returns the largest number of windows. Runs are spilled through windows of
 * one frame. */
static inline uint64_t gsi_plan_window_region(const struct gsi_plan *plan)
{
    return plan->window_count * plan->window_bytes;
}
static inline uint64_t gsi_plan_most_windows(const struct gsi_plan *plan)
{
    uint64_t frames = plan->frame_bytes > 0 ? gsi_plan_window_region(plan) / plan->frame_bytes : 0;
    return frames > plan->window_count ? frames : plan->window_count;
}

/* gsi_plan_fed_runs: returns how many runs a merge can read at once if `chunks` chunk buffers are
 * divided into frames. */
uint64_t gsi_plan_fed_runs(const struct gsi_plan *plan, uint64_t chunks);

/* ---- data bytes of buffers: numbers fill them; records leave room for tags, and chunks and frames
 * contain a power of two of them ---- */

/* Return the data bytes that fit in a chunk, a frame and a window of that many bytes. */
static inline uint64_t gsi_plan_chunk_room(const struct gsi_plan *plan, uint64_t chunk_bytes)
{
    uint32_t record = plan->record_bytes;
    return record == 0 ? chunk_bytes : gsi_record_room_power(record, chunk_bytes) * record;
}

static inline uint64_t gsi_plan_frame_room(const struct gsi_plan *plan, uint64_t frame_bytes)
{
    uint32_t record = plan->record_bytes;
    return record == 0 ? frame_bytes - GSI_FRAME_HEADER_BYTES
                       : gsi_record_room_power(record, frame_bytes) * record;
}

/* Returns the data bytes of a run, except the last. */
static inline uint64_t gsi_plan_run_room(const struct gsi_plan *plan)
{
    return gsi_plan_chunk_room(plan, plan->chunk_bytes) * plan->chunks_per_run;
}

static inline uint64_t gsi_plan_window_room(const struct gsi_plan *plan, uint64_t window_bytes)
{
    uint32_t record = plan->record_bytes;
    return record == 0 ? window_bytes : gsi_record_room(record, window_bytes) * record;
}

/* Candidates of --top are stored at the beginning of their memory; then their tags, if they are
 * records; then two bounds, and one for each buffer. */
static inline uint64_t gsi_plan_top_tags_off(const struct gsi_plan *plan, uint32_t element_bytes)
{
    return gsi_round_up_u64(plan->top_room * element_bytes, 64);
}

static inline uint64_t gsi_plan_top_bounds_off(const struct gsi_plan *plan, uint32_t element_bytes)
{
    uint64_t tags_off = gsi_plan_top_tags_off(plan, element_bytes);
    return plan->record_bytes == 0 ? tags_off : tags_off + plan->top_room * GSI_TAG_BYTES;
}

#endif
