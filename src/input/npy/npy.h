/* npy.h: headers of NumPy's .npy files, versions 1 to 3, read strictly and written as NumPy does.
 *
 *     \x93NUMPY | version 2 | length 2 or 4 | {'descr': .., 'fortran_order': .., 'shape': ..}| data
 *
 * Files hold one dimension of numbers ('<f8'), or of structured elements: records, whose fields
 * have names ([('time', '<i8'), ('price', '<f8')]); or two dimensions of numbers, whose rows are
 * records: their fields are the columns, named 0, 1, .. Anything else that NumPy can store is
 * refused, and the error line says why and what to do. Pure; any bytes may come. */
#ifndef GSI_NPY_H
#define GSI_NPY_H

#include "base/status.h"

/* NumPy itself refuses headers of more than 10000 bytes by default. */
#define GSI_NPY_HEADER_MAX 65536u
#define GSI_NPY_FIELDS_MAX 256u
#define GSI_NPY_NAME_BYTES 64u
#define GSI_NPY_UNIT_BYTES 16u
#define GSI_NPY_HEAD_BYTES 12u /* magic, version and the longest length */

struct gsi_npy_field {
    char name[GSI_NPY_NAME_BYTES]; /* UTF-8; a field in a field is "outer.inner"; "": padding */
    uint32_t off, bytes;           /* in the element */
    uint32_t count;                /* of an array; else 1 */
    char kind;                     /* u i f b(ool) c(omplex) S U V m M, as in NumPy */
    bool is_big_endian;
    bool is_inner;                 /* an array of structures; V, whatever they hold */
    char unit[GSI_NPY_UNIT_BYTES]; /* of m and M: "ns", "25s"; "": none */
};

struct gsi_npy {
    uint32_t header_bytes; /* with the magic: data begin here */
    uint64_t count;        /* of elements */
    uint32_t element_bytes;
    bool is_structured;
    uint32_t columns;     /* of two dimensions; 0: there is one */
    uint32_t field_count; /* not structured: 1, the element itself, without a name */
    struct gsi_npy_field fields[GSI_NPY_FIELDS_MAX];
    const char *descr; /* the text of the type; borrowed from the header */
    uint32_t descr_bytes;
    uint8_t version;
};

/* gsi_npy_begins: whether the magic is there. */
bool gsi_npy_begins(const uint8_t *data, size_t bytes);

/* gsi_npy_wanted: how many bytes the header has; GSI_NPY_HEAD_BYTES if `bytes` are too few to tell.
 */
uint64_t gsi_npy_wanted(const uint8_t *data, size_t bytes);

/* gsi_npy_read: reads the header at `data`.
 * in    name: of the file, for the error
 * fails GS_E_INPUT: cut short, not as NumPy writes it, or nothing that gsort sorts */
enum gs_status gsi_npy_read(const uint8_t *data, size_t bytes, const char *name,
                            struct gsi_npy *npy, struct gs_error *error);

/* gsi_npy_field_find: the field of this name, or NULL. */
const struct gsi_npy_field *gsi_npy_field_find(const struct gsi_npy *npy, const char *name);

/* gsi_npy_write: writes the header of `count` elements, or rows. Returns its length, a
 * multiple of 64, or 0: `most` bytes do not hold it.
 * in    descr: Python text, as in gsi_npy, or "'<u8'"; columns: of rows, or 0; version: 1 at
 *       least */
size_t gsi_npy_write(const char *descr, size_t descr_bytes, uint64_t count, uint32_t columns,
                     uint8_t version, uint8_t *header, size_t most);

#endif
