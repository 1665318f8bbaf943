/* planes.h: splits the differences of sorted keys into byte planes, which compress well. Plane 0
 * has the lowest byte of the difference of every key to the previous one, plane 1 the second byte,
 * and so on. Differences in a run are small. So the upper planes have nearly only zeros, and planes
 * with only zeros are not stored. Lower planes contain the random bits. Planes and the first key
 * restore the keys exactly, even if the keys are not sorted. Pure. */
#ifndef GSI_PLANES_H
#define GSI_PLANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The planes that are stored: `count` planes from plane `first` on. All other planes contain only
 * zeros. count 0: all keys are equal. */
struct gsi_planes {
    uint8_t first, count;
};

/* States whether the keys in a buffer are split into planes, as some devices do, and into which. */
struct gsi_packed_keys {
    bool is_packed; /* the buffer contains planes; false: keys, and other members are not used */
    struct gsi_planes planes;
    uint8_t first_key[16], last_key[16];
};

/* gsi_planes_of_bits: returns the planes that are not all zeros. `differences` is the bitwise or of
 * all differences, lowest byte first. */
struct gsi_planes gsi_planes_of_bits(uint32_t key_bytes, const uint8_t differences[16]);

/* gsi_planes_of: returns the planes of keys[n] that are not all zeros. */
struct gsi_planes gsi_planes_of(uint32_t key_bytes, const void *keys, size_t n);

/* gsi_planes_split: sets planes[p * n + i] to byte which.first + p of keys[i] - keys[i - 1], modulo
 * 2^(8 key_bytes); to 0 for i = 0.
 * gsi_planes_join: restores the keys from planes and the first key.
 * in    key_bytes: 4, 8 or 16; keys[n] and planes[n * which.count], which must not overlap */
void gsi_planes_split(uint32_t key_bytes, const void *keys, size_t n, struct gsi_planes which,
                      uint8_t *planes);
void gsi_planes_join(uint32_t key_bytes, const uint8_t *planes, size_t n, struct gsi_planes which,
                     const uint8_t *first_key, void *keys);

/* ---- records ---- */

/* Records are split, too: plane 0 has the first byte of every record, plane 1 the second byte, and
 * so on. So similar values of one field are adjacent. If the first key is a number, its difference
 * to the previous record's key replaces it, in the same byte order. Joining restores the records
 * exactly, even if they are not sorted. Text compresses better without planes; codec_zstd.c tries
 * both. */
struct gsi_layout;

struct gsi_record_planes {
    uint32_t record_bytes;
    uint32_t key_off, key_bytes; /* of the first key; key_bytes 0: it is not a number */
    bool is_big_endian;          /* of the key */
};

/* gsi_record_planes_of: returns how records of a layout are split. */
struct gsi_record_planes gsi_record_planes_of(const struct gsi_layout *layout);

/* gsi_record_planes_split: sets planes[j * n + i] to byte j of record i, or of the key's
 * difference.
 * gsi_record_planes_join: restores the records from planes.
 * in    n records, and as many bytes for planes, which must not overlap */
void gsi_record_planes_split(const struct gsi_record_planes *which, const uint8_t *records,
                             size_t n, uint8_t *planes);
void gsi_record_planes_join(const struct gsi_record_planes *which, const uint8_t *planes, size_t n,
                            uint8_t *records);

#ifdef __cplusplus
}
#endif
#endif
