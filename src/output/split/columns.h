/* columns.h: stands before the sinks when joined records (--values) are taken apart again: each of
 * their parts goes to a file of its own.
 *
 *     windows, or blocks of --unique -> [ key | a | b ] --copy on a thread-+-> blocks -> keys' sink
 *                                                                          +-> blocks -> sink of a
 *                                                                          '-> blocks -> sink of b
 *
 * All files are written at the same time. They take their places at the end, the keys' file last:
 * so where a new file of keys is, the files of its values are there, too. */
#ifndef GSI_COLUMNS_H
#define GSI_COLUMNS_H

#include "output/sink.h"

struct gsi_column {
    uint32_t off, bytes;      /* in the record */
    struct gsi_target at;     /* the file: its output is that of target->files */
    struct gsi_inputs inputs; /* of values, which have no header */
    struct gsi_sink sink;
    struct gsi_buffers blocks;
    struct gsi_buffer *block, *next; /* being filled; what does not fit goes into the next one */
};

struct gsi_columns {
    struct gsi_target *target; /* of the job */
    struct gsi_column *table;
    uint32_t count;
    struct gsi_shelf shelf;
    struct gsi_buffers *windows; /* where windows go after they were copied */
    struct gsi_buffer_list waiting;
    struct gsi_buffer *window; /* being copied, from window_off on */
    uint64_t window_off, record_bytes;
    uint64_t copied, copying; /* records: in blocks; by the task that is under way */
    struct gsi_task task;
    bool is_busy;
};

/* gsi_columns_plan: the memory that columns take, out of `memory_bytes` in all.
 * gsi_columns_open_files: opens the outputs, and says in target->output where the keys' is.
 * fails GS_E_USAGE: one is no regular file, or named twice; as gsi_output_open */
uint64_t gsi_columns_plan(const struct gsi_target *target, const struct gsi_budget *budget,
                          struct gsi_output_plan *plan);
enum gs_status gsi_columns_open_files(struct gsi_target *target);

/* gsi_columns_open, _close, _begin, _link, _stage, _place: as those of a split (split.h). */
enum gs_status gsi_columns_open(struct gsi_columns *columns, struct gsi_target *target);
void gsi_columns_close(struct gsi_columns *columns);
void gsi_columns_begin(struct gsi_columns *columns, struct gsi_buffers *windows, uint64_t bytes);
struct gsi_link gsi_columns_link(struct gsi_columns *columns);
struct gsi_stage gsi_columns_stage(struct gsi_columns *columns);
enum gs_status gsi_columns_place(struct gsi_columns *columns, uint64_t count);

#endif
