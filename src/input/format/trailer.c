/* trailer.c: goes through the trailer block by block. */
#include "input/format/trailer.h"

#include "base/assert.h"
#include "base/checked.h"
#include "loop/cancel.h"

#include <errno.h>
#include <string.h>

#define BLOCK_BYTES GSI_CONSTANT((uint64_t)64 << 10, (uint64_t)4 << 10)

static const struct gsi_trailer none;

static const struct gsi_trailer *trailer_of(const struct gsi_inputs *inputs)
{
    bool has = inputs->formatted != NULL && inputs->head.format == inputs->formatted->format;
    return has ? &inputs->formatted->trailer : &none;
}

uint64_t gsi_trailer_bytes(const struct gsi_inputs *inputs)
{
    return trailer_of(inputs)->zeros + trailer_of(inputs)->bytes;
}

/* The block that begins `at` bytes behind the elements; *bytes: how long it is, 0 at the end. */
static enum gs_status read_block(struct gsi_inputs *inputs, uint64_t at, uint8_t *block,
                                 uint64_t *bytes)
{
    const struct gsi_trailer *trailer = trailer_of(inputs);
    struct gsi_input *input = &inputs->table[0];
    if (gsi_cancel_is_set(inputs->loop->cancel))
        return gsi_fail(inputs->loop->error, GS_E_CANCELED, 0, "canceled");
    if (at < trailer->zeros) {
        *bytes = gsi_min_u64(BLOCK_BYTES, trailer->zeros - at);
        memset(block, 0, *bytes);
        return GS_OK;
    }
    at -= trailer->zeros;
    *bytes = gsi_min_u64(BLOCK_BYTES, trailer->bytes - at);
    if (*bytes == 0)
        return GS_OK;
    GSI_TRY(gsi_input_reopen(input, inputs->loop->error));
    int64_t moved = gsi_file_read(input->fd, block, *bytes, trailer->off + at);
    if (moved < 0)
        return gsi_fail(inputs->loop->error, gsi_status_of_errno(errno), errno, "'%s': cannot read",
                        input->name);
    return (uint64_t)moved == *bytes
               ? GS_OK
               : gsi_fail(inputs->loop->error, GS_E_INPUT, 0,
                          "'%s': the file shrank while it was read", input->name);
}

enum gs_status gsi_trailer_write(struct gsi_inputs *inputs, const struct gsi_output *output,
                                 uint64_t off)
{
    uint8_t block[BLOCK_BYTES];
    uint64_t at = 0, bytes = 0;
    while (true) {
        GSI_TRY(read_block(inputs, at, block, &bytes));
        if (bytes == 0)
            return GS_OK;
        int refusal = gsi_file_write(output->fd, block, bytes, off + at);
        if (refusal != 0)
            return gsi_fail(inputs->loop->error, gsi_status_of_errno(refusal), refusal,
                            "'%s': cannot write at byte %llu", output->name,
                            (unsigned long long)(off + at));
        at += bytes;
    }
}

enum gs_status gsi_trailer_is_there(struct gsi_inputs *inputs, int fd, uint64_t off, bool *is_there)
{
    uint8_t block[BLOCK_BYTES], there[BLOCK_BYTES];
    uint64_t at = 0, bytes = 0;
    *is_there = true;
    while (*is_there) {
        GSI_TRY(read_block(inputs, at, block, &bytes));
        if (bytes == 0)
            return GS_OK;
        int64_t moved = gsi_file_read(fd, there, bytes, off + at);
        if (moved < 0)
            return gsi_fail(inputs->loop->error, gsi_status_of_errno(errno), errno,
                            "cannot read the output back");
        *is_there = (uint64_t)moved == bytes && memcmp(block, there, bytes) == 0;
        at += bytes;
    }
    return GS_OK;
}
