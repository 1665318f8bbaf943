/* cpu_device_merge.c: merges of the CPU device.
 *
 * pull cuts one window out of the heads of all inputs (k-way co-rank on the owner's thread, tens of
 * microseconds) and hands it to a thread. Windows in flight are independent of each other, and that
 * is all the parallelism there is: no barrier, no second cut. Finished windows are held back until
 * those before them are finished, so events come in pull order.
 *
 *   inputs (tie order)      segments: sorted arrays; resident pieces, or buffers that were fed
 *     0 resident run   ->   [======] [=====]          every piece is a sequence of its own
 *     1 fed run        ->   [==]->[====]-> (bound)    one sequence, cut into buffers
 *                             ^ head: what earlier windows left
 *
 * What may be emitted: while input r can be fed more, nothing that comes after (bound[r], r) in the
 * total order (key, input), because keys still to come may belong before it. The lowest of these
 * bounds holds for all inputs; the input it belongs to is the one that is needed next. */
#include "device/cpu_device.h"

#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

struct segment {
    struct gsi_slice left;     /* not yet pulled */
    struct gsi_buffer *buffer; /* fed; NULL: resident */
    uint32_t window_count;     /* windows in flight that read it */
    struct segment *next;
};

struct input {
    struct segment *head, **tail;
    uint8_t bound[16];
    bool is_open;  /* more may be fed */
    bool is_bound; /* `bound` is known */
};

struct window {
    struct gsi_task task;
    struct gsi_merge *merge;
    struct gsi_buffer *buffer;
    struct gsi_merge_work work;
    struct segment **segments; /* that the slices are of */
    uint32_t segment_count;
    bool is_done;
    struct window *next; /* in pull order, or free */
};

struct gsi_merge {
    struct gsi_cpu_device *device;
    bool to_elements;
    uint32_t input_count, window_count, slice_count;
    struct input *inputs;
    uint64_t segment_count;
    struct segment *segments, *free_segments;
    struct window *windows, *free_windows;
    struct window *oldest, **newest; /* in flight, in pull order */
    struct gsi_slice *slices;        /* heads; slice_count entries, as the next three */
    struct segment **slice_segments;
    uint64_t *cut;
    uint64_t *cut_scratch; /* 2 * slice_count */
};

static struct segment *segment_take(struct gsi_merge *merge, struct gsi_slice slice,
                                    struct gsi_buffer *buffer)
{
    struct segment *segment = merge->free_segments; /* bounded by the spec */
    merge->free_segments = segment->next;
    *segment = (struct segment){.left = slice, .buffer = buffer};
    return segment;
}

static void input_append(struct input *input, struct segment *segment)
{
    *input->tail = segment;
    input->tail = &segment->next;
}

static void set_bound(const struct gsi_merge *merge, struct input *input, const void *bound)
{
    input->is_bound = bound != NULL;
    if (bound != NULL)
        memcpy(input->bound, bound, merge->device->config.layout.key_bytes);
}

static void free_windows(struct gsi_merge *merge)
{
    struct gsi_ledger *ledger = merge->device->config.ledger;
    if (merge->windows == NULL)
        return;
    for (uint32_t i = 0; i < merge->window_count; i++) {
        struct window *window = &merge->windows[i];
        gsi_memory_free(ledger, window->work.slices, merge->slice_count, sizeof(struct gsi_slice));
        gsi_memory_free(ledger, window->work.tile, merge->slice_count, sizeof(struct gsi_slice));
        gsi_memory_free(ledger, window->work.cut, merge->slice_count, sizeof(uint64_t));
        gsi_memory_free(ledger, window->segments, merge->slice_count, sizeof(struct segment *));
    }
    gsi_memory_free(ledger, merge->windows, merge->window_count, sizeof *merge->windows);
}

