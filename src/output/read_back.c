/* read_back.c: scans the output, or the files that it was split into, like inputs.
 *
 * Reading back runs on the job's threads, whatever device sorted: a device would not find what it
 * did wrong twice. */
#include "output/read_back.h"

#include "base/assert.h"
#include "base/checked.h"
#include "element/tally/digest.h"
#include "input/format/format.h"
#include "input/header.h"
#include "input/scan.h"
#include "input/zst/frames_reader.h"
#include "loop/loop.h"
#include "output/byte_order.h"
#include "output/sink.h"
#include "output/stream_check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

struct read_back {
    const struct gsi_target *target;
    struct gsi_loop *loop;
    struct gsi_buffers *windows;
    struct gsi_input *table;
    uint32_t count;
    struct gsi_inputs inputs; /* these */
    struct gsi_stream_check check;
    bool is_placed; /* the file has its name already */
};

/* So much of an output that is read by one thread is read at a time. */
#define KEPT_BYTES GSI_CONSTANT((uint64_t)1 << 20, (uint64_t)128 << 10)

void gsi_read_back_plan(const struct gsi_target *target, struct gsi_plan *plan)
{
    if (target->spec->is_read_back && plan->input_bytes != UINT64_MAX)
        plan->read_bytes += plan->moves[GS_PHASE_READ_BACK].bytes_read = plan->output_bytes;
}

static enum gs_status fail_different(const struct read_back *back, const char *name,
                                     const char *what)
{
    const struct gsi_target *target = back->target;
    const char *left = target->output.kind == GSI_OUTPUT_ATOMIC ? "it was removed"
                                                                : gsi_target_describe_left(target);
    return gsi_fail(target->loop->error, GS_E_VERIFY, 0,
                    "'%s': %s on the disk differs from what was written; %s; check the disk and "
                    "the memory of this machine",
                    name, what, back->is_placed ? "the file was left as it is" : left);
}

static void digest(void *context, struct gsi_buffer *window, void *partial, uint32_t worker_idx)
{
    (void)partial;
    (void)worker_idx;
    const struct read_back *back = context;
    const struct gsi_layout *layout = gsi_target_layout(back->target);
    gsi_byte_order_turn(back->target->spec->byte_order, layout, window->data, window->bytes);
    window->digest = GSI_DIGEST_EMPTY;
    gsi_digest_add_elements(layout, &window->digest, window->data,
                            window->bytes / layout->element_bytes);
}

static bool join(void *context, struct gsi_buffer *window, void *partial)
{
    (void)partial;
    struct read_back *back = context;
    gsi_stream_check_join(&back->check, window);
    return true;
}

/* Packed, the header is part of what each frame's checksum is of. */
static enum gs_status check_header(const struct read_back *back, const struct gsi_input *input)
{
    const struct gsi_target *target = back->target;
    uint8_t part[4096];
    for (uint64_t off = 0, bytes;
         target->plan->pack_level == 0 && off < target->inputs->header.bytes; off += bytes) {
        bytes = gsi_min_u64(sizeof part, target->inputs->header.bytes - off);
        int64_t moved = gsi_file_read(input->fd, part, bytes, off);
        if (moved < 0)
            return gsi_fail(target->loop->error, gsi_status_of_errno(errno), errno,
                            "'%s': cannot read it back", input->name);
        if ((uint64_t)moved < bytes || memcmp(part, target->inputs->header.data + off, bytes) != 0)
            return fail_different(back, input->name, "its header");
    }
    return GS_OK;
}

/* Checks the data after the elements, if there are any. Compressed files have none. */
static enum gs_status check_trailer(const struct read_back *back, const struct gsi_input *input)
{
    const struct gsi_target *target = back->target;
    bool is_there = true;
    if (gsi_trailer_bytes(target->inputs) > 0)
        GSI_TRY(gsi_trailer_is_written(target->inputs, input->fd, input->base_off + input->bytes,
                                       &is_there));
    return is_there ? GS_OK : fail_different(back, input->name, "the data after its elements");
}

/* Adds a file of `all` bytes as the next input, compressed or not. */
static enum gs_status open_file(struct read_back *back, const struct gsi_output *output,
                                uint64_t all)
{
    const struct gsi_target *target = back->target;
    struct gsi_input *input = &back->table[back->count++]; /* to be closed, whatever fails */
    uint64_t header = target->inputs->header.bytes;
    bool is_packed = target->plan->pack_level > 0;
    GSI_TRY(gsi_output_reread(output, is_packed ? 0 : gsi_sink_data_off(target),
                              is_packed ? all : all - header - gsi_trailer_bytes(target->inputs),
                              input, target->loop->error));
    if (is_packed) {
        input->coding = GSI_CODING_ZSTD;
        input->is_stream = true;
        input->bytes = UINT64_MAX;
        input->skip_bytes = header;
    }
    GSI_TRY(check_header(back, input));
    return check_trailer(back, input);
}

/* Each of several files has its own header, which may contain the number of its elements. */
static enum gs_status open_files(struct read_back *back)
{
    const struct gsi_target *target = back->target;
    const struct gsi_split_files *files = &target->files;
    if (files->count == 0)
        return open_file(back, &target->output, target->file_bytes);
    for (uint32_t i = 0; i < files->count; i++) {
        GSI_TRY(gsi_header_make(target->inputs, files->table[i].count));
        GSI_TRY(open_file(back, &files->table[i].output, files->table[i].file_bytes));
    }
    return GS_OK;
}

/* A shuffle merges longer entries than it writes. The windows are not merged into any more. */
static void fit_windows(const struct read_back *back)
{
    const uint32_t element_bytes = gsi_target_layout(back->target)->element_bytes;
    for (uint32_t i = 0; i < back->windows->count; i++)
        back->windows->all[i].capacity -= back->windows->all[i].capacity % element_bytes;
}

