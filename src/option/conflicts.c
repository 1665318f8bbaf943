/* conflicts.c: refuses options without a use, options that conflict, and options without the option
 * that they require. */
#include "option/conflicts.h"

#include "base/status.h"

#include <string.h>

/* ---- what options require ---- */

#define OPT(name)   GSI_OPT_##name
#define WITH(name)  GSI_WITH_##name
#define OUTPUT_FILE GSI_PROPERTY_OUTPUT_FILE
#define GROUPS      "it applies to groups of equal keys"

/* Only verbs for which `other` has a use require it: --find alone needs no --merge. */
const struct gsi_required_row gsi_required_rows[] = {
    {WITH(SET), OPT(MERGE), "it selects from merged files"},
    {OPT(PART), OPT(MERGE), "only sorted inputs can be cut into parts"},
    {OPT(FIND), OPT(MERGE), "values can be found only in sorted inputs"},
    {OPT(INTO), OPT(MERGE), "for a sort, use -o FILE"},
    {OPT(INTO), OUTPUT_FILE, "only a file can be written in parts"},
    {OPT(SPLIT), OUTPUT_FILE, "the file name is a pattern, like out.%03d"},
    {OPT(SPLIT_AT), OUTPUT_FILE, "the file name is a pattern, like out.%03d"},
    {OPT(VALUES), OUTPUT_FILE, "the sorted keys are written to it"},
    {OPT(RESUME), OUTPUT_FILE, "only an output to a file can be resumed"},
    {OPT(KEEP), OPT(UNIQUE), GROUPS},
    {OPT(GROUP), OPT(UNIQUE), GROUPS},
    {OPT(COUNT_GROUPS), OPT(UNIQUE), GROUPS},
    {OPT(SUM), OPT(UNIQUE), GROUPS},
    {OPT(MIN), OPT(UNIQUE), GROUPS},
    {OPT(MAX), OPT(UNIQUE), GROUPS},
    {OPT(ORDER_BY), OPT(UNIQUE), "it sorts groups; to sort elements by a field, use --key"},
    {OPT(SUM_WIDE), OPT(SUM), "it widens these sums"},
    {OPT(INDEX), OPT(ARGSORT), "it sets the width of positions"},
    {OPT(DEVICE_MODEL), WITH(EXPLAIN), "a model is for plans without a GPU"},
    {OPT(TUNE), WITH(GPU), "it sets how a GPU merges"},
    {0, 0, NULL}};

/* Verbs for which some options have no use. */
static const struct {
    enum gsi_verb verb;
    const char *name, *why;
} verbs_known[] = {
    {GSI_VERB_STATS, "--stats-only",
     "it only reads; to sort for the report alone, sort to /dev/null"},
    {GSI_VERB_CHECK, "--check", "it only reads the input and writes nothing"},
    {GSI_VERB_FIND, "--find", "it prints a position; -o FILE writes what is found"},
    {GSI_VERB_LOOK, "--head and --tail", "they print a file unchanged"},
    {GSI_VERB_ARRAY, "an array", "it is sorted in place"},
    {GSI_VERB_SCAN, "an array", "it is only read, in memory"},
    {GSI_VERB_SORTER, "a sorter", "it receives and returns elements in memory"},
    {GSI_VERB_GPU_ARRAY, "an array on a GPU", "it is sorted in place, in GPU memory"},
};

/* ---- features ---- */

enum gsi_verb gsi_verb_of(enum gs_action action)
{
    return action == GS_STATS                             ? GSI_VERB_STATS
           : action == GS_CHECK || action == GS_CHECK_ALL ? GSI_VERB_CHECK
           : action == GS_FIND                            ? GSI_VERB_FIND
           : action == GS_LOOK                            ? GSI_VERB_LOOK
                                                          : GSI_VERB_SORT;
}

/* Returns whether a member of the options differs from its initial value. */
static bool is_set(const struct gsi_option_row *row, const struct gsi_options *options)
{
    const char *members = (const char *)options;
    size_t off = row->kind == GSI_KIND_LIST ? row->more : row->off;
    size_t bytes = row->kind == GSI_KIND_LIST ? sizeof(size_t) : row->bytes;
    bool is_any = false;
    for (size_t i = 0; i < bytes; i++)
        is_any |= members[off + i] != 0;
    return is_any;
}

