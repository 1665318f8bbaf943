/* npy_text.h: the Python literals that a .npy header is made of. Used in this folder only. */
#ifndef GSI_NPY_TEXT_H
#define GSI_NPY_TEXT_H

#include "input/npy/npy.h"

/* Where the reader is in a header's text. */
struct gsi_npy_text {
    const char *at, *end;
    const char *problem; /* what is wrong with it; NULL: nothing yet */
    bool is_latin1;      /* its letters are; else UTF-8 */
};

/* All skip blanks first. gsi_npy_take: one character, if it is there.  gsi_npy_expect: or that is
 * the problem. */
bool gsi_npy_take(struct gsi_npy_text *text, char wanted);
bool gsi_npy_expect(struct gsi_npy_text *text, char wanted, const char *problem);

/* gsi_npy_is_end: whether nothing but blanks is left. */
bool gsi_npy_is_end(struct gsi_npy_text *text);

/* gsi_npy_string: '..' or "..", without a NUL, as UTF-8; longer than `most` - 1 is a problem. */
bool gsi_npy_string(struct gsi_npy_text *text, char *string, size_t most);

/* gsi_npy_number: decimal, below 2^63; Python 2 wrote an L behind it. */
bool gsi_npy_number(struct gsi_npy_text *text, uint64_t *number);

/* gsi_npy_word: a name such as False. */
bool gsi_npy_word(struct gsi_npy_text *text, const char *word);

/* gsi_npy_descr: a type, simple or structured, into npy->fields and element_bytes. */
bool gsi_npy_descr(struct gsi_npy_text *text, struct gsi_npy *npy);

#endif
