/* npy_text.h: the Python literals that a .npy header is made of. Used in this folder only. */
#ifndef GSI_NPY_TEXT_H
#define GSI_NPY_TEXT_H

#include "input/npy/npy.h"

/* Where the reader is in a header's text. */
struct gsi_npy_text {
    const char *at, *end;
    const char *problem; /* what is wrong with the text; NULL: nothing yet */
    bool is_latin1;      /* the text is Latin-1; else UTF-8 */
};

/* All calls skip blanks first, and return whether they found what they look for.
 * gsi_npy_take: reads one character, if it is `wanted`.
 * gsi_npy_expect: the same; another character is the `problem`. */
bool gsi_npy_take(struct gsi_npy_text *text, char wanted);
bool gsi_npy_expect(struct gsi_npy_text *text, char wanted, const char *problem);

/* gsi_npy_is_end: whether nothing but blanks is left. */
bool gsi_npy_is_end(struct gsi_npy_text *text);

/* gsi_npy_string: reads '..' or "..", without a NUL, as UTF-8; more than `most` - 1 bytes are a
 * problem. */
bool gsi_npy_string(struct gsi_npy_text *text, char *string, size_t most);

/* gsi_npy_number: reads a decimal number below 2^63; Python 2 wrote an L behind it. */
bool gsi_npy_number(struct gsi_npy_text *text, uint64_t *number);

/* gsi_npy_word: reads a name such as False, if it is `word`. */
bool gsi_npy_word(struct gsi_npy_text *text, const char *word);

/* gsi_npy_descr: reads a type, simple or structured, into npy->fields and npy->element_bytes. */
bool gsi_npy_descr(struct gsi_npy_text *text, struct gsi_schema *npy);

#endif
