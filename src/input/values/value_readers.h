/* value_readers.h: reads the files of --values along with the keys (input/payload/entry_maker.h).
 *
 *     a file:  reader -> staged buffers, in order -> slices, as long as the batch of keys
 *
 * All functions except gsi_value_readers_copy are for the owner's thread. */
#ifndef GSI_VALUE_READERS_H
#define GSI_VALUE_READERS_H

#include "input/reader.h"
#include "input/values/values.h"

/* Consecutive values in a staged buffer, for a task. */
struct gsi_value_slice {
    const uint8_t *from;
    struct gsi_buffer *staged;
};

struct gsi_value_reader {
    const struct gsi_value_file *file;
    struct gsi_inputs inputs; /* with that file only */
    struct gsi_reader reader;
    struct gsi_buffers staging;
    struct gsi_buffer *staged; /* being used, from `off` on; NULL: not read yet */
    uint64_t off;
};

struct gsi_value_readers {
    struct gsi_value_reader *table;
    uint32_t count;
    uint64_t next; /* position of the next value of each */
};

/* gsi_value_readers_lay_out: allocates readers from a bump allocator, for `memory_bytes` in all;
 * none if values is NULL.
 * gsi_value_readers_begin: begins to read inputs->values.
 * in    first: position of the first value that is read */
void gsi_value_readers_lay_out(struct gsi_value_readers *readers, const struct gsi_values *values,
                               uint64_t memory_bytes, struct gsi_bump *bump);
void gsi_value_readers_begin(struct gsi_value_readers *readers, struct gsi_inputs *inputs,
                             uint64_t first);

/* gsi_value_readers_pump: continues to read. Returns whether there was anything to do.
 * gsi_value_readers_ready_count: returns how many values of each file are ready; UINT64_MAX: there
 * are no files. */
bool gsi_value_readers_pump(struct gsi_value_readers *readers);
uint64_t gsi_value_readers_ready_count(const struct gsi_value_readers *readers);

/* gsi_value_readers_skip_to: skips values up to that position, as far as they are ready. Returns
 * whether it is the position of the next value.
 * gsi_value_readers_pop: returns the next n values of each file, which are ready, as slices.
 * gsi_value_readers_copy: copies n of them into joined records, the first of which begins at `to`.
 * Any thread.
 * in    indexes: of the values to copy, beginning with the first popped one; NULL: all
 * gsi_value_readers_release: releases the slices. */
bool gsi_value_readers_skip_to(struct gsi_value_readers *readers, uint64_t position);
void gsi_value_readers_pop(struct gsi_value_readers *readers, uint64_t n,
                           struct gsi_value_slice *slices);
void gsi_value_readers_copy(const struct gsi_value_readers *readers,
                            const struct gsi_value_slice *slices, uint64_t n,
                            const uint32_t *indexes, uint8_t *to, uint64_t record_bytes);
void gsi_value_readers_release(struct gsi_value_readers *readers,
                               const struct gsi_value_slice *slices);

#endif
