/* choose.h: what the elements of a job are: from options, .npy headers and names. */
#ifndef GSI_CHOOSE_H
#define GSI_CHOOSE_H

#include "loop/loop.h"

/* gsi_choose_elements: fill job->layout and what the report says about it. The inputs have been
 * looked at.
 * in    first_path: of the first input
 * fails GS_E_USAGE: options are wrong, or contradict each other or a .npy header; GS_E_INPUT: such
 *       a header names a type that is not sorted */
enum gs_status gsi_choose_elements(struct gsi_job *job, const char *first_path);

#endif
