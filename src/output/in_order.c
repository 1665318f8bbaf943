/* in_order.c: the pass: probe, merges of what is in memory, and its end. */
#include "output/in_order.h"

#include "base/checked.h"
#include "base/report.h"
#include "element/element_ops.h"
#include "input/header.h"
#include "input/npy/npy_input.h"
#include "output/ranks.h"
#include "plan/plan.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* The fewest runs, and chunks in them, from which a probe tells order. */
#define PROBE_RUNS_MIN   2u
#define PROBE_CHUNKS_MIN 4u

/* Of a probe's runs, the newest part that may have nothing among the lowest elements. */
#define PROBE_NEWEST_PART 4u

/* Of random data these have none of so many once in 10^8 times. */
#define PROBE_ELEMENTS 64u

/* ---- begin ---- */

const char *gsi_in_order_why_not(const struct gsi_options *options, const struct gsi_inputs *inputs)
{
    if (options->resume_dir != NULL)
        return "--resume puts runs on record";
    if (options->spill_all)
        return "every run is spilled as asked";
    if (gsi_target_is_split(options) || options->into)
        return "the output is not one file";
    if (gsi_target_pack_level(options) > 0)
        return "the output is packed";
    if (inputs->carry != NULL || (options->unique && !gsi_unique_is_plain(options)))
        return "what is written is not what is sorted";
    if (options->has_top || gsi_ranks_wanted(options))
        return "the number of elements has to be known first";
    if (inputs->are_many)
        return "the inputs are too many to be open";
    bool is_known = inputs->bytes != UINT64_MAX && !gsi_inputs_shrink(inputs);
    bool has_header =
        inputs->header.bytes > 0 || options->header_bytes > 0 || gsi_npy_input_is_output(inputs);
    return is_known || !has_header ? NULL : "a header needs the number of elements";
}

/* What is written has to be readable as a run: all elements as they are, in a file of its own. */
static bool is_possible(const struct gsi_target *target)
{
    const struct gsi_loop *loop = target->loop;
    return loop->plan->late_bytes > 0 && loop->device->ops->run_pass != NULL &&
           target->output.kind == GSI_OUTPUT_ATOMIC && !loop->layout->is_unverified;
}

enum gs_status gsi_in_order_begin(struct gsi_in_order *pass, struct gsi_delivery *delivery,
                                  struct gsi_run_list *list, uint64_t chunks)
{
    const struct gsi_target *target = delivery->target;
    const struct gsi_plan *plan = target->loop->plan;
    *pass = (struct gsi_in_order){.loop = target->loop,
                                  .delivery = delivery,
                                  .list = list,
                                  .low_chunks = gsi_plan_low_chunks(plan, chunks)};
    if (!is_possible(target))
        return GS_OK;
    uint64_t probed = gsi_max_u64(PROBE_CHUNKS_MIN, chunks / 4) / plan->chunks_per_run;
    pass->probe_runs = (uint32_t)gsi_max_u64(PROBE_RUNS_MIN, probed);
    if ((uint64_t)pass->probe_runs * plan->chunks_per_run > chunks - pass->low_chunks)
        return GS_OK;
    GSI_TRY(gsi_delivery_start_early(delivery, gsi_inputs_shrink(target->inputs)
                                                   ? UINT64_MAX
                                                   : gsi_target_wanted_bytes(target)));
    pass->state = GSI_IN_ORDER_PROBING;
    return GS_OK;
}

static void end_merge(struct gsi_in_order *pass)
{
    if (pass->merge != NULL)
        pass->loop->device->ops->merge_end(pass->merge);
    pass->merge = NULL;
    GSI_FREE(&pass->loop->ledger, pass->taken, pass->run_count);
    pass->taken = NULL;
    pass->run_count = 0;
}

void gsi_in_order_end(struct gsi_in_order *pass)
{
    if (pass->loop == NULL)
        return;
    end_merge(pass);
    if (pass->has_written)
        gsi_input_close(&pass->written);
    *pass = (struct gsi_in_order){0};
}

/* ---- merges ---- */

/* How many of the oldest runs are sorted, and their bytes. */
static uint32_t count_sorted(const struct gsi_in_order *pass, uint64_t *bytes)
{
    uint32_t count = 0;
    *bytes = 0;
    while (count < pass->list->count && pass->list->entries[count].is_sorted)
        *bytes += pass->list->entries[count++].key_count * pass->loop->layout->element_bytes;
    return count;
}

