/* one_pass.c: runs the one pass: probes, merges the runs in memory, and ends it. */
#include "output/one_pass.h"

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

enum gs_status gsi_one_pass_begin(struct gsi_one_pass *one_pass, struct gsi_delivery *delivery,
                                  struct gsi_run_list *list, uint64_t chunks)
{
    const struct gsi_target *target = delivery->target;
    const struct gsi_plan *plan = target->loop->plan;
    *one_pass = (struct gsi_one_pass){.loop = target->loop,
                                      .delivery = delivery,
                                      .list = list,
                                      .low_chunks = gsi_plan_min_free_chunks(plan, chunks)};
    if (!is_possible(target))
        return GS_OK;
    uint64_t probed = gsi_max_u64(PROBE_CHUNKS_MIN, chunks / 4) / plan->chunks_per_run;
    one_pass->probe_runs = (uint32_t)gsi_max_u64(PROBE_RUNS_MIN, probed);
    if ((uint64_t)one_pass->probe_runs * plan->chunks_per_run > chunks - one_pass->low_chunks)
        return GS_OK;
    GSI_TRY(gsi_delivery_start_early(delivery, gsi_inputs_may_shrink(target->inputs)
                                                   ? UINT64_MAX
                                                   : gsi_target_wanted_bytes(target)));
    one_pass->state = GSI_ONE_PASS_PROBING;
    return GS_OK;
}

static void end_merge(struct gsi_one_pass *one_pass)
{
    gsi_merger_end(&one_pass->merger);
    GSI_FREE(&one_pass->loop->ledger, one_pass->taken, one_pass->run_count);
    one_pass->taken = NULL;
    one_pass->run_count = 0;
}

void gsi_one_pass_close(struct gsi_one_pass *one_pass)
{
    if (one_pass->loop == NULL)
        return;
    end_merge(one_pass);
    if (one_pass->has_written)
        gsi_input_close(&one_pass->written);
    *one_pass = (struct gsi_one_pass){0};
}

/* ---- merges ---- */

/* Returns how many of the oldest runs are sorted already, and their size together. */
static uint32_t count_sorted(const struct gsi_one_pass *one_pass, uint64_t *bytes)
{
    uint32_t count = 0;
    *bytes = 0;
    while (count < one_pass->list->count && one_pass->list->entries[count].is_sorted)
        *bytes +=
            one_pass->list->entries[count++].key_count * one_pass->loop->layout->element_bytes;
    return count;
}

static bool take(void *context, struct gsi_buffer *window)
{
    struct gsi_one_pass *one_pass = context;
    /* The first window of a merge has its lowest element. */
    if (one_pass->merger.delivered_count == 1 &&
        gsi_stream_check_is_below(&one_pass->delivery->check, window)) {
        one_pass->is_late = true;
        gsi_merger_stop(&one_pass->merger);
    }
    if (one_pass->is_late || one_pass->is_probe)
        gsi_buffers_return(&one_pass->delivery->windows, window);
    else
        gsi_delivery_accept(one_pass->delivery, window);
    return false;
}

/* Begins to merge the oldest `count` runs, as far as `bytes` reach. Only whole windows are made,
 * because the last one of the output may be shorter. */
static enum gs_status begin_merge(struct gsi_one_pass *one_pass, uint32_t count, uint64_t bytes)
{
    struct gsi_loop *loop = one_pass->loop;
    one_pass->is_late = false;
    GSI_TRY(GSI_NEW(&loop->ledger, one_pass->taken, count, loop->error));
    one_pass->run_count = count;
    one_pass->link = (struct gsi_link){.context = one_pass, .accept = take};
    const struct gsi_merger_spec spec = {.taken = one_pass->taken,
                                         .made_bytes = one_pass->written_bytes,
                                         .entries = one_pass->list->entries,
                                         .count = count,
                                         .to_elements = true,
                                         .windows = &one_pass->delivery->windows,
                                         .links = &one_pass->link,
                                         .link_count = 1,
                                         .most_bytes = bytes};
    return gsi_merger_begin(&one_pass->merger, loop, &spec);
}

void gsi_one_pass_accept(struct gsi_one_pass *one_pass, struct gsi_buffer *window)
{
    gsi_merger_accept(&one_pass->merger, window);
}

/* The output is written up to `bytes`, which are no longer in memory. */
static void drop_written(struct gsi_one_pass *one_pass, uint64_t bytes)
{
    struct gsi_device *device = one_pass->loop->device;
    struct gsi_run_list *list = one_pass->list;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        struct gsi_run_entry entry = list->entries[i];
        uint64_t taken = i < one_pass->run_count ? one_pass->taken[i] : 0;
        if (taken > 0 && taken == entry.key_count) {
            device->ops->run_drop(device, entry.resident);
            continue;
        }
        if (taken > 0) {
            device->ops->run_pass(device, entry.resident);
            entry.key_count -= taken;
            entry.read_off += taken * one_pass->loop->layout->element_bytes;
        }
        list->entries[kept++] = entry;
    }
    list->count = kept;
    one_pass->written_bytes = one_pass->loop->early_bytes = bytes;
}

/* In data of any other order the newest runs have their part of the lowest elements, too. */
static bool is_in_order(const struct gsi_one_pass *one_pass)
{
    uint32_t newest = gsi_max_u32(1, one_pass->run_count / PROBE_NEWEST_PART);
    for (uint32_t i = one_pass->run_count - newest; i < one_pass->run_count; i++)
        if (one_pass->taken[i] > 0)
            return false;
    return true;
}