/* Headers are known, and a file's elements begin after its header. */
static enum gs_status read_all(struct read_back *back)
{
    const struct gsi_inputs *from = back->target->inputs;
    back->inputs = (struct gsi_inputs){.loop = back->loop,
                                       .layout = gsi_target_layout(back->target),
                                       .spec = from->spec,
                                       .table = back->table,
                                       .count = back->count,
                                       .bytes = from->bytes,
                                       .unpack = from->unpack};
    fit_windows(back);
    const struct gsi_scan scan = {.context = back, .run = digest, .join = join};
    return gsi_scan_run(&scan, &back->inputs, back->windows);
}

static bool is_as_wanted(const struct read_back *back, const struct gsi_digest *wanted)
{
    const struct gsi_digest *got = &back->check.digest;
    const bool is_sorted =
        !back->target->spec->is_permuted && gsi_target_layout(back->target) == back->loop->layout;
    return got->count == wanted->count && (got->disorder_idx == UINT64_MAX || !is_sorted) &&
           memcmp(got->fingerprint, wanted->fingerprint, sizeof got->fingerprint) == 0;
}

/* Turns GS_E_INPUT into GS_E_VERIFY: gsort wrote the file, so it is not a wrong input. */
static enum gs_status as_verified(const struct read_back *back, enum gs_status status)
{
    const struct gsi_target *target = back->target;
    if (status != GS_E_INPUT)
        return status;
    memset(target->loop->error, 0, sizeof *target->loop->error);
    return fail_different(back, target->output.name, "the compressed data");
}

enum gs_status gsi_read_back(struct gsi_target *target, struct gsi_buffers *windows,
                             const struct gsi_digest *wanted)
{
    enum gs_status status = GS_OK;
    if (!target->spec->is_read_back)
        return GS_OK;
    struct gsi_loop *loop = target->loop;
    struct read_back back = {.target = target, .loop = loop, .windows = windows};
    const uint32_t files = gsi_max_u32(1, target->files.count);
    uint64_t bytes = target->files.count > 0 ? 0 : target->file_bytes;
    for (uint32_t i = 0; i < target->files.count; i++)
        bytes += target->files.table[i].file_bytes;
    gsi_loop_begin_phase(loop, GS_PHASE_READ_BACK, bytes);
    GSI_TRY_OR(
        gsi_stream_check_init(&back.check, gsi_target_layout(target), &loop->ledger, loop->error),
        done);
    GSI_TRY_OR(GSI_NEW(&loop->ledger, back.table, files, loop->error), done);
    GSI_TRY_OR(open_files(&back), done);
    GSI_TRY_OR(as_verified(&back, read_all(&back)), done);
    if (!is_as_wanted(&back, wanted))
        GSI_TRY_OR(fail_different(&back, target->output.name, "the content"), done);
done:
    for (uint32_t i = 0; i < back.count; i++)
        gsi_input_close(&back.table[i]);
    GSI_FREE(&loop->ledger, back.table, files);
    gsi_stream_check_clear(&back.check);
    return status;
}

/* Elements of a file, on this thread. */
static enum gs_status read_plain(struct read_back *back, const struct gsi_input *input,
                                 uint8_t *data, uint64_t room)
{
    const struct gsi_loop *loop = back->loop;
    for (uint64_t off = 0, bytes; off < input->bytes; off += bytes) {
        struct gsi_buffer window = {.data = data};
        window.bytes = bytes = gsi_min_u64(room, input->bytes - off);
        int64_t moved = gsi_file_read(input->fd, data, bytes, input->base_off + off);
        if (moved < 0)
            return gsi_fail(loop->error, gsi_status_of_errno(errno), errno,
                            "'%s': cannot read it back", input->name);
        if ((uint64_t)moved < bytes)
            return fail_different(back, input->name, "the content");
        if (gsi_cancel_is_set(loop->cancel))
            return gsi_fail(loop->error, GS_E_CANCELED, 0, "canceled");
        digest(back, &window, NULL, 0);
        gsi_stream_check_join(&back->check, &window);
    }
    return GS_OK;
}

enum gs_status gsi_read_back_kept(struct gsi_target *target, int fd, bool is_placed,
                                  const struct gsi_digest *wanted)
{
    enum gs_status status = GS_OK;
    struct gsi_loop *loop = target->loop;
    struct read_back back = {.target = target, .loop = loop, .is_placed = is_placed};
    const uint32_t element_bytes = loop->layout->element_bytes;
    const uint64_t room = KEPT_BYTES - KEPT_BYTES % element_bytes;
    uint8_t *data = NULL;
    if (!target->spec->is_read_back)
        return GS_OK;
    GSI_TRY(gsi_stream_check_init(&back.check, loop->layout, &loop->ledger, loop->error));
    GSI_TRY_OR(GSI_NEW(&loop->ledger, data, room, loop->error), done);
    GSI_TRY_OR(gsi_header_make(target->inputs, target->bytes / element_bytes), done);
    (void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    const struct gsi_input input = {.name = target->output.name,
                                    .fd = fd,
                                    .base_off = gsi_sink_data_off(target),
                                    .bytes = target->bytes};
    GSI_TRY_OR(check_header(&back, &input), done);
    GSI_TRY_OR(check_trailer(&back, &input), done);
    GSI_TRY_OR(read_plain(&back, &input, data, room), done);
    if (!is_as_wanted(&back, wanted))
        GSI_TRY_OR(fail_different(&back, input.name, "the content"), done);
done:
    if (data != NULL)
        GSI_FREE(&loop->ledger, data, room);
    gsi_stream_check_clear(&back.check);
    return status;
}
