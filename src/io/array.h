/* array.h: an array of the program as the input and the output of a job.
 *
 * It has no descriptor, and nobody makes transfers of it: a source copies from it on the job's
 * threads, or lends buffers what lies there (input/source_buffers.c), and windows are made in it or
 * copied there (output/sink.c). The output may be the input: all of it has been read before
 * anything is written. */
#ifndef GSI_ARRAY_H
#define GSI_ARRAY_H

#include "io/file.h"

struct gsi_array {
    const uint8_t *from;
    uint8_t *to; /* NULL: it is only read */
    uint64_t bytes;
    bool is_written; /* some of what lies at `to` may be other bytes now, */
    bool is_whole;   /* but all elements are there, in some order */
};

/* gsi_array_input, gsi_array_output: borrowed until they are closed, which does nothing. */
struct gsi_input gsi_array_input(const struct gsi_array *array, const char *name);
struct gsi_output gsi_array_output(struct gsi_array *array, const char *name);

/* gsi_array_meets: whether the first `bytes` of what is written lie in the memory of the array. */
bool gsi_array_meets(const struct gsi_array *array, uint64_t bytes);

/* gsi_array_is_mapped: whether it is in the memory of a file, which goes to and fro between there
 * and the disk. What the kernel does not tell is not. */
bool gsi_array_is_mapped(const struct gsi_array *array);

#endif
