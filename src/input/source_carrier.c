/* source_carrier.c: fills chunks with what is carried of elements (element/carry/carry.h), on the
 * job's threads.
 *
 *     reader -> staged buffers, in order -> [filter, on threads] -> places in chunks, in order
 *               of elements as read                                       |
 *                        chunks <- carried elements, on threads <---------'
 *
 * Chunks hold as many carried elements as fit, so that the plan is that of a sort of those,
 * whatever the elements take in the inputs. What is kept of a filter has its place among all
 * elements. Where what is sorted tells too little of them, elements are tallied here (carried.h).
 * A GPU that makes pairs of numbers and positions itself gets elements as they are read.
 * All but the tasks runs on the owner's thread. */
#include "input/source.h"

#include "base/checked.h"
#include "base/report.h"
#include "element/record/record_room.h"
#include "input/carried.h"
#include "input/values/lanes.h"
#include "io/array.h"
#include "plan/plan.h"

/* As many as transfers may be in flight, each as large as one transfer where there is memory for
 * that; together a 32nd of it. */
#define STAGED_COUNT     GSI_PLAN_READS
#define STAGED_PART      512
#define STAGED_MIN_BYTES ((uint64_t)16 << 10)
#define STAGED_MAX_BYTES ((uint64_t)2 << 20)

/* A staged buffer is in pieces where chunks end in it. */
#define PIECE_COUNT (2 * (uint64_t)STAGED_COUNT)

/* What is known about a staged buffer; of chunks only the pieces count. */
struct carried {
    uint64_t first, end; /* positions of its first element and behind its last, as read */
    uint32_t pieces;     /* of it that tasks work on */
    struct gsi_filtered kept;
};

GSI_HOLDER_STATE(carried_of, struct carried)

struct piece {
    struct gsi_task task;
    struct gsi_carrier *carrier;
    struct gsi_buffer *staged, *chunk;
    uint64_t from, count; /* elements of the staged buffer */
    uint8_t *to;          /* in the chunk */
    struct gsi_lane_part values[GSI_VALUES_MAX];
    struct piece *next;
};

struct gsi_carrier {
    struct gsi_inputs *inputs;
    const struct gsi_carry *carry;
    struct gsi_source reader; /* into staged buffers */
    struct gsi_lanes lanes;   /* of --values, beside it */
    struct gsi_shelf shelf;
    struct gsi_buffers staging;
    uint32_t
        *places; /* with a filter: of what it keeps, for each staged buffer, if they are wanted */
    uint64_t places_each;
    uint64_t read_count;    /* elements; the position of the next one */
    uint64_t started_count; /* staged buffers */
    uint32_t filtering_count, busy_count;
    struct gsi_reorder ready;
    struct gsi_buffer *staged; /* goes into chunks, from staged_off on */
    uint64_t staged_off;
    struct gsi_buffer_list given; /* chunks, in order */
    struct gsi_buffer *filling;   /* the first one with room */
    uint32_t given_count;
    struct piece *pieces, *free_pieces;
};

/* ---- memory ---- */

static uint64_t staged_bytes(const struct gsi_carry *carry, uint64_t memory_bytes)
{
    uint64_t bytes = gsi_clamp_u64(memory_bytes / STAGED_PART, STAGED_MIN_BYTES, STAGED_MAX_BYTES);
    uint64_t least = gsi_record_room_bytes(carry->input.element_bytes, 1);
    return gsi_round_up_u64(gsi_max_u64(bytes, least), GSI_DIRECT_ALIGN);
}

static uint64_t places_each(const struct gsi_inputs *inputs, uint64_t staged)
{
    bool are_wanted = gsi_carry_has_positions(inputs->carry) || inputs->values != NULL;
    return inputs->filter != NULL && are_wanted ? staged / inputs->carry->input.element_bytes : 0;
}

/* The carrier is placed first. Buffers of an array have no memory of their own
 * (source_buffers.c). */
