/* cpu_device_merge.c: implements merges of the CPU device.
 *
 * pull cuts the next keys from the heads of all inputs, by a k-way co-rank on the owner's thread.
 * It hands them to threads, one window each. Windows in flight are independent of each other, so no
 * barrier is needed; there is no other parallelism. A finished window waits until all earlier ones
 * are finished, so events arrive in pull order.
 *
 * One cutting thread can supply only a limited number of merging threads. If there are many
 * threads, or many runs, a *stretch* of windows is cut at once. The thread of each window finds its
 * own part of it:
 *
 *     heads     [..................|          left                                    ]
 *     stretch   [ window | window | window ]  cut by the owner, once
 *                        [========]           begin and end found by the thread that merges it
 *
 * merge_inputs tracks how far the inputs were read. */
#include "device/cpu/cpu_device.h"

#include "base/assert.h"
#include "base/checked.h"
#include "device/merge_inputs.h"

#include <stdlib.h>
#include <string.h>

/* The least windows of a stretch; more threads get a window each. The owner then does a 16th of the
 * cuts, and the threads' searches need 4 more steps. */
#define STRETCH_WINDOWS GSI_CONSTANT(16, 2)

/* Cutting a window needs about 0.9 us per slice (RESULTS.md, "Sizes chosen by measurement"). A
 * thread merges about 1 byte per nanosecond. */
#define CUT_NS_PER_SLICE  0.9e3
#define MERGE_NS_PER_BYTE 1.0

static_assert(sizeof(struct gsi_cpu_task) + sizeof(struct gsi_segment) <= GSI_DEVICE_BUFFER_BYTES,
              "the plan reckons with as much");
/* Counts for a window its slices, scratch, cut and segments; for the merge its heads and cut. */
static_assert(sizeof(struct gsi_slice) + sizeof(struct gsi_segment *) + 4 * sizeof(uint64_t) <=
                  GSI_DEVICE_SLICE_BYTES,
              "and with as much");

/* Bytes of a cache line. Threads write to the tables of their windows. */
#define LINE 64

struct window {
    struct gsi_task task;
    struct gsi_merge *merge;
    struct gsi_buffer *buffer;
    struct gsi_merge_work work;    /* its slices are the stretch's slices, until they are cut */
    uint64_t off, count, total;    /* keys of the stretch: before this window, in it, in all */
    struct gsi_segment **segments; /* of the slices */
    uint64_t *scratch;             /* 3 * slice_count: for cuts, then work.tile */
    uint32_t segment_count;
    bool is_done;
    struct window *next; /* in pull order, or free */
};

struct gsi_merge {
    struct gsi_cpu_device *device;
    struct gsi_bump bump;
    bool to_elements;
    bool is_fed;     /* keys are in buffers that are freed as windows finish */
    uint64_t *taken; /* as in the spec */
    uint32_t window_count, slice_count;
    struct gsi_merge_inputs inputs;
    struct gsi_cpu_records records; /* zeroed: numbers */
    struct window *windows, *free_windows;
    struct window *oldest, **newest; /* in flight, in pull order */
    struct gsi_merge_heads heads;    /* slice_count entries, as in the next two; later those of the
                                      * stretch */
    uint64_t *cut;
    uint64_t *cut_scratch;              /* 3 * slice_count */
    uint64_t stretch_keys, stretch_off; /* of the stretch: all keys, and the keys already pulled */
};

static void lay_out(struct gsi_merge *merge, struct gsi_bump *bump)
{
    const uint64_t count = merge->slice_count;
    GSI_BUMP_ALLOC(bump, merge->heads.slices, count);
    GSI_BUMP_ALLOC(bump, merge->heads.segments, count);
    GSI_BUMP_ALLOC(bump, merge->cut, count);
    GSI_BUMP_ALLOC(bump, merge->cut_scratch, 3 * count);
    GSI_BUMP_ALLOC(bump, merge->windows, merge->window_count);
    for (uint32_t i = 0; i < merge->window_count; i++) {
        struct window window = {.merge = merge};
        window.work.slices = gsi_bump_alloc(bump, count, sizeof *window.work.slices, LINE);
        GSI_BUMP_ALLOC(bump, window.scratch, 3 * count);
        GSI_BUMP_ALLOC(bump, window.work.cut, count);
        GSI_BUMP_ALLOC(bump, window.segments, count);
        if (merge->windows != NULL)
            merge->windows[i] = window;
    }
}

