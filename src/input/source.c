/* source.c: reads ahead over a list of inputs. */
#include "input/source.h"

#include "base/assert.h"
#include "base/checked.h"
#include "input/header.h"
#include "input/zst/frames_reader.h"
#include "plan/plan.h"

/* Bytes a transfer: 2 MiB, and as many in flight as are planned, reach the limit of the disks
 * measured (gsort-bench disk), also while other processes keep this one waiting. */
#define BLOCK_BYTES GSI_CONSTANT((uint64_t)2 << 20, (uint64_t)64 << 10)

struct gsi_source_slot {
    struct gsi_io io;
    struct gsi_source *source;
    struct gsi_buffer *buffer;
    size_t input_idx;
    bool is_busy;
    size_t lead;   /* bytes that are read before those that are wanted, and */
    size_t wanted; /* io.bytes may be rounded up, for direct I/O */
    struct gsi_source_slot *next;
};

void gsi_source_lay_out(struct gsi_source *source, struct gsi_shelf *shelf)
{
    *source = (struct gsi_source){.slot_count = GSI_PLAN_READS};
    gsi_buffer_list_init(&source->given);
    gsi_buffer_list_init(&source->joined);
    gsi_buffer_list_init(&source->emptied);
    GSI_PLACE(shelf, source->slots, source->slot_count);
    for (uint32_t i = 0; source->slots != NULL && i < source->slot_count; i++) {
        source->slots[i].source = source;
        source->slots[i].next = source->free_slots;
        source->free_slots = &source->slots[i];
    }
}

enum gs_status gsi_source_init(struct gsi_source *source, struct gsi_inputs *inputs)
{
    struct gsi_loop *loop = inputs->loop;
    struct gsi_shelf shelf = {0};
    *source = (struct gsi_source){.inputs = inputs};
    if (inputs->carry != NULL && inputs->plan->carrier.used > 0)
        return gsi_carrier_open(inputs, &source->carrier);
    gsi_source_lay_out(source, &shelf);
    GSI_TRY(gsi_shelf_open(&shelf, &loop->ledger, GSI_MEMORY_TABLES, loop->error));
    gsi_source_lay_out(source, &shelf);
    source->inputs = inputs;
    source->shelf = shelf;
    return GS_OK;
}

void gsi_source_clear(struct gsi_source *source)
{
    gsi_carrier_close(source->carrier);
    if (source->inputs != NULL)
        gsi_shelf_close(&source->shelf, &source->inputs->loop->ledger, GSI_MEMORY_TABLES);
    *source = (struct gsi_source){0};
}

void gsi_source_give(struct gsi_source *source, struct gsi_buffer *buffer)
{
    if (source->carrier != NULL) {
        gsi_carrier_give(source->carrier, buffer);
        return;
    }
    buffer->bytes = 0;
    if (source->inputs->is_lent)
        buffer->data = buffer->memory;
    gsi_source_fill_of(buffer)->requested_bytes = 0;
    gsi_source_fill_of(buffer)->read_count = 0;
    gsi_buffer_list_push(&source->given, buffer);
    source->given_count++;
    if (source->filling == NULL)
        source->filling = buffer;
}

/* An input that was left behind rests as soon as nothing of it is in flight. */
static void close_read_input(struct gsi_source *source, size_t input_idx)
{
    for (uint32_t i = 0; i < source->slot_count; i++)
        if (source->slots[i].is_busy && source->slots[i].input_idx == input_idx)
            return;
    if (source->inputs->are_many && input_idx < source->input_idx)
        gsi_input_close_for_now(&source->inputs->table[input_idx]);
}

static void next_input(struct gsi_source *source)
{
    source->input_idx++;
    source->input_off = 0;
    source->is_end = source->input_idx == source->inputs->count;
    close_read_input(source, source->input_idx - 1);
}

