/* pieces.c: a task a piece. Everything but the tasks runs on the owner's thread. */
#include "output/unique/pieces.h"

#include "base/assert.h"
#include "base/checked.h"
#include "element/carry/carry.h"
#include "element/element_ops.h"

#include <string.h>

/* Pieces take a 128th of memory together. A large one is in a core's second-level cache when it is
 * copied; as many keep the threads of most machines busy. */
#define MEMORY_PART     128u
#define PIECES_MOST     GSI_CONSTANT(32u, 5u)
#define PIECES_LEAST    4u
#define PIECE_MAX_BYTES ((uint64_t)1 << 20)
#define PIECE_MIN_BYTES ((uint64_t)8 << 10)

/* Entries that are not written as they are are made in batches, in the first-level cache. */
#define BATCH_BYTES GSI_CONSTANT((uint64_t)16 << 10, (uint64_t)512)

/* Of a buffer: the piece whose entries are in it. */
struct piece {
    struct gsi_pieces *pieces;
    struct gsi_buffer *window;
    const uint8_t *elements;
    uint64_t count;
    gsi_u128 position_sum;
};
GSI_HOLDER_STATE(piece_of, struct piece)

/* Of a window. */
struct looked_at {
    uint32_t under_way; /* pieces */
    bool is_cut;        /* all have begun */
};
GSI_HOLDER_STATE(looked_at_of, struct looked_at)

/* ---- memory ---- */

/* Of entries that are made before something else is written of them. */
static uint64_t batch_count(uint64_t entry_bytes)
{
    return gsi_max_u64(1, BATCH_BYTES / entry_bytes);
}

static uint64_t batch_bytes(bool has_batch, uint64_t entry_bytes)
{
    return has_batch ? batch_count(entry_bytes) * entry_bytes : 0;
}

static uint64_t mapped_bytes(const struct gsi_output_plan *plan, bool has_batch,
                             uint64_t entry_bytes)
{
    uint64_t each = plan->piece_bytes + batch_bytes(has_batch, entry_bytes);
    return gsi_round_up_u64(plan->piece_count * each, GSI_DIRECT_ALIGN);
}

uint64_t gsi_pieces_plan(const struct gsi_target *target, const struct gsi_groups_rule *rule,
                         uint64_t entry_bytes, uint64_t written_bytes, uint64_t memory_bytes,
                         struct gsi_output_plan *plan)
{
    const struct gsi_layout *layout = target->loop->layout;
    const bool has_batch = rule != NULL && gsi_inputs_are_changed(target->inputs);
    const uint64_t part = memory_bytes / MEMORY_PART;
    /* An entry, and the one that comes before it. */
    const uint64_t least = gsi_max_u64(PIECE_MIN_BYTES, 2 * written_bytes);
    plan->piece_bytes = gsi_round_up_u64(
        gsi_max_u64(least, gsi_min_u64(part / PIECES_MOST, PIECE_MAX_BYTES)), GSI_DIRECT_ALIGN);
    plan->piece_count =
        (uint32_t)gsi_clamp_u64(part / plan->piece_bytes, PIECES_LEAST, PIECES_MOST);
    uint64_t each = sizeof(struct gsi_buffer);
    if (rule != NULL)
        each += sizeof(struct gsi_groups_piece) + gsi_groups_piece_bytes(layout, rule);
    return mapped_bytes(plan, has_batch, entry_bytes) + plan->piece_count * each +
           (rule != NULL ? layout->element_bytes : 0);
}

