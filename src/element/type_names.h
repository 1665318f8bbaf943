/* type_names.h: what people call the element types, for --type and in names of files.
 *
 *     u32 uint32 uint32_t <u4       C's names and NumPy's
 *     f64be >f8                     big endian
 *     i8 u8                         8 bits, as in keys of records; 8 bytes in NumPy, which is said where
 *                                   the data could be that
 *     float int                     two types, by language: refused
 *     f128                          no elements
 *
 * Words are the same in upper and in lower case. */
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
    const char *word; /* in lower case */
    const char *type; /* its name in number_type.c, or that and "be"; NULL unless PLAIN or SMALL */
    enum gsi_type_sense sense;
    const char *advice; /* what to do, for the other two */
};

/* gsi_type_word_find: what is said by --type; NULL: nothing that is known. */
const struct gsi_type_word *gsi_type_word_find(const char *text);

/* gsi_type_word_of_file: the last word of a file's name, behind '.', '_' or '-': x.f64, X_U32,
 * books_200M_uint64, x.u32.bin, x.f64.zst, or all of it: f64.bin. What says nothing of the contents is
 * looked past (.bin, .dat and their like). NumPy's two letters count behind '.' only: a run_i4 is a fourth run. NULL:
 * the name says no type. */
const struct gsi_type_word *gsi_type_word_of_file(const char *path);

/* gsi_type_word_check: what is said by the name of `path`, or by --type if that is NULL, names one
 * type.
 * fails GS_E_USAGE: it does not; the line says what to do */
enum gs_status gsi_type_word_check(const struct gsi_type_word *word, const char *path,
                                   struct gs_error *error);

#endif
