/* option_take.c: texts become members, by the kinds of options. */
#include "option/option_take.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

enum gs_status gsi_take_number(const char *name, const char *text, uint32_t least, uint32_t most,
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

enum gs_status gsi_take_word(const char *name, const char *text, const struct gs_choice *choices,
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
        return has_number ? gsi_take_number(name, text + length + 1, c->number_min, c->number_max,
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
    bool is_size = row->is_place ? gsi_place_parse(text, bytes) : gs_size_parse(text, 0, bytes);
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
    GSI_TRY(gsi_take_word(row->option.name, text, row->option.choices, &value, &number, error));
    if (row->bytes == sizeof(bool))
        *(bool *)(members + row->off) = value != 0;
    else
        memcpy(members + row->off, &value, sizeof value);
    if (row->more > 0)
        memcpy(members + row->more, &number, sizeof number);
    return GS_OK;
}

enum gs_status gsi_option_take(enum gsi_option_id id, const char *text, struct gsi_options *options,
                               struct gs_error *error)
{
    const struct gsi_option_row *row = &gsi_option_rows[id];
    void *member = (char *)options + row->off;
    switch (row->kind) {
    case GSI_KIND_FLAG:
        return take_flag(row, text, member, error);
    case GSI_KIND_NUMBER:
        return gsi_take_number(row->option.name, text, row->least, row->most, member, error);
    case GSI_KIND_SIZE:
        return take_size(row, text, member, error);
    case GSI_KIND_CHOICE:
        return take_choice(row, text, options, error);
    case GSI_KIND_TEXT:
        *(const char **)member = text;
        return GS_OK;
    case GSI_KIND_OTHER:
        return row->take(options, text, error);
    default:
        return gsi_fail(error, GS_E_USAGE, 0, "--%s: cannot be set from one text",
                        row->option.name);
    }
}
