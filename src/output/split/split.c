/* split.c: decides which bytes belong to which file, and writes one file after the other. */
#include "output/split/split.h"

#include "base/checked.h"
#include "base/choices.h"
#include "base/memory.h"
#include "base/u128.h"
#include "input/header.h"
#include "output/split/columns.h"
#include "output/zst_pack.h"

#include <stdlib.h>
#include <string.h>

/* ---- values ---- */

/* Makes the conditions of --split-at that decide where each file except the last ends. Close them
 * after a failure, too. */
static enum gs_status open_cuts(const struct gsi_target *target, struct gsi_side **cuts)
{
    const struct gsi_output_spec *spec = target->spec;
    struct gs_error *error = target->loop->error;
    *cuts = calloc(spec->split_count - 1, sizeof **cuts);
    if (*cuts == NULL)
        return gsi_fail(error, GS_E_MEMORY, 0,
                        "out of memory: cannot allocate the values of --split-at");
    for (size_t i = 0; i + 1 < spec->split_count; i++) {
        struct gsi_side *cut = &(*cuts)[i];
        const char *value = spec->split_values[i];
        GSI_TRY(gsi_side_open_before(cut, target->inputs, "split-at", value, value, false));
        if (i > 0 && !gsi_side_has_more_values(cut, cut - 1))
            return gsi_fail(error, GS_E_USAGE, 0,
                            "--split-at: '%s' is not after '%s' in the output order; give the "
                            "values in that order, each once",
                            value, spec->split_values[i - 1]);
    }
    return GS_OK;
}

static void close_cuts(const struct gsi_target *target, struct gsi_side *cuts)
{
    for (size_t i = 0; cuts != NULL && i + 1 < target->spec->split_count; i++)
        gsi_side_close(&cuts[i]);
    free(cuts);
}

/* ---- blocks ---- */

static bool is_wanted(const struct gsi_target *target)
{
    return target->spec->is_wanted && target->spec->is_split;
}

static void lay_out(struct gsi_split *split, const struct gsi_target *target, uint64_t block_bytes,
                    struct gsi_bump *bump)
{
    const struct gsi_buffer_shape shape = {.unit_bytes = block_bytes};
    gsi_buffers_lay_out(&split->blocks, NULL, GSI_BLOCK_COUNT, shape, bump);
    GSI_BUMP_ALLOC(bump, split->copy, target->loop->layout->element_bytes);
    gsi_flow_alloc(&split->flow, 0, GSI_FLOW_COPIES, bump);
}

void gsi_split_plan(const struct gsi_target *target, const struct gsi_budget *budget,
                    struct gsi_output_plan *plan)
{
    struct gsi_split planned;
    if (!is_wanted(target))
        return;
    if (target->inputs->values != NULL) {
        gsi_columns_plan(target, budget, plan);
        return;
    }
    plan->split_block_bytes = gsi_block_bytes(budget->memory_bytes, budget->window_bytes);
    lay_out(&planned, target, plan->split_block_bytes, &plan->split);
}

enum gs_status gsi_split_open(struct gsi_split *split, struct gsi_target *target)
{
    struct gsi_loop *loop = target->loop;
    const uint64_t block_bytes = target->plan->split_block_bytes;
    *split = (struct gsi_split){.target = target};
    if (!is_wanted(target) || target->inputs->values != NULL)
        return GS_OK;
    split->bump = target->plan->split;
    GSI_TRY(gsi_bump_open(&split->bump, &loop->ledger, GSI_MEMORY_DATA, loop->error));
    lay_out(split, target, block_bytes, &split->bump);
    return target->spec->split_values != NULL ? open_cuts(target, &split->cuts) : GS_OK;
}

static void close_pack(struct gsi_split *split)
{
    gsi_zst_pack_close(split->at.pack);
    split->at.pack = NULL;
}

void gsi_split_close(struct gsi_split *split)
{
    if (split->target == NULL)
        return;
    close_pack(split);
    close_cuts(split->target, split->cuts);
    gsi_bump_close(&split->bump, &split->target->loop->ledger, GSI_MEMORY_DATA);
    *split = (struct gsi_split){0};
}

