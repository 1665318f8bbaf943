/* sorted_inputs.h: lists inputs that are already sorted (--merge) as runs. A merge reads these runs
 * from their files. */
#ifndef GSI_SORTED_INPUTS_H
#define GSI_SORTED_INPUTS_H

#include "input/inputs.h"
#include "loop/run_list.h"

/* gsi_sorted_inputs_check: checks that the output's header can be written before the merge. The
 * inputs' headers were read before.
 * fails GS_E_USAGE: the output's header needs the length of a stream */
enum gs_status gsi_sorted_inputs_check(const struct gsi_inputs *inputs, const char *output);

/* gsi_sorted_inputs_sizes: lists the bytes of each input that is not empty; UINT64_MAX for a
 * stream.
 * in    ledger: counts the memory of the table
 * out   sizes: a table with gsi_inputs_merged_count entries, of which *count are set
 * fails GS_E_MEMORY */
enum gs_status gsi_sorted_inputs_sizes(const struct gsi_inputs *inputs, struct gsi_ledger *ledger,
                                       uint64_t **sizes, uint64_t *count, struct gs_error *error);

/* gsi_sorted_inputs_list: lists the inputs that are not empty as runs; sets inputs->data_bytes.
 * Finds how many leading bytes of keys are equal in the first and last records of all files. All
 * other records have these leading bytes, too, because files are sorted. Tags begin after these
 * bytes (element/key_scope.h). With a stream, tags skip no bytes.
 * fails GS_E_INPUT, GS_E_IO, GS_E_MEMORY */
enum gs_status gsi_sorted_inputs_list(struct gsi_inputs *inputs, struct gsi_run_list *list);

#endif
