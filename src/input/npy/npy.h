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

#include "input/format/schema.h"

/* NumPy itself refuses headers of more than 10000 bytes by default. */
#define GSI_NPY_HEADER_MAX 65536u
#define GSI_NPY_FIELDS_MAX 256u
#define GSI_NPY_HEAD_BYTES 12u /* magic, version and the longest length */

/* gsi_npy_begins: whether the magic is there. */
bool gsi_npy_begins(const uint8_t *data, size_t bytes);

/* gsi_npy_wanted: how many bytes the header has;
 * GSI_NPY_HEAD_BYTES if `bytes` are too few to tell. */
uint64_t gsi_npy_wanted(const uint8_t *data, size_t bytes);

/* gsi_npy_read: reads the header at `data`.
 * in    name: of the file, for the error
 * fails GS_E_INPUT: cut short, not as NumPy writes it, or nothing that gsort sorts */
enum gs_status gsi_npy_read(const uint8_t *data, size_t bytes, const char *name,
                            struct gsi_schema *npy, struct gs_error *error);

/* gsi_npy_write: writes the header of `count` elements, or rows. Returns its length, a
 * multiple of 64, or 0: `most` bytes do not hold it.
 * in    descr: Python text, as in gsi_schema, or "'<u8'"; columns: of rows, or 0; version: 1 at
 *       least */
size_t gsi_npy_write(const char *descr, size_t descr_bytes, uint64_t count, uint32_t columns,
                     uint8_t version, uint8_t *header, size_t most);

#endif
