/* header.c: inspects inputs, skips and copies headers, and opens the reader of compressed
 * inputs. */
#include "input/header.h"

#include "base/checked.h"
#include "element/number_type.h"
#include "input/format/format.h"
#include "input/inputs.h"
#include "input/sniff.h"
#include "input/zst/frames_reader.h"

#include <stdlib.h>
#include <string.h>

/* The plan allocates at least WINDOW_BYTES for zstd's window, but at most memory / WINDOW_DIVISOR.
 * Files of zstd(1) up to level 19, without --long, need no more. Later frames may need more than
 * the first one, which was inspected. */
#define WINDOW_BYTES   ((uint64_t)8 << 20)
#define WINDOW_DIVISOR 8

static void sniff_done(struct gsi_sniff *sniff)
{
    (void)sniff;
}

/* Stores bytes of the first input's header for the output, if --header copies them. */
static void save_header_bytes(struct gsi_inputs *inputs, const struct gsi_input *input,
                              const uint8_t *data, uint64_t bytes)
{
    if (input != inputs->table || inputs->spec->kept_header_bytes == 0 ||
        inputs->header.data == NULL)
        return;
    memcpy(inputs->header.data + inputs->header.bytes, data, bytes);
    inputs->header.bytes += bytes;
}

struct header_read {
    struct gsi_io io;
    struct gsi_inputs *inputs;
    struct gsi_input *input;
    bool is_done;
};

static void header_done(struct gsi_io *io)
{
    struct header_read *read = GSI_CONTAINER_OF(io, struct header_read, io);
    read->is_done = true;
    if (gsi_loop_io_done(read->inputs->loop, io, read->input->name)) {
        read->inputs->header.bytes += io->moved;
        read->input->skip_bytes -= io->moved;
    }
}

/* Reads the whole header of a stream, because a merge writes it before it reads elements. If the
 * stream ends within the header, the next read fails. */
static enum gs_status wait_for_header(struct gsi_inputs *inputs, struct gsi_input *input)
{
    enum gs_status status = GS_OK;
    struct header_read read = {.inputs = inputs, .input = input};
    uint64_t known = gsi_min_u64(input->head_bytes - input->head_off, input->skip_bytes);
    if (known > 0)
        save_header_bytes(inputs, input, input->head + input->head_off, known);
    input->head_off += known;
    input->skip_bytes -= known;
    if (input->skip_bytes == 0)
        return GS_OK;
    read.io = (struct gsi_io){.op = GSI_IO_READ,
                              .fd = input->fd,
                              .data = inputs->header.data + inputs->header.bytes,
                              .bytes = input->skip_bytes,
                              .off = GSI_IO_STREAM,
                              .done = header_done};
    gsi_loop_submit(inputs->loop, &read.io);
    status = gsi_loop_wait_until(inputs->loop, &read.is_done);
    if (status != GS_OK)
        gsi_loop_drain(inputs->loop);
    return status;
}

static enum gs_status inspect_input(struct gsi_inputs *inputs, struct gsi_input *input)
{
    struct gsi_sniff sniff;
    enum gs_status status = GS_OK;
    if (inputs->spec->has_region) { /* streams are refused later, after all inputs were inspected */
        input->is_sniffed = true;
        return input->is_stream ? GS_OK : gsi_range_select_bytes(inputs, input);
    }
    const bool is_later = inputs->has_stream;
    inputs->has_stream |= input->is_stream;
    bool is_asked = inputs->spec->inspects_readers && gsi_fd_is_callback(input->fd);
    input->is_sniffed =
        inputs->spec->is_raw || (input->is_stream && !is_asked && inputs->spec->skips_streams);
    if (input->is_sniffed)
        return gsi_header_skip(inputs, input);
    if (input->is_stream && is_later && !is_asked && !inputs->spec->is_merge)
        return GS_OK;
    gsi_sniff_start(&sniff, inputs, input, sniff_done);
    status = gsi_loop_wait_until(inputs->loop, &input->is_sniffed);
    if (status != GS_OK)
        gsi_loop_drain(inputs->loop);
    return status == GS_OK ? gsi_header_skip(inputs, input) : status;
}

enum gs_status gsi_header_inspect(struct gsi_inputs *inputs, struct gsi_input *input)
{
    enum gs_status status = inspect_input(inputs, input);
    bool is_wanted = inputs->spec->waits_for_header && input == inputs->table && input->is_stream &&
                     input->coding == GSI_CODING_NONE;
    return status == GS_OK && is_wanted ? wait_for_header(inputs, input) : status;
}

enum gs_status gsi_header_skip(struct gsi_inputs *inputs, struct gsi_input *input)
{
    enum gs_status status = inputs->loop->error->status;
    uint64_t header = inputs->spec->header_bytes;
    if (status != GS_OK || header == 0)
        return status;
    /* Read the header of a file now. A stream's header is read with its data. */
    bool is_kept = input == inputs->table && inputs->spec->kept_header_bytes > 0;
    if (is_kept && !input->is_stream && header <= input->bytes) {
        GSI_TRY(gsi_input_read(input, inputs->header.data, header, 0, inputs->loop->error));
        inputs->header.bytes = header;
    }
    GSI_TRY(gsi_input_skip(input, header, inputs->loop->error));
    return status;
}

