/* fits.h: reads and writes headers of FITS files, up to the header of the first binary table.
 *
 *     primary header | its data | .. | header of the table | rows | heap | zeros | other HDUs
 *
 * Headers are cards of 80 characters in blocks of 2880 bytes, and rows are big endian. gsort sorts
 * the first binary table. Everything before its rows counts as the header. Everything after them is
 * copied to the output. Compressed tables (ZTABLE, ZIMAGE) are refused. The functions have no side
 * effects, and accept any bytes.
 *
 * (FITS Standard 4.0, sections 4.4 and 7.3.) */
#ifndef GSI_FITS_H
#define GSI_FITS_H

#include "input/format/schema.h"

#define GSI_FITS_BLOCK 2880u

/* gsi_fits_wanted: returns how many bytes of the file are needed to read the table's header. If the
 * result is at most `bytes`, read no more. */
uint64_t gsi_fits_wanted(const uint8_t *data, size_t bytes);

/* gsi_fits_read: reads the header at the beginning of the file.
 * in    name: of the file, for the error
 * fails GS_E_INPUT: there is no binary table, or it is compressed, invalid or truncated */
enum gs_status gsi_fits_read(const uint8_t *data, size_t bytes, const char *name,
                             struct gsi_schema *schema, struct gs_error *error);

/* gsi_fits_patch: changes a header that gsi_fits_read accepted to a header of `count` rows. It
 * replaces checksums of the table by blank cards, because they depend on the order of rows. */
void gsi_fits_patch(uint8_t *header, uint64_t header_bytes, uint64_t count);

/* ---- cards, in this folder and tests only ---- */

#define GSI_FITS_CARD_H

#include "base/status.h"

#define GSI_FITS_CARD       80u
#define GSI_FITS_NAME_BYTES 72u

/* gsi_fits_has_keyword: returns whether the card has this keyword, at most eight letters.
 * gsi_fits_index: returns the number after the `stem` of the card's keyword, such as 3 in TFORM3,
 * up to 999; 0: it has none. */
bool gsi_fits_has_keyword(const uint8_t *card, const char *keyword);
uint32_t gsi_fits_index(const uint8_t *card, const char *stem);

/* gsi_fits_number: reads an integer. Returns whether there is one that is not negative.
 * gsi_fits_string: reads '..' without the blanks at its end. Returns whether there is one.
 * gsi_fits_real: returns a number of any kind; 0: there is none.
 * gsi_fits_is_true: returns whether the value is T. */
bool gsi_fits_number(const uint8_t *card, uint64_t *value);
bool gsi_fits_string(const uint8_t *card, char text[GSI_FITS_NAME_BYTES]);
double gsi_fits_real(const uint8_t *card);
bool gsi_fits_is_true(const uint8_t *card);

#endif
