/* fuzz_frame.c: fuzzes spilled frames whose checksums are right, whatever they contain: the code
 * after the checksums must be safe as well. First byte: type and codec; then the frame. */
#include "fuzz/fuzz.h"

#include "element/number_type.h"
#include "run/frame.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#define FRAME_BYTES 8192u

static struct gsi_ledger ledger = {.ceiling_bytes = UINT64_MAX};
static struct gsi_codec codecs[2]; /* zstd, deltas */

/* Checksums as gsi_frame_seal writes them (run/frame.h). */
static void make_right(uint8_t *frame)
{
    uint32_t stored;
    memcpy(&stored, frame + 12, sizeof stored);
    if (stored > FRAME_BYTES - GSI_FRAME_HEADER_BYTES)
        stored = FRAME_BYTES - GSI_FRAME_HEADER_BYTES;
    memcpy(frame, "gsF3", 4);
    memcpy(frame + 12, &stored, sizeof stored);
    uint64_t hash = XXH3_64bits(frame + GSI_FRAME_HEADER_BYTES, stored);
    memcpy(frame + 48, &hash, sizeof hash);
    hash = XXH3_64bits(frame, 56);
    memcpy(frame + 56, &hash, sizeof hash);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static const char *const types[] = {"u32", "u64", "u128", "f64"};
    struct fuzz_bytes from = {data, bytes};
    struct gs_error error = {0};
    uint64_t choice = fuzz_take(&from, 1);
    struct gsi_layout layout = gsi_layout_make(gsi_key_type_find(types[choice & 3]), choice & 4);
    struct gsi_packed_keys packed = {.is_packed = choice & 8};
    const char *what = NULL;
    uint8_t *frame = aligned_alloc(4096, FRAME_BYTES);
    FUZZ_CHECK(frame != NULL);
    struct gsi_codec *codec = &codecs[choice >> 4 & 1];
    if (codec->bump.base == NULL)
        FUZZ_CHECK(gsi_codec_open(codec, &ledger, choice & 16 ? GSI_CODEC_DELTAS : GSI_CODEC_ZSTD,
                                  1, FRAME_BYTES, 1, &error) == GS_OK);
    memset(frame, 0, FRAME_BYTES);
    memcpy(frame, from.data, from.bytes < FRAME_BYTES ? from.bytes : FRAME_BYTES);
    make_right(frame);
    struct gsi_frame_ref ref = gsi_frame_ref_of(frame);
    enum gs_status status = GS_E_CORRUPT;
    if (ref.bytes <= FRAME_BYTES)
        status = gsi_frame_open(&layout, frame, FRAME_BYTES, &ref, gsi_codec_coder(codec, 0),
                                &packed, &what);
    else
        what = "longer than memory";
    FUZZ_CHECK(status == GS_OK || (status == GS_E_CORRUPT && what != NULL));
    free(frame);
    return 0;
}
