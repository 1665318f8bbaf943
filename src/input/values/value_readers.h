/* value_readers.h: reads the files of --values side by side with the keys (input/payload/entry_maker.h).
 *
 *     one of a file:  reader -> staged buffers, in order -> slices, as long as the keys' piece
 *
 * All but gsi_value_readers_copy is for the owner's thread. */
#ifndef GSI_VALUE_READERS_H
#define GSI_VALUE_READERS_H

#include "input/reader.h"
#include "input/values/values.h"

/* Values that lie behind each other in a staged buffer, for a task. */
struct gsi_value_slice {
    const uint8_t *from;
    struct gsi_buffer *staged;
};

struct gsi_value_reader {
    const struct gsi_value_file *file;
    struct gsi_inputs inputs; /* that one */
    struct gsi_reader reader;
    struct gsi_buffers staging;
    struct gsi_buffer *staged; /* being taken, from `off` on; NULL: not read yet */
    uint64_t off;
};

struct gsi_value_readers {
    struct gsi_value_reader *table;
    uint32_t count;
    uint64_t next; /* position of the next value of each */
};

/* gsi_value_readers_lay_out: indexes readers on a shelf, out of `memory_bytes` in all; values NULL: none.
 * gsi_value_readers_begin: readers of inputs->values begin to read.
 * in    first: position of the first value that is read */
void gsi_value_readers_lay_out(struct gsi_value_readers *readers, const struct gsi_values *values,
                               uint64_t memory_bytes, struct gsi_shelf *shelf);
void gsi_value_readers_begin(struct gsi_value_readers *readers, struct gsi_inputs *inputs,
                             uint64_t first);

/* gsi_value_readers_pump: reads on. Returns whether there was anything to do.
 * gsi_value_readers_ready: how many values of each file can be taken now; UINT64_MAX: there are no
 * files. */
bool gsi_value_readers_pump(struct gsi_value_readers *readers);
uint64_t gsi_value_readers_ready(const struct gsi_value_readers *readers);

/* gsi_value_readers_skip_to: passes over values up to that position, as far as they are ready. Returns
 * whether it is the next one's.
 * gsi_value_readers_pop: the next n values of each file, which are ready.
 * gsi_value_readers_copy: puts n of them where they are in joined records, the first of which begins at
 * `to`. Any thread.
 * in    indexes: of those n, the first of which was taken first; NULL: all
 * gsi_value_readers_release: the slices are done with. */
bool gsi_value_readers_skip_to(struct gsi_value_readers *readers, uint64_t position);
void gsi_value_readers_pop(struct gsi_value_readers *readers, uint64_t n,
                           struct gsi_value_slice *slices);
void gsi_value_readers_copy(const struct gsi_value_readers *readers,
                            const struct gsi_value_slice *slices, uint64_t n,
                            const uint32_t *indexes, uint8_t *to, uint64_t record_bytes);
void gsi_value_readers_release(struct gsi_value_readers *readers,
                               const struct gsi_value_slice *slices);

#endif
