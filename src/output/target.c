/* target.c: sizes of the output, what packs it, and its place in a file of several processes. */
#include "output/target.h"

#include "base/assert.h"
#include "input/header.h"
#include "output/zst_pack.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

uint64_t gsi_target_most_bytes(const struct gsi_target *target)
{
    return gsi_mul_max_u64(target->spec->most_count, target->loop->layout->element_bytes);
}

uint64_t gsi_target_wanted_bytes(const struct gsi_target *target)
{
    if (target->spec->is_permuted)
        return target->spec->permuted_bytes;
    return gsi_min_u64(gsi_inputs_kept_bytes(target->inputs), gsi_target_most_bytes(target));
}

bool gsi_target_has_blocks(const struct gsi_target *target)
{
    return target->spec->is_wanted &&
           (target->spec->has_groups || gsi_inputs_are_changed(target->inputs));
}

const struct gsi_layout *gsi_target_layout(const struct gsi_target *target)
{
    const struct gsi_entry_map *entry_map = target->inputs->entry_map;
    return entry_map != NULL && entry_map->is_whole ? target->inputs->layout : target->loop->layout;
}

#define BLOCK_PART      ((uint64_t)GSI_BLOCK_COUNT * GSI_BLOCKS_PART)
#define BLOCK_MIN_BYTES GSI_CONSTANT((uint64_t)64 << 10, (uint64_t)4 << 10)
#define BLOCK_MAX_BYTES ((uint64_t)2 << 20)

uint64_t gsi_block_bytes(uint64_t memory_bytes, uint64_t window_bytes)
{
    uint64_t block = gsi_clamp_u64(memory_bytes / BLOCK_PART, BLOCK_MIN_BYTES, BLOCK_MAX_BYTES);
    if (window_bytes > 0) /* what is written in one piece, as asked */
        block = gsi_clamp_u64(window_bytes, GSI_DIRECT_ALIGN, block);
    return gsi_round_down_u64(block, GSI_DIRECT_ALIGN);
}

const char *gsi_target_describe_left(const struct gsi_target *target)
{
    return target->output.kind == GSI_OUTPUT_ATOMIC ? "no output was written"
                                                    : "what was written is wrong";
}

void gsi_target_plan_packing(const struct gsi_target *target, const struct gsi_budget *budget,
                             struct gsi_output_plan *plan)
{
    uint32_t level = target->spec->pack_level;
    plan->pack_level = level;
    if (level == 0)
        return;
    const uint64_t slot = gsi_zst_pack_plan(level, 2).bytes - gsi_zst_pack_plan(level, 1).bytes;
    plan->pack_slots = gsi_zst_slots_fitting(slot, budget->memory_bytes, budget->thread_count);
    plan->pack = gsi_zst_pack_plan(level, plan->pack_slots);
}

enum gs_status gsi_target_open_pack(struct gsi_target *target)
{
    return target->plan->pack_level > 0
               ? gsi_zst_pack_open(&target->pack, target->loop, target->output.name,
                                   target->plan->pack_level, target->plan->pack_slots,
                                   &target->plan->pack)
               : GS_OK;
}

enum gs_status gsi_target_commit_files(struct gsi_target *target, uint64_t count, uint64_t wanted)
{
    struct gsi_split_files *files = &target->files;
    target->file_bytes = 0;
    for (uint32_t i = 0; i < files->count; i++)
        target->file_bytes += files->table[i].file_bytes;
    if (count != wanted)
        return gsi_fail(
            target->loop->error, GS_E_VERIFY, 0,
            "'%s': the files have %llu of %llu elements; %s; check the memory of this machine",
            target->output.name, (unsigned long long)count, (unsigned long long)wanted,
            gsi_target_describe_left(target));
    return gsi_split_files_commit(files, &target->output.is_placed, target->loop->error);
}

void gsi_target_close(struct gsi_target *target)
{
    gsi_zst_pack_close(target->pack);
    gsi_split_files_close(&target->files);
    gsi_memory_file_close(&target->memory_file);
    if (target->is_open)
        gsi_output_close(&target->output);
}

/* ---- a part of one file ---- */

enum gs_status gsi_into_apply(struct gsi_target *target, const struct gsi_part_report *part,
                              struct gsi_into_report *report)
{
    bool is_part = part->count > 0;
    uint32_t element = target->loop->layout->element_bytes;
    target->whole_bytes = is_part ? part->of * element : target->inputs->bytes;
    GSI_TRY(gsi_header_make(target->inputs, target->whole_bytes / element));
    report->is_given = true;
    report->off = target->inputs->header.bytes + part->first * element;
    report->file_bytes = target->inputs->header.bytes + target->whole_bytes;
    return GS_OK;
}

/* Its elements would be written over while they are read. */
static enum gs_status check_inputs(const struct gsi_target *target)
{
    struct stat info;
    return stat(target->spec->name, &info) != 0 || !gsi_inputs_contain(target->inputs, &info)
               ? GS_OK
               : gsi_fail(target->loop->error, GS_E_USAGE, 0,
                          "--into: '%s' is an input and would be overwritten while it is read",
                          target->spec->name);
}

enum gs_status gsi_into_open(struct gsi_target *target, const struct gsi_into_report *report)
{
    GSI_TRY(check_inputs(target));
    return gsi_output_open_part(target->spec->name, report->off - target->inputs->header.bytes,
                                report->file_bytes, &target->output, target->loop->error);
}

void gsi_into_tell(const struct gsi_target *target, const struct gsi_part_report *part)
{
    struct gs_error *error = target->loop->error;
    size_t length = strlen(error->text);
    bool has_begun = target->is_open && target->loop->phase >= GS_PHASE_WRITE;
    if (error->status == GS_OK || target->output.kind != GSI_OUTPUT_PART || !has_begun ||
        target->output.is_placed)
        return;
    if (part->count > 0)
        snprintf(error->text + length, sizeof error->text - length,
                 "; part %u of %u of '%.200s' may be incomplete; write it again", part->number,
                 part->count, target->output.name);
    else
        snprintf(error->text + length, sizeof error->text - length,
                 "; '%.200s' may be incomplete; write it again", target->output.name);
}
