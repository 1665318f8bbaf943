/* in_place.h: sorts an array of numbers in place, as quicksort does, on all threads from the first
 * pass on (device/cpu/cpu_partition.h). */
#ifndef GSI_IN_PLACE_H
#define GSI_IN_PLACE_H

#include "job/job.h"

/* gsi_in_place_is: returns whether a planned job sorts this way: it would keep everything in
 * memory, on the CPU, and nothing asks for chunks or windows.
 * gsi_in_place: sorts. After a failure the array holds all of its elements, in some order, except
 * after GS_E_VERIFY. */
bool gsi_in_place_is(const struct gsi_job *job);
enum gs_status gsi_in_place(struct gsi_job *job);

#endif
