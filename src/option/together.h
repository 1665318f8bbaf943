/* together.h: what does not go together, of options and of what is known later: one table, one
 * sentence. What would be ignored is refused. What is set counts, not its value.
 *
 *     gsi_together_begin    options are known, and nothing is open:
 *                           --keep goes with --unique only: it says which of a group is written
 *     gsi_together_tell     something is known of an input or of the output:
 *                           --range does not go with 'x.u64', a stream: a place is not found in it
 *
 * Values that are wrong by themselves are refused where they are read; what an option and its value
 * mean together with what an input holds, where that is found. */
#ifndef GSI_TOGETHER_H
#define GSI_TOGETHER_H

#include "base/options.h"
#include "option/option.h"

/* What may not go with something else: an option, as its gsi_option_id, or one of these. */
enum gsi_feature {
    /* Options with certain values, and several at once: known from the beginning. */
    GSI_WITH_SET = GSI_OPT_COUNT,
    GSI_WITH_READ_BACK,
    GSI_WITH_WIDE_SUM,
    GSI_WITH_CPU,
    GSI_WITH_CUDA,
    GSI_WITH_EXPLAIN,
    GSI_WITH_EXPLAINED_SET,
    GSI_WITH_PLACE, /* --find that prints one */
    GSI_WITH_MERGED_HEADER,
    GSI_WITH_MERGED_WHERE,
    GSI_WITH_MERGED_SPLIT,
    GSI_WITH_SCANNED_HISTOGRAM,
    GSI_FACT_FIRST, /* what is no option begins here */
    GSI_FACT_OUTPUT_FILE = GSI_FACT_FIRST,
    GSI_FACT_SORTER,
    /* Told when they are known. */
    GSI_FACT_NUMBERS,
    GSI_FACT_STREAM,
    GSI_FACT_PACKED,
    GSI_FACT_PACKED_FIRST,
    GSI_FACT_BLOCK_DEVICE,
    GSI_FACT_SECOND_INPUT,
    GSI_FACT_NPY,
    GSI_FACT_UNCOUNTED, /* an input of which it is not known how long it is */
    GSI_FACT_PACKED_OUTPUT,
    GSI_FACT_SPECIAL_OUTPUT, /* no regular file */
    GSI_FACT_NPY_OUTPUT,
    GSI_FACT_NPY_OUTPUT_ONCE,      /* one that cannot be written twice */
    GSI_FACT_NPY_OUTPUT_OF_STREAM, /* of which the length shows at the end */
    GSI_FEATURE_COUNT
};

/* What a job has. */
struct gsi_together {
    bool has[GSI_FEATURE_COUNT];
    bool is_found; /* --find is why it merges */
};

/* gsi_together_begin: what the options have, and whether that goes together.
 * in    verbs: what is done, bits of gsi_verb: each option needs a meaning for all of them
 *       is_given: of each option whether it was; NULL: what is not 0 was
 * fails GS_E_USAGE */
enum gs_status gsi_together_begin(struct gsi_together *together, const struct gsi_options *options,
                                  unsigned verbs, const bool is_given[GSI_OPT_COUNT],
                                  struct gs_error *error);

/* gsi_together_verb: of an action. */
enum gsi_verb gsi_together_verb(enum gs_action action);

/* gsi_together_tell: a fact: whether what is there goes with it.
 * in    name: of the input or output that it is a fact of; NULL: of no one
 * fails GS_E_USAGE */
enum gs_status gsi_together_tell(const struct gsi_together *together, enum gsi_feature fact,
                                 const char *name, struct gs_error *error);

/* The table, for its test: a feature of the first kind does not go with the other, or needs it. The
 * last row has no `why`. */
struct gsi_together_row {
    unsigned char feature, other;
    const char *why;
};
extern const struct gsi_together_row gsi_together_excluded[], gsi_together_needed[];

/* gsi_feature_name: without dashes; what is no option, as words. */
const char *gsi_feature_name(unsigned feature);

#endif
