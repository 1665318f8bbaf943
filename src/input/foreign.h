/* foreign.h: recognises other programs' formats by their first bytes. Sorting such files as numbers
 * would destroy them without an error.
 *
 * Binary numbers may begin with any bytes. So a format is recognised only by eight or more fixed
 * bytes, or by at least three and a plausible header after them. Text is recognised if its first 4
 * KiB are characters of ASCII, UTF-8, UTF-16, or a code with one byte per letter, such as Latin-1.
 * These functions need no job. */
#ifndef GSI_FOREIGN_H
#define GSI_FOREIGN_H

#include "base/status.h"

/* The first bytes of an input. */
struct gsi_beginning {
    const uint8_t *data;
    size_t bytes;
    bool is_whole;    /* `data` is the whole input */
    bool may_be_text; /* do not refuse text: the elements are records, which may be lines */
};

/* gsi_foreign_wanted: returns how many bytes of an input are needed to recognise its format, as far
 * as the first `bytes` tell. If the result is at most `bytes`, they suffice. */
size_t gsi_foreign_wanted(const uint8_t *data, size_t bytes);

/* gsi_foreign_check: checks that the input does not have another program's format.
 * in    name: name of the input, for the message
 * fails GS_E_INPUT: it has; the message names the format and what to do */
enum gs_status gsi_foreign_check(const struct gsi_beginning *beginning, const char *name,
                                 struct gs_error *error);

#endif
