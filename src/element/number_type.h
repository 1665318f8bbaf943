/* number_type.h: the numbers that lie in records: the element types and others, one row of
 * number_rows.h each.
 * An element of another type is sorted as a record that is nothing else (job/spec/elements.c).
 *
 * | number        | order of its key                                     | counted as           |
 * |---------------|------------------------------------------------------|----------------------|
 * | uint8 .. i64  | as in key_order.h                                    | 4 or 8 bytes         |
 * | f16 bf16      | as floats of 4 bytes; bf16 is their upper half       | f32, which is exact  |
 * | time64        | NumPy's datetime64: an i64 whose least is NaT, last  | i64, without NaTs    |
 * | time64[ms]    | the same; its values are read and printed as times   | the same             |
 */
#ifndef GSI_NUMBER_TYPE_H
#define GSI_NUMBER_TYPE_H

#include "base/calendar.h"
#include "base/host_device.h"
#include "element/key_type.h"

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a number is, beside its bytes and whether it has a sign. */
enum gsi_part_kind {
    GSI_PART_INT,
    GSI_PART_F32,
    GSI_PART_F64,
    GSI_PART_F16,
    GSI_PART_BF16,
    GSI_PART_TIME
};

struct gsi_number_type {
    const char *name;
    uint32_t bytes;
    enum gsi_part_kind part;
    const char *counted_as; /* its name in gsi_key_types */
    enum gsi_time_unit unit;
};

/* gsi_number_is_like: the same number, but that the unit may be known of one of them only. */
static inline bool gsi_number_is_like(const struct gsi_number_type *a,
                                      const struct gsi_number_type *b)
{
    bool are_times = a != NULL && b != NULL && a->part == GSI_PART_TIME && b->part == a->part;
    return a == b || (are_times && (a->unit == GSI_UNIT_NONE || b->unit == GSI_UNIT_NONE));
}

/* gsi_number_type_find: by `length` letters; those of big endian ones end in "be"; NULL: none. */
const struct gsi_number_type *gsi_number_type_find(const char *name, size_t length,
                                                   bool *is_big_endian);

extern const char *const gsi_number_names; /* "uint8 int8 u16 ..", for messages */

/* gsi_f32_of_f16: the bits of the f32 that is the same number as these 16 bits. */
GSI_HOST_DEVICE static inline uint32_t gsi_f32_of_f16(uint16_t bits)
{
    uint32_t sign = (uint32_t)(bits & 0x8000u) << 16, exponent = bits >> 10 & 0x1f;
    uint32_t digits = bits & 0x3ff, word;
    if (exponent == 0x1f)
        return sign | 0x7f800000u | digits << 13;
    if (exponent > 0)
        return sign | (exponent + 127 - 15) << 23 | digits << 13;
    float tiny = (float)digits * 0x1p-24f;
    memcpy(&word, &tiny, sizeof word);
    return sign | word;
}

/* gsi_f16_of_f64, gsi_bf16_of_f64: the bits of the nearest f16 or bf16, ties to even; beyond the
 * largest one infinity; a NaN stays one. */
uint16_t gsi_f16_of_f64(double x);
uint16_t gsi_bf16_of_f64(double x);

#ifdef __cplusplus
}
#endif
#endif
