/* stretches.h: runs that lie in the inputs already, in order, and so are not spilled.
 *
 *     input    [ 1 2 3 4 | 5 6 7 8 | 2 3 9 5 | 1 1 4 6 ]      chunks, as they were read
 *     runs     { 1 .. 8, there      { 2 3 5 9   { 1 .. 6, there
 *                                     spilled
 *
 * Where a run would be spilled, its chunks were in order as they were read, and they lie in one plain
 * file, that part of the file is the run: it is read again, as a sorted file is, and nothing is written.
 * What goes on behind it, in the file and in order, belongs to the same run. So files that are sorted
 * already, one behind the other, are read twice and written once.
 *
 * What is read again is checked for order, and the fingerprints of what was read first and of what comes
 * out have to agree. So a file that changes meanwhile is a failure and no wrong output. */
#ifndef GSI_STRETCHES_H
#define GSI_STRETCHES_H

#include "input/inputs.h"
#include "loop/run_list.h"

struct gsi_stretch;

struct gsi_stretches {
    struct gsi_inputs *inputs;  /* NULL: every run is spilled */
    struct gsi_stretch *newest; /* of a list */
    uint8_t *last;              /* its last element: a sort key, or a record */
    uint32_t count, most;
    uint64_t bytes;
};

/* gsi_stretches_begin: looks whether runs may stay where they are.
 * in    output: which must not be written over an input
 *       most: runs that are read as files
 * fails GS_E_MEMORY */
enum gs_status gsi_stretches_begin(struct gsi_stretches *stretches, struct gsi_inputs *inputs,
                                   const struct gsi_output *output, uint64_t most);
/* gsi_stretches_end: no merge reads them any more; zeroed ones are fine. */
void gsi_stretches_end(struct gsi_stretches *stretches);

/* gsi_stretches_take: takes entry `idx` of the list, a sorted resident run, out of memory if it lies in
 * an input. Its entry is that of a file then, or is gone, because the one before it has its keys.
 * fails GS_E_MEMORY */
enum gs_status gsi_stretches_take(struct gsi_stretches *stretches, struct gsi_run_list *list,
                                  uint32_t idx, bool *is_taken);

#endif