/* The end of a stream, and whether what came was right. */
static void end_stream(struct gsi_source *source, struct gsi_input *input,
                       struct gsi_buffer *buffer)
{
    uint64_t left = gsi_inputs_drop_tail(source->inputs, input, source->input_off);
    source->input_off -= left;
    source->inputs->data_bytes -= left;
    gsi_source_fill_of(buffer)->requested_bytes -= left;
    buffer->bytes -= left;
    input->bytes = source->input_off;
    if (gsi_header_end(source->inputs, input, input->bytes) == GS_OK)
        next_input(source);
}

/* Bytes that came at the end of what a buffer holds; those of the stream's header are no data. */
static void take_bytes(struct gsi_source *source, struct gsi_input *input,
                       struct gsi_buffer *buffer, uint64_t bytes)
{
    bytes = gsi_header_strip(source->inputs, input,
                             buffer->data + gsi_source_fill_of(buffer)->requested_bytes, bytes);
    source->input_off += bytes;
    source->inputs->data_bytes += bytes;
    gsi_source_fill_of(buffer)->requested_bytes += bytes;
    buffer->bytes += bytes;
}

static void block_done(struct gsi_io *io)
{
    struct gsi_source_slot *slot = GSI_CONTAINER_OF(io, struct gsi_source_slot, io);
    struct gsi_source *source = slot->source;
    struct gsi_inputs *inputs = source->inputs;
    struct gsi_input *input = &inputs->table[slot->input_idx];
    bool is_good = gsi_loop_io_done(inputs->loop, io, input->name);
    slot->is_busy = false;
    slot->next = source->free_slots;
    source->free_slots = slot;
    gsi_source_fill_of(slot->buffer)->read_count--;
    if (!is_good)
        return;
    close_read_input(source, slot->input_idx);
    uint64_t moved = io->moved > slot->lead ? io->moved - slot->lead : 0;
    moved = gsi_min_u64(moved, slot->wanted);
    if (input->coding == GSI_CODING_NONE) {
        gsi_loop_now(inputs->loop)->bytes_read += moved;
        inputs->loop->done_bytes += moved;
    }
    if (input->is_stream) {
        source->is_stream_busy = false;
        take_bytes(source, input, slot->buffer, moved);
        if (moved < slot->wanted)
            end_stream(source, input, slot->buffer);
        return;
    }
    slot->buffer->bytes += moved;
    inputs->data_bytes += moved;
    if (moved < slot->wanted)
        gsi_fail(inputs->loop->error, GS_E_INPUT, 0, "'%s': the file shrank while it was read",
                 input->name);
}

static uint64_t file_off(const struct gsi_source *source)
{
    return source->inputs->table[source->input_idx].base_off + source->input_off;
}

/* Records rarely begin and end where pages do. So the data of a buffer of them begin as far into a
 * page as they do in the file, and the first and the last page are read with what lies around the
 * data. */
static void place_records(struct gsi_source *source)
{
    struct gsi_buffer *buffer = source->filling;
    if (buffer->tags != NULL && gsi_source_fill_of(buffer)->requested_bytes == 0)
        buffer->data = buffer->memory + file_off(source) % GSI_DIRECT_ALIGN;
}

/* Whether whole pages around a block can be read (of what is packed there are none: what it holds
 * comes from the unpacking, just as it is asked for): they may go beyond it only into the spare
 * room of a buffer of records, or behind the end of the last file, where buffers have room. (What
 * is behind the end of another file would be read over the beginning of the next one.) */
static bool is_direct_block(const struct gsi_source *source, uint64_t bytes, uint64_t lead)
{
    const struct gsi_input *input = &source->inputs->table[source->input_idx];
    struct gsi_buffer *buffer = source->filling;
    uint64_t room = buffer->capacity - gsi_source_fill_of(buffer)->requested_bytes;
    bool ends_whole = (file_off(source) + bytes) % GSI_DIRECT_ALIGN == 0;
    bool is_last =
        source->input_off + bytes == input->bytes && source->input_idx + 1 == source->inputs->count;
    bool has_spare = buffer->tags != NULL && (is_last || bytes == room);
    bool has_room = is_last && gsi_round_up_u64(bytes, GSI_DIRECT_ALIGN) <= room;
    return input->direct_fd >= 0 && input->coding == GSI_CODING_NONE &&
           ((uintptr_t)(buffer->data + gsi_source_fill_of(buffer)->requested_bytes) - lead) %
                   GSI_DIRECT_ALIGN ==
               0 &&
           (lead == 0 ||
            (buffer->tags != NULL && gsi_source_fill_of(buffer)->requested_bytes == 0)) &&
           (ends_whole || has_spare || has_room);
}

