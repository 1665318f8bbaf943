/* small_array.h: sorts an array of numbers that is small enough on the caller's thread: nothing is
 * opened, started, allocated or asked of the machine, which all would take longer than sorting. */
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

/* gsi_small_array_is: whether a sort of an array is one of these: with options that go together,
 * and nothing but what becomes of its numbers is asked for. What is wrong with it is for others to
 * find.
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
