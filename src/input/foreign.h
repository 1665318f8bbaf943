/* foreign.h: recognises other programs' formats by their first bytes. Sorted as numbers such files
 * would be destroyed, and nothing would say so.
 *
 * Numbers may begin with any bytes, so a format must be certain. It is recognised by eight bytes or
 * more, or by four bytes and what its header may hold behind them. Text is recognised by its first
 * KiBs, all of which are characters: of ASCII, UTF-8, UTF-16, or a code of a byte a letter, as
 * Latin-1. Arguments are plain: no job is needed. */
#ifndef GSI_FOREIGN_H
#define GSI_FOREIGN_H

#include "base/status.h"

/* An input's beginning. */
struct gsi_beginning {
    const uint8_t *data;
    size_t bytes;
    bool is_whole;    /* nothing follows `data` */
    bool may_be_text; /* text is no foreign format: records may be lines */
};

/* gsi_foreign_wanted: how many bytes of an input's beginning have to be known to recognise it;
 * `bytes` or fewer: what is there is enough. For numbers four bytes are enough, as a rule. */
size_t gsi_foreign_wanted(const uint8_t *data, size_t bytes);

/* gsi_foreign_check: checks that the beginning is no other program's format.
 * in    name: of the input, for the message
 * fails GS_E_INPUT: it is one; the line says which, and what to do */
enum gs_status gsi_foreign_check(const struct gsi_beginning *beginning, const char *name,
                                 struct gs_error *error);

#endif
