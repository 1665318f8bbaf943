/* reader.c: reads a list of inputs, with several transfers in progress. */
#include "input/reader.h"

#include "base/assert.h"
#include "base/checked.h"
#include "input/header.h"
#include "input/zst/frames_reader.h"
#include "io/array.h"
#include "plan/plan.h"

/* The most bytes of a transfer. GSI_PLAN_READS_MIN transfers of 2 MiB reach the limit of the
 * measured disks (gsort-bench disk), even if other processes delay this one. */
#define BLOCK_BYTES GSI_CONSTANT((uint64_t)2 << 20, (uint64_t)64 << 10)

struct gsi_reader_slot {
    struct gsi_io io;
    struct gsi_reader *reader;
    struct gsi_buffer *buffer;
    size_t input_idx;
    bool is_busy;
    size_t lead_bytes;   /* direct I/O: bytes of the page before the wanted ones */
    size_t wanted_bytes; /* bytes of data; direct I/O may read more */
    struct gsi_reader_slot *next;
};

/* State of a buffer while the reader fills it. */
struct fill_state {
    uint64_t requested_bytes;
    uint32_t read_count; /* transfers in progress */
    const uint8_t *from; /* the data of the array to copy */
};
GSI_HOLDER_STATE(fill_state_of, struct fill_state)

void gsi_reader_lay_out(struct gsi_reader *reader, uint32_t reads, struct gsi_bump *bump)
{
    *reader = (struct gsi_reader){.slot_count = reads};
    gsi_buffer_list_init(&reader->given);
    GSI_BUMP_ALLOC(bump, reader->slots, reader->slot_count);
    for (uint32_t i = 0; reader->slots != NULL && i < reader->slot_count; i++) {
        reader->slots[i].reader = reader;
        reader->slots[i].next = reader->free_slots;
        reader->free_slots = &reader->slots[i];
    }
}

void gsi_reader_add(struct gsi_reader *reader, struct gsi_buffer *buffer)
{
    buffer->bytes = 0;
    if (reader->inputs->is_lent)
        buffer->data = buffer->memory;
    *fill_state_of(buffer) = (struct fill_state){0};
    gsi_buffer_list_push(&reader->given, buffer);
    if (reader->filling == NULL)
        reader->filling = buffer;
}

/* Closes an input until it is needed again, if the reader has requested all of it and no transfer
 * is in progress. */
static void close_read_input(struct gsi_reader *reader, size_t input_idx)
{
    for (uint32_t i = 0; i < reader->slot_count; i++)
        if (reader->slots[i].is_busy && reader->slots[i].input_idx == input_idx)
            return;
    if (reader->inputs->are_many && input_idx < reader->input_idx)
        gsi_input_close_for_now(&reader->inputs->table[input_idx]);
}

static void next_input(struct gsi_reader *reader)
{
    reader->input_idx++;
    reader->input_off = 0;
    reader->is_end = reader->input_idx == reader->inputs->count;
    close_read_input(reader, reader->input_idx - 1);
}

/* Checks the length of a stream that has ended, and goes to the next input. */
static void end_stream(struct gsi_reader *reader, struct gsi_input *input,
                       struct gsi_buffer *buffer)
{
    uint64_t left = gsi_inputs_drop_tail(reader->inputs, input, reader->input_off);
    reader->input_off -= left;
    reader->inputs->data_bytes -= left;
    fill_state_of(buffer)->requested_bytes -= left;
    buffer->bytes -= left;
    input->bytes = reader->input_off;
    if (gsi_header_check_end(reader->inputs, input, input->bytes) == GS_OK)
        next_input(reader);
}

/* Adds bytes that were read to a buffer, after removing header bytes. */
static void add_bytes(struct gsi_reader *reader, struct gsi_input *input, struct gsi_buffer *buffer,
                      uint64_t bytes)
{
    bytes = gsi_header_strip(reader->inputs, input,
                             buffer->data + fill_state_of(buffer)->requested_bytes, bytes);
    reader->input_off += bytes;
    reader->inputs->data_bytes += bytes;
    fill_state_of(buffer)->requested_bytes += bytes;
    buffer->bytes += bytes;
}

