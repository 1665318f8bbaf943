/* lanes.h: reads the files of --values side by side with the keys (input/payload/entry_maker.h).
 *
 *     lane of a file:  reader -> staged buffers, in order -> parts, as long as the keys' piece
 *
 * All but gsi_lanes_put is for the owner's thread. */
#ifndef GSI_LANES_H
#define GSI_LANES_H

#include "input/reader.h"
#include "input/values/values.h"

/* Values that lie behind each other in a staged buffer, for a task. */
struct gsi_lane_part {
    const uint8_t *from;
    struct gsi_buffer *staged;
};

struct gsi_lane {
    const struct gsi_value_file *file;
    struct gsi_inputs inputs; /* that one */
    struct gsi_reader reader;
    struct gsi_buffers staging;
    struct gsi_buffer *staged; /* being taken, from `off` on; NULL: not read yet */
    uint64_t off;
};

struct gsi_lanes {
    struct gsi_lane *table;
    uint32_t count;
    uint64_t next; /* position of the next value of each */
};

/* gsi_lanes_lay_out: places lanes on a shelf, out of `memory_bytes` in all; values NULL: none.
 * gsi_lanes_begin: lanes of inputs->values begin to read.
 * in    first: position of the first value that is read */
void gsi_lanes_lay_out(struct gsi_lanes *lanes, const struct gsi_values *values,
                       uint64_t memory_bytes, struct gsi_shelf *shelf);
void gsi_lanes_begin(struct gsi_lanes *lanes, struct gsi_inputs *inputs, uint64_t first);

/* gsi_lanes_pump: reads on. Returns whether there was anything to do.
 * gsi_lanes_ready: how many values of each file can be taken now; UINT64_MAX: there are no
 * files. */
bool gsi_lanes_pump(struct gsi_lanes *lanes);
uint64_t gsi_lanes_ready(const struct gsi_lanes *lanes);

/* gsi_lanes_skip_to: passes over values up to that position, as far as they are ready. Returns
 * whether it is the next one's.
 * gsi_lanes_take: the next n values of each file, which are ready.
 * gsi_lanes_put: puts n of them where they are in joined records, the first of which begins at
 * `to`. Any thread.
 * in    places: of those n, the first of which was taken first; NULL: all
 * gsi_lanes_give: the parts are done with. */
bool gsi_lanes_skip_to(struct gsi_lanes *lanes, uint64_t position);
void gsi_lanes_take(struct gsi_lanes *lanes, uint64_t n, struct gsi_lane_part *parts);
void gsi_lanes_put(const struct gsi_lanes *lanes, const struct gsi_lane_part *parts, uint64_t n,
                   const uint32_t *places, uint8_t *to, uint64_t record_bytes);
void gsi_lanes_give(struct gsi_lanes *lanes, const struct gsi_lane_part *parts);

#endif