enum gs_status gsi_pieces_open(struct gsi_pieces *pieces, struct gs_error *error)
{
    const struct gsi_target *target = pieces->target;
    struct gsi_ledger *ledger = &target->loop->ledger;
    const bool has_batch = pieces->groups != NULL && pieces->carry != NULL;
    const uint64_t bytes = target->plan->piece_count * target->plan->piece_bytes;
    gsi_buffer_list_init(&pieces->waiting);
    pieces->memory_bytes = mapped_bytes(target->plan, has_batch, pieces->entry_bytes);
    GSI_TRY(gsi_memory_map(ledger, GSI_MEMORY_DATA, pieces->memory_bytes, &pieces->memory, error));
    if (has_batch)
        pieces->entries = (uint8_t *)pieces->memory + bytes;
    GSI_TRY(gsi_buffers_init(&pieces->buffers, ledger, pieces->memory, bytes,
                             (struct gsi_buffer_shape){.unit_bytes = target->plan->piece_bytes},
                             false, error));
    if (pieces->groups == NULL)
        return GS_OK;
    GSI_TRY(GSI_NEW(ledger, pieces->last, target->loop->layout->element_bytes, error));
    GSI_TRY(GSI_NEW(ledger, pieces->grouped, target->plan->piece_count, error));
    for (uint32_t i = 0; i < target->plan->piece_count; i++)
        GSI_TRY(gsi_groups_piece_init(&pieces->grouped[i], pieces->groups, error));
    return GS_OK;
}

void gsi_pieces_close(struct gsi_pieces *pieces)
{
    if (pieces->target == NULL)
        return;
    const struct gsi_target *target = pieces->target;
    struct gsi_ledger *ledger = &target->loop->ledger;
    for (uint32_t i = 0; pieces->grouped != NULL && i < target->plan->piece_count; i++)
        gsi_groups_piece_clear(&pieces->grouped[i]);
    if (pieces->grouped != NULL)
        GSI_FREE(ledger, pieces->grouped, target->plan->piece_count);
    if (pieces->last != NULL)
        GSI_FREE(ledger, pieces->last, target->loop->layout->element_bytes);
    gsi_buffers_clear(&pieces->buffers);
    if (pieces->memory != NULL)
        gsi_memory_unmap(ledger, GSI_MEMORY_DATA, pieces->memory, pieces->memory_bytes);
    *pieces = (struct gsi_pieces){0};
}

void gsi_pieces_restart(struct gsi_pieces *pieces)
{
    GSI_ASSERT(gsi_pieces_are_idle(pieces));
    pieces->has_last = false;
    pieces->position_sum = 0;
}

/* Of the piece in a buffer; NULL: there are no groups. */
static struct gsi_groups_piece *grouped_of(const struct gsi_pieces *pieces,
                                           const struct gsi_buffer *buffer)
{
    return pieces->groups != NULL ? &pieces->grouped[buffer - pieces->buffers.all] : NULL;
}

static uint8_t *entries_of(const struct gsi_pieces *pieces, const struct gsi_buffer *buffer)
{
    return pieces->entries +
           (size_t)(buffer - pieces->buffers.all) * batch_bytes(true, pieces->entry_bytes);
}

/* ---- tasks ---- */

/* Whether a device has put into windows what is written (device.h). */
static bool has_positions(const struct gsi_pieces *pieces)
{
    return pieces->target->inputs->device_tally != NULL;
}

/* What a window holds of an element. */
static uint64_t held_bytes(const struct gsi_pieces *pieces)
{
    return has_positions(pieces) ? pieces->written_bytes
                                 : pieces->target->loop->layout->element_bytes;
}

/* Of the next elements of a piece, what is written, at `to`. Returns its bytes. */
static uint64_t write_elements(const struct gsi_pieces *pieces, struct gsi_buffer *buffer,
                               const uint8_t *elements, uint64_t n, uint8_t *to)
{
    struct gsi_groups_piece *grouped = grouped_of(pieces, buffer);
    uint8_t *entries = pieces->entries != NULL ? entries_of(pieces, buffer) : to;
    if (grouped != NULL) {
        uint64_t bytes = gsi_groups_piece_add(grouped, elements, n, entries);
        if (pieces->carry == NULL)
            return bytes;
        n = bytes / pieces->entry_bytes;
        elements = entries;
    }
    piece_of(buffer)->position_sum +=
        has_positions(pieces) ? gsi_carry_copy(pieces->carry, elements, n, to)
                              : gsi_carry_put(pieces->carry, elements, n, pieces->entry_bytes, to);
    return n * pieces->written_bytes;
}

