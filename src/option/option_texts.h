/* option_texts.h: finds the lists of texts that options point to, and writes choices as text. */
#ifndef GSI_OPTION_TEXTS_H
#define GSI_OPTION_TEXTS_H

#include "option/option.h"
#include "option/options.h"

struct gsi_text_list {
    const char *const **texts; /* in the options */
    size_t count;
};

/* gsi_option_texts: the lists of `options`, which may be changed there; returns how many there
 * are. */
size_t gsi_option_texts(struct gsi_options *options, struct gsi_text_list lists[GSI_OPT_COUNT]);

/* gsi_texts_bytes: the memory of a list of texts, with its pointers. */
uint64_t gsi_texts_bytes(const char *const *texts, size_t count);

/* gsi_compress_text: writes a choice as --compress spells it, with a level if it has one (0: the
 * default). */
void gsi_compress_text(enum gsi_compress_choice choice, uint32_t level, char *text, size_t bytes);

#endif
