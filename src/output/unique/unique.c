/* unique.c: turns windows into blocks, by pieces.h and copier.h. Everything runs on the owner's
 * thread. */
#include "output/unique/unique.h"

#include "base/checked.h"
#include "element/element_ops.h"
#include "input/format/format.h"
#include "io/array.h"
#include "output/ranks.h"

#include <string.h>

/* What folding early takes of memory, at most. */
#define EARLY_PART 8

static struct gsi_groups_rule rule_of(const struct gsi_target *target)
{
    const struct gsi_options *options = target->options;
    const struct gsi_record *record = target->loop->layout->record;
    return (struct gsi_groups_rule){.has_counts = options->unique_counts,
                                    .keep = options->unique_keep,
                                    .key_count = gsi_record_group_keys(record, options->group_keys),
                                    .fold = target->inputs->fold};
}

/* What makes of an entry what is written; NULL: it is. */
static const struct gsi_carry *changed_by(const struct gsi_target *target)
{
    return gsi_inputs_are_changed(target->inputs) ? target->inputs->carry : NULL;
}

/* What there is of an element that stays, with counts and sums behind it. */
static uint64_t entry_bytes(const struct gsi_target *target)
{
    struct gsi_groups_rule rule = rule_of(target);
    return target->options->unique ? gsi_groups_entry_bytes(target->loop->layout, &rule)
                                   : target->loop->layout->element_bytes;
}

/* What is written of that. */
uint64_t gsi_unique_written_bytes(const struct gsi_target *target)
{
    const struct gsi_carry *carry = changed_by(target);
    uint64_t behind = entry_bytes(target) - target->loop->layout->element_bytes;
    return behind + (carry != NULL ? carry->output_bytes : target->loop->layout->element_bytes);
}

/* Those for an array lie in it. */
static uint64_t blocks_bytes(const struct gsi_target *target, const struct gsi_output_plan *plan)
{
    return target->output.array != NULL ? 0 : GSI_BLOCK_COUNT * plan->block_bytes;
}

enum gs_status gsi_unique_check_group(uint32_t wanted, const struct gsi_record *record,
                                      struct gs_error *error)
{
    if (wanted == 0 || (record != NULL && wanted <= record->key_count))
        return GS_OK;
    if (record == NULL || record->key_count == 0)
        return gsi_fail(error, GS_E_USAGE, 0,
                        "--group: groups need keys of records; name them with --key");
    return gsi_fail(error, GS_E_USAGE, 0, "--group: %u keys are more than the %u of --key", wanted,
                    record->key_count);
}

enum gs_status gsi_unique_check(const struct gsi_target *target)
{
    GSI_TRY(gsi_unique_check_group(target->options->group_keys, target->loop->layout->record,
                                   target->loop->error));
    return gsi_format_check(target->inputs);
}

/* What pieces take, blocks do not: together they are the part of memory that blocks are. */
uint64_t gsi_unique_plan(const struct gsi_target *target, const struct gsi_budget *budget,
                         struct gsi_output_plan *plan)
{
    if (!gsi_target_has_blocks(target))
        return 0;
    struct gsi_groups_rule rule = rule_of(target);
    const bool is_unique = target->options->unique;
    const uint64_t written = gsi_unique_written_bytes(target), memory = budget->memory_bytes;
    const uint64_t pieces = gsi_pieces_plan(target, is_unique ? &rule : NULL, entry_bytes(target),
                                            written, memory, plan);
    const uint64_t less = gsi_min_u64(memory, gsi_mul_max_u64(GSI_BLOCKS_PART, pieces));
    plan->block_bytes = gsi_block_bytes(memory - less, budget->window_bytes);
    if (gsi_target_is_split(target->options)) /* blocks hold whole entries then */
        plan->block_bytes =
            gsi_max_u64(plan->block_bytes, gsi_round_up_u64(written, GSI_DIRECT_ALIGN));
    return blocks_bytes(target, plan) + GSI_BLOCK_COUNT * sizeof(struct gsi_buffer) + pieces +
           (is_unique ? gsi_groups_bytes(target->loop->layout, &rule) : 0);
}

