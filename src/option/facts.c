/* facts.c: the facts about a job, and a row for each feature with those that it needs and drops.
 * For a new option, ask of each fact whether the option needs it, drops it, or neither. */
#include "option/conflicts.h"

#include "base/assert.h"

#include <stddef.h>

/* ---- facts ---- */

enum fact {
    /* Slots. A feature that takes one both needs and drops it, so two such features conflict. */
    ELEMENT = 1 << 0,   /* what elements are */
    PAYLOAD = 1 << 1,   /* what is written instead of elements, or along with them */
    FILES = 1 << 2,     /* which files are written */
    OUTPUT = 1 << 3,    /* the name of the output */
    WORKSPACE = 1 << 4, /* where temporary files are */
    DEVICE = 1 << 5,    /* what sorts */
    /* Inputs. */
    SEEKABLE = 1 << 6,     /* inputs can be read again from any place */
    ONE_INPUT = 1 << 7,    /* there is one input */
    LENGTH_KNOWN = 1 << 8, /* the inputs' length is known before they are read */
    COMPLETE = 1 << 9,     /* all bytes of all elements of the inputs are used */
    /* Elements. */
    RECORDS = 1 << 10,     /* elements are records */
    OTHER_BYTES = 1 << 11, /* bytes that are not in a key are compared */
    /* The actions. */
    SORTS = 1 << 12,       /* the job sorts: it does not only merge */
    WHOLE_ORDER = 1 << 13, /* the job sees all its elements in order */
    COUNT_KNOWN = 1 << 14, /* the elements of a file are counted before it is written */
    APART = 1 << 15,       /* whether an element is written depends on no other */
    SAVES = 1 << 16,       /* the state of the job can be saved */
    GPU = 1 << 17,         /* a GPU may sort */
    /* The output. */
    WRITES = 1 << 18,     /* there is an output */
    ONE_FILE = 1 << 19,   /* it is one whole file */
    REWRITABLE = 1 << 20, /* it can be read again */
    PLACES = 1 << 21,     /* its bytes can be written at their place, uncompressed */
    HEAD = 1 << 22,       /* it may begin with a header of N bytes, or with none */
    /* The output. */
    ENTRY_IS_ELEMENT = 1 << 23, /* each entry has the layout of an element */
    BYTES = 1 << 24,            /* elements keep their bytes */
    NUMBERS = 1 << 25,          /* entries are numbers of the sorted type */
    KEYS = 1 << 26,             /* entries hold their keys */
    FIELDS = 1 << 27,           /* entries hold fields of records */
    FIELD_WIDTHS = 1 << 28,     /* fields keep their width */
    ONE_ENTRY = 1 << 29,        /* a group is one entry, with room for aggregates */
    KEY_ORDER = 1 << 30,        /* they are in the order of their keys */
};

/* ---- the table ---- */

#define OPT(name)  GSI_OPT_##name
#define WITH(name) GSI_WITH_##name
#define IS(name)   GSI_PROPERTY_##name

#define AGGREGATE (RECORDS | FIELDS | ONE_ENTRY)

