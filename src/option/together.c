/* together.c: the table of what does not go together, and its sentence. */
#include "option/together.h"

#include "base/status.h"

#include <string.h>

/* ---- names ---- */

static const char *const names[GSI_FEATURE_COUNT - GSI_OPT_COUNT] = {
#define NAME(feature) [(feature)-GSI_OPT_COUNT]
    NAME(GSI_WITH_SET) = "merge=SET",
    NAME(GSI_WITH_READ_BACK) = "verify=read",
    NAME(GSI_WITH_CHECKED_UNIQUE) = "check --unique",
    NAME(GSI_WITH_REPEATED) = "keep=repeated",
    NAME(GSI_WITH_WIDE_SUM) = "sum=OFF:TYPE:wide",
    NAME(GSI_WITH_CPU) = "device=cpu",
    NAME(GSI_WITH_CUDA) = "device=cuda",
    NAME(GSI_WITH_GPU) = "device=cuda",
    NAME(GSI_WITH_EXPLAIN) = "explain",
    NAME(GSI_WITH_EXPLAINED_SET) = "explain of --merge=SET",
    NAME(GSI_WITH_PLACE) = "find",
    NAME(GSI_WITH_MERGED_HEADER) = "header with --merge",
    NAME(GSI_WITH_MERGED_WHERE) = "where with --merge",
    NAME(GSI_WITH_MERGED_SPLIT) = "split with --merge",
    NAME(GSI_WITH_SCANNED_HISTOGRAM) = "histogram with --stats-only",
    NAME(GSI_WITH_COUNTED_MERGE) = "stats-only",
    NAME(GSI_FACT_OUTPUT_FILE) = "an output file (-o FILE)",
    NAME(GSI_FACT_SORTER) = "a sorter",
    NAME(GSI_FACT_NUMBERS) = "numbers",
    NAME(GSI_FACT_RECORDS) = "records",
    NAME(GSI_FACT_STREAM) = "a stream",
    NAME(GSI_FACT_PACKED) = "which is packed",
    NAME(GSI_FACT_PACKED_FIRST) = "which is packed",
    NAME(GSI_FACT_BLOCK_DEVICE) = "a device",
    NAME(GSI_FACT_SECOND_INPUT) = "a second file",
    NAME(GSI_FACT_FORMATTED) = "which has a header of its own",
    NAME(GSI_FACT_UNCOUNTED) = "whose length shows at its end",
    NAME(GSI_FACT_PACKED_OUTPUT) = "a packed output (--zstd, or a name in .zst)",
    NAME(GSI_FACT_SPECIAL_OUTPUT) = "which is no regular file",
    NAME(GSI_FACT_NPY_OUTPUT) = "a .npy file",
    NAME(GSI_FACT_NPY_OUTPUT_ONCE) = "a .npy file that cannot be written twice",
    NAME(GSI_FACT_KEPT_OUTPUT) = "which has its input's format",
    NAME(GSI_FACT_NPY_OUTPUT_OF_STREAM) = "a .npy file",
};

const char *gsi_feature_name(unsigned feature)
{
    return feature < GSI_OPT_COUNT ? gsi_option_rows[feature].option.name
                                   : names[feature - GSI_OPT_COUNT];
}

/* ---- the table ---- */

#define OPT(name)  GSI_OPT_##name
#define WITH(name) GSI_WITH_##name
#define FACT(name) GSI_FACT_##name

#define FOLDS(other, why)                           \
    {OPT(SUM), other, why}, {OPT(MIN), other, why}, \
    {                                               \
        OPT(MAX), other, why                        \
    }
#define RANKS(other, why)                                                                    \
    {OPT(QUANTILES), other, why}, {OPT(HISTOGRAM), other, why}, {OPT(DISTINCT), other, why}, \
    {                                                                                        \
        OPT(MODE), other, why                                                                \
    }

#define SORTS_NOTHING "a merge sorts nothing"
#define KNOWN_LENGTH  "how long a part is has to be known before it is made; -o FILE writes it"
#define KNOWN_COUNT                                                                            \
    "how many elements there are shows only at the end; --split-at takes values, or split in " \
    "a second step"
