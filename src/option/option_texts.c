/* option_texts.c: finds the lists of texts in options by the rows of the table; writes choices. */
#include "option/option_texts.h"

#include "base/checked.h"

#include <stdio.h>
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

void gsi_compress_text(enum gsi_compress_choice choice, uint32_t level, char *text, size_t bytes)
{
    const struct gs_choice *known = gsi_choices_of_compress;
    while (known->word != NULL && known->value != (int)choice)
        known++;
    const char *word = known->word != NULL ? known->word : "?";
    if (known->number_max == 0)
        snprintf(text, bytes, "%s", word);
    else
        snprintf(text, bytes, "%s:%u", word, gsi_max_u32(known->number_min, level));
}
