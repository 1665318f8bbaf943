/* sorted_inputs.h: inputs that are sorted already (--merge). Each input is a run and stays in its
 * file. */
#ifndef GSI_SORTED_INPUTS_H
#define GSI_SORTED_INPUTS_H

#include "input/inputs.h"
#include "loop/run_list.h"

/* gsi_sorted_inputs_check: checks that the inputs, whose headers were read, can be merged as they
 * are.
 * fails GS_E_USAGE: the output's header needs the length of a stream */
enum gs_status gsi_sorted_inputs_check(const struct gsi_inputs *inputs, const char *output);

/* gsi_sorted_inputs_sizes: lists the bytes of each input that is not empty; UINT64_MAX for a
 * stream.
 * in    ledger: enters the table
 * out   sizes: a table of the merged inputs (gsi_inputs_merged), of which *count are filled
 * fails GS_E_MEMORY */
enum gs_status gsi_sorted_inputs_sizes(const struct gsi_inputs *inputs, struct gsi_ledger *ledger,
                                       uint64_t **sizes, uint64_t *count, struct gs_error *error);

/* gsi_sorted_inputs_list: lists the inputs that are not empty as runs; sets inputs->data_bytes. It
 * reads the first and the last record of each input. All records between them share the bytes that
 * these two share, because inputs are sorted; tags are made from the bytes after that
 * (element/key_scope.h). The end of a stream cannot be read.
 * fails GS_E_INPUT, GS_E_IO, GS_E_MEMORY */
enum gs_status gsi_sorted_inputs_list(struct gsi_inputs *inputs, struct gsi_run_list *list);

#endif
