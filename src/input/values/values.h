/* values.h: opens the files of --values FILE:BYTES=OUTPUT, whose elements are sorted along with the
 * keys.
 *
 *     key file    k0 k1 k2 ..   joined as they     [ k0 | a0 | b0 ] [ k1 | a1 | b1 ] ..
 *     FILE        a0 a1 a2 ..   are read           records, sorted by the key; the result is
 *     FILE        b0 b1 b2 ..                      taken apart again (output/split/columns.h) */
#ifndef GSI_VALUES_H
#define GSI_VALUES_H

#include "base/choices.h"
#include "base/memory.h"
#include "io/file.h"

struct gsi_value_file {
    char *path, *output; /* two parts of one text from malloc, which begins at path */
    uint32_t bytes;      /* of a value */
    uint32_t off;        /* of the value in the joined record */
    struct gsi_input input;
};

struct gsi_values {
    struct gsi_value_file *table; /* from malloc */
    uint32_t count;
};

/* gsi_values_parse: parses `count` texts of --values. The first value is at `off` in the joined
 * record.
 * fails GS_E_USAGE: a text is not FILE:BYTES=OUTPUT; GS_E_MEMORY */
enum gs_status gsi_values_parse(struct gsi_values *values, const char *const *texts, size_t count,
                                uint32_t off, struct gs_error *error);

/* gsi_values_open: opens the files, to read `count` values from value `first` on. Each file must
 * have `all` values.
 * fails GS_E_INPUT: a file cannot be read, or does not have as many values as there are keys;
 *       GS_E_USAGE: it is a stream */
enum gs_status gsi_values_open(struct gsi_values *values, uint64_t first, uint64_t count,
                               uint64_t all, struct gs_error *error);
void gsi_values_close(struct gsi_values *values); /* accepts zeroed ones */

/* gsi_values_bytes: returns the bytes of all values that are read. */
uint64_t gsi_values_bytes(const struct gsi_values *values);

#endif