static const struct {
    const char *name; /* of what is no option */
    unsigned takes, needs, drops;
} rows[GSI_FEATURE_COUNT] = {
    /* Elements and inputs. */
    [OPT(TYPE)] = {.takes = ELEMENT},
    [OPT(RECORD)] = {.takes = ELEMENT},
    [OPT(FIELDS)] = {.needs = RECORDS},
    [OPT(KEY)] = {.needs = RECORDS | KEY_ORDER},
    [OPT(REVERSE)] = {.needs = KEY_ORDER},
    [OPT(NAN)] = {.needs = KEY_ORDER},
    [OPT(STATS_OF)] = {.needs = RECORDS},
    [OPT(TIES)] = {.needs = OTHER_BYTES | KEY_ORDER},
    [OPT(WHERE)] = {.drops = COMPLETE | SAVES},
    [OPT(HEADER)] = {.needs = HEAD},
    [OPT(DROP_HEADER)] = {.needs = HEAD},
    [OPT(REGION)] = {.needs = SEEKABLE | ONE_INPUT, .drops = HEAD},
    [OPT(RANGE)] = {.needs = SEEKABLE, .drops = COMPLETE},
    [OPT(FIND)] = {.needs = SEEKABLE, .drops = COMPLETE},
    [OPT(PART)] = {.needs = SEEKABLE | APART | BYTES, .drops = COMPLETE | ONE_FILE},
    /* Sorting and merging. */
    [OPT(MERGE)] = {.drops = SORTS | WHOLE_ORDER},
    [OPT(SPILL)] = {.needs = SORTS},
    [OPT(CHUNK)] = {.needs = SORTS},
    [OPT(TUNE)] = {.needs = SORTS | GPU},
    [OPT(DEVICE)] = {.takes = DEVICE},
    [OPT(DEVICE_MODEL)] = {.takes = DEVICE},
    [OPT(TEMP_DIR)] = {.takes = WORKSPACE},
    [OPT(RESUME)] = {.takes = WORKSPACE,
                     .needs = SEEKABLE | SORTS | SAVES | ONE_FILE | REWRITABLE | PLACES |
                              ENTRY_IS_ELEMENT | BYTES,
                     .drops = WHOLE_ORDER | GPU},
    /* Which elements are written. */
    [OPT(TOP)] = {.needs = KEY_ORDER, .drops = APART | WHOLE_ORDER | SAVES},
    [OPT(SHUFFLE)] = {.needs = SORTS, .drops = WHOLE_ORDER | KEY_ORDER},
    [OPT(SAMPLE)] = {.drops = SAVES},
    [OPT(PERMUTE)] = {.takes = PAYLOAD | KEY_ORDER,
                      .needs = COMPLETE | SORTS,
                      .drops = WHOLE_ORDER | SAVES | GPU},
    [OPT(UNIQUE)] = {.needs = KEY_ORDER, .drops = APART | COUNT_KNOWN | SAVES},
    [OPT(COUNT_GROUPS)] = {.needs = ONE_ENTRY, .drops = ENTRY_IS_ELEMENT | NUMBERS},
    [OPT(SUM)] = {.needs = AGGREGATE},
    [OPT(MIN)] = {.needs = AGGREGATE},
    [OPT(MAX)] = {.needs = AGGREGATE},
    [OPT(ORDER_BY)] = {.needs = WRITES | KEYS | FIELDS, .drops = NUMBERS},
    /* These choose what is written. */
    [OPT(OUT)] = {.takes = PAYLOAD,
                  .needs = RECORDS,
                  .drops = COMPLETE | OTHER_BYTES | ENTRY_IS_ELEMENT | KEYS},
    [OPT(OUT_ORDER)] = {.needs = WRITES | NUMBERS, .drops = BYTES},
    [OPT(VALUES)] = {.takes = PAYLOAD | FILES,
                     .needs = LENGTH_KNOWN | SORTS | PLACES,
                     .drops =
                         WHOLE_ORDER | ONE_FILE | ENTRY_IS_ELEMENT | NUMBERS | FIELDS | ONE_ENTRY},
    [OPT(ARGSORT)] = {.takes = PAYLOAD,
                      .needs = SORTS,
                      .drops =
                          OTHER_BYTES | WHOLE_ORDER | ENTRY_IS_ELEMENT | NUMBERS | KEYS | FIELDS},
    /* These choose where it is written. */
    [OPT(OUTPUT)] = {.takes = OUTPUT, .needs = WRITES},
    [OPT(INTO)] = {.takes = FILES | OUTPUT,
                   .needs =
                       SEEKABLE | APART | COUNT_KNOWN | WRITES | PLACES | ENTRY_IS_ELEMENT | BYTES,
                   .drops = ONE_FILE},
    [OPT(SPLIT)] = {.takes = FILES, .needs = COUNT_KNOWN | WRITES, .drops = ONE_FILE},
    [OPT(SPLIT_AT)] = {.takes = FILES,
                       .needs = WRITES | KEYS | KEY_ORDER,
                       .drops = COUNT_KNOWN | ONE_FILE},
    [OPT(ZSTD)] = {.needs = WRITES},
    [OPT(VERIFY)] = {.needs = WRITES},
    /* Reports. */
    [OPT(QUANTILES)] = {.needs = WHOLE_ORDER},
    [OPT(HISTOGRAM)] = {.needs = WHOLE_ORDER},
    [OPT(DISTINCT)] = {.needs = WHOLE_ORDER},
    [OPT(MODE)] = {.needs = WHOLE_ORDER},
    [OPT(VARIANCE)] = {.drops = SAVES},

    /* Options with certain values, and several at once. */
    [WITH(SET)] = {"merge=SET", .needs = COMPLETE, .drops = OTHER_BYTES | APART | COUNT_KNOWN},
    [WITH(EXPLAINED_SET)] = {"explain of --merge=SET", .needs = SEEKABLE},
    [WITH(COUNTED_MERGE)] = {"stats-only", .drops = WRITES},
    [WITH(MERGED_HEADER)] = {"header with --merge"},
    [WITH(MERGED_WHERE)] = {"where with --merge", .drops = COUNT_KNOWN},
    [WITH(MERGED_SPLIT)] = {"split with --merge", .needs = LENGTH_KNOWN},
    [WITH(PLACE)] = {"find", .needs = ONE_INPUT},
    [WITH(CHECKED_UNIQUE)] = {"check --unique", .drops = OTHER_BYTES},
    [WITH(REPEATED)] = {"keep=repeated", .drops = ONE_ENTRY},
    [WITH(WIDE_SUM)] = {"sum=OFF:TYPE:wide", .drops = ENTRY_IS_ELEMENT | FIELD_WIDTHS},
    [WITH(READ_BACK)] = {"verify=read", .needs = REWRITABLE | ENTRY_IS_ELEMENT},
    [WITH(SCANNED_HISTOGRAM)] = {"histogram with --stats-only", .needs = SEEKABLE},
    [WITH(EXPLAIN)] = {"explain"},
    [WITH(CPU)] = {"device=cpu"},
    [WITH(CUDA)] = {"device=cuda", .needs = GPU},
    [WITH(GPU)] = {"device=cuda"},

    /* Properties of elements, inputs and output. */
    [IS(NUMBERS)] = {"numbers", .drops = RECORDS | OTHER_BYTES},
    [IS(RECORDS)] = {"records", .drops = NUMBERS},
    [IS(STREAM)] = {"a stream", .drops = SEEKABLE},
    [IS(PACKED)] = {"which is compressed", .drops = SEEKABLE},
    [IS(PACKED_FIRST)] = {"which is compressed"},
    [IS(BLOCK_DEVICE)] = {"a device", .drops = SAVES},
    [IS(SECOND_INPUT)] = {"a second file", .drops = ONE_INPUT},
    [IS(FORMATTED)] = {"which has a header of its own"},
    [IS(UNCOUNTED)] = {"whose length is unknown until it has been read", .drops = LENGTH_KNOWN},
    [IS(SORTER)] = {"a sorter", .needs = FIELD_WIDTHS},
    [IS(OUTPUT_FILE)] = {"an output file (-o FILE)"},
    [IS(SPECIAL_OUTPUT)] = {"which is not a regular file", .drops = REWRITABLE},
    [IS(PACKED_OUTPUT)] = {"a compressed output (--zstd, or a name ending in .zst)",
                           .drops = PLACES},
    [IS(NPY_OUTPUT)] = {"a .npy file", .needs = FIELD_WIDTHS, .drops = HEAD},
    [IS(NPY_OUTPUT_ONCE)] = {"a .npy file that cannot be written twice", .needs = COUNT_KNOWN},
    [IS(KEPT_OUTPUT)] = {"which has its input's format", .needs = ONE_FILE | ENTRY_IS_ELEMENT,
                         .drops = SAVES},
};

