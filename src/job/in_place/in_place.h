/* in_place.h: sorts an array of numbers where it lies, without a copy: as quicksort does, on all
 * threads from the first pass on (device/cpu/cpu_partition.h). */
#ifndef GSI_IN_PLACE_H
#define GSI_IN_PLACE_H

#include "job/job.h"

/* gsi_in_place_is: whether a job, which is planned, is such a sort: one that would keep everything
 * in memory, on the CPU. Where something else is asked of chunks and windows, there have to be
 * some.
 * gsi_in_place: does it. A failure leaves all elements in the array, in some order; but for
 * GS_E_VERIFY. */
bool gsi_in_place_is(const struct gsi_job *job);
enum gs_status gsi_in_place(struct gsi_job *job);

#endif