static void prepare(struct gsi_source *source, struct gsi_source_slot *slot, uint64_t bytes)
{
    const struct gsi_input *input = &source->inputs->table[source->input_idx];
    struct gsi_buffer *buffer = source->filling;
    uint64_t off = file_off(source), lead = off % GSI_DIRECT_ALIGN;
    bool is_direct = is_direct_block(source, bytes, lead);
    lead = is_direct ? lead : 0;
    slot->buffer = buffer;
    slot->input_idx = source->input_idx;
    slot->lead = lead;
    slot->wanted = bytes;
    slot->io = (struct gsi_io){
        .op = GSI_IO_READ,
        .fd = is_direct ? input->direct_fd : input->fd,
        .data = buffer->data + gsi_source_fill_of(buffer)->requested_bytes - lead,
        .bytes = is_direct ? gsi_round_up_u64(lead + bytes, GSI_DIRECT_ALIGN) : bytes,
        .off = input->is_stream ? GSI_IO_STREAM : off - lead,
        .is_copy = !is_direct && !input->is_stream,
        .done = block_done};
}

static uint64_t block_bytes(const struct gsi_source *source)
{
    const struct gsi_input *input = &source->inputs->table[source->input_idx];
    uint64_t chunk = source->inputs->loop->plan->chunk_bytes;
    bool is_copy = input->is_stream || !input->is_direct;
    return gsi_clamp_u64(
        gsi_round_down_u64(is_copy ? chunk / GSI_SOURCE_COPY_PART : chunk, GSI_DIRECT_ALIGN),
        GSI_DIRECT_ALIGN, BLOCK_BYTES);
}

static void request_block(struct gsi_source *source)
{
    const struct gsi_input *input = &source->inputs->table[source->input_idx];
    struct gsi_buffer *buffer = source->filling;
    uint64_t room = buffer->capacity - gsi_source_fill_of(buffer)->requested_bytes,
             block = block_bytes(source);
    uint64_t bytes = gsi_min_u64(block, room);
    place_records(source);
    if (buffer->tags != NULL) /* so that the next block begins a page */
        bytes = gsi_min_u64(block - file_off(source) % GSI_DIRECT_ALIGN, room);
    if (!input->is_stream)
        bytes = gsi_min_u64(bytes, input->bytes - source->input_off);
    struct gsi_source_slot *slot = source->free_slots;
    source->free_slots = slot->next;
    slot->is_busy = true;
    prepare(source, slot, bytes);
    gsi_source_fill_of(buffer)->read_count++;
    if (input->is_stream) {
        source->is_stream_busy = true;
    } else {
        gsi_source_fill_of(buffer)->requested_bytes += bytes;
        source->input_off += bytes;
    }
    if (input->coding != GSI_CODING_NONE)
        gsi_frames_reader_submit(source->inputs->unpack, &source->inputs->table[source->input_idx],
                                 &slot->io);
    else
        gsi_loop_submit(source->inputs->loop, &slot->io);
}

static void sniff_done(struct gsi_sniff *sniff)
{
    struct gsi_source *source = GSI_CONTAINER_OF(sniff, struct gsi_source, sniff);
    source->is_stream_busy = false;
    gsi_header_place(sniff->inputs, sniff->input); /* gsi_loop_wait finds its failure */
}

