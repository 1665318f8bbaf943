/* codec.c: encodes and decodes frames, with zstd contexts and work memory of our own for each
 * thread. */
#define ZSTD_STATIC_LINKING_ONLY /* contexts in given memory, and their sizes */
#include "run/codec.h"

#include "base/assert.h"
#include "base/checked.h"
#include "base/memory.h"
#include "run/deltas.h"

#include <string.h>
#include <zstd.h>

#define ALIGNMENT 64u

/* Every 16th frame of records is tried both ways: its first eighth, if that has enough records for
 * a decision. The trials cost 2 % of the time. */
#define TRIAL_FRAMES GSI_CONSTANT(16u, 3u)
#define TRIAL_PART   8u
#define TRIAL_LEAST  GSI_CONSTANT(64u, 4u)

enum gsi_codec_id gsi_codec_of(enum gsi_compress_choice choice, bool are_numbers, bool takes_packed)
{
    if (choice == GSI_COMPRESS_NONE)
        return GSI_CODEC_NONE;
    if (choice == GSI_COMPRESS_ZSTD || !are_numbers)
        return GSI_CODEC_ZSTD;
    return choice == GSI_COMPRESS_AUTO && takes_packed ? GSI_CODEC_ZSTD : GSI_CODEC_DELTAS;
}

struct gsi_coder {
    enum gsi_codec_id id;
    ZSTD_CCtx *compressor; /* for zstd */
    ZSTD_DCtx *decompressor;
    int level;
    uint32_t frames_coded; /* of records */
    bool is_by_planes;     /* result of the last trial */
    uint64_t data_bytes;
    uint8_t *work; /* data_bytes; for deltas, GSI_DELTAS_SLACK more */
};

/* Lays out the memory of one thread. */
static struct gsi_coder *lay_out(enum gsi_codec_id id, uint32_t level, uint64_t data_bytes,
                                 struct gsi_shelf *shelf)
{
    const bool is_zstd = id == GSI_CODEC_ZSTD;
    const uint64_t compressor_bytes =
        is_zstd ? gsi_round_up_u64(ZSTD_estimateCCtxSize((int)level), ALIGNMENT) : 0;
    const uint64_t decompressor_bytes =
        is_zstd ? gsi_round_up_u64(ZSTD_estimateDCtxSize(), ALIGNMENT) : 0;
    struct gsi_coder *coder = gsi_shelf_place_whole(shelf, sizeof *coder, ALIGNMENT);
    void *compressor = gsi_shelf_place_whole(shelf, compressor_bytes, ALIGNMENT);
    void *decompressor = gsi_shelf_place_whole(shelf, decompressor_bytes, ALIGNMENT);
    uint8_t *work =
        gsi_shelf_place_whole(shelf, data_bytes + (is_zstd ? 0 : GSI_DELTAS_SLACK), ALIGNMENT);
    if (coder == NULL)
        return NULL;
    *coder =
        (struct gsi_coder){.id = id, .level = (int)level, .data_bytes = data_bytes, .work = work};
    if (is_zstd) {
        coder->compressor = ZSTD_initStaticCCtx(compressor, compressor_bytes);
        coder->decompressor = ZSTD_initStaticDCtx(decompressor, decompressor_bytes);
    }
    return coder;
}

uint64_t gsi_codec_bytes(enum gsi_codec_id id, uint32_t level, uint64_t data_bytes)
{
    struct gsi_shelf shelf = {0};
    lay_out(id, level, data_bytes, &shelf);
    return shelf.bytes;
}

enum gs_status gsi_codec_open(struct gsi_codec *codec, struct gsi_ledger *ledger,
                              enum gsi_codec_id id, uint32_t level, uint64_t data_bytes,
                              uint32_t thread_count, struct gs_error *error)
{
    bool is_good = true;
    *codec = (struct gsi_codec){.ledger = ledger, .id = id};
    for (uint32_t i = 0; i < thread_count; i++)
        lay_out(id, level, data_bytes, &codec->shelf);
    codec->thread_bytes = codec->shelf.used / thread_count;
    GSI_TRY(gsi_shelf_open(&codec->shelf, ledger, GSI_MEMORY_CODEC, error));
    for (uint32_t i = 0; i < thread_count; i++) {
        const struct gsi_coder *coder = lay_out(id, level, data_bytes, &codec->shelf);
        is_good = is_good && (id != GSI_CODEC_ZSTD ||
                              (coder->compressor != NULL && coder->decompressor != NULL));
    }
    if (is_good)
        return GS_OK;
    gsi_codec_close(codec);
    return gsi_fail(error, GS_E_MEMORY, 0, "memory: zstd needs more than it predicted");
}

