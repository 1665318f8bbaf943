/* value_readers.c: reads each file of --values, and frees buffers whose values no task uses any
 * more. */
#include "input/values/value_readers.h"

#include "base/assert.h"
#include "base/checked.h"
#include "base/simd.h"
#include "plan/plan.h"

#include <string.h>

/* Each file has READER_BUFFERS buffers: values of one are used while others are read. All buffers
 * together have a 64th of the memory. */
#define READER_BUFFERS   GSI_CONSTANT(6u, 3u)
#define READER_DIVISOR   384
#define BUFFER_MIN_BYTES ((uint64_t)16 << 10)
#define BUFFER_MAX_BYTES ((uint64_t)2 << 20)

/* State of a buffer whose values are being used. */
struct slices {
    uint32_t count; /* slices that tasks use */
};

GSI_HOLDER_STATE(slices_of, struct slices)

/* Returns the bytes of a buffer, at least one value. */
static uint64_t buffer_bytes(const struct gsi_values *values, uint32_t width, uint64_t memory_bytes)
{
    uint64_t bytes = gsi_clamp_u64(memory_bytes / READER_DIVISOR / values->count, BUFFER_MIN_BYTES,
                                   BUFFER_MAX_BYTES);
    return gsi_round_up_u64(gsi_max_u64(bytes, width), GSI_DIRECT_ALIGN);
}

static void lay_out(struct gsi_value_reader *one, uint64_t bytes, struct gsi_bump *bump)
{
    gsi_buffers_lay_out(&one->staging, NULL, READER_BUFFERS,
                        (struct gsi_buffer_shape){.unit_bytes = bytes}, bump);
    gsi_reader_lay_out(&one->reader, GSI_PLAN_READS_MIN, bump);
}

void gsi_value_readers_lay_out(struct gsi_value_readers *readers, const struct gsi_values *values,
                               uint64_t memory_bytes, struct gsi_bump *bump)
{
    *readers = (struct gsi_value_readers){.count = values != NULL ? values->count : 0};
    GSI_BUMP_ALLOC(bump, readers->table, readers->count);
    for (uint32_t i = 0; i < readers->count; i++) {
        struct gsi_value_reader planned;
        lay_out(readers->table != NULL ? &readers->table[i] : &planned,
                buffer_bytes(values, values->table[i].bytes, memory_bytes), bump);
    }
}

void gsi_value_readers_begin(struct gsi_value_readers *readers, struct gsi_inputs *inputs,
                             uint64_t first)
{
    readers->next = first;
    for (uint32_t i = 0; i < readers->count; i++) {
        struct gsi_value_reader *one = &readers->table[i];
        struct gsi_value_file *file = &inputs->values->table[i];
        one->file = file;
        one->inputs = (struct gsi_inputs){.loop = inputs->loop,
                                          .spec = inputs->spec,
                                          .layout = inputs->layout,
                                          .table = &file->input,
                                          .count = 1,
                                          .bytes = file->input.bytes};
        one->reader.inputs = &one->inputs;
        for (uint32_t k = 0; k < one->staging.count; k++) /* whole values */
            one->staging.all[k].capacity -= one->staging.all[k].capacity % file->bytes;
    }
}

static bool is_used_up(const struct gsi_value_reader *one)
{
    return one->staged == NULL || one->off == one->staged->bytes;
}

/* Frees a buffer if all its values were popped and no task uses a slice of it. */
static void return_unused(struct gsi_value_reader *one, struct gsi_buffer *staged)
{
    if (slices_of(staged)->count == 0 && staged != one->staged)
        gsi_buffers_return(&one->staging, staged);
}

static bool next_buffer(struct gsi_value_reader *one)
{
    struct gsi_buffer *before = one->staged;
    if (!is_used_up(one))
        return false;
    one->staged = NULL;
    if (before != NULL)
        return_unused(one, before);
    one->staged = gsi_reader_next(&one->reader);
    one->off = 0;
    if (one->staged == NULL)
        return before != NULL;
    slices_of(one->staged)->count = 0;
    return true;
}