#define ANY_PLACE     "it cannot be read from any place on; write it to a file"
#define UNPACK_FIRST  "it cannot be read from any place on; unpack it first: zstd -d FILE"
#define READ_ONCE     "it can be read only once; sort to /dev/null"
#define WHOLE_RECORD  "its record is of a sort of everything"
#define WHOLE_FILES   "what stays follows from all elements of all files"
#define ALL_PARTS     "give it to the job that has all parts"
#define ONLY_REPORTS  "with --merge it reports what would be written, and writes nothing"
#define OTHER_WRITTEN "what is written then is not what was sorted"
#define ELEMENTS_ONLY "it holds whole elements; --drop-header writes what is asked for alone"
#define ONE_FILE      "its header is of one file; --drop-header writes elements alone"
#define TWICE                                                                             \
    "its header says how many elements follow, which shows at the end; write to a file, " \
    "not packed"

const struct gsi_together_row gsi_together_excluded[] = {
    /* What elements are. */
    {OPT(TYPE), OPT(RECORD), "the types in records go with --key"},
    {OPT(KEY), FACT(NUMBERS), "they need none; --record says how long records are"},
    {OPT(TIES), FACT(NUMBERS), "those with equal keys are the same bytes"},
    {OPT(STATS_OF), FACT(NUMBERS), "they have no fields; --record says how long records are"},
    FOLDS(FACT(NUMBERS), "they have no fields; --record says how long records are"),
    {OPT(OUT), FACT(NUMBERS), "they have no fields; --record says how long records are"},
    {OPT(OUT_ORDER), FACT(RECORDS),
     "it turns numbers round, and records may hold anything; their keys may be of any order"},
    {OPT(HEADER), FACT(FORMATTED), "it is known; leave --header out"},
    {OPT(HEADER), FACT(NPY_OUTPUT), "it has a header of its own; leave --header out"},
    {OPT(DROP_HEADER), FACT(NPY_OUTPUT), "it begins with a header; name it otherwise"},
    {WITH(MERGED_HEADER), FACT(PACKED_FIRST),
     "a merge writes the header before it has read it; unpack it first: zstd -d FILE"},
    /* Outputs that have all that is around the elements of their input. */
    {OPT(ARGSORT), FACT(KEPT_OUTPUT), ELEMENTS_ONLY},
    {OPT(OUT), FACT(KEPT_OUTPUT), ELEMENTS_ONLY},
    {OPT(COUNT_GROUPS), FACT(KEPT_OUTPUT), ELEMENTS_ONLY},
    {WITH(WIDE_SUM), FACT(KEPT_OUTPUT), ELEMENTS_ONLY},
    {OPT(VALUES), FACT(KEPT_OUTPUT), ONE_FILE},
    {OPT(INTO), FACT(KEPT_OUTPUT), ONE_FILE},
    {OPT(SPLIT), FACT(KEPT_OUTPUT), ONE_FILE},
    {OPT(SPLIT_AT), FACT(KEPT_OUTPUT), ONE_FILE},
    {OPT(RESUME), FACT(KEPT_OUTPUT), ONE_FILE},
    {OPT(PART), FACT(KEPT_OUTPUT), ONE_FILE},
    /* Parts of inputs. */
    {OPT(REGION), FACT(STREAM), ANY_PLACE},
    {OPT(REGION), FACT(SECOND_INPUT), "it is a part of one file"},
    {OPT(REGION), OPT(HEADER), "its OFFSET passes a header over; nothing else is copied"},
    {OPT(REGION), OPT(DROP_HEADER), "nothing but the region is copied anyway"},
    {OPT(RANGE), FACT(STREAM), ANY_PLACE},
    {OPT(RANGE), FACT(PACKED), UNPACK_FIRST},
    {OPT(FIND), FACT(STREAM), ANY_PLACE},
    {OPT(FIND), FACT(PACKED), UNPACK_FIRST},
    {WITH(PLACE), FACT(SECOND_INPUT),
     "it says places in one file; -o FILE merges what is found in all"},
    {OPT(PART), FACT(STREAM), ANY_PLACE},
    {OPT(PART), FACT(PACKED), UNPACK_FIRST},
    {OPT(PART), OPT(UNIQUE), ALL_PARTS},
    {OPT(PART), OPT(TOP), ALL_PARTS},
    /* Merges. */
    {OPT(SPILL), OPT(MERGE), SORTS_NOTHING},
    {OPT(CHUNK), OPT(MERGE), SORTS_NOTHING},
    {OPT(MERGE), FACT(NPY_OUTPUT_OF_STREAM),
     "it begins with its length, which streams do not tell; merge from files, or to another name"},
    {WITH(SET), OPT(WHERE), "filter the files first"},
    {WITH(SET), OPT(RANGE), WHOLE_FILES},
    {WITH(SET), OPT(PART), WHOLE_FILES},
    {WITH(SET), OPT(FIND), WHOLE_FILES},
    {WITH(SET), OPT(TIES), "files are compared by keys"},
    {WITH(SET), OPT(OUT), "fields are left out before files are compared"},
    {WITH(SET), FACT(PACKED),
     "it cannot be read from any place on; unpack it into a pipe: zstd -dc FILE"},
    {WITH(EXPLAINED_SET), FACT(STREAM),
     "it is copied to a file first, and a plan has to know how long that is"},
    {OPT(OUTPUT), WITH(COUNTED_MERGE), ONLY_REPORTS},
    {OPT(INTO), WITH(COUNTED_MERGE), ONLY_REPORTS},
    {OPT(SPLIT), WITH(COUNTED_MERGE), ONLY_REPORTS},
    {OPT(SPLIT_AT), WITH(COUNTED_MERGE), ONLY_REPORTS},
    {OPT(VERIFY), WITH(COUNTED_MERGE), ONLY_REPORTS},
    {OPT(ZSTD), WITH(COUNTED_MERGE), ONLY_REPORTS},
    {OPT(OUT_ORDER), WITH(COUNTED_MERGE), ONLY_REPORTS},
    {WITH(MERGED_WHERE), FACT(NPY_OUTPUT_ONCE), TWICE},
    {WITH(SET), FACT(NPY_OUTPUT_ONCE), TWICE},
    /* One place in a file. */
    {OPT(OUTPUT), OPT(INTO), "a file is the whole output, or has a place for it"},
    {OPT(INTO), OPT(UNIQUE), KNOWN_LENGTH},
    {OPT(INTO), OPT(TOP), KNOWN_LENGTH},
    {OPT(INTO), OPT(WHERE), KNOWN_LENGTH},
    {OPT(INTO), WITH(SET), KNOWN_LENGTH},
    {OPT(INTO), OPT(ARGSORT), "its parts are of elements; -o FILE writes positions"},
    {OPT(INTO), OPT(OUT), "its parts are of elements; -o FILE writes fields"},
    {OPT(INTO), OPT(RESUME), "its record is of a whole output; write to -o FILE"},
    {OPT(INTO), FACT(PACKED_OUTPUT), "it has no places; write to -o FILE"},
    {OPT(INTO), FACT(STREAM), ANY_PLACE},
    {OPT(INTO), FACT(PACKED), UNPACK_FIRST},
    /* Several files. */
    {OPT(SPLIT), OPT(SPLIT_AT), "files have equal counts, or begin at values"},
    {OPT(SPLIT), OPT(INTO), "it writes into one file"},
    {OPT(SPLIT_AT), OPT(INTO), "it writes into one file"},
    {OPT(SPLIT), OPT(RESUME), "its record is of one file"},
    {OPT(SPLIT_AT), OPT(RESUME), "its record is of one file"},
    {OPT(SPLIT), OPT(UNIQUE), KNOWN_COUNT},
    {OPT(SPLIT), WITH(SET), KNOWN_COUNT},
    {OPT(SPLIT), WITH(MERGED_WHERE), KNOWN_COUNT},
    {WITH(MERGED_SPLIT), FACT(UNCOUNTED), KNOWN_COUNT},
    {OPT(SPLIT_AT), OPT(ARGSORT), "positions have no key; --split takes counts"},
    {OPT(SPLIT_AT), OPT(OUT), "what it writes has no key; --split takes counts"},
    {OPT(SPLIT_AT), FACT(NPY_OUTPUT_ONCE), TWICE},
    /* Groups. */
    {OPT(UNIQUE), FACT(NPY_OUTPUT_ONCE), TWICE},
    {WITH(CHECKED_UNIQUE), OPT(TIES), "duplicates have equal keys, whatever their other bytes"},
    {WITH(REPEATED), OPT(COUNT_GROUPS),
     "elements are written before it is known how many follow; --keep=dups has one for the count"},
    FOLDS(WITH(REPEATED), "it writes elements as they are"),
    {WITH(WIDE_SUM), FACT(NPY_OUTPUT), "it has no fields for wide sums"},
    {WITH(WIDE_SUM), FACT(SORTER), "it gives back what it is given, and nothing behind it"},
    /* What is written in the place of elements. */
    {OPT(ARGSORT), OPT(OUT), "it writes fields in the place of positions"},
    {OPT(ARGSORT), OPT(TIES), "equal keys keep the order of the positions"},
    {OPT(ARGSORT), OPT(MERGE), "positions are what a sort finds"},
    {OPT(ARGSORT), OPT(RESUME), "its record is of whole elements"},
    {OPT(OUT), OPT(RESUME), "its record is of whole elements"},
    FOLDS(OPT(ARGSORT), "a position has no fields"),
    {OPT(OUT_ORDER), OPT(ARGSORT), "positions are little endian"},
    {OPT(OUT_ORDER), OPT(COUNT_GROUPS), "counts are little endian"},
    {OPT(OUT_ORDER), OPT(VALUES), "values are bytes of any kind; turn the keys round before"},
    {OPT(OUT_ORDER), OPT(INTO), "reports of parts are compared by the bytes of elements; -o FILE"},
    {OPT(OUT_ORDER), OPT(PART), "reports of parts are compared by the bytes of elements"},
    {OPT(OUT_ORDER), OPT(RESUME), "its record is of elements as they are sorted"},
    RANKS(OPT(ARGSORT), "a sort of the elements has them"),
    {OPT(OUT), OPT(TIES), "bytes that are left out cannot decide; give those that can as keys"},
    {OPT(VALUES), OPT(ARGSORT), "sort without --values then"},
    {OPT(VALUES), OPT(OUT), "give the fields files of their own"},
    {OPT(VALUES), OPT(MERGE), "a merge would have the values of one file only"},
    FOLDS(OPT(VALUES), "values are no fields"),
    {OPT(VALUES), OPT(COUNT_GROUPS), "no file has room for counts"},
    RANKS(OPT(VALUES), "--stats-only has what a sort without --values would say"),
    {OPT(VALUES), OPT(RESUME), "its record is of one file"},
    {OPT(VALUES), OPT(INTO), "its parts are of one file"},
    {OPT(VALUES), OPT(SPLIT), "keys and values have a file each"},
    {OPT(VALUES), OPT(SPLIT_AT), "keys and values have a file each"},
    {OPT(VALUES), WITH(READ_BACK), "it reads one file"},
    {OPT(VALUES), FACT(PACKED_OUTPUT), "values are written as they are"},
    {OPT(VALUES), FACT(UNCOUNTED), "the number of keys has to be known; write them to a file"},
    /* What comes of the whole order. */
    RANKS(OPT(MERGE), "merge first, then take them from the output"),
    RANKS(OPT(TOP), "it does not put everything in order"),
    RANKS(OPT(RESUME), "it sees a part of the output only"),
    {WITH(SCANNED_HISTOGRAM), FACT(STREAM), READ_ONCE},
    {WITH(SCANNED_HISTOGRAM), FACT(PACKED), READ_ONCE},
    /* What is read back from the disk. */
    {WITH(READ_BACK), OPT(COUNT_GROUPS), OTHER_WRITTEN},
    {WITH(READ_BACK), WITH(WIDE_SUM), OTHER_WRITTEN},
    {WITH(READ_BACK), OPT(ARGSORT), OTHER_WRITTEN},
    {WITH(READ_BACK), OPT(OUT), OTHER_WRITTEN},
    {WITH(READ_BACK), FACT(SPECIAL_OUTPUT), "it cannot be read back; write to a file by --output"},
    /* A sort that goes on after it was killed. */
    {OPT(RESUME), OPT(MERGE), WHOLE_RECORD},
    {OPT(RESUME), OPT(UNIQUE), WHOLE_RECORD},
    {OPT(RESUME), OPT(TOP), WHOLE_RECORD},
    {OPT(RESUME), OPT(WHERE), "sort what is left out, too, or without a record"},
    {OPT(RESUME), OPT(VARIANCE), "its record has no squares"},
    {OPT(RESUME), OPT(TEMP_DIR), "it names the temporary directory itself"},
    {OPT(RESUME), WITH(CUDA), "it is for the CPU"},
    {OPT(RESUME), FACT(STREAM), "it cannot be read twice; write it to a file"},
    {OPT(RESUME), FACT(PACKED), "it may have to be read from any place on; unpack it first"},
    {OPT(RESUME), FACT(BLOCK_DEVICE), "it does not tell whether it has changed"},
    {OPT(RESUME), FACT(SPECIAL_OUTPUT), "what is kept becomes a file"},
    {OPT(RESUME), FACT(PACKED_OUTPUT), "what is kept of an output goes on as it is"},
    /* Devices. */
    {OPT(DEVICE_MEMORY), WITH(CPU), "--memory is what it takes"},
    {OPT(DEVICE_MODEL), OPT(DEVICE), "the model says which GPUs there are"},
    {OPT(TUNE), OPT(MERGE), "sorted files are merged on the CPU"},
    {OPT(TUNE), OPT(RESUME), "that is for the CPU"},
    {0, 0, NULL}};

