/* option_table.h: gsort's options: what the parser, --help and the tests know of each. */
#ifndef GSORT_OPTION_TABLE_H
#define GSORT_OPTION_TABLE_H

#include <getopt.h>
#include <stdio.h>

enum option_id {
    OPT_OUTPUT,
    OPT_FILES0_FROM,
    OPT_ZSTD,
    OPT_RAW,
    OPT_HEADER,
    OPT_TYPE,
    OPT_RECORD,
    OPT_KEY,
    OPT_STATS_OF,
    OPT_REVERSE,
    OPT_UNIQUE,
    OPT_COUNT_GROUPS,
    OPT_TOP,
    OPT_MERGE,
    OPT_CHECK,
    OPT_CHECK_QUIET,
    OPT_MEMORY,
    OPT_TEMP_DIR,
    OPT_RESUME,
    OPT_PARALLEL,
    OPT_BATCH_SIZE,
    OPT_DEVICE,
    OPT_DEVICE_MEMORY,
    OPT_IO,
    OPT_CHUNK,
    OPT_WINDOW,
    OPT_SPILL,
    OPT_COMPRESS,
    OPT_STATS,
    OPT_STATS_ONLY,
    OPT_VERIFY,
    OPT_EXPLAIN,
    OPT_PROGRESS,
    OPT_QUIET,
    OPT_VERBOSE,
    OPT_HELP,
    OPT_VERSION,
    OPT_COUNT
};

struct option_row {
    char letter;                 /* 0: none */
    const char *name, *argument; /* argument NULL: none; "[X]": optional */
    const char *help;
};

extern const struct option_row option_rows[OPT_COUNT];

/* Long options return their id behind all letters. */
#define OPTION_LONG_BASE 256

#define OPTION_LETTERS_BYTES (2 * OPT_COUNT + 2)

/* option_table_getopt: the table as getopt_long wants it, with ':' for what lacks its argument.
 * option_table_find: the id of what it returned; -1: none of them. */
void option_table_getopt(char letters[OPTION_LETTERS_BYTES], struct option longs[OPT_COUNT + 1]);
int option_table_find(int code);

/* option_table_help: a line or more for each. */
void option_table_help(FILE *out);

#endif