void gsi_cpu_merge_end(struct gsi_merge *merge)
{
    if (merge == NULL)
        return;
    struct gsi_ledger *ledger = merge->device->config.ledger;
    if (merge->inputs != NULL)
        for (uint32_t i = 0; i < merge->input_count; i++)
            for (struct segment *s = merge->inputs[i].head; s != NULL; s = s->next)
                if (s->buffer != NULL)
                    gsi_buffer_list_push(&merge->device->returned, s->buffer);
    free_windows(merge);
    gsi_memory_free(ledger, merge->slices, merge->slice_count, sizeof *merge->slices);
    gsi_memory_free(ledger, merge->slice_segments, merge->slice_count,
                    sizeof *merge->slice_segments);
    gsi_memory_free(ledger, merge->cut, merge->slice_count, 3 * sizeof *merge->cut);
    gsi_memory_free(ledger, merge->segments, merge->segment_count, sizeof *merge->segments);
    gsi_memory_free(ledger, merge->inputs, merge->input_count, sizeof *merge->inputs);
    free(merge);
}

/* calloc through the ledger into a typed pointer. */
#define TABLE(pointer, count, unit)                                         \
    do {                                                                    \
        void *memory;                                                       \
        GSI_TRY(gsi_memory_alloc(ledger, (count), (unit), &memory, error)); \
        (pointer) = memory;                                                 \
    } while (0)

static enum gs_status make_windows(struct gsi_merge *merge, struct gs_error *error)
{
    enum gs_status status = GS_OK;
    struct gsi_ledger *ledger = merge->device->config.ledger;
    TABLE(merge->windows, merge->window_count, sizeof *merge->windows);
    for (uint32_t i = 0; i < merge->window_count; i++) {
        struct window *window = &merge->windows[i];
        window->merge = merge;
        TABLE(window->work.slices, merge->slice_count, sizeof(struct gsi_slice));
        TABLE(window->work.tile, merge->slice_count, sizeof(struct gsi_slice));
        TABLE(window->work.cut, merge->slice_count, sizeof(uint64_t));
        TABLE(window->segments, merge->slice_count, sizeof(struct segment *));
        window->next = merge->free_windows;
        merge->free_windows = window;
    }
fail:
    return status;
}

static void add_resident(struct gsi_merge *merge, struct input *input, const struct gsi_run *run)
{
    uint32_t key_bytes = merge->device->config.layout.key_bytes;
    for (const struct gsi_piece *piece = run->head; piece != NULL; piece = piece->next) {
        struct gsi_slice slice = {piece->buffer->data, piece->buffer->bytes / key_bytes};
        if (slice.count > 0)
            input_append(input, segment_take(merge, slice, NULL));
    }
}

enum gs_status gsi_cpu_merge_begin(struct gsi_device *base, const struct gsi_merge_spec *spec,
                                   struct gsi_merge **out, struct gs_error *error)
{
    struct gsi_cpu_device *device = (struct gsi_cpu_device *)base;
    struct gsi_ledger *ledger = device->config.ledger;
    enum gs_status status = GS_OK;
    *out = NULL;
    struct gsi_merge *merge = calloc(1, sizeof *merge);
    if (merge == NULL)
        return gsi_fail(error, GS_E_MEMORY, 0, "memory: cannot allocate a merge");
    merge->device = device;
    merge->to_elements = spec->to_elements;
    merge->input_count = spec->input_count;
    merge->newest = &merge->oldest;
    merge->window_count = device->config.window_count;
    merge->segment_count = spec->fed_buffers;
    for (uint32_t i = 0; i < spec->input_count; i++)
        if (spec->inputs[i].run != NULL)
            merge->segment_count += spec->inputs[i].run->piece_count;
    merge->slice_count = (uint32_t)merge->segment_count;

