/* unique.c: plans, opens and checks the flow from windows to blocks. */
#include "output/unique/unique.h"

#include "base/checked.h"
#include "element/tally/digest.h"
#include "input/format/format.h"
#include "io/array.h"
#include "output/ranks.h"

/* The memory that pre-aggregation takes, at most. */
#define EARLY_PART 8

/* Rooms for the entries of batches take a 128th of memory together. A large one is in a core's
 * second-level cache when it is copied. */
#define ROOMS_PART     128u
#define ROOMS_LEAST    4u
#define ROOM_MAX_BYTES ((uint64_t)1 << 20)
#define ROOM_MIN_BYTES ((uint64_t)8 << 10)

/* The bytes of a range between two operators, which fits the first-level cache. */
#define SCRATCH_BYTES GSI_CONSTANT((uint64_t)16 << 10, (uint64_t)512)

/* Returns the map from sorted entries to written ones; NULL: they are equal. */
static const struct gsi_carry *changed_by(const struct gsi_target *target)
{
    return gsi_inputs_are_changed(target->inputs) ? target->inputs->carry : NULL;
}

/* Returns the bytes of an element that is kept, with counts and sums after it. */
static uint64_t entry_bytes(const struct gsi_target *target)
{
    return target->spec->has_groups
               ? gsi_groups_entry_bytes(target->loop->layout, &target->spec->groups)
               : target->loop->layout->element_bytes;
}

/* Returns how many of these bytes are written. */
uint64_t gsi_unique_written_bytes(const struct gsi_target *target)
{
    const struct gsi_carry *carry = changed_by(target);
    uint64_t behind = entry_bytes(target) - target->loop->layout->element_bytes;
    return behind + (carry != NULL ? carry->output_bytes : target->loop->layout->element_bytes);
}

enum gs_status gsi_unique_check_group(uint32_t wanted, const struct gsi_layout *layout,
                                      struct gs_error *error)
{
    const uint32_t most = gsi_layout_is_native(layout) ? 0 : layout->record->key_count;
    if (wanted <= most)
        return GS_OK;
    if (most == 0)
        return gsi_fail(error, GS_E_USAGE, 0,
                        "--group: groups need keys of records; name them with --key");
    return gsi_fail(error, GS_E_USAGE, 0, "--group: %u keys are more than the %u of --key", wanted,
                    most);
}

/* The scratch memory of each room: a range of entries, if groups have a payload. */
static uint64_t scratch_bytes(const struct gsi_target *target)
{
    const uint64_t entry = entry_bytes(target);
    return target->spec->has_groups && gsi_inputs_are_changed(target->inputs)
               ? gsi_max_u64(1, SCRATCH_BYTES / entry) * entry
               : 0;
}

/* Rooms, groups, and what operators keep of each batch. */
static void lay_out_rooms(struct gsi_unique *unique, const struct gsi_target *target,
                          const struct gsi_output_plan *plan, struct gsi_shelf *shelf)
{
    const struct gsi_buffer_shape shape = {.unit_bytes = plan->room_bytes};
    const uint32_t batches = plan->batch_count;
    gsi_flow_place(&unique->flow, batches, batches, shelf);
    GSI_PLACE(shelf, unique->payload.sums, batches + 1);
    GSI_PLACE(shelf, unique->digest.digests, batches + 1);
    gsi_buffers_lay_out(&unique->rooms, NULL, plan->room_count, shape, shelf);
    unique->flow.scratch =
        gsi_shelf_place_whole(shelf, plan->room_count * scratch_bytes(target), GSI_DIRECT_ALIGN);
    if (target->spec->has_groups)
        gsi_group_operator_place(&unique->group, target->loop->layout, &target->spec->groups,
                                 plan->room_count, shelf);
}

/* Blocks, which are parts of an array that is written. */
static void lay_out_blocks(struct gsi_unique *unique, const struct gsi_target *target,
                           const struct gsi_output_plan *plan, struct gsi_shelf *shelf)
{
    const struct gsi_array *array = target->output.array;
    const struct gsi_buffer_shape shape = {.unit_bytes = plan->block_bytes};
    gsi_buffers_lay_out(&unique->blocks, array != NULL ? array->to : NULL, GSI_BLOCK_COUNT, shape,
                        shelf);
}

