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
    NAME(GSI_FACT_PACKED) = "which is compressed",
    NAME(GSI_FACT_PACKED_FIRST) = "which is compressed",
    NAME(GSI_FACT_BLOCK_DEVICE) = "a device",
    NAME(GSI_FACT_SECOND_INPUT) = "a second file",
    NAME(GSI_FACT_FORMATTED) = "which has a header of its own",
    NAME(GSI_FACT_UNCOUNTED) = "whose length is unknown until it has been read",
    NAME(GSI_FACT_PACKED_OUTPUT) = "a compressed output (--zstd, or a name ending in .zst)",
    NAME(GSI_FACT_SPECIAL_OUTPUT) = "which is not a regular file",
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

#define SORTS_NOTHING "a merge does not sort"
#define KNOWN_LENGTH  "the length of a part must be known before it is written; use -o FILE"
#define KNOWN_COUNT \
    "the number of elements is known only at the end; use --split-at, or split in a second step"
#define ANY_PLACE     "it is not seekable; write it to a file first"
#define UNPACK_FIRST  "it is not seekable; decompress it first: zstd -d FILE"
#define READ_ONCE     "it can be read only once; for the report, sort it to /dev/null"
#define WHOLE_RECORD  "only a plain sort of all elements can be resumed"
#define WHOLE_FILES   "the result depends on all elements of all files"
#define ALL_PARTS     "use it in the job that reads all parts"
#define ONLY_REPORTS  "with --merge it reports on the merged result and writes nothing"
#define OTHER_WRITTEN "the output then differs from the elements that were sorted"
#define ELEMENTS_ONLY "it holds whole elements; add --drop-header to write only the data"
#define ONE_FILE      "the header of the output describes one whole file; add --drop-header"
#define TWICE                                                                      \
    "its header holds the number of elements, known only at the end; write to an " \
    "uncompressed file"

