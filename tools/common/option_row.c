/* option_row.c: makes option lists and help from tables of options. */
#include "common/option_row.h"

#include <string.h>

#define NAMES_COLUMNS 32 /* of help, before what an option does */

static bool takes_optional(const struct gs_option *row)
{
    return row->argument != NULL && row->argument[0] == '[';
}

void option_row_print(FILE *out, const struct gs_option *row, const char *text)
{
    char names[64];
    int n = row->letter != 0 ? snprintf(names, sizeof names, "  -%c, ", row->letter)
                             : snprintf(names, sizeof names, "      ");
    snprintf(names + n, sizeof names - (size_t)n, "--%s%s%s", row->name,
             row->argument == NULL || takes_optional(row) ? "" : "=",
             row->argument == NULL ? "" : row->argument);
    const char *label = names;
    for (const char *end; text != NULL; text = end, label = "") {
        end = strchr(text, '\n');
        int length = end != NULL ? (int)(end++ - text) : (int)strlen(text);
        fprintf(out, "%-*s %.*s\n", NAMES_COLUMNS, label, length, text);
    }
}

void option_rows_getopt(const struct gs_option *rows, int count, char *letters,
                        struct option *longs)
{
    *letters++ = ':';
    for (int i = 0; i < count; i++) {
        const struct gs_option *row = &rows[i];
        int has_argument = row->argument == NULL ? no_argument
                           : takes_optional(row) ? optional_argument
                                                 : required_argument;
        longs[i] = (struct option){row->name, has_argument, NULL, OPTION_LONG_BASE + i};
        if (row->letter != 0) {
            *letters++ = row->letter;
            if (has_argument == required_argument)
                *letters++ = ':';
        }
    }
    *letters = '\0';
    longs[count] = (struct option){0};
}

int option_rows_find(const struct gs_option *rows, int count, int code)
{
    if (code >= OPTION_LONG_BASE)
        return code - OPTION_LONG_BASE;
    for (int i = 0; i < count; i++)
        if (rows[i].letter != 0 && rows[i].letter == code)
            return i;
    return -1;
}
