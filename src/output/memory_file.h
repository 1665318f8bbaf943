/* memory_file.h: prepares an output in a file system of memory (tmpfs) while the inputs are read,
 * and maps it.
 *
 *     read     inputs -> chunks, sorted      beside it: pages of the output are allocated, in steps
 *     merge    wait for the last step        map the file: windows are made in it
 *
 * tmpfs allocates pages one by one, and one thread at a time writes to a file, at 2.5 GB/s. 16
 * threads together fill a mapping of allocated pages at 15 GB/s (RESULTS.md, "Sizes chosen by
 * measurement"). Each page costs a fault then, more processor time than a write. So jobs with few
 * threads write.
 *
 * A mapping must not grow beyond what is allocated: a full file system would end the process
 * (SIGBUS) rather than fail a call. Therefore nothing is mapped before everything is allocated. */
#ifndef GSI_MEMORY_FILE_H
#define GSI_MEMORY_FILE_H

#include "loop/loop.h"

struct gsi_output;

struct gsi_memory_file {
    struct gsi_loop *loop;
    struct gsi_output *output; /* NULL: it is not in memory */
    struct gsi_task task;      /* a step */
    uint64_t bytes;            /* that it will have at most */
    uint64_t allocated, step;  /* of these; of the step under way */
    int refusal;               /* there is no room for that step, an errno value; 0: there is */
    bool is_there;             /* that step was allocated */
    bool is_stopped;           /* no more steps begin */
    bool is_idle;
    uint8_t *map; /* of all bytes; NULL: it is written by transfers */
};

/* gsi_memory_file_begin: begins to allocate `bytes`. Failures are recorded in loop->error.
 * fails GS_E_SPACE: there is no room for so much; GS_E_IO */
enum gs_status gsi_memory_file_begin(struct gsi_memory_file *file, struct gsi_loop *loop,
                                     struct gsi_output *output, uint64_t bytes);

/* gsi_memory_file_map: waits until everything is allocated, and maps it, if that is faster. Does
 * nothing if the output is not in memory.
 * fails as gsi_loop_wait */
enum gs_status gsi_memory_file_map(struct gsi_memory_file *file);

/* gsi_memory_file_put: lets go of the pages of `bytes` that were written at `data`, in the map. The
 * file keeps them; the process does not count them any more. */
void gsi_memory_file_put(uint8_t *data, uint64_t bytes);

/* gsi_memory_file_end: unmaps, and begins no more steps. Call it before the length of the file is
 * set. Waits for the step under way.
 * fails as gsi_loop_wait */
enum gs_status gsi_memory_file_end(struct gsi_memory_file *file);

/* gsi_memory_file_close: unmaps. Nothing may be under way. */
void gsi_memory_file_close(struct gsi_memory_file *file);

#endif
