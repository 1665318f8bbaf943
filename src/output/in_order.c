/* in_order.c: runs the one pass: probes, merges the runs in memory, and ends it. */
#include "output/in_order.h"

#include "base/checked.h"
#include "element/tally/digest.h"
#include "plan/plan.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* The fewest runs, and chunks in them, from which a probe tells order. */
#define PROBE_RUNS_MIN   2u
#define PROBE_CHUNKS_MIN 4u

/* One in so many of a probe's runs are the newest ones, which must have none of the lowest
 * elements. */
#define PROBE_NEWEST_PART 4u

/* In random data, the newest runs have none of so many lowest elements once in 10^8 times. */
#define PROBE_ELEMENTS 64u

/* ---- begin ---- */

/* The output must be readable as a run: one file with all elements as they are. */
static bool is_possible(const struct gsi_target *target)
{
    const struct gsi_loop *loop = target->loop;
    return target->has_one_pass && loop->device->ops->run_pass != NULL &&
           target->output.kind == GSI_OUTPUT_ATOMIC;
}

enum gs_status gsi_in_order_begin(struct gsi_in_order *in_order, struct gsi_delivery *delivery,
                                  struct gsi_run_list *list, uint64_t chunks)
{
    const struct gsi_target *target = delivery->target;
    const struct gsi_plan *plan = target->loop->plan;
    *in_order = (struct gsi_in_order){.loop = target->loop,
                                      .delivery = delivery,
                                      .list = list,
                                      .low_chunks = gsi_plan_low_chunks(plan, chunks)};
    if (!is_possible(target))
        return GS_OK;
    uint64_t probed = gsi_max_u64(PROBE_CHUNKS_MIN, chunks / 4) / plan->chunks_per_run;
    in_order->probe_runs = (uint32_t)gsi_max_u64(PROBE_RUNS_MIN, probed);
    if ((uint64_t)in_order->probe_runs * plan->chunks_per_run > chunks - in_order->low_chunks)
        return GS_OK;
    GSI_TRY(gsi_delivery_start_early(delivery, gsi_inputs_shrink(target->inputs)
                                                   ? UINT64_MAX
                                                   : gsi_target_wanted_bytes(target)));
    in_order->state = GSI_IN_ORDER_PROBING;
    return GS_OK;
}

static void end_merge(struct gsi_in_order *in_order)
{
    gsi_merger_end(&in_order->merger);
    GSI_FREE(&in_order->loop->ledger, in_order->taken, in_order->run_count);
    in_order->taken = NULL;
    in_order->run_count = 0;
}

void gsi_in_order_close(struct gsi_in_order *in_order)
{
    if (in_order->loop == NULL)
        return;
    end_merge(in_order);
    if (in_order->has_written)
        gsi_input_close(&in_order->written);
    *in_order = (struct gsi_in_order){0};
}

/* ---- merges ---- */

/* How many of the oldest runs are sorted, and their bytes. */
static uint32_t count_sorted(const struct gsi_in_order *in_order, uint64_t *bytes)
{
    uint32_t count = 0;
    *bytes = 0;
    while (count < in_order->list->count && in_order->list->entries[count].is_sorted)
        *bytes +=
            in_order->list->entries[count++].key_count * in_order->loop->layout->element_bytes;
    return count;
}

static bool take(void *context, struct gsi_buffer *window)
{
    struct gsi_in_order *in_order = context;
    /* The first window of a merge has its lowest element. */
    if (in_order->merger.delivered_count == 1 &&
        gsi_stream_check_is_below(&in_order->delivery->check, window)) {
        in_order->is_late = true;
        gsi_merger_stop(&in_order->merger);
    }
    if (in_order->is_late || in_order->is_probe)
        gsi_buffers_give(&in_order->delivery->windows, window);
    else
        gsi_delivery_take(in_order->delivery, window);
    return false;
}

/* Begins to merge the oldest `count` runs, as far as `bytes` reach. Only whole windows are made,
 * because the last one of the output may be shorter. */