    TABLE(merge->inputs, merge->input_count, sizeof *merge->inputs);
    TABLE(merge->segments, merge->segment_count, sizeof *merge->segments);
    TABLE(merge->slices, merge->slice_count, sizeof *merge->slices);
    TABLE(merge->slice_segments, merge->slice_count, sizeof *merge->slice_segments);
    TABLE(merge->cut, merge->slice_count, 3 * sizeof *merge->cut);
    merge->cut_scratch = merge->cut + merge->slice_count;
    GSI_TRY(make_windows(merge, error));
    for (uint64_t i = 0; i < merge->segment_count; i++) {
        merge->segments[i].next = merge->free_segments;
        merge->free_segments = &merge->segments[i];
    }
    for (uint32_t i = 0; i < spec->input_count; i++) {
        struct input *input = &merge->inputs[i];
        input->tail = &input->head;
        input->is_open = spec->inputs[i].run == NULL;
        set_bound(merge, input, spec->inputs[i].bound);
        if (!input->is_open)
            add_resident(merge, input, spec->inputs[i].run);
    }
    *out = merge;
    return GS_OK;
fail:
    gsi_cpu_merge_end(merge);
    return status;
}

void gsi_cpu_merge_feed(struct gsi_merge *merge, uint32_t input_idx, struct gsi_buffer *buffer,
                        const void *bound)
{
    uint32_t key_bytes = merge->device->config.layout.key_bytes;
    struct input *input = &merge->inputs[input_idx];
    struct gsi_slice slice = {buffer->data, buffer->bytes / key_bytes};
    if (slice.count > 0)
        input_append(input, segment_take(merge, slice, buffer));
    else
        gsi_buffer_list_push(&merge->device->returned, buffer);
    input->is_open = bound != NULL;
    set_bound(merge, input, bound);
}

/* The open input with the lowest bound, input_count if there is none: nothing that comes after its
 * bound may be emitted. */
static uint32_t find_bound(const struct gsi_merge *merge)
{
    uint32_t lowest = merge->input_count;
    for (uint32_t i = 0; i < merge->input_count; i++) {
        const struct input *input = &merge->inputs[i];
        if (!input->is_open)
            continue;
        if (!input->is_bound)
            return i;
        if (lowest == merge->input_count ||
            gsi_key_compare(&merge->device->config.layout, input->bound,
                            merge->inputs[lowest].bound) < 0)
            lowest = i;
    }
    return lowest;
}

/* Heads of all inputs into merge->slices, each no longer than `wanted` and within the bound;
 * returns how many keys they hold together. */
static uint64_t gather_heads(struct gsi_merge *merge, uint32_t bound_idx, uint64_t wanted,
                             uint32_t *slice_count)
{
    uint32_t key_bytes = merge->device->config.layout.key_bytes;
    bool has_bound = bound_idx < merge->input_count;
    const uint8_t *bound = has_bound ? merge->inputs[bound_idx].bound : NULL;
    uint64_t total = 0;
    uint32_t k = 0;
    for (uint32_t i = 0; i < merge->input_count; i++) {
        bool is_fed = merge->inputs[i].head != NULL && merge->inputs[i].head->buffer != NULL;
        uint64_t of_input = 0;
        for (struct segment *s = merge->inputs[i].head; s != NULL; s = s->next) {
            if (is_fed && of_input >= wanted)
                break; /* later segments of a fed run only hold later keys */
            struct gsi_slice slice = {s->left.keys, gsi_min_u64(s->left.count, wanted)};
            if (has_bound)
                slice.count = gsi_merge_below(key_bytes, slice, bound, i <= bound_idx);
            if (slice.count == 0)
                continue;
            merge->slices[k] = slice;
            merge->slice_segments[k++] = s;
            of_input += slice.count;
        }
        total += of_input;
    }
    *slice_count = k;
    return total;
}

/* Pulled segments at the head of an input that nobody reads any more are done with. */
static void release_heads(struct gsi_merge *merge, struct input *input)
{
    while (input->head != NULL && input->head->left.count == 0 && input->head->window_count == 0) {
        struct segment *segment = input->head;
        if ((input->head = segment->next) == NULL)
            input->tail = &input->head;
        if (segment->buffer != NULL)
            gsi_buffer_list_push(&merge->device->returned, segment->buffer);
        segment->next = merge->free_segments;
        merge->free_segments = segment;
    }
}