const struct gsi_together_row gsi_together_excluded[] = {
    /* What elements are. */
    {OPT(TYPE), OPT(RECORD), "in records, --key gives the type of each key"},
    {OPT(KEY), FACT(NUMBERS), "they need no key; for records, give their length with --record"},
    {OPT(TIES), FACT(NUMBERS), "numbers with equal keys are the same bytes"},
    {OPT(STATS_OF), FACT(NUMBERS),
     "they have no fields; for records, give their length with --record"},
    FOLDS(FACT(NUMBERS), "they have no fields; for records, give their length with --record"),
    {OPT(OUT), FACT(NUMBERS), "they have no fields; for records, give their length with --record"},
    {OPT(OUT_ORDER), FACT(RECORDS),
     "it reverses the bytes of numbers; keys of records may have any byte order"},
    {OPT(HEADER), FACT(FORMATTED), "its header is known; omit --header"},
    {OPT(HEADER), FACT(NPY_OUTPUT), "it has a header of its own; omit --header"},
    {OPT(DROP_HEADER), FACT(NPY_OUTPUT), "it starts with a header; give the output another name"},
    {WITH(MERGED_HEADER), FACT(PACKED_FIRST),
     "a merge copies the header before it decompresses the file; decompress it first: zstd -d "
     "FILE"},
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
    {OPT(REGION), FACT(SECOND_INPUT), "a region is a part of one file"},
    {OPT(REGION), OPT(HEADER), "its OFFSET skips a header; only the region is copied"},
    {OPT(REGION), OPT(DROP_HEADER), "only the region is copied, never a header"},
    {OPT(RANGE), FACT(STREAM), ANY_PLACE},
    {OPT(RANGE), FACT(PACKED), UNPACK_FIRST},
    {OPT(FIND), FACT(STREAM), ANY_PLACE},
    {OPT(FIND), FACT(PACKED), UNPACK_FIRST},
    {WITH(PLACE), FACT(SECOND_INPUT),
     "it prints positions in one file; -o FILE writes what is found in all files"},
    {OPT(PART), FACT(STREAM), ANY_PLACE},
    {OPT(PART), FACT(PACKED), UNPACK_FIRST},
    {OPT(PART), OPT(UNIQUE), ALL_PARTS},
    {OPT(PART), OPT(TOP), ALL_PARTS},
    /* Merges. */
    {OPT(SPILL), OPT(MERGE), SORTS_NOTHING},
    {OPT(CHUNK), OPT(MERGE), SORTS_NOTHING},
    {OPT(MERGE), FACT(NPY_OUTPUT_OF_STREAM),
     "its header holds its length, which is unknown for streams; merge files, or use another "
     "output name"},
    {WITH(SET), OPT(WHERE), "filter each file first"},
    {WITH(SET), OPT(RANGE), WHOLE_FILES},
    {WITH(SET), OPT(PART), WHOLE_FILES},
    {WITH(SET), OPT(FIND), WHOLE_FILES},
    {WITH(SET), OPT(TIES), "files are compared by keys only"},
    {WITH(SET), OPT(OUT), "fields are dropped before files are compared"},
    {WITH(SET), FACT(PACKED), "it is not seekable; decompress it into a pipe: zstd -dc FILE"},
    {WITH(EXPLAINED_SET), FACT(STREAM),
     "its length is unknown until it has been read, and a plan needs it"},
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
    {OPT(OUTPUT), OPT(INTO), "-o FILE writes a whole file, --into a part of one; give one of them"},
    {OPT(INTO), OPT(UNIQUE), KNOWN_LENGTH},
    {OPT(INTO), OPT(TOP), KNOWN_LENGTH},
    {OPT(INTO), OPT(WHERE), KNOWN_LENGTH},
    {OPT(INTO), WITH(SET), KNOWN_LENGTH},
    {OPT(INTO), OPT(ARGSORT), "it writes elements; use -o FILE for positions"},
    {OPT(INTO), OPT(OUT), "it writes whole elements; use -o FILE for fields"},
    {OPT(INTO), OPT(RESUME), "only a whole output can be resumed; use -o FILE"},
    {OPT(INTO), FACT(PACKED_OUTPUT), "a part of a compressed file cannot be written; use -o FILE"},
    {OPT(INTO), FACT(STREAM), ANY_PLACE},
    {OPT(INTO), FACT(PACKED), UNPACK_FIRST},
    /* Several files. */
    {OPT(SPLIT), OPT(SPLIT_AT), "one splits by count, the other at values; give one of them"},
    {OPT(SPLIT), OPT(INTO), "--into writes one file"},
    {OPT(SPLIT_AT), OPT(INTO), "--into writes one file"},
    {OPT(SPLIT), OPT(RESUME), "only an output of one file can be resumed"},
    {OPT(SPLIT_AT), OPT(RESUME), "only an output of one file can be resumed"},
    {OPT(SPLIT), OPT(UNIQUE), KNOWN_COUNT},
    {OPT(SPLIT), WITH(SET), KNOWN_COUNT},
    {OPT(SPLIT), WITH(MERGED_WHERE), KNOWN_COUNT},
    {WITH(MERGED_SPLIT), FACT(UNCOUNTED), KNOWN_COUNT},
    {OPT(SPLIT_AT), OPT(ARGSORT), "positions have no key; use --split, which counts elements"},
    {OPT(SPLIT_AT), OPT(OUT), "its output has no key; use --split, which counts elements"},
    {OPT(SPLIT_AT), FACT(NPY_OUTPUT_ONCE), TWICE},
    /* Groups. */
    {OPT(UNIQUE), FACT(NPY_OUTPUT_ONCE), TWICE},
    {WITH(CHECKED_UNIQUE), OPT(TIES),
     "duplicates have equal keys; their other bytes do not matter"},
    {WITH(REPEATED), OPT(COUNT_GROUPS),
     "elements are written before their group is counted; --keep=dups writes one per group"},
    FOLDS(WITH(REPEATED), "it writes elements unchanged"),
    {WITH(WIDE_SUM), FACT(NPY_OUTPUT), "it has no fields for wide sums"},
    {WITH(WIDE_SUM), FACT(SORTER), "a sorter returns elements of the same length"},
    /* What is written in the place of elements. */
    {OPT(ARGSORT), OPT(OUT), "it writes fields instead of positions"},
    {OPT(ARGSORT), OPT(TIES), "elements with equal keys keep the order of their positions"},
    {OPT(ARGSORT), OPT(MERGE), "only a sort finds positions"},
    {OPT(ARGSORT), OPT(RESUME), "only an output of whole elements can be resumed"},
    {OPT(OUT), OPT(RESUME), "only an output of whole elements can be resumed"},
    FOLDS(OPT(ARGSORT), "a position has no fields"),
    {OPT(OUT_ORDER), OPT(ARGSORT), "positions are always little-endian"},
    {OPT(OUT_ORDER), OPT(COUNT_GROUPS), "counts are always little-endian"},
    {OPT(OUT_ORDER), OPT(VALUES),
     "values may hold anything; change the byte order of the keys first"},
    {OPT(OUT_ORDER), OPT(INTO), "reports of parts compare the bytes of elements; use -o FILE"},
    {OPT(OUT_ORDER), OPT(PART), "reports of parts compare the bytes of elements"},
    {OPT(OUT_ORDER), OPT(RESUME), "only an output in the byte order of the input can be resumed"},
    RANKS(OPT(ARGSORT), "a sort of the elements reports them"),
    {OPT(OUT), OPT(TIES),
     "bytes that --out drops cannot order ties; add the bytes that should as keys"},
    {OPT(VALUES), OPT(ARGSORT), "for positions, sort without --values"},
    {OPT(VALUES), OPT(OUT), "give each field as a file of its own"},
    {OPT(VALUES), OPT(MERGE), "values belong to one file, and a merge reads several"},
    FOLDS(OPT(VALUES), "values are not fields"),
    {OPT(VALUES), OPT(COUNT_GROUPS), "no output file has room for counts"},
    RANKS(OPT(VALUES), "for the report, sort the keys alone to /dev/null"),
    {OPT(VALUES), OPT(RESUME), "only an output of one file can be resumed"},
    {OPT(VALUES), OPT(INTO), "--into writes one file"},
    {OPT(VALUES), OPT(SPLIT), "keys and values are written to one file each"},
    {OPT(VALUES), OPT(SPLIT_AT), "keys and values are written to one file each"},
    {OPT(VALUES), WITH(READ_BACK), "it reads back only one file"},
    {OPT(VALUES), FACT(PACKED_OUTPUT), "values are written uncompressed"},
    {OPT(VALUES), FACT(UNCOUNTED),
     "gsort must know how many keys there are before it reads them; write them to a file first"},
    /* What comes of the whole order. */
    RANKS(OPT(MERGE), "merge first, then report on the output"),
    RANKS(OPT(TOP), "--top does not sort everything"),
    RANKS(OPT(RESUME), "a resumed sort sees only a part of the output"),
    {WITH(SCANNED_HISTOGRAM), FACT(STREAM), READ_ONCE},
    {WITH(SCANNED_HISTOGRAM), FACT(PACKED), READ_ONCE},
    /* What is read back from the disk. */
    {WITH(READ_BACK), OPT(COUNT_GROUPS), OTHER_WRITTEN},
    {WITH(READ_BACK), WITH(WIDE_SUM), OTHER_WRITTEN},
    {WITH(READ_BACK), OPT(ARGSORT), OTHER_WRITTEN},
    {WITH(READ_BACK), OPT(OUT), OTHER_WRITTEN},
    {WITH(READ_BACK), FACT(SPECIAL_OUTPUT),
     "it cannot be read back; write to a file with --output"},
    /* A sort that goes on after it was killed. */
    {OPT(RESUME), OPT(MERGE), WHOLE_RECORD},
    {OPT(RESUME), OPT(UNIQUE), WHOLE_RECORD},
    {OPT(RESUME), OPT(TOP), WHOLE_RECORD},
    {OPT(RESUME), OPT(WHERE), "sort all elements, or sort without --resume"},
    {OPT(RESUME), OPT(VARIANCE), "the resume journal holds no sums of squares"},
    {OPT(RESUME), OPT(TEMP_DIR), "--resume=DIR is also the temporary directory"},
    {OPT(RESUME), WITH(CUDA), "--resume sorts on the CPU"},
    {OPT(RESUME), FACT(STREAM), "it cannot be read twice; write it to a file first"},
    {OPT(RESUME), FACT(PACKED), "it is not seekable; decompress it first: zstd -d FILE"},
    {OPT(RESUME), FACT(BLOCK_DEVICE), "changes to its data cannot be detected"},
    {OPT(RESUME), FACT(SPECIAL_OUTPUT), "only an output to a regular file can be resumed"},
    {OPT(RESUME), FACT(PACKED_OUTPUT), "a compressed output cannot be continued"},
    /* Devices. */
    {OPT(DEVICE_MEMORY), WITH(CPU), "the CPU uses --memory"},
    {OPT(DEVICE_MODEL), OPT(DEVICE), "the model already describes the GPUs"},
    {OPT(TUNE), OPT(MERGE), "sorted files are merged on the CPU"},
    {OPT(TUNE), OPT(RESUME), "--resume sorts on the CPU"},
    {0, 0, NULL}};

