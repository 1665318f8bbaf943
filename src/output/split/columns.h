/* columns.h: separates joined records (--values) again: each of their parts is written to a file of
 * its own.
 *
 *     windows, or blocks of --unique -> [ key | a | b ] --> flow of the keys --> blocks --> sink
 *                                                           flow of a        --> blocks --> sink
 *                                                           flow of b        --> blocks --> sink
 *
 * Each window passes from flow to flow (loop/flow.h), which copies its part of the records. All
 * files are written at the same time. They get their names at the end, the keys' file last. So if a
 * new file of keys is there, the files of its values are, too. */
#ifndef GSI_COLUMNS_H
#define GSI_COLUMNS_H

#include "loop/flow.h"
#include "output/sink.h"

struct gsi_column {
    uint32_t off, bytes;      /* in the record */
    struct gsi_target at;     /* the file: its output is that of target->files */
    struct gsi_inputs inputs; /* of values, which have no header */
    struct gsi_sink sink;
    struct gsi_buffers blocks, staging;
    struct gsi_flow flow;
};

struct gsi_columns {
    struct gsi_target *target; /* of the job */
    struct gsi_column *table;
    uint32_t count;
    struct gsi_bump bump;
};

/* gsi_columns_plan: plans blocks, and the bump allocator plan->split.
 * gsi_columns_open_files: opens the outputs, and says in target->output where the keys' is.
 * fails GS_E_USAGE: one is no regular file, or named twice; as gsi_output_open */
void gsi_columns_plan(const struct gsi_target *target, const struct gsi_budget *budget,
                      struct gsi_output_plan *plan);
enum gs_status gsi_columns_open_files(struct gsi_target *target);

/* gsi_columns_open, _close, _begin, _stage, _place: work like those of a split (split.h). */
enum gs_status gsi_columns_open(struct gsi_columns *columns, struct gsi_target *target);
void gsi_columns_close(struct gsi_columns *columns);
void gsi_columns_begin(struct gsi_columns *columns, struct gsi_buffers *windows, uint64_t bytes);
struct gsi_stage gsi_columns_stage(struct gsi_columns *columns);
enum gs_status gsi_columns_commit(struct gsi_columns *columns, uint64_t count);

#endif
