/* sort_habits.h: options that people know from sort(1), uniq(1) and other programs, and what gsort
 * has instead. The table is read only when a command line was refused. */
#ifndef GSORT_SORT_HABITS_H
#define GSORT_SORT_HABITS_H

#include <stddef.h>

/* sort_habit_of_letter: returns a sentence without its end for an option that gsort does not have;
 * NULL: the table does not have it.
 * sort_habit_of_word: the same for a long option of `length` letters. Four letters or more may be
 * the beginning of one. */
const char *sort_habit_of_letter(int letter);
const char *sort_habit_of_word(const char *word, size_t length);

/* sort_habit_of_value: of an option that means something else to sort(1), with a value that has a
 * meaning only there; NULL: it is none of these. */
const char *sort_habit_of_value(const char *option, const char *value);

#endif