void gsi_cpu_merge_end(struct gsi_merge *merge)
{
    if (merge == NULL)
        return;
    gsi_merge_inputs_clear(&merge->inputs);
    gsi_bump_close(&merge->bump, merge->device->config.ledger, GSI_MEMORY_TABLES);
    gsi_cpu_records_end(merge->device, &merge->records);
    free(merge);
}

static void return_buffer(void *context, struct gsi_buffer *buffer)
{
    struct gsi_cpu_device *device = context;
    gsi_buffer_list_push(&device->returned, buffer);
}

/* Returns the keys or tags of a buffer, which are merged. */
static struct gsi_slice slice_of(const struct gsi_merge *merge, const struct gsi_buffer *buffer)
{
    const struct gsi_layout *layout = &merge->device->config.layout;
    return (struct gsi_slice){layout->form != GSI_FORM_KEYS ? (const void *)buffer->tags
                                                            : buffer->data,
                              buffer->bytes / layout->key_bytes};
}

static void add_resident(struct gsi_merge *merge, uint32_t input_idx, struct gsi_run *run)
{
    const uint32_t bytes = gsi_sort_bytes(&merge->device->config.layout);
    for (struct gsi_cpu_task *piece = run->pieces.head; piece != NULL; piece = piece->next) {
        struct gsi_slice slice = slice_of(merge, piece->buffer);
        slice.keys = (const uint8_t *)slice.keys + piece->passed_count * bytes;
        slice.count -= piece->passed_count;
        piece->taken_count = 0;
        gsi_merge_inputs_add_slice(&merge->inputs, input_idx, slice, &piece->taken_count);
    }
}

static int compare_tags(void *context, const void *a, const void *b)
{
    const struct gsi_cpu_records *records = context;
    gsi_u128 x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    if (records->inline_map != NULL)
        return x < y ? -1 : x > y;
    return gsi_tie_compare(&records->places, x, y, records->end);
}

/* Returns whether equal tags need a comparison of their records. */
static bool may_tie(const struct gsi_layout *layout)
{
    return layout->form == GSI_FORM_TAGS;
}

/* Sets up the inputs, as keys or as tags. With `compare`, an input keeps its last buffer until
 * more is fed. The buffer contains the bound and the last record, with which the next record is
 * compared. */