/* All windows of the merge are delivered. */
static void finish_merge(struct gsi_one_pass *one_pass)
{
    const uint64_t bytes = one_pass->merger.pulled_bytes;
    gsi_merger_end(&one_pass->merger);
    if (one_pass->is_probe)
        one_pass->state = is_in_order(one_pass) ? GSI_ONE_PASS_WRITING : GSI_ONE_PASS_OFF;
    else if (one_pass->is_late)
        one_pass->state = GSI_ONE_PASS_ENDING;
    else
        drop_written(one_pass, bytes);
    one_pass->is_probe = false;
    end_merge(one_pass);
}

/* ---- the end by a late element ---- */

/* The written file is kept as a run, and the output is another file from now on. */
static enum gs_status keep_written(struct gsi_one_pass *one_pass)
{
    struct gsi_target *target = one_pass->delivery->target;
    struct gsi_loop *loop = one_pass->loop;
    struct gsi_run_list *list = one_pass->list;
    struct gsi_output *output = &target->output, next;
    GSI_TRY(gsi_run_list_reserve(list, loop->error));
    GSI_TRY(gsi_delivery_restart(one_pass->delivery, &one_pass->dropped));
    one_pass->written_bytes = one_pass->delivery->sink.bytes;
    one_pass->has_written = true; /* it is to be closed, whatever fails */
    GSI_TRY(gsi_output_reread(output, gsi_sink_data_off(target), one_pass->written_bytes,
                              &one_pass->written, loop->error));
    one_pass->written.is_temporary = true;
    /* Disk was taken ahead of it. */
    if (ftruncate(output->fd, (off_t)(gsi_sink_data_off(target) + one_pass->written_bytes)) != 0)
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
                               .extent = {&one_pass->written, 0, one_pass->written_bytes},
                               .key_count = one_pass->written_bytes / loop->layout->element_bytes};
    return GS_OK;
}

static bool pump_end(struct gsi_one_pass *one_pass)
{
    const struct gsi_stage delivery = gsi_delivery_stage(one_pass->delivery);
    if (one_pass->written_bytes > 0) {
        gsi_delivery_end(one_pass->delivery);
        if (!delivery.is_done(delivery.context) || keep_written(one_pass) != GS_OK)
            return false;
    }
    one_pass->state = GSI_ONE_PASS_OFF;
    return true;
}

/* ---- when ---- */

/* Begins the next merge, if it is time. */
static bool begin_if_due(struct gsi_one_pass *one_pass, uint64_t free_chunks, bool is_read)
{
    uint64_t bytes, window = one_pass->delivery->windows.all[0].capacity;
    uint32_t count = count_sorted(one_pass, &bytes);
    bool is_all = count == one_pass->list->count;
    if (one_pass->state == GSI_ONE_PASS_PROBING) {
        if (is_read ||
            (is_all && free_chunks < one_pass->low_chunks && count < one_pass->probe_runs)) {
            one_pass->state = GSI_ONE_PASS_OFF;
            return true;
        }
        if (count < one_pass->probe_runs)
            return false;
        one_pass->is_probe = true;
        uint64_t probed = PROBE_ELEMENTS * (uint64_t)one_pass->loop->layout->element_bytes;
        /* The loop finds its failure. */
        (void)begin_merge(one_pass, count, gsi_round_up_u64(gsi_max_u64(probed, window), window));
        return true;
    }
    uint64_t over =
        bytes > one_pass->loop->plan->late_bytes ? bytes - one_pass->loop->plan->late_bytes : 0;
    if (is_read) {
        if (!is_all || one_pass->is_checked)
            return false;
        one_pass->is_checked = true;
        if (one_pass->written_bytes == 0) { /* all is in memory */
            one_pass->state = GSI_ONE_PASS_OFF;
            return true;
        }
        over = window;
    } else if (free_chunks >= one_pass->low_chunks ||
               (over < one_pass->loop->plan->chunk_bytes && !is_all)) {
        return false;
    } else if (over < window) { /* all is sorted, and most of it only in part */
        one_pass->state = GSI_ONE_PASS_ENDING;
        return true;
    }
    (void)begin_merge(one_pass, count, over);
    return true;
}

static bool pump_merges(struct gsi_one_pass *one_pass, uint64_t free_chunks, bool is_read)
{
    if (one_pass->state == GSI_ONE_PASS_ENDING)
        return pump_end(one_pass);
    if (one_pass->merger.loop == NULL)
        return begin_if_due(one_pass, free_chunks, is_read);
    bool has_moved = gsi_merger_pump(&one_pass->merger);
    if (!gsi_merger_is_done(&one_pass->merger))
        return has_moved;
    finish_merge(one_pass);
    return true;
}

bool gsi_one_pass_pump(struct gsi_one_pass *one_pass, uint64_t free_chunks, bool is_read)
{
    const struct gsi_stage delivery = gsi_delivery_stage(one_pass->delivery);
    if (gsi_loop_has_failed(one_pass->loop))
        return false;
    bool has_moved = pump_merges(one_pass, free_chunks, is_read);
    return delivery.pump(delivery.context) || has_moved;
}

bool gsi_one_pass_is_done(const struct gsi_one_pass *one_pass)
{
    return !gsi_one_pass_is_on(one_pass) ||
           (one_pass->state == GSI_ONE_PASS_WRITING && one_pass->merger.loop == NULL &&
            one_pass->is_checked && gsi_write_flow_is_idle(&one_pass->delivery->write_flow));
}
