/* npy.h: reads headers of NumPy's .npy files, versions 1 to 3, and writes headers as NumPy does.
 *
 *     \x93NUMPY | version 2 | length 2 or 4 | {'descr': .., 'fortran_order': .., 'shape': ..}| data
 *
 * Files contain one dimension of numbers ('<f8') or of structured elements, which are records of
 * named fields ([('time', '<i8'), ('price', '<f8')]). Or they contain two dimensions of numbers:
 * their rows are records, and their columns are fields named 0, 1, .. All other arrays are refused,
 * with a message that says why and what to do. The functions have no side effects, and accept any
 * bytes. */
#ifndef GSI_NPY_H
#define GSI_NPY_H

#include "input/format/schema.h"

/* NumPy itself refuses headers of more than 10000 bytes by default. */
#define GSI_NPY_HEADER_MAX 65536u
#define GSI_NPY_FIELDS_MAX 256u
#define GSI_NPY_HEAD_BYTES 12u /* magic number, version and the longest length */

/* gsi_npy_begins: returns whether the data begin with the magic number. */
bool gsi_npy_begins(const uint8_t *data, size_t bytes);

/* gsi_npy_wanted: returns how many bytes the header has; GSI_NPY_HEAD_BYTES if `bytes` are too few
 * to know that. */
uint64_t gsi_npy_wanted(const uint8_t *data, size_t bytes);

/* gsi_npy_read: reads the header at `data`.
 * in    name: of the file, for the error
 * fails GS_E_INPUT: it is truncated, not as NumPy writes it, or gsort cannot sort its elements */
enum gs_status gsi_npy_read(const uint8_t *data, size_t bytes, const char *name,
                            struct gsi_schema *npy, struct gs_error *error);

/* gsi_npy_write: writes the header of `count` elements, or rows. Returns its length, a multiple of
 * 64, or 0: it needs more than `most` bytes.
 * in    descr: Python text, as in gsi_schema, or "'<u8'"; columns: of rows, or 0; version: at least
 *       1 */
size_t gsi_npy_write(const char *descr, size_t descr_bytes, uint64_t count, uint32_t columns,
                     uint8_t version, uint8_t *header, size_t most);

#endif
