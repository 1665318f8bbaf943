/* cpu_device.c: implements chunks, reductions and events of the CPU device, which every machine
 * has. Merges are in cpu_device_merge.c.
 *
 * Chunks stay where they were read: one thread sorts a put buffer in place. Its memory is the
 * resident run until run_drop. A run of several buffers consists of several sorted pieces; only the
 * merge that reads the run merges them. So a resident job moves each element twice: inside its
 * piece, and into a window.
 *
 * Rejected: to split all chunks by common splitters, so that each range of keys is gathered and
 * sorted without a merge. Splitting takes longer than merging on Zen 4 (RESULTS.md, "Sizes chosen
 * by measurement").
 *
 * The owner's thread owns all state except the inside of a task. */
#include "device/cpu/cpu_device.h"

#include "base/assert.h"
#include "base/checked.h"
#include "base/memory.h"
#include "device/cpu/cpu_leaf_sort.h"
#include "device/cpu/cpu_presorted.h"
#include "element/tally/digest.h"
#include "element/tally/tally_sums.h"

#include <stdlib.h>

static struct gsi_cpu_device *cpu_of(struct gsi_device *base)
{
    return (struct gsi_cpu_device *)base;
}

static void lay_out(struct gsi_cpu_device *device, struct gsi_bump *bump)
{
    const struct gsi_layout *layout = &device->config.layout;
    GSI_BUMP_ALLOC(bump, device->tallies, device->thread_count);
    for (uint32_t i = 0; i < device->thread_count; i++) {
        struct gsi_record_tally *tally = gsi_record_tally_alloc(layout, bump);
        if (device->tallies != NULL)
            device->tallies[i] = tally;
    }
}

static void cpu_close(struct gsi_device *base)
{
    struct gsi_cpu_device *device = cpu_of(base);
    if (device == NULL)
        return;
    struct gsi_ledger *ledger = device->config.ledger;
    gsi_bump_close(&device->bump, ledger, GSI_MEMORY_TABLES);
    gsi_memory_unmap(ledger, GSI_MEMORY_SCRATCH, device->scratch,
                     device->thread_count * GSI_MERGE_SCRATCH_BYTES);
    GSI_FREE(ledger, device->pieces, device->config.chunk_buffers);
    free(device->open_run);
    free(device);
}

static enum gs_status cpu_probe(uint32_t device_index, const struct gsi_layout *layout,
                                struct gsi_device_limits *limits, struct gs_error *error)
{
    (void)device_index, (void)layout, (void)error;
    *limits = (struct gsi_device_limits){0}; /* it works in the arena */
    return GS_OK;
}

static enum gs_status cpu_open(const struct gsi_device_config *config, struct gsi_device **out,
                               struct gs_error *error)
{
    enum gs_status status = GS_OK;
    void *memory;
    *out = NULL;
    struct gsi_cpu_device *device = calloc(1, sizeof *device);
    if (device == NULL)
        return gsi_fail(error, GS_E_MEMORY, 0, "out of memory: cannot allocate the CPU device");
    device->base.ops = &gsi_device_cpu;
    device->config = *config;
    gsi_leaf_prepare(gsi_sort_bytes(&config->layout));
    device->thread_count = gsi_pool_thread_count(config->pool);
    gsi_buffer_list_init(&device->returned);
    gsi_buffer_list_init(&device->windows);
    lay_out(device, &device->bump);
    GSI_TRY_OR(gsi_bump_open(&device->bump, config->ledger, GSI_MEMORY_TABLES, error), fail);
    lay_out(device, &device->bump);
    GSI_TRY_OR(gsi_memory_map(config->ledger, GSI_MEMORY_SCRATCH,
                              device->thread_count * GSI_MERGE_SCRATCH_BYTES, &memory, error),
               fail);
    device->scratch = memory;
    GSI_TRY_OR(GSI_NEW(config->ledger, device->pieces, config->chunk_buffers, error), fail);
    for (uint32_t i = 0; i < config->chunk_buffers; i++) {
        device->pieces[i].next = device->free_pieces;
        device->free_pieces = &device->pieces[i];
    }
    *out = &device->base;
    return GS_OK;
fail:
    cpu_close(&device->base);
    return status;
}

static struct gsi_cpu_task *task_pop(struct gsi_cpu_device *device, struct gsi_buffer *buffer)
{
    struct gsi_cpu_task *piece = device->free_pieces; /* config.chunk_buffers bounds their number */
    GSI_ASSERT(piece != NULL);
    device->free_pieces = piece->next;
    *piece = (struct gsi_cpu_task){.device = device, .buffer = buffer};
    return piece;
}

