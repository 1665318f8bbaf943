/* sort_habits.c: holds the table of options that other programs have. */
#include "sort_habits.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define TEXT_FOR_SORT "it is for text, which sort(1) sorts"
#define SHUFFLE       "--shuffle=SEED writes the elements in random order"
#define ALL_BYTES     "all bytes of a key are compared; -k OFF:bN sets which bytes are the key"
#define FIXED_WIDTH   "elements have a fixed width and no separators; -R N sets the record length"
#define SOME_ELEMENTS \
    "--top=K writes the first K in order, --head=K prints K, and --range=0:K reads K"
#define TYPES      "-t TYPE sets the element type"
#define BYTE_ORDER "-t u32be reads big-endian numbers, and --out-order changes their byte order"
#define GROUPS     "-u groups equal keys; --count, --sum, --min and --max aggregate each group"
#define MOMENTS    "--variance reports mean, variance and standard deviation"
#define THREADS    "--parallel=N sets the number of threads"
#define MEMORY     "-S SIZE, or --memory=SIZE, limits the memory of the whole process"
#define DIRECTORY  "-T DIR, or --temporary-directory=DIR, is for temporary files"

/* Letters that gsort has itself are not here: -c -C -h -k -m -o -q -r -R -s -S -t -T -u -v -V. */
static const struct {
    char letter; /* 0: there is none, or it means something to gsort */
    const char *word, *sentence;
} habits[] = {
    /* sort(1), uniq(1) and their like. */
    {'n', "numeric-sort", "numbers are always compared as numbers; -t TYPE sets their type"},
    {'g', "general-numeric-sort",
     "floats are always compared as floats, NaNs too; -t f64 names them"},
    {0, "human-numeric-sort", TEXT_FOR_SORT},
    {'M', "month-sort", TEXT_FOR_SORT "; for times use -t time64"},
    {0, "version-sort", TEXT_FOR_SORT},
    {0, "natural-sort", TEXT_FOR_SORT},
    {0, "random-sort", SHUFFLE},
    {0, "random-source", SHUFFLE},
    {0, "seed", SHUFFLE "; gsort-gen --seed=N makes random data"},
    {0, "sort", "-t TYPE sets how numbers are compared, -k OFF:TYPE how records are"},
    {'z', "zero-terminated", FIXED_WIDTH},
    {0, "field-separator", FIXED_WIDTH ", -k OFF:TYPE their key"},
    {0, "delimiter", FIXED_WIDTH ", -k OFF:TYPE their key"},
    {0, "separator", FIXED_WIDTH ", -k OFF:TYPE their key"},
    {0, "csv", "gsort sorts binary numbers; recipes/csv-and-parquet.md converts CSV files"},
    {'b', "ignore-leading-blanks", ALL_BYTES},
    {'d', "dictionary-order", ALL_BYTES},
    {'i', "ignore-nonprinting", ALL_BYTES},
    {'f', "ignore-case", ALL_BYTES},
    {0, "buffer-size", MEMORY},
    {0, "compress-program", "--compress=zstd compresses temporary files"},
    {0, "debug", "--explain prints the plan and its reasons"},
    {'D', "all-repeated", "-u --keep=repeated writes every element whose key is repeated"},
    {0, "repeated", "-u --keep=dups writes one element per repeated key"},
    {'w', "check-chars", "-u --group=N compares the first N keys only"},
    /* Which elements. */
    {0, "skip", "--range=5: skips the first 5 elements"},
    {0, "limit", SOME_ELEMENTS},
    {0, "rows", SOME_ELEMENTS},
    {0, "nrows", SOME_ELEMENTS},
    {0, "lines", SOME_ELEMENTS},
    {0, "first", SOME_ELEMENTS},
    {0, "last", "-r --top=K writes the last K in order, and --tail=K prints those of a file"},
    {0, "take", SOME_ELEMENTS},
    {0, "bottom", "-r --top=K writes the last K in order"},
    {0, "offset", "--region=OFFSET:BYTES reads a part of a file, --range=FIRST:COUNT elements"},
    {0, "filter", "--where='<op>VALUE' keeps the elements for which it is true"},
    {0, "select", "--where='<op>VALUE' keeps elements, and --out=OFF:LEN fields of records"},
    {0, "columns", "--out=OFF:LEN writes fields of records, and -k OFF:TYPE sorts by them"},
    {0, "fields", "--out=OFF:LEN writes fields of records, and -k OFF:TYPE sorts by them"},
    {0, "no-header", "--drop-header writes no header, and --header=N sets its length"},
    {0, "format", "-t TYPE or -R N describes the elements, and --print=HOW prints them"},
    {0, "dtype", TYPES},
    {0, "data-type", TYPES},
    {0, "width", TYPES ", -R N the length of records"},
    {0, "size", TYPES ", -R N the length of records, and -S SIZE the memory limit"},
    {0, "endian", BYTE_ORDER},
    {0, "big-endian", BYTE_ORDER},
    {0, "little-endian", BYTE_ORDER},
    {0, "byte-order", BYTE_ORDER},
    {0, "byteorder", BYTE_ORDER},
    /* Their order. */
    {0, "by", "-k OFF:TYPE sorts records by a key"},
    {0, "on", "-k OFF:TYPE sorts records by a key"},
    {0, "sort-by", "-k OFF:TYPE sorts records by a key"},
    {0, "column", "-k OFF:TYPE sorts records by a key"},
    {0, "field", "-k OFF:TYPE sorts records by a key"},
    {0, "order", "gsort sorts ascending, and with -r descending; -k OFF:TYPE:desc is for one key"},
    {0, "asc", "gsort sorts ascending unless -r is given; omit it"},
    {0, "ascending", "gsort sorts ascending unless -r is given; omit it"},
    {0, "desc", "-r sorts descending, and -k OFF:TYPE:desc one key only"},
    {0, "descending", "-r sorts descending, and -k OFF:TYPE:desc one key only"},
    {0, "nulls", "--nan=first or --nan=last places NaNs and NaTs"},
    /* Groups. */
    {0, "dedup", "-u writes one of the elements with equal keys"},
    {0, "dedupe", "-u writes one of the elements with equal keys"},
    {0, "deduplicate", "-u writes one of the elements with equal keys"},
    {0, "drop-duplicates", "-u writes one of the elements with equal keys"},
    {0, "duplicates", "-u --keep=dups writes one element per repeated key"},
    {0, "group-by", GROUPS},
    {0, "groupby", GROUPS},
    {0, "aggregate", GROUPS},
    {0, "counts", "-u --count writes each value and how often it occurs"},
    {0, "frequency", "-u --count writes each value and how often it occurs"},
    {0, "join", "--merge=semi or --merge=intersect keeps elements that are in two sorted files"},
    {0, "diff", "--merge=except keeps elements of the first sorted file that others lack"},
    {0, "union", "--merge=union merges sorted files as sets"},
    {0, "intersect", "--merge=intersect keeps elements that are in all sorted files"},
    /* Figures. */
    {0, "median", "--quantiles=median reports it"},
    {0, "percentiles", "--quantiles=0.5,0.95 reports them"},
    {0, "quartiles", "--quantiles=0.25,0.5,0.75 reports them"},
    {0, "mean", MOMENTS},
    {0, "average", MOMENTS},
    {0, "avg", MOMENTS},
    {0, "std", MOMENTS},
    {0, "stddev", MOMENTS},
    {0, "bins", "--histogram=N reports how many values are in each of N bins"},
    {0, "summary", "--stats reports count, minimum, maximum and sum, --stats-only nothing else"},
    {0, "report", "--stats reports count, minimum, maximum and sum; --stats=json:FILE to a file"},
    {0, "info", "--stats-only reports on a file, --head=N prints elements of it"},
    {0, "show", "--head=N prints the first elements, and --print what a sort would write"},
    {0, "dump", "--head=N prints the first elements, and --print what a sort would write"},
    {0, "text", "--print prints what would be written as text"},
    /* How. */
    {0, "dry-run", "--explain prints the plan and does nothing else"},
    {0, "plan", "--explain prints the plan and does nothing else"},
    {0, "simulate", "--explain prints the plan and does nothing else"},
    {'j', "jobs", THREADS},
    {0, "workers", THREADS},
    {0, "cores", THREADS},
    {0, "cpus", THREADS},
    {0, "nproc", THREADS},
    {0, "nthreads", THREADS},
    {0, "num-threads", THREADS},
    {0, "ram", MEMORY},
    {0, "max-memory", MEMORY},
    {0, "max-mem", MEMORY},
    {0, "memory-limit", MEMORY},
    {0, "buffer", MEMORY},
    {0, "tmp", DIRECTORY},
    {0, "tmpdir", DIRECTORY},
    {0, "tmp-dir", DIRECTORY},
    {0, "tempdir", DIRECTORY},
    {0, "temp-dir", DIRECTORY},
    {0, "scratch", DIRECTORY},
    {0, "workdir", DIRECTORY},
    {0, "gpu", "--device=cuda sorts on a GPU"},
    {0, "cuda", "--device=cuda sorts on a GPU"},
    {0, "no-gpu", "--device=cpu sorts without a GPU"},
    {0, "cpu", "--device=cpu sorts without a GPU"},
    {0, "checkpoint", "--resume=DIR lets the same command continue after a kill"},
    {0, "restart", "--resume=DIR lets the same command continue after a kill"},
    {0, "gzip", "--zstd compresses the output; for gzip, pipe standard output: | gzip"},
    {0, "compression", "--zstd compresses the output, and --compress=HOW temporary files"},
    {0, "silent", "-q hides notes and progress"},
    {0, "no-progress", "--progress=never hides it"},
    {0, "in-place", "-o FILE may be the input"},
    {0, "inplace", "-o FILE may be the input"},
    {0, "force", "-o FILE is replaced when the output is complete; omit it"},
    {0, "overwrite", "-o FILE is replaced when the output is complete; omit it"},
    {0, "outfile", "-o FILE names the output"},
    {0, "output-file", "-o FILE names the output"},
    {0, "infile", "inputs are named without an option: gsort FILE -o OUT"},
    {0, "input", "inputs are named without an option: gsort FILE -o OUT"},
    {0, "input-file", "inputs are named without an option: gsort FILE -o OUT"},
};
#define HABIT_COUNT (sizeof habits / sizeof habits[0])

