/* sorted_inputs.h: inputs that are sorted already (--merge), as runs where they lie. */
#ifndef GSI_SORTED_INPUTS_H
#define GSI_SORTED_INPUTS_H

#include "input/inputs.h"
#include "loop/run_list.h"

/* gsi_sorted_inputs_check: whether these can be merged as they are, once they were looked at.
 * fails GS_E_USAGE: one is packed, or the output's header needs the length of a stream */
enum gs_status gsi_sorted_inputs_check(const struct gsi_inputs *inputs);

/* gsi_sorted_inputs_sizes: bytes of each that is not empty, UINT64_MAX for a stream, in a table of
 * inputs->count; how many these are in *count.
 * fails GS_E_MEMORY */
enum gs_status gsi_sorted_inputs_sizes(struct gsi_inputs *inputs, uint64_t **sizes,
                                       uint64_t *count);

/* gsi_sorted_inputs_list: those that are not empty as runs; sets inputs->data_bytes. Of records, looks
 * at the first and the last one of each: as they are sorted, what these share all between them
 * share, and tags are made behind that (element/key_scope.h). A stream has no end to look at.
 * fails GS_E_INPUT, GS_E_IO, GS_E_MEMORY */
enum gs_status gsi_sorted_inputs_list(struct gsi_inputs *inputs, struct gsi_run_list *list);

#endif