static void task_return(struct gsi_cpu_task *piece)
{
    struct gsi_cpu_device *device = piece->device;
    gsi_buffer_list_push(&device->returned, piece->buffer);
    piece->next = device->free_pieces;
    device->free_pieces = piece;
}

static void run_announce_if_sorted(struct gsi_cpu_device *device, struct gsi_run *run)
{
    if (!run->is_sealed || run->unsorted_count > 0)
        return;
    run->next = device->sorted_runs;
    device->sorted_runs = run;
}

static void sort_piece(struct gsi_task *task, uint32_t worker_idx)
{
    struct gsi_cpu_task *piece = GSI_CONTAINER_OF(task, struct gsi_cpu_task, task);
    const struct gsi_layout *layout = &piece->device->config.layout;
    struct gsi_buffer *buffer = piece->buffer;
    uint8_t *scratch = piece->device->scratch + worker_idx * GSI_MERGE_SCRATCH_BYTES;
    size_t n = buffer->bytes / layout->element_bytes;
    if (layout->form != GSI_FORM_KEYS) {
        gsi_cpu_records_sort(piece, piece->device->tallies[worker_idx], scratch);
        return;
    }
    struct gsi_record_tally *tally = piece->device->tallies[worker_idx];
    gsi_record_tally_before_sort(layout, tally, buffer->data, n);
    piece->is_in_order = gsi_sort_keys(layout->key_bytes, buffer->data, n, scratch);
    gsi_record_tally_after_sort(layout, tally, buffer->data, n);
}

static void sort_piece_done(struct gsi_task *task)
{
    struct gsi_cpu_task *piece = GSI_CONTAINER_OF(task, struct gsi_cpu_task, task);
    piece->run->unsorted_count--;
    run_announce_if_sorted(piece->device, piece->run);
}

static struct gsi_run *open_run(struct gsi_cpu_device *device)
{
    if (device->open_run == NULL && (device->open_run = calloc(1, sizeof(struct gsi_run))) != NULL)
        gsi_piece_list_init(&device->open_run->pieces);
    return device->open_run;
}

static enum gs_status cpu_chunk_put(struct gsi_device *base, struct gsi_buffer *buffer,
                                    struct gs_error *error)
{
    struct gsi_cpu_device *device = cpu_of(base);
    struct gsi_run *run = open_run(device);
    if (run == NULL)
        return gsi_fail(error, GS_E_MEMORY, 0, "out of memory: cannot allocate a run");
    struct gsi_cpu_task *piece = task_pop(device, buffer);
    if (device->config.layout.form != GSI_FORM_KEYS)
        gsi_cpu_records_put(piece);
    piece->run = run;
    gsi_piece_list_push(&run->pieces, piece);
    run->piece_count++;
    run->unsorted_count++;
    piece->task = (struct gsi_task){.run = sort_piece, .done = sort_piece_done};
    gsi_pool_submit(device->config.pool, &piece->task);
    return GS_OK;
}

static enum gs_status cpu_chunk_seal(struct gsi_device *base, struct gsi_run **out,
                                     struct gs_error *error)
{
    struct gsi_cpu_device *device = cpu_of(base);
    struct gsi_run *run = open_run(device);
    *out = run;
    if (run == NULL)
        return gsi_fail(error, GS_E_MEMORY, 0, "out of memory: cannot allocate a run");
    device->open_run = NULL;
    run->is_sealed = true;
    run_announce_if_sorted(device, run);
    return GS_OK;
}

static void cpu_run_drop(struct gsi_device *base, struct gsi_run *run)
{
    (void)base;
    for (struct gsi_cpu_task *piece = run->pieces.head, *next; piece != NULL; piece = next) {
        next = piece->next;
        task_return(piece);
    }
    free(run);
}

static void cpu_run_pass(struct gsi_device *base, struct gsi_run *run)
{
    (void)base;
    for (struct gsi_cpu_task *piece = run->pieces.head; piece != NULL; piece = piece->next) {
        piece->passed_count += piece->taken_count;
        piece->taken_count = 0;
    }
}

/* Checks the elements of each piece that were not yet merged: in a piece in order, these follow the
 * first passed_count elements. */