static void block_done(struct gsi_io *io)
{
    struct gsi_reader_slot *slot = GSI_CONTAINER_OF(io, struct gsi_reader_slot, io);
    struct gsi_reader *reader = slot->reader;
    struct gsi_inputs *inputs = reader->inputs;
    struct gsi_input *input = &inputs->table[slot->input_idx];
    bool is_good = gsi_loop_io_done(inputs->loop, io, input->name);
    slot->is_busy = false;
    slot->next = reader->free_slots;
    reader->free_slots = slot;
    fill_state_of(slot->buffer)->read_count--;
    if (!is_good)
        return;
    close_read_input(reader, slot->input_idx);
    uint64_t moved = io->moved > slot->lead_bytes ? io->moved - slot->lead_bytes : 0;
    moved = gsi_min_u64(moved, slot->wanted_bytes);
    if (input->coding == GSI_CODING_NONE) {
        gsi_loop_phase_counts(inputs->loop)->bytes_read += moved;
        inputs->loop->done_bytes += moved;
    }
    if (input->is_stream) {
        reader->is_stream_busy = false;
        add_bytes(reader, input, slot->buffer, moved);
        if (moved < slot->wanted_bytes)
            end_stream(reader, input, slot->buffer);
        return;
    }
    slot->buffer->bytes += moved;
    inputs->data_bytes += moved;
    if (moved < slot->wanted_bytes)
        gsi_fail(inputs->loop->error, GS_E_INPUT, 0, "'%s': the file shrank while it was read",
                 input->name);
}

static uint64_t file_off(const struct gsi_reader *reader)
{
    return reader->inputs->table[reader->input_idx].base_off + reader->input_off;
}

/* Places records for direct I/O: their data have the same offset in a page of the buffer as in the
 * file. So whole pages can be read, with bytes of the file before and after the records. */
static void align_records(struct gsi_reader *reader)
{
    struct gsi_buffer *buffer = reader->filling;
    if (buffer->tags != NULL && fill_state_of(buffer)->requested_bytes == 0)
        buffer->data = buffer->page + file_off(reader) % GSI_DIRECT_ALIGN;
}

/* Returns whether a block can be read by direct I/O, in whole pages. The last page may extend into
 * the unused bytes of a buffer of records, or, for the last file, into the rest of the buffer. (For
 * any other file it would overwrite the data of the next file.) Compressed inputs are not read
 * here. */
static bool is_direct_block(const struct gsi_reader *reader, uint64_t bytes, uint64_t lead_bytes)
{
    const struct gsi_input *input = &reader->inputs->table[reader->input_idx];
    struct gsi_buffer *buffer = reader->filling;
    uint64_t room = buffer->capacity - fill_state_of(buffer)->requested_bytes;
    bool ends_whole = (file_off(reader) + bytes) % GSI_DIRECT_ALIGN == 0;
    bool is_last =
        reader->input_off + bytes == input->bytes && reader->input_idx + 1 == reader->inputs->count;
    bool has_spare = buffer->tags != NULL && (is_last || bytes == room);
    bool has_room = is_last && gsi_round_up_u64(bytes, GSI_DIRECT_ALIGN) <= room;
    return input->direct_fd >= 0 && input->coding == GSI_CODING_NONE &&
           ((uintptr_t)(buffer->data + fill_state_of(buffer)->requested_bytes) - lead_bytes) %
                   GSI_DIRECT_ALIGN ==
               0 &&
           (lead_bytes == 0 ||
            (buffer->tags != NULL && fill_state_of(buffer)->requested_bytes == 0)) &&
           (ends_whole || has_spare || has_room);
}

