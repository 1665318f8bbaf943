/* option_texts.h: all lists of texts that options point to, for those who copy or count them. */
#ifndef GSI_OPTION_TEXTS_H
#define GSI_OPTION_TEXTS_H

#include "base/options.h"
#include "option/option.h"

struct gsi_text_list {
    const char *const **texts; /* in the options */
    size_t count;
};

/* gsi_option_texts: the lists of `options`, which may be changed there; returns how many there
 * are. */
size_t gsi_option_texts(struct gsi_options *options, struct gsi_text_list lists[GSI_OPT_COUNT]);

/* gsi_texts_bytes: the memory of a list of texts, with its pointers. */
uint64_t gsi_texts_bytes(const char *const *texts, size_t count);

#endif
