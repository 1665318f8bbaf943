/* source_buffers.c: decides which buffers a source gets, and when; and fills them from arrays. */
#include "base/checked.h"
#include "input/source.h"
#include "io/array.h"
#include "plan/plan.h"

static void populate(struct gsi_task *task, uint32_t worker_idx)
{
    (void)worker_idx;
    struct gsi_buffer *buffer = gsi_buffer_of_task(task);
    gsi_memory_populate(buffer->memory, buffer->memory_bytes);
}

static void populate_done(struct gsi_task *task)
{
    struct gsi_buffer *buffer = gsi_buffer_of_task(task);
    struct gsi_source *source = buffer->holder;
    buffer->is_populated = true;
    source->populating_count--;
    gsi_source_give(source, buffer);
}

/* A stream may end soon: it takes what comes. */
void gsi_source_offer(struct gsi_source *source, struct gsi_buffer *buffer)
{
    /* Tasks fill what is carried; nothing touches what is lent. */
    bool is_present = source->carrier != NULL || source->inputs->is_lent;
    if (is_present || buffer->is_populated || source->inputs->bytes == UINT64_MAX) {
        gsi_source_give(source, buffer);
        return;
    }
    buffer->holder = source;
    buffer->task = (struct gsi_task){.run = populate, .done = populate_done, .is_urgent = true};
    source->populating_count++;
    gsi_pool_submit(source->inputs->loop->pool, &buffer->task);
}

uint32_t gsi_source_given(const struct gsi_source *source)
{
    if (source->carrier != NULL)
        return gsi_carrier_given(source->carrier);
    return source->given_count + source->populating_count + source->held_count;
}

/* Whether a buffer more has to be made present: as many at a time as there are threads, but no more
 * than what is left of the last input fills. */
static bool may_populate(const struct gsi_source *source, const struct gsi_buffers *buffers)
{
    const struct gsi_inputs *inputs = source->inputs;
    const struct gsi_input *input = &inputs->table[source->input_idx];
    uint64_t coming = (uint64_t)source->populating_count * buffers->unit_bytes;
    bool is_last = source->input_idx + 1 == inputs->count;
    return source->populating_count < inputs->loop->plan->thread_count &&
           (!is_last || source->populating_count == 0 || coming < input->bytes - source->input_off);
}

/* Copies from the page cache outrun the threads. What is read no further ahead is still in the
 * processor's cache when it is looked at; these are the buffers of transfers, and two a thread. */
static bool is_ahead(const struct gsi_source *source, const struct gsi_buffers *buffers)
{
    const struct gsi_inputs *inputs = source->inputs;
    uint32_t most = GSI_PLAN_READS / GSI_SOURCE_COPY_PART + 2 * inputs->loop->plan->thread_count;
    return !inputs->table[source->input_idx].is_direct &&
           buffers->count - buffers->free_count >= most;
}

/* Whether a transfer could begin, if it had the next one that is free. */
static bool wants_buffer(const struct gsi_source *source, const struct gsi_buffers *buffers)
{
    return !source->is_end && !source->is_stream_busy && source->filling == NULL &&
           (source->free_slots != NULL || source->carrier != NULL) && buffers->free != NULL &&
           !is_ahead(source, buffers) &&
           (buffers->free->is_populated || may_populate(source, buffers));
}

bool gsi_source_refill(struct gsi_source *source, struct gsi_buffers *buffers)
{
    bool has_moved = gsi_source_pump(source);
    while (wants_buffer(source, buffers)) {
        gsi_source_offer(source, gsi_buffers_take(buffers));
        has_moved |= gsi_source_pump(source);
    }
    return has_moved;
}

struct gsi_buffer *gsi_source_next_filled(struct gsi_source *source, struct gsi_buffers *buffers)
{
    struct gsi_buffer *buffer;
    while ((buffer = gsi_source_next(source)) != NULL && buffer->bytes == 0) {
        gsi_buffers_give(buffers, buffer);
        gsi_source_refill(source, buffers); /* a filter may have waited for just that one */
    }
    return buffer;
}

/* ---- arrays ---- */

/* Threads copy a buffer each, for which one alone would be too slow. Where who reads the buffers
 * only looks at them, they are lent what lies in the array: their data are outside of their memory
 * then, until they are given again. */
static void copy(struct gsi_task *task, uint32_t worker_idx)
{
    (void)worker_idx;
    struct gsi_buffer *buffer = gsi_buffer_of_task(task);
    memcpy(buffer->data, gsi_source_fill_of(buffer)->from, buffer->bytes);
}

static void copy_done(struct gsi_task *task)
{
    struct gsi_buffer *buffer = gsi_buffer_of_task(task);
    gsi_source_fill_of(buffer)->read_count--;
}

void gsi_source_request_array(struct gsi_source *source)
{
    struct gsi_inputs *inputs = source->inputs;
    const struct gsi_input *input = &inputs->table[source->input_idx];
    struct gsi_buffer *buffer = source->filling;
    uint64_t bytes = gsi_min_u64(buffer->capacity, input->bytes - source->input_off);
    const uint8_t *from = input->array->from + input->base_off + source->input_off;
    source->input_off += bytes;
    inputs->data_bytes += bytes;
    inputs->loop->done_bytes += bytes;
    gsi_loop_now(inputs->loop)->bytes_read += bytes;
    buffer->bytes = gsi_source_fill_of(buffer)->requested_bytes = bytes;
    if (inputs->is_lent) {
        buffer->data = (uint8_t *)from; /* nobody writes there */
        return;
    }
    gsi_source_fill_of(buffer)->from = from;
    gsi_source_fill_of(buffer)->read_count++;
    buffer->holder = source;
    buffer->task = (struct gsi_task){.run = copy, .done = copy_done, .is_urgent = true};
    gsi_pool_submit(inputs->loop->pool, &buffer->task);
}