struct tile_context {
    const struct gsi_layout *layout;
    struct gsi_imprint *imprint; /* NULL: keep the keys */
};

static void finish_tile(void *context, void *keys, size_t n)
{
    const struct tile_context *tile = context;
    if (tile->imprint != NULL)
        gsi_imprint_add_unmap(tile->layout, tile->imprint, keys, n);
}

static void merge_window(struct gsi_task *task, uint32_t worker_idx)
{
    struct window *window = (struct window *)task;
    const struct gsi_cpu_device *device = window->merge->device;
    const struct gsi_layout *layout = &device->config.layout;
    struct gsi_buffer *buffer = window->buffer;
    buffer->imprint = GSI_IMPRINT_EMPTY;
    struct tile_context tile = {layout, window->merge->to_elements ? &buffer->imprint : NULL};
    window->work.scratch = device->scratch + worker_idx * GSI_MERGE_SCRATCH_BYTES;
    gsi_merge_tiles(layout->key_bytes, &window->work, buffer->data, finish_tile, &tile);
}

static void merge_window_done(struct gsi_task *task)
{
    struct window *window = (struct window *)task;
    struct gsi_merge *merge = window->merge;
    for (uint32_t i = 0; i < window->segment_count; i++)
        window->segments[i]->window_count--;
    for (uint32_t i = 0; i < merge->input_count; i++)
        release_heads(merge, &merge->inputs[i]);
    window->is_done = true;
    while (merge->oldest != NULL && merge->oldest->is_done) {
        struct window *oldest = merge->oldest;
        if ((merge->oldest = oldest->next) == NULL)
            merge->newest = &merge->oldest;
        gsi_buffer_list_push(&merge->device->windows, oldest->buffer);
        oldest->next = merge->free_windows;
        merge->free_windows = oldest;
    }
}

enum gsi_pull gsi_cpu_merge_pull(struct gsi_merge *merge, struct gsi_buffer *buffer,
                                 uint32_t *needed_idx)
{
    uint32_t key_bytes = merge->device->config.layout.key_bytes;
    uint64_t wanted = buffer->capacity / key_bytes;
    uint32_t k, bound_idx = find_bound(merge);
    *needed_idx = bound_idx;
    if (bound_idx < merge->input_count && !merge->inputs[bound_idx].is_bound)
        return GSI_PULL_NEED;
    uint64_t total = gather_heads(merge, bound_idx, wanted, &k);
    if (bound_idx < merge->input_count && total < wanted)
        return GSI_PULL_NEED;
    if (total == 0)
        return GSI_PULL_END;
    wanted = gsi_min_u64(wanted, total);
    gsi_merge_cut(key_bytes, merge->slices, k, wanted, merge->cut, merge->cut_scratch);

    struct window *window = merge->free_windows; /* config.window_count bounds their number */
    merge->free_windows = window->next;
    window->next = NULL;
    window->buffer = buffer;
    window->is_done = false;
    window->segment_count = 0;
    for (uint32_t i = 0; i < k; i++) {
        uint64_t taken = merge->cut[i];
        if (taken == 0)
            continue;
        struct segment *segment = merge->slice_segments[i];
        window->work.slices[window->segment_count] = (struct gsi_slice){segment->left.keys, taken};
        window->segments[window->segment_count++] = segment;
        segment->left.keys = (const uint8_t *)segment->left.keys + taken * key_bytes;
        segment->left.count -= taken;
        segment->window_count++;
    }
    window->work.slice_count = window->segment_count;
    buffer->bytes = wanted * key_bytes;
    *merge->newest = window;
    merge->newest = &window->next;
    window->task =
        (struct gsi_task){.run = merge_window, .done = merge_window_done, .is_urgent = true};
    gsi_pool_submit(merge->device->config.pool, &window->task);
    return GSI_PULL_OK;
}
