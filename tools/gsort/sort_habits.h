/* sort_habits.h: what people type who know sort(1) and uniq(1), and what gsort does instead. One
 * table, which is looked at only when a command line was refused. */
#ifndef GSORT_SORT_HABITS_H
#define GSORT_SORT_HABITS_H

#include <stddef.h>

/* sort_habit_of_letter: of an option that gsort does not have; a sentence without its end, or
 * NULL: sort(1) has none either.
 * sort_habit_of_word: the same of `length` letters, which may be the beginning of a long option. */
const char *sort_habit_of_letter(int letter);
const char *sort_habit_of_word(const char *word, size_t length);

/* sort_habit_of_value: of an option that means something else to sort(1), with a value that has a
 * meaning only there; NULL: it is none of these. */
const char *sort_habit_of_value(const char *option, const char *value);

#endif