static void imprint(const struct gsi_pieces *pieces, struct gsi_imprint *imprint,
                    const uint8_t *written, uint64_t bytes)
{
    const struct gsi_layout *layout = pieces->target->loop->layout;
    *imprint = GSI_IMPRINT_EMPTY;
    if (pieces->is_imprinted && bytes > 0)
        layout->ops->imprint(layout, imprint, written, bytes / layout->element_bytes);
}

/* On a thread. */
static void make(struct gsi_task *task, uint32_t worker_idx)
{
    (void)worker_idx;
    struct gsi_buffer *buffer = gsi_buffer_of_task(task);
    const struct piece *piece = piece_of(buffer);
    const struct gsi_pieces *pieces = piece->pieces;
    const uint64_t element = held_bytes(pieces);
    const uint64_t most = pieces->entries != NULL ? batch_count(pieces->entry_bytes) : piece->count;
    for (uint64_t at = 0, n; at < piece->count; at += n) {
        n = gsi_min_u64(most, piece->count - at);
        buffer->bytes += write_elements(pieces, buffer, piece->elements + at * element, n,
                                        buffer->data + buffer->bytes);
    }
    imprint(pieces, &buffer->imprint, buffer->data, buffer->bytes);
}

static void give_if_looked_at(struct gsi_pieces *pieces, struct gsi_buffer *window)
{
    const struct looked_at *looked_at = looked_at_of(window);
    if (looked_at->is_cut && looked_at->under_way == 0)
        gsi_buffers_give(pieces->windows, window);
}

static void make_done(struct gsi_task *task)
{
    struct gsi_buffer *buffer = gsi_buffer_of_task(task);
    const struct piece *piece = piece_of(buffer);
    struct gsi_pieces *pieces = piece->pieces;
    pieces->working_count--;
    looked_at_of(piece->window)->under_way--;
    give_if_looked_at(pieces, piece->window);
    gsi_reorder_add(&pieces->done, buffer);
}

/* ---- the owner's thread ---- */

void gsi_pieces_take(struct gsi_pieces *pieces, struct gsi_buffer *window)
{
    *looked_at_of(window) = (struct looked_at){0};
    if (has_positions(pieces)) /* so far its bytes were those of what was merged */
        window->bytes =
            window->bytes / pieces->target->loop->layout->element_bytes * pieces->written_bytes;
    gsi_buffer_list_push(&pieces->waiting, window);
}

/* A buffer for the next piece, with room before it for an entry. NULL: none is free. */
static struct gsi_buffer *take_buffer(struct gsi_pieces *pieces)
{
    struct gsi_buffer *buffer = gsi_buffers_take(&pieces->buffers);
    if (buffer == NULL)
        return NULL;
    *piece_of(buffer) = (struct piece){.pieces = pieces};
    buffer->data = buffer->memory + pieces->written_bytes;
    buffer->turn_idx = pieces->begun_count++;
    buffer->imprint = GSI_IMPRINT_EMPTY;
    return buffer;
}

static void begin_groups(struct gsi_pieces *pieces, struct gsi_buffer *buffer, bool is_apart)
{
    const struct piece *piece = piece_of(buffer);
    const uint64_t bytes = pieces->target->loop->layout->element_bytes;
    const bool goes_on =
        pieces->has_last && gsi_groups_is_equal(pieces->groups, pieces->last, piece->elements);
    pieces->has_last = true;
    memcpy(pieces->last, piece->elements + (piece->count - 1) * bytes, bytes);
    gsi_groups_piece_begin(grouped_of(pieces, buffer), goes_on, is_apart);
}

