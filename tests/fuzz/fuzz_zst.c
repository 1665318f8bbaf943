/* fuzz_zst.c: fuzzes .zst files before decompression. A walk with more and more bytes has the same
 * result as a walk with all. */
#include "fuzz/fuzz.h"

#include "input/zst/zst.h"

static void walk(const uint8_t *data, size_t bytes, const struct gsi_zst_frame *frame)
{
    struct gsi_zst_walk whole = gsi_zst_walk_begin(frame), parts = whole;
    uint64_t at_once = gsi_zst_walk_continue(&whole, data, bytes), step_by_step = 0;
    for (uint64_t known = 0; known < bytes && step_by_step == 0;) {
        uint64_t wanted = parts.next_off + 3;
        known = wanted < bytes ? wanted : bytes;
        step_by_step = gsi_zst_walk_continue(&parts, data, known);
    }
    FUZZ_CHECK(at_once == step_by_step);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    uint8_t *copy = fuzz_copy(data, bytes), plain[512];
    struct gsi_zst_frame frame;
    int wanted = gsi_zst_frame_read(copy, bytes, &frame);
    FUZZ_CHECK(wanted <= 0 || (size_t)wanted > bytes);
    if (wanted == 0) {
        FUZZ_CHECK(gsi_zst_begins(copy, bytes) && frame.header_bytes <= bytes);
        if (!frame.is_skippable)
            walk(copy, bytes, &frame);
    }
    FUZZ_CHECK(gsi_zst_peek(copy, bytes, plain, sizeof plain) <= sizeof plain);
    free(copy);
    return 0;
}
