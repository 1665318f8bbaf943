/* file_reader.c: reads blocks of files and streams. */
#include "input/file_reader.h"

#include "base/checked.h"
#include "input/header.h"
#include "plan/plan.h"

static bool is_direct(const struct gsi_layout *layout, const struct gsi_input *input, uint64_t off)
{
    return input->is_direct && (input->base_off + off) % layout->align_bytes == 0;
}

/* Direct I/O places data in the buffer as they are in the page. So numbers must be at multiples of
 * their size in the file; records need not be. */
bool gsi_file_reader_is_direct(const struct gsi_layout *layout, const struct gsi_input *input)
{
    return is_direct(layout, input, 0);
}

void gsi_file_reader_init(struct gsi_file_reader *reader, struct gsi_inputs *inputs,
                          const struct gsi_extent *extent,
                          void (*done)(struct gsi_file_reader *reader, struct gsi_buffer *block))
{
    const struct gsi_plan *plan = inputs->loop->plan;
    struct gsi_input *input = extent->input;
    *reader = (struct gsi_file_reader){
        .inputs = inputs, .input = input, .off = extent->off, .bytes = extent->bytes, .done = done};
    reader->block_bytes = gsi_plan_chunk_capacity(plan, plan->frame_bytes);
    reader->is_direct = !input->is_stream && is_direct(inputs->loop->layout, input, extent->off);
    reader->is_end = extent->bytes == 0;
    /* Direct I/O reads whole pages around a block. Buffers of records have unused bytes for that.
     * Blocks of numbers are a page shorter, unless they begin at a page. */
    if (!reader->is_direct || plan->record_bytes > 0 ||
        (input->base_off + extent->off) % GSI_DIRECT_ALIGN == 0)
        return;
    if (reader->block_bytes > GSI_DIRECT_ALIGN)
        reader->block_bytes -= GSI_DIRECT_ALIGN;
    else
        reader->is_direct = false;
}

/* ---- files ---- */

static void block_done(struct gsi_io *io)
{
    struct gsi_buffer *buffer = gsi_buffer_of_io(io);
    struct gsi_file_reader *reader = buffer->holder;
    struct gsi_inputs *inputs = reader->inputs;
    size_t lead_bytes = (size_t)(buffer->data - (uint8_t *)io->data);
    if (!gsi_loop_io_done(inputs->loop, io, reader->input->name))
        return;
    if (io->moved < lead_bytes + buffer->bytes) {
        gsi_input_fail_short(reader->input, inputs->loop->error);
        return;
    }
    gsi_loop_phase_counts(inputs->loop)->bytes_read += buffer->bytes;
    if (--reader->reading_count == 0 && inputs->are_many)
        gsi_input_close_for_now(reader->input);
    reader->done(reader, buffer);
}

static void read_file(struct gsi_file_reader *reader, struct gsi_buffer *buffer)
{
    const struct gsi_input *input = reader->input;
    uint64_t off = input->base_off + reader->off + reader->requested_bytes;
    size_t lead_bytes = reader->is_direct ? off % GSI_DIRECT_ALIGN : 0;
    if (gsi_input_reopen(reader->input, reader->inputs->loop->error) != GS_OK)
        return; /* the failure is recorded; gsi_loop_wait returns it */
    buffer->data = buffer->memory + lead_bytes;
    buffer->bytes = gsi_min_u64(reader->block_bytes, reader->bytes - reader->requested_bytes);
    reader->requested_bytes += buffer->bytes;
    reader->is_end = reader->requested_bytes == reader->bytes;
    size_t wanted = lead_bytes + buffer->bytes;
    buffer->io = (struct gsi_io){
        .op = GSI_IO_READ,
        .fd = reader->is_direct ? input->direct_fd : input->fd,
        .data = buffer->memory,
        .bytes = reader->is_direct ? gsi_round_up_u64(wanted, GSI_DIRECT_ALIGN) : wanted,
        .off = off - lead_bytes,
        .is_copy = !reader->is_direct,
        .done = block_done};
    gsi_loop_submit(reader->inputs->loop, &buffer->io);
}

/* ---- streams ---- */

static void read_stream(struct gsi_file_reader *reader, struct gsi_buffer *buffer);

static void end_stream(struct gsi_file_reader *reader, struct gsi_buffer *buffer)
{
    uint64_t left = gsi_inputs_drop_tail(reader->inputs, reader->input, reader->requested_bytes);
    reader->requested_bytes -= left;
    buffer->bytes -= left;
    reader->is_end = true;
    gsi_header_check_end(reader->inputs, reader->input, reader->requested_bytes);
}

/* Adds bytes that were read to the block, after removing header bytes. */
static void add_bytes(struct gsi_file_reader *reader, struct gsi_buffer *buffer, uint64_t bytes)
{
    if (reader->unpack == NULL) /* a frames reader counts its own reads */
        gsi_loop_phase_counts(reader->inputs->loop)->bytes_read += bytes;
    bytes = gsi_header_strip(reader->inputs, reader->input, buffer->data + buffer->bytes, bytes);
    buffer->bytes += bytes;
    reader->requested_bytes += bytes;
}

static void stream_done(struct gsi_io *io)
{
    struct gsi_buffer *buffer = gsi_buffer_of_io(io);
    struct gsi_file_reader *reader = buffer->holder;
    if (!gsi_loop_io_done(reader->inputs->loop, io, reader->input->name))
        return;
    add_bytes(reader, buffer, io->moved);
    if (io->moved < io->bytes)
        end_stream(reader, buffer);
    if (reader->inputs->loop->error->status != GS_OK)
        return;
    if (!reader->is_end && buffer->bytes < reader->block_bytes) {
        read_stream(reader, buffer);
        return;
    }
    reader->reading_count--;
    reader->done(reader, buffer);
}

/* Reads the rest of a block. First copies the stream's first bytes (input->head), which were read
 * when the stream was inspected. If the stream is compressed, the frames reader copies them. */
static void read_stream(struct gsi_file_reader *reader, struct gsi_buffer *buffer)
{
    struct gsi_input *input = reader->input;
    while (reader->unpack == NULL && input->head_off < input->head_bytes &&
           buffer->bytes < reader->block_bytes)
        add_bytes(reader, buffer,
                  gsi_header_copy_head(input, buffer->data + buffer->bytes,
                                       reader->block_bytes - buffer->bytes));
    buffer->io = (struct gsi_io){.op = GSI_IO_READ,
                                 .fd = input->fd,
                                 .data = buffer->data + buffer->bytes,
                                 .bytes = reader->block_bytes - buffer->bytes,
                                 .off = GSI_IO_STREAM,
                                 .done = stream_done};
    if (reader->unpack == NULL)
        gsi_loop_submit(reader->inputs->loop, &buffer->io);
    else if (gsi_input_reopen(input, reader->inputs->loop->error) == GS_OK)
        gsi_frames_reader_submit(reader->unpack, input, &buffer->io);
}

void gsi_file_reader_start(struct gsi_file_reader *reader, struct gsi_buffer *buffer)
{
    buffer->holder = reader;
    reader->reading_count++;
    if (!reader->input->is_stream) {
        read_file(reader, buffer);
        return;
    }
    buffer->data = buffer->memory;
    buffer->bytes = 0;
    read_stream(reader, buffer);
}
