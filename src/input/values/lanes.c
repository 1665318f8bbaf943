/* lanes.c: a reader for each file of values, and what was read of it. */
#include "input/values/lanes.h"

#include "base/assert.h"
#include "base/checked.h"
#include "base/report.h"
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

uint64_t gsi_lanes_bytes(const struct gsi_values *values, uint64_t memory_bytes)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; values != NULL && i < values->count; i++)
        bytes += LANE_BUFFERS * (buffer_bytes(values, values->table[i].bytes, memory_bytes) +
                                 sizeof(struct gsi_buffer)) +
                 sizeof(struct gsi_lane) + GSI_PLAN_READS * sizeof(uint64_t) * 32;
    return bytes;
}

static enum gs_status open_lane(struct gsi_lane *lane, struct gsi_inputs *keys,
                                struct gsi_value_file *file)
{
    struct gsi_loop *loop = keys->loop;
    void *memory;
    lane->file = file;
    lane->inputs = (struct gsi_inputs){.loop = loop,
                                       .spec = keys->spec,
                                       .layout = keys->layout,
                                       .table = &file->input,
                                       .count = 1,
                                       .bytes = file->input.bytes};
    struct gsi_buffer_shape shape = {
        .unit_bytes = buffer_bytes(keys->values, file->bytes, loop->plan->memory_bytes)};
    lane->memory_bytes = LANE_BUFFERS * shape.unit_bytes;
    GSI_TRY(gsi_source_init_reader(&lane->reader, &lane->inputs));
    GSI_TRY(
        gsi_memory_map(&loop->ledger, GSI_MEMORY_DATA, lane->memory_bytes, &memory, loop->error));
    lane->memory = memory;
    GSI_TRY(gsi_buffers_init(&lane->staging, &loop->ledger, memory, lane->memory_bytes, shape,
                             false, loop->error));
    for (uint32_t i = 0; i < lane->staging.count; i++) /* whole values */
        lane->staging.all[i].capacity -= lane->staging.all[i].capacity % file->bytes;
    return GS_OK;
}

enum gs_status gsi_lanes_open(struct gsi_lanes *lanes, struct gsi_inputs *inputs, uint64_t first)
{
    const struct gsi_values *values = inputs->values;
    *lanes = (struct gsi_lanes){.loop = inputs->loop, .next = first};
    if (values == NULL)
        return GS_OK;
    GSI_TRY(GSI_NEW(&inputs->loop->ledger, lanes->table, values->count, inputs->loop->error));
    lanes->count = values->count;
    for (uint32_t i = 0; i < values->count; i++)
        GSI_TRY(open_lane(&lanes->table[i], inputs, &values->table[i]));
    return GS_OK;
}

void gsi_lanes_close(struct gsi_lanes *lanes)
{
    if (lanes->table == NULL)
        return;
    struct gsi_ledger *ledger = &lanes->loop->ledger;
    for (uint32_t i = 0; i < lanes->count; i++) {
        struct gsi_lane *lane = &lanes->table[i];
        gsi_source_clear(&lane->reader);
        gsi_buffers_clear(&lane->staging);
        if (lane->memory != NULL)
            gsi_memory_unmap(ledger, GSI_MEMORY_DATA, lane->memory, lane->memory_bytes);
    }
    GSI_FREE(ledger, lanes->table, lanes->count);
    *lanes = (struct gsi_lanes){0};
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
    lane->staged = gsi_source_next_read(&lane->reader);
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
        gsi_source_give(&lane->reader, buffer);
    return gsi_source_pump_reader(&lane->reader) || has_moved;
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
