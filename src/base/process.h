/* process.h: identifies this process. A child of fork has a copy of its parent's memory, but not
 * its threads. Things outside memory that the child closes or writes to may still belong to its
 * parent. So handles remember the process that made them. */
#ifndef GSI_PROCESS_H
#define GSI_PROCESS_H

#include <stdint.h>

/* gsi_process: returns a number that differs from those of all processes from which this one
 * descends by fork. (getpid would do, but is a system call, which costs more than a push of a few
 * elements.) Async-signal-safe. */
uint32_t gsi_process(void);

#endif
