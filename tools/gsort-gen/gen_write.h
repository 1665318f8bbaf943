/* gen_write.h: make a data set with several threads and write it in order. */
#ifndef GEN_WRITE_H
#define GEN_WRITE_H

#include "gen_data.h"

#include <stdatomic.h>

/* gen_write: write every element of `set` to `output`, which is open and not committed.
 * in    thread_count: threads that make elements, this one among them; at least 1
 *       stop: becomes nonzero when the work shall be given up; any thread or signal handler
 * fails GS_E_IO, GS_E_SPACE, GS_E_MEMORY; GS_E_CANCELED after a stop */
enum gs_status gen_write(const struct gen_set *set, gs_output *output, uint32_t thread_count,
                         const atomic_int *stop, struct gs_error *error);

#endif
