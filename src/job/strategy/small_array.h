/* small_array.h: sorts a small array, or finds its order, on the caller's thread. It opens and
 * starts nothing, and asks the machine nothing, because all of these would take longer than
 * sorting. */
#ifndef GSI_SMALL_ARRAY_H
#define GSI_SMALL_ARRAY_H

#include "base/assert.h"
#include "job/job.h"

/* Arrays from this size on are for threads. */
#define GSI_SMALL_ARRAY_END_BYTES GSI_CONSTANT((uint64_t)1 << 20, (uint64_t)16 << 10)

/* gsi_small_array_is: returns whether a job is the sort of a small array, whose options only say
 * what its elements are and how they are ordered. They do not conflict; nothing else is known.
 * gsi_small_array: sorts it. The job is compiled; nothing else is open.
 * out   job->array->is_written; the report, as of other sorts
 * fails GS_E_MEMORY; GS_E_VERIFY */
bool gsi_small_array_is(const struct gsi_job *job);
enum gs_status gsi_small_array(struct gsi_job *job);

#endif