static enum gs_status begin_inputs(struct gsi_merge *merge, const struct gsi_merge_spec *spec,
                                   uint64_t segments, struct gs_error *error)
{
    struct gsi_cpu_device *device = merge->device;
    struct gsi_layout layout = device->config.layout;
    if (layout.form != GSI_FORM_KEYS) {
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
    enum gs_status status = GS_OK;
    *out = NULL;
    struct gsi_merge *merge = calloc(1, sizeof *merge);
    if (merge == NULL)
        return gsi_fail(error, GS_E_MEMORY, 0, "out of memory: cannot allocate a merge");
    merge->device = device;
    merge->to_elements = spec->to_elements;
    merge->taken = spec->taken;
    merge->newest = &merge->oldest;
    merge->window_count = device->config.window_count;
    merge->inputs.release = return_buffer;
    merge->inputs.context = device;
    merge->is_fed = spec->fed_buffers > 0;
    uint64_t segments = spec->fed_buffers;
    for (uint32_t i = 0; i < spec->input_count; i++)
        if (spec->inputs[i].run != NULL)
            segments += spec->inputs[i].run->piece_count;
    GSI_TRY_OR(begin_inputs(merge, spec, segments, error), fail);
    merge->slice_count = merge->inputs.segment_count;
    lay_out(merge, &merge->bump);
    GSI_TRY_OR(gsi_bump_open(&merge->bump, device->config.ledger, GSI_MEMORY_TABLES, error), fail);
    lay_out(merge, &merge->bump);
    for (uint32_t i = 0; i < merge->window_count; i++) {
        struct window *window = &merge->windows[i];
        window->work.tile = (struct gsi_slice *)(void *)window->scratch;
        window->next = merge->free_windows;
        merge->free_windows = window;
    }
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
    if (merge->device->config.layout.form != GSI_FORM_KEYS && buffer->bytes > 0) {
        const gsi_u128 *last = gsi_cpu_records_feed(&merge->records, buffer);
        bound = bound != NULL ? last : NULL;
    }
    gsi_merge_inputs_feed(&merge->inputs, input_idx, slice_of(merge, buffer), buffer, bound);
}

/* Clips the heads to the bound and drops empty ones. Returns how many keys remain in all heads
 * together. */
static uint64_t clip_heads(const struct gsi_merge *merge, struct gsi_merge_heads *heads)
{
    const struct gsi_layout *layout = &merge->device->config.layout;
    const struct gsi_cpu_records *records = &merge->records;
    uint32_t kept = 0;
    uint64_t total = 0;
    gsi_u128 bound = 0;
    if (heads->bound != NULL && may_tie(layout))
        memcpy(&bound, heads->bound, sizeof bound);
    for (uint32_t i = 0; i < heads->count; i++) {
        struct gsi_slice slice = heads->slices[i];
        struct gsi_segment *segment = heads->segments[i];
        if (heads->bound != NULL && may_tie(layout))
            slice.count = gsi_ties_below(&records->places, slice, bound, records->end);
        else if (heads->bound != NULL)
            slice.count = gsi_merge_below(gsi_sort_bytes(layout), slice, heads->bound,
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

/* Computes where the first `wanted` keys of the slices end. */
static void cut_slices(const struct gsi_merge *merge, const struct gsi_slice *slices,
                       uint32_t count, uint64_t wanted, uint64_t *cut, uint64_t *scratch)
{
    const struct gsi_layout *layout = &merge->device->config.layout;
    if (may_tie(layout))
        gsi_ties_cut(&merge->records.places, slices, count, wanted, merge->records.end, cut,
                     scratch);
    else
        gsi_merge_cut(gsi_sort_bytes(layout), slices, count, wanted, cut, scratch);
}

/* On a thread: cuts the window's part out of the stretch. */
static void cut_window(struct window *window)
{
    const struct gsi_merge *merge = window->merge;
    struct gsi_slice *slices = window->work.slices;
    uint32_t count = window->work.slice_count, key_bytes = merge->inputs.layout.key_bytes;
    uint64_t *cut = window->work.cut;
    if (window->off > 0) {
        cut_slices(merge, slices, count, window->off, cut, window->scratch);
        for (uint32_t i = 0; i < count; i++)
            slices[i] = (struct gsi_slice){(const uint8_t *)slices[i].keys + cut[i] * key_bytes,
                                           slices[i].count - cut[i]};
    }
    if (window->off + window->count < window->total) {
        cut_slices(merge, slices, count, window->count, cut, window->scratch);
        for (uint32_t i = 0; i < count; i++)
            slices[i].count = cut[i];
    }
}

struct tile_context {
    const struct gsi_layout *layout;
    struct gsi_digest *digest; /* NULL: keep the keys */
};

static void finish_tile(void *context, void *keys, size_t n)
{
    const struct tile_context *tile = context;
    if (tile->digest != NULL)
        gsi_digest_add_unmap(tile->layout, tile->digest, keys, n);
}

static void merge_window(struct gsi_task *task, uint32_t worker_idx)
{
    struct window *window = GSI_CONTAINER_OF(task, struct window, task);
    const struct gsi_cpu_device *device = window->merge->device;
    const struct gsi_layout *layout = &device->config.layout;
    struct gsi_buffer *buffer = window->buffer;
    buffer->digest = GSI_DIGEST_EMPTY;
    struct tile_context tile = {layout, window->merge->to_elements ? &buffer->digest : NULL};
    window->work.scratch = device->scratch + worker_idx * GSI_MERGE_SCRATCH_BYTES;
    cut_window(window);
    if (layout->form != GSI_FORM_KEYS) {
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

/* Returns how many windows to cut at once. The result is 1 if, by the last cut, one thread can cut
 * for all. A window searches all keys of the stretch for its part, so none of these keys may be
 * released before. A caller that counts what each window takes of the inputs also needs one window
 * at a time. */
static uint64_t stretch_windows(const struct gsi_merge *merge, const struct gsi_buffer *window)
{
    double merge_ns = MERGE_NS_PER_BYTE * (double)window->capacity;
    double cut_ns = CUT_NS_PER_SLICE * (double)merge->heads.count * merge->device->thread_count;
    bool may_stretch = !merge->is_fed && merge->taken == NULL;
    return may_stretch && 2 * cut_ns > merge_ns
               ? gsi_max_u64(STRETCH_WINDOWS, merge->device->thread_count)
               : 1;
}

/* Cuts the next stretch, as far as the inputs allow: sets merge->heads to its slices. */
static enum gsi_pull cut_stretch(struct gsi_merge *merge, const struct gsi_buffer *buffer,
                                 uint64_t wanted, uint32_t *needed_idx)
{
    struct gsi_merge_heads *heads = &merge->heads;
    uint64_t most = wanted * stretch_windows(merge, buffer);
    gsi_merge_inputs_heads(&merge->inputs, most, heads);
    bool is_open = heads->bound_idx < merge->inputs.input_count;
    *needed_idx = heads->bound_idx;
    if (is_open && heads->bound == NULL)
        return GSI_PULL_NEED;
    uint64_t total = clip_heads(merge, heads);
    if (is_open && total < wanted)
        return GSI_PULL_NEED;
    if (total == 0)
        return GSI_PULL_END;
    uint64_t keys = is_open ? gsi_round_down_u64(total, wanted) : total;
    merge->stretch_keys = gsi_min_u64(most, keys);
    merge->stretch_off = 0;
    cut_slices(merge, heads->slices, heads->count, merge->stretch_keys, merge->cut,
               merge->cut_scratch);
    uint64_t windows = gsi_ceil_div_u64(merge->stretch_keys, wanted);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < heads->count; i++) {
        struct gsi_segment *segment = heads->segments[i];
        uint64_t cut = merge->cut[i];
        if (cut == 0)
            continue;
        if (merge->taken != NULL)
            merge->taken[segment->input_idx] += cut;
        heads->slices[kept] = gsi_merge_inputs_pop(&merge->inputs, segment, cut, windows);
        heads->segments[kept++] = segment;
    }
    heads->count = kept;
    return GSI_PULL_OK;
}

enum gsi_pull gsi_cpu_merge_pull(struct gsi_merge *merge, struct gsi_buffer *buffer,
                                 uint32_t *needed_idx)
{
    uint32_t key_bytes = merge->device->config.layout.key_bytes;
    uint64_t wanted = buffer->capacity / key_bytes;
    const struct gsi_merge_heads *heads = &merge->heads;
    if (merge->device->shifting_count > 0)
        return GSI_PULL_LATER;
    if (merge->stretch_off == merge->stretch_keys) {
        enum gsi_pull pull = cut_stretch(merge, buffer, wanted, needed_idx);
        if (pull != GSI_PULL_OK)
            return pull;
    }
    wanted = gsi_min_u64(wanted, merge->stretch_keys - merge->stretch_off);
    struct window *window = merge->free_windows; /* config.window_count bounds their number */
    GSI_ASSERT(window != NULL);
    merge->free_windows = window->next;
    window->next = NULL;
    window->buffer = buffer;
    window->is_done = false;
    window->off = merge->stretch_off;
    window->count = wanted;
    window->total = merge->stretch_keys;
    window->segment_count = window->work.slice_count = heads->count;
    memcpy(window->work.slices, heads->slices, heads->count * sizeof *heads->slices);
    memcpy(window->segments, heads->segments, heads->count * sizeof(struct gsi_segment *));
    merge->stretch_off += wanted;
    buffer->bytes = wanted * key_bytes;
    *merge->newest = window;
    merge->newest = &window->next;
    window->task =
        (struct gsi_task){.run = merge_window, .done = merge_window_done, .is_urgent = true};
    gsi_pool_submit(merge->device->config.pool, &window->task);
    return GSI_PULL_OK;
}
