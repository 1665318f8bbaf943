/* element_report.h: describes elements and their fields. */
#ifndef GSI_ELEMENT_REPORT_H
#define GSI_ELEMENT_REPORT_H

#include "base/calendar.h"
#include "base/choices.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A field of a record: a key, or one with statistics. */
struct gsi_field_report {
    char text[GSI_FIELD_TEXT_BYTES];
    bool is_number;   /* its value is an element of element_bytes; else bytes */
    const char *type; /* the name of a number's type; NULL: bytes, or a sum wider than any type */
    uint32_t off, bytes, element_bytes;
    bool is_float, is_signed;
    bool is_big_endian; /* in the record; a value is little endian */
    bool is_bfloat;     /* a float of 2 bytes is the upper half of one of 4, not IEEE's half */
    bool is_time;       /* the least is NaT: no time */
    bool has_no_sum;    /* the values are times of a known unit */
    enum gsi_time_unit unit;
};

/* The elements that are sorted. */
struct gsi_element_report {
    const char *type;        /* the element type's name */
    const char *type_source; /* "option", "npy header", "file name", "output name" or "default" */
    const char *type_word;   /* the word that said the type there, such as "float64"; or NULL */
    uint32_t bytes;
    bool is_float, is_signed, is_reversed;
    char keys[GSI_FIELDS_MAX][GSI_FIELD_TEXT_BYTES]; /* of records */
    size_t key_count, field_count;
    /* Fields of records with statistics. With GS_LOOK: the columns that are printed
     * (input/format/fields.h); wide sums of wide_bytes follow each record. */
    struct gsi_field_report fields[GSI_FIELDS_MAX];
    uint32_t wide_bytes;
};

#endif
