/* option_row.h: a program's options as a table: what its parser, its --help, its manual page and its
 * completions know of each. */
#ifndef OPTION_ROW_H
#define OPTION_ROW_H

#include "gsort.h"

#include <getopt.h>

struct option_row {
    int group;                   /* under which heading help names it */
    char letter;                 /* 0: none */
    const char *name, *argument; /* argument NULL: none; "[X]": optional */
    const char *help;            /* lines for --help */
    const char *daily;           /* a line for -h; NULL: it is not wanted every day */
    /* The words that the argument may be; NULL: it is something else. */
    const struct gs_choice *(*choices)(void);
};

/* Long options return their place in the table behind all letters. */
#define OPTION_LONG_BASE 256

/* The letters of `count` options for getopt_long. */
#define OPTION_LETTERS_BYTES(count) (2 * (size_t)(count) + 2)

/* option_rows_getopt: the table as getopt_long wants it, with ':' for what lacks its argument; longs
 * has room for count + 1.
 * option_rows_find: the place of what it returned; -1: none of them. */
void option_rows_getopt(const struct option_row *rows, int count, char *letters,
                        struct option *longs);
int option_rows_find(const struct option_row *rows, int count, int code);

/* option_row_print: an option's names, and `text` beside them, line by line. */
void option_row_print(FILE *out, const struct option_row *row, const char *text);

#endif
