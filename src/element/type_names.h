/* type_names.h: what people call the types of numbers, in options and in names of files.
 *
 *     u32 uint32 uint32_t <u4       C's names and NumPy's
 *     f64be >f8                     big endian
 *     uint8 int8                    8 bits
 *     u8 i8                         in names of files 8 bits, which is said; refused as options,
 *                                   for NumPy's are 8 bytes
 *     float int                     two types, by language: refused
 *     f128                          no elements
 *     time64[ms] time64be[ms] <M8[ms]  of a unit
 *
 * Words are the same in upper and in lower case, but for those with a unit. */
#ifndef GSI_TYPE_NAMES_H
#define GSI_TYPE_NAMES_H

#include "base/status.h"
#include "element/key_type.h"

enum gsi_type_sense {
    GSI_SENSE_PLAIN,    /* one type, whoever says it */
    GSI_SENSE_SMALL,    /* 8 bits; NumPy calls one of 8 bytes so */
    GSI_SENSE_UNSURE,   /* different types in different languages */
    GSI_SENSE_UNSORTED, /* numbers that are no elements */
};

struct gsi_type_word {
    const char *word; /* in lower case, but for those with a unit */
    const char *type; /* its name in number_type.c, or that and "be"; NULL unless PLAIN or SMALL */
    enum gsi_type_sense sense;
    const char *trouble;        /* unless PLAIN: why it does not say one type */
    const char *either, *other; /* words that do; NULL: there are none */
};

extern const char *const gsi_time_words; /* for messages: which units there are */

/* gsi_type_word_find: a word of `length` letters; NULL: nothing that is known. */
const struct gsi_type_word *gsi_type_word_find(const char *text, size_t length);

/* gsi_type_word_of_file: returns the last word of a name, after '.', '_' or '-': x.f64, X_U32,
 * x-f4, books_200M_uint64, x.u32.bin, x.f64.zst; or the whole name, if that is longer than two
 * letters: f64.bin. It ignores endings that say nothing of the contents (.bin, .dat and their
 * like). NULL: the name says no type. */
const struct gsi_type_word *gsi_type_word_of_file(const char *path);

/* gsi_type_word_of_option: finds what --type says, and checks it.
 * gsi_type_word_check: what is said by `option`, as part of `text`, names one type.
 * fails GS_E_USAGE: it does not; the line says what to do */
enum gs_status gsi_type_word_of_option(const char *given, const struct gsi_type_word **word,
                                       struct gs_error *error);
enum gs_status gsi_type_word_check(const struct gsi_type_word *word, const char *option,
                                   const char *text, struct gs_error *error);

/* gsi_type_word_near: returns `hint`: "; is f32 or f64 meant?", or nothing where no type is near to
 * `length` letters of `text`. */
#define GSI_TYPE_HINT_BYTES 64
const char *gsi_type_word_near(const char *text, size_t length, char hint[GSI_TYPE_HINT_BYTES]);

/* gsi_type_goes_with: the same type, by names in number_type.c, but that a unit may be in one of
 * them only. */
bool gsi_type_goes_with(const char *a, const char *b);

#endif
