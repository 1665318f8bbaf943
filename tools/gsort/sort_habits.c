/* sort_habits.c: the table. */
#include "sort_habits.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define TEXT_FOR_SORT "it puts text in order, which is for sort(1)"
#define NO_SHUFFLE    "gsort has no random order"
#define ALL_BYTES     "all bytes of a key count, as they are; -k OFF:bN says which are the key"
#define FIXED_WIDTH   "elements have a fixed width, no separators; -R N says how long records are"

/* Letters that gsort has itself are not here: -c -C -h -k -m -o -q -r -R -S -t -T -u -v -V. */
static const struct {
    char letter; /* 0: there is none, or it means something to gsort */
    const char *word, *sentence;
} habits[] = {
    {'n', "numeric-sort", "numbers are always compared as numbers; -t TYPE says which they are"},
    {'g', "general-numeric-sort",
     "floats are always compared as floats, NaNs too; -t f64 names them"},
    {0, "human-numeric-sort", TEXT_FOR_SORT},
    {'M', "month-sort", TEXT_FOR_SORT "; of times -t time64"},
    {0, "version-sort", TEXT_FOR_SORT},
    {0, "random-sort", NO_SHUFFLE},
    {0, "random-source", NO_SHUFFLE},
    {0, "sort", "-t TYPE says how numbers are compared, -k OFF:TYPE how records are"},
    {'z', "zero-terminated", FIXED_WIDTH},
    {0, "field-separator", FIXED_WIDTH ", -k OFF:TYPE where their keys are"},
    {'s', "stable", "records with equal keys always keep the order of the input; leave it out"},
    {'b', "ignore-leading-blanks", ALL_BYTES},
    {'d', "dictionary-order", ALL_BYTES},
    {'i', "ignore-nonprinting", ALL_BYTES},
    {'f', "ignore-case", ALL_BYTES},
    {0, "buffer-size", "-S SIZE, or --memory=SIZE, is the ceiling for the whole process"},
    {0, "compress-program", "--compress=zstd packs what is spilled"},
    {0, "debug", "--explain prints the plan and its reasons"},
    {'D', "all-repeated", "-u --keep=repeated writes all elements that are there several times"},
    {0, "repeated", "-u --keep=dups writes one of those that are there several times"},
    {'w', "check-chars", "-u --group=N compares the first N keys only"},
    {'j', "jobs", "--parallel=N is how many threads work"},
};
#define HABIT_COUNT (sizeof habits / sizeof habits[0])

/* Fewer letters may be the beginning of anything. */
#define WORD_MIN 4

const char *sort_habit_of_letter(int letter)
{
    for (size_t i = 0; i < HABIT_COUNT; i++)
        if (habits[i].letter != 0 && habits[i].letter == letter)
            return habits[i].sentence;
    return NULL;
}

const char *sort_habit_of_word(const char *word, size_t length)
{
    for (size_t i = 0; i < HABIT_COUNT; i++)
        if (length >= WORD_MIN && strncmp(habits[i].word, word, length) == 0)
            return habits[i].sentence;
    return NULL;
}

/* ---- values ---- */

/* "2", "1,2", "1.3,1.5nr": fields of lines, from 1 on. */
static bool is_line_field(const char *value)
{
    return value[0] >= '1' && value[0] <= '9' &&
           value[strspn(value, "0123456789.,bdfghiMnRrVz")] == '\0';
}

/* ",", "\t" */
static bool is_separator(const char *value)
{
    return value[0] != '\0' && strchr(",;:|/ \t\\", value[0]) != NULL && strlen(value) <= 2;
}

static bool is_name(const char *value)
{
    return value[strspn(value, "0123456789")] != '\0' && value[0] != '-';
}

static const struct {
    const char *option;
    bool (*is_habit)(const char *value);
    const char *sentence;
} values[] = {
    {"key", is_line_field,
     "is a field of lines, as for sort(1); here numbers need no key, and that of records (-R N) is "
     "OFF:TYPE, like 0:u32 for the first 4 bytes"},
    {"type", is_separator, "is a separator, as for sort(1); " FIXED_WIDTH},
    {"record", is_name,
     "is no number from 1 to 65536; records have as many bytes, and " NO_SHUFFLE},
};

const char *sort_habit_of_value(const char *option, const char *value)
{
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        if (strcmp(values[i].option, option) == 0 && values[i].is_habit(value))
            return values[i].sentence;
    return NULL;
}