/* ---- one file ---- */

/* By counts: the place in all of the output where a file begins. */
static uint64_t begin_of(const struct gsi_split *split, uint32_t file)
{
    uint64_t entries = split->total_bytes / split->entry_bytes;
    return gsi_part_begin(entries, file, split->target->files.count) * split->entry_bytes;
}

static enum gs_status begin_file(struct gsi_split *split)
{
    uint64_t bytes = UINT64_MAX;
    split->at = *split->target;
    split->at.output = split->target->files.table[split->current].output;
    if (split->cuts == NULL)
        bytes = begin_of(split, split->current + 1) - begin_of(split, split->current);
    GSI_TRY(gsi_target_open_pack(&split->at));
    /* If the number is not known yet, the header is made again at the end. */
    GSI_TRY(
        gsi_header_make(split->at.inputs, bytes == UINT64_MAX ? 0 : bytes / split->entry_bytes));
    gsi_sink_init(&split->sink, &split->at, &split->blocks, bytes);
    split->state = GSI_SPLIT_FILLS;
    return GS_OK;
}

static enum gs_status finish_file(struct gsi_split *split)
{
    if (split->at.pack == NULL)
        GSI_TRY(gsi_header_make(split->at.inputs, split->sink.bytes / split->entry_bytes));
    gsi_sink_finish(&split->sink);
    split->state = GSI_SPLIT_FINISHES;
    return GS_OK;
}

/* Ends the current file, which is written, and begins the next one. */
static enum gs_status next_file(struct gsi_split *split)
{
    struct gsi_split_files *files = &split->target->files;
    struct gsi_split_file *file = &files->table[split->current];
    file->count = split->sink.bytes / split->entry_bytes;
    file->file_bytes = gsi_sink_file_bytes(&split->sink);
    file->output.allocated = split->at.output.allocated;
    split->bytes += split->sink.bytes;
    close_pack(split);
    if (split->current + 1 < files->count) {
        split->current++;
        return begin_file(split);
    }
    split->state = GSI_SPLIT_IS_DONE;
    return GS_OK;
}

/* ---- blocks ---- */