/* Blocks get less memory by the bytes of rooms and groups: all have the blocks' part of memory. */
void gsi_unique_plan(const struct gsi_target *target, const struct gsi_budget *budget,
                     struct gsi_output_plan *plan)
{
    struct gsi_unique planned = {0};
    const uint64_t memory = budget->memory_bytes, part = memory / ROOMS_PART;
    const uint32_t batches = gsi_flow_batches(budget->thread_count);
    if (!gsi_target_has_blocks(target))
        return;
    const uint64_t written = gsi_unique_written_bytes(target);
    /* An entry, and one ahead of it. */
    plan->room_bytes = gsi_round_up_u64(gsi_max_u64(gsi_max_u64(ROOM_MIN_BYTES, 2 * written),
                                                    gsi_min_u64(part / batches, ROOM_MAX_BYTES)),
                                        GSI_DIRECT_ALIGN);
    plan->room_count = (uint32_t)gsi_clamp_u64(part / plan->room_bytes, ROOMS_LEAST, batches);
    plan->batch_count = batches;
    lay_out_rooms(&planned, target, plan, &plan->unique);
    const uint64_t less = gsi_min_u64(memory, gsi_mul_max_u64(GSI_BLOCKS_PART, plan->unique.bytes));
    plan->block_bytes = gsi_block_bytes(memory - less, budget->window_bytes);
    if (target->spec->is_split) /* blocks hold whole entries then */
        plan->block_bytes =
            gsi_max_u64(plan->block_bytes, gsi_round_up_u64(written, GSI_DIRECT_ALIGN));
    lay_out_blocks(&planned, target, plan, &plan->unique);
}

struct gsi_shelf gsi_unique_pre_aggregate_plan(const struct gsi_target *target,
                                               uint64_t memory_bytes, uint32_t thread_count)
{
    struct gsi_shelf shelf = {0};
    if (target->spec->may_pre_aggregate)
        shelf = gsi_pre_aggregate_plan(target->loop->layout, memory_bytes, thread_count);
    return shelf.bytes <= memory_bytes / EARLY_PART ? shelf : (struct gsi_shelf){0};
}

uint64_t gsi_unique_output_bytes(const struct gsi_target *target, uint64_t bytes)
{
    if (bytes == UINT64_MAX ||
        gsi_unique_written_bytes(target) == target->loop->layout->element_bytes)
        return bytes;
    return gsi_mul_max_u64(bytes / target->loop->layout->element_bytes,
                           gsi_unique_written_bytes(target));
}

enum gs_status gsi_unique_open(struct gsi_unique *unique, struct gsi_target *target)
{
    struct gsi_loop *loop = target->loop;
    const struct gsi_output_plan *plan = target->plan;
    *unique = (struct gsi_unique){.target = target, .digest.digest = GSI_DIGEST_EMPTY};
    if (plan->unique.used == 0)
        return GS_OK;
    unique->shelf = plan->unique;
    GSI_TRY(gsi_shelf_open(&unique->shelf, &loop->ledger, GSI_MEMORY_DATA, loop->error));
    unique->is_open = true;
    lay_out_rooms(unique, target, plan, &unique->shelf);
    lay_out_blocks(unique, target, plan, &unique->shelf);
    unique->group.error = loop->error;
    for (uint32_t i = 0; target->spec->is_split && i < unique->blocks.count; i++)
        unique->blocks.all[i].capacity -=
            unique->blocks.all[i].capacity % gsi_unique_written_bytes(target);
    return GS_OK;
}

void gsi_unique_close(struct gsi_unique *unique)
{
    if (unique->is_open)
        gsi_shelf_close(&unique->shelf, &unique->target->loop->ledger, GSI_MEMORY_DATA);
    *unique = (struct gsi_unique){0};
}

/* Blocks for an array are parts of it. The first block of a resumed output ends where a page of the
 * file does. */
static struct gsi_buffer *lend_block(void *context, uint64_t off)
{
    struct gsi_unique *unique = context;
    struct gsi_array *array = unique->target->output.array;
    struct gsi_buffer *block = gsi_buffers_take(&unique->blocks);
    if (block != NULL && unique->phase > 0)
        block->capacity = unique->blocks.unit_bytes - (off == 0 ? unique->phase : 0);
    if (block == NULL || array == NULL)
        return block;
    block->data = array->to + off;
    array->is_written = true;
    return block;
}

static void take_block(void *context, struct gsi_buffer *block)
{
    struct gsi_unique *unique = context;
    unique->next.take(unique->next.context, block);
}

/* Returns whether a device has put positions into windows (device.h). */
static bool has_positions(const struct gsi_unique *unique)
{
    return unique->target->inputs->device_tally != NULL;
}

