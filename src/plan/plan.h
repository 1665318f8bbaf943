/* plan.h: makes all decisions of a job before the first byte is read.
 *
 * The plan is a pure function: the same request makes the same plan. So --explain can print the
 * plan of a job without running the job, and tests/golden compares plans only.
 *
 *   arena = [ chunk buffer ][ chunk buffer ] .. [ window ][ window ] ..
 *     reading   chunks are read into chunk buffers, sorted there and, unless they are resident,
 *               spilled from there; spilled frames are made in the window memory
 *     merging   chunk buffers without a resident run are divided into feed buffers of one frame
 *
 * An example: 1 GiB of u64, -S 64M, 2 threads. --explain prints most of these numbers.
 *
 *     usable    64 MiB less memory for the process and for threads 51.8 MiB for the arena
 *     windows   threads + 8 writes in flight, a 64th of memory each 10 of 840 KiB
 *     chunks    at least 8, each as large as possible              8 of 5.45 MiB
 *     fan-in    memory of all chunks / a run's share of it (1/64)  64 runs at once
 *     runs      1 GiB is 188 chunks, with 3 chunks in each run     63 runs: one merge is enough
 *     frames    1/3 of a run's share; a whole number per chunk     232 KiB, 192 buffers
 *     enough?   2 frames per run, 4 for a window, 2 in flight      132 of 192: never stuck
 *     one pass  2 of the 4 chunks that reading does not need       up to 10.9 MiB out of place
 *
 * 8 GiB in the same memory are some 400 runs of 4 chunks. A run uses at most half of the chunk
 * buffers, because the input is read into the other half at the same time. About 340 of the runs
 * are first merged into 6 (merge_tree.h). Then 64 runs are left, and one merge reads them all.
 *
 * The plan minimises passes over the disk, then processor time.
 *   resident   everything fits in memory. Chunks are small, so that the last chunk is sorted soon
 *              after it was read. There are not too many, because each chunk makes a cut slower.
 *   hybrid     the fewest possible runs are spilled: a file slightly larger than memory takes
 *              slightly more time than a file that fits.
 *   spilled    a run has one chunk if the number of runs is then below the fan-in. Otherwise it has
 *              the fewest chunks that suffice, because merging chunks costs processor time.
 *
 * Other files plan jobs on a GPU, whose memory contains runs, jobs with sorted inputs, and --top
 * (plan_parts.h lists the files). Each record needs memory for a tag besides its bytes. The number
 * of records in a chunk or frame is a power of two. A job that only reads has buffers for all reads
 * in flight and for all threads.
 *
 * Rejected:
 * - Merge full groups of runs until few enough are left. Such passes move more bytes than the tree
 *   of merge_tree.h, where every pass except the first merges everything.
 * - A smaller share of memory for each run, and so a higher fan-in. With a share below about 1 MiB,
 *   seeks cost a disk more time than another pass would (SHARE_MAX_BYTES).
 * - Larger windows and frames. 1 to 4 MiB reach a disk's limit already.
 *
 * In doubt: the length of a stream is not known, so the size of its tables is a guess. The plan of
 * a stream allows as many spilled runs as one merge can read. The disk that merged frames still use
 * is an estimate (gsi_plan_merged_disk_bytes). Only GPUs have a model of time (plan_model.h). */
#ifndef GSI_PLAN_H
#define GSI_PLAN_H

#include "base/memory.h"
#include "element/record/record_tags.h"
#include "plan/merge_tree.h"
#include "run/frame.h"

/* The bytes that one phase of a job reads and writes. */
struct gsi_moves {
    uint64_t bytes_read, bytes_written;
};

