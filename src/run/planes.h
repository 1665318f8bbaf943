/* planes.h: transforms sorted keys into a form that compresses well. It takes the difference of
 * each key to the previous one and splits the differences into planes. Plane 0 has the lowest byte
 * of every difference, plane 1 the second byte, and so on. Neighbours in a run are close. So upper
 * planes are all zeros, which are left out, or nearly all zeros; random bits stay in the lower
 * planes. Planes and the first key restore the keys exactly, sorted or not. Pure. */
#ifndef GSI_PLANES_H
#define GSI_PLANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which planes are stored; the others are all zeros. count 0: all keys are equal. */
struct gsi_planes {
    uint8_t first, count;
};

/* Keys as exchanged with a device that splits and joins planes itself. */
struct gsi_packed_keys {
    bool is_packed; /* false: plain keys, and the rest is not used */
    struct gsi_planes planes;
    uint8_t first_key[16], last_key[16];
};

/* gsi_planes_of_bits: returns the planes that hold `differences`: all differences or-ed together,
 * lowest byte first. */
struct gsi_planes gsi_planes_of_bits(uint32_t key_bytes, const uint8_t differences[16]);

/* gsi_planes_of: returns the planes that keys[n] need. */
struct gsi_planes gsi_planes_of(uint32_t key_bytes, const void *keys, size_t n);

/* gsi_planes_split: planes[p * n + i] is byte which.first + p of keys[i] - keys[i - 1], modulo 2^(8
 * key_bytes); 0 for the first key.
 * gsi_planes_join: restores the keys.
 * in    key_bytes: 4, 8 or 16; keys[n] and planes[n * which.count], which must not overlap */
void gsi_planes_split(uint32_t key_bytes, const void *keys, size_t n, struct gsi_planes which,
                      uint8_t *planes);
void gsi_planes_join(uint32_t key_bytes, const uint8_t *planes, size_t n, struct gsi_planes which,
                     const uint8_t *first_key, void *keys);

/* ---- records ---- */

/* The same for records: the first byte of every record is followed by the second byte of every one,
 * and so on. Values of a column are alike, and stay together. If the first key is a number, its
 * bytes are replaced by its difference to the previous record's key, in the key's byte order. Lower
 * bytes borrow from upper ones. The transformation is exact, sorted or not. Text in words is
 * smaller without it; codec_zstd.c tries both. */
struct gsi_layout;

struct gsi_record_planes {
    uint32_t record_bytes;
    uint32_t key_off, key_bytes; /* of the first key; 0 bytes: not a number */
    bool is_big_endian;          /* of the key */
};

/* gsi_record_planes_of: returns the planes of records of a layout. */
struct gsi_record_planes gsi_record_planes_of(const struct gsi_layout *layout);

/* gsi_record_planes_split: planes[j * n + i] is byte j of record i, except in the first key.
 * gsi_record_planes_join: restores the records.
 * in    n records, and as many bytes for planes, which must not overlap */
void gsi_record_planes_split(const struct gsi_record_planes *which, const uint8_t *records,
                             size_t n, uint8_t *planes);
void gsi_record_planes_join(const struct gsi_record_planes *which, const uint8_t *planes, size_t n,
                            uint8_t *records);

#ifdef __cplusplus
}
#endif
#endif