#define GROUPS "that makes the groups which it is for"

/* Where what is needed has a meaning: elsewhere these have none, or --find a simpler one. */
const struct gsi_together_row gsi_together_needed[] = {
    {WITH(SET), OPT(MERGE), "it says what of that stays"},
    {OPT(PART), OPT(MERGE), "in sorted inputs it is known where a part is"},
    {OPT(FIND), OPT(MERGE), "in sorted inputs it is known where values are"},
    {OPT(INTO), OPT(MERGE), "-o FILE writes a sort"},
    {OPT(INTO), FACT(OUTPUT_FILE), "in anything else there are no places"},
    {OPT(SPLIT), FACT(OUTPUT_FILE), "that is a pattern for their names, like out.%03d"},
    {OPT(SPLIT_AT), FACT(OUTPUT_FILE), "that is a pattern for their names, like out.%03d"},
    {OPT(VALUES), FACT(OUTPUT_FILE), "keys are written to one, too"},
    {OPT(RESUME), FACT(OUTPUT_FILE), "what is kept becomes that"},
    {OPT(KEEP), OPT(UNIQUE), GROUPS},
    {OPT(GROUP), OPT(UNIQUE), GROUPS},
    {OPT(COUNT_GROUPS), OPT(UNIQUE), GROUPS},
    {OPT(SUM), OPT(UNIQUE), GROUPS},
    {OPT(MIN), OPT(UNIQUE), GROUPS},
    {OPT(MAX), OPT(UNIQUE), GROUPS},
    {OPT(SUM_WIDE), OPT(SUM), "it makes such sums wider"},
    {OPT(INDEX), OPT(ARGSORT), "it says how wide positions are"},
    {OPT(DEVICE_MODEL), WITH(EXPLAIN), "that needs no GPU to plan for some"},
    {OPT(TUNE), WITH(GPU), "it says how a GPU merges"},
    {0, 0, NULL}};

