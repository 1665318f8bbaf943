/* record_planes.h: records as what compresses well: taken apart into byte planes, as numbers are
 * (planes.h): the first byte of every record, then the second of every one, and so on. What is in a
 * column is alike, and stays together. If the first key is a number, its bytes are those of its
 * difference to the record before, as it is sorted: lower bytes lend from upper ones. All comes
 * back exactly, sorted or not. Text in words is smaller as it is; codec.c tries. Pure. */
#ifndef GSI_RECORD_PLANES_H
#define GSI_RECORD_PLANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gsi_layout;

struct gsi_record_planes {
    uint32_t record_bytes;
    uint32_t key_off, key_bytes; /* of the first key; 0 bytes: it is no number */
    bool is_big_endian;          /* the key */
};

/* gsi_record_planes_of: those of records. */
struct gsi_record_planes gsi_record_planes_of(const struct gsi_layout *layout);

/* gsi_record_planes_split: planes[j * n + i] is byte j of record i, but of the first key.
 * gsi_record_planes_join: the records back.
 * in    n records, and as many bytes for planes, which do not overlap */
void gsi_record_planes_split(const struct gsi_record_planes *which, const uint8_t *records,
                             size_t n, uint8_t *planes);
void gsi_record_planes_join(const struct gsi_record_planes *which, const uint8_t *planes, size_t n,
                            uint8_t *records);

#endif
