/* unique.c: turns windows into blocks. Everything but the task itself runs on the owner's thread.
 * While is_busy, the window, the block and what is staged belong to the task. */
#include "output/unique/unique.h"

#include "base/checked.h"
#include "element/element_ops.h"
#include "input/format/format.h"
#include "io/array.h"
#include "output/ranks.h"

#include <string.h>

/* Entries are made in batches that stay in the first-level cache; one that may go beyond a block is
 * staged, for where it ends is not known before. */
#define STAGED_BYTES ((uint64_t)16 << 10)

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

/* As many entries, before and after they become what is written. */
static uint64_t staged_count(const struct gsi_target *target)
{
    uint64_t most = gsi_max_u64(entry_bytes(target), gsi_unique_written_bytes(target));
    return gsi_max_u64(1, STAGED_BYTES / most);
}

static uint64_t staged_bytes(const struct gsi_target *target)
{
    return gsi_round_up_u64(staged_count(target) * gsi_unique_written_bytes(target),
                            GSI_DIRECT_ALIGN);
}

/* Those for an array lie in it. */
static uint64_t blocks_bytes(const struct gsi_target *target)
{
    return target->output.array != NULL ? 0 : GSI_BLOCK_COUNT * target->block_bytes;
}

/* Entries that are not written as they are. */
static uint64_t entries_bytes(const struct gsi_target *target)
{
    bool has_entries = changed_by(target) != NULL && target->options->unique;
    return has_entries
               ? gsi_round_up_u64(staged_count(target) * entry_bytes(target), GSI_DIRECT_ALIGN)
               : 0;
}

enum gs_status gsi_unique_check_group(uint32_t wanted, const struct gsi_record *record,
                                      struct gs_error *error)
{
    if (wanted == 0 || (record != NULL && wanted <= record->key_count))
        return GS_OK;
    if (record == NULL || record->key_count == 0)
        return gsi_fail(error, GS_E_USAGE, 0,
                        "--group: the first keys of records make a group; there are none: name "
                        "them by --key");
    return gsi_fail(error, GS_E_USAGE, 0,
                    "--group: %u keys cannot make a group where --key names %u", wanted,
                    record->key_count);
}

enum gs_status gsi_unique_check(const struct gsi_target *target)
{
    GSI_TRY(gsi_unique_check_group(target->options->group_keys, target->loop->layout->record,
                                   target->loop->error));
    return gsi_format_check(target->inputs);
}