static bool cpu_run_in_order(const struct gsi_run *run, struct gsi_run_ends *ends)
{
    *ends = (struct gsi_run_ends){NULL, NULL};
    for (const struct gsi_cpu_task *piece = run->pieces.head; piece != NULL; piece = piece->next) {
        const struct gsi_layout *layout = &piece->device->config.layout;
        const uint8_t *first = piece->buffer->data + piece->passed_count * layout->element_bytes;
        const uint8_t *end = piece->buffer->data + piece->buffer->bytes;
        if (!piece->is_in_order)
            return false;
        if (first == end)
            continue;
        if (ends->last == NULL)
            ends->first = first;
        else if (gsi_compare_ends(layout, ends->last, first) > 0)
            return false;
        ends->last = end - layout->element_bytes;
    }
    return ends->last != NULL;
}

static void reduce(struct gsi_task *task, uint32_t worker_idx, bool is_ordered)
{
    struct gsi_buffer *buffer = gsi_buffer_of_task(task);
    const struct gsi_cpu_device *device = cpu_of(buffer->device);
    const struct gsi_layout *layout = &device->config.layout;
    struct gsi_record_tally *tally = device->tallies[worker_idx];
    size_t n = buffer->bytes / layout->element_bytes;
    if (layout->form != GSI_FORM_KEYS) {
        gsi_cpu_records_tally(layout, buffer, is_ordered, tally);
        return;
    }
    if (!is_ordered) {
        gsi_record_tally_add(tally, buffer->data, n);
        return;
    }
    gsi_record_tally_add_map(layout, tally, buffer->data, n);
    buffer->digest = GSI_DIGEST_EMPTY;
    gsi_digest_add(layout, &buffer->digest, buffer->data, n);
}

static void reduce_unordered(struct gsi_task *task, uint32_t worker_idx)
{
    reduce(task, worker_idx, false);
}

static void reduce_ordered(struct gsi_task *task, uint32_t worker_idx)
{
    reduce(task, worker_idx, true);
}

static void reduce_done(struct gsi_task *task)
{
    struct gsi_buffer *buffer = gsi_buffer_of_task(task);
    gsi_buffer_list_push(&cpu_of(buffer->device)->returned, buffer);
}

static void cpu_reduce(struct gsi_device *base, struct gsi_buffer *buffer, bool is_ordered)
{
    buffer->device = base;
    buffer->task = (struct gsi_task){.run = is_ordered ? reduce_ordered : reduce_unordered,
                                     .done = reduce_done};
    gsi_pool_submit(cpu_of(base)->config.pool, &buffer->task);
}

static bool cpu_reap(struct gsi_device *base, struct gsi_event *event)
{
    struct gsi_cpu_device *device = cpu_of(base);
    *event = (struct gsi_event){.status = GS_OK};
    if ((event->buffer = gsi_buffer_list_pop(&device->windows)) != NULL) {
        event->kind = GSI_EVENT_WINDOW;
    } else if ((event->buffer = gsi_buffer_list_pop(&device->returned)) != NULL) {
        event->kind = GSI_EVENT_BUFFER;
    } else if ((event->run = device->sorted_runs) != NULL) {
        event->kind = GSI_EVENT_RUN;
        device->sorted_runs = event->run->next;
    } else {
        return false;
    }
    return true;
}

static enum gs_status cpu_tally(struct gsi_device *base, struct gsi_tally_report *tally,
                                struct gs_error *error)
{
    (void)error;
    struct gsi_cpu_device *device = cpu_of(base);
    for (uint32_t i = 1; i < device->thread_count; i++) {
        gsi_record_tally_merge(device->tallies[0], device->tallies[i]);
        gsi_record_tally_clear(device->tallies[i]);
    }
    *tally = gsi_record_tally_finish(device->tallies[0], device->config.field_tallies);
    return GS_OK;
}

const struct gsi_device_ops gsi_device_cpu = {
    .name = "cpu",
    .probe = cpu_probe,
    .open = cpu_open,
    .close = cpu_close,
    .chunk_put = cpu_chunk_put,
    .chunk_seal = cpu_chunk_seal,
    .run_drop = cpu_run_drop,
    .run_pass = cpu_run_pass,
    .run_in_order = cpu_run_in_order,
    .merge_begin = gsi_cpu_merge_begin,
    .merge_feed = gsi_cpu_merge_feed,
    .merge_pull = gsi_cpu_merge_pull,
    .merge_end = gsi_cpu_merge_end,
    .reduce = cpu_reduce,
    .reap = cpu_reap,
    .tally = cpu_tally,
};