uint64_t gsi_header_strip(struct gsi_inputs *inputs, struct gsi_input *input, uint8_t *data,
                          uint64_t bytes)
{
    uint64_t skipped = gsi_min_u64(bytes, input->skip_bytes);
    if (skipped == 0)
        return bytes;
    save_header_bytes(inputs, input, data, skipped);
    input->skip_bytes -= skipped;
    memmove(data, data + skipped, bytes - skipped);
    return bytes - skipped;
}

uint64_t gsi_header_copy_head(struct gsi_input *input, uint8_t *to, uint64_t room)
{
    uint64_t bytes = gsi_min_u64(input->head_bytes - input->head_off, room);
    memcpy(to, input->head + input->head_off, bytes);
    input->head_off += bytes;
    return bytes;
}

enum gs_status gsi_header_check_end(struct gsi_inputs *inputs, const struct gsi_input *input,
                                    uint64_t bytes)
{
    if (input->skip_bytes > 0)
        return gsi_fail(inputs->loop->error, GS_E_INPUT, 0,
                        "'%s': the input ends within its header, %llu bytes are missing",
                        input->name, (unsigned long long)input->skip_bytes);
    return gsi_inputs_check_whole(inputs, input, bytes);
}

enum gs_status gsi_header_allocate(struct gsi_inputs *inputs)
{
    uint64_t bytes = inputs->spec->header_bytes;
    if (bytes > GSI_HEADER_BYTES_MAX)
        return gsi_fail(inputs->loop->error, GS_E_USAGE, 0,
                        "--header: %llu bytes exceed the limit of %llu", (unsigned long long)bytes,
                        (unsigned long long)GSI_HEADER_BYTES_MAX);
    if (inputs->spec->kept_header_bytes == 0)
        return GS_OK;
    return GSI_NEW(NULL, inputs->header.data, bytes, inputs->loop->error);
}

enum gs_status gsi_header_check_dropped(const struct gsi_inputs *inputs)
{
    const struct gsi_inputs_spec *spec = inputs->spec;
    if (!spec->drops_header || spec->header_bytes > 0 || inputs->formatted != NULL)
        return GS_OK;
    return gsi_fail(inputs->loop->error, GS_E_USAGE, 0,
                    "--drop-header: '%s' has no known header; give its length with --header=N",
                    inputs->table[0].name);
}

/* Returns how many inputs are decompressed at the same time: in a merge all compressed inputs,
 * otherwise at most one. */
static uint64_t count_compressed(const struct gsi_inputs *inputs)
{
    uint64_t count = 0;
    for (size_t i = 0; i < inputs->count; i++) {
        const struct gsi_input *input = &inputs->table[i];
        count += input->coding != GSI_CODING_NONE || !input->is_sniffed;
    }
    return inputs->spec->is_merge ? count : gsi_min_u64(count, 1);
}

uint64_t gsi_header_plan(const struct gsi_inputs *inputs, bool is_reread,
                         const struct gsi_budget *budget, struct gsi_input_plan *plan)
{
    uint64_t count = count_compressed(inputs);
    uint64_t window = gsi_min_u64(WINDOW_BYTES, budget->memory_bytes / WINDOW_DIVISOR);
    for (size_t i = 0; i < inputs->count; i++)
        window = gsi_max_u64(window, inputs->table[i].window_bytes);
    plan->is_shared = is_reread || (!inputs->spec->is_merge && count > 0);
    count += is_reread && (inputs->spec->is_merge || count == 0);
    if (count == 0)
        return inputs->spec->kept_header_bytes;
    const uint64_t slot =
        gsi_frames_reader_make_plan(0, 2).bump.bytes - gsi_frames_reader_make_plan(0, 1).bump.bytes;
    plan->unpack = gsi_frames_reader_make_plan(
        window, gsi_zst_slots_fitting(slot, budget->memory_bytes / count, budget->thread_count));
    return gsi_add_max_u64(inputs->spec->kept_header_bytes,
                           gsi_mul_max_u64(count, plan->unpack.bump.bytes));
}

enum gs_status gsi_header_open_unpacker(struct gsi_inputs *inputs)
{
    return inputs->plan->is_shared
               ? gsi_frames_reader_open(&inputs->unpack, inputs->loop, &inputs->plan->unpack)
               : GS_OK;
}

void gsi_header_close(struct gsi_inputs *inputs)
{
    gsi_frames_reader_close(inputs->unpack);
    free(inputs->header.data);
    gsi_format_close(inputs);
}

enum gs_status gsi_header_make(struct gsi_inputs *inputs, uint64_t count)
{
    return gsi_format_make_header(inputs, count);
}
