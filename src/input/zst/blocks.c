/* blocks.c: implements the ring of blocks: requests and consumes them in the same order. */
#include "input/zst/blocks.h"

#include "base/checked.h"

#include <string.h>

void gsi_zst_blocks_init(struct gsi_zst_blocks *reader, struct gsi_loop *loop, uint8_t *memory,
                         void (*moved)(void *context), void *context)
{
    *reader = (struct gsi_zst_blocks){.loop = loop, .moved = moved, .context = context};
    for (uint32_t i = 0; i < GSI_ZST_BLOCK_COUNT; i++)
        reader->blocks[i] =
            (struct gsi_zst_block){.reader = reader, .data = memory + i * GSI_ZST_BLOCK_BYTES};
}

void gsi_zst_blocks_begin(struct gsi_zst_blocks *reader, struct gsi_input *input)
{
    reader->input = input;
    reader->requested_bytes = reader->used_bytes = 0;
    reader->read_idx = reader->front_idx = 0;
    reader->is_all_requested = false;
}

static bool is_file(const struct gsi_zst_blocks *reader)
{
    return reader->input->file_bytes != UINT64_MAX;
}

static struct gsi_zst_block *block_at(struct gsi_zst_blocks *reader, uint64_t idx)
{
    return &reader->blocks[idx % GSI_ZST_BLOCK_COUNT];
}

static void read_done(struct gsi_io *io)
{
    struct gsi_zst_block *block = GSI_CONTAINER_OF(io, struct gsi_zst_block, io);
    struct gsi_zst_blocks *reader = block->reader;
    struct gsi_loop *loop = reader->loop;
    bool is_good = gsi_loop_io_done(loop, io, reader->input->name);
    block->bytes = gsi_min_u64(io->moved, block->wanted);
    block->is_full = true;
    if (is_good && io->off == GSI_IO_STREAM)
        reader->is_all_requested = block->bytes < block->wanted;
    else if (is_good && block->bytes < block->wanted)
        gsi_fail(loop->error, GS_E_INPUT, 0, "'%s': the file shrank while it was read",
                 reader->input->name);
    if (is_good) {
        gsi_loop_phase_counts(loop)->bytes_read += block->bytes;
        loop->done_bytes += block->bytes;
    }
    reader->moved(reader->context);
}

/* Copies the first bytes of a stream (input->head), which were read to inspect it. */
static void copy_head(struct gsi_zst_blocks *reader, struct gsi_zst_block *block)
{
    struct gsi_input *input = reader->input;
    struct gsi_loop *loop = reader->loop;
    block->bytes = gsi_min_u64(GSI_ZST_BLOCK_BYTES, input->head_bytes - input->head_off);
    memcpy(block->data, input->head + input->head_off, block->bytes);
    input->head_off += block->bytes;
    block->is_full = true;
    gsi_loop_phase_counts(loop)->bytes_read += block->bytes;
}

static void request_block(struct gsi_zst_blocks *reader, struct gsi_zst_block *block)
{
    const struct gsi_input *input = reader->input;
    uint64_t off = input->base_off + reader->requested_bytes;
    block->wanted = GSI_ZST_BLOCK_BYTES;
    if (is_file(reader))
        block->wanted = gsi_min_u64(block->wanted, input->file_bytes - reader->requested_bytes);
    reader->requested_bytes += block->wanted;
    bool is_direct = input->direct_fd >= 0 && off % GSI_DIRECT_ALIGN == 0;
    block->io = (struct gsi_io){
        .op = GSI_IO_READ,
        .fd = is_direct ? input->direct_fd : input->fd,
        .data = block->data,
        .bytes = is_direct ? gsi_round_up_u64(block->wanted, GSI_DIRECT_ALIGN) : block->wanted,
        .off = is_file(reader) ? off : GSI_IO_STREAM,
        .is_copy = is_file(reader) && !is_direct,
        .done = read_done};
    gsi_loop_submit(reader->loop, &block->io);
}

/* Returns whether a read of a stream is in progress. Only one may be, because its result tells
 * whether the stream has ended. */
static bool is_waiting(struct gsi_zst_blocks *reader)
{
    return !is_file(reader) && reader->read_idx != reader->front_idx &&
           !block_at(reader, reader->read_idx - 1)->is_full;
}

bool gsi_zst_blocks_pump(struct gsi_zst_blocks *reader)
{
    const struct gsi_input *input = reader->input;
    bool has_moved = false;
    while (!reader->is_all_requested &&
           reader->read_idx - reader->front_idx < GSI_ZST_BLOCK_COUNT) {
        bool has_head = input->head_off < input->head_bytes;
        if (is_file(reader) && reader->requested_bytes == input->file_bytes)
            reader->is_all_requested = true;
        if (reader->is_all_requested || (!has_head && is_waiting(reader)))
            break;
        struct gsi_zst_block *block = block_at(reader, reader->read_idx++);
        block->is_full = false;
        block->used = 0;
        if (has_head)
            copy_head(reader, block);
        else
            request_block(reader, block);
        has_moved = true;
    }
    return has_moved;
}

const uint8_t *gsi_zst_blocks_front(struct gsi_zst_blocks *reader, uint64_t *bytes)
{
    for (; reader->front_idx != reader->read_idx; reader->front_idx++) {
        const struct gsi_zst_block *block = block_at(reader, reader->front_idx);
        if (!block->is_full)
            return NULL;
        *bytes = block->bytes - block->used;
        if (*bytes > 0)
            return block->data + block->used;
    }
    return NULL;
}

void gsi_zst_blocks_consume(struct gsi_zst_blocks *reader, uint64_t bytes)
{
    block_at(reader, reader->front_idx)->used += bytes;
    reader->used_bytes += bytes;
}

bool gsi_zst_blocks_is_end(struct gsi_zst_blocks *reader)
{
    uint64_t bytes;
    return gsi_zst_blocks_front(reader, &bytes) == NULL && reader->is_all_requested &&
           reader->front_idx == reader->read_idx;
}

bool gsi_zst_blocks_is_idle(const struct gsi_zst_blocks *reader)
{
    for (uint64_t i = reader->front_idx; i != reader->read_idx; i++)
        if (!reader->blocks[i % GSI_ZST_BLOCK_COUNT].is_full)
            return false;
    return true;
}
