/* option_refuse.c: messages for mistyped options. */
#include "option_refuse.h"

#include "common/option_row.h"
#include "sort_habits.h"

#include <stdbool.h>
#include <string.h>

/* Longer words are compared by their beginnings. */
#define WORD_MAX 32

/* One letter in so many may be wrong in a word that means an option, WRONG_MAX at most: `--tmp` is
 * not `--top`, and `--seed` not `--keep`. */
#define LETTERS_PER_WRONG 4
#define WRONG_MAX         2

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Letters that were left out, added, taken for others, or swapped (Damerau and Levenshtein, with
 * rows for the last three beginnings of `a`). */
static unsigned distance(const char *a, size_t a_length, const char *b)
{
    unsigned rows[3][WORD_MAX + 1];
    size_t b_length = strlen(b);
    if (a_length > WORD_MAX || b_length > WORD_MAX)
        return WORD_MAX;
    for (unsigned j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        unsigned *row = rows[i % 3];
        const unsigned *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b_length; j++) {
            row[j] = least(least(last[j], row[j - 1]) + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], before[j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

/* Finds the option that may have been meant; NULL: none is near. */
static const char *find_nearest(const struct gs_option *rows, int count, const char *word,
                                size_t length)
{
    const char *nearest = NULL;
    unsigned found = least((unsigned)(length / LETTERS_PER_WRONG), WRONG_MAX) + 1;
    for (int i = 0; i < count; i++) {
        unsigned wrong = rows[i].is_hidden ? WORD_MAX : distance(word, length, rows[i].name);
        if (wrong < found) {
            found = wrong;
            nearest = rows[i].name;
        }
    }
    return nearest;
}

/* Lists the options that begin with `word`, without old spellings. Returns how many there are. */
static int list_candidates(const struct gs_option *rows, int count, const char *word, size_t length,
                           char *list, size_t size)
{
    int found = 0;
    size_t at = 0;
    list[0] = '\0';
    for (int i = 0; i < count; i++)
        if (!rows[i].is_hidden && strncmp(rows[i].name, word, length) == 0 && at < size) {
            at += (size_t)snprintf(list + at, size - at, " --%s", rows[i].name);
            found++;
        }
    return found;
}

/* Refuses an option that lacks its argument. */
static enum gs_status refuse_lacking(const struct gs_option *rows, int count, int code,
                                     const char *given, struct gs_error *error)
{
    int i = option_rows_find(rows, count, code);
    if (i < 0)
        return gs_fail(error, GS_E_USAGE, 0, "'%s': needs an argument; see --help", given);
    if (code < OPTION_LONG_BASE)
        return gs_fail(error, GS_E_USAGE, 0, "-%c: needs an argument: -%c %s; see --help", code,
                       code, rows[i].argument);
    return gs_fail(error, GS_E_USAGE, 0, "--%s: needs an argument: --%s=%s; see --help",
                   rows[i].name, rows[i].name, rows[i].argument);
}

enum gs_status option_refuse(const struct gs_option *rows, int count, int code, const char *given,
                             struct gs_error *error)
{
    char candidates[256];
    const char *habit;
    if (code == ':')
        return refuse_lacking(rows, count, optopt, given, error);
    if (optopt != 0 && optopt < OPTION_LONG_BASE) {
        habit = sort_habit_of_letter(optopt);
        return gs_fail(error, GS_E_USAGE, 0, "'-%c': unknown option; %s", optopt,
                       habit != NULL ? habit : "see --help");
    }
    if (optopt != 0)
        return gs_fail(error, GS_E_USAGE, 0, "'%s': takes no argument; remove '%s'", given,
                       strchrnul(given, '='));
    const char *word = given + 2;
    size_t length = strcspn(word, "=");
    int found = list_candidates(rows, count, word, length, candidates, sizeof candidates);
    if (found > 1)
        return gs_fail(error, GS_E_USAGE, 0, "'%s': is ambiguous:%s", given, candidates);
    if (found == 1) /* beside an old spelling */
        return gs_fail(error, GS_E_USAGE, 0, "'%s': is too short; write%s", given, candidates);
    habit = sort_habit_of_word(word, length);
    if (habit != NULL)
        return gs_fail(error, GS_E_USAGE, 0, "'%s': unknown option; %s", given, habit);
    const char *nearest = find_nearest(rows, count, word, length);
    if (nearest != NULL)
        return gs_fail(error, GS_E_USAGE, 0, "'%s': unknown option; did you mean --%s?", given,
                       nearest);
    return gs_fail(error, GS_E_USAGE, 0, "'%s': unknown option; see --help", given);
}