void gsi_codec_close(struct gsi_codec *codec)
{
    gsi_shelf_close(&codec->shelf, codec->ledger, GSI_MEMORY_CODEC);
    *codec = (struct gsi_codec){0};
}

struct gsi_coder *gsi_codec_coder(const struct gsi_codec *codec, uint32_t thread_idx)
{
    return codec->shelf.base == NULL
               ? NULL
               : (struct gsi_coder *)(codec->shelf.base + thread_idx * codec->thread_bytes);
}

enum gsi_codec_id gsi_coder_id(const struct gsi_coder *coder)
{
    return coder == NULL ? GSI_CODEC_NONE : coder->id;
}

bool gsi_coder_takes(const struct gsi_coder *coder, bool are_numbers, uint32_t id)
{
    return id == gsi_coder_id(coder) ||
           (id == GSI_CODEC_RECORD_PLANES && !are_numbers && gsi_coder_id(coder) == GSI_CODEC_ZSTD);
}

/* Does the work of gsi_coder_encode for planes at data. */
static size_t encode_packed(struct gsi_coder *coder, uint32_t key_bytes, void *data, uint64_t count,
                            size_t most, struct gsi_packed_keys *packed)
{
    uint64_t bytes = count * packed->planes.count;
    size_t coded =
        ZSTD_compressCCtx(coder->compressor, coder->work, most, data, bytes, coder->level);
    if (!ZSTD_isError(coded)) {
        memcpy(data, coder->work, coded);
        return coded;
    }
    gsi_planes_join(key_bytes, data, count, packed->planes, packed->first_key, coder->work);
    memcpy(data, coder->work, count * key_bytes);
    packed->is_packed = false;
    return 0;
}

/* Does the work of gsi_coder_encode for keys at data, by deltas. */
static size_t encode_deltas(struct gsi_coder *coder, uint32_t key_bytes, void *data, uint64_t count,
                            size_t most)
{
    size_t coded = gsi_deltas_encode(key_bytes, data, count, coder->work, most);
    memcpy(data, coder->work, coded);
    return coded;
}

size_t gsi_coder_encode(struct gsi_coder *coder, uint32_t key_bytes, void *data, uint64_t count,
                        size_t most, struct gsi_packed_keys *packed)
{
    uint64_t bytes;
    GSI_ASSERT(!packed->is_packed || coder->id == GSI_CODEC_ZSTD);
    if (!gsi_mul_u64(count, key_bytes, &bytes) || bytes > coder->data_bytes || most > bytes)
        return 0;
    if (packed->is_packed)
        return encode_packed(coder, key_bytes, data, count, most, packed);
    memcpy(packed->first_key, data, count > 0 ? key_bytes : 0);
    if (coder->id == GSI_CODEC_DELTAS)
        return encode_deltas(coder, key_bytes, data, count, most);
    packed->planes = gsi_planes_of(key_bytes, data, count);
    gsi_planes_split(key_bytes, data, count, packed->planes, coder->work);
    size_t coded = ZSTD_compressCCtx(coder->compressor, data, most, coder->work,
                                     count * packed->planes.count, coder->level);
    if (!ZSTD_isError(coded)) {
        packed->is_packed = true;
        return coded;
    }
    gsi_planes_join(key_bytes, coder->work, count, packed->planes, packed->first_key, data);
    return 0;
}