static struct gsi_carrier *lay_out(const struct gsi_inputs *inputs, uint64_t memory_bytes,
                                   struct gsi_shelf *shelf)
{
    const struct gsi_layout *layout = &inputs->carry->input;
    const uint64_t staged = staged_bytes(inputs->carry, memory_bytes);
    const struct gsi_buffer_shape shape = {.unit_bytes = staged,
                                           .record_bytes =
                                               layout->record != NULL ? layout->element_bytes : 0,
                                           .most_records = UINT64_MAX};
    struct gsi_carrier *placed = NULL, planned = {0}, *carrier;
    GSI_PLACE(shelf, placed, 1);
    carrier = placed != NULL ? placed : &planned;
    carrier->places_each = places_each(inputs, staged);
    uint8_t *lent = inputs->is_lent ? (uint8_t *)inputs->table[0].array->from : NULL;
    gsi_buffers_lay_out(&carrier->staging, lent, STAGED_COUNT, shape, shelf);
    GSI_PLACE(shelf, carrier->places, STAGED_COUNT * carrier->places_each);
    GSI_PLACE(shelf, carrier->pieces, PIECE_COUNT);
    gsi_source_lay_out(&carrier->reader, shelf);
    gsi_lanes_lay_out(&carrier->lanes, inputs->values, memory_bytes, shelf);
    return placed;
}

struct gsi_shelf gsi_carrier_plan(const struct gsi_inputs *inputs, uint64_t memory_bytes)
{
    struct gsi_shelf shelf = {0};
    if (inputs->carry != NULL && !inputs->spec->is_merge)
        lay_out(inputs, memory_bytes, &shelf);
    return shelf;
}

enum gs_status gsi_carrier_open(struct gsi_inputs *inputs, struct gsi_carrier **opened)
{
    struct gsi_loop *loop = inputs->loop;
    struct gsi_shelf shelf = inputs->plan->carrier;
    GSI_TRY(gsi_shelf_open(&shelf, &loop->ledger, GSI_MEMORY_DATA, loop->error));
    struct gsi_carrier *carrier = lay_out(inputs, loop->plan->memory_bytes, &shelf);
    carrier->shelf = shelf;
    carrier->inputs = carrier->reader.inputs = inputs;
    carrier->carry = inputs->carry;
    gsi_buffer_list_init(&carrier->given);
    carrier->read_count = inputs->spec->first_position;
    for (uint32_t i = 0; i < PIECE_COUNT; i++) {
        carrier->pieces[i].carrier = carrier;
        carrier->pieces[i].next = carrier->free_pieces;
        carrier->free_pieces = &carrier->pieces[i];
    }
    gsi_lanes_begin(&carrier->lanes, inputs, carrier->read_count);
    *opened = carrier;
    return GS_OK;
}

void gsi_carrier_close(struct gsi_carrier *carrier)
{
    if (carrier == NULL)
        return;
    struct gsi_shelf shelf = carrier->shelf;
    gsi_shelf_close(&shelf, &carrier->inputs->loop->ledger, GSI_MEMORY_DATA);
}

/* ---- chunks ---- */

void gsi_carrier_give(struct gsi_carrier *carrier, struct gsi_buffer *chunk)
{
    chunk->bytes = 0;
    carried_of(chunk)->pieces = 0;
    if (chunk->tags != NULL)
        chunk->data = chunk->memory;
    gsi_buffer_list_push(&carrier->given, chunk);
    carrier->given_count++;
    if (carrier->filling == NULL)
        carrier->filling = chunk;
}

uint32_t gsi_carrier_given(const struct gsi_carrier *carrier)
{
    return carrier->given_count;
}

/* Elements that still fit. */
static uint64_t room_of(const struct gsi_carrier *carrier, const struct gsi_buffer *chunk)
{
    return (chunk->capacity - chunk->bytes) / carrier->carry->carried_bytes;
}

static bool is_all_staged(const struct gsi_carrier *carrier)
{
    return carrier->reader.is_end && carrier->reader.given.head == NULL &&
           carrier->filtering_count == 0 && carrier->ready.waiting == NULL &&
           carrier->staged == NULL;
}

struct gsi_buffer *gsi_carrier_next(struct gsi_carrier *carrier)
{
    struct gsi_buffer *chunk = carrier->given.head;
    if (chunk == NULL || carried_of(chunk)->pieces > 0 ||
        (room_of(carrier, chunk) > 0 && !is_all_staged(carrier)))
        return NULL;
    gsi_buffer_list_pop(&carrier->given);
    if (carrier->filling == chunk)
        carrier->filling = carrier->given.head;
    carrier->given_count--;
    return chunk;
}

bool gsi_carrier_has_data(const struct gsi_carrier *carrier)
{
    return !is_all_staged(carrier) ||
           (carrier->given.head != NULL && carrier->given.head->bytes > 0);
}