static enum gs_status begin_merge(struct gsi_in_order *in_order, uint32_t count, uint64_t bytes)
{
    struct gsi_loop *loop = in_order->loop;
    in_order->is_late = false;
    GSI_TRY(GSI_NEW(&loop->ledger, in_order->taken, count, loop->error));
    in_order->run_count = count;
    in_order->link = (struct gsi_link){.context = in_order, .take = take};
    const struct gsi_merger_spec spec = {.taken = in_order->taken,
                                         .made_bytes = in_order->written_bytes,
                                         .entries = in_order->list->entries,
                                         .count = count,
                                         .to_elements = true,
                                         .windows = &in_order->delivery->windows,
                                         .links = &in_order->link,
                                         .link_count = 1,
                                         .most_bytes = bytes};
    return gsi_merger_begin(&in_order->merger, loop, &spec);
}

void gsi_in_order_take(struct gsi_in_order *in_order, struct gsi_buffer *window)
{
    gsi_merger_take(&in_order->merger, window);
}

/* The output is written up to `bytes`, which are no longer in memory. */
static void drop_written(struct gsi_in_order *in_order, uint64_t bytes)
{
    struct gsi_device *device = in_order->loop->device;
    struct gsi_run_list *list = in_order->list;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        struct gsi_run_entry entry = list->entries[i];
        uint64_t taken = i < in_order->run_count ? in_order->taken[i] : 0;
        if (taken > 0 && taken == entry.key_count) {
            device->ops->run_drop(device, entry.resident);
            continue;
        }
        if (taken > 0) {
            device->ops->run_pass(device, entry.resident);
            entry.key_count -= taken;
            entry.read_off += taken * in_order->loop->layout->element_bytes;
        }
        list->entries[kept++] = entry;
    }
    list->count = kept;
    in_order->written_bytes = in_order->loop->early_bytes = bytes;
}

/* In data of any other order the newest runs have their part of the lowest elements, too. */
static bool is_in_order(const struct gsi_in_order *in_order)
{
    uint32_t newest = gsi_max_u32(1, in_order->run_count / PROBE_NEWEST_PART);
    for (uint32_t i = in_order->run_count - newest; i < in_order->run_count; i++)
        if (in_order->taken[i] > 0)
            return false;
    return true;
}

/* All windows of the merge are delivered. */
static void finish_merge(struct gsi_in_order *in_order)
{
    const uint64_t bytes = in_order->merger.pulled_bytes;
    gsi_merger_end(&in_order->merger);
    if (in_order->is_probe)
        in_order->state = is_in_order(in_order) ? GSI_IN_ORDER_WRITING : GSI_IN_ORDER_OFF;
    else if (in_order->is_late)
        in_order->state = GSI_IN_ORDER_ENDING;
    else
        drop_written(in_order, bytes);
    in_order->is_probe = false;
    end_merge(in_order);
}

/* ---- the end by a late element ---- */

/* The written file is kept as a run, and the output is another file from now on. */
static enum gs_status keep_written(struct gsi_in_order *in_order)
{
    struct gsi_target *target = in_order->delivery->target;
    struct gsi_loop *loop = in_order->loop;
    struct gsi_run_list *list = in_order->list;
    struct gsi_output *output = &target->output, next;
    GSI_TRY(gsi_run_list_reserve(list, loop->error));
    GSI_TRY(gsi_delivery_restart(in_order->delivery, &in_order->dropped));
    in_order->written_bytes = in_order->delivery->sink.bytes;
    in_order->has_written = true; /* it is to be closed, whatever fails */
    GSI_TRY(gsi_output_reread(output, gsi_sink_data_off(target), in_order->written_bytes,
                              &in_order->written, loop->error));
    in_order->written.is_temporary = true;
    /* Disk was taken ahead of it. */
    if (ftruncate(output->fd, (off_t)(gsi_sink_data_off(target) + in_order->written_bytes)) != 0)
        return gsi_fail(loop->error, GS_E_IO, errno, "'%s': cannot set its size", output->name);
    GSI_TRY(gsi_output_open(output->path, &next, loop->error));
    /* Others have the name of the directory from here (job/job_space.c). */
    char *directory = output->directory;
    output->directory = next.directory;
    next.directory = directory;
    gsi_output_close(output);
    *output = next;
    memmove(&list->entries[1], &list->entries[0], list->count * sizeof *list->entries);
    list->count++;
    list->entries[0] =
        (struct gsi_run_entry){.is_extent = true,
                               .extent = {&in_order->written, 0, in_order->written_bytes},
                               .key_count = in_order->written_bytes / loop->layout->element_bytes};
    return GS_OK;
}