/* Conflicts that no fact explains, because only these two features have to do with it. */
static const struct {
    unsigned char feature, other;
    const char *why;
} pairs[] = {
    {OPT(HEADER), IS(FORMATTED), "its header is known; omit --header"},
    {WITH(MERGED_HEADER), IS(PACKED_FIRST),
     "a merge copies the header before it decompresses the file; decompress it first: zstd -d "
     "FILE"},
    /* A set operation reads streams, too. */
    {WITH(SET), IS(PACKED), "it is not seekable; decompress it into a pipe: zstd -dc FILE"},
    {OPT(DEVICE_MEMORY), WITH(CPU), "the CPU uses --memory"},
    {OPT(PERMUTE), OPT(VALUES), "permute each file by itself"},
    {OPT(PERMUTE), OPT(WHERE), "positions count all elements of the inputs"},
    {OPT(PERMUTE), WITH(EXPLAIN), "only sorts and merges have a plan to explain"},
    {OPT(ORDER_BY), WITH(EXPLAIN),
     "the number of groups is unknown; leave --order-by out for the plan of the groups"},
    {OPT(ORDER_BY), IS(KEPT_OUTPUT),
     "its header cannot be written for groups in another order; add --drop-header"},
};

/* ---- sentences ---- */

#define ANY GSI_FEATURE_COUNT

/* The sentence of each fact; or of a feature that drops or needs it, if that explains the conflict
 * better. The feature that drops it has priority. */