static bool pump_one(struct gsi_value_reader *one)
{
    struct gsi_buffer *buffer;
    bool has_moved = next_buffer(one);
    while (!one->reader.is_end && (buffer = gsi_buffers_pop(&one->staging)) != NULL)
        gsi_reader_add(&one->reader, buffer);
    return gsi_reader_pump(&one->reader) || has_moved;
}

bool gsi_value_readers_pump(struct gsi_value_readers *readers)
{
    bool has_moved = false;
    for (uint32_t i = 0; i < readers->count; i++)
        has_moved |= pump_one(&readers->table[i]);
    return has_moved;
}

uint64_t gsi_value_readers_ready_count(const struct gsi_value_readers *readers)
{
    uint64_t ready = UINT64_MAX;
    for (uint32_t i = 0; i < readers->count; i++) {
        const struct gsi_value_reader *one = &readers->table[i];
        uint64_t bytes = is_used_up(one) ? 0 : one->staged->bytes - one->off;
        ready = gsi_min_u64(ready, bytes / one->file->bytes);
    }
    return ready;
}

static void skip_values(struct gsi_value_readers *readers, uint64_t n)
{
    for (uint32_t i = 0; i < readers->count; i++)
        readers->table[i].off += n * readers->table[i].file->bytes;
    readers->next += n;
}

bool gsi_value_readers_skip_to(struct gsi_value_readers *readers, uint64_t position)
{
    if (readers->count > 0 && readers->next < position)
        skip_values(readers,
                    gsi_min_u64(position - readers->next, gsi_value_readers_ready_count(readers)));
    return readers->count == 0 || readers->next == position;
}

void gsi_value_readers_pop(struct gsi_value_readers *readers, uint64_t n,
                           struct gsi_value_slice *slices)
{
    for (uint32_t i = 0; i < readers->count; i++) {
        struct gsi_value_reader *one = &readers->table[i];
        slices[i] =
            (struct gsi_value_slice){.from = one->staged->data + one->off, .staged = one->staged};
        slices_of(one->staged)->count++;
    }
    skip_values(readers, n);
}

/* Copies values. It is inlined, so that the compiler knows the usual widths. */
GSI_INLINE void copy_values(const uint8_t *from, uint64_t n, uint8_t *to, uint64_t step,
                            uint32_t width)
{
    for (uint64_t i = 0; i < n; i++)
        memcpy(to + i * step, from + i * width, width);
}

static void copy_indexed(const uint8_t *from, const uint32_t *indexes, uint64_t n, uint8_t *to,
                         uint64_t step, uint32_t width)
{
    for (uint64_t i = 0; i < n; i++)
        memcpy(to + i * step, from + (uint64_t)(indexes[i] - indexes[0]) * width, width);
}

void gsi_value_readers_copy(const struct gsi_value_readers *readers,
                            const struct gsi_value_slice *slices, uint64_t n,
                            const uint32_t *indexes, uint8_t *to, uint64_t record_bytes)
{
    for (uint32_t i = 0; i < readers->count; i++) {
        const struct gsi_value_file *file = readers->table[i].file;
        uint8_t *first = to + file->off;
        if (indexes != NULL)
            copy_indexed(slices[i].from, indexes, n, first, record_bytes, file->bytes);
        else if (file->bytes == 4)
            copy_values(slices[i].from, n, first, record_bytes, 4);
        else if (file->bytes == 8)
            copy_values(slices[i].from, n, first, record_bytes, 8);
        else
            copy_values(slices[i].from, n, first, record_bytes, file->bytes);
    }
}

void gsi_value_readers_release(struct gsi_value_readers *readers,
                               const struct gsi_value_slice *slices)
{
    for (uint32_t i = 0; i < readers->count; i++) {
        slices_of(slices[i].staged)->count--;
        return_unused(&readers->table[i], slices[i].staged);
    }
}