static void begin(struct gsi_pieces *pieces, struct gsi_buffer *buffer)
{
    struct gsi_buffer *window = pieces->window;
    struct piece *piece = piece_of(buffer);
    const uint64_t element = held_bytes(pieces);
    const uint64_t room = buffer->memory_bytes / pieces->written_bytes - 1;
    piece->window = window;
    piece->elements = window->data + pieces->window_off;
    piece->count = gsi_min_u64(room, (window->bytes - pieces->window_off) / element);
    if (pieces->groups != NULL)
        begin_groups(pieces, buffer, pieces->has_repeats && window->imprint.repeat_count == 0);
    pieces->window_off += piece->count * element;
    pieces->working_count++;
    looked_at_of(window)->under_way++;
    buffer->task = (struct gsi_task){.run = make, .done = make_done, .is_urgent = true};
    gsi_pool_submit(pieces->target->loop->pool, &buffer->task);
}

/* A window that is cut goes back when its pieces are done. */
static bool leave_window(struct gsi_pieces *pieces)
{
    struct gsi_buffer *window = pieces->window;
    if (window == NULL || (pieces->window_off < window->bytes && !pieces->is_enough))
        return false;
    pieces->window = NULL;
    pieces->window_off = 0;
    looked_at_of(window)->is_cut = true;
    give_if_looked_at(pieces, window);
    return true;
}

bool gsi_pieces_pump(struct gsi_pieces *pieces)
{
    struct gsi_buffer *buffer;
    if (leave_window(pieces))
        return true;
    if (pieces->window == NULL) {
        pieces->window = gsi_buffer_list_pop(&pieces->waiting);
        return pieces->window != NULL;
    }
    buffer = take_buffer(pieces);
    if (buffer != NULL)
        begin(pieces, buffer);
    return buffer != NULL;
}

/* An entry, if `bytes` are not 0, comes before those of the piece. */
static void put_before(struct gsi_pieces *pieces, struct gsi_buffer *buffer, const uint8_t *entry,
                       uint64_t bytes)
{
    const struct gsi_layout *layout = pieces->target->loop->layout;
    struct gsi_imprint behind = buffer->imprint;
    if (bytes == 0)
        return;
    buffer->data = buffer->memory;
    buffer->bytes += pieces->written_bytes;
    if (pieces->carry != NULL)
        piece_of(buffer)->position_sum +=
            gsi_carry_put(pieces->carry, entry, 1, bytes, buffer->data);
    imprint(pieces, &buffer->imprint, buffer->data, pieces->written_bytes);
    if (behind.count > 0)
        layout->ops->imprint_join(layout, &buffer->imprint, &behind, NULL,
                                  buffer->data + pieces->written_bytes);
}

void gsi_pieces_end(struct gsi_pieces *pieces)
{
    struct gsi_buffer *buffer;
    if (pieces->groups == NULL || pieces->is_enough || pieces->groups->count == 0)
        return;
    buffer = take_buffer(pieces);
    GSI_ASSERT(buffer != NULL && gsi_pieces_are_idle(pieces));
    gsi_groups_piece_begin(grouped_of(pieces, buffer), false, false);
    uint8_t *entry = pieces->carry != NULL ? entries_of(pieces, buffer) : buffer->memory;
    put_before(pieces, buffer, entry, gsi_groups_end(pieces->groups, entry));
    gsi_reorder_add(&pieces->done, buffer);
}

struct gsi_buffer *gsi_pieces_give(struct gsi_pieces *pieces)
{
    struct gsi_buffer *buffer = gsi_reorder_take(&pieces->done);
    if (buffer == NULL)
        return NULL;
    if (pieces->groups != NULL) {
        uint8_t *entry = pieces->carry != NULL ? entries_of(pieces, buffer) : buffer->memory;
        put_before(pieces, buffer, entry,
                   gsi_groups_join(pieces->groups, grouped_of(pieces, buffer), entry));
    }
    pieces->position_sum += piece_of(buffer)->position_sum;
    return buffer;
}

void gsi_pieces_cut(const struct gsi_pieces *pieces, struct gsi_buffer *piece, uint64_t count)
{
    piece->bytes = count * pieces->written_bytes;
    imprint(pieces, &piece->imprint, piece->data, piece->bytes);
}

bool gsi_pieces_are_idle(const struct gsi_pieces *pieces)
{
    return pieces->waiting.head == NULL && pieces->window == NULL && pieces->working_count == 0 &&
           pieces->done.waiting == NULL;
}
