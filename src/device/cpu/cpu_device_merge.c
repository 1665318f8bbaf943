/* cpu_device_merge.c: merges of the CPU device.
 *
 * pull cuts one window out of the heads of all inputs (k-way co-rank on the owner's thread, tens of
 * microseconds) and hands it to a thread. Windows in flight are independent of each other, and that
 * is all the parallelism there is: no barrier, no second cut. Finished windows are held back until
 * those before them are finished, so events come in pull order.
 *
 * Where the inputs stand is merge_inputs' business. */
#include "device/cpu/cpu_device.h"

#include "base/checked.h"
#include "device/merge_inputs.h"

#include <stdlib.h>
#include <string.h>

struct window {
    struct gsi_task task;
    struct gsi_merge *merge;
    struct gsi_buffer *buffer;
    struct gsi_merge_work work;
    struct gsi_segment **segments; /* that the slices are of */
    uint32_t segment_count;
    bool is_done;
    struct window *next; /* in pull order, or free */
};

struct gsi_merge {
    struct gsi_cpu_device *device;
    bool to_elements;
    uint64_t *taken; /* as in the spec */
    uint32_t window_count, slice_count;
    struct gsi_merge_inputs inputs;
    struct gsi_cpu_records records; /* zeroed: numbers */
    struct window *windows, *free_windows;
    struct window *oldest, **newest; /* in flight, in pull order */
    struct gsi_merge_heads heads;    /* slice_count entries, as the next two */
    uint64_t *cut;
    uint64_t *cut_scratch; /* 3 * slice_count */
};

static void free_windows(struct gsi_merge *merge)
{
    struct gsi_ledger *ledger = merge->device->config.ledger;
    if (merge->windows == NULL)
        return;
    for (uint32_t i = 0; i < merge->window_count; i++) {
        struct window *window = &merge->windows[i];
        GSI_FREE(ledger, window->work.slices, merge->slice_count);
        GSI_FREE(ledger, window->work.tile, merge->slice_count);
        GSI_FREE(ledger, window->work.cut, merge->slice_count);
        GSI_FREE(ledger, window->segments, merge->slice_count);
    }
    GSI_FREE(ledger, merge->windows, merge->window_count);
}

void gsi_cpu_merge_end(struct gsi_merge *merge)
{
    if (merge == NULL)
        return;
    struct gsi_ledger *ledger = merge->device->config.ledger;
    gsi_merge_inputs_clear(&merge->inputs);
    free_windows(merge);
    GSI_FREE(ledger, merge->heads.slices, merge->slice_count);
    GSI_FREE(ledger, merge->heads.segments, merge->slice_count);
    GSI_FREE(ledger, merge->cut, 4 * (uint64_t)merge->slice_count);
    gsi_cpu_records_end(merge->device, &merge->records);
    free(merge);
}

static enum gs_status make_windows(struct gsi_merge *merge, struct gs_error *error)
{
    struct gsi_ledger *ledger = merge->device->config.ledger;
    GSI_TRY(GSI_NEW(ledger, merge->windows, merge->window_count, error));
    for (uint32_t i = 0; i < merge->window_count; i++) {
        struct window *window = &merge->windows[i];
        window->merge = merge;
        GSI_TRY(GSI_NEW(ledger, window->work.slices, merge->slice_count, error));
        GSI_TRY(GSI_NEW(ledger, window->work.tile, merge->slice_count, error));
        GSI_TRY(GSI_NEW(ledger, window->work.cut, merge->slice_count, error));
        GSI_TRY(GSI_NEW(ledger, window->segments, merge->slice_count, error));
        window->next = merge->free_windows;
        merge->free_windows = window;
    }
    return GS_OK;
}

static void return_buffer(void *context, struct gsi_buffer *buffer)
{
    struct gsi_cpu_device *device = context;
    gsi_buffer_list_push(&device->returned, buffer);
}

