/* together.h: options, and facts about inputs and output, that do not go together: one table, one
 * form of sentence. An option that would be ignored is refused. It counts that an option is given,
 * not its value.
 *
 *     gsi_together_begin    options are known, and nothing is open:
 *                           --keep needs --unique: it applies to groups of equal keys
 *     gsi_together_tell     something is known of an input or of the output:
 *                           --range cannot be used with 'x.u64', a stream: it is not seekable
 *
 * A value that is wrong by itself is refused where it is read. A value that does not fit what an
 * input holds is refused where that is found out. */
#ifndef GSI_TOGETHER_H
#define GSI_TOGETHER_H

#include "base/options.h"
#include "option/option.h"

/* A feature, which may not go with another one: an option, by its gsi_option_id, or one of
 * these. */
enum gsi_feature {
    /* Options with certain values, and several at once: known from the beginning. */
    GSI_WITH_SET = GSI_OPT_COUNT,
    GSI_WITH_READ_BACK,
    GSI_WITH_WIDE_SUM,
    GSI_WITH_CPU,
    GSI_WITH_CUDA,
    GSI_WITH_GPU, /* or with one that is described */
    GSI_WITH_EXPLAIN,
    GSI_WITH_EXPLAINED_SET,
    GSI_WITH_CHECKED_UNIQUE,
    GSI_WITH_REPEATED,
    GSI_WITH_PLACE, /* --find that prints one */
    GSI_WITH_MERGED_HEADER,
    GSI_WITH_MERGED_WHERE,
    GSI_WITH_MERGED_SPLIT,
    GSI_WITH_SCANNED_HISTOGRAM,
    GSI_WITH_COUNTED_MERGE,
    GSI_FACT_FIRST, /* what is no option begins here */
    GSI_FACT_OUTPUT_FILE = GSI_FACT_FIRST,
    GSI_FACT_SORTER,
    /* Told when they are known. */
    GSI_FACT_NUMBERS,
    GSI_FACT_RECORDS,
    GSI_FACT_STREAM,
    GSI_FACT_PACKED,
    GSI_FACT_PACKED_FIRST,
    GSI_FACT_BLOCK_DEVICE,
    GSI_FACT_SECOND_INPUT,
    GSI_FACT_FORMATTED, /* an input of a format (input/format/format.h) */
    GSI_FACT_UNCOUNTED, /* an input of which it is not known how long it is */
    GSI_FACT_PACKED_OUTPUT,
    GSI_FACT_SPECIAL_OUTPUT, /* no regular file */
    GSI_FACT_NPY_OUTPUT,
    GSI_FACT_NPY_OUTPUT_ONCE,      /* one that cannot be written twice */
    GSI_FACT_KEPT_OUTPUT,          /* with all that its input has around its elements */
    GSI_FACT_NPY_OUTPUT_OF_STREAM, /* of which the length shows at the end */
    GSI_FEATURE_COUNT
};

/* The features of a job. */
struct gsi_together {
    bool has[GSI_FEATURE_COUNT];
    bool is_found; /* --find is why it merges */
};

/* gsi_together_begin: finds the features of options, and checks that they go together.
 * in    verbs: what is done, bits of gsi_verb: each option needs a meaning for all of them
 *       is_given: whether each option was given; NULL: those that are not 0 were
 * fails GS_E_USAGE */
enum gs_status gsi_together_begin(struct gsi_together *together, const struct gsi_options *options,
                                  unsigned verbs, const bool is_given[GSI_OPT_COUNT],
                                  struct gs_error *error);

/* gsi_together_verb: the verb of an action. */
enum gsi_verb gsi_together_verb(enum gs_action action);

/* gsi_together_tell: adds a fact, and checks that all other features go with it.
 * in    name: the input or output that the fact is about; NULL: none
 * fails GS_E_USAGE */
enum gs_status gsi_together_tell(const struct gsi_together *together, enum gsi_feature fact,
                                 const char *name, struct gs_error *error);

/* The table, for its test: the first feature does not go with the second, or needs it. The last row
 * has no `why`. */
struct gsi_together_row {
    unsigned char feature, other;
    const char *why;
};
extern const struct gsi_together_row gsi_together_excluded[], gsi_together_needed[];

/* gsi_feature_name: the option's name without dashes; words for what is no option. */
const char *gsi_feature_name(unsigned feature);

#endif
