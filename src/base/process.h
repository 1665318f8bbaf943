/* process.h: which process this is. A child of fork has a copy of its parent's memory, but not its
 * threads, and what it closes or writes to outside of memory may still be its parent's: so handles
 * remember who made them. */
#ifndef GSI_PROCESS_H
#define GSI_PROCESS_H

#include <stdint.h>

/* gsi_process: a number that differs from those of all processes that this one descends from by
 * fork. (getpid tells as much, but is a system call, which takes longer than a push of a few
 * elements.) Async-signal-safe. */
uint32_t gsi_process(void);

#endif