/* Begins to merge the oldest `count` runs, as far as `bytes` reach. */
static enum gs_status begin_merge(struct gsi_in_order *pass, uint32_t count, uint64_t bytes)
{
    struct gsi_loop *loop = pass->loop;
    struct gsi_merge_input *inputs;
    GSI_TRY(GSI_NEW(&loop->ledger, pass->taken, count, loop->error));
    pass->run_count = count;
    pass->left_bytes = bytes;
    pass->pulled_count = pass->delivered_count = 0;
    pass->pulled_bytes = 0;
    pass->is_late = false;
    GSI_TRY(GSI_NEW(&loop->ledger, inputs, count, loop->error));
    for (uint32_t i = 0; i < count; i++)
        inputs[i].run = pass->list->entries[i].resident;
    const struct gsi_merge_spec spec = {
        .inputs = inputs, .input_count = count, .to_elements = true, .taken = pass->taken};
    enum gs_status status =
        loop->device->ops->merge_begin(loop->device, &spec, &pass->merge, loop->error);
    GSI_FREE(&loop->ledger, inputs, count);
    return status;
}

/* Whole windows only: the output's last one may be shorter, and is not made here. */
static bool pull_windows(struct gsi_in_order *pass)
{
    bool has_moved = false;
    struct gsi_buffer *window;
    while (pass->left_bytes > 0 && (window = gsi_buffers_take(&pass->delivery->windows)) != NULL) {
        uint32_t needed_idx;
        if (window->tags != NULL)
            window->data =
                window->memory + (pass->written_bytes + pass->pulled_bytes) % GSI_DIRECT_ALIGN;
        enum gsi_pull pull = GSI_PULL_END;
        if (window->capacity <= pass->left_bytes)
            pull = pass->loop->device->ops->merge_pull(pass->merge, window, &needed_idx);
        if (pull != GSI_PULL_OK) {
            gsi_buffers_give(&pass->delivery->windows, window);
            if (pull != GSI_PULL_LATER)
                pass->left_bytes = 0;
            break;
        }
        pass->pulled_count++;
        pass->pulled_bytes += window->bytes;
        pass->left_bytes -= window->bytes;
        has_moved = true;
    }
    return has_moved;
}

void gsi_in_order_take(struct gsi_in_order *pass, struct gsi_buffer *window)
{
    /* The first window of a merge has its lowest element. */
    if (pass->delivered_count++ == 0 && gsi_stream_check_is_below(&pass->delivery->check, window)) {
        pass->is_late = true;
        pass->left_bytes = 0;
    }
    if (pass->is_late || pass->is_probe) {
        gsi_buffers_give(&pass->delivery->windows, window);
        return;
    }
    gsi_delivery_take(pass->delivery, window);
}

/* What is written is no longer in memory. */
static void pass_runs(struct gsi_in_order *pass)
{
    struct gsi_device *device = pass->loop->device;
    struct gsi_run_list *list = pass->list;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        struct gsi_run_entry entry = list->entries[i];
        uint64_t taken = i < pass->run_count ? pass->taken[i] : 0;
        if (taken > 0 && taken == entry.key_count) {
            device->ops->run_drop(device, entry.resident);
            continue;
        }
        if (taken > 0) {
            device->ops->run_pass(device, entry.resident);
            entry.key_count -= taken;
            entry.read_off += taken * pass->loop->layout->element_bytes;
        }
        list->entries[kept++] = entry;
    }
    list->count = kept;
    pass->written_bytes += pass->pulled_bytes;
}

/* Of data in any other order the newest runs have their part of the lowest elements, too. */
static bool is_in_order(const struct gsi_in_order *pass)
{
    uint32_t newest = gsi_max_u32(1, pass->run_count / PROBE_NEWEST_PART);
    for (uint32_t i = pass->run_count - newest; i < pass->run_count; i++)
        if (pass->taken[i] > 0)
            return false;
    return true;
}

/* All windows of the merge are delivered. */
static void finish_merge(struct gsi_in_order *pass)
{
    pass->loop->device->ops->merge_end(pass->merge);
    pass->merge = NULL;
    if (pass->is_probe)
        pass->state = is_in_order(pass) ? GSI_IN_ORDER_PASSING : GSI_IN_ORDER_OFF;
    else if (pass->is_late)
        pass->state = GSI_IN_ORDER_ENDING;
    else
        pass_runs(pass);
    pass->is_probe = false;
    end_merge(pass);
}

/* ---- the end by a late element ---- */