static void prepare_transfer(struct gsi_reader *reader, struct gsi_reader_slot *slot,
                             uint64_t bytes)
{
    const struct gsi_input *input = &reader->inputs->table[reader->input_idx];
    struct gsi_buffer *buffer = reader->filling;
    uint64_t off = file_off(reader), lead_bytes = off % GSI_DIRECT_ALIGN;
    bool is_direct = is_direct_block(reader, bytes, lead_bytes);
    lead_bytes = is_direct ? lead_bytes : 0;
    slot->buffer = buffer;
    slot->input_idx = reader->input_idx;
    slot->lead_bytes = lead_bytes;
    slot->wanted_bytes = bytes;
    slot->io = (struct gsi_io){
        .op = GSI_IO_READ,
        .fd = is_direct ? input->direct_fd : input->fd,
        .data = buffer->data + fill_state_of(buffer)->requested_bytes - lead_bytes,
        .bytes = is_direct ? gsi_round_up_u64(lead_bytes + bytes, GSI_DIRECT_ALIGN) : bytes,
        .off = input->is_stream ? GSI_IO_STREAM : off - lead_bytes,
        .is_copy = !is_direct && !input->is_stream,
        .done = block_done};
}

static uint64_t block_bytes(const struct gsi_reader *reader)
{
    const struct gsi_input *input = &reader->inputs->table[reader->input_idx];
    uint64_t chunk = reader->inputs->loop->plan->chunk_bytes;
    bool is_copy = input->is_stream || !input->is_direct;
    return gsi_clamp_u64(
        gsi_round_down_u64(is_copy ? chunk / GSI_READER_COPY_PART : chunk, GSI_DIRECT_ALIGN),
        GSI_DIRECT_ALIGN, BLOCK_BYTES);
}

static void request_block(struct gsi_reader *reader)
{
    const struct gsi_input *input = &reader->inputs->table[reader->input_idx];
    struct gsi_buffer *buffer = reader->filling;
    uint64_t room = buffer->capacity - fill_state_of(buffer)->requested_bytes,
             block = block_bytes(reader);
    uint64_t bytes = gsi_min_u64(block, room);
    align_records(reader);
    if (buffer->tags != NULL) /* let the next block begin at a page */
        bytes = gsi_min_u64(block - file_off(reader) % GSI_DIRECT_ALIGN, room);
    if (!input->is_stream)
        bytes = gsi_min_u64(bytes, input->bytes - reader->input_off);
    struct gsi_reader_slot *slot = reader->free_slots;
    reader->free_slots = slot->next;
    slot->is_busy = true;
    prepare_transfer(reader, slot, bytes);
    fill_state_of(buffer)->read_count++;
    if (input->is_stream) {
        reader->is_stream_busy = true;
    } else {
        fill_state_of(buffer)->requested_bytes += bytes;
        reader->input_off += bytes;
    }
    if (input->coding != GSI_CODING_NONE)
        gsi_frames_reader_submit(reader->inputs->unpack, &reader->inputs->table[reader->input_idx],
                                 &slot->io);
    else
        gsi_loop_submit(reader->inputs->loop, &slot->io);
}

/* ---- arrays ---- */

/* Copies a part of an array into a buffer, on any thread, because one thread alone would be too
 * slow. If nothing changes the buffers (is_lent), their data point into the array instead. */
static void copy_array(struct gsi_task *task, uint32_t worker_idx)
{
    (void)worker_idx;
    struct gsi_buffer *buffer = gsi_buffer_of_task(task);
    memcpy(buffer->data, fill_state_of(buffer)->from, buffer->bytes);
}

static void copy_done(struct gsi_task *task)
{
    struct gsi_buffer *buffer = gsi_buffer_of_task(task);
    fill_state_of(buffer)->read_count--;
}

static void request_array(struct gsi_reader *reader)
{
    struct gsi_inputs *inputs = reader->inputs;
    const struct gsi_input *input = &inputs->table[reader->input_idx];
    struct gsi_buffer *buffer = reader->filling;
    uint64_t bytes = gsi_min_u64(buffer->capacity, input->bytes - reader->input_off);
    const uint8_t *from = input->array->from + input->base_off + reader->input_off;
    reader->input_off += bytes;
    inputs->data_bytes += bytes;
    inputs->loop->done_bytes += bytes;
    gsi_loop_phase_counts(inputs->loop)->bytes_read += bytes;
    buffer->bytes = fill_state_of(buffer)->requested_bytes = bytes;
    if (inputs->is_lent) {
        buffer->data = (uint8_t *)from; /* nothing writes to it */
        return;
    }
    fill_state_of(buffer)->from = from;
    fill_state_of(buffer)->read_count++;
    buffer->holder = reader;
    buffer->task = (struct gsi_task){.run = copy_array, .done = copy_done, .is_urgent = true};
    gsi_pool_submit(inputs->loop->pool, &buffer->task);
}

