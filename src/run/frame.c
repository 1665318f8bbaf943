/* frame.c: frame headers and checksums. */
#include "run/frame.h"

#include "base/checked.h"

#include <string.h>
#include <xxhash.h>

static const uint8_t magic[4] = {'g', 's', 'F', '1'};

enum {
    AT_CODEC = 4,
    AT_KEY_BYTES = 5,
    AT_COUNT = 8,
    AT_STORED = 12,
    AT_FIRST_KEY = 16,
    AT_LAST_KEY = 32,
    AT_DATA_HASH = 48,
    AT_HEADER_HASH = 56
};

static void put_u64(uint8_t *at, uint64_t x)
{
    for (int i = 0; i < 8; i++)
        at[i] = (uint8_t)(x >> (8 * i));
}

static void put_u32(uint8_t *at, uint32_t x)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(x >> (8 * i));
}

static uint64_t get_u64(const uint8_t *at)
{
    uint64_t x = 0;
    for (int i = 0; i < 8; i++)
        x |= (uint64_t)at[i] << (8 * i);
    return x;
}

static uint32_t get_u32(const uint8_t *at)
{
    uint32_t x = 0;
    for (int i = 0; i < 4; i++)
        x |= (uint32_t)at[i] << (8 * i);
    return x;
}

uint32_t gsi_frame_seal(const struct gsi_layout *layout, uint8_t *frame, uint32_t count)
{
    uint8_t *data = frame + GSI_FRAME_HEADER_BYTES;
    uint32_t key_bytes = layout->key_bytes, stored = count * key_bytes;
    uint32_t bytes = (uint32_t)gsi_round_up_u64(GSI_FRAME_HEADER_BYTES + stored, GSI_FRAME_ALIGN);
    memset(frame, 0, GSI_FRAME_HEADER_BYTES);
    memset(data + stored, 0, bytes - GSI_FRAME_HEADER_BYTES - stored);
    memcpy(frame, magic, sizeof magic);
    frame[AT_CODEC] = GSI_CODEC_NONE;
    frame[AT_KEY_BYTES] = (uint8_t)key_bytes;
    put_u32(frame + AT_COUNT, count);
    put_u32(frame + AT_STORED, stored);
    memcpy(frame + AT_FIRST_KEY, data, key_bytes);
    memcpy(frame + AT_LAST_KEY, data + stored - key_bytes, key_bytes);
    put_u64(frame + AT_DATA_HASH, XXH3_64bits(data, stored));
    put_u64(frame + AT_HEADER_HASH, XXH3_64bits(frame, AT_HEADER_HASH));
    return bytes;
}

enum gs_status gsi_frame_check(const struct gsi_layout *layout, const uint8_t *frame,
                               const struct gsi_frame_ref *ref, const char **what)
{
    uint32_t stored = get_u32(frame + AT_STORED);
    const char *wrong = NULL;
    if (memcmp(frame, magic, sizeof magic) != 0)
        wrong = "no frame begins here";
    else if (get_u64(frame + AT_HEADER_HASH) != XXH3_64bits(frame, AT_HEADER_HASH))
        wrong = "the frame's header is damaged";
    else if (frame[AT_KEY_BYTES] != layout->key_bytes || frame[AT_CODEC] != GSI_CODEC_NONE ||
             get_u32(frame + AT_COUNT) != ref->count ||
             memcmp(frame + AT_FIRST_KEY, ref->first_key, layout->key_bytes) != 0 ||
             (uint64_t)stored != (uint64_t)ref->count * layout->key_bytes ||
             (uint64_t)stored + GSI_FRAME_HEADER_BYTES > ref->bytes)
        wrong = "another frame than was written here";
    else if (get_u64(frame + AT_DATA_HASH) != XXH3_64bits(frame + GSI_FRAME_HEADER_BYTES, stored))
        wrong = "the frame's data are damaged";
    *what = wrong;
    return wrong == NULL ? GS_OK : GS_E_CORRUPT;
}
