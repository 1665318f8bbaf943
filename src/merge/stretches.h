/* stretches.h: a stretch is a part of an input that is in order already. It is a run where it lies,
 * and is not spilled.
 *
 *     input    [ 1 2 3 4 | 5 6 7 8 | 2 3 9 5 | 1 1 4 6 ]      chunks, as they were read
 *     runs     { 1 .. 8, there      { 2 3 5 9   { 1 .. 6, there
 *                                     spilled
 *
 * A run that would be spilled becomes a stretch if its chunks were in order as they were read, and
 * lie in one plain file. It is read again from there, as a sorted file is, and nothing is written.
 * Runs that follow it in the file and in order belong to the same stretch. So files that are sorted
 * already, one behind the other, are read twice and written once.
 *
 * The second reading is checked for order, and the fingerprint of the output has to agree with that
 * of the first reading. So a file that changes meanwhile leads to a failure, not to a wrong
 * output. */
#ifndef GSI_STRETCHES_H
#define GSI_STRETCHES_H

#include "input/inputs.h"
#include "loop/run_list.h"

struct gsi_stretch;

struct gsi_stretches {
    struct gsi_inputs *inputs;  /* NULL: every run is spilled */
    struct gsi_stretch *newest; /* of a list */
    uint8_t *last;              /* its last element: a sort key, or a record */
    uint32_t count;
    uint64_t bytes;
};

/* gsi_stretches_begin: finds out whether runs may stay where they are.
 * in    output: must not be written over an input
 * fails GS_E_MEMORY */
enum gs_status gsi_stretches_begin(struct gsi_stretches *stretches, struct gsi_inputs *inputs,
                                   const struct gsi_output *output);
/* gsi_stretches_end: no merge reads them any more; zeroed ones are fine. */
void gsi_stretches_end(struct gsi_stretches *stretches);

/* gsi_stretches_take: entry `idx` of the list is a sorted resident run. If it lies in an input, the
 * run leaves memory: its entry becomes that of a file, or goes, because the entry before has its
 * keys.
 * fails GS_E_MEMORY */
enum gs_status gsi_stretches_take(struct gsi_stretches *stretches, struct gsi_run_list *list,
                                  uint32_t idx, bool *is_taken);

#endif