/* What is merged of a buffer. */
static struct gsi_slice slice_of(const struct gsi_merge *merge, const struct gsi_buffer *buffer)
{
    const struct gsi_layout *layout = &merge->device->config.layout;
    return (struct gsi_slice){layout->record != NULL ? (const void *)buffer->tags : buffer->data,
                              buffer->bytes / layout->key_bytes};
}

static void add_resident(struct gsi_merge *merge, uint32_t input_idx, const struct gsi_run *run)
{
    for (const struct gsi_piece *piece = run->head; piece != NULL; piece = piece->next)
        gsi_merge_inputs_add(&merge->inputs, input_idx, slice_of(merge, piece->buffer));
}

static int compare_tags(void *context, const void *a, const void *b)
{
    const struct gsi_cpu_records *records = context;
    gsi_u128 x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return gsi_tie_compare(&records->places, x, y, records->at);
}

/* Inputs of keys, or of tags. */
static enum gs_status begin_inputs(struct gsi_merge *merge, const struct gsi_merge_spec *spec,
                                   uint64_t segments, struct gs_error *error)
{
    struct gsi_cpu_device *device = merge->device;
    struct gsi_layout layout = device->config.layout;
    if (layout.record != NULL) {
        GSI_TRY(gsi_cpu_records_begin(device, spec, &merge->records, error));
        merge->inputs.compare = compare_tags;
        merge->inputs.compare_context = &merge->records;
        layout = gsi_layout_make(gsi_key_type_find("u128"), false);
    }
    return gsi_merge_inputs_init(&merge->inputs, &layout, device->config.ledger, spec, segments,
                                 error);
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
    merge->taken = spec->taken;
    merge->newest = &merge->oldest;
    merge->window_count = device->config.window_count;
    merge->inputs.release = return_buffer;
    merge->inputs.context = device;
    uint64_t segments = spec->fed_buffers;
    for (uint32_t i = 0; i < spec->input_count; i++)
        if (spec->inputs[i].run != NULL)
            segments += spec->inputs[i].run->piece_count;
    GSI_TRY_OR(begin_inputs(merge, spec, segments, error), fail);
    merge->slice_count = merge->inputs.segment_count;
    GSI_TRY_OR(GSI_NEW(ledger, merge->heads.slices, merge->slice_count, error), fail);
    GSI_TRY_OR(GSI_NEW(ledger, merge->heads.segments, merge->slice_count, error), fail);
    GSI_TRY_OR(GSI_NEW(ledger, merge->cut, 4 * (uint64_t)merge->slice_count, error), fail);
    merge->cut_scratch = merge->cut + merge->slice_count;
    GSI_TRY_OR(make_windows(merge, error), fail);
    for (uint32_t i = 0; i < spec->input_count; i++)
        if (spec->inputs[i].run != NULL)
            add_resident(merge, i, spec->inputs[i].run);
    *out = merge;
    return GS_OK;
fail:
    gsi_cpu_merge_end(merge);
    return status;
}

void gsi_cpu_merge_feed(struct gsi_merge *merge, uint32_t input_idx, struct gsi_buffer *buffer,
                        const void *bound)
{
    if (merge->device->config.layout.record != NULL && buffer->bytes > 0) {
        const gsi_u128 *last = gsi_cpu_records_feed(&merge->records, buffer);
        bound = bound != NULL ? last : NULL;
    }
    gsi_merge_inputs_feed(&merge->inputs, input_idx, slice_of(merge, buffer), buffer, bound);
}

