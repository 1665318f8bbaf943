/* lanes.c: a reader for each file of values, and what was read of it. */
#include "input/values/lanes.h"

#include "base/assert.h"
#include "base/checked.h"
#include "base/simd.h"
#include "plan/plan.h"

#include <string.h>

/* Buffers of a lane: while one is taken apart others are read. Together a 64th of memory. */
#define LANE_BUFFERS     GSI_CONSTANT(6u, 3u)
#define LANE_PART        384
#define BUFFER_MIN_BYTES ((uint64_t)16 << 10)
#define BUFFER_MAX_BYTES ((uint64_t)2 << 20)

/* What is known about a buffer that is taken apart. */
struct parts {
    uint32_t count; /* that tasks work on */
};

GSI_HOLDER_STATE(parts_of, struct parts)

/* At least one value. */
static uint64_t buffer_bytes(const struct gsi_values *values, uint32_t width, uint64_t memory_bytes)
{
    uint64_t bytes =
        gsi_clamp_u64(memory_bytes / LANE_PART / values->count, BUFFER_MIN_BYTES, BUFFER_MAX_BYTES);
    return gsi_round_up_u64(gsi_max_u64(bytes, width), GSI_DIRECT_ALIGN);
}

static void lay_out(struct gsi_lane *lane, uint64_t bytes, struct gsi_shelf *shelf)
{
    gsi_buffers_lay_out(&lane->staging, NULL, LANE_BUFFERS,
                        (struct gsi_buffer_shape){.unit_bytes = bytes}, shelf);
    gsi_reader_lay_out(&lane->reader, shelf);
}

void gsi_lanes_lay_out(struct gsi_lanes *lanes, const struct gsi_values *values,
                       uint64_t memory_bytes, struct gsi_shelf *shelf)
{
    *lanes = (struct gsi_lanes){.count = values != NULL ? values->count : 0};
    GSI_PLACE(shelf, lanes->table, lanes->count);
    for (uint32_t i = 0; i < lanes->count; i++) {
        struct gsi_lane planned;
        lay_out(lanes->table != NULL ? &lanes->table[i] : &planned,
                buffer_bytes(values, values->table[i].bytes, memory_bytes), shelf);
    }
}

void gsi_lanes_begin(struct gsi_lanes *lanes, struct gsi_inputs *inputs, uint64_t first)
{
    lanes->next = first;
    for (uint32_t i = 0; i < lanes->count; i++) {
        struct gsi_lane *lane = &lanes->table[i];
        struct gsi_value_file *file = &inputs->values->table[i];
        lane->file = file;
        lane->inputs = (struct gsi_inputs){.loop = inputs->loop,
                                           .spec = inputs->spec,
                                           .layout = inputs->layout,
                                           .table = &file->input,
                                           .count = 1,
                                           .bytes = file->input.bytes};
        lane->reader.inputs = &lane->inputs;
        for (uint32_t k = 0; k < lane->staging.count; k++) /* whole values */
            lane->staging.all[k].capacity -= lane->staging.all[k].capacity % file->bytes;
    }
}

static bool is_taken(const struct gsi_lane *lane)
{
    return lane->staged == NULL || lane->off == lane->staged->bytes;
}

/* A buffer that is taken apart and whose parts are done with is free. */
static void release(struct gsi_lane *lane, struct gsi_buffer *staged)
{
    if (parts_of(staged)->count == 0 && staged != lane->staged)
        gsi_buffers_give(&lane->staging, staged);
}

static bool next_staged(struct gsi_lane *lane)
{
    struct gsi_buffer *before = lane->staged;
    if (!is_taken(lane))
        return false;
    lane->staged = NULL;
    if (before != NULL)
        release(lane, before);
    lane->staged = gsi_reader_next(&lane->reader);
    lane->off = 0;
    if (lane->staged == NULL)
        return before != NULL;
    parts_of(lane->staged)->count = 0;
    return true;
}

static bool pump_lane(struct gsi_lane *lane)
{
    struct gsi_buffer *buffer;
    bool has_moved = next_staged(lane);
    while (!lane->reader.is_end && (buffer = gsi_buffers_take(&lane->staging)) != NULL)
        gsi_reader_give(&lane->reader, buffer);
    return gsi_reader_pump(&lane->reader) || has_moved;
}

bool gsi_lanes_pump(struct gsi_lanes *lanes)
{
    bool has_moved = false;
    for (uint32_t i = 0; i < lanes->count; i++)
        has_moved |= pump_lane(&lanes->table[i]);
    return has_moved;
}

uint64_t gsi_lanes_ready(const struct gsi_lanes *lanes)
{
    uint64_t ready = UINT64_MAX;
    for (uint32_t i = 0; i < lanes->count; i++) {
        const struct gsi_lane *lane = &lanes->table[i];
        uint64_t bytes = is_taken(lane) ? 0 : lane->staged->bytes - lane->off;
        ready = gsi_min_u64(ready, bytes / lane->file->bytes);
    }
    return ready;
}

static void skip(struct gsi_lanes *lanes, uint64_t n)
{
    for (uint32_t i = 0; i < lanes->count; i++)
        lanes->table[i].off += n * lanes->table[i].file->bytes;
    lanes->next += n;
}

bool gsi_lanes_skip_to(struct gsi_lanes *lanes, uint64_t position)
{
    if (lanes->count > 0 && lanes->next < position)
        skip(lanes, gsi_min_u64(position - lanes->next, gsi_lanes_ready(lanes)));
    return lanes->count == 0 || lanes->next == position;
}

void gsi_lanes_take(struct gsi_lanes *lanes, uint64_t n, struct gsi_lane_part *parts)
{
    for (uint32_t i = 0; i < lanes->count; i++) {
        struct gsi_lane *lane = &lanes->table[i];
        parts[i] =
            (struct gsi_lane_part){.from = lane->staged->data + lane->off, .staged = lane->staged};
        parts_of(lane->staged)->count++;
    }
    skip(lanes, n);
}

/* Widths that are usual have a copy that the compiler knows the length of. */
GSI_INLINE void put(const uint8_t *from, uint64_t n, uint8_t *to, uint64_t step, uint32_t width)
{
    for (uint64_t i = 0; i < n; i++)
        memcpy(to + i * step, from + i * width, width);
}

static void put_places(const uint8_t *from, const uint32_t *places, uint64_t n, uint8_t *to,
                       uint64_t step, uint32_t width)
{
    for (uint64_t i = 0; i < n; i++)
        memcpy(to + i * step, from + (uint64_t)(places[i] - places[0]) * width, width);
}

void gsi_lanes_put(const struct gsi_lanes *lanes, const struct gsi_lane_part *parts, uint64_t n,
                   const uint32_t *places, uint8_t *to, uint64_t record_bytes)
{
    for (uint32_t i = 0; i < lanes->count; i++) {
        const struct gsi_value_file *file = lanes->table[i].file;
        uint8_t *first = to + file->off;
        if (places != NULL)
            put_places(parts[i].from, places, n, first, record_bytes, file->bytes);
        else if (file->bytes == 4)
            put(parts[i].from, n, first, record_bytes, 4);
        else if (file->bytes == 8)
            put(parts[i].from, n, first, record_bytes, 8);
        else
            put(parts[i].from, n, first, record_bytes, file->bytes);
    }
}

void gsi_lanes_give(struct gsi_lanes *lanes, const struct gsi_lane_part *parts)
{
    for (uint32_t i = 0; i < lanes->count; i++) {
        parts_of(parts[i].staged)->count--;
        release(&lanes->table[i], parts[i].staged);
    }
}
