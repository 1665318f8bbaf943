/* elements.h: determines what the elements of a job are, from options, headers and names. */
#ifndef GSI_ELEMENTS_H
#define GSI_ELEMENTS_H

#include "job/job.h"

/* gsi_spec_elements: fills *chosen, and what the report says about elements. The inputs were looked
 * at.
 * fails GS_E_USAGE: an option is wrong; or options, names and headers contradict each other;
 *       GS_E_INPUT: a header names a type that is not sorted */
enum gs_status gsi_spec_elements(const struct gsi_job *job, struct gsi_chosen *chosen);

/* gsi_spec_note: once nothing can be refused any more: notes what was assumed of the elements, if
 * there are any (a plan says so itself). */
void gsi_spec_note(const struct gsi_job *job);

#endif
