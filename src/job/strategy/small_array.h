/* small_array.h: sorts a small array of numbers on the caller's thread. It opens, starts and
 * allocates nothing, and asks the machine nothing, because all of these would take longer than
 * sorting. */
#ifndef GSI_SMALL_ARRAY_H
#define GSI_SMALL_ARRAY_H

#include "base/assert.h"
#include "io/array.h"
#include "option/conflicts.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Arrays from this size on are for threads. */
#define GSI_SMALL_ARRAY_END_BYTES GSI_CONSTANT((uint64_t)1 << 20, (uint64_t)16 << 10)

/* gsi_small_array_is: returns whether a sort of an array is one of these: its options do not
 * conflict, and only ask for sorted numbers. Errors are left to the ordinary way.
 * gsi_small_array_sort: does it.
 * out   array->is_written; report: as of other sorts; `error` is begun with zeros
 * fails GS_E_CANCELED: before it began; GS_E_VERIFY */
bool gsi_small_array_is(const struct gsi_options *options, const struct gsi_features *features,
                        const struct gsi_array *array);
enum gs_status gsi_small_array_sort(const struct gsi_options *options, struct gsi_array *array,
                                    struct gs_report *report, struct gs_error *error);

#ifdef __cplusplus
}
#endif
#endif
