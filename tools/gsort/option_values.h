/* option_values.h: arguments of options as values. All fail GS_E_USAGE with one line that names the
 * option as it was typed: "-S", "--memory". */
#ifndef GSORT_OPTION_VALUES_H
#define GSORT_OPTION_VALUES_H

#include "gsort.h"

/* option_choose: the value of a word among `choices`, which end with NULL.
 * option_choose_numbered: the same of "WORD" or "WORD:N"; without N, *number stays. */
enum gs_status option_choose(const char *option, const char *word, const struct gs_choice *choices,
                             int *value, struct gs_error *error);
enum gs_status option_choose_numbered(const char *option, const char *word,
                                      const struct gs_choice *choices, int *value, uint32_t *number,
                                      struct gs_error *error);

/* option_size: 1 byte at least; also a part of `whole` in percent, unless that is 0.
 * option_count: 0 is one, too. option_number: `least` to `most`. */
enum gs_status option_size(const char *option, const char *text, uint64_t whole, uint64_t *bytes,
                           struct gs_error *error);
enum gs_status option_count(const char *option, const char *text, uint64_t *count,
                            struct gs_error *error);
enum gs_status option_number(const char *option, const char *text, uint32_t least, uint32_t most,
                             uint32_t *number, struct gs_error *error);

/* option_set: "all", every bit then, or numbers from 0 to 63 with commas between them, a bit each. */
enum gs_status option_set(const char *option, const char *text, uint64_t *set,
                          struct gs_error *error);

/* option_range: FIRST:COUNT, or FIRST: for all from there on. option_part: I/N, I from 1 to N. */
enum gs_status option_range(const char *option, const char *text, struct gs_options *options,
                            struct gs_error *error);
enum gs_status option_part(const char *option, const char *text, struct gs_options *options,
                           struct gs_error *error);

/* The parts of an argument with commas. */
struct option_list {
    char *texts; /* the argument, cut; NULL: there was none yet */
    const char **parts;
};

/* option_list: takes it apart; it may be given once.
 * out   texts, count: the parts, which are the list's
 * option_list_clear: also zeroed ones. */
enum gs_status option_list(const char *option, const char *argument, struct option_list *list,
                           const char *const **texts, size_t *count, struct gs_error *error);
void option_list_clear(struct option_list *list);

#endif
