/* compile.h: determines what is read, what is sorted of it, and what is written. */
#ifndef GSI_COMPILE_H
#define GSI_COMPILE_H

#include "job/job.h"

/* gsi_spec_compile: compares options with the inputs, which were looked at. Fills job->chosen and
 * job->output_spec, and cuts the inputs to the elements that are read. Afterwards these do not
 * change, but for the layout, which depends on the device.
 * fails as elements.h, payload.h and output_names.h; and where a part of the inputs is chosen, as
 *       input/range.h, merge/find.h and merge/part.h */
enum gs_status gsi_spec_compile(struct gsi_job *job);

#endif
