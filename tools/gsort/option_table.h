/* option_table.h: gsort's options: what the parser, --help and the tests know of each. */
#ifndef GSORT_OPTION_TABLE_H
#define GSORT_OPTION_TABLE_H

#include <getopt.h>
#include <stdio.h>

/* What an option is about; --help has a heading for each, in this order. */
enum option_group {
    GROUP_SORT,
    GROUP_WRITE,
    GROUP_MEMORY,
    GROUP_DEVICE,
    GROUP_REPORT,
    GROUP_TUNING,
    GROUP_COUNT
};

/* In the order in which help names them. */
enum option_id {
    OPT_TYPE,
    OPT_RECORD,
    OPT_KEY,
    OPT_REVERSE,
    OPT_MERGE,
    OPT_FILES0_FROM,
    OPT_HEADER,
    OPT_DROP_TAIL,
    OPT_RAW,
    OPT_OUTPUT,
    OPT_UNIQUE,
    OPT_COUNT_GROUPS,
    OPT_TOP,
    OPT_ZSTD,
    OPT_VERIFY,
    OPT_MEMORY,
    OPT_TEMP_DIR,
    OPT_RESUME,
    OPT_COMPRESS,
    OPT_SPILL,
    OPT_DEVICE,
    OPT_DEVICE_MEMORY,
    OPT_CHECK,
    OPT_CHECK_QUIET,
    OPT_HEAD,
    OPT_TAIL,
    OPT_JSON,
    OPT_STATS,
    OPT_STATS_ONLY,
    OPT_STATS_OF,
    OPT_EXPLAIN,
    OPT_PROGRESS,
    OPT_QUIET,
    OPT_VERBOSE,
    OPT_HELP,
    OPT_VERSION,
    OPT_PARALLEL,
    OPT_BATCH_SIZE,
    OPT_IO,
    OPT_CHUNK,
    OPT_WINDOW,
    OPT_COUNT
};

struct option_row {
    enum option_group group;
    char letter;                 /* 0: none */
    const char *name, *argument; /* argument NULL: none; "[X]": optional */
    const char *help;            /* lines for --help */
    const char *daily;           /* a line for -h; NULL: it is not wanted every day */
};

extern const struct option_row option_rows[OPT_COUNT];

/* Long options return their id behind all letters. */
#define OPTION_LONG_BASE 256

#define OPTION_LETTERS_BYTES (2 * OPT_COUNT + 2)

/* option_table_getopt: the table as getopt_long wants it, with ':' for what lacks its argument.
 * option_table_find: the id of what it returned; -1: none of them. */
void option_table_getopt(char letters[OPTION_LETTERS_BYTES], struct option longs[OPT_COUNT + 1]);
int option_table_find(int code);

/* option_table_help: all options, by group.  option_table_help_daily: those of every day, a line
 * each. */
void option_table_help(FILE *out);
void option_table_help_daily(FILE *out);

#endif