/* Clip the heads to the bound, drop empty ones; returns how many keys are left together. */
static uint64_t clip_heads(const struct gsi_merge *merge, struct gsi_merge_heads *heads)
{
    const struct gsi_layout *layout = &merge->device->config.layout;
    const struct gsi_cpu_records *records = &merge->records;
    uint32_t kept = 0;
    uint64_t total = 0;
    gsi_u128 bound = 0;
    if (heads->bound != NULL && layout->record != NULL)
        memcpy(&bound, heads->bound, sizeof bound);
    for (uint32_t i = 0; i < heads->count; i++) {
        struct gsi_slice slice = heads->slices[i];
        struct gsi_segment *segment = heads->segments[i];
        if (heads->bound != NULL && layout->record != NULL)
            slice.count = gsi_ties_below(&records->places, slice, bound, records->at);
        else if (heads->bound != NULL)
            slice.count = gsi_merge_below(layout->key_bytes, slice, heads->bound,
                                          segment->input_idx <= heads->bound_idx);
        if (slice.count == 0)
            continue;
        heads->slices[kept] = slice;
        heads->segments[kept++] = segment;
        total += slice.count;
    }
    heads->count = kept;
    return total;
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
    struct window *window = GSI_CONTAINER_OF(task, struct window, task);
    const struct gsi_cpu_device *device = window->merge->device;
    const struct gsi_layout *layout = &device->config.layout;
    struct gsi_buffer *buffer = window->buffer;
    buffer->imprint = GSI_IMPRINT_EMPTY;
    struct tile_context tile = {layout, window->merge->to_elements ? &buffer->imprint : NULL};
    window->work.scratch = device->scratch + worker_idx * GSI_MERGE_SCRATCH_BYTES;
    if (layout->record != NULL) {
        gsi_cpu_records_window(&window->merge->records, &window->work, buffer,
                               window->merge->to_elements);
        return;
    }
    gsi_merge_tiles(layout->key_bytes, &window->work, buffer->data, finish_tile, &tile);
}

static void merge_window_done(struct gsi_task *task)
{
    struct window *window = GSI_CONTAINER_OF(task, struct window, task);
    struct gsi_merge *merge = window->merge;
    gsi_merge_inputs_done(&merge->inputs, window->segments, window->segment_count);
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

/* merge->cut: where the first `wanted` of all heads end. */
static void cut_heads(const struct gsi_merge *merge, uint64_t wanted)
{
    const struct gsi_layout *layout = &merge->device->config.layout;
    const struct gsi_merge_heads *heads = &merge->heads;
    if (layout->record != NULL)
        gsi_ties_cut(&merge->records.places, heads->slices, heads->count, wanted, merge->records.at,
                     merge->cut, merge->cut_scratch);
    else
        gsi_merge_cut(layout->key_bytes, heads->slices, heads->count, wanted, merge->cut,
                      merge->cut_scratch);
}

enum gsi_pull gsi_cpu_merge_pull(struct gsi_merge *merge, struct gsi_buffer *buffer,
                                 uint32_t *needed_idx)
{
    uint32_t key_bytes = merge->device->config.layout.key_bytes;
    uint64_t wanted = buffer->capacity / key_bytes;
    struct gsi_merge_heads *heads = &merge->heads;
    if (merge->device->shifting_count > 0)
        return GSI_PULL_LATER;
    gsi_merge_inputs_heads(&merge->inputs, wanted, heads);
    bool is_open = heads->bound_idx < merge->inputs.input_count;
    *needed_idx = heads->bound_idx;
    if (is_open && heads->bound == NULL)
        return GSI_PULL_NEED;
    uint64_t total = clip_heads(merge, heads);
    if (is_open && total < wanted)
        return GSI_PULL_NEED;
    if (total == 0)
        return GSI_PULL_END;
    wanted = gsi_min_u64(wanted, total);
    cut_heads(merge, wanted);

    struct window *window = merge->free_windows; /* config.window_count bounds their number */
    merge->free_windows = window->next;
    window->next = NULL;
    window->buffer = buffer;
    window->is_done = false;
    window->segment_count = 0;
    for (uint32_t i = 0; i < heads->count; i++) {
        if (merge->cut[i] == 0)
            continue;
        if (merge->taken != NULL)
            merge->taken[heads->segments[i]->input_idx] += merge->cut[i];
        window->work.slices[window->segment_count] =
            gsi_merge_inputs_take(&merge->inputs, heads->segments[i], merge->cut[i]);
        window->segments[window->segment_count++] = heads->segments[i];
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
