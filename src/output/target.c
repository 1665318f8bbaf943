/* target.c: reads what options say about the output. */
#include "output/target.h"

#include "base/assert.h"
#include "element/key_type.h"
#include "output/zst_pack.h"

uint64_t gsi_target_most_bytes(const struct gsi_target *target)
{
    const struct gsi_options *options = target->options;
    return options->has_top
               ? gsi_mul_max_u64(options->top_count, target->loop->layout->element_bytes)
               : UINT64_MAX;
}

uint64_t gsi_target_wanted_bytes(const struct gsi_target *target)
{
    return gsi_min_u64(gsi_inputs_kept_bytes(target->inputs), gsi_target_most_bytes(target));
}

bool gsi_target_has_blocks(const struct gsi_target *target)
{
    enum gs_action action = target->options->action;
    return (target->options->unique || gsi_inputs_are_changed(target->inputs)) &&
           (action == GS_SORT || action == GS_EXPLAIN);
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

const char *gsi_target_left(const struct gsi_target *target)
{
    return target->output.kind == GSI_OUTPUT_ATOMIC ? "no output was written"
                                                    : "what was written is wrong";
}

uint32_t gsi_target_pack_level(const struct gsi_options *options)
{
    if (options->action != GS_SORT && options->action != GS_EXPLAIN)
        return 0;
    if (options->output_zstd_level > 0)
        return options->output_zstd_level;
    return !options->raw && options->output != NULL && gsi_name_is_zst(options->output) ? 1 : 0;
}

uint64_t gsi_target_plan(const struct gsi_target *target, const struct gsi_budget *budget,
                         struct gsi_output_plan *plan)
{
    uint32_t level = gsi_target_pack_level(target->options);
    plan->pack_level = level;
    if (level == 0)
        return 0;
    plan->pack_slots =
        gsi_zst_slots_fitting(gsi_zst_pack_plan(level, 2) - gsi_zst_pack_plan(level, 1),
                              budget->memory_bytes, budget->thread_count);
    return gsi_zst_pack_plan(level, plan->pack_slots);
}

enum gs_status gsi_target_open_pack(struct gsi_target *target)
{
    return target->plan->pack_level > 0
               ? gsi_zst_pack_open(&target->pack, target->loop, &target->output,
                                   target->plan->pack_level, target->plan->pack_slots)
               : GS_OK;
}

void gsi_target_close(struct gsi_target *target)
{
    gsi_zst_pack_close(target->pack);
    gsi_split_files_close(&target->files);
    if (target->is_open)
        gsi_output_close(&target->output);
}
