/* texts.c: copies the texts of an Arrow column into records of one width, and back.
 *
 * A text has `width` bytes in its record, then its length. The record of a longer text has
 * its first `width` bytes, and `width` + 1 as the length. The caller keeps the complete text.
 *
 *     width 4:    "ab" -> a b 0 0 2    "abcd" -> a b c d 4    "abcdef" -> a b c d 5
 *
 * The length has one byte, or two (little-endian) if `width` is 255 or more. NumPy has no such
 * calls: its texts would be padded first, and cut by a mask of all their bytes. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

struct texts {
    const uint8_t *bytes;
    const void *offsets; /* int64_t if is_large, otherwise int32_t; one more than texts */
    bool is_large;
};

EXPORT void libgsort_pack_texts(const struct texts *texts, uint64_t count, uint64_t skip,
                                uint32_t width, uint8_t *out, uint64_t stride);
EXPORT uint64_t libgsort_text_offsets(const uint8_t *in, uint64_t stride, uint64_t count,
                                      uint32_t width, uint64_t skip, const struct texts *longer,
                                      int32_t *offsets);
EXPORT void libgsort_unpack_texts(const uint8_t *in, uint64_t stride, uint64_t count,
                                  uint32_t width, uint64_t skip, const uint8_t *start,
                                  const struct texts *longer, const int32_t *offsets,
                                  uint8_t *bytes);

static uint64_t offset_at(const struct texts *texts, uint64_t i)
{
    return texts->is_large ? (uint64_t)((const int64_t *)texts->offsets)[i]
                           : (uint64_t)((const int32_t *)texts->offsets)[i];
}

static uint32_t length_at(const uint8_t *end, uint32_t width)
{
    return width < 255 ? end[0] : (uint32_t)end[0] | (uint32_t)end[1] << 8;
}

/* Writes texts without their first `skip` bytes into records: the first at `out`, the next one
 * `stride` bytes later. */
void libgsort_pack_texts(const struct texts *texts, uint64_t count, uint64_t skip, uint32_t width,
                         uint8_t *out, uint64_t stride)
{
    uint64_t begin = offset_at(texts, 0);
    for (uint64_t i = 0; i < count; i++, out += stride) {
        uint64_t end = offset_at(texts, i + 1);
        uint64_t length = end - begin > skip ? end - begin - skip : 0;
        uint32_t kept = length < width ? (uint32_t)length : width;
        if (kept > 0)
            memcpy(out, texts->bytes + begin + skip, kept);
        memset(out + kept, 0, width - kept);
        uint32_t code = length > width ? width + 1 : kept;
        out[width] = (uint8_t)code;
        if (width >= 255)
            out[width + 1] = (uint8_t)(code >> 8);
        begin = end;
    }
}

/* Computes the offsets of the texts of `count` records, count + 1 of them. The records lack the
 * first `skip` bytes of each text. Longer texts are those of `longer`, in order. Returns how many
 * bytes all texts have. */
uint64_t libgsort_text_offsets(const uint8_t *in, uint64_t stride, uint64_t count, uint32_t width,
                               uint64_t skip, const struct texts *longer, int32_t *offsets)
{
    uint64_t total = 0, next = 0;
    offsets[0] = 0;
    for (uint64_t i = 0; i < count; i++, in += stride) {
        uint64_t length = skip + length_at(in + width, width);
        if (length > skip + width) {
            length = offset_at(longer, next + 1) - offset_at(longer, next);
            next++;
        }
        total += length;
        offsets[i + 1] = (int32_t)total;
    }
    return total;
}

/* Copies the texts to `bytes`, at the offsets that libgsort_text_offsets computed. `start` has the
 * first `skip` bytes of each text. */
void libgsort_unpack_texts(const uint8_t *in, uint64_t stride, uint64_t count, uint32_t width,
                           uint64_t skip, const uint8_t *start, const struct texts *longer,
                           const int32_t *offsets, uint8_t *bytes)
{
    uint64_t next = 0;
    for (uint64_t i = 0; i < count; i++, in += stride) {
        uint8_t *to = bytes + offsets[i];
        uint64_t length = (uint64_t)(offsets[i + 1] - offsets[i]);
        if (length == 0)
            continue;
        if (length_at(in + width, width) > width) {
            memcpy(to, longer->bytes + offset_at(longer, next++), length);
        } else {
            memcpy(to, start, skip);
            memcpy(to + skip, in, length - skip);
        }
    }
}
