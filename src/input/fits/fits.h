/* fits.h: reads and writes headers of FITS files, up to the header of the first binary table.
 *
 *     primary header | its data | .. | header of the table | rows | heap | zeros | other HDUs
 *
 * Headers are cards of 80 characters in blocks of 2880 bytes, and rows are big endian. gsort sorts
 * the first binary table. Everything before its rows counts as header, and everything after them is
 * kept. Compressed tables (ZTABLE, ZIMAGE) are refused. The functions are pure, and accept any
 * bytes.
 *
 * (FITS Standard 4.0, sections 4.4 and 7.3.) */
#ifndef GSI_FITS_H
#define GSI_FITS_H

#include "input/format/schema.h"

#define GSI_FITS_BLOCK 2880u

/* gsi_fits_wanted: returns how many bytes are necessary, as far as `bytes` say. If it returns no
 * more than `bytes`, they suffice, or more would not help. */
uint64_t gsi_fits_wanted(const uint8_t *data, size_t bytes);

/* gsi_fits_read: reads the beginning of the file.
 * in    name: of the file, for the error
 * fails GS_E_INPUT: there is no binary table, or it is compressed, invalid or truncated */
enum gs_status gsi_fits_read(const uint8_t *data, size_t bytes, const char *name,
                             struct gsi_schema *schema, struct gs_error *error);

/* gsi_fits_patch: changes a header that gsi_fits_read accepted to a header of `count` rows.
 * Checksums of the table are replaced by blank cards, because they depend on the order of rows. */
void gsi_fits_patch(uint8_t *header, uint64_t header_bytes, uint64_t count);

#endif