/* Of each group one element, whatever becomes of its fields, whose bytes then do not say which. */
static bool keeps_one(const struct gsi_options *options)
{
    return !options->unique_counts && !options->ties_by_bytes &&
           (options->unique_keep == GSI_KEEP_FIRST || options->unique_keep == GSI_KEEP_LAST);
}

uint64_t gsi_unique_early_bytes(const struct gsi_target *target, uint64_t memory_bytes,
                                uint32_t thread_count)
{
    const struct gsi_options *options = target->options;
    const struct gsi_fold *fold = target->inputs->fold;
    if (!gsi_target_has_blocks(target) || target->inputs->carry != NULL || fold == NULL ||
        !gsi_fold_may_join(fold) || !keeps_one(options) || options->merge ||
        gsi_ranks_wanted(options))
        return 0;
    uint64_t bytes = gsi_early_fold_bytes(target->loop->layout, memory_bytes, thread_count);
    return bytes <= memory_bytes / EARLY_PART ? bytes : 0;
}

uint64_t gsi_unique_output_bytes(const struct gsi_target *target, uint64_t bytes)
{
    if (bytes == UINT64_MAX ||
        gsi_unique_written_bytes(target) == target->loop->layout->element_bytes)
        return bytes;
    return gsi_mul_max_u64(bytes / target->loop->layout->element_bytes,
                           gsi_unique_written_bytes(target));
}

bool gsi_unique_is_plain(const struct gsi_options *options)
{
    return keeps_one(options) && options->sum_field_count == 0 && options->min_field_count == 0 &&
           options->max_field_count == 0;
}

static enum gs_status open_blocks(struct gsi_unique *unique)
{
    struct gsi_target *target = unique->target;
    const struct gsi_array *array = target->output.array;
    struct gsi_buffer_shape shape = {.unit_bytes = target->plan->block_bytes};
    void *memory = NULL;
    unique->memory_bytes = blocks_bytes(target, target->plan);
    if (array == NULL)
        GSI_TRY(gsi_memory_map(&target->loop->ledger, GSI_MEMORY_DATA, unique->memory_bytes,
                               &memory, target->loop->error));
    unique->memory = memory;
    GSI_TRY(gsi_buffers_init(
        &unique->blocks, &target->loop->ledger, array != NULL ? array->to : unique->memory,
        GSI_BLOCK_COUNT * target->plan->block_bytes, shape, false, target->loop->error));
    for (uint32_t i = 0; gsi_target_is_split(target->options) && i < unique->blocks.count; i++)
        unique->blocks.all[i].capacity -=
            unique->blocks.all[i].capacity % gsi_unique_written_bytes(target);
    return GS_OK;
}

enum gs_status gsi_unique_open(struct gsi_unique *unique, struct gsi_target *target)
{
    struct gsi_groups_rule rule = rule_of(target);
    *unique = (struct gsi_unique){.target = target, .imprint = GSI_IMPRINT_EMPTY};
    if (!gsi_target_has_blocks(target))
        return GS_OK;
    unique->is_open = true;
    unique->most = target->options->has_top ? target->options->top_count : UINT64_MAX;
    gsi_buffer_list_init(&unique->full);
    GSI_TRY(open_blocks(unique));
    if (target->options->unique)
        GSI_TRY(gsi_groups_init(&unique->groups, target->loop->layout, &rule, &target->loop->ledger,
                                target->loop->error));
    unique->pieces = (struct gsi_pieces){.target = target,
                                         .groups = target->options->unique ? &unique->groups : NULL,
                                         .carry = changed_by(target),
                                         .entry_bytes = entry_bytes(target),
                                         .written_bytes = gsi_unique_written_bytes(target),
                                         .is_enough = unique->most == 0};
    return gsi_pieces_open(&unique->pieces, target->loop->error);
}