/* What is done, as far as options may have no meaning for it. */
static const struct {
    enum gsi_verb verb;
    const char *name, *why;
} verbs_known[] = {
    {GSI_VERB_STATS, "--stats-only",
     "it sorts nothing and writes nothing; where only the report is wanted, sort to /dev/null"},
    {GSI_VERB_CHECK, "--check", "it looks at every element as it is, and writes nothing"},
    {GSI_VERB_FIND, "--find", "it prints a place; -o FILE writes what is found"},
    {GSI_VERB_LOOK, "--head and --tail", "they print a file as it is"},
    {GSI_VERB_ARRAY, "an array", "it is sorted in its place"},
    {GSI_VERB_SCAN, "an array", "it is in memory, and looked at there"},
    {GSI_VERB_SORTER, "a sorter", "it is given elements, and gives them back"},
    {GSI_VERB_GPU_ARRAY, "an array on a GPU", "it is sorted there, in its place"},
};

/* ---- what there is ---- */

enum gsi_verb gsi_together_verb(enum gs_action action)
{
    return action == GS_STATS                             ? GSI_VERB_STATS
           : action == GS_CHECK || action == GS_CHECK_ALL ? GSI_VERB_CHECK
           : action == GS_FIND                            ? GSI_VERB_FIND
           : action == GS_LOOK                            ? GSI_VERB_LOOK
                                                          : GSI_VERB_SORT;
}

