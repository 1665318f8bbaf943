/* option_texts.c: finds the lists of texts in options by the rows of the table. */
#include "option/option_texts.h"

#include <string.h>

size_t gsi_option_texts(struct gsi_options *options, struct gsi_text_list lists[GSI_OPT_COUNT])
{
    size_t count = 0;
    char *members = (char *)options;
    for (size_t i = 0; i < GSI_OPT_COUNT; i++) {
        const struct gsi_option_row *row = &gsi_option_rows[i];
        if (row->kind != GSI_KIND_LIST)
            continue;
        lists[count].texts = (const char *const **)(void *)(members + row->off);
        lists[count].count = *(const size_t *)(void *)(members + row->more);
        count++;
    }
    return count;
}

uint64_t gsi_texts_bytes(const char *const *texts, size_t count)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += sizeof *texts + strlen(texts[i]) + 1;
    return bytes;
}
