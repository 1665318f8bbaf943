/* value_readers.h: reads the files of --values along with the keys (input/payload/entry_maker.h).
 *
 *     a file:  reader -> staged buffers, in order -> slices, as long as the batch of keys
 *
 * All functions except gsi_value_readers_copy are for the owner's thread. */
#ifndef GSI_VALUE_READERS_H
#define GSI_VALUE_READERS_H

#include "input/reader.h"
#include "input/values/values.h"

/* Consecutive values in a staging buffer, for one task. */
struct gsi_value_slice {
    const uint8_t *from;
    struct gsi_buffer *staged;
};

struct gsi_value_reader {
    const struct gsi_value_file *file;
    struct gsi_inputs inputs; /* the inputs of `reader`: only this file */
    struct gsi_reader reader;
    struct gsi_buffers staging;
    struct gsi_buffer *staged; /* the buffer whose values are popped next, from byte `off` on; NULL:
                                * not read yet */
    uint64_t off;
};

struct gsi_value_readers {
    struct gsi_value_reader *table;
    uint32_t count;
    uint64_t next; /* position of the next value of each file */
};

/* gsi_value_readers_lay_out: allocates readers from a bump allocator, for a job with
 * `memory_bytes`; none if `values` is NULL.
 * gsi_value_readers_begin: begins to read inputs->values.
 * in    first: position of the first value that is read */
void gsi_value_readers_lay_out(struct gsi_value_readers *readers, const struct gsi_values *values,
                               uint64_t memory_bytes, struct gsi_bump *bump);
void gsi_value_readers_begin(struct gsi_value_readers *readers, struct gsi_inputs *inputs,
                             uint64_t first);

/* gsi_value_readers_pump: does all work that is possible now. Returns whether there was any.
 * gsi_value_readers_ready_count: returns how many values of each file are ready; UINT64_MAX: there
 * are no files. */
bool gsi_value_readers_pump(struct gsi_value_readers *readers);
uint64_t gsi_value_readers_ready_count(const struct gsi_value_readers *readers);

/* gsi_value_readers_skip_to: skips values before a position, as far as they were read. Returns
 * whether the next value has this position.
 * gsi_value_readers_pop: sets slices[i] to the next `n` values of file i. They must be ready
 * (gsi_value_readers_ready_count).
 * gsi_value_readers_copy: copies `n` values of each slice into records from `to` on. Any thread.
 * in    indexes: which values to copy; indexes[0] stands for the first value of the slice; NULL:
 *       the first `n`
 * gsi_value_readers_release: ends the use of slices, so that their buffers can be read into
 * again. */
bool gsi_value_readers_skip_to(struct gsi_value_readers *readers, uint64_t position);
void gsi_value_readers_pop(struct gsi_value_readers *readers, uint64_t n,
                           struct gsi_value_slice *slices);
void gsi_value_readers_copy(const struct gsi_value_readers *readers,
                            const struct gsi_value_slice *slices, uint64_t n,
                            const uint32_t *indexes, uint8_t *to, uint64_t record_bytes);
void gsi_value_readers_release(struct gsi_value_readers *readers,
                               const struct gsi_value_slice *slices);

#endif
