/* write_flow.c: plans, opens and checks the flow from windows to blocks. */
#include "output/write_flow/write_flow.h"

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
static const struct gsi_entry_map *changed_by(const struct gsi_target *target)
{
    return gsi_inputs_are_changed(target->inputs) ? target->inputs->entry_map : NULL;
}

/* Returns the bytes of an element that is kept, with counts and sums after it. */
static uint64_t entry_bytes(const struct gsi_target *target)
{
    return target->spec->has_groups
               ? gsi_groups_entry_bytes(target->loop->layout, &target->spec->groups)
               : target->loop->layout->element_bytes;
}

/* Returns how many of these bytes are written. */
uint64_t gsi_write_flow_written_bytes(const struct gsi_target *target)
{
    const struct gsi_entry_map *entry_map = changed_by(target);
    uint64_t behind = entry_bytes(target) - target->loop->layout->element_bytes;
    return behind +
           (entry_map != NULL ? entry_map->output_bytes : target->loop->layout->element_bytes);
}

enum gs_status gsi_write_flow_check_group(uint32_t wanted, const struct gsi_layout *layout,
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
static void lay_out_staging(struct gsi_write_flow *write_flow, const struct gsi_target *target,
                            const struct gsi_output_plan *plan, struct gsi_bump *bump)
{
    const struct gsi_buffer_shape shape = {.unit_bytes = plan->room_bytes};
    const uint32_t batches = plan->batch_count;
    gsi_flow_alloc(&write_flow->flow, batches, batches, bump);
    GSI_BUMP_ALLOC(bump, write_flow->payload.sums, batches + 1);
    GSI_BUMP_ALLOC(bump, write_flow->digest.digests, batches + 1);
    gsi_buffers_lay_out(&write_flow->staging, NULL, plan->room_count, shape, bump);
    write_flow->flow.operators.scratch =
        gsi_bump_alloc_rounded(bump, plan->room_count * scratch_bytes(target), GSI_DIRECT_ALIGN);
    if (target->spec->has_groups)
        gsi_group_operator_alloc(&write_flow->group, target->loop->layout, &target->spec->groups,
                                 plan->room_count, bump);
}

/* Blocks, which are parts of an array that is written. */
static void lay_out_blocks(struct gsi_write_flow *write_flow, const struct gsi_target *target,
                           const struct gsi_output_plan *plan, struct gsi_bump *bump)
{
    const struct gsi_array *array = target->output.array;
    const struct gsi_buffer_shape shape = {.unit_bytes = plan->block_bytes};
    gsi_buffers_lay_out(&write_flow->blocks, array != NULL ? array->to : NULL, GSI_BLOCK_COUNT,
                        shape, bump);
}

/* Blocks, staging buffers and groups share one part of memory: blocks get what the others leave. */
void gsi_write_flow_plan(const struct gsi_target *target, const struct gsi_budget *budget,
                         struct gsi_output_plan *plan)
{
    struct gsi_write_flow planned = {0};
    const uint64_t memory = budget->memory_bytes, part = memory / ROOMS_PART;
    const uint32_t batches = gsi_flow_batches(budget->thread_count);
    if (!gsi_target_has_blocks(target))
        return;
    const uint64_t written = gsi_write_flow_written_bytes(target);
    /* An entry, and one ahead of it. */
    plan->room_bytes = gsi_round_up_u64(gsi_max_u64(gsi_max_u64(ROOM_MIN_BYTES, 2 * written),
                                                    gsi_min_u64(part / batches, ROOM_MAX_BYTES)),
                                        GSI_DIRECT_ALIGN);
    plan->room_count = (uint32_t)gsi_clamp_u64(part / plan->room_bytes, ROOMS_LEAST, batches);
    plan->batch_count = batches;
    lay_out_staging(&planned, target, plan, &plan->write_flow);
    const uint64_t less =
        gsi_min_u64(memory, gsi_mul_max_u64(GSI_BLOCKS_PART, plan->write_flow.bytes));
    plan->block_bytes = gsi_block_bytes(memory - less, budget->window_bytes);
    if (target->spec->is_split) /* blocks hold whole entries then */
        plan->block_bytes =
            gsi_max_u64(plan->block_bytes, gsi_round_up_u64(written, GSI_DIRECT_ALIGN));
    lay_out_blocks(&planned, target, plan, &plan->write_flow);
}

struct gsi_bump gsi_target_pre_aggregate_plan(const struct gsi_target *target,
                                              uint64_t memory_bytes, uint32_t thread_count)
{
    struct gsi_bump bump = {0};
    if (target->spec->may_pre_aggregate)
        bump = gsi_pre_aggregate_plan(target->loop->layout, memory_bytes, thread_count);
    return bump.bytes <= memory_bytes / EARLY_PART ? bump : (struct gsi_bump){0};
}

uint64_t gsi_write_flow_output_bytes(const struct gsi_target *target, uint64_t bytes)
{
    if (bytes == UINT64_MAX ||
        gsi_write_flow_written_bytes(target) == target->loop->layout->element_bytes)
        return bytes;
    return gsi_mul_max_u64(bytes / target->loop->layout->element_bytes,
                           gsi_write_flow_written_bytes(target));
}

enum gs_status gsi_write_flow_open(struct gsi_write_flow *write_flow, struct gsi_target *target)
{
    struct gsi_loop *loop = target->loop;
    const struct gsi_output_plan *plan = target->plan;
    *write_flow = (struct gsi_write_flow){.target = target, .digest.digest = GSI_DIGEST_EMPTY};
    if (plan->write_flow.used == 0)
        return GS_OK;
    write_flow->bump = plan->write_flow;
    GSI_TRY(gsi_bump_open(&write_flow->bump, &loop->ledger, GSI_MEMORY_DATA, loop->error));
    write_flow->is_open = true;
    lay_out_staging(write_flow, target, plan, &write_flow->bump);
    lay_out_blocks(write_flow, target, plan, &write_flow->bump);
    write_flow->group.error = loop->error;
    for (uint32_t i = 0; target->spec->is_split && i < write_flow->blocks.count; i++)
        write_flow->blocks.all[i].capacity -=
            write_flow->blocks.all[i].capacity % gsi_write_flow_written_bytes(target);
    return GS_OK;
}

void gsi_write_flow_close(struct gsi_write_flow *write_flow)
{
    if (write_flow->is_open)
        gsi_bump_close(&write_flow->bump, &write_flow->target->loop->ledger, GSI_MEMORY_DATA);
    *write_flow = (struct gsi_write_flow){0};
}

/* Blocks for an array are parts of it. The first block of a resumed output ends where a page of the
 * file does. */
static struct gsi_buffer *lend_block(void *context, uint64_t off)
{
    struct gsi_write_flow *write_flow = context;
    struct gsi_array *array = write_flow->target->output.array;
    struct gsi_buffer *block = gsi_buffers_pop(&write_flow->blocks);
    if (block != NULL && write_flow->phase > 0)
        block->capacity = write_flow->blocks.unit_bytes - (off == 0 ? write_flow->phase : 0);
    if (block == NULL || array == NULL)
        return block;
    block->data = array->to + off;
    array->is_written = true;
    return block;
}

static void take_block(void *context, struct gsi_buffer *block)
{
    struct gsi_write_flow *write_flow = context;
    write_flow->next.accept(write_flow->next.context, block);
}

/* Returns whether a device has put positions into windows (device.h). */
static bool has_positions(const struct gsi_write_flow *write_flow)
{
    return write_flow->target->inputs->device_tally != NULL;
}

static void add_operators(struct gsi_write_flow *write_flow, bool is_digested)
{
    const struct gsi_target *target = write_flow->target;
    const uint64_t written = gsi_write_flow_written_bytes(target);
    const struct gsi_entry_map *entry_map = changed_by(target);
    struct gsi_operator *next = write_flow->flow.operators.all;
    if (target->spec->has_groups)
        *next++ = gsi_group_operator(&write_flow->group);
    write_flow->payload.entry_map = entry_map;
    write_flow->payload.entry_bytes = has_positions(write_flow) ? written : entry_bytes(target);
    write_flow->payload.is_put = has_positions(write_flow);
    write_flow->payload.position_sum = 0;
    if (entry_map != NULL)
        *next++ = gsi_payload_operator(&write_flow->payload, written);
    write_flow->digest.layout = gsi_target_layout(target);
    if (entry_map != NULL ? entry_map->is_whole : is_digested)
        *next++ = gsi_digest_operator(&write_flow->digest);
    write_flow->flow.operators.count = (uint32_t)(next - write_flow->flow.operators.all);
}

void gsi_write_flow_begin(struct gsi_write_flow *write_flow, struct gsi_buffers *windows,
                          struct gsi_link next, bool is_digested, bool has_digests)
{
    const struct gsi_target *target = write_flow->target;
    struct gsi_flow *flow = &write_flow->flow;
    write_flow->next = next;
    write_flow->group.has_repeats = has_digests && target->spec->has_groups &&
                                    gsi_groups_are_of_keys(&write_flow->group.groups);
    flow->loop = target->loop;
    flow->receiver =
        (struct gsi_receiver){.context = write_flow, .block = lend_block, .accept = take_block};
    flow->windows = windows;
    flow->staging = &write_flow->staging;
    flow->operators.scratch_bytes = scratch_bytes(target);
    flow->most = target->spec->most_count;
    add_operators(write_flow, is_digested);
    gsi_flow_begin(flow);
}

bool gsi_write_flow_is_idle(const struct gsi_write_flow *write_flow)
{
    return !write_flow->is_open || gsi_flow_is_idle(&write_flow->flow);
}

enum gs_status gsi_write_flow_verify(const struct gsi_write_flow *write_flow, uint64_t count,
                                     const struct gsi_tally_report *fields)
{
    const struct gsi_target *target = write_flow->target;
    if (!write_flow->is_open || gsi_write_flow_is_full(write_flow))
        return GS_OK;
    if (!target->spec->has_groups)
        return write_flow->flow.count == count
                   ? GS_OK
                   : gsi_fail(target->loop->error, GS_E_VERIFY, 0,
                              "'%s': %llu elements were sorted, but %llu were written; %s; check "
                              "the memory of this machine",
                              target->output.name, (unsigned long long)count,
                              (unsigned long long)write_flow->flow.count,
                              gsi_target_describe_left(target));
    if (!gsi_groups_are_whole(&write_flow->group.groups, count))
        return gsi_fail(target->loop->error, GS_E_VERIFY, 0,
                        "'%s': the groups do not contain all the elements that were sorted; %s; "
                        "check the memory of this machine",
                        target->output.name, gsi_target_describe_left(target));
    const struct gsi_fold_field *folded =
        write_flow->group.groups.has_fold
            ? gsi_folder_differs(&write_flow->group.groups.folder, fields)
            : NULL;
    if (folded == NULL)
        return GS_OK;
    return gsi_fail(target->loop->error, GS_E_VERIFY, 0,
                    "'%s': --%s '%s' has another result over the groups than over the input; %s; "
                    "check the memory of this machine",
                    target->output.name, gsi_fold_kind_name(folded->kind), folded->field.text,
                    gsi_target_describe_left(target));
}

void gsi_write_flow_resume(struct gsi_write_flow *write_flow, const struct gsi_digest *digest)
{
    write_flow->digest.digest = *digest;
    write_flow->flow.count = digest->count;
    write_flow->phase =
        digest->count * gsi_write_flow_written_bytes(write_flow->target) % GSI_DIRECT_ALIGN;
}

enum gs_status gsi_write_flow_restart(struct gsi_write_flow *write_flow, uint64_t count)
{
    GSI_TRY(gsi_write_flow_verify(write_flow, count, NULL));
    if (write_flow->target->spec->has_groups)
        gsi_group_operator_restart(&write_flow->group);
    write_flow->payload.position_sum = 0;
    write_flow->digest.digest = GSI_DIGEST_EMPTY;
    gsi_flow_begin(&write_flow->flow);
    return GS_OK;
}

/* A window with positions has the bytes of the merged elements so far. */
static bool take(void *context, struct gsi_buffer *window)
{
    struct gsi_write_flow *write_flow = context;
    if (has_positions(write_flow))
        window->bytes = window->bytes / write_flow->target->loop->layout->element_bytes *
                        gsi_write_flow_written_bytes(write_flow->target);
    gsi_flow_accept(&write_flow->flow, window);
    return false;
}

static bool pump(void *context)
{
    struct gsi_write_flow *write_flow = context;
    return gsi_flow_pump(&write_flow->flow);
}

static bool is_idle(const void *context)
{
    return gsi_write_flow_is_idle(context);
}

static void end(void *context)
{
    struct gsi_write_flow *write_flow = context;
    gsi_flow_end(&write_flow->flow);
}

struct gsi_stage gsi_write_flow_stage(struct gsi_write_flow *write_flow)
{
    return (struct gsi_stage){
        .context = write_flow, .pump = pump, .is_done = is_idle, .accept_window = take, .end = end};
}
