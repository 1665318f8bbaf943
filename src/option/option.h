/* option.h: the table of options. Its rows make the command line, gs_job_set, Python's and Ray's
 * keywords, --help, manual pages and completions. A new option needs a row in option_rows.c with
 * its text in options.md, a row in facts.c, and a row in tests/cli/option_pairs.py. It also needs a
 * member of struct gsi_options, and code that reads the member. */
#ifndef GSI_OPTION_H
#define GSI_OPTION_H

#include "option/options.h"

/* In the order in which help names them, by groups. */
enum gsi_option_id {
    GSI_OPT_TYPE,
    GSI_OPT_RECORD,
    GSI_OPT_FIELDS,
    GSI_OPT_KEY,
    GSI_OPT_WHERE,
    GSI_OPT_REVERSE,
    GSI_OPT_NAN,
    GSI_OPT_TIES,
    GSI_OPT_STABLE,
    GSI_OPT_MERGE,
    GSI_OPT_FILES0_FROM,
    GSI_OPT_HEADER,
    GSI_OPT_DROP_HEADER,
    GSI_OPT_DROP_TAIL,
    GSI_OPT_REGION,
    GSI_OPT_RANGE,
    GSI_OPT_PART,
    GSI_OPT_FIND,
    GSI_OPT_RAW,
    GSI_OPT_STRICT,
    GSI_OPT_OUTPUT,
    GSI_OPT_INTO,
    GSI_OPT_SPLIT,
    GSI_OPT_SPLIT_AT,
    GSI_OPT_UNIQUE,
    GSI_OPT_COUNT_GROUPS,
    GSI_OPT_KEEP,
    GSI_OPT_GROUP,
    GSI_OPT_SUM,
    GSI_OPT_MIN,
    GSI_OPT_MAX,
    GSI_OPT_SUM_WIDE,
    GSI_OPT_ORDER_BY,
    GSI_OPT_OUT,
    GSI_OPT_OUT_ORDER,
    GSI_OPT_VALUES,
    GSI_OPT_ARGSORT,
    GSI_OPT_INDEX,
    GSI_OPT_TOP,
    GSI_OPT_SHUFFLE,
    GSI_OPT_SAMPLE,
    GSI_OPT_PERMUTE,
    GSI_OPT_ZSTD,
    GSI_OPT_VERIFY,
    GSI_OPT_MEMORY,
    GSI_OPT_TEMP_DIR,
    GSI_OPT_RESUME,
    GSI_OPT_COMPRESS,
    GSI_OPT_SPILL,
    GSI_OPT_DEVICE,
    GSI_OPT_DEVICE_MEMORY,
    GSI_OPT_DEVICE_MODEL,
    GSI_OPT_CHECK,
    GSI_OPT_CHECK_QUIET,
    GSI_OPT_HEAD,
    GSI_OPT_TAIL,
    GSI_OPT_PRINT,
    GSI_OPT_JSON,
    GSI_OPT_STATS,
    GSI_OPT_STATS_ONLY,
    GSI_OPT_STATS_OF,
    GSI_OPT_JOIN_REPORTS,
    GSI_OPT_QUANTILES,
    GSI_OPT_HISTOGRAM,
    GSI_OPT_DISTINCT,
    GSI_OPT_MODE,
    GSI_OPT_VARIANCE,
    GSI_OPT_EXPLAIN,
    GSI_OPT_PROGRESS,
    GSI_OPT_QUIET,
    GSI_OPT_VERBOSE,
    GSI_OPT_HELP,
    GSI_OPT_VERSION,
    GSI_OPT_PARALLEL,
    GSI_OPT_BATCH_SIZE,
    GSI_OPT_IO,
    GSI_OPT_CHUNK,
    GSI_OPT_WINDOW,
    GSI_OPT_TUNE,
    GSI_OPT_INPUT,
    GSI_OPT_COUNT
};

/* How the text of an option is converted to the member of struct gsi_options at `off`. */
enum gsi_option_kind {
    GSI_KIND_FLAG,   /* bool: "true", "false" */
    GSI_KIND_NUMBER, /* uint32_t, from `least` to `most` */
    GSI_KIND_SIZE,   /* uint64_t of bytes, from `least` on */
    GSI_KIND_CHOICE, /* int, or a bool: a word of option.choices; its number at `more` */
    GSI_KIND_TEXT,   /* const char * */
    GSI_KIND_LIST,   /* const char *const *; a size_t, how many, at `more` */
    GSI_KIND_OTHER,  /* more than one member: `apply` */
    GSI_KIND_MODEL,  /* a list of "NAME=VALUE": gsi_option_apply_model */
    GSI_KIND_PROGRAM /* none: it is the program's */
};

/* The verbs for which options may have a meaning; bits of gsi_option_row.verbs. */
enum gsi_verb {
    GSI_VERB_SORT = 1 << 0,  /* also to explain it */
    GSI_VERB_STATS = 1 << 1, /* --stats-only */
    GSI_VERB_CHECK = 1 << 2, /* --check */
    GSI_VERB_FIND = 1 << 3,  /* --find without an output */
    GSI_VERB_LOOK = 1 << 4,  /* --head, --tail */
    GSI_VERB_ARRAY = 1 << 5, /* an array is sorted */
    GSI_VERB_SCAN = 1 << 6,  /* an array is counted or checked */
    GSI_VERB_SORTER = 1 << 7,
    GSI_VERB_GPU_ARRAY = 1 << 8, /* an array is sorted in the memory of a GPU */
};

struct gsi_option_row {
    struct gs_option option;
    enum gsi_option_kind kind;
    unsigned verbs;          /* 0 of the program's own, which says itself what they mean */
    size_t off, more, bytes; /* bytes: of what is at `off` */
    uint32_t least, most;
    bool is_place; /* a size: must be a whole number of bytes */
    enum gs_status (*apply)(struct gsi_options *options, const char *text, struct gs_error *error);
};

extern const struct gsi_option_row gsi_option_rows[GSI_OPT_COUNT];

/* Words of options, and what they stand for; the last word is NULL. */
extern const struct gs_choice gsi_choices_of_device[], gsi_choices_of_io[],
    gsi_choices_of_compress[];
extern const struct gs_choice gsi_choices_of_set[], gsi_choices_of_keep[], gsi_choices_of_spill[];
extern const struct gs_choice gsi_choices_of_verify[], gsi_choices_of_index[];

/* gsi_option_id: the option of that name; GSI_OPT_COUNT: there is none. */
enum gsi_option_id gsi_option_id(const char *name);

/* gsi_sum_is_wide: whether a field of --sum ends with ":wide"; *bytes are what is before that. A
 * field of a .npy file whose own name ends so is given by its place instead. */
bool gsi_sum_is_wide(const char *text, size_t *bytes);

/* gsi_option_apply: sets members of `options` from the text of an option that is no list. They
 * point into the text. An option whose argument is optional also takes "true", which means no
 * argument. It takes "false" as well, which means that the option is not given.
 * fails GS_E_USAGE: the text has another kind, or is out of bounds */
enum gs_status gsi_option_apply(enum gsi_option_id id, const char *text,
                                struct gsi_options *options, struct gs_error *error);

/* gsi_option_apply_model: sets the member NAME by the text "NAME=VALUE".
 * fails GS_E_USAGE: there is none, or its value is of another kind */
enum gs_status gsi_option_apply_model(const char *text, struct gsi_device_model *model,
                                      struct gs_error *error);

#endif
