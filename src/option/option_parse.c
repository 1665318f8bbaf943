/* option_parse.c: parses the texts of options into members, by the kinds of the options. */
#include "option/option_parse.h"

#include "base/checked.h"
#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum gs_status gsi_parse_number(const char *name, const char *text, uint32_t least, uint32_t most,
                                uint32_t *number, struct gs_error *error)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || value < least || value > most)
        return gsi_fail(error, GS_E_USAGE, 0, "--%s: '%s' is not a whole number from %u to %u",
                        name, text, least, most);
    *number = (uint32_t)value;
    return GS_OK;
}

enum gs_status gsi_parse_word(const char *name, const char *text, const struct gs_choice *choices,
                              int *value, uint32_t *number, struct gs_error *error)
{
    char known[128] = "";
    *number = 0;
    for (const struct gs_choice *c = choices; c->word != NULL; c++) {
        size_t length = strlen(c->word);
        bool is_word = strncmp(text, c->word, length) == 0;
        bool has_number = is_word && c->number_max > 0 && text[length] == ':';
        strncat(known, " ", sizeof known - strlen(known) - 1);
        strncat(known, c->word, sizeof known - strlen(known) - 1);
        if (!is_word || (text[length] != '\0' && !has_number))
            continue;
        *value = c->value;
        return has_number ? gsi_parse_number(name, text + length + 1, c->number_min, c->number_max,
                                             number, error)
                          : GS_OK;
    }
    return gsi_fail(error, GS_E_USAGE, 0, "--%s: '%s' is not one of:%s", name, text, known);
}

static enum gs_status take_flag(const struct gsi_option_row *row, const char *text, bool *flag,
                                struct gs_error *error)
{
    *flag = strcmp(text, "true") == 0;
    if (*flag || strcmp(text, "false") == 0)
        return GS_OK;
    return gsi_fail(error, GS_E_USAGE, 0, "--%s: '%s' is neither true nor false", row->option.name,
                    text);
}

static enum gs_status take_size(const struct gsi_option_row *row, const char *text, uint64_t *bytes,
                                struct gs_error *error)
{
    bool is_size =
        row->is_place ? gsi_byte_count_parse(text, bytes) : gs_size_parse(text, 0, bytes);
    if (is_size && *bytes >= row->least)
        return GS_OK;
    return gsi_fail(error, GS_E_USAGE, 0,
                    "--%s: '%s' is not a size like 512M or 4G (powers of 1024)", row->option.name,
                    text);
}

static enum gs_status take_choice(const struct gsi_option_row *row, const char *text,
                                  struct gsi_options *options, struct gs_error *error)
{
    int value;
    uint32_t number;
    char *members = (char *)options;
    GSI_TRY(gsi_parse_word(row->option.name, text, row->option.choices, &value, &number, error));
    if (row->bytes == sizeof(bool))
        *(bool *)(members + row->off) = value != 0;
    else
        memcpy(members + row->off, &value, sizeof value);
    if (row->more > 0)
        memcpy(members + row->more, &number, sizeof number);
    return GS_OK;
}

enum gs_status gsi_option_apply(enum gsi_option_id id, const char *text,
                                struct gsi_options *options, struct gs_error *error)
{
    const struct gsi_option_row *row = &gsi_option_rows[id];
    void *member = (char *)options + row->off;
    switch (row->kind) {
    case GSI_KIND_FLAG:
        return take_flag(row, text, member, error);
    case GSI_KIND_NUMBER:
        return gsi_parse_number(row->option.name, text, row->least, row->most, member, error);
    case GSI_KIND_SIZE:
        return take_size(row, text, member, error);
    case GSI_KIND_CHOICE:
        return take_choice(row, text, options, error);
    case GSI_KIND_TEXT:
        *(const char **)member = text;
        return GS_OK;
    case GSI_KIND_OTHER:
        return row->apply(options, text, error);
    default:
        return gsi_fail(error, GS_E_USAGE, 0, "--%s: cannot be set from one text",
                        row->option.name);
    }
}

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
