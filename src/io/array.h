/* array.h: makes an array of the program the input and the output of a job.
 *
 * An array has no file descriptor, and the I/O engine does not read or write it. The reader of
 * inputs (input/reader.c) copies from the array, or uses its memory as buffers. The sink
 * (output/sink.c) copies to the array, or the merge writes into it. Input and output may be the
 * same array, because the job reads everything before it writes. */
#ifndef GSI_ARRAY_H
#define GSI_ARRAY_H

#include "io/file.h"

struct gsi_array {
    const uint8_t *from;
    uint8_t *to; /* NULL: the array is only an input */
    uint64_t bytes;
    bool is_written; /* the job may have changed bytes at `to` */
    bool is_whole;   /* all elements are still there, in any order */
};

/* gsi_array_input, gsi_array_output: return an input and an output that use the array. It must
 * exist as long as they do. */
struct gsi_input gsi_array_input(const struct gsi_array *array, const char *name);
struct gsi_output gsi_array_output(struct gsi_array *array, const char *name);

/* gsi_array_overlaps: returns whether the first `bytes` of the output overlap the input. */
bool gsi_array_overlaps(const struct gsi_array *array, uint64_t bytes);

/* gsi_array_is_mapped: returns whether the output array is the mapped memory of a file. Returns
 * false if /proc cannot be read. */
bool gsi_array_is_mapped(const struct gsi_array *array);

#endif