/* Whether a member of the options is not what it begins with. */
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

static void find_features(struct gsi_together *together, const struct gsi_options *options,
                          unsigned verbs, const bool *is_given)
{
    bool *has = together->has;
    const char *output = options->output;
    for (int i = 0; i < GSI_OPT_COUNT; i++)
        has[i] = is_given != NULL ? is_given[i] : is_set(&gsi_option_rows[i], options);
    if (is_given == NULL && options->into)
        has[GSI_OPT_OUTPUT] = false; /* it is the same member */
    has[GSI_OPT_INPUT] |= options->readers != NULL;
    has[GSI_OPT_OUTPUT] |= options->writer != NULL;
    has[GSI_OPT_MERGE] |= options->merge;
    together->is_found = has[GSI_OPT_FIND];
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
    has[GSI_FACT_SORTER] = (verbs & GSI_VERB_SORTER) != 0;
    has[GSI_FACT_OUTPUT_FILE] =
        options->writer == NULL && output != NULL && strcmp(output, "-") != 0;
}

/* ---- the sentence ---- */

static const char *dashes(unsigned feature)
{
    return feature < GSI_FACT_FIRST ? "--" : "";
}

/* A merge of what --find finds has that name. */
static const char *name_of(const struct gsi_together *together, unsigned feature)
{
    bool is_found = feature == GSI_OPT_MERGE && together->is_found;
    return gsi_feature_name(is_found ? GSI_OPT_FIND : feature);
}