#define GROUPS "it applies to groups of equal keys"

/* Where what is needed has a meaning: elsewhere these have none, or --find a simpler one. */
const struct gsi_together_row gsi_together_needed[] = {
    {WITH(SET), OPT(MERGE), "it selects from merged files"},
    {OPT(PART), OPT(MERGE), "only sorted inputs can be cut into parts"},
    {OPT(FIND), OPT(MERGE), "values can be found only in sorted inputs"},
    {OPT(INTO), OPT(MERGE), "for a sort, use -o FILE"},
    {OPT(INTO), FACT(OUTPUT_FILE), "only a file can be written in parts"},
    {OPT(SPLIT), FACT(OUTPUT_FILE), "the file name is a pattern, like out.%03d"},
    {OPT(SPLIT_AT), FACT(OUTPUT_FILE), "the file name is a pattern, like out.%03d"},
    {OPT(VALUES), FACT(OUTPUT_FILE), "the sorted keys are written to it"},
    {OPT(RESUME), FACT(OUTPUT_FILE), "only an output to a file can be resumed"},
    {OPT(KEEP), OPT(UNIQUE), GROUPS},
    {OPT(GROUP), OPT(UNIQUE), GROUPS},
    {OPT(COUNT_GROUPS), OPT(UNIQUE), GROUPS},
    {OPT(SUM), OPT(UNIQUE), GROUPS},
    {OPT(MIN), OPT(UNIQUE), GROUPS},
    {OPT(MAX), OPT(UNIQUE), GROUPS},
    {OPT(SUM_WIDE), OPT(SUM), "it widens these sums"},
    {OPT(INDEX), OPT(ARGSORT), "it sets the width of positions"},
    {OPT(DEVICE_MODEL), WITH(EXPLAIN), "a model is for plans without a GPU"},
    {OPT(TUNE), WITH(GPU), "it sets how a GPU merges"},
    {0, 0, NULL}};

/* What is done, as far as options may have no meaning for it. */
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
        return gsi_fail(error, GS_E_USAGE, 0, "--%s cannot be used with '%s', %s: %s", feature,
                        item, other, row->why);
    return gsi_fail(error, GS_E_USAGE, 0, "--%s cannot be used with %s%s: %s", feature,
                    dashes(row->other), other, row->why);
}

/* ---- checks ---- */

static enum gs_status check_verbs(const struct gsi_together *together, unsigned verbs,
                                  struct gs_error *error)
{
    for (size_t v = 0; v < sizeof verbs_known / sizeof verbs_known[0]; v++)
        for (int i = 0; i < GSI_OPT_COUNT && (verbs & verbs_known[v].verb) != 0; i++)
            if (together->has[i] && (gsi_option_rows[i].verbs & verbs_known[v].verb) == 0)
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

enum gs_status gsi_together_tell(const struct gsi_together *together, enum gsi_feature fact,
                                 const char *name, struct gs_error *error)
{
    for (const struct gsi_together_row *row = gsi_together_excluded; row->why != NULL; row++)
        if (row->other == fact && together->has[row->feature])
            return refuse(together, row, name, error);
    return GS_OK;
}