/* A stream that was looked at begins with what was read of it then. */
static void take_head(struct gsi_source *source, struct gsi_input *input)
{
    struct gsi_buffer *buffer = source->filling;
    struct gsi_inputs *inputs = source->inputs;
    uint64_t bytes =
        gsi_header_head_bytes(input, buffer->data + gsi_source_fill_of(buffer)->requested_bytes,
                              buffer->capacity - gsi_source_fill_of(buffer)->requested_bytes);
    take_bytes(source, input, buffer, bytes);
    inputs->loop->done_bytes += bytes;
    gsi_loop_now(inputs->loop)->bytes_read += bytes;
}

bool gsi_source_pump_reader(struct gsi_source *source)
{
    bool has_moved = false;
    while (!source->is_end && !source->is_stream_busy &&
           !gsi_loop_has_failed(source->inputs->loop)) {
        struct gsi_input *input = &source->inputs->table[source->input_idx];
        if (source->input_off == input->bytes && input->skip_bytes == 0) {
            /* That a stream of known size has ended is not asked: there may be no buffer left. */
            if (input->is_stream && gsi_header_end(source->inputs, input, input->bytes) != GS_OK)
                break;
            next_input(source);
        } else if (source->filling == NULL || source->free_slots == NULL)
            break;
        else if (gsi_source_fill_of(source->filling)->requested_bytes == source->filling->capacity)
            source->filling = source->filling->next;
        else if (!input->is_sniffed) {
            source->is_stream_busy = true;
            gsi_sniff_start(&source->sniff, source->inputs, input, sniff_done);
            has_moved = true;
        } else if (input->coding == GSI_CODING_NONE && input->head_off < input->head_bytes)
            take_head(source, input);
        else if (gsi_input_reopen(input, source->inputs->loop->error) != GS_OK)
            break; /* gsi_loop_wait finds the failure */
        else {
            (input->array != NULL ? gsi_source_request_array : request_block)(source);
            has_moved = true;
        }
    }
    return has_moved;
}

bool gsi_source_pump(struct gsi_source *source)
{
    if (source->carrier != NULL)
        return gsi_carrier_pump(source->carrier, &source->is_end);
    bool has_moved = gsi_source_pump_reader(source);
    return gsi_inputs_shrink(source->inputs) ? gsi_source_filter_start(source) || has_moved
                                             : has_moved;
}

struct gsi_buffer *gsi_source_next_read(struct gsi_source *source)
{
    struct gsi_buffer *buffer = source->given.head;
    if (buffer == NULL || gsi_source_fill_of(buffer)->read_count > 0)
        return NULL;
    if (gsi_source_fill_of(buffer)->requested_bytes < buffer->capacity && !source->is_end)
        return NULL;
    gsi_buffer_list_pop(&source->given);
    if (source->filling == buffer)
        source->filling = source->given.head;
    source->given_count--;
    return buffer;
}

struct gsi_buffer *gsi_source_next(struct gsi_source *source)
{
    if (source->carrier != NULL)
        return gsi_carrier_next(source->carrier);
    return gsi_inputs_shrink(source->inputs) ? gsi_source_filter_next(source)
                                             : gsi_source_next_read(source);
}

void gsi_source_skip(struct gsi_source *source, uint64_t bytes)
{
    struct gsi_inputs *inputs = source->inputs;
    inputs->data_bytes += bytes;
    inputs->loop->done_bytes += bytes;
    while (bytes > 0 && !source->is_end) {
        uint64_t step = gsi_min_u64(bytes, inputs->table[source->input_idx].bytes);
        source->input_off = step;
        bytes -= step;
        if (bytes > 0)
            next_input(source);
    }
}

bool gsi_source_has_data(const struct gsi_source *source)
{
    if (source->carrier != NULL)
        return gsi_carrier_has_data(source->carrier);
    if (gsi_source_filter_has_data(source))
        return true;
    return !source->is_end || (source->given.head != NULL &&
                               gsi_source_fill_of(source->given.head)->requested_bytes > 0);
}

bool gsi_source_is_end(const struct gsi_source *source)
{
    if (source->carrier != NULL)
        return gsi_carrier_is_end(source->carrier);
    return source->is_end && source->given.head == NULL && source->populating_count == 0 &&
           source->held_count == 0;
}
