/* fits_card.h: parses cards of a FITS header. Used in this folder only. */
#ifndef GSI_FITS_CARD_H
#define GSI_FITS_CARD_H

#include "base/status.h"

#define GSI_FITS_CARD       80u
#define GSI_FITS_NAME_BYTES 72u

/* gsi_fits_is: returns whether the card has this keyword, at most eight letters.
 * gsi_fits_index: returns the number after the `stem` of the card's keyword, such as 3 in TFORM3,
 * up to 999; 0: it has none. */
bool gsi_fits_is(const uint8_t *card, const char *keyword);
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