void gsi_unique_close(struct gsi_unique *unique)
{
    gsi_pieces_close(&unique->pieces);
    gsi_groups_clear(&unique->groups);
    gsi_buffers_clear(&unique->blocks);
    if (unique->memory != NULL)
        gsi_memory_unmap(&unique->target->loop->ledger, GSI_MEMORY_DATA, unique->memory,
                         unique->memory_bytes);
    *unique = (struct gsi_unique){0};
}

void gsi_unique_begin(struct gsi_unique *unique, struct gsi_buffers *windows, struct gsi_link next,
                      bool is_imprinted, bool has_imprints)
{
    struct gsi_pieces *pieces = &unique->pieces;
    unique->next = next;
    pieces->windows = windows;
    pieces->is_imprinted = is_imprinted && changed_by(unique->target) == NULL;
    pieces->has_repeats =
        has_imprints && pieces->groups != NULL && gsi_groups_are_of_keys(pieces->groups);
    gsi_copier_begin(&unique->copier, unique->target->loop->pool, &pieces->buffers);
}

/* What is written of the next piece, as far as it is wanted; NULL: it is not there yet. */
static struct gsi_buffer *take_piece(struct gsi_unique *unique)
{
    const struct gsi_layout *layout = unique->target->loop->layout;
    const uint64_t written = unique->pieces.written_bytes, left = unique->most - unique->count;
    struct gsi_buffer *piece = gsi_pieces_give(&unique->pieces);
    if (piece == NULL)
        return NULL;
    if (piece->bytes / written > left)
        gsi_pieces_cut(&unique->pieces, piece, left);
    unique->count += piece->bytes / written;
    unique->pieces.is_enough = unique->count == unique->most;
    if (piece->imprint.count > 0)
        layout->ops->imprint_join(layout, &unique->imprint, &piece->imprint, NULL, piece->data);
    if (unique->target->options->unique) /* the loop finds it */
        (void)gsi_groups_check_sums(&unique->groups, unique->target->loop->error);
    gsi_copier_enter(piece);
    return piece;
}

static bool is_in_hand(const struct gsi_unique *unique)
{
    return unique->piece != NULL && unique->piece_off < unique->piece->bytes;
}

/* A piece that is being copied leaves; the next one is taken. */
static bool next_piece(struct gsi_unique *unique)
{
    if (is_in_hand(unique))
        return false;
    struct gsi_buffer *last = unique->piece;
    unique->piece = take_piece(unique);
    unique->piece_off = 0;
    if (last != NULL)
        gsi_copier_leave(&unique->copier, last);
    return last != NULL || unique->piece != NULL;
}

static bool is_block_full(const struct gsi_unique *unique)
{
    return unique->block != NULL && unique->block->bytes == unique->block->capacity;
}

/* A block that is full, or the last one, takes its place behind those before it. */
static bool close_block(struct gsi_unique *unique)
{
    bool is_last = unique->is_ended && !is_in_hand(unique) &&
                   gsi_pieces_are_idle(&unique->pieces) && unique->block != NULL;
    if (!is_block_full(unique) && !is_last)
        return false;
    unique->full_bytes += unique->block->bytes;
    gsi_buffer_list_push(&unique->full, unique->block);
    unique->block = NULL;
    return true;
}

static bool hand_block_on(struct gsi_unique *unique)
{
    struct gsi_buffer *block = unique->full.head;
    if (block == NULL || !gsi_copier_is_copied(block))
        return false;
    gsi_buffer_list_pop(&unique->full);
    unique->next.take(unique->next.context, block);
    return true;
}

/* Blocks for an array take their places in it. */
static bool take_block(struct gsi_unique *unique)
{
    struct gsi_array *array = unique->target->output.array;
    unique->block = gsi_buffers_take(&unique->blocks);
    if (unique->block == NULL)
        return false;
    gsi_copier_enter(unique->block);
    if (array != NULL) {
        unique->block->data = array->to + unique->full_bytes;
        array->is_written = true;
    }
    return true;
}