static bool pump_end(struct gsi_in_order *in_order)
{
    const struct gsi_stage delivery = gsi_delivery_stage(in_order->delivery);
    if (in_order->written_bytes > 0) {
        gsi_delivery_end(in_order->delivery);
        if (!delivery.is_done(delivery.context) || keep_written(in_order) != GS_OK)
            return false;
    }
    in_order->state = GSI_IN_ORDER_OFF;
    return true;
}

/* ---- when ---- */

/* Begins the next merge, if it is time. */
static bool begin_if_due(struct gsi_in_order *in_order, uint64_t free_chunks, bool is_read)
{
    uint64_t bytes, window = in_order->delivery->windows.all[0].capacity;
    uint32_t count = count_sorted(in_order, &bytes);
    bool is_all = count == in_order->list->count;
    if (in_order->state == GSI_IN_ORDER_PROBING) {
        if (is_read ||
            (is_all && free_chunks < in_order->low_chunks && count < in_order->probe_runs)) {
            in_order->state = GSI_IN_ORDER_OFF;
            return true;
        }
        if (count < in_order->probe_runs)
            return false;
        in_order->is_probe = true;
        uint64_t probed = PROBE_ELEMENTS * (uint64_t)in_order->loop->layout->element_bytes;
        /* The loop finds its failure. */
        (void)begin_merge(in_order, count, gsi_round_up_u64(gsi_max_u64(probed, window), window));
        return true;
    }
    uint64_t over =
        bytes > in_order->loop->plan->late_bytes ? bytes - in_order->loop->plan->late_bytes : 0;
    if (is_read) {
        if (!is_all || in_order->is_checked)
            return false;
        in_order->is_checked = true;
        if (in_order->written_bytes == 0) { /* all is in memory */
            in_order->state = GSI_IN_ORDER_OFF;
            return true;
        }
        over = window;
    } else if (free_chunks >= in_order->low_chunks ||
               (over < in_order->loop->plan->chunk_bytes && !is_all)) {
        return false;
    } else if (over < window) { /* all is sorted, and most of it only in part */
        in_order->state = GSI_IN_ORDER_ENDING;
        return true;
    }
    (void)begin_merge(in_order, count, over);
    return true;
}

static bool pump_merges(struct gsi_in_order *in_order, uint64_t free_chunks, bool is_read)
{
    if (in_order->state == GSI_IN_ORDER_ENDING)
        return pump_end(in_order);
    if (in_order->merger.loop == NULL)
        return begin_if_due(in_order, free_chunks, is_read);
    bool has_moved = gsi_merger_pump(&in_order->merger);
    if (!gsi_merger_is_done(&in_order->merger))
        return has_moved;
    finish_merge(in_order);
    return true;
}

bool gsi_in_order_pump(struct gsi_in_order *in_order, uint64_t free_chunks, bool is_read)
{
    const struct gsi_stage delivery = gsi_delivery_stage(in_order->delivery);
    if (gsi_loop_has_failed(in_order->loop))
        return false;
    bool has_moved = pump_merges(in_order, free_chunks, is_read);
    return delivery.pump(delivery.context) || has_moved;
}

bool gsi_in_order_is_done(const struct gsi_in_order *in_order)
{
    return !gsi_in_order_is_on(in_order) ||
           (in_order->state == GSI_IN_ORDER_WRITING && in_order->merger.loop == NULL &&
            in_order->is_checked && gsi_write_flow_is_idle(&in_order->delivery->write_flow));
}
