/* fits.h: headers of FITS files, up to that of the first binary table.
 *
 *     primary header | its data | .. | header of the table | rows | heap | zeros | other HDUs
 *
 * Headers are cards of 80 characters in blocks of 2880 bytes, rows are big endian. The first binary
 * table is taken; everything before it counts as header, and everything behind its rows is kept.
 * Tables that are packed (ZTABLE, ZIMAGE) are refused. Pure; any bytes may come.
 *
 * (FITS Standard 4.0, sections 4.4 and 7.3.) */
#ifndef GSI_FITS_H
#define GSI_FITS_H

#include "input/format/schema.h"

#define GSI_FITS_BLOCK 2880u

/* gsi_fits_wanted: how many bytes have to be looked at, as far as `bytes` can tell; no more than
 * there are: they are enough, or nothing more will do. */
uint64_t gsi_fits_wanted(const uint8_t *data, size_t bytes);

/* gsi_fits_read: reads what the file begins with.
 * in    name: of the file, for the error
 * fails GS_E_INPUT: no binary table, packed, odd, cut short */
enum gs_status gsi_fits_read(const uint8_t *data, size_t bytes, const char *name,
                             struct gsi_schema *schema, struct gs_error *error);

/* gsi_fits_patch: makes a header, which gsi_fits_read has read, that of `count` rows. Checksums of
 * the table, which the order of rows changes, become blank cards. */
void gsi_fits_patch(uint8_t *header, uint64_t header_bytes, uint64_t count);

#endif
