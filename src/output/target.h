/* target.h: describes the output of a job: a file or a stream, compressed or not. */
#ifndef GSI_TARGET_H
#define GSI_TARGET_H

#include "element/groups.h"
#include "input/inputs.h"
#include "merge/part.h"
#include "output/memory_file.h"
#include "output/split/split_files.h"
#include "plan/plan.h"

/* The state of the output. */
struct gsi_output_report {
    uint64_t bytes;
    uint64_t file_bytes; /* as in the files: packed or not */
    bool is_direct;      /* it is written past the page cache */
    bool is_placed;      /* it has its name; a failure, if any, happened later */
    bool is_permuted;    /* with --permute: it has as many elements as there are positions */
    uint64_t position_count;
};

/* --unique: how many elements were written, and how many groups they are of. */
struct gsi_groups_report {
    bool is_unique;
    uint64_t written_count; /* elements, if is_unique */
    uint64_t count;         /* if is_unique: groups of equal keys; with --top those until the end */
    uint64_t folded_count;  /* records that were folded into others as they were read, unsorted */
};

/* For input that is nearly in order and larger than memory: bytes of output that were written
 * during reading. If that was all of it, nothing was spilled. */
struct gsi_one_pass_report {
    uint64_t written_bytes;
    bool is_whole;
    const char *note; /* why that is not tried; NULL: it is, or nothing is spilled */
};

/* What --split and --split-at ask for. */
struct gsi_split_report {
    uint32_t count;                 /* of files; 0: one */
    uint64_t counts[GSI_SPLIT_MAX]; /* elements in each */
};

/* With into: where in the file the part begins; how long that is, with its header. */
struct gsi_into_report {
    bool is_given;
    uint64_t off, file_bytes;
};

struct gsi_zst_pack;

/* The options that concern the output. The job compiles them together with what was found out about
 * the inputs (job/spec/), and they do not change afterwards. */
struct gsi_output_spec {
    bool is_wanted;      /* the job writes or plans an output */
    const char *name;    /* NULL or "-": standard output; with split_count the pattern */
    uint32_t pack_level; /* of zstd; 0: plain */
    enum gsi_byte_order byte_order;
    bool is_read_back;   /* it is compared with the disk before it takes its place */
    uint64_t most_count; /* elements at most; UINT64_MAX: all */
    bool is_permuted;    /* the output has as many elements as --permute has positions: */
    uint64_t permuted_bytes;
    const struct gsi_order_statistics *statistics;
    bool is_split;                   /* several files: --split, --split-at or --values */
    uint32_t split_count;            /* of files; with --values 0 */
    const char *const *split_values; /* where each file but the first begins; NULL: by counts */
    bool has_groups;                 /* --unique: groups of equal keys */
    bool may_pre_aggregate;          /* the sort may return only one record of each group */
    struct gsi_groups_rule groups;
    uint32_t group_key_bytes; /* with --group: bytes of the keys that make a group; else 0 */
};

/* Memory of the output besides windows: sizes of buffers, and planned bump allocators. */
struct gsi_output_plan {
    uint32_t pack_level;  /* of zstd; 0: plain */
    uint32_t pack_slots;  /* frames that are packed at the same time */
    uint64_t block_bytes; /* with --unique */
    uint64_t room_bytes;  /* likewise: for the entries of a batch (loop/flow.h) */
    uint32_t room_count;
    uint32_t batch_count;       /* likewise: batches under way at a time, at least room_count */
    uint64_t split_block_bytes; /* with --split or --values */
    struct gsi_bump write_flow, split, pack;
};

struct gsi_target {
    struct gsi_loop *loop;
    const struct gsi_output_spec *spec;
    struct gsi_inputs *inputs; /* which have the output's header */
    struct gsi_output output;
    struct gsi_memory_file memory_file; /* the output, if it is one */
    bool is_open;
    bool has_one_pass;         /* what is in order is written as it is read (one_pass.h) */
    struct gsi_zst_pack *pack; /* NULL: it is plain */
    const struct gsi_output_plan *plan;
    struct gsi_split_files files; /* with --split; `output` says in which directory then */
    uint64_t whole_bytes;         /* of elements: in the file of --into, with what others write */
    /* Bytes that were written, once everything is. */
    uint64_t bytes, file_bytes; /* of elements; of the file, with the header */
};

/* Windows that are changed before they are written are copied into blocks. There are enough blocks
 * to keep a disk busy (gsort-bench disk). Together they take a 16th of memory.
 * gsi_block_bytes: returns the size of a block for a job with `memory_bytes`. It is at most the
 * size of a window. */
#define GSI_BLOCK_COUNT 8u
#define GSI_BLOCKS_PART 16u
uint64_t gsi_block_bytes(uint64_t memory_bytes, uint64_t window_bytes);

/* gsi_target_most_bytes: returns how many bytes of elements the output may have; UINT64_MAX: no
 * limit.
 * gsi_target_wanted_bytes: returns how many it will have, after everything was read. */
uint64_t gsi_target_most_bytes(const struct gsi_target *target);
uint64_t gsi_target_wanted_bytes(const struct gsi_target *target);

/* gsi_target_layout: returns the layout of written elements, without counts and sums. It is the
 * input's layout if a shuffle writes whole elements, else that of the sorted entries. */
const struct gsi_layout *gsi_target_layout(const struct gsi_target *target);

/* gsi_target_describe_left: describes the state of the output after a failure at the end of a job,
 * for messages. */
const char *gsi_target_describe_left(const struct gsi_target *target);

/* gsi_target_has_blocks: returns whether the output of a merge is copied into blocks
 * (write_flow.h). */
bool gsi_target_has_blocks(const struct gsi_target *target);

/* gsi_target_plan_packing: plans compression. The bump allocator plan->pack stays empty if the
 * output is plain. */
void gsi_target_plan_packing(const struct gsi_target *target, const struct gsi_budget *budget,
                             struct gsi_output_plan *plan);

/* gsi_target_commit_files: the output is several files, and everything is written: puts them in
 * their places.
 * in    count, wanted: elements that the files have, and that they should have
 * fails GS_E_VERIFY: these differ; GS_E_IO, GS_E_SPACE */
enum gs_status gsi_target_commit_files(struct gsi_target *target, uint64_t count, uint64_t wanted);

/* gsi_target_open_pack: opens the compression that was planned.
 * gsi_target_close: closes the target; nothing may be in flight.
 * fails GS_E_MEMORY */
enum gs_status gsi_target_open_pack(struct gsi_target *target);
void gsi_target_close(struct gsi_target *target);

/* ---- --into: a part of the whole order (merge/part.h) at its offset in a file that has room for
 * all parts ----
 *
 *     FILE   [ header | part 1 | part 2 | .. | part N ]   each by its own process, in any order
 */

/* gsi_into_apply: computes the place of this job's output in the file of --into. The inputs are
 * measured, and cut to the part.
 * fails GS_E_MEMORY */
enum gs_status gsi_into_apply(struct gsi_target *target, const struct gsi_part_report *part,
                              struct gsi_into_report *report);

/* gsi_into_open: opens the output there.
 * fails GS_E_USAGE: it has another length, is no regular file or an input; GS_E_SPACE, GS_E_IO */
enum gs_status gsi_into_open(struct gsi_target *target, const struct gsi_into_report *report);

/* gsi_into_tell: adds to a failure that the part may not be whole. */
void gsi_into_tell(const struct gsi_target *target, const struct gsi_part_report *part);

#endif