/* Fewer letters may be the beginning of anything. */
#define WORD_MIN 4

const char *sort_habit_of_letter(int letter)
{
    for (size_t i = 0; i < HABIT_COUNT; i++)
        if (habits[i].letter != 0 && habits[i].letter == letter)
            return habits[i].sentence;
    return NULL;
}

const char *sort_habit_of_word(const char *word, size_t length)
{
    const char *sentence = NULL;
    for (size_t i = 0; i < HABIT_COUNT; i++) {
        if (strncmp(habits[i].word, word, length) != 0)
            continue;
        if (habits[i].word[length] == '\0')
            return habits[i].sentence;
        if (sentence == NULL && length >= WORD_MIN)
            sentence = habits[i].sentence;
    }
    return sentence;
}

/* ---- values ---- */

/* "2", "1,2", "1.3,1.5nr": fields of lines, from 1 on. */
static bool is_line_field(const char *value)
{
    return value[0] >= '1' && value[0] <= '9' &&
           value[strspn(value, "0123456789.,bdfghiMnRrVz")] == '\0';
}

/* ",", "\t" */
static bool is_separator(const char *value)
{
    return value[0] != '\0' && strchr(",;:|/ \t\\", value[0]) != NULL && strlen(value) <= 2;
}

static bool is_name(const char *value)
{
    return value[strspn(value, "0123456789")] != '\0' && value[0] != '-';
}

static const struct {
    const char *option;
    bool (*is_habit)(const char *value);
    const char *sentence;
} values[] = {
    {"key", is_line_field,
     "is a field of text lines, as in sort(1); numbers need no key, and the key of records (-R N) "
     "is OFF:TYPE, like 0:u32 for the first 4 bytes"},
    {"type", is_separator, "is a separator, as in sort(1); " FIXED_WIDTH},
    {"record", is_name, "is not a length of records from 1 to 65536 bytes; " SHUFFLE},
};

const char *sort_habit_of_value(const char *option, const char *value)
{
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        if (strcmp(values[i].option, option) == 0 && values[i].is_habit(value))
            return values[i].sentence;
    return NULL;
}
