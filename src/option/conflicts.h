/* conflicts.h: refuses features of a job that do not go together, and an option that would be
 * ignored. It matters whether an option was given, not its value.
 *
 *     gsi_conflicts_begin    options are known, and nothing is open:
 *                            --keep needs --unique: it applies to groups of equal keys
 *     gsi_conflicts_check    a property of an input or of the output is known:
 *                            --range cannot be used with 'x.u64', a stream: it is not seekable
 *
 * A feature is an option, an option with a certain value, or such a property. Its row in facts.c
 * names the facts about the job that it needs, and those that it drops: with it they are no longer
 * true. Two features conflict if one needs a fact that the other drops:
 *
 *     --split     needs COUNT_KNOWN
 *     --unique    drops COUNT_KNOWN
 *     --split cannot be used with --unique: the number of elements is known only at the end ...
 *
 * A value that is wrong by itself is refused where it is read. A value that does not fit the
 * contents of an input is refused where that is found out. */
#ifndef GSI_CONFLICTS_H
#define GSI_CONFLICTS_H

#include "option/option.h"

/* A feature: an option, by its gsi_option_id, or one of these. */
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
    GSI_WITH_PLACE, /* --find that prints a position */
    GSI_WITH_MERGED_HEADER,
    GSI_WITH_MERGED_WHERE,
    GSI_WITH_MERGED_SPLIT,
    GSI_WITH_SCANNED_HISTOGRAM,
    GSI_WITH_COUNTED_MERGE,
    GSI_PROPERTY_FIRST, /* features that are no options begin here */
    GSI_PROPERTY_OUTPUT_FILE = GSI_PROPERTY_FIRST,
    GSI_PROPERTY_SORTER,
    /* Checked when they are known. */
    GSI_PROPERTY_NUMBERS,
    GSI_PROPERTY_RECORDS,
    GSI_PROPERTY_STREAM,
    GSI_PROPERTY_PACKED,
    GSI_PROPERTY_PACKED_FIRST,
    GSI_PROPERTY_BLOCK_DEVICE,
    GSI_PROPERTY_SECOND_INPUT,
    GSI_PROPERTY_FORMATTED, /* an input of a format (input/format/format.h) */
    GSI_PROPERTY_UNCOUNTED, /* an input of unknown length */
    GSI_PROPERTY_PACKED_OUTPUT,
    GSI_PROPERTY_SPECIAL_OUTPUT, /* no regular file */
    GSI_PROPERTY_NPY_OUTPUT,
    GSI_PROPERTY_NPY_OUTPUT_ONCE, /* a .npy output that cannot be written twice */
    GSI_PROPERTY_KEPT_OUTPUT,     /* an output with everything around the input's elements */
    GSI_FEATURE_COUNT
};

/* The features of a job that its options have. */
struct gsi_features {
    bool has[GSI_FEATURE_COUNT];
    bool is_found; /* --find is why it merges */
};

/* gsi_conflicts_begin: finds the features of options, and checks that they go together.
 * in    verbs: bits of gsi_verb: each option must have a use for all of them
 *       is_given: whether each option was given; NULL: options with a value other than 0 were
 * fails GS_E_USAGE */
enum gs_status gsi_conflicts_begin(struct gsi_features *features, const struct gsi_options *options,
                                   unsigned verbs, const bool is_given[GSI_OPT_COUNT],
                                   struct gs_error *error);

/* gsi_conflicts_check: checks that the options go with another feature, such as a property.
 * in    item: the input or output that has the property; NULL: none
 * fails GS_E_USAGE */
enum gs_status gsi_conflicts_check(const struct gsi_features *features, unsigned other,
                                   const char *item, struct gs_error *error);

/* gsi_verb_of: the verb of an action. */
enum gsi_verb gsi_verb_of(enum gs_action action);

/* The option `feature` is refused without `other`. The last row has no `why`. For its test. */
struct gsi_required_row {
    unsigned char feature, other;
    const char *why;
};
extern const struct gsi_required_row gsi_required_rows[];

/* gsi_feature_name: the option's name without dashes; words for a feature that is no option.
 * gsi_facts_conflict: returns why an option cannot be used with another feature, as the end of a
 *   sentence; NULL: it can, or the other is an option, and only that needs a fact. */
const char *gsi_feature_name(unsigned feature);
const char *gsi_facts_conflict(unsigned option, unsigned other);

#endif
