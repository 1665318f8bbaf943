/* codec_zstd.c: the codec that compresses numbers and records by zstd. Numbers are split into byte
 * planes of their differences (planes.h). Records are split into byte planes only if planes
 * compress better than whole records. */
#define ZSTD_STATIC_LINKING_ONLY /* contexts in given memory, and their sizes */
#include "run/codec.h"

#include "base/assert.h"
#include "base/checked.h"

#include <string.h>
#include <zstd.h>

/* For every 16th frame of records, a trial compresses its first eighth with and without planes. The
 * smaller result decides for the next 16 frames. A trial needs TRIAL_RECORDS_MIN records. All
 * trials together need 2 % of the time. */
#define TRIAL_FRAMES      GSI_CONSTANT(16u, 3u)
#define TRIAL_PART        8u
#define TRIAL_RECORDS_MIN GSI_CONSTANT(64u, 4u)

struct zstd_state {
    ZSTD_CCtx *compressor;
    ZSTD_DCtx *decompressor;
    uint32_t frames_coded; /* of records */
    bool uses_planes;      /* in the last trial, planes were smaller */
};

static bool lay_out(struct gsi_coder *coder, struct gsi_bump *bump)
{
    const uint64_t compressor_bytes =
        gsi_round_up_u64(ZSTD_estimateCCtxSize((int)coder->level), GSI_CODEC_ALIGNMENT);
    const uint64_t decompressor_bytes =
        gsi_round_up_u64(ZSTD_estimateDCtxSize(), GSI_CODEC_ALIGNMENT);
    struct zstd_state *state = coder->state;
    void *compressor = gsi_bump_alloc_rounded(bump, compressor_bytes, GSI_CODEC_ALIGNMENT);
    void *decompressor = gsi_bump_alloc_rounded(bump, decompressor_bytes, GSI_CODEC_ALIGNMENT);
    if (state == NULL)
        return false;
    *state =
        (struct zstd_state){.compressor = ZSTD_initStaticCCtx(compressor, compressor_bytes),
                            .decompressor = ZSTD_initStaticDCtx(decompressor, decompressor_bytes)};
    return state->compressor != NULL && state->decompressor != NULL;
}

/* Compresses `bytes` bytes at `from` to `to`. Returns the compressed size, or 0 if it is more than
 * `most`. */
static size_t compress(const struct gsi_coder *coder, void *to, size_t most, const void *from,
                       size_t bytes)
{
    const struct zstd_state *state = coder->state;
    size_t coded = ZSTD_compressCCtx(state->compressor, to, most, from, bytes, (int)coder->level);
    return ZSTD_isError(coded) ? 0 : coded;
}

/* Decompresses `bytes` bytes at `from` to coder->work. Returns whether the result has exactly
 * `expected` bytes. */
static bool decompress(const struct gsi_coder *coder, uint64_t capacity, const void *from,
                       size_t bytes, uint64_t expected)
{
    const struct zstd_state *state = coder->state;
    return ZSTD_decompressDCtx(state->decompressor, coder->work, capacity, from, bytes) == expected;
}

/* Compresses the planes at `data`. If they do not fit into `most` bytes, it joins them to keys. */
static size_t encode_planes(struct gsi_coder *coder, uint32_t key_bytes, void *data, uint64_t count,
                            size_t most, struct gsi_packed_keys *packed)
{
    size_t coded = compress(coder, coder->work, most, data, count * packed->planes.count);
    if (coded > 0) {
        memcpy(data, coder->work, coded);
        return coded;
    }
    gsi_planes_join(key_bytes, data, count, packed->planes, packed->first_key, coder->work);
    memcpy(data, coder->work, count * key_bytes);
    packed->is_packed = false;
    return 0;
}

static size_t encode(struct gsi_coder *coder, uint32_t key_bytes, void *data, uint64_t count,
                     size_t most, struct gsi_packed_keys *packed)
{
    if (packed->is_packed)
        return encode_planes(coder, key_bytes, data, count, most, packed);
    packed->planes = gsi_planes_of(key_bytes, data, count);
    gsi_planes_split(key_bytes, data, count, packed->planes, coder->work);
    size_t coded = compress(coder, data, most, coder->work, count * packed->planes.count);
    packed->is_packed = coded > 0;
    if (coded == 0)
        gsi_planes_join(key_bytes, coder->work, count, packed->planes, packed->first_key, data);
    return coded;
}

static bool decode(struct gsi_coder *coder, uint32_t key_bytes, void *data, size_t bytes,
                   uint64_t count, const struct gsi_packed_keys *packed)
{
    struct gsi_planes planes = packed->planes;
    uint64_t expected = count * planes.count;
    if (!decompress(coder, count * key_bytes, data, bytes, expected))
        return false;
    if (packed->is_packed)
        memcpy(data, coder->work, expected);
    else
        gsi_planes_join(key_bytes, coder->work, count, planes, packed->first_key, data);
    return true;
}

/* Returns whether the first eighth of a frame's records compresses better as planes. */
static bool are_planes_smaller(struct gsi_coder *coder, const struct gsi_record_planes *which,
                               const void *data, uint64_t count)
{
    uint64_t part = count / TRIAL_PART, bytes = part * which->record_bytes;
    uint8_t *to = coder->work + bytes;
    size_t capacity = coder->data_bytes - bytes;
    if (part < TRIAL_RECORDS_MIN)
        return false;
    size_t plain = compress(coder, to, capacity, data, bytes);
    gsi_record_planes_split(which, data, part, coder->work);
    size_t split = compress(coder, to, capacity, coder->work, bytes);
    return split > 0 && (plain == 0 || split < plain);
}

static size_t encode_records(struct gsi_coder *coder, const struct gsi_record_planes *which,
                             void *data, uint64_t count, size_t most, enum gsi_codec_id *id)
{
    struct zstd_state *state = coder->state;
    uint64_t bytes = count * which->record_bytes;
    if (state->frames_coded++ % TRIAL_FRAMES == 0)
        state->uses_planes = are_planes_smaller(coder, which, data, count);
    size_t coded;
    if (!state->uses_planes) {
        coded = compress(coder, coder->work, most, data, bytes);
        memcpy(data, coder->work, coded);
        return coded;
    }
    *id = GSI_CODEC_RECORD_PLANES;
    gsi_record_planes_split(which, data, count, coder->work);
    coded = compress(coder, data, most, coder->work, bytes);
    if (coded == 0)
        gsi_record_planes_join(which, coder->work, count, data);
    return coded;
}

static bool decode_records(struct gsi_coder *coder, const struct gsi_record_planes *which,
                           void *data, size_t bytes, uint64_t count, enum gsi_codec_id id)
{
    uint64_t raw = count * which->record_bytes;
    if (!decompress(coder, raw, data, bytes, raw))
        return false;
    if (id == GSI_CODEC_RECORD_PLANES)
        gsi_record_planes_join(which, coder->work, count, data);
    else
        memcpy(data, coder->work, raw);
    return true;
}

extern const struct gsi_codec_ops gsi_codec_zstd;
const struct gsi_codec_ops gsi_codec_zstd = {.encode = encode,
                                             .decode = decode,
                                             .encode_records = encode_records,
                                             .decode_records = decode_records,
                                             .records_id = GSI_CODEC_RECORD_PLANES,
                                             .state_bytes = sizeof(struct zstd_state),
                                             .lay_out = lay_out,
                                             .has_planes = true};
