/* option_row.h: describes a program's options in a table, from which getopt's list and the help are
 * made. */
#ifndef OPTION_ROW_H
#define OPTION_ROW_H

#include "gsort.h"

#include <getopt.h>

/* Long options return their index in the table, after all letters. */
#define OPTION_LONG_BASE 256

/* The letters of `count` options for getopt_long. */
#define OPTION_LETTERS_BYTES(count) (2 * (size_t)(count) + 2)

/* option_rows_getopt: makes the table for getopt_long, which then returns ':' for an option without
 * its argument. `longs` has room for count + 1.
 * option_rows_find: returns the index of the option whose code getopt_long returned; -1: it is none
 * of them. */
void option_rows_getopt(const struct gs_option *rows, int count, char *letters,
                        struct option *longs);
int option_rows_find(const struct gs_option *rows, int count, int code);

/* option_row_print: prints an option's names, and `text` beside them, line by line. */
void option_row_print(FILE *out, const struct gs_option *row, const char *text);

#endif
