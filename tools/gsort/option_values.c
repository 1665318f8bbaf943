/* option_values.c: words, sizes and numbers, and what is wrong with them. */
#include "option_values.h"

#include <stdlib.h>
#include <string.h>

enum gs_status option_choose(const char *option, const char *word, const struct gs_choice *choices,
                             int *value, struct gs_error *error)
{
    char known[128] = "";
    for (const struct gs_choice *c = choices; c->word != NULL; c++) {
        if (strcmp(word, c->word) == 0) {
            *value = c->value;
            return GS_OK;
        }
        strncat(known, " ", sizeof known - strlen(known) - 1);
        strncat(known, c->word, sizeof known - strlen(known) - 1);
    }
    return gs_fail(error, GS_E_USAGE, 0, "%s: '%s' is none of:%s", option, word, known);
}

enum gs_status option_choose_numbered(const char *option, const char *word,
                                      const struct gs_choice *choices, int *value, uint32_t *number,
                                      struct gs_error *error)
{
    for (const struct gs_choice *c = choices; c->word != NULL; c++) {
        size_t length = strlen(c->word);
        if (c->number_max == 0 || strncmp(word, c->word, length) != 0 || word[length] != ':')
            continue;
        *value = c->value;
        return option_number(option, word + length + 1, c->number_min, c->number_max, number,
                             error);
    }
    return option_choose(option, word, choices, value, error);
}

enum gs_status option_size(const char *option, const char *text, uint64_t whole, uint64_t *bytes,
                           struct gs_error *error)
{
    if (gs_size_parse(text, whole, bytes) && *bytes > 0)
        return GS_OK;
    return gs_fail(error, GS_E_USAGE, 0,
                   "%s: '%s' is not a size like 512M or 4G%s (powers of 1024)", option, text,
                   whole > 0 ? " or 25%" : "");
}

enum gs_status option_count(const char *option, const char *text, uint64_t *count,
                            struct gs_error *error)
{
    if (gs_count_parse(text, count))
        return GS_OK;
    return gs_fail(error, GS_E_USAGE, 0,
                   "%s: '%s' is not a count like 1000 or 64K (powers of 1000)", option, text);
}

enum gs_status option_number(const char *option, const char *text, uint32_t least, uint32_t most,
                             uint32_t *number, struct gs_error *error)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || value < least || value > most)
        return gs_fail(error, GS_E_USAGE, 0, "%s: '%s' is not a number from %u to %u", option, text,
                       least, most);
    *number = (uint32_t)value;
    return GS_OK;
}

enum gs_status option_set(const char *option, const char *text, uint64_t *set,
                          struct gs_error *error)
{
    *set = strcmp(text, "all") == 0 ? UINT64_MAX : 0;
    for (const char *at = text; *set != UINT64_MAX; at++) {
        char *end;
        unsigned long number = strtoul(at, &end, 10);
        if (*at < '0' || *at > '9' || number > 63 || (*end != ',' && *end != '\0'))
            return gs_fail(error, GS_E_USAGE, 0,
                           "%s: '%s' is not all, or a list of numbers from 0 to 63", option, text);
        *set |= UINT64_C(1) << number;
        at = end;
        if (*at == '\0')
            break;
    }
    return GS_OK;
}

/* What stands before `mark`, as a text of its own; false: too long, or there is no `mark`. */
static bool take_front(const char *text, char mark, char front[32])
{
    size_t length = strcspn(text, (const char[]){mark, '\0'});
    if (text[length] != mark || length >= 32)
        return false;
    memcpy(front, text, length);
    front[length] = '\0';
    return true;
}

enum gs_status option_range(const char *option, const char *text, struct gs_options *options,
                            struct gs_error *error)
{
    char front[32];
    uint64_t *count = &options->range_count;
    *count = UINT64_MAX;
    options->has_range = true;
    if (take_front(text, ':', front) && gs_count_parse(front, &options->range_first)) {
        const char *back = text + strlen(front) + 1;
        if (*back == '\0' || (gs_count_parse(back, count) && *count < UINT64_MAX))
            return GS_OK;
    }
    return gs_fail(error, GS_E_USAGE, 0, "%s: '%s' is not FIRST:COUNT, like 0:1000 or 64K:", option,
                   text);
}

enum gs_status option_part(const char *option, const char *text, struct gs_options *options,
                           struct gs_error *error)
{
    char front[32];
    struct gs_error unheard = {0};
    uint32_t *count = &options->part_count;
    if (take_front(text, '/', front) &&
        option_number(option, text + strlen(front) + 1, 1, UINT32_MAX, count, &unheard) == GS_OK &&
        option_number(option, front, 1, *count, &options->part_number, &unheard) == GS_OK)
        return GS_OK;
    return gs_fail(error, GS_E_USAGE, 0, "%s: '%s' is not I/N, from 1/N to N/N", option, text);
}

enum gs_status option_list(const char *option, const char *argument, struct option_list *list,
                           const char *const **texts, size_t *count, struct gs_error *error)
{
    if (list->texts != NULL)
        return gs_fail(error, GS_E_USAGE, 0, "%s: given twice; one list takes all: '%s,%s'", option,
                       list->parts[0], argument);
    if ((list->texts = strdup(argument)) == NULL ||
        (list->parts = calloc(strlen(argument) + 1, sizeof *list->parts)) == NULL)
        return gs_fail(error, GS_E_MEMORY, 0, "memory: cannot allocate the command line");
    *texts = list->parts;
    for (char *at = list->texts; at != NULL;)
        list->parts[(*count)++] = strsep(&at, ",");
    return GS_OK;
}

void option_list_clear(struct option_list *list)
{
    free(list->parts);
    free(list->texts);
}