static void add_operators(struct gsi_unique *unique, bool is_digested)
{
    const struct gsi_target *target = unique->target;
    const uint64_t written = gsi_unique_written_bytes(target);
    const struct gsi_carry *carry = changed_by(target);
    struct gsi_operator *next = unique->flow.operators;
    if (target->spec->has_groups)
        *next++ = gsi_group_operator(&unique->group);
    unique->payload.carry = carry;
    unique->payload.entry_bytes = has_positions(unique) ? written : entry_bytes(target);
    unique->payload.is_put = has_positions(unique);
    unique->payload.position_sum = 0;
    if (carry != NULL)
        *next++ = gsi_payload_operator(&unique->payload, written);
    unique->digest.layout = gsi_target_layout(target);
    if (carry != NULL ? carry->is_whole : is_digested)
        *next++ = gsi_digest_operator(&unique->digest);
    unique->flow.operator_count = (uint32_t)(next - unique->flow.operators);
}

void gsi_unique_begin(struct gsi_unique *unique, struct gsi_buffers *windows, struct gsi_link next,
                      bool is_digested, bool has_digests)
{
    const struct gsi_target *target = unique->target;
    struct gsi_flow *flow = &unique->flow;
    unique->next = next;
    unique->group.has_repeats =
        has_digests && target->spec->has_groups && gsi_groups_are_of_keys(&unique->group.groups);
    flow->loop = target->loop;
    flow->receiver =
        (struct gsi_receiver){.context = unique, .block = lend_block, .take = take_block};
    flow->windows = windows;
    flow->rooms = &unique->rooms;
    flow->scratch_bytes = scratch_bytes(target);
    flow->most = target->spec->most_count;
    add_operators(unique, is_digested);
    gsi_flow_begin(flow);
}

bool gsi_unique_is_idle(const struct gsi_unique *unique)
{
    return !unique->is_open || gsi_flow_is_idle(&unique->flow);
}

enum gs_status gsi_unique_verify(const struct gsi_unique *unique, uint64_t count,
                                 const struct gsi_tally_report *fields)
{
    const struct gsi_target *target = unique->target;
    if (!unique->is_open || gsi_unique_is_full(unique))
        return GS_OK;
    if (!target->spec->has_groups)
        return unique->flow.count == count
                   ? GS_OK
                   : gsi_fail(target->loop->error, GS_E_VERIFY, 0,
                              "'%s': %llu elements were sorted, but %llu were written; %s; check "
                              "the memory of this machine",
                              target->output.name, (unsigned long long)count,
                              (unsigned long long)unique->flow.count, gsi_target_left(target));
    if (!gsi_groups_are_whole(&unique->group.groups, count))
        return gsi_fail(target->loop->error, GS_E_VERIFY, 0,
                        "'%s': the groups do not contain all the elements that were sorted; %s; "
                        "check the memory of this machine",
                        target->output.name, gsi_target_left(target));
    const struct gsi_fold_field *folded =
        unique->group.groups.has_fold ? gsi_folder_differs(&unique->group.groups.folder, fields)
                                      : NULL;
    if (folded == NULL)
        return GS_OK;
    return gsi_fail(target->loop->error, GS_E_VERIFY, 0,
                    "'%s': --%s '%s' has another result over the groups than over the input; %s; "
                    "check the memory of this machine",
                    target->output.name, gsi_fold_kind_name(folded->kind), folded->field.text,
                    gsi_target_left(target));
}

void gsi_unique_resume(struct gsi_unique *unique, const struct gsi_digest *digest)
{
    unique->digest.digest = *digest;
    unique->flow.count = digest->count;
    unique->phase = digest->count * gsi_unique_written_bytes(unique->target) % GSI_DIRECT_ALIGN;
}

enum gs_status gsi_unique_restart(struct gsi_unique *unique, uint64_t count)
{
    GSI_TRY(gsi_unique_verify(unique, count, NULL));
    if (unique->target->spec->has_groups)
        gsi_group_operator_restart(&unique->group);
    unique->payload.position_sum = 0;
    unique->digest.digest = GSI_DIGEST_EMPTY;
    gsi_flow_begin(&unique->flow);
    return GS_OK;
}

/* A window with positions has the bytes of the merged elements so far. */
static bool take(void *context, struct gsi_buffer *window)
{
    struct gsi_unique *unique = context;
    if (has_positions(unique))
        window->bytes = window->bytes / unique->target->loop->layout->element_bytes *
                        gsi_unique_written_bytes(unique->target);
    gsi_flow_take(&unique->flow, window);
    return false;
}

static bool pump(void *context)
{
    struct gsi_unique *unique = context;
    return gsi_flow_pump(&unique->flow);
}

static bool is_idle(const void *context)
{
    return gsi_unique_is_idle(context);
}

static void end(void *context)
{
    struct gsi_unique *unique = context;
    gsi_flow_end(&unique->flow);
}

struct gsi_stage gsi_unique_stage(struct gsi_unique *unique)
{
    return (struct gsi_stage){
        .context = unique, .pump = pump, .is_done = is_idle, .take_window = take, .end = end};
}
