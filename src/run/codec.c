/* codec.c: finds codecs in the table GSI_CODECS, and allocates one coder per thread. */
#include "run/codec.h"

#include "base/assert.h"
#include "base/checked.h"

#include <string.h>

#define OPS(NAME, word, ...) extern const struct gsi_codec_ops gsi_codec_##word;
GSI_CODECS(OPS)

/* If two codecs have the same number, this switch does not compile. */
const struct gsi_codec_ops *gsi_codec_ops_of(enum gsi_codec_id id)
{
#define OPS_OF(NAME, word, ...) \
    case GSI_CODEC_##NAME:      \
        return &gsi_codec_##word;
    switch (id) {
        GSI_CODECS(OPS_OF)
    case GSI_CODEC_NONE:
    case GSI_CODEC_RECORD_PLANES:
        break;
    }
    return NULL;
}

enum gsi_compress_choice gsi_codec_choice_of(enum gsi_codec_id id)
{
#define CHOICE_OF(NAME, ...)    \
    if (id == GSI_CODEC_##NAME) \
        return GSI_COMPRESS_##NAME;
    GSI_CODECS(CHOICE_OF)
    return GSI_COMPRESS_NONE;
}

static enum gsi_codec_id codec_of_choice(enum gsi_compress_choice choice)
{
#define ID_OF(NAME, ...)               \
    if (choice == GSI_COMPRESS_##NAME) \
        return GSI_CODEC_##NAME;
    GSI_CODECS(ID_OF)
    return GSI_CODEC_NONE;
}

enum gsi_codec_id gsi_codec_choose_id(enum gsi_compress_choice choice, bool are_numbers,
                                      bool device_splits_keys)
{
    if (choice == GSI_COMPRESS_AUTO)
        return are_numbers && !device_splits_keys ? GSI_CODEC_DELTAS : GSI_CODEC_ZSTD;
    const struct gsi_codec_ops *ops = gsi_codec_ops_of(codec_of_choice(choice));
    return ops == NULL || are_numbers || ops->encode_records != NULL ? codec_of_choice(choice)
                                                                     : GSI_CODEC_ZSTD;
}

/* ---- memory ---- */

/* Lays out the memory of one coder. All coders of a codec have the same amount of memory. */
static void lay_out(const struct gsi_coder *model, struct gsi_bump *bump, bool *is_working)
{
    struct gsi_coder filled = *model;
    struct gsi_coder *coder =
        gsi_bump_alloc_rounded(bump, sizeof *coder + filled.ops->state_bytes, GSI_CODEC_ALIGNMENT);
    if (coder != NULL)
        filled.state = memset(coder + 1, 0, filled.ops->state_bytes);
    if (filled.ops->lay_out != NULL && !filled.ops->lay_out(&filled, bump))
        *is_working = false;
    filled.work = gsi_bump_alloc_rounded(bump, filled.data_bytes + filled.ops->slack_bytes,
                                         GSI_CODEC_ALIGNMENT);
    if (coder != NULL)
        *coder = filled;
}

static struct gsi_coder make_model(enum gsi_codec_id id, uint32_t level, uint64_t data_bytes)
{
    return (struct gsi_coder){
        .ops = gsi_codec_ops_of(id), .id = id, .level = level, .data_bytes = data_bytes};
}

uint64_t gsi_codec_bytes(enum gsi_codec_id id, uint32_t level, uint64_t data_bytes)
{
    struct gsi_coder model = make_model(id, level, data_bytes);
    struct gsi_bump bump = {0};
    bool is_working = true;
    if (model.ops != NULL)
        lay_out(&model, &bump, &is_working);
    return bump.bytes;
}

enum gs_status gsi_codec_open_ops(struct gsi_codec *codec, struct gsi_ledger *ledger,
                                  const struct gsi_coder *model, uint32_t thread_count,
                                  struct gs_error *error)
{
    bool is_working = true;
    *codec = (struct gsi_codec){.ledger = ledger, .ops = model->ops, .id = model->id};
    for (uint32_t i = 0; i < thread_count; i++)
        lay_out(model, &codec->bump, &is_working);
    codec->thread_bytes = codec->bump.used / thread_count;
    GSI_ASSERT(codec->thread_bytes % GSI_CODEC_ALIGNMENT == 0);
    GSI_TRY(gsi_bump_open(&codec->bump, ledger, GSI_MEMORY_CODEC, error));
    is_working = true;
    for (uint32_t i = 0; i < thread_count; i++)
        lay_out(model, &codec->bump, &is_working);
    if (is_working)
        return GS_OK;
    gsi_codec_close(codec);
    return gsi_fail(error, GS_E_MEMORY, 0, "memory: a codec needs more than it predicted");
}

enum gs_status gsi_codec_open(struct gsi_codec *codec, struct gsi_ledger *ledger,
                              enum gsi_codec_id id, uint32_t level, uint64_t data_bytes,
                              uint32_t thread_count, struct gs_error *error)
{
    struct gsi_coder model = make_model(id, level, data_bytes);
    return gsi_codec_open_ops(codec, ledger, &model, thread_count, error);
}

void gsi_codec_close(struct gsi_codec *codec)
{
    gsi_bump_close(&codec->bump, codec->ledger, GSI_MEMORY_CODEC);
    *codec = (struct gsi_codec){0};
}

struct gsi_coder *gsi_codec_coder(const struct gsi_codec *codec, uint32_t thread_idx)
{
    return codec->bump.base == NULL
               ? NULL
               : (struct gsi_coder *)(codec->bump.base + thread_idx * codec->thread_bytes);
}

/* ---- coders ---- */

bool gsi_codec_has_planes(const struct gsi_codec *codec)
{
    return codec->ops != NULL && codec->ops->has_planes;
}

bool gsi_coder_has_planes(const struct gsi_coder *coder, uint32_t id)
{
    return coder != NULL && coder->id == id && coder->ops->has_planes;
}

enum gsi_codec_id gsi_coder_id(const struct gsi_coder *coder)
{
    return coder == NULL ? GSI_CODEC_NONE : coder->id;
}

bool gsi_coder_can_decode(const struct gsi_coder *coder, bool are_numbers, uint32_t id)
{
    if (coder == NULL || are_numbers)
        return id == gsi_coder_id(coder);
    return coder->ops->decode_records != NULL && id != GSI_CODEC_NONE &&
           (id == coder->id || id == coder->ops->records_id);
}

/* Sets *bytes_out to the bytes of `count` elements of `bytes` bytes. Returns whether they fit in
 * the coder's memory. */
static bool fits_in_memory(const struct gsi_coder *coder, uint64_t count, uint32_t bytes,
                           uint64_t *bytes_out)
{
    return gsi_mul_u64(count, bytes, bytes_out) && *bytes_out <= coder->data_bytes;
}

size_t gsi_coder_encode(struct gsi_coder *coder, uint32_t key_bytes, void *data, uint64_t count,
                        size_t most, struct gsi_packed_keys *packed)
{
    uint64_t bytes;
    GSI_ASSERT(!packed->is_packed || coder->ops->has_planes);
    if (!fits_in_memory(coder, count, key_bytes, &bytes) || most > bytes)
        return 0;
    if (!packed->is_packed)
        memcpy(packed->first_key, data, count > 0 ? key_bytes : 0);
    return coder->ops->encode(coder, key_bytes, data, count, most, packed);
}

bool gsi_coder_decode(struct gsi_coder *coder, uint32_t key_bytes, void *data, size_t bytes,
                      uint64_t count, const struct gsi_packed_keys *packed)
{
    uint64_t raw;
    return fits_in_memory(coder, count, key_bytes, &raw) &&
           (uint32_t)packed->planes.first + packed->planes.count <= key_bytes &&
           coder->ops->decode(coder, key_bytes, data, bytes, count, packed);
}

size_t gsi_coder_encode_records(struct gsi_coder *coder, const struct gsi_record_planes *which,
                                void *data, uint64_t count, size_t most, enum gsi_codec_id *id)
{
    uint64_t bytes;
    *id = coder->id;
    return coder->ops->encode_records != NULL &&
                   fits_in_memory(coder, count, which->record_bytes, &bytes) && most <= bytes
               ? coder->ops->encode_records(coder, which, data, count, most, id)
               : 0;
}

bool gsi_coder_decode_records(struct gsi_coder *coder, const struct gsi_record_planes *which,
                              void *data, size_t bytes, uint64_t count, uint32_t id)
{
    uint64_t raw;
    return fits_in_memory(coder, count, which->record_bytes, &raw) &&
           gsi_coder_can_decode(coder, false, id) &&
           coder->ops->decode_records(coder, which, data, bytes, count, (enum gsi_codec_id)id);
}