/* ---- all inputs ---- */

static void sniff_done(struct gsi_sniff *sniff)
{
    struct gsi_reader *reader = GSI_CONTAINER_OF(sniff, struct gsi_reader, sniff);
    reader->is_stream_busy = false;
    gsi_header_skip(sniff->inputs, sniff->input); /* a failure is recorded; gsi_loop_wait returns
                                                   * it */
}

/* Copies the first bytes of a stream, which were read when it was inspected. */
static void copy_head(struct gsi_reader *reader, struct gsi_input *input)
{
    struct gsi_buffer *buffer = reader->filling;
    struct gsi_inputs *inputs = reader->inputs;
    uint64_t bytes =
        gsi_header_copy_head(input, buffer->data + fill_state_of(buffer)->requested_bytes,
                             buffer->capacity - fill_state_of(buffer)->requested_bytes);
    add_bytes(reader, input, buffer, bytes);
    inputs->loop->done_bytes += bytes;
    gsi_loop_phase_counts(inputs->loop)->bytes_read += bytes;
}

bool gsi_reader_pump(struct gsi_reader *reader)
{
    bool has_moved = false;
    while (!reader->is_end && !reader->is_stream_busy &&
           !gsi_loop_has_failed(reader->inputs->loop)) {
        struct gsi_input *input = &reader->inputs->table[reader->input_idx];
        if (reader->input_off == input->bytes && input->skip_bytes == 0) {
            /* Don't probe for the end when the size is known; no buffer may be free. */
            if (input->is_stream &&
                gsi_header_check_end(reader->inputs, input, input->bytes) != GS_OK)
                break;
            next_input(reader);
        } else if (reader->filling == NULL || reader->free_slots == NULL)
            break;
        else if (fill_state_of(reader->filling)->requested_bytes == reader->filling->capacity)
            reader->filling = reader->filling->next;
        else if (!input->is_sniffed) {
            reader->is_stream_busy = true;
            gsi_sniff_start(&reader->sniff, reader->inputs, input, sniff_done);
            has_moved = true;
        } else if (input->coding == GSI_CODING_NONE && input->head_off < input->head_bytes)
            copy_head(reader, input);
        else if (gsi_input_reopen(input, reader->inputs->loop->error) != GS_OK)
            break; /* gsi_loop_wait finds the failure */
        else {
            (input->array != NULL ? request_array : request_block)(reader);
            has_moved = true;
        }
    }
    return has_moved;
}

struct gsi_buffer *gsi_reader_next(struct gsi_reader *reader)
{
    struct gsi_buffer *buffer = reader->given.head;
    if (buffer == NULL || fill_state_of(buffer)->read_count > 0)
        return NULL;
    if (fill_state_of(buffer)->requested_bytes < buffer->capacity && !reader->is_end)
        return NULL;
    gsi_buffer_list_pop(&reader->given);
    if (reader->filling == buffer)
        reader->filling = reader->given.head;
    return buffer;
}

void gsi_reader_skip(struct gsi_reader *reader, uint64_t bytes)
{
    struct gsi_inputs *inputs = reader->inputs;
    inputs->data_bytes += bytes;
    inputs->loop->done_bytes += bytes;
    while (bytes > 0 && !reader->is_end) {
        uint64_t step = gsi_min_u64(bytes, inputs->table[reader->input_idx].bytes);
        reader->input_off = step;
        bytes -= step;
        if (bytes > 0)
            next_input(reader);
    }
}

bool gsi_reader_has_data(const struct gsi_reader *reader)
{
    return !reader->is_end ||
           (reader->given.head != NULL && fill_state_of(reader->given.head)->requested_bytes > 0);
}