struct gsi_plan {
    uint64_t input_bytes;    /* UINT64_MAX: a stream */
    uint64_t output_bytes;   /* of elements, at most; UINT64_MAX: not known */
    uint64_t memory_bytes;   /* the limit; includes arena_bytes */
    uint64_t arena_bytes;    /* memory of chunks and windows */
    uint64_t chunk_bytes;    /* one thread sorts one chunk at a time */
    uint32_t chunks_per_run; /* merged with each other before they are spilled */
    uint64_t window_bytes;   /* output buffer of one merge step */
    uint64_t frame_bytes;    /* unit of a spilled run */
    uint32_t window_count;   /* output buffers in flight */
    uint32_t record_bytes;   /* length of a record, without its tag; 0: numbers */
    bool are_inline;         /* tags replace the records of chunks, which all stay in memory */
    uint32_t thread_count;
    bool is_merge;          /* the runs are sorted inputs; only intermediate merges spill runs */
    bool is_filtered;       /* with is_merge: the merge may skip elements of the inputs */
    bool is_in_place;       /* an array is sorted in place: no runs */
    bool is_counted;        /* equal values are counted, and the counts make the output: no runs */
    uint64_t stream_frames; /* with is_merge, for records: a stream may have this many frames */
    uint64_t run_count;     /* runs after reading */
    uint64_t spilled_runs;  /* how many of run_count are written to disk */
    uint64_t spilled_bytes; /* input bytes in spilled runs */
    uint32_t fan_in;        /* maximum number of spilled runs in one merge */
    uint32_t merge_passes;  /* intermediate passes over spilled data */
    uint64_t read_bytes, write_bytes; /* predicted for all files, without compression */
    uint64_t temp_bytes;              /* temporary disk space at one time, at most */
    uint64_t space_bytes;             /* disk space of output and temporary files, at most */
    uint64_t disk_step_bytes;         /* disk that is allocated before the output needs it */
    /* A device with its own memory keeps up to device_runs runs of device_run_bytes each; 0: runs
     * stay in the arena. The device also has a mirror, a copy of the chunk buffers that feed a
     * merge. Host memory keeps up to host_runs more runs in host_bytes. All other runs are
     * spilled. */
    uint32_t device_runs, host_runs;
    uint64_t device_bytes, device_run_bytes, device_mirror_bytes, host_bytes;
    enum gsi_merge_kernel merge_kernel; /* of the device, for two runs */
    /* With --top in one pass: the maximum number of candidates (device/candidates.h), and the
     * memory for them. 0: everything is sorted. */
    uint64_t top_room;
    uint64_t top_bytes;
    /* Devices that work as one. Each device uses device_bytes, and has a part of each run. */
    uint64_t device_count;
    /* Instead of spilling, gsort writes the output while it reads, in one pass, if no element is
     * out of place by more than this. 0: gsort does not try that. */
    uint64_t late_bytes;
    /* Bytes that each phase reads and writes: read_bytes and write_bytes are the sums. Zeros: not
     * known. */
    struct gsi_moves moves[GS_PHASE_COUNT];
};

/* Memory of the process besides the arena, threads and formats: code, libraries, stacks and rings
 * of io_uring. The value is the measured resident size of gsort on a small file (the manual,
 * "Memory"). GSI_PLAN_LEAST_BYTES is the least memory for any job. */
#define GSI_PLAN_PROCESS_BYTES ((uint64_t)6 << 20)
#define GSI_PLAN_LEAST_BYTES   (GSI_PLAN_PROCESS_BYTES + ((uint64_t)2 << 20))

/* Longest frames, without --window: 1 MiB reaches a disk's limit at depth 8 (gsort-bench disk). */
#define GSI_PLAN_FRAME_MAX_BYTES ((uint64_t)1 << 20)

/* Table bytes per run or sorted input, in the list of runs and in the feed. Table bytes per frame,
 * in the index of its run and in the order of reading. The code that has these tables asserts these
 * sizes. */
#define GSI_PLAN_RUN_TABLE_BYTES   512
#define GSI_PLAN_FRAME_TABLE_BYTES 64

/* Returns the maximum number of reads of the inputs in flight (input/source.h). 16 reach a disk's
 * limit. Each read from the page cache is a copy by one processor, so many processors read more. */
#define GSI_PLAN_READS_MIN 16u
#define GSI_PLAN_READS_MAX 48u
static inline uint32_t gsi_plan_reads(uint32_t thread_count)
{
    return (uint32_t)gsi_clamp_u64(thread_count, GSI_PLAN_READS_MIN, GSI_PLAN_READS_MAX);
}

/* The resources of a plan, and the sizes that options fix. */
struct gsi_budget {
    uint64_t memory_bytes;
    uint32_t thread_count;
    uint32_t fan_in;                    /* most runs merged at once; 0: planned */
    uint64_t chunk_bytes, window_bytes; /* 0: planned */
};

