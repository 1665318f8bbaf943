/* names.c: finds names, and fails with those that there are. */
#include "element/record/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum gs_status gsi_names_open(struct gsi_names *names, uint32_t header_count, size_t text_count,
                              struct gs_error *error)
{
    const size_t most = (size_t)header_count + (text_count > 0 ? GSI_NAMED_MAX : 0) + 1;
    *names = (struct gsi_names){.table = calloc(most, sizeof *names->table)};
    return names->table != NULL
               ? GS_OK
               : gsi_fail(error, GS_E_MEMORY, 0, "out of memory: cannot allocate names of fields");
}

void gsi_names_close(struct gsi_names *names)
{
    free(names->table);
    *names = (struct gsi_names){.file = NULL};
}

const struct gsi_name *gsi_names_find(const struct gsi_names *names, const char *text)
{
    const uint32_t count = names != NULL && text[0] != '\0' ? names->count : 0;
    for (uint32_t i = 0; i < count; i++)
        if (text == names->table[i].place) /* its name may be that of another field, too */
            return &names->table[i];
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(names->table[i].text, text) == 0)
            return &names->table[i];
    for (uint32_t i = 0; i < count && names->ignores_case; i++)
        if (strcasecmp(names->table[i].text, text) == 0)
            return &names->table[i];
    return NULL;
}

bool gsi_order_word(const char *text, bool *is_descending)
{
    *is_descending = strcasecmp(text, ":desc") == 0 || strcasecmp(text, ":descending") == 0;
    return *is_descending || strcasecmp(text, ":asc") == 0 || strcasecmp(text, ":ascending") == 0;
}

size_t gsi_names_text_bytes(const struct gsi_names *names, const char *text)
{
    const char *order = strrchr(text, ':');
    bool is_descending;
    return gsi_names_find(names, text) == NULL && order != NULL &&
                   gsi_order_word(order, &is_descending)
               ? (size_t)(order - text)
               : strlen(text);
}

const char *gsi_names_text(const struct gsi_names *names, char text[GSI_NAMES_TEXT_BYTES])
{
    size_t at = (size_t)snprintf(text, GSI_NAMES_TEXT_BYTES, "%s", names->fields);
    for (uint32_t i = names->header_count; i < names->count && at < GSI_NAMES_TEXT_BYTES; i++)
        at += (size_t)snprintf(text + at, GSI_NAMES_TEXT_BYTES - at, "%s%s", at > 0 ? ", " : "",
                               names->table[i].text);
    return text;
}

enum gs_status gsi_names_fail_unknown(const struct gsi_names *names, const char *option,
                                      const char *text, struct gs_error *error)
{
    char known[GSI_NAMES_TEXT_BYTES];
    bool is_order = text[0] == '-' && gsi_names_find(names, text + 1) != NULL;
    if (names->file == NULL && is_order)
        return gsi_fail(error, GS_E_USAGE, 0,
                        "--%s: --fields has no name '%s'; for largest first write '%s:desc'",
                        option, text, text + 1);
    if (names->file == NULL)
        return gsi_fail(error, GS_E_USAGE, 0, "--%s: --fields has no name '%s'; its names are %s",
                        option, text, gsi_names_text(names, known));
    if (is_order)
        return gsi_fail(error, GS_E_USAGE, 0,
                        "--%s: '%s' has no field '%s'; for largest first write '%s:desc'", option,
                        names->file, text, text + 1);
    return gsi_fail(error, GS_E_USAGE, 0,
                    "--%s: '%s' has no field '%s' (a nested field is written outer.inner); its "
                    "fields are %s",
                    option, names->file, text, gsi_names_text(names, known));
}

enum gs_status gsi_names_fail_item(const char *item, struct gs_error *error)
{
    return gsi_fail(error, GS_E_USAGE, 0, "--fields: '%s' is not NAME=OFF:TYPE, like price=8:f64",
                    item);
}
