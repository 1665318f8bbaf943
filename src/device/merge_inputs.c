/* merge_inputs.c: keeps the lists of segments, and finds the lowest bound. */
#include "device/merge_inputs.h"

#include "base/assert.h"
#include "base/checked.h"

#include <string.h>

GSI_LIST(segments, struct gsi_segment)

struct gsi_merge_input_state {
    struct segments list;
    uint8_t bound[16];
    bool is_open;  /* more may be fed */
    bool is_bound; /* `bound` is known */
};

static_assert(sizeof(struct gsi_merge_input_state) <= GSI_DEVICE_INPUT_BYTES,
              "the plan reckons with as much");

static void set_bound(const struct gsi_merge_inputs *inputs, struct gsi_merge_input_state *input,
                      const void *bound)
{
    input->is_bound = bound != NULL;
    if (bound != NULL)
        memcpy(input->bound, bound, inputs->layout.key_bytes);
}

enum gs_status gsi_merge_inputs_init(struct gsi_merge_inputs *inputs,
                                     const struct gsi_layout *layout, struct gsi_ledger *ledger,
                                     const struct gsi_merge_spec *spec, uint64_t segment_count,
                                     struct gs_error *error)
{
    inputs->layout = *layout;
    inputs->ledger = ledger;
    inputs->input_count = spec->input_count;
    if (segment_count > UINT32_MAX)
        return gsi_fail(error, GS_E_MEMORY, 0,
                        "memory: more than 4294967295 blocks to merge; raise --chunk");
    inputs->segment_count = (uint32_t)segment_count;
    GSI_TRY(GSI_NEW(ledger, inputs->inputs, inputs->input_count, error));
    GSI_TRY(GSI_NEW(ledger, inputs->segments, segment_count, error));
    for (uint32_t i = 0; i < inputs->segment_count; i++) {
        inputs->segments[i].next = inputs->free_segments;
        inputs->free_segments = &inputs->segments[i];
    }
    for (uint32_t i = 0; i < inputs->input_count; i++) {
        struct gsi_merge_input_state *input = &inputs->inputs[i];
        segments_init(&input->list);
        input->is_open = spec->inputs[i].run == NULL;
        set_bound(inputs, input, spec->inputs[i].bound);
    }
    return GS_OK;
}

void gsi_merge_inputs_clear(struct gsi_merge_inputs *inputs)
{
    if (inputs->inputs != NULL)
        for (uint32_t i = 0; i < inputs->input_count; i++)
            for (struct gsi_segment *s = inputs->inputs[i].list.head; s != NULL; s = s->next)
                if (s->buffer != NULL)
                    inputs->release(inputs->context, s->buffer);
    GSI_FREE(inputs->ledger, inputs->segments, inputs->segment_count);
    GSI_FREE(inputs->ledger, inputs->inputs, inputs->input_count);
    *inputs = (struct gsi_merge_inputs){0};
}

static struct gsi_segment *append(struct gsi_merge_inputs *inputs, uint32_t input_idx,
                                  struct gsi_slice slice, struct gsi_buffer *buffer)
{
    struct gsi_merge_input_state *input = &inputs->inputs[input_idx];
    struct gsi_segment *segment = inputs->free_segments; /* bounded by the spec */
    GSI_ASSERT(segment != NULL);
    inputs->free_segments = segment->next;
    *segment = (struct gsi_segment){.left = slice, .input_idx = input_idx, .buffer = buffer};
    segments_push(&input->list, segment);
    return segment;
}

void gsi_merge_inputs_add_slice(struct gsi_merge_inputs *inputs, uint32_t input_idx,
                                struct gsi_slice slice, uint64_t *taken)
{
    if (slice.count > 0)
        append(inputs, input_idx, slice, NULL)->taken = taken;
}

/* Releases pulled segments at the head of an input that no window reads any more. */
static void release_heads(struct gsi_merge_inputs *inputs, struct gsi_merge_input_state *input)
{
    struct gsi_segment *segment;
    while ((segment = input->list.head) != NULL && segment->left.count == 0 && segment->uses == 0) {
        if (inputs->compare != NULL && input->is_open && segment->next == NULL)
            break; /* its last tag is the bound */
        segments_pop(&input->list);
        if (segment->buffer != NULL)
            inputs->release(inputs->context, segment->buffer);
        segment->next = inputs->free_segments;
        inputs->free_segments = segment;
    }
}

void gsi_merge_inputs_feed(struct gsi_merge_inputs *inputs, uint32_t input_idx,
                           struct gsi_slice slice, struct gsi_buffer *buffer, const void *bound)
{
    struct gsi_merge_input_state *input = &inputs->inputs[input_idx];
    if (slice.count > 0)
        (void)append(inputs, input_idx, slice, buffer);
    else
        inputs->release(inputs->context, buffer);
    input->is_open = bound != NULL;
    set_bound(inputs, input, bound);
    release_heads(inputs, input);
}

static int compare_bounds(const struct gsi_merge_inputs *inputs, const void *a, const void *b)
{
    return inputs->compare != NULL ? inputs->compare(inputs->compare_context, a, b)
                                   : gsi_key_compare(&inputs->layout, a, b);
}

/* Returns the open input with the lowest bound, or input_count if there is none. Nothing after its
 * bound in the order may be emitted. */
static uint32_t find_bound(const struct gsi_merge_inputs *inputs)
{
    uint32_t lowest = inputs->input_count;
    for (uint32_t i = 0; i < inputs->input_count; i++) {
        const struct gsi_merge_input_state *input = &inputs->inputs[i];
        if (!input->is_open)
            continue;
        if (!input->is_bound)
            return i;
        if (lowest == inputs->input_count ||
            compare_bounds(inputs, input->bound, inputs->inputs[lowest].bound) < 0)
            lowest = i;
    }
    return lowest;
}

void gsi_merge_inputs_heads(const struct gsi_merge_inputs *inputs, uint64_t wanted,
                            struct gsi_merge_heads *heads)
{
    heads->count = 0;
    heads->bound_idx = find_bound(inputs);
    heads->bound = NULL;
    if (heads->bound_idx < inputs->input_count) {
        const struct gsi_merge_input_state *lowest = &inputs->inputs[heads->bound_idx];
        heads->bound = lowest->is_bound ? lowest->bound : NULL;
    }
    for (uint32_t i = 0; i < inputs->input_count; i++) {
        uint64_t of_input = 0;
        for (struct gsi_segment *s = inputs->inputs[i].list.head; s != NULL; s = s->next) {
            if (s->buffer != NULL && of_input >= wanted)
                break; /* later segments of a fed run only hold later keys */
            if (s->left.count == 0)
                continue;
            struct gsi_slice slice = {s->left.keys, gsi_min_u64(s->left.count, wanted)};
            heads->slices[heads->count] = slice;
            heads->segments[heads->count++] = s;
            of_input += slice.count;
        }
    }
}

struct gsi_slice gsi_merge_inputs_pop(const struct gsi_merge_inputs *inputs,
                                      struct gsi_segment *segment, uint64_t count, uint64_t uses)
{
    struct gsi_slice taken = {segment->left.keys, count};
    segment->left.keys = (const uint8_t *)taken.keys + count * inputs->layout.key_bytes;
    segment->left.count -= count;
    segment->uses += uses;
    if (segment->taken != NULL)
        *segment->taken += count;
    return taken;
}

void gsi_merge_inputs_done(struct gsi_merge_inputs *inputs, struct gsi_segment *const *segments,
                           uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        segments[i]->uses--;
    for (uint32_t i = 0; i < inputs->input_count; i++)
        release_heads(inputs, &inputs->inputs[i]);
}