static const struct {
    unsigned char feature;
    unsigned facts;
    const char *why;
} sentences[] = {
    {ANY, ELEMENT, "in records, --key gives the type of each key"},
    {ANY, PAYLOAD, "each chooses what is written instead of elements; give one of them"},
    {OPT(VALUES), PAYLOAD,
     "--values takes each field as a file of its own; for positions, sort without --values"},
    {OPT(PERMUTE), PAYLOAD, "it writes whole elements; choose in a second step"},
    {ANY, FILES, "each chooses which files are written; give one of them"},
    {OPT(VALUES), FILES | ENTRY_IS_ELEMENT, "keys and values are written to one file each"},
    {ANY, OUTPUT, "-o FILE writes a whole file, --into a part of one; give one of them"},
    {ANY, WORKSPACE, "--resume=DIR is also the temporary directory"},
    {ANY, DEVICE, "the model already describes the GPUs"},

    {ANY, SEEKABLE, "it is not seekable; write it to a file first"},
    {IS(PACKED), SEEKABLE, "it is not seekable; decompress it first: zstd -d FILE"},
    {WITH(EXPLAINED_SET), SEEKABLE,
     "its length is unknown until it has been read, and a plan needs it"},
    {WITH(SCANNED_HISTOGRAM), SEEKABLE,
     "it can be read only once; for the report, sort it to /dev/null"},
    {OPT(REGION), ONE_INPUT, "a region is a part of one file"},
    {WITH(PLACE), ONE_INPUT,
     "it prints positions in one file; -o FILE writes what is found in all files"},
    {OPT(VALUES), LENGTH_KNOWN,
     "gsort must know how many keys there are before it reads them; write them to a file first"},
    {WITH(MERGED_SPLIT), LENGTH_KNOWN,
     "the number of elements is known only at the end; use --split-at, or split in a second step"},
    {ANY, COMPLETE, "the result depends on all elements of all files"},
    {OPT(WHERE), COMPLETE, "filter each file first"},
    {OPT(OUT), COMPLETE, "fields are dropped before files are compared"},

    {OPT(PERMUTE), COMPLETE, "positions count all elements of the inputs"},

    {ANY, RECORDS, "they have no fields; for records, give their length with --record"},
    {IS(NUMBERS), OTHER_BYTES, "numbers with equal keys are the same bytes"},
    {OPT(ARGSORT), OTHER_BYTES, "elements with equal keys keep the order of their positions"},
    {OPT(OUT), OTHER_BYTES,
     "bytes that --out drops cannot order ties; add the bytes that should as keys"},
    {WITH(SET), OTHER_BYTES, "files are compared by keys only"},
    {WITH(CHECKED_UNIQUE), OTHER_BYTES,
     "duplicates have equal keys; their other bytes do not matter"},

    {ANY, SORTS, "a merge does not sort"},
    {OPT(ARGSORT), SORTS, "only a sort finds positions"},
    {OPT(VALUES), SORTS, "values belong to one file, and a merge reads several"},
    {OPT(SHUFFLE), SORTS, "a merge does not reorder its inputs"},
    {OPT(PERMUTE), SORTS, "positions count elements as they are in the inputs"},
    {OPT(TUNE), SORTS, "sorted files are merged on the CPU"},
    {OPT(MERGE), WHOLE_ORDER, "merge first, then report on the output"},
    {OPT(TOP), WHOLE_ORDER, "--top does not sort everything"},
    {OPT(SHUFFLE), WHOLE_ORDER, "a sort of the same input reports them"},
    {OPT(PERMUTE), WHOLE_ORDER, "a sort of the same input reports them"},
    {OPT(RESUME), WHOLE_ORDER, "a resumed sort sees only a part of the output"},
    {OPT(ARGSORT), WHOLE_ORDER, "a sort of the elements reports them"},
    {OPT(VALUES), WHOLE_ORDER, "for the report, sort the keys alone to /dev/null"},
    {ANY, APART, "the result depends on all parts; use it in the job that reads all of them"},
    {OPT(INTO), COUNT_KNOWN,
     "the length of a part must be known before it is written; use -o FILE"},
    {OPT(SPLIT), COUNT_KNOWN,
     "the number of elements is known only at the end; use --split-at, or split in a second step"},
    {IS(NPY_OUTPUT_ONCE), COUNT_KNOWN,
     "its header holds the number of elements, known only at the end; write to an uncompressed "
     "file"},
    {OPT(RESUME), SORTS | SAVES, "only a sort or shuffle of all elements can be resumed"},
    {OPT(WHERE), SAVES, "sort all elements, or sort without --resume"},
    {OPT(VARIANCE), SAVES, "the resume journal holds no sums of squares"},
    {IS(BLOCK_DEVICE), SAVES, "changes to its data cannot be detected"},
    {OPT(PERMUTE), GPU, "the CPU applies positions"},
    {ANY, GPU, "--resume sorts on the CPU"},

    {ANY, WRITES, "with --merge it reports on the merged result and writes nothing"},
    {OPT(RESUME), ONE_FILE, "only an output of one whole file can be resumed"},
    {IS(KEPT_OUTPUT), SAVES | ONE_FILE,
     "the header of the output describes one whole file; add --drop-header"},
    {OPT(RESUME), REWRITABLE, "only an output to a regular file can be resumed"},
    {WITH(READ_BACK), REWRITABLE, "it cannot be read back; write to a file with --output"},
    {OPT(RESUME), PLACES, "a compressed output cannot be continued"},
    {OPT(INTO), PLACES, "a part of a compressed file cannot be written; use -o FILE"},
    {OPT(VALUES), PLACES, "values are written uncompressed"},
    {OPT(REGION), HEAD, "only the region is copied, never a header; its OFFSET skips one"},
    {OPT(DROP_HEADER), HEAD, "it starts with a header; give the output another name"},
    {OPT(HEADER), HEAD, "it has a header of its own; omit --header"},

    {WITH(READ_BACK), ENTRY_IS_ELEMENT,
     "the output then differs from the elements that were sorted"},
    {OPT(RESUME), ENTRY_IS_ELEMENT, "only an output of whole elements can be resumed"},
    {OPT(INTO), ENTRY_IS_ELEMENT, "it writes whole elements; use -o FILE"},
    {IS(KEPT_OUTPUT), ENTRY_IS_ELEMENT,
     "it holds whole elements; add --drop-header to write only the data"},
    {ANY, BYTES, "reports of parts compare the bytes of elements"},
    {OPT(RESUME), BYTES, "only an output in the byte order of the input can be resumed"},
    {IS(RECORDS), NUMBERS,
     "it reverses the bytes of numbers; keys of records may have any byte order"},
    {OPT(ARGSORT), NUMBERS, "positions are always little-endian"},
    {OPT(COUNT_GROUPS), NUMBERS, "counts are always little-endian"},
    {OPT(VALUES), NUMBERS, "values may hold anything; change the byte order of the keys first"},
    {OPT(ORDER_BY), NUMBERS, "it sorts groups as records"},
    {OPT(ORDER_BY), KEYS, "only whole records can be ordered by their fields"},
    {ANY, KEYS, "its output has no keys; use --split, which counts elements"},
    {OPT(PERMUTE), KEY_ORDER, "its order is that of the positions"},
    {ANY, KEY_ORDER, "its order is random"},
    {OPT(UNIQUE), KEY_ORDER, "equal elements are found by sorting; shuffle the result"},
    {OPT(SPLIT_AT), KEY_ORDER, "its output is not sorted; use --split, which counts elements"},
    {OPT(TOP), KEY_ORDER, "--sample=K writes K random elements"},
    {OPT(ARGSORT), FIELDS, "positions have no fields"},
    {OPT(VALUES), FIELDS, "values are not fields"},
    {IS(SORTER), FIELD_WIDTHS, "a sorter returns elements of the same length"},
    {IS(NPY_OUTPUT), FIELD_WIDTHS, "it has no fields for wide sums"},
    {OPT(VALUES), ONE_ENTRY, "no output file has room for counts"},
    {WITH(REPEATED), ONE_ENTRY,
     "elements are written before their group is complete; --keep=dups writes one per group"},
};

