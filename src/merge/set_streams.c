/* set_streams.c: copies streams to files block by block, with one block of each stream in
 * flight. */
#include "merge/set_streams.h"

#include "base/assert.h"
#include "base/checked.h"
#include "input/header.h"

#include <string.h>
#include <unistd.h>

/* Size of a block: 64 streams need 8 MiB. */
#define BLOCK_BYTES GSI_CONSTANT((size_t)128 << 10, (size_t)4 << 10)

/* ---- the digest ---- */

/* Returns the digest of bytes within one word. */
static gsi_u128 word_digest(uint64_t off, const uint8_t *data, uint64_t bytes)
{
    const uint64_t idx = off / sizeof(uint64_t), x = (idx + 1) * 0x9e3779b97f4a7c15u;
    uint64_t word = 0;
    memcpy((uint8_t *)&word + off % sizeof word, data, bytes);
    return (gsi_u128)word * ((x ^ x >> 29) | 1);
}

void gsi_set_digest_add(struct gsi_set_digest *digest, uint64_t off, const uint8_t *data,
                        uint64_t bytes)
{
    const uint64_t word = sizeof(uint64_t);
    uint64_t at = gsi_min_u64(bytes, -off % word);
    gsi_u128 sum = at > 0 ? word_digest(off, data, at) : 0;
    for (; bytes - at >= word; at += word)
        sum += word_digest(off + at, data + at, word);
    if (at < bytes)
        sum += word_digest(off + at, data + at, bytes - at);
    digest->sum += sum;
    digest->bytes += bytes;
}

/* ---- copies ---- */

struct copies {
    struct gsi_inputs *inputs;
    const char *directory;
    size_t open_streams; /* number of streams that have not ended */
    bool is_done;
};

struct copy {
    struct gsi_io io;
    struct copies *copies;
    struct gsi_input *input;
    int fd; /* of the copy; -1: closed */
    struct gsi_set_digest written;
    uint8_t block[BLOCK_BYTES];
};

static void block_read(struct gsi_io *io);

static void start_block_read(struct copy *copy)
{
    copy->io = (struct gsi_io){.op = GSI_IO_READ,
                               .fd = copy->input->fd,
                               .data = copy->block,
                               .bytes = sizeof copy->block,
                               .off = GSI_IO_STREAM,
                               .done = block_read};
    gsi_loop_submit(copy->copies->inputs->loop, &copy->io);
}

/* Appends the block's `bytes` bytes to the copy, without bytes of the stream's header. */
static enum gs_status write_block(struct copy *copy, size_t bytes)
{
    struct gsi_inputs *inputs = copy->copies->inputs;
    uint64_t data = gsi_header_strip(inputs, copy->input, copy->block, bytes);
    int sys_errno = gsi_file_write(copy->fd, copy->block, data, copy->written.bytes);
    gsi_set_digest_add(&copy->written, copy->written.bytes, copy->block, data);
    return sys_errno == 0
               ? GS_OK
               : gsi_fail(inputs->loop->error, gsi_status_of_errno(sys_errno), sys_errno,
                          "'%s': cannot copy the stream '%s' here for the set operation; "
                          "name another directory with -T",
                          copy->copies->directory, copy->input->name);
}

static void block_read(struct gsi_io *io)
{
    struct copy *copy = GSI_CONTAINER_OF(io, struct copy, io);
    struct copies *copies = copy->copies;
    if (!gsi_loop_io_done(copies->inputs->loop, io, copy->input->name) ||
        write_block(copy, io->moved) != GS_OK)
        return;
    if (io->moved == io->bytes)
        start_block_read(copy);
    else
        copies->is_done = --copies->open_streams == 0;
}

/* Starts to copy a stream: opens a temporary file, and writes the bytes that were already read to
 * recognise the format. */
static enum gs_status begin_copy(struct copies *copies, struct gsi_input *input, struct copy **out)
{
    struct gs_error *error = copies->inputs->loop->error;
    bool is_direct;
    GSI_TRY(GSI_NEW(&copies->inputs->loop->ledger, *out, 1, error));
    struct copy *copy = *out;
    copy->copies = copies;
    copy->input = input;
    copy->fd = -1;
    GSI_TRY(gsi_temp_open(copies->directory, &copy->fd, &is_direct, error));
    gsi_file_disable_direct(copy->fd);
    for (size_t bytes; (bytes = gsi_header_copy_head(input, copy->block, BLOCK_BYTES)) > 0;)
        GSI_TRY(write_block(copy, bytes));
    copies->open_streams++;
    start_block_read(copy);
    return GS_OK;
}

static enum gs_status finish_copy(struct copies *copies, struct copy *copy)
{
    struct gsi_input *input = copy->input;
    if (input->skip_bytes > 0)
        return gsi_header_check_end(copies->inputs, input, copy->written.bytes);
    gsi_input_replace(input, copy->fd, copy->written.bytes);
    copy->fd = -1;
    return GS_OK;
}

static enum gs_status copy_all(struct copies *copies, struct copy **table,
                               struct gsi_set_digest *written)
{
    struct gsi_inputs *inputs = copies->inputs;
    for (size_t i = 0; i < inputs->count; i++)
        if (inputs->table[i].is_stream)
            GSI_TRY(begin_copy(copies, &inputs->table[i], &table[i]));
    if (copies->open_streams > 0)
        GSI_TRY(gsi_loop_wait_until(inputs->loop, &copies->is_done));
    for (size_t i = 0; i < inputs->count; i++)
        if (table[i] != NULL) {
            GSI_TRY(finish_copy(copies, table[i]));
            written[i] = table[i]->written;
        }
    return GS_OK;
}

static void free_copy(struct copies *copies, struct copy *copy)
{
    if (copy != NULL && copy->fd >= 0)
        close(copy->fd);
    GSI_FREE(&copies->inputs->loop->ledger, copy, 1);
}

enum gs_status gsi_set_streams_copy(struct gsi_inputs *inputs, const char *path,
                                    const char *temp_dir, struct gsi_set_digest *written)
{
    struct gsi_loop *loop = inputs->loop;
    struct copies copies = {.inputs = inputs};
    struct gsi_output output;
    struct copy **table;
    GSI_TRY(GSI_NEW(&loop->ledger, table, inputs->count, loop->error));
    enum gs_status status = gsi_output_locate(path, &output, loop->error);
    if (status == GS_OK) {
        copies.directory = temp_dir != NULL           ? temp_dir
                           : output.directory != NULL ? output.directory
                                                      : gsi_temp_directory();
        status = copy_all(&copies, table, written);
        if (status != GS_OK)
            gsi_loop_drain(loop);
        gsi_output_close(&output);
    }
    for (size_t i = 0; i < inputs->count; i++)
        free_copy(&copies, table[i]);
    GSI_FREE(&loop->ledger, table, inputs->count);
    return status;
}
