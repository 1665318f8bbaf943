/* presorted.h: finds presorted ranges, parts of the inputs that are already in order. A merge reads
 * a presorted range from its file, so the range is not spilled.
 *
 *     input    [ 1 2 3 4 | 5 6 7 8 | 2 3 9 5 | 1 1 4 6 ]      chunks, as they were read
 *     runs     { 1 .. 8, in the file { 2 3 5 9   { 1 .. 6, in the file
 *                                     spilled
 *
 * A run is not spilled if its chunks were in order when they were read, and one uncompressed file
 * contains them. A merge then reads the run from this file, as a sorted input. Adjacent runs of a
 * file that are in order together are one range. So sorted files are read twice and written once.
 *
 * The merge checks the order of ranges, and the digest of the output must agree with the digest of
 * the first reading. So if a file changes between the readings, the job fails and makes no wrong
 * output. */
#ifndef GSI_PRESORTED_H
#define GSI_PRESORTED_H

#include "input/inputs.h"
#include "loop/run_list.h"

/* The number of presorted ranges that were not spilled, and their bytes, for the report of a sort
 * that spilled. */
struct gsi_presorted_report {
    uint32_t count;
    uint64_t bytes;
};

struct gsi_presorted {
    struct gsi_inputs *inputs; /* NULL: every run is spilled */
    uint8_t *last_element;     /* the last element of the newest range: a sort key, or a record */
    uint32_t count;
    uint64_t bytes;
};

/* gsi_presorted_begin: finds out whether the inputs can be read again.
 * in    output: if it may overwrite an input, every run is spilled
 * fails GS_E_MEMORY */
enum gs_status gsi_presorted_begin(struct gsi_presorted *presorted, struct gsi_inputs *inputs,
                                   const struct gsi_output *output);
void gsi_presorted_end(struct gsi_presorted *presorted); /* also zeroed ones */

/* gsi_presorted_replace_run: replaces entry `idx` of the list, a sorted run in memory, by the range
 * of an input, if the input contains the run in order. If the previous entry is the range before
 * it, that entry is extended, and entry `idx` is removed. Frees the run's memory. Returns whether
 * the entry was replaced. */
bool gsi_presorted_replace_run(struct gsi_presorted *presorted, struct gsi_run_list *list,
                               uint32_t idx);

#endif
