/* codec_deltas.c: the codec that stores numbers as differences in few bits (deltas.h). */
#include "run/codec.h"
#include "run/deltas.h"

#include <string.h>

static size_t encode(struct gsi_coder *coder, uint32_t key_bytes, void *data, uint64_t count,
                     size_t most, struct gsi_packed_keys *packed)
{
    (void)packed;
    size_t coded = gsi_deltas_encode(key_bytes, data, count, coder->work, most);
    memcpy(data, coder->work, coded);
    return coded;
}

static bool decode(struct gsi_coder *coder, uint32_t key_bytes, void *data, size_t bytes,
                   uint64_t count, const struct gsi_packed_keys *packed)
{
    if (bytes > coder->data_bytes || packed->is_packed)
        return false;
    memcpy(coder->work, data, bytes);
    return gsi_deltas_decode(key_bytes, coder->work, bytes, packed->first_key, data, count);
}

extern const struct gsi_codec_ops gsi_codec_deltas;
const struct gsi_codec_ops gsi_codec_deltas = {
    .encode = encode, .decode = decode, .slack_bytes = GSI_DELTAS_SLACK};