/* A part of the piece, to the end of the block. */
static bool copy_part(struct gsi_unique *unique)
{
    if (!is_in_hand(unique) || (unique->block == NULL && !take_block(unique)))
        return false;
    const struct gsi_buffer *block = unique->block;
    uint64_t bytes =
        gsi_min_u64(unique->piece->bytes - unique->piece_off, block->capacity - block->bytes);
    if (!gsi_copier_copy(&unique->copier, unique->piece, unique->piece_off, unique->block, bytes))
        return false;
    unique->piece_off += bytes;
    return true;
}

static bool pump(void *context)
{
    struct gsi_unique *unique = context;
    bool has_moved = false;
    while (unique->is_open && (close_block(unique) || hand_block_on(unique) || next_piece(unique) ||
                               copy_part(unique) || gsi_pieces_pump(&unique->pieces)))
        has_moved = true;
    return has_moved;
}

bool gsi_unique_is_idle(const struct gsi_unique *unique)
{
    return unique->piece == NULL && gsi_pieces_are_idle(&unique->pieces) &&
           unique->copier.leaving_count == 0 && unique->full.head == NULL &&
           !(unique->is_ended && unique->block != NULL);
}

static bool is_idle(const void *context)
{
    return gsi_unique_is_idle(context);
}

void gsi_unique_finish(struct gsi_unique *unique)
{
    if (!unique->is_open)
        return;
    unique->is_ended = true;
    gsi_pieces_end(&unique->pieces);
}

enum gs_status gsi_unique_verify(const struct gsi_unique *unique, uint64_t count,
                                 const struct gsi_tally_report *fields)
{
    const struct gsi_target *target = unique->target;
    if (!unique->is_open || gsi_unique_is_full(unique))
        return GS_OK;
    if (!target->options->unique)
        return unique->count == count
                   ? GS_OK
                   : gsi_fail(target->loop->error, GS_E_VERIFY, 0,
                              "'%s': %llu elements were sorted, but %llu were written; %s; check "
                              "the memory of this machine",
                              target->output.name, (unsigned long long)count,
                              (unsigned long long)unique->count, gsi_target_left(target));
    if (!gsi_groups_are_whole(&unique->groups, count))
        return gsi_fail(target->loop->error, GS_E_VERIFY, 0,
                        "'%s': the groups do not contain all the elements that were sorted; %s; "
                        "check the memory of this machine",
                        target->output.name, gsi_target_left(target));
    const struct gsi_fold_field *folded =
        unique->groups.has_fold ? gsi_folder_differs(&unique->groups.folder, fields) : NULL;
    if (folded == NULL)
        return GS_OK;
    return gsi_fail(target->loop->error, GS_E_VERIFY, 0,
                    "'%s': --%s '%s' has another result over the groups than over the input; %s; "
                    "check the memory of this machine",
                    target->output.name, gsi_fold_kind_name(folded->kind), folded->field.text,
                    gsi_target_left(target));
}

enum gs_status gsi_unique_restart(struct gsi_unique *unique, uint64_t count)
{
    GSI_TRY(gsi_unique_verify(unique, count, NULL));
    if (unique->target->options->unique)
        gsi_groups_restart(&unique->groups);
    gsi_pieces_restart(&unique->pieces);
    unique->imprint = GSI_IMPRINT_EMPTY;
    unique->count = unique->full_bytes = 0;
    unique->is_ended = false;
    return GS_OK;
}

static bool take(void *context, struct gsi_buffer *window)
{
    struct gsi_unique *unique = context;
    gsi_pieces_take(&unique->pieces, window);
    return false;
}

struct gsi_link gsi_unique_link(struct gsi_unique *unique)
{
    return (struct gsi_link){.context = unique, .take = take};
}

struct gsi_stage gsi_unique_stage(struct gsi_unique *unique)
{
    return (struct gsi_stage){.context = unique, .pump = pump, .is_done = is_idle};
}