/* Returns how many of `count` entries belong to the current file. */
static uint64_t entries_before(const struct gsi_split *split, const uint8_t *entries,
                               uint64_t count)
{
    const struct gsi_side *cut = &split->cuts[split->current];
    uint64_t low = 0, high = count;
    if (count > 0 &&
        gsi_side_contains(cut, entries + (count - 1) * split->entry_bytes, split->copy))
        return count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (gsi_side_contains(cut, entries + middle * split->entry_bytes, split->copy))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Bytes of the window, from `off` on, that belong to the current file. A block may have ended in an
 * entry, which belongs to the file as a whole. */
static uint64_t bytes_before_cut(void *context, const struct gsi_buffer *window, uint64_t off)
{
    const struct gsi_split *split = context;
    uint64_t begin = off - off % split->entry_bytes;
    if (split->current + 1 == split->target->files.count)
        return window->bytes - off;
    if (split->cuts == NULL)
        return gsi_min_u64(window->bytes - off,
                           begin_of(split, split->current + 1) - gsi_flow_bytes(&split->flow));
    return begin - off +
           split->entry_bytes * entries_before(split, window->data + begin,
                                               (window->bytes - begin) / split->entry_bytes);
}

static void take_block(void *context, struct gsi_buffer *block)
{
    struct gsi_split *split = context;
    gsi_sink_accept(&split->sink, block);
}

enum gs_status gsi_split_begin(struct gsi_split *split, struct gsi_buffers *windows,
                               uint64_t entry_bytes, uint64_t total_bytes)
{
    split->entry_bytes = entry_bytes;
    split->total_bytes = total_bytes;
    split->flow = (struct gsi_flow){.loop = split->target->loop,
                                    .copies = split->flow.copies,
                                    .receiver = {.context = split,
                                                 .blocks = &split->blocks,
                                                 .accept = take_block,
                                                 .bytes_before_cut = bytes_before_cut},
                                    .windows = windows,
                                    .most = UINT64_MAX};
    gsi_flow_begin(&split->flow);
    return begin_file(split);
}

/* ---- windows ---- */

static bool take(void *context, struct gsi_buffer *window)
{
    struct gsi_split *split = context;
    gsi_flow_accept(&split->flow, window);
    return false;
}

/* The file ends where the flow cuts a block, or after the last window. Returns whether anything
 * moved. */
static bool fill(struct gsi_split *split)
{
    bool has_moved = gsi_flow_pump(&split->flow);
    if (!gsi_flow_is_cut(&split->flow) && !(split->is_ended && gsi_flow_is_idle(&split->flow)))
        return has_moved;
    split->state = GSI_SPLIT_ENDS;
    return true;
}

static bool step(struct gsi_split *split)
{
    if (split->state == GSI_SPLIT_FILLS)
        return fill(split);
    if (split->state == GSI_SPLIT_IS_DONE || !gsi_sink_is_idle(&split->sink))
        return false;
    return (split->state == GSI_SPLIT_ENDS ? finish_file : next_file)(split) == GS_OK;
}

static bool pump(void *context)
{
    struct gsi_split *split = context;
    bool has_moved = gsi_sink_pump(&split->sink);
    while (!gsi_loop_has_failed(split->target->loop) && step(split))
        has_moved = true;
    return has_moved;
}

static bool is_idle(const void *context)
{
    const struct gsi_split *split = context;
    bool is_between = split->state == GSI_SPLIT_FILLS && !split->is_ended;
    return (is_between || split->state == GSI_SPLIT_IS_DONE) && gsi_flow_is_idle(&split->flow) &&
           gsi_sink_is_idle(&split->sink);
}

static void end(void *context)
{
    struct gsi_split *split = context;
    split->is_ended = true;
    gsi_flow_end(&split->flow);
}

struct gsi_stage gsi_split_stage(struct gsi_split *split)
{
    return (struct gsi_stage){
        .context = split, .pump = pump, .is_done = is_idle, .accept_window = take, .end = end};
}

enum gs_status gsi_split_commit(struct gsi_split *split, uint64_t count,
                                struct gsi_split_report *report)
{
    const struct gsi_split_files *files = &split->target->files;
    uint64_t all = 0;
    split->target->bytes = split->bytes;
    for (uint32_t i = 0; i < files->count; i++)
        all += report->counts[i] = files->table[i].count;
    return gsi_target_commit_files(split->target, all, count);
}

/* ---- files ---- */

enum gs_status gsi_split_check(const struct gsi_target *target, struct gsi_split_report *report)
{
    struct gsi_side *cuts = NULL;
    const struct gsi_output_spec *spec = target->spec;
    const uint32_t count = spec->split_count;
    if (count == 0 || !spec->is_wanted)
        return GS_OK;
    if (count > GSI_SPLIT_MAX)
        return gsi_fail(target->loop->error, GS_E_USAGE, 0,
                        "--split%s: %u files exceed the limit of %u",
                        spec->split_values != NULL ? "-at" : "", count, GSI_SPLIT_MAX);
    GSI_TRY(gsi_split_pattern_check(spec->name, target->loop->error));
    report->count = count;
    if (spec->split_values == NULL)
        return GS_OK;
    enum gs_status status = open_cuts(target, &cuts);
    close_cuts(target, cuts);
    return status;
}

enum gs_status gsi_split_open_files(struct gsi_target *target)
{
    const struct gsi_output_spec *spec = target->spec;
    struct gs_error *error = target->loop->error;
    GSI_TRY(gsi_split_files_open(&target->files, spec->name, spec->split_count, error));
    GSI_TRY(gsi_output_locate(target->files.table[0].path, &target->output, error));
    target->is_open = true;
    target->output.name = spec->name;
    return GS_OK;
}
