/* presorted.h: finds parts of the inputs that are in order already. Each is a run that stays in its
 * file, and is not spilled.
 *
 *     input    [ 1 2 3 4 | 5 6 7 8 | 2 3 9 5 | 1 1 4 6 ]      chunks, as they were read
 *     runs     { 1 .. 8, there      { 2 3 5 9   { 1 .. 6, there
 *                                     spilled
 *
 * A run that would be spilled stays in its input on two conditions. Its chunks were in order when
 * they were read, and one plain file contains them. A merge reads it from there, as a sorted file,
 * and nothing is written. Runs that follow it in the file and in order belong to the same part. So
 * sorted files, one after the other, are read twice and written once.
 *
 * The second reading is checked for order, and the digest of the output has to agree with that of
 * the first reading. So a file that changes meanwhile leads to a failure, not to a wrong output. */
#ifndef GSI_PRESORTED_H
#define GSI_PRESORTED_H

#include "input/inputs.h"
#include "loop/run_list.h"

/* For a sort that spilled: runs that were in order in the inputs and are read again from there.
 * Their bytes are not counted as spilled. */
struct gsi_presorted_report {
    uint32_t count;
    uint64_t bytes;
};

struct gsi_presorted {
    struct gsi_inputs *inputs; /* NULL: every run is spilled */
    uint8_t *last;             /* the last element of the newest part: a sort key, or a record */
    uint32_t count;
    uint64_t bytes;
};

/* gsi_presorted_begin: finds out whether runs may stay where they are.
 * in    output: must not be written over an input
 * fails GS_E_MEMORY */
enum gs_status gsi_presorted_begin(struct gsi_presorted *presorted, struct gsi_inputs *inputs,
                                   const struct gsi_output *output);
void gsi_presorted_end(struct gsi_presorted *presorted); /* also zeroed ones */

/* gsi_presorted_leave: entry `idx` of the list is a sorted resident run. If an input contains it in
 * order, it leaves memory. Its entry changes to that part of the input, or is removed if the
 * previous entry now includes it. Returns whether it did. */
bool gsi_presorted_leave(struct gsi_presorted *presorted, struct gsi_run_list *list, uint32_t idx);

#endif
