/* foreign.h: formats of other programs, by what they begin with. Sorted as numbers they would be
 * destroyed, and nothing would say so.
 *
 * What is recognised has to be sure: numbers may begin with any bytes. So a format is told by eight
 * bytes and more, or by four and what its headers may hold behind them; text by its first KiBs, all
 * of which are characters. Plain arguments: no job. */
#ifndef GSI_FOREIGN_H
#define GSI_FOREIGN_H

#include "base/status.h"

/* An input's beginning. */
struct gsi_beginning {
    const uint8_t *data;
    size_t bytes;
    bool is_whole;    /* nothing follows */
    bool may_be_text; /* text is sorted, too: records may be lines */
};

/* gsi_foreign_wanted: how many bytes of an input will tell; no more than there are: they do. Numbers
 * tell by their first four, as a rule. */
size_t gsi_foreign_wanted(const uint8_t *data, size_t bytes);

/* gsi_foreign_check: the beginning is no other program's format.
 * in    name: of the input, for the message
 * fails GS_E_INPUT: it is; the line says which, and what to do */
enum gs_status gsi_foreign_check(const struct gsi_beginning *beginning, const char *name,
                                 struct gs_error *error);

#endif