#define ROWS(table) (sizeof(table) / sizeof(table)[0])

static const char *sentence(unsigned feature, unsigned fact)
{
    for (size_t i = 0; i < ROWS(sentences); i++)
        if (sentences[i].feature == feature && (sentences[i].facts & fact) != 0)
            return sentences[i].why;
    return NULL;
}

/* ---- calls ---- */

const char *gsi_feature_name(unsigned feature)
{
    const char *name = rows[feature].name;
    return name != NULL ? name : gsi_option_rows[feature].option.name;
}

/* The facts that a feature needs, of those that the other drops. */
static unsigned lost(unsigned feature, unsigned other)
{
    return (rows[feature].needs | rows[feature].takes) & (rows[other].drops | rows[other].takes);
}

const char *gsi_facts_conflict(unsigned feature, unsigned other)
{
    unsigned facts = feature != other ? lost(feature, other) : 0;
    if (other >= GSI_PROPERTY_FIRST)
        facts |= lost(other, feature);
    unsigned fact = facts & -facts; /* the first of them */
    for (size_t i = 0; i < ROWS(pairs); i++)
        if (pairs[i].feature == feature && pairs[i].other == other)
            return pairs[i].why;
    if (fact == 0)
        return NULL;
    const char *why = sentence(other, fact);
    why = why != NULL ? why : sentence(feature, fact);
    why = why != NULL ? why : sentence(ANY, fact);
    GSI_ASSERT(why != NULL);
    return why;
}
