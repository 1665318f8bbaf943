/* frame.c: writes and checks frame headers and checksums. */
#include "run/frame.h"

#include "base/assert.h"
#include "base/checked.h"
#include "element/layout.h"

#include <string.h>
#include <xxhash.h>

static const uint8_t magic[4] = {'g', 's', 'F', '3'};

enum {
    AT_CODEC = 4,
    AT_KEY_BYTES = 5,
    AT_FIRST_PLANE = 6,
    AT_KEY_OFF = 6, /* for records, which have no planes */
    AT_PLANE_COUNT = 7,
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

static void put_u16(uint8_t *at, uint32_t x)
{
    at[0] = (uint8_t)x;
    at[1] = (uint8_t)(x >> 8);
}

static uint32_t get_u16(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8;
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

static uint64_t bytes_on_disk(uint64_t stored)
{
    return gsi_round_up_u64(GSI_FRAME_HEADER_BYTES + stored, GSI_FRAME_ALIGN);
}

/* Returns how many bytes the compressed form of `raw` bytes may have if compression is to save at
 * least GSI_FRAME_ALIGN bytes of disk. 0: it cannot save so many. */
static uint32_t most_coded_bytes(uint32_t raw)
{
    uint64_t disk = bytes_on_disk(raw);
    return disk > GSI_FRAME_ALIGN ? (uint32_t)(disk - GSI_FRAME_ALIGN - GSI_FRAME_HEADER_BYTES) : 0;
}

/* Copies the part of an element's key that the header stores. This is the sort key of a number, or
 * 16 bytes of a record's normalised key from `key_off` on. */
static void copy_key(const struct gsi_layout *layout, uint32_t key_off, const uint8_t *element,
                     uint8_t key[16])
{
    gsi_layout_head(layout, key_off, element, key);
}

/* Compresses the keys of a frame, and writes codec and planes into the header. Returns the
 * compressed size in bytes; 0: the keys are not compressed. */
static size_t encode(const struct gsi_layout *layout, uint8_t *frame, uint32_t count,
                     struct gsi_coder *coder, struct gsi_packed_keys *keys)
{
    uint8_t *data = frame + GSI_FRAME_HEADER_BYTES;
    uint32_t raw = count * layout->key_bytes;
    if (coder == NULL)
        return 0;
    enum gsi_codec_id id = gsi_coder_id(coder);
    size_t coded;
    if (layout->plane_bytes == 0) {
        struct gsi_record_planes which = gsi_record_planes_of(layout);
        coded = gsi_coder_encode_records(coder, &which, data, count, most_coded_bytes(raw), &id);
        frame[AT_CODEC] = (uint8_t)(coded > 0 ? id : GSI_CODEC_NONE);
        return coded;
    }
    coded = gsi_coder_encode(coder, layout->key_bytes, data, count, most_coded_bytes(raw), keys);
    frame[AT_CODEC] = (uint8_t)(coded > 0 ? id : GSI_CODEC_NONE);
    if (coded > 0 && gsi_coder_has_planes(coder, id)) {
        frame[AT_FIRST_PLANE] = keys->planes.first;
        frame[AT_PLANE_COUNT] = keys->planes.count;
    }
    return coded;
}

void gsi_frame_seal(const struct gsi_layout *layout, uint8_t *frame, uint32_t count,
                    struct gsi_coder *coder, const struct gsi_packed_keys *packed)
{
    uint8_t *data = frame + GSI_FRAME_HEADER_BYTES;
    uint32_t raw = count * layout->key_bytes;
    uint32_t key_off = gsi_layout_head_off(layout);
    struct gsi_packed_keys keys = *packed;
    GSI_ASSERT(coder != NULL || !keys.is_packed);
    if (!keys.is_packed && count > 0) {
        memset(keys.first_key, 0, sizeof keys.first_key);
        memset(keys.last_key, 0, sizeof keys.last_key);
        copy_key(layout, key_off, data, keys.first_key);
        copy_key(layout, key_off, data + raw - layout->key_bytes, keys.last_key);
    }
    memset(frame, 0, GSI_FRAME_HEADER_BYTES);
    memcpy(frame, magic, sizeof magic);
    frame[AT_KEY_BYTES] = (uint8_t)layout->plane_bytes;
    put_u16(frame + AT_KEY_OFF, key_off);
    put_u32(frame + AT_COUNT, count);
    if (count > 0) {
        size_t bytes = layout->plane_bytes > 0 ? layout->plane_bytes : 16;
        memcpy(frame + AT_FIRST_KEY, keys.first_key, bytes);
        memcpy(frame + AT_LAST_KEY, keys.last_key, bytes);
    }
    size_t coded = encode(layout, frame, count, coder, &keys);
    uint32_t stored = coded > 0 ? (uint32_t)coded : raw;
    put_u32(frame + AT_STORED, stored);
    memset(data + stored, 0, bytes_on_disk(stored) - GSI_FRAME_HEADER_BYTES - stored);
    put_u64(frame + AT_DATA_HASH, XXH3_64bits(data, stored));
    put_u64(frame + AT_HEADER_HASH, XXH3_64bits(frame, AT_HEADER_HASH));
}

struct gsi_frame_ref gsi_frame_ref_of(const uint8_t *frame)
{
    struct gsi_frame_ref ref = {.bytes = (uint32_t)bytes_on_disk(get_u32(frame + AT_STORED)),
                                .count = get_u32(frame + AT_COUNT),
                                .data_hash = get_u64(frame + AT_DATA_HASH),
                                .key_off = get_u16(frame + AT_KEY_OFF)};
    memcpy(ref.first_key, frame + AT_FIRST_KEY, sizeof ref.first_key);
    return ref;
}

/* Returns whether a header, whose checksum is right, agrees with `ref`, and `capacity` bytes are
 * enough for the frame. */
static bool matches_ref(const struct gsi_layout *layout, const uint8_t *frame, uint64_t capacity,
                        const struct gsi_frame_ref *ref, const struct gsi_coder *coder)
{
    uint64_t stored = get_u32(frame + AT_STORED);
    uint64_t raw = (uint64_t)ref->count * layout->key_bytes;
    bool is_raw = frame[AT_CODEC] == GSI_CODEC_NONE;
    return frame[AT_KEY_BYTES] == (uint8_t)layout->plane_bytes &&
           get_u16(frame + AT_KEY_OFF) == ref->key_off && get_u32(frame + AT_COUNT) == ref->count &&
           get_u64(frame + AT_DATA_HASH) == ref->data_hash &&
           memcmp(frame + AT_FIRST_KEY, ref->first_key, sizeof ref->first_key) == 0 &&
           stored + GSI_FRAME_HEADER_BYTES <= ref->bytes && ref->bytes <= capacity &&
           raw + GSI_FRAME_HEADER_BYTES <= capacity &&
           (is_raw ? stored == raw
                   : gsi_coder_can_decode(coder, layout->plane_bytes > 0, frame[AT_CODEC]));
}

/* Returns whether the first and last key equal those in the header. Keys that stay split into
 * planes are not checked, because the first key is only in the header. */
static bool are_first_and_last_keys_right(const struct gsi_layout *layout, const uint8_t *frame,
                                          uint32_t count, bool is_packed)
{
    const uint8_t *data = frame + GSI_FRAME_HEADER_BYTES;
    uint32_t key_off = get_u16(frame + AT_KEY_OFF);
    uint8_t first[16] = {0}, last[16] = {0};
    if (count == 0 || is_packed)
        return true;
    copy_key(layout, key_off, data, first);
    copy_key(layout, key_off, data + (size_t)(count - 1) * layout->key_bytes, last);
    return memcmp(frame + AT_FIRST_KEY, first, sizeof first) == 0 &&
           memcmp(frame + AT_LAST_KEY, last, sizeof last) == 0;
}

static bool decode(const struct gsi_layout *layout, uint8_t *frame, uint32_t stored, uint32_t count,
                   struct gsi_coder *coder, const struct gsi_packed_keys *packed)
{
    uint8_t *data = frame + GSI_FRAME_HEADER_BYTES;
    if (layout->plane_bytes == 0) {
        struct gsi_record_planes which = gsi_record_planes_of(layout);
        return gsi_coder_decode_records(coder, &which, data, stored, count, frame[AT_CODEC]);
    }
    return gsi_coder_decode(coder, layout->key_bytes, data, stored, count, packed);
}

enum gs_status gsi_frame_open(const struct gsi_layout *layout, uint8_t *frame, uint64_t capacity,
                              const struct gsi_frame_ref *ref, struct gsi_coder *coder,
                              struct gsi_packed_keys *packed, const char **what)
{
    uint8_t *data = frame + GSI_FRAME_HEADER_BYTES;
    uint32_t stored = get_u32(frame + AT_STORED);
    bool is_coded = frame[AT_CODEC] != GSI_CODEC_NONE;
    bool has_planes = gsi_coder_has_planes(coder, frame[AT_CODEC]);
    const char *problem = NULL;
    *packed = (struct gsi_packed_keys){
        .is_packed = packed->is_packed && has_planes,
        .planes = {.first = frame[AT_FIRST_PLANE], .count = frame[AT_PLANE_COUNT]}};
    memcpy(packed->first_key, frame + AT_FIRST_KEY, sizeof packed->first_key);
    memcpy(packed->last_key, frame + AT_LAST_KEY, sizeof packed->last_key);
    if (memcmp(frame, magic, sizeof magic) != 0)
        problem = "a frame is missing";
    else if (get_u64(frame + AT_HEADER_HASH) != XXH3_64bits(frame, AT_HEADER_HASH))
        problem = "the header of a frame is damaged";
    else if (!matches_ref(layout, frame, capacity, ref, coder))
        problem = "a frame is not the one that was written";
    else if (get_u64(frame + AT_DATA_HASH) != XXH3_64bits(data, stored))
        problem = "the data of a frame are damaged";
    else if (is_coded && !decode(layout, frame, stored, ref->count, coder, packed))
        problem = "the data of a frame cannot be decoded";
    else if (!are_first_and_last_keys_right(layout, frame, ref->count, packed->is_packed))
        problem = "the first or last key of a frame differs from its header";
    *what = problem;
    return problem == NULL ? GS_OK : GS_E_CORRUPT;
}
