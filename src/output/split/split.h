/* split.h: distributes the output to several files (--split, --split-at).
 *
 *     windows, or blocks of --unique --flow--> blocks --> sink of file 1, then of file 2, ..
 *
 * Each file begins with a new block, and all its blocks but the last are full. So direct writes,
 * packing and headers need no change. One file is written at a time. The next one is begun when all
 * of the file is on its way through the sink. All files get their names at the end. */
#ifndef GSI_SPLIT_H
#define GSI_SPLIT_H

#include "loop/flow.h"
#include "merge/value_side.h"
#include "output/sink.h"

struct gsi_split {
    struct gsi_target *target;         /* of the job; zeroed: nothing is split */
    struct gsi_target at;              /* the file that is written: its output is that of `files` */
    struct gsi_sink sink;              /* into it */
    struct gsi_side *cuts;             /* the end of each file but the last; NULL: by counts */
    uint8_t *copy;                     /* room for an element */
    uint64_t entry_bytes, total_bytes; /* of entries; by counts: in all */
    uint32_t current;                  /* file */
    uint64_t bytes;                    /* of elements: handed over to all sinks */
    struct gsi_bump bump;
    struct gsi_buffers blocks;
    struct gsi_flow flow; /* from windows into blocks, which it cuts where files end */
    enum gsi_split_state {
        GSI_SPLIT_FILLS,
        GSI_SPLIT_ENDS,
        GSI_SPLIT_FINISHES,
        GSI_SPLIT_IS_DONE
    } state;
    bool is_ended; /* all windows were taken */
};

/* gsi_split_check: checks the pattern and values, and tells the report. Inputs are measured.
 * fails GS_E_USAGE: the pattern is wrong, or a value: it cannot be parsed, or does not sort after
 *       the previous one; GS_E_MEMORY */
enum gs_status gsi_split_check(const struct gsi_target *target, struct gsi_split_report *report);

/* gsi_split_open_files: opens the files, and says in target->output where they are.
 * fails GS_E_USAGE, as gsi_split_files_open; GS_E_IO, GS_E_SPACE */
enum gs_status gsi_split_open_files(struct gsi_target *target);

/* gsi_split_plan: plans blocks. The bump allocator plan->split stays empty where the output is one
 * file. */
void gsi_split_plan(const struct gsi_target *target, const struct gsi_budget *budget,
                    struct gsi_output_plan *plan);

/* gsi_split_open: takes the memory that was planned; does nothing if the output is not split.
 * fails GS_E_MEMORY */
enum gs_status gsi_split_open(struct gsi_split *split, struct gsi_target *target);
void gsi_split_close(struct gsi_split *split); /* also zeroed ones; nothing may be in flight */

/* gsi_split_begin: begins the first file. Windows hold whole entries of `entry_bytes`, in all
 * `total_bytes` (by counts), and go back to `windows`.
 * fails GS_E_MEMORY */
enum gs_status gsi_split_begin(struct gsi_split *split, struct gsi_buffers *windows,
                               uint64_t entry_bytes, uint64_t total_bytes);

/* gsi_split_stage: returns a stage that accepts windows in output order. It is done when none waits
 * or is being written. */
struct gsi_stage gsi_split_stage(struct gsi_split *split);

/* gsi_split_commit: gives the files their names after everything was written, and fills in the
 * report.
 * in    count: entries that there should be
 * fails GS_E_VERIFY: files have more or fewer; GS_E_IO, GS_E_SPACE */
enum gs_status gsi_split_commit(struct gsi_split *split, uint64_t count,
                                struct gsi_split_report *report);

#endif