/* Does the work of gsi_coder_decode, by deltas. */
static bool decode_deltas(struct gsi_coder *coder, uint32_t key_bytes, void *data, size_t bytes,
                          uint64_t count, const struct gsi_packed_keys *packed)
{
    if (bytes > coder->data_bytes || packed->is_packed)
        return false;
    memcpy(coder->work, data, bytes);
    return gsi_deltas_decode(key_bytes, coder->work, bytes, packed->first_key, data, count);
}

bool gsi_coder_decode(struct gsi_coder *coder, uint32_t key_bytes, void *data, size_t bytes,
                      uint64_t count, const struct gsi_packed_keys *packed)
{
    uint64_t raw;
    struct gsi_planes planes = packed->planes;
    if (!gsi_mul_u64(count, key_bytes, &raw) || raw > coder->data_bytes ||
        (uint32_t)planes.first + planes.count > key_bytes)
        return false;
    if (coder->id == GSI_CODEC_DELTAS)
        return decode_deltas(coder, key_bytes, data, bytes, count, packed);
    size_t decoded = ZSTD_decompressDCtx(coder->decompressor, coder->work, raw, data, bytes);
    if (ZSTD_isError(decoded) || decoded != count * planes.count)
        return false;
    if (packed->is_packed)
        memcpy(data, coder->work, decoded);
    else
        gsi_planes_join(key_bytes, coder->work, count, planes, packed->first_key, data);
    return true;
}

/* Returns whether the first records of a frame are smaller as planes. */
static bool are_planes_smaller(struct gsi_coder *coder, const struct gsi_record_planes *which,
                               const void *data, uint64_t count)
{
    uint64_t part = count / TRIAL_PART, bytes = part * which->record_bytes;
    uint8_t *to = coder->work + bytes;
    size_t room = coder->data_bytes - bytes;
    if (part < TRIAL_LEAST)
        return false;
    size_t plain = ZSTD_compressCCtx(coder->compressor, to, room, data, bytes, coder->level);
    gsi_record_planes_split(which, data, part, coder->work);
    size_t split = ZSTD_compressCCtx(coder->compressor, to, room, coder->work, bytes, coder->level);
    return !ZSTD_isError(split) && (ZSTD_isError(plain) || split < plain);
}

size_t gsi_coder_encode_records(struct gsi_coder *coder, const struct gsi_record_planes *which,
                                void *data, uint64_t count, size_t most, enum gsi_codec_id *id)
{
    uint64_t bytes;
    if (!gsi_mul_u64(count, which->record_bytes, &bytes) || bytes > coder->data_bytes ||
        most > bytes || coder->id != GSI_CODEC_ZSTD)
        return 0;
    if (coder->frames_coded++ % TRIAL_FRAMES == 0)
        coder->is_by_planes = are_planes_smaller(coder, which, data, count);
    *id = coder->is_by_planes ? GSI_CODEC_RECORD_PLANES : GSI_CODEC_ZSTD;
    uint8_t *from = data, *to = coder->work;
    if (coder->is_by_planes) {
        gsi_record_planes_split(which, data, count, coder->work);
        from = coder->work;
        to = data;
    }
    size_t coded = ZSTD_compressCCtx(coder->compressor, to, most, from, bytes, coder->level);
    bool is_good = !ZSTD_isError(coded);
    if (coder->is_by_planes && !is_good)
        gsi_record_planes_join(which, coder->work, count, data);
    else if (!coder->is_by_planes && is_good)
        memcpy(data, coder->work, coded);
    return is_good ? coded : 0;
}

bool gsi_coder_decode_records(struct gsi_coder *coder, const struct gsi_record_planes *which,
                              void *data, size_t bytes, uint64_t count, uint32_t id)
{
    uint64_t raw;
    if (!gsi_mul_u64(count, which->record_bytes, &raw) || raw > coder->data_bytes ||
        !gsi_coder_takes(coder, false, id))
        return false;
    size_t decoded = ZSTD_decompressDCtx(coder->decompressor, coder->work, raw, data, bytes);
    if (ZSTD_isError(decoded) || decoded != raw)
        return false;
    if (id == GSI_CODEC_RECORD_PLANES)
        gsi_record_planes_join(which, coder->work, count, data);
    else
        memcpy(data, coder->work, raw);
    return true;
}
