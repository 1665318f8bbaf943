/* integer_record.h: converts records to unsigned integers, which sort like numbers.
 *
 * The keys of an integer record cover each of its 4, 8 or 16 bytes once. Its normalised key
 * (record.h) is then a bijection: the bytes of the record in another order, with each number mapped
 * to its sort key (key_order.h). So the record is sorted and merged as an integer of its width, and
 * is converted back on output. Records with equal keys have equal bytes, so their order cannot be
 * seen in the output.
 *
 *     -R 8 -k 4:u32be -k 0:i32      record    f6 ff ff ff | 00 00 01 02       (-10, 0x102)
 *                                   integer   0x00000102 7ffffff6
 *
 * An inline record is stored inside its tag, an integer of 16 bytes. It has up to 12 bytes, of
 * which some may be in no key. The index below the key keeps equal keys in input order:
 *
 *     key | index | the other bytes
 *
 * Such tags are sorted and merged like all tags, and the merge need not fetch the records. Pure,
 * for any thread. */
#ifndef GSI_INTEGER_RECORD_H
#define GSI_INTEGER_RECORD_H

#include "base/simd.h"
#include "element/key_order.h"
#include "element/record/record.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The widest inline records: 32 bits are left for the index. */
#define GSI_INLINE_BYTES_MAX 12u

/* The most numbers of an integer that are mapped: floats have at least two bytes. */
#define GSI_INTEGER_PARTS_MAX 8u

/* A number in an integer whose sort key is more than its bits with some of them flipped. */
struct gsi_integer_part {
    uint32_t half;          /* of an integer of 16 bytes: 0 is the lower one, 1 the upper one */
    uint32_t shift, bits;   /* of the number in that half */
    struct gsi_key_map map; /* of the number at the upper end of 64 bits */
};

/* gsi_integer_part_map: replaces a number by its sort key, or with `is_back` the key by the number.
 * Returns the changed half, or the whole integer of 4 or 8 bytes. Host and device share it. */
GSI_HOST_DEVICE GSI_INLINE uint64_t gsi_integer_part_map(const struct gsi_integer_part *part,
                                                         uint64_t half, bool is_back)
{
    const uint32_t up = 64 - part->shift - part->bits;
    const uint64_t upper = UINT64_MAX << (64 - part->bits);
    uint64_t number = half << up & upper;
    uint64_t mapped =
        is_back ? gsi_bits_of_u64(part->map, number) : gsi_key_of_u64(part->map, number);
    return (half & ~(upper >> up)) | mapped >> up;
}

/* How records are converted to integers and back. */
struct gsi_integer_map {
    uint32_t element_bytes; /* of the record */
    uint32_t key_bytes;     /* of the integer: 4, 8 or 16 */
    uint32_t index_bits;    /* of an inline record; 0: there is no index */
    uint32_t index_shift;
    uint32_t part_count;
    /* Byte i of a block of 16 is byte from[i] of the records, then xor flip[i]; `to` is the way
     * back. An index of 0x80 means zero. Blocks contain several integers of 4 or 8 bytes. */
    uint8_t from[16], to[16], flip[16];
    struct gsi_integer_part parts[GSI_INTEGER_PARTS_MAX];
};

/* gsi_integer_map_make: returns whether records can be integer records, and makes their map.
 * gsi_inline_map_make: does the same for inline records. */
bool gsi_integer_map_make(const struct gsi_record *record, struct gsi_integer_map *map);
bool gsi_inline_map_make(const struct gsi_record *record, struct gsi_integer_map *map);

/* gsi_records_to_integers: converts `n` records that follow each other in memory. Integers may
 * replace records of their width, and others if no integer ends after its record begins.
 * in    index: of the first inline record; the next ones count up
 * gsi_integers_to_records: converts `n` integers back. */
void gsi_records_to_integers(const struct gsi_integer_map *map, const void *elements, size_t n,
                             uint64_t index, void *integers);
void gsi_integers_to_records(const struct gsi_integer_map *map, const void *integers, size_t n,
                             void *elements);

/* gsi_integers_shuffle_in, gsi_integers_shuffle_out: reorder and flip bytes by vectors
 * (record_bytes_simd.cc). This is a part of these conversions. */
void gsi_integers_shuffle_in(const struct gsi_integer_map *map, const void *elements, size_t n,
                             void *integers);
void gsi_integers_shuffle_out(const struct gsi_integer_map *map, const void *integers, size_t n,
                              void *elements);

#ifdef __cplusplus
}
#endif
#endif