uint64_t gsi_unique_plan(struct gsi_target *target, uint64_t memory_bytes)
{
    if (!gsi_target_has_blocks(target))
        return 0;
    target->block_bytes = gsi_target_block_bytes(target, memory_bytes);
    if (gsi_target_is_split(target->options)) /* blocks hold whole entries then */
        target->block_bytes =
            gsi_max_u64(target->block_bytes,
                        gsi_round_up_u64(gsi_unique_written_bytes(target), GSI_DIRECT_ALIGN));
    struct gsi_groups_rule rule = rule_of(target);
    return blocks_bytes(target) + GSI_BLOCK_COUNT * sizeof(struct gsi_buffer) +
           staged_bytes(target) + entries_bytes(target) +
           (target->options->unique ? gsi_groups_bytes(target->loop->layout, &rule) : 0);
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

enum gs_status gsi_unique_open(struct gsi_unique *unique, struct gsi_target *target)
{
    struct gsi_groups_rule rule = rule_of(target);
    const struct gsi_array *array = target->output.array;
    void *memory;
    *unique = (struct gsi_unique){.target = target, .imprint = GSI_IMPRINT_EMPTY};
    if (!gsi_target_has_blocks(target))
        return GS_OK;
    unique->most = target->options->has_top ? target->options->top_count : UINT64_MAX;
    unique->is_full = unique->most == 0;
    unique->memory_bytes = blocks_bytes(target) + staged_bytes(target) + entries_bytes(target);
    gsi_buffer_list_init(&unique->waiting);
    gsi_buffer_list_init(&unique->full);
    GSI_TRY(gsi_memory_map(&target->loop->ledger, GSI_MEMORY_DATA, unique->memory_bytes, &memory,
                           target->loop->error));
    unique->memory = memory;
    unique->staged = unique->memory + blocks_bytes(target);
    if (entries_bytes(target) > 0)
        unique->entries = unique->staged + staged_bytes(target);
    struct gsi_buffer_shape shape = {.unit_bytes = target->block_bytes};
    GSI_TRY(gsi_buffers_init(
        &unique->blocks, &target->loop->ledger, array != NULL ? array->to : unique->memory,
        GSI_BLOCK_COUNT * target->block_bytes, shape, false, target->loop->error));
    for (uint32_t i = 0; gsi_target_is_split(target->options) && i < unique->blocks.count; i++)
        unique->blocks.all[i].capacity -=
            unique->blocks.all[i].capacity % gsi_unique_written_bytes(target);
    return target->options->unique ? gsi_groups_init(&unique->groups, target->loop->layout, &rule,
                                                     &target->loop->ledger, target->loop->error)
                                   : GS_OK;
}

void gsi_unique_close(struct gsi_unique *unique)
{
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
    unique->is_imprinted = is_imprinted && changed_by(unique->target) == NULL;
    unique->windows = windows;
    unique->next = next;
    struct gsi_groups *groups = unique->target->options->unique ? &unique->groups : NULL;
    const enum gsi_keep_choice keep = unique->target->options->unique_keep;
    unique->picker = (struct gsi_picker){.target = unique->target,
                                         .groups = groups,
                                         .carry = changed_by(unique->target),
                                         .is_imprinted = unique->is_imprinted,
                                         .has_repeats = has_imprints && groups != NULL &&
                                                        gsi_groups_are_of_keys(groups),
                                         .needs_behind = groups != NULL && keep != GSI_KEEP_FIRST};
    /* One window that waits must not be all that there are. */
    unique->is_picking =
        windows->count > 2 && gsi_picker_may(unique->target, groups, unique->picker.carry);
    gsi_copier_begin(&unique->copier, unique->target->loop->pool, windows);
}

/* What is written at `to` will be read back. Records lie where those before them were. */
static void imprint(struct gsi_unique *unique, const uint8_t *to, uint64_t bytes)
{
    const struct gsi_layout *layout = unique->target->loop->layout;
    size_t n = bytes / layout->element_bytes;
    struct gsi_imprint made = GSI_IMPRINT_EMPTY;
    if (!unique->is_imprinted || n == 0)
        return;
    layout->ops->imprint(layout, &made, to, n);
    layout->ops->imprint_join(layout, &unique->imprint, &made, NULL, to);
}

/* Entries, as far as they are wanted, become what is written, at `to`, where they may be already.
 * Returns the bytes of that. */
static uint64_t write_entries(struct gsi_unique *unique, const uint8_t *entries, uint64_t bytes,
                              uint8_t *to)
{
    const struct gsi_target *target = unique->target;
    const struct gsi_carry *carry = changed_by(target);
    uint64_t entry = entry_bytes(target), left = unique->most - unique->count;
    uint64_t count = gsi_min_u64(bytes / entry, left);
    uint64_t written = count * gsi_unique_written_bytes(target);
    if (carry != NULL)
        unique->position_sum += gsi_carry_put(carry, entries, count, entry, to);
    unique->count += count;
    unique->is_full = count == left;
    imprint(unique, to, written);
    return written;
}

static void stage(struct gsi_unique *unique, uint64_t bytes)
{
    unique->staged_off = 0;
    unique->staged_end = bytes;
}

/* Entries of the next elements of the window: into the block, or staged, if they may go beyond
 * it. */
static void take_elements(struct gsi_unique *unique)
{
    const struct gsi_buffer *window = unique->window;
    struct gsi_buffer *block = unique->block;
    uint32_t bytes = unique->target->loop->layout->element_bytes;
    uint64_t n =
        gsi_min_u64(staged_count(unique->target), (window->bytes - unique->window_off) / bytes);
    const uint8_t *elements = window->data + unique->window_off;
    bool has_room = n * gsi_unique_written_bytes(unique->target) <= block->capacity - block->bytes;
    uint8_t *to = has_room ? block->data + block->bytes : unique->staged;
    uint64_t found = n * bytes;
    if (unique->target->options->unique) {
        uint8_t *entries = unique->entries != NULL ? unique->entries : to;
        found = gsi_groups_add(&unique->groups, elements, n, entries);
        elements = entries;
    }
    uint64_t written = write_entries(unique, elements, found, to);
    if (has_room)
        block->bytes += written;
    else
        stage(unique, written);
    unique->window_off += n * bytes;
}

static bool has_elements(const struct gsi_unique *unique)
{
    return unique->window != NULL && unique->window_off < unique->window->bytes && !unique->is_full;
}

static bool is_block_full(const struct gsi_unique *unique)
{
    return unique->block != NULL && unique->block->bytes == unique->block->capacity;
}

/* On a thread: until the block is full or the window is at its end. */
static void fill_block(struct gsi_task *task, uint32_t worker_idx)
{
    (void)worker_idx;
    struct gsi_unique *unique = GSI_CONTAINER_OF(task, struct gsi_unique, task);
    struct gsi_buffer *block = unique->block;
    for (;;) {
        uint64_t bytes =
            gsi_min_u64(unique->staged_end - unique->staged_off, block->capacity - block->bytes);
        memcpy(block->data + block->bytes, unique->staged + unique->staged_off, bytes);
        block->bytes += bytes;
        unique->staged_off += bytes;
        if (is_block_full(unique) || !has_elements(unique))
            return;
        take_elements(unique);
    }
}

static void fill_done(struct gsi_task *task)
{
    struct gsi_unique *unique = GSI_CONTAINER_OF(task, struct gsi_unique, task);
    unique->is_busy = false;
    if (unique->target->options->unique) /* the loop finds it */
        (void)gsi_groups_check_sums(&unique->groups, unique->target->loop->error);
}

static bool has_staged(const struct gsi_unique *unique)
{
    return unique->staged_off < unique->staged_end;
}

/* What is written of the next window; NULL: it is not there yet. */
static struct gsi_buffer *take_picked(struct gsi_unique *unique)
{
    const struct gsi_layout *layout = unique->target->loop->layout;
    struct gsi_buffer *window = gsi_picker_give(&unique->picker);
    if (window == NULL)
        return NULL;
    unique->count += window->bytes / gsi_unique_written_bytes(unique->target);
    unique->position_sum = unique->picker.position_sum;
    if (unique->is_imprinted && window->bytes > 0)
        layout->ops->imprint_join(layout, &unique->imprint, &window->imprint, NULL, window->data);
    gsi_copier_enter(window);
    return window;
}

/* Windows that were looked at go back; the next one is taken. */
static bool next_window(struct gsi_unique *unique)
{
    if (has_elements(unique))
        return false;
    struct gsi_buffer *looked_at = unique->window;
    unique->window =
        unique->is_picking ? take_picked(unique) : gsi_buffer_list_pop(&unique->waiting);
    unique->window_off = 0;
    if (looked_at != NULL && unique->is_picking)
        gsi_copier_leave(&unique->copier, looked_at);
    else if (looked_at != NULL)
        gsi_buffers_give(unique->windows, looked_at);
    return looked_at != NULL || unique->window != NULL;
}

/* A block that is full, or the last one, takes its place behind those before it. */
static bool close_block(struct gsi_unique *unique)
{
    bool is_last = unique->is_ended && !has_staged(unique) && !has_elements(unique) &&
                   gsi_picker_is_idle(&unique->picker) && unique->block != NULL;
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

/* What is written of the window is there already: a piece of it. */
static bool copy_picked(struct gsi_unique *unique)
{
    const struct gsi_buffer *block = unique->block;
    uint64_t bytes =
        gsi_min_u64(unique->window->bytes - unique->window_off, block->capacity - block->bytes);
    if (!gsi_copier_copy(&unique->copier, unique->window, unique->window_off, unique->block, bytes))
        return false;
    unique->window_off += bytes;
    return true;
}

static bool start_task(struct gsi_unique *unique)
{
    if (!has_staged(unique) && !has_elements(unique))
        return false;
    if (unique->block == NULL && !take_block(unique))
        return false;
    if (unique->is_picking)
        return copy_picked(unique);
    unique->is_busy = true;
    unique->task = (struct gsi_task){.run = fill_block, .done = fill_done, .is_urgent = true};
    gsi_pool_submit(unique->target->loop->pool, &unique->task);
    return true;
}

static bool pump(void *context)
{
    struct gsi_unique *unique = context;
    bool has_moved = false;
    while (!unique->is_busy && (close_block(unique) || hand_block_on(unique) ||
                                next_window(unique) || start_task(unique)))
        has_moved = true;
    return has_moved;
}

bool gsi_unique_is_idle(const struct gsi_unique *unique)
{
    return !unique->is_busy && !has_staged(unique) && unique->window == NULL &&
           unique->waiting.head == NULL && gsi_picker_is_idle(&unique->picker) &&
           unique->copier.leaving_count == 0 && unique->full.head == NULL &&
           !(unique->is_ended && unique->block != NULL);
}

static bool is_idle(const void *context)
{
    return gsi_unique_is_idle(context);
}

void gsi_unique_finish(struct gsi_unique *unique)
{
    if (unique->memory == NULL)
        return;
    unique->is_ended = true;
    if (unique->is_picking)
        gsi_picker_end(&unique->picker);
    if (!unique->target->options->unique || unique->is_picking)
        return;
    uint8_t *entries = unique->entries != NULL ? unique->entries : unique->staged;
    uint64_t bytes = gsi_groups_end(&unique->groups, entries);
    stage(unique, write_entries(unique, entries, bytes, unique->staged));
    (void)gsi_groups_check_sums(&unique->groups, unique->target->loop->error);
}

enum gs_status gsi_unique_verify(const struct gsi_unique *unique, uint64_t count,
                                 const struct gsi_tally_report *fields)
{
    const struct gsi_target *target = unique->target;
    if (unique->memory == NULL || unique->is_full)
        return GS_OK;
    if (!target->options->unique)
        return unique->count == count
                   ? GS_OK
                   : gsi_fail(target->loop->error, GS_E_VERIFY, 0,
                              "'%s': %llu elements were sorted, but something of %llu written; "
                              "%s: check the memory of this machine",
                              target->output.name, (unsigned long long)count,
                              (unsigned long long)unique->count, gsi_target_left(target));
    if (!gsi_groups_are_whole(&unique->groups, count))
        return gsi_fail(target->loop->error, GS_E_VERIFY, 0,
                        "'%s': the groups of equal keys have not as many elements as were sorted; "
                        "%s: check the memory of this machine",
                        target->output.name, gsi_target_left(target));
    const struct gsi_fold_field *folded =
        unique->groups.has_fold ? gsi_folder_differs(&unique->groups.folder, fields) : NULL;
    if (folded == NULL)
        return GS_OK;
    return gsi_fail(target->loop->error, GS_E_VERIFY, 0,
                    "'%s': --%s '%s' of the groups is not that of what was read; %s: check the "
                    "memory of this machine",
                    target->output.name, gsi_fold_kind_name(folded->kind), folded->field.text,
                    gsi_target_left(target));
}

enum gs_status gsi_unique_restart(struct gsi_unique *unique, uint64_t count)
{
    const struct gsi_target *target = unique->target;
    struct gsi_groups_rule rule = rule_of(target);
    GSI_TRY(gsi_unique_verify(unique, count, NULL));
    gsi_groups_clear(&unique->groups);
    unique->imprint = GSI_IMPRINT_EMPTY;
    unique->count = unique->full_bytes = unique->staged_off = unique->staged_end = 0;
    unique->is_ended = false;
    return gsi_groups_init(&unique->groups, target->loop->layout, &rule, &target->loop->ledger,
                           target->loop->error);
}

static bool take(void *context, struct gsi_buffer *window)
{
    struct gsi_unique *unique = context;
    if (!unique->is_picking)
        gsi_buffer_list_push(&unique->waiting, window);
    else if (window->bytes > 0)
        gsi_picker_take(&unique->picker, window);
    else
        gsi_buffers_give(unique->windows, window);
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
