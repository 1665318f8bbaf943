/* foreign.h: recognises other programs' formats by their first bytes. Sorting such files as numbers
 * would destroy them without an error.
 *
 * Numbers may begin with any bytes, so a format must be certain. Eight or more bytes identify it,
 * or four bytes and a plausible header after them. Text is identified by its first KiBs, if all are
 * characters: of ASCII, UTF-8, UTF-16, or a code with one byte per letter, such as Latin-1.
 * Arguments are plain: no job is needed. */
#ifndef GSI_FOREIGN_H
#define GSI_FOREIGN_H

#include "base/status.h"

/* An input's beginning. */
struct gsi_beginning {
    const uint8_t *data;
    size_t bytes;
    bool is_whole;    /* `data` is the whole input */
    bool may_be_text; /* text is accepted: records may be lines */
};

/* gsi_foreign_wanted: returns how many bytes of an input's beginning are necessary to recognise it.
 * `bytes` or fewer: these suffice. For numbers, four bytes usually suffice. */
size_t gsi_foreign_wanted(const uint8_t *data, size_t bytes);

/* gsi_foreign_check: checks that the beginning is not another program's format.
 * in    name: of the input, for the message
 * fails GS_E_INPUT: it is; the message names the format and what to do */
enum gs_status gsi_foreign_check(const struct gsi_beginning *beginning, const char *name,
                                 struct gs_error *error);

#endif
