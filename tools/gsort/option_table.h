/* option_table.h: gsort's options: the table (common/option_row.h). */
#ifndef GSORT_OPTION_TABLE_H
#define GSORT_OPTION_TABLE_H

#include "common/option_row.h"

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
    OPT_WHERE,
    OPT_REVERSE,
    OPT_MERGE,
    OPT_FILES0_FROM,
    OPT_HEADER,
    OPT_DROP_TAIL,
    OPT_RANGE,
    OPT_PART,
    OPT_FIND,
    OPT_RAW,
    OPT_OUTPUT,
    OPT_INTO,
    OPT_SPLIT,
    OPT_SPLIT_AT,
    OPT_UNIQUE,
    OPT_COUNT_GROUPS,
    OPT_KEEP,
    OPT_GROUP,
    OPT_SUM,
    OPT_MIN,
    OPT_MAX,
    OPT_SUM_WIDE,
    OPT_OUT,
    OPT_VALUES,
    OPT_ARGSORT,
    OPT_INDEX,
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
    OPT_DEVICE_MODEL,
    OPT_CHECK,
    OPT_CHECK_QUIET,
    OPT_HEAD,
    OPT_TAIL,
    OPT_JSON,
    OPT_STATS,
    OPT_STATS_ONLY,
    OPT_STATS_OF,
    OPT_JOIN_REPORTS,
    OPT_QUANTILES,
    OPT_HISTOGRAM,
    OPT_DISTINCT,
    OPT_MODE,
    OPT_VARIANCE,
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

extern const struct option_row option_rows[OPT_COUNT];

/* Choices of gsort itself, by their words in the table. */
enum stats_format { STATS_NONE, STATS_TEXT, STATS_JSON };
enum progress_mode { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER };

/* option_group_title: the heading of a group. */
const char *option_group_title(enum option_group group);

/* option_table_help: all options, by group.  option_table_help_daily: those of every day, a line
 * each. */
void option_table_help(FILE *out);
void option_table_help_daily(FILE *out);

#endif