static void find_features(struct gsi_features *features, const struct gsi_options *options,
                          unsigned verbs, const bool *is_given)
{
    bool *has = features->has;
    const char *output = options->output;
    for (int i = 0; i < GSI_OPT_COUNT; i++)
        has[i] = is_given != NULL ? is_given[i] : is_set(&gsi_option_rows[i], options);
    if (is_given == NULL && options->into)
        has[GSI_OPT_OUTPUT] = false; /* --into sets the same member */
    if (is_given == NULL && options->is_sample)
        has[GSI_OPT_TOP] = false; /* likewise */
    has[GSI_OPT_SHUFFLE] |= options->is_shuffled;
    has[GSI_OPT_INPUT] |= options->readers != NULL;
    has[GSI_OPT_OUTPUT] |= options->writer != NULL;
    has[GSI_OPT_MERGE] |= options->merge;
    features->is_found = has[GSI_OPT_FIND];
    has[GSI_WITH_SET] = options->merge_set != GSI_SET_NONE;
    has[GSI_WITH_READ_BACK] = options->verify_read;
    has[GSI_WITH_REPEATED] = options->unique_keep == GSI_KEEP_REPEATED;
    has[GSI_WITH_WIDE_SUM] = options->sum_wide;
    for (size_t i = 0, bytes; i < options->sum_field_count; i++)
        has[GSI_WITH_WIDE_SUM] |= gsi_sum_is_wide(options->sum_fields[i], &bytes);
    has[GSI_WITH_CHECKED_UNIQUE] = (verbs & GSI_VERB_CHECK) != 0 && has[GSI_OPT_UNIQUE];
    has[GSI_WITH_CPU] = options->device == GSI_DEVICE_CPU;
    has[GSI_WITH_CUDA] = options->device == GSI_DEVICE_CUDA;
    has[GSI_WITH_GPU] = has[GSI_WITH_CUDA] || options->device_model != NULL;
    has[GSI_WITH_EXPLAIN] = options->action == GS_EXPLAIN;
    has[GSI_WITH_EXPLAINED_SET] = has[GSI_WITH_EXPLAIN] && has[GSI_WITH_SET];
    has[GSI_WITH_PLACE] = (verbs & GSI_VERB_FIND) != 0;
    has[GSI_WITH_MERGED_HEADER] =
        has[GSI_OPT_MERGE] && has[GSI_OPT_HEADER] && !has[GSI_OPT_DROP_HEADER];
    has[GSI_WITH_MERGED_WHERE] = has[GSI_OPT_MERGE] && has[GSI_OPT_WHERE];
    has[GSI_WITH_MERGED_SPLIT] = has[GSI_OPT_MERGE] && has[GSI_OPT_SPLIT];
    has[GSI_WITH_SCANNED_HISTOGRAM] = (verbs & GSI_VERB_STATS) != 0 && has[GSI_OPT_HISTOGRAM];
    has[GSI_WITH_COUNTED_MERGE] = options->merge_is_counted;
    has[GSI_PROPERTY_SORTER] = (verbs & GSI_VERB_SORTER) != 0;
    has[GSI_PROPERTY_OUTPUT_FILE] =
        options->writer == NULL && output != NULL && strcmp(output, "-") != 0;
}

/* ---- checks ---- */

static const char *dashes(unsigned feature)
{
    return feature < GSI_PROPERTY_FIRST ? "--" : "";
}

/* If --find is the reason for a merge, or --sample for a shuffle, messages name it. */
static const char *name_of(const struct gsi_features *features, unsigned feature)
{
    if (feature == GSI_OPT_MERGE && features->is_found)
        feature = GSI_OPT_FIND;
    else if (feature == GSI_OPT_SHUFFLE && features->has[GSI_OPT_SAMPLE])
        feature = GSI_OPT_SAMPLE;
    return gsi_feature_name(feature);
}

enum gs_status gsi_conflicts_check(const struct gsi_features *features, unsigned other,
                                   const char *item, struct gs_error *error)
{
    const char *name = name_of(features, other), *why;
    for (unsigned i = 0; i < GSI_PROPERTY_FIRST; i++)
        if (features->has[i] && (why = gsi_facts_conflict(i, other)) != NULL)
            return item != NULL
                       ? gsi_fail(error, GS_E_USAGE, 0, "--%s cannot be used with '%s', %s: %s",
                                  name_of(features, i), item, name, why)
                       : gsi_fail(error, GS_E_USAGE, 0, "--%s cannot be used with %s%s: %s",
                                  name_of(features, i), dashes(other), name, why);
    return GS_OK;
}

static enum gs_status check_verbs(const struct gsi_features *features, unsigned verbs,
                                  struct gs_error *error)
{
    for (size_t v = 0; v < sizeof verbs_known / sizeof verbs_known[0]; v++)
        for (int i = 0; i < GSI_OPT_COUNT && (verbs & verbs_known[v].verb) != 0; i++)
            if (features->has[i] && (gsi_option_rows[i].verbs & verbs_known[v].verb) == 0)
                return gsi_fail(error, GS_E_USAGE, 0, "--%s cannot be used with %s: %s",
                                gsi_option_rows[i].option.name, verbs_known[v].name,
                                verbs_known[v].why);
    return GS_OK;
}

static bool has_meaning(unsigned feature, unsigned verbs)
{
    unsigned meant = feature < GSI_OPT_COUNT ? gsi_option_rows[feature].verbs : GSI_VERB_SORT;
    return (meant & verbs) != 0;
}

enum gs_status gsi_conflicts_begin(struct gsi_features *features, const struct gsi_options *options,
                                   unsigned verbs, const bool is_given[GSI_OPT_COUNT],
                                   struct gs_error *error)
{
    const unsigned in_memory =
        GSI_VERB_ARRAY | GSI_VERB_SCAN | GSI_VERB_SORTER | GSI_VERB_GPU_ARRAY;
    *features = (struct gsi_features){.is_found = false};
    find_features(features, options, verbs, is_given);
    const bool *has = features->has;
    GSI_TRY(check_verbs(features, verbs, error));
    for (unsigned i = 0; i < GSI_FEATURE_COUNT; i++)
        if (has[i])
            GSI_TRY(gsi_conflicts_check(features, i, NULL, error));
    for (const struct gsi_required_row *row = gsi_required_rows; row->why != NULL; row++)
        if (has_meaning(row->other, verbs) && has[row->feature] && !has[row->other])
            return gsi_fail(error, GS_E_USAGE, 0, "--%s needs %s%s: %s",
                            gsi_feature_name(row->feature), dashes(row->other),
                            gsi_feature_name(row->other), row->why);
    if ((verbs & in_memory) != 0 && !has[GSI_OPT_TYPE] && !has[GSI_OPT_RECORD])
        return gsi_fail(
            error, GS_E_USAGE, 0,
            "--type: %s has no file name to take the type from; give --type or --record",
            (verbs & GSI_VERB_SORTER) != 0 ? "a sorter" : "an array");
    return GS_OK;
}