/* What is written becomes a run, and the output another file. */
static enum gs_status keep_written(struct gsi_in_order *pass)
{
    struct gsi_target *target = pass->delivery->target;
    struct gsi_loop *loop = pass->loop;
    struct gsi_run_list *list = pass->list;
    struct gsi_output *output = &target->output, next;
    GSI_TRY(gsi_run_list_reserve(list, loop->error));
    GSI_TRY(gsi_delivery_restart(pass->delivery, &pass->dropped));
    pass->written_bytes = pass->delivery->sink.bytes;
    pass->has_written = true; /* it is to be closed, whatever fails */
    GSI_TRY(gsi_output_reread(output, gsi_sink_data_off(target), pass->written_bytes,
                              &pass->written, loop->error));
    pass->written.is_temporary = true;
    /* Disk was taken ahead of it. */
    if (ftruncate(output->fd, (off_t)(gsi_sink_data_off(target) + pass->written_bytes)) != 0)
        return gsi_fail(loop->error, GS_E_IO, errno, "'%s': cannot set the size", output->name);
    GSI_TRY(gsi_output_open(output->path, &next, loop->error));
    /* Others have the name of the directory from here (job/job_space.c). */
    char *directory = output->directory;
    output->directory = next.directory;
    next.directory = directory;
    gsi_output_close(output);
    *output = next;
    memmove(&list->entries[1], &list->entries[0], list->count * sizeof *list->entries);
    list->count++;
    list->entries[0] = (struct gsi_run_entry){
        .file = &pass->written, .key_count = pass->written_bytes / loop->layout->element_bytes};
    return GS_OK;
}

static bool pump_end(struct gsi_in_order *pass)
{
    const struct gsi_stage delivery = gsi_delivery_stage(pass->delivery);
    if (pass->written_bytes > 0) {
        gsi_delivery_end(pass->delivery);
        if (!delivery.is_done(delivery.context) || keep_written(pass) != GS_OK)
            return false;
    }
    pass->state = GSI_IN_ORDER_OFF;
    return true;
}

/* ---- when ---- */

/* Begins the next merge, if it is time. */
static bool begin_if_due(struct gsi_in_order *pass, uint64_t free_chunks, bool is_read)
{
    uint64_t bytes, window = pass->delivery->windows.all[0].capacity;
    uint32_t count = count_sorted(pass, &bytes);
    bool is_all = count == pass->list->count;
    if (pass->state == GSI_IN_ORDER_PROBING) {
        if (is_read || (is_all && free_chunks < pass->low_chunks && count < pass->probe_runs)) {
            pass->state = GSI_IN_ORDER_OFF;
            return true;
        }
        if (count < pass->probe_runs)
            return false;
        pass->is_probe = true;
        uint64_t probed = PROBE_ELEMENTS * (uint64_t)pass->loop->layout->element_bytes;
        /* The loop finds its failure. */
        (void)begin_merge(pass, count, gsi_round_up_u64(gsi_max_u64(probed, window), window));
        return true;
    }
    uint64_t over = bytes > pass->loop->plan->late_bytes ? bytes - pass->loop->plan->late_bytes : 0;
    if (is_read) {
        if (!is_all || pass->is_checked)
            return false;
        pass->is_checked = true;
        if (pass->written_bytes == 0) { /* all is in memory */
            pass->state = GSI_IN_ORDER_OFF;
            return true;
        }
        over = window;
    } else if (free_chunks >= pass->low_chunks ||
               (over < pass->loop->plan->chunk_bytes && !is_all)) {
        return false;
    } else if (over < window) { /* all is sorted, and most of it only in part */
        pass->state = GSI_IN_ORDER_ENDING;
        return true;
    }
    (void)begin_merge(pass, count, over);
    return true;
}

static bool pump_merges(struct gsi_in_order *pass, uint64_t free_chunks, bool is_read)
{
    if (pass->state == GSI_IN_ORDER_ENDING)
        return pump_end(pass);
    if (pass->merge == NULL)
        return begin_if_due(pass, free_chunks, is_read);
    bool has_moved = pull_windows(pass);
    if (pass->left_bytes > 0 || pass->delivered_count < pass->pulled_count)
        return has_moved;
    finish_merge(pass);
    return true;
}

bool gsi_in_order_pump(struct gsi_in_order *pass, uint64_t free_chunks, bool is_read)
{
    const struct gsi_stage delivery = gsi_delivery_stage(pass->delivery);
    if (gsi_loop_has_failed(pass->loop))
        return false;
    bool has_moved = pump_merges(pass, free_chunks, is_read);
    return delivery.pump(delivery.context) || has_moved;
}

bool gsi_in_order_is_done(const struct gsi_in_order *pass)
{
    return !gsi_in_order_is_on(pass) ||
           (pass->state == GSI_IN_ORDER_PASSING && pass->merge == NULL && pass->is_checked &&
            gsi_delivery_is_idle(pass->delivery));
}