static enum gs_status refuse(const struct gsi_together *together,
                             const struct gsi_together_row *row, const char *item,
                             struct gs_error *error)
{
    const char *feature = name_of(together, row->feature), *other = name_of(together, row->other);
    if (item != NULL)
        return gsi_fail(error, GS_E_USAGE, 0, "--%s does not go with '%s', %s: %s", feature, item,
                        other, row->why);
    return gsi_fail(error, GS_E_USAGE, 0, "--%s does not go with %s%s: %s", feature,
                    dashes(row->other), other, row->why);
}

/* ---- checks ---- */

static enum gs_status check_verbs(const struct gsi_together *together, unsigned verbs,
                                  struct gs_error *error)
{
    for (size_t v = 0; v < sizeof verbs_known / sizeof verbs_known[0]; v++)
        for (int i = 0; i < GSI_OPT_COUNT && (verbs & verbs_known[v].verb) != 0; i++)
            if (together->has[i] && (gsi_option_rows[i].verbs & verbs_known[v].verb) == 0)
                return gsi_fail(error, GS_E_USAGE, 0, "--%s does not go with %s: %s",
                                gsi_option_rows[i].option.name, verbs_known[v].name,
                                verbs_known[v].why);
    return GS_OK;
}

static bool has_meaning(unsigned feature, unsigned verbs)
{
    unsigned meant = feature < GSI_OPT_COUNT ? gsi_option_rows[feature].verbs : GSI_VERB_SORT;
    return (meant & verbs) != 0;
}

enum gs_status gsi_together_begin(struct gsi_together *together, const struct gsi_options *options,
                                  unsigned verbs, const bool is_given[GSI_OPT_COUNT],
                                  struct gs_error *error)
{
    const unsigned in_memory =
        GSI_VERB_ARRAY | GSI_VERB_SCAN | GSI_VERB_SORTER | GSI_VERB_GPU_ARRAY;
    *together = (struct gsi_together){.is_found = false};
    find_features(together, options, verbs, is_given);
    const bool *has = together->has;
    GSI_TRY(check_verbs(together, verbs, error));
    for (const struct gsi_together_row *row = gsi_together_excluded; row->why != NULL; row++)
        if (has[row->feature] && has[row->other])
            return refuse(together, row, NULL, error);
    for (const struct gsi_together_row *row = gsi_together_needed; row->why != NULL; row++)
        if (has_meaning(row->other, verbs) && has[row->feature] && !has[row->other])
            return gsi_fail(error, GS_E_USAGE, 0, "--%s goes with %s%s only: %s",
                            gsi_feature_name(row->feature), dashes(row->other),
                            gsi_feature_name(row->other), row->why);
    if ((verbs & in_memory) != 0 && !has[GSI_OPT_TYPE] && !has[GSI_OPT_RECORD])
        return gsi_fail(error, GS_E_USAGE, 0,
                        "--type: %s has no name that says what the elements are; give it, or "
                        "--record",
                        (verbs & GSI_VERB_SORTER) != 0 ? "a sorter" : "an array");
    return GS_OK;
}

enum gs_status gsi_together_tell(const struct gsi_together *together, enum gsi_feature fact,
                                 const char *name, struct gs_error *error)
{
    for (const struct gsi_together_row *row = gsi_together_excluded; row->why != NULL; row++)
        if (row->other == fact && together->has[row->feature])
            return refuse(together, row, name, error);
    return GS_OK;
}