bool gsi_carrier_is_end(const struct gsi_carrier *carrier)
{
    return is_all_staged(carrier) && carrier->busy_count == 0 && carrier->given.head == NULL;
}

/* ---- staged buffers ---- */

static uint32_t *places_of(const struct gsi_carrier *carrier, const struct gsi_buffer *staged)
{
    uint64_t idx = (uint64_t)(staged - carrier->staging.all);
    return carrier->places_each > 0 ? carrier->places + idx * carrier->places_each : NULL;
}

static void filter(struct gsi_task *task, uint32_t worker_idx)
{
    (void)worker_idx;
    struct gsi_buffer *staged = gsi_buffer_of_task(task);
    const struct gsi_carrier *carrier = staged->holder;
    uint32_t element = carrier->carry->input.element_bytes;
    staged->bytes =
        element * gsi_filter_apply(carrier->inputs->filter, staged->data, staged->bytes / element,
                                   places_of(carrier, staged), &carried_of(staged)->kept);
}

static void filter_done(struct gsi_task *task)
{
    struct gsi_buffer *staged = gsi_buffer_of_task(task);
    struct gsi_carrier *carrier = staged->holder;
    carrier->filtering_count--;
    gsi_filtered_add(&carrier->inputs->filtered, &carried_of(staged)->kept);
    gsi_reorder_add(&carrier->ready, staged);
}

/* Positions that do not fit: of a stream it shows only now. */
static void check_positions(const struct gsi_carrier *carrier)
{
    if (gsi_carry_has_positions(carrier->carry) &&
        !gsi_carry_fits(carrier->read_count, carrier->carry->output_bytes))
        gsi_fail(carrier->inputs->loop->error, GS_E_INPUT, 0,
                 "--index u32: there are more than 4294967296 elements; use --index u64");
}

/* What was read goes on, in order. Returns whether there was anything. */
static bool take_staged(struct gsi_carrier *carrier)
{
    struct gsi_buffer *staged;
    bool has_moved = false;
    while ((staged = gsi_source_next_read(&carrier->reader)) != NULL) {
        has_moved = true;
        if (staged->bytes == 0) {
            gsi_buffers_give(&carrier->staging, staged);
            continue;
        }
        carried_of(staged)->first = carrier->read_count;
        carried_of(staged)->pieces = 0;
        carried_of(staged)->kept = (struct gsi_filtered){0};
        carrier->read_count += staged->bytes / carrier->carry->input.element_bytes;
        carried_of(staged)->end = carrier->read_count;
        check_positions(carrier);
        staged->turn_idx = carrier->started_count++;
        staged->holder = carrier;
        if (carrier->inputs->filter == NULL) {
            gsi_reorder_add(&carrier->ready, staged);
            continue;
        }
        carrier->filtering_count++;
        staged->task = (struct gsi_task){.run = filter, .done = filter_done, .is_urgent = true};
        gsi_pool_submit(carrier->inputs->loop->pool, &staged->task);
    }
    return has_moved;
}

static bool read_on(struct gsi_carrier *carrier)
{
    struct gsi_buffer *staged;
    while (!carrier->reader.is_end && (staged = gsi_buffers_take(&carrier->staging)) != NULL)
        gsi_source_give(&carrier->reader, staged);
    return gsi_source_pump_reader(&carrier->reader);
}

/* ---- pieces ---- */

static void carry(struct gsi_task *task, uint32_t worker_idx)
{
    const struct piece *piece = GSI_CONTAINER_OF(task, struct piece, task);
    const struct gsi_carrier *carrier = piece->carrier;
    struct gsi_buffer *staged = piece->staged;
    const uint8_t *elements = staged->data + piece->from * carrier->carry->input.element_bytes;
    const uint32_t *places = places_of(carrier, staged);
    uint64_t first = carried_of(staged)->first + (places == NULL ? piece->from : 0);
    places = places != NULL ? places + piece->from : NULL;
    gsi_carried_add(carrier->inputs->carried, worker_idx, elements, piece->count, first, places);
    gsi_carry_take(carrier->carry, elements, piece->count, first, places, piece->to);
    gsi_lanes_put(&carrier->lanes, piece->values, piece->count, places, piece->to,
                  carrier->carry->carried_bytes);
}

