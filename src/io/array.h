/* array.h: makes an array of the program the input and the output of a job.
 *
 * An array has no descriptor, and no transfers are made for it. A source copies from it on the
 * job's threads, or lends its memory to buffers (input/reader.c). Windows are made in it or copied
 * to it (output/sink.c). The output may be the input: all of it has been read before anything is
 * written. */
#ifndef GSI_ARRAY_H
#define GSI_ARRAY_H

#include "io/file.h"

struct gsi_array {
    const uint8_t *from;
    uint8_t *to; /* NULL: only read */
    uint64_t bytes;
    bool is_written; /* some bytes at `to` may have changed, */
    bool is_whole;   /* but all elements are present, in some order */
};

/* gsi_array_input, gsi_array_output: return an input and an output that borrow the array until they
 * are closed, which does nothing. */
struct gsi_input gsi_array_input(const struct gsi_array *array, const char *name);
struct gsi_output gsi_array_output(struct gsi_array *array, const char *name);

/* gsi_array_overlaps: returns whether the first `bytes` written overlap the memory of the array. */
bool gsi_array_overlaps(const struct gsi_array *array, uint64_t bytes);

/* gsi_array_is_mapped: returns whether the array is in the mapped memory of a file, which the
 * kernel moves to and from the disk. Returns false if the kernel does not say. */
bool gsi_array_is_mapped(const struct gsi_array *array);

#endif
