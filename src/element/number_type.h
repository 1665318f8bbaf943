/* number_type.h: the types of numbers, their names, and floats of every type as text.
 *
 * Elements have one of the types of struct gsi_key_type, which devices sort. Fields of records have
 * one of struct gsi_number_type, which are these and more. An element of another type is sorted as
 * a record with one field (job/spec/elements.c). number_rows.h has one row for each type.
 *
 * | number        | order of its key                                     | counted as           |
 * |---------------|------------------------------------------------------|----------------------|
 * | uint8 .. i64  | as in key_order.h                                    | 4 or 8 bytes         |
 * | f16 bf16      | as floats of 4 bytes; bf16 is their upper half       | f32, which is exact  |
 * | time64        | NumPy's datetime64: an i64 whose least is NaT, last  | i64, without NaTs    |
 * | time64[ms]    | the same; its values are read and printed as times   | the same             |
 *
 * Options and names of files call them:
 *
 *     u32 uint32 uint32_t <u4       names of C and of NumPy
 *     f64be >f8                     big endian
 *     uint8 int8                    8 bits
 *     u8 i8                         in names of files 8 bits, with a note; refused as options,
 *                                   because NumPy's u8 and i8 have 8 bytes
 *     float int                     refused: different types in different languages
 *     f128                          refused: no elements
 *     time64[ms] time64be[ms] <M8[ms]  times of a unit
 *
 * Upper and lower case are the same, except in words with a unit. */
#ifndef GSI_NUMBER_TYPE_H
#define GSI_NUMBER_TYPE_H

#include "base/calendar.h"
#include "base/simd.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

enum gsi_key_kind { GSI_KEY_UNSIGNED, GSI_KEY_SIGNED, GSI_KEY_FLOAT };

struct gsi_key_type {
    const char *name; /* the first of its names */
    uint32_t bytes;   /* a width: width.h */
    enum gsi_key_kind kind;
};

extern const struct gsi_key_type gsi_key_types[];
extern const size_t gsi_key_type_count;

/* NULL if there is no such type. */
const struct gsi_key_type *gsi_key_type_find(const char *name);

/* gsi_name_is_zst: returns whether the name says that zstd compressed the file. */
bool gsi_name_is_zst(const char *path);

/* gsi_name_ends: returns whether it ends in a dot and `word`, with or without .zst. */
bool gsi_name_ends(const char *path, const char *word);

/* gsi_name_base: returns the last part of a path, and its length without .zst. */
const char *gsi_name_base(const char *path, size_t *length);

/* Kinds of numbers, apart from their size and sign. */
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

/* gsi_number_is_like: returns whether two types are the same. A time without a unit is like a time
 * with one. */
static inline bool gsi_number_is_like(const struct gsi_number_type *a,
                                      const struct gsi_number_type *b)
{
    bool are_times = a != NULL && b != NULL && a->part == GSI_PART_TIME && b->part == a->part;
    return a == b || (are_times && (a->unit == GSI_UNIT_NONE || b->unit == GSI_UNIT_NONE));
}

/* gsi_number_type_find: finds a type by its name of `length` letters, with "be" at the end if it is
 * big endian. NULL: there is none. */
const struct gsi_number_type *gsi_number_type_find(const char *name, size_t length,
                                                   bool *is_big_endian);

extern const char *const gsi_number_names; /* "uint8 int8 u16 ..", for messages */

/* gsi_f32_of_f16: converts an f16 to the f32 that is the same number; both as bits. */
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

/* gsi_f16_of_f64, gsi_bf16_of_f64: return the bits of the nearest f16 or bf16, ties to even. Too
 * large a number gives infinity; a NaN stays a NaN. */
uint16_t gsi_f16_of_f64(double x);
uint16_t gsi_bf16_of_f64(double x);

enum gsi_type_sense {
    GSI_SENSE_PLAIN,    /* the same type everywhere */
    GSI_SENSE_SMALL,    /* 8 bits, but 8 bytes in NumPy */
    GSI_SENSE_UNSURE,   /* different types in different languages */
    GSI_SENSE_UNSORTED, /* numbers that are no elements */
};

struct gsi_type_word {
    const char *word; /* in lower case, but for those with a unit */
    const char *type; /* its name in number_type.c, or that and "be"; NULL unless PLAIN or SMALL */
    enum gsi_type_sense sense;
    const char *trouble;        /* unless PLAIN: why it does not name one type */
    const char *either, *other; /* words that do name one; NULL: none */
};

extern const char *const gsi_time_words; /* for messages: which units there are */

/* gsi_type_word_find: finds a word of `length` letters; NULL: it is unknown. */
const struct gsi_type_word *gsi_type_word_find(const char *text, size_t length);

/* gsi_type_word_of_file: returns the last word of a name, after '.', '_' or '-': x.f64, X_U32,
 * x-f4, books_200M_uint64, x.u32.bin, x.f64.zst; or the whole name, if that is longer than two
 * letters: f64.bin. It ignores endings that say nothing of the contents (.bin, .dat and their
 * like). NULL: the name says no type. */
const struct gsi_type_word *gsi_type_word_of_file(const char *path);

/* gsi_type_word_of_option: finds the type that --type names, and checks it.
 * gsi_type_word_check: checks that the word of `option`, a part of `text`, names one type.
 * fails GS_E_USAGE: it does not; the line says what to do */
enum gs_status gsi_type_word_of_option(const char *given, const struct gsi_type_word **word,
                                       struct gs_error *error);
enum gs_status gsi_type_word_check(const struct gsi_type_word *word, const char *option,
                                   const char *text, struct gs_error *error);

/* gsi_type_word_near: returns `hint`: "; is f32 or f64 meant?", or nothing where no type is near to
 * `length` letters of `text`. */
#define GSI_TYPE_HINT_BYTES 64
const char *gsi_type_word_near(const char *text, size_t length, char hint[GSI_TYPE_HINT_BYTES]);

/* gsi_type_goes_with: returns whether two names in number_type.c are the same type. A time without
 * a unit goes with a time that has one. */
bool gsi_type_goes_with(const char *a, const char *b);

#define GSI_FLOAT_TEXT_BYTES 48

/* gsi_float_text: writes the shortest text that reads back as x, a number of this type, in the
 * notation of Python's repr but without ".0": 0.0001, 1000, 1e+16. Every NaN is "nan".
 * in    part: one of the kinds of floats */
void gsi_float_text(char text[GSI_FLOAT_TEXT_BYTES], double x, enum gsi_part_kind part);

/* gsi_float_parse: reads a number as strtod does in the locale "C".
 * out   end: after it; value: the nearest number of this type, rounded once; infinite beyond it
 * Returns false: there is no memory. */
bool gsi_float_parse(const char *text, char **end, enum gsi_part_kind part, double *value);

#ifdef __cplusplus
}
#endif
#endif