static void give_staged(struct gsi_carrier *carrier, struct gsi_buffer *staged)
{
    if (carried_of(staged)->pieces == 0 && staged != carrier->staged)
        gsi_buffers_give(&carrier->staging, staged);
}

static void carry_done(struct gsi_task *task)
{
    struct piece *piece = GSI_CONTAINER_OF(task, struct piece, task);
    struct gsi_carrier *carrier = piece->carrier;
    carrier->busy_count--;
    carried_of(piece->chunk)->pieces--;
    carried_of(piece->staged)->pieces--;
    give_staged(carrier, piece->staged);
    gsi_lanes_give(&carrier->lanes, piece->values);
    piece->next = carrier->free_pieces;
    carrier->free_pieces = piece;
}

/* Of the staged buffer's next element. */
static uint64_t next_position(const struct gsi_carrier *carrier)
{
    struct gsi_buffer *staged = carrier->staged;
    const uint32_t *places = places_of(carrier, staged);
    return carried_of(staged)->first +
           (places != NULL ? places[carrier->staged_off] : carrier->staged_off);
}

/* How many of the next `count` elements have values that are ready, and how many values these and
 * those between them are. */
static uint64_t count_ready(const struct gsi_carrier *carrier, uint64_t count, uint64_t *values)
{
    const uint32_t *places = places_of(carrier, carrier->staged);
    uint64_t ready = gsi_lanes_ready(&carrier->lanes), n = 0;
    *values = gsi_min_u64(count, ready);
    if (places == NULL || carrier->lanes.count == 0)
        return *values;
    places += carrier->staged_off;
    while (n < count && places[n] - places[0] < ready)
        n++;
    *values = places[n - 1] - places[0] + 1;
    return n;
}

/* The next piece of the staged buffer, into the chunk that is filling. */
static void start_piece(struct gsi_carrier *carrier)
{
    uint64_t values;
    struct piece *piece = carrier->free_pieces;
    struct gsi_buffer *staged = carrier->staged, *chunk = carrier->filling;
    uint64_t left = staged->bytes / carrier->carry->input.element_bytes - carrier->staged_off;
    carrier->free_pieces = piece->next;
    piece->staged = staged;
    piece->chunk = chunk;
    piece->from = carrier->staged_off;
    piece->count = count_ready(carrier, gsi_min_u64(left, room_of(carrier, chunk)), &values);
    gsi_lanes_take(&carrier->lanes, values, piece->values);
    piece->to = chunk->data + chunk->bytes;
    chunk->bytes += piece->count * carrier->carry->carried_bytes;
    carried_of(chunk)->pieces++;
    carried_of(staged)->pieces++;
    carrier->busy_count++;
    carrier->staged_off += piece->count;
    piece->task = (struct gsi_task){.run = carry, .done = carry_done, .is_urgent = true};
    gsi_pool_submit(carrier->inputs->loop->pool, &piece->task);
}

/* One step on; false: something has to come first. */
static bool carry_on(struct gsi_carrier *carrier)
{
    struct gsi_buffer *staged = carrier->staged;
    if (staged == NULL) {
        carrier->staged = gsi_reorder_take(&carrier->ready);
        carrier->staged_off = 0;
        return carrier->staged != NULL;
    }
    if (carrier->staged_off * carrier->carry->input.element_bytes == staged->bytes) {
        if (!gsi_lanes_skip_to(&carrier->lanes, carried_of(staged)->end))
            return gsi_lanes_pump(&carrier->lanes);
        carrier->staged = NULL;
        give_staged(carrier, staged);
        return true;
    }
    if (carrier->filling == NULL || carrier->free_pieces == NULL)
        return false;
    if (room_of(carrier, carrier->filling) == 0) {
        carrier->filling = carrier->filling->next;
        return true;
    }
    if (!gsi_lanes_skip_to(&carrier->lanes, next_position(carrier)) ||
        gsi_lanes_ready(&carrier->lanes) == 0)
        return gsi_lanes_pump(&carrier->lanes);
    start_piece(carrier);
    return true;
}

bool gsi_carrier_pump(struct gsi_carrier *carrier, bool *is_end)
{
    bool has_moved = read_on(carrier);
    has_moved |= gsi_lanes_pump(&carrier->lanes);
    has_moved |= take_staged(carrier);
    while (carry_on(carrier))
        has_moved = true;
    *is_end = is_all_staged(carrier);
    return has_moved;
}