/* The sizes in the journal of an interrupted sort. The existing files have these sizes, so the next
 * plan may have to use the same sizes. */
struct gsi_plan_fixed {
    uint64_t chunk_bytes, frame_bytes, window_bytes;
    uint32_t chunks_per_run, fan_in;
    uint64_t run_count, run_bytes; /* existing runs, and how many bytes of input they contain */
};

struct gsi_plan_request {
    uint64_t input_bytes; /* UINT64_MAX: a stream */
    uint64_t memory_bytes;
    uint32_t record_bytes;  /* 0: numbers */
    bool are_inline;        /* tags can replace the records of a chunk */
    uint32_t element_bytes; /* of numbers, too */
    uint32_t thread_count;
    uint64_t thread_bytes; /* memory that the device needs per thread */
    uint64_t format_bytes; /* memory for compression, decompression and the inputs */
    uint64_t added_bytes;  /* output minus input, at most; may be negative, modulo 2^64 */
    uint64_t read_bytes;   /* bytes to read, if input_bytes counts entries; 0: the same */
    uint32_t fan_in;       /* 0: planned from the memory that each run needs */
    uint64_t chunk_bytes, window_bytes; /* 0: chosen */
    bool has_fixed;                     /* `fixed` is set; the job spills everything */
    struct gsi_plan_fixed fixed;
    uint64_t device_bytes;        /* device memory that may be used; 0: the device has none */
    uint32_t device_count;        /* devices that work as one, each with device_bytes; 0: one */
    bool lacks_peer_access;       /* the devices cannot read each other's memory */
    uint64_t device_fixed_bytes;  /* device memory that every plan needs */
    uint64_t device_scratch_part; /* sorting n bytes there needs n / device_scratch_part bytes
                                  * of scratch memory */
    uint32_t elements_per_entry;  /* length of an entry, in elements that are read; 0: one */
    enum gsi_merge_kernel merge_kernel; /* the device's kernel for two runs */
    bool spill_all;
    bool may_write_early; /* output of nearly sorted input may be written while it is read */
    bool keeps_runs;      /* disk of a run is released only after it was merged into another run */
    bool has_top;         /* the output is the first top_count elements, top_bytes at most */
    uint64_t top_count, top_bytes;
    bool is_unique;              /* only the first element of each key is written */
    bool is_counted;             /* equal numbers are counted, and the counts make the output */
    bool is_permuted;            /* windows are filled from elements in memory, or by other sorts */
    bool is_reduction;           /* nothing is sorted or written */
    bool is_filtered;            /* a merge skips elements of its inputs */
    bool is_merge;               /* the inputs are already sorted */
    const uint64_t *merge_bytes; /* of each input that is not empty; UINT64_MAX: a stream */
    uint64_t merge_count;        /* length of merge_bytes */
    struct gsi_ledger *ledger;   /* counts memory that planning uses; NULL: not counted */
};

/* The largest input that is sorted or merged, 1 EiB, so that no sum or product in a plan exceeds 64
 * bits. Any other size above this limit is lowered to it, or refused. */
#define GSI_PLAN_MOST_BYTES ((uint64_t)1 << 60)

/* gsi_plan_make: makes a plan. The request may contain any numbers.
 * fails GS_E_USAGE: memory, chunk or window too small to work, or too large;
 *       GS_E_INPUT: more than GSI_PLAN_MOST_BYTES of input */
enum gs_status gsi_plan_make(const struct gsi_plan_request *request, struct gsi_plan *plan,
                             struct gs_error *error);

/* gsi_plan_merged_disk_bytes: returns an estimate of the disk that merged frames still use, if
 * `spilled_bytes` were spilled. The estimate is more than two of GSI_SPILL_FILES_MAX files contain.
 * Two files may have merged frames that are not released, because runs do not reach the end of a
 * file at the same time. */
static inline uint64_t gsi_plan_merged_disk_bytes(uint64_t spilled_bytes)
{
    return spilled_bytes / 13;
}

/* gsi_plan_pass_bytes: returns how many bytes of elements `pass`, a pass of intermediate merges,
 * reads. */
uint64_t gsi_plan_pass_bytes(const struct gsi_plan *plan, const struct gsi_merge_pass *pass);

