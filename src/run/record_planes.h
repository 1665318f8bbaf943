/* record_planes.h: transforms records into a form that compresses well: byte planes, as for numbers
 * (planes.h). The first byte of every record is followed by the second byte of every one, and so
 * on. Values of a column are alike, and stay together. If the first key is a number, its bytes are
 * replaced by its difference to the previous record's key, in the key's byte order: lower bytes
 * borrow from upper ones. The transformation is exact, sorted or not. Text in words is smaller
 * without it; codec.c tries both. Pure. */
#ifndef GSI_RECORD_PLANES_H
#define GSI_RECORD_PLANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
