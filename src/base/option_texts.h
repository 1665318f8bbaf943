/* option_texts.h: the lists of texts that options point to, in one place: whoever copies or counts
 * them has all. */
#ifndef GSI_OPTION_TEXTS_H
#define GSI_OPTION_TEXTS_H

#include "base/options.h"

#define GSI_TEXT_LISTS 12

struct gsi_text_list {
    const char *const **texts; /* in the options */
    size_t count;
};

/* gsi_option_texts: the lists of `options`; they may be changed there. */
void gsi_option_texts(struct gsi_options *options, struct gsi_text_list lists[GSI_TEXT_LISTS]);

/* gsi_texts_bytes: what a list of texts takes, with its pointers. */
uint64_t gsi_texts_bytes(const char *const *texts, size_t count);

#endif