/* gsi_plan_shared_frames: returns how many frames a merge needs besides gsi_plan_frames_per_run for
 * each run: enough to fill a window, and two for reads in flight. */
uint64_t gsi_plan_shared_frames(const struct gsi_plan *plan);

/* gsi_plan_frames_per_run: returns how many buffers each run of a merge needs: the rest of one
 * block, and one block above the merge's bound. If the merge skips elements, a third buffer gathers
 * the others.
 * gsi_plan_merge_frames: returns how many buffers of one frame a merge of `runs` runs needs. */
static inline uint64_t gsi_plan_frames_per_run(const struct gsi_plan *plan)
{
    return plan->is_filtered ? 3 : 2;
}
static inline uint64_t gsi_plan_merge_frames(const struct gsi_plan *plan, uint64_t runs)
{
    return runs > 0 ? gsi_plan_frames_per_run(plan) * runs + gsi_plan_shared_frames(plan) : 0;
}

/* gsi_plan_min_free_chunks: returns how many of `chunks` chunk buffers must be free while the input
 * is read. */
uint64_t gsi_plan_min_free_chunks(const struct gsi_plan *plan, uint64_t chunks);

/* gsi_plan_window_region: returns the bytes of all windows.
 * gsi_plan_most_windows: returns the largest number of windows in that memory. To spill runs,
 * windows are as small as one frame. */
static inline uint64_t gsi_plan_window_region(const struct gsi_plan *plan)
{
    return plan->window_count * plan->window_bytes;
}
static inline uint64_t gsi_plan_most_windows(const struct gsi_plan *plan)
{
    uint64_t frames = plan->frame_bytes > 0 ? gsi_plan_window_region(plan) / plan->frame_bytes : 0;
    return frames > plan->window_count ? frames : plan->window_count;
}

/* gsi_plan_runs_at_once: returns how many runs a merge can read at once if its feed buffers are
 * parts of `chunks` chunk buffers. */
uint64_t gsi_plan_runs_at_once(const struct gsi_plan *plan, uint64_t chunks);

/* ---- data bytes of buffers: numbers fill a buffer; records share it with their tags, and chunks
 * and frames contain a power of two of records ---- */

/* Returns the bytes that each record of a chunk needs beside its tag. */
static inline uint32_t gsi_plan_chunk_record_bytes(const struct gsi_plan *plan)
{
    return plan->are_inline ? 0 : plan->record_bytes;
}

/* These functions return how many records fit in a chunk and in a frame: 2 to this power. */
static inline uint32_t gsi_plan_chunk_shift(const struct gsi_plan *plan)
{
    return gsi_record_room_shift(gsi_plan_chunk_record_bytes(plan), plan->chunk_bytes);
}
static inline uint32_t gsi_plan_frame_shift(const struct gsi_plan *plan)
{
    return gsi_record_room_shift(plan->record_bytes, plan->frame_bytes);
}

/* These functions return how many bytes of elements fit in a chunk, a frame, a run and a window. */
static inline uint64_t gsi_plan_chunk_capacity(const struct gsi_plan *plan, uint64_t chunk_bytes)
{
    return plan->record_bytes == 0
               ? chunk_bytes
               : gsi_record_room_power(gsi_plan_chunk_record_bytes(plan), chunk_bytes) *
                     plan->record_bytes;
}

static inline uint64_t gsi_plan_frame_capacity(const struct gsi_plan *plan, uint64_t frame_bytes)
{
    uint32_t record = plan->record_bytes;
    return record == 0 ? frame_bytes - GSI_FRAME_HEADER_BYTES
                       : gsi_record_room_power(record, frame_bytes) * record;
}

/* Returns the bytes of elements in every run except the last, which may be shorter. */
static inline uint64_t gsi_plan_run_capacity(const struct gsi_plan *plan)
{
    return gsi_plan_chunk_capacity(plan, plan->chunk_bytes) * plan->chunks_per_run;
}

static inline uint64_t gsi_plan_window_capacity(const struct gsi_plan *plan, uint64_t window_bytes)
{
    uint32_t record = plan->record_bytes;
    return record == 0 ? window_bytes : gsi_record_room(record, window_bytes) * record;
}

/* The memory of --top contains the candidates, then their tags if they are records, then two
 * bounds, and one bound per buffer. These functions return the offsets of the tags and of the
 * bounds. */
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
