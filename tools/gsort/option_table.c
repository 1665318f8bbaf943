/* option_table.c: the table, and what is made of it. */
#include "option_table.h"

/* A list of words, as a function that returns it. */
#define CHOICES(name, ...)                                                       \
    static const struct gs_choice *name(void)                                    \
    {                                                                            \
        static const struct gs_choice choices[] = {__VA_ARGS__, {.word = NULL}}; \
        return choices;                                                          \
    }

CHOICES(spill_choices, {.word = "auto", .value = false}, {.word = "always", .value = true})
CHOICES(stats_choices, {.word = "text", .value = STATS_TEXT}, {.word = "json", .value = STATS_JSON},
        {.word = "none", .value = STATS_NONE})
CHOICES(progress_choices, {.word = "auto", .value = PROGRESS_AUTO},
        {.word = "always", .value = PROGRESS_ALWAYS}, {.word = "never", .value = PROGRESS_NEVER})
CHOICES(keep_choices, {.word = "first", .value = GS_KEEP_FIRST},
        {.word = "last", .value = GS_KEEP_LAST}, {.word = "singles", .value = GS_KEEP_SINGLES},
        {.word = "dups", .value = GS_KEEP_DUPS})
CHOICES(index_choices, {.word = "u64", .value = 8}, {.word = "u32", .value = 4})
CHOICES(verify_choices, {.word = "stream", .value = false}, {.word = "read", .value = true})

const struct option_row option_rows[OPT_COUNT] = {
    [OPT_TYPE] = {GROUP_SORT, 't', "type", "T",
                  "elements: uint8 int8 u16 i16 f16 bf16 u32 i32 f32 u64 i64 f64\n"
                  "u128 i128 time64, each with be behind it if big endian;\n"
                  "default from the name (x.f64, books_200M_uint64), else u64",
                  "uint8 i16 f16 u32 u64 f64 ..; default by name", NULL},
    [OPT_RECORD] = {GROUP_SORT, 'R', "record", "N", "elements are records of N bytes, 1 to 65536",
                    "records of N bytes", NULL},
    [OPT_KEY] = {GROUP_SORT, 'k', "key", "OFF:TYPE[:desc]",
                 "key in the record, repeatable, the first decides first: a\n"
                 "type as in -t, or bN: N bytes; default all bytes;\n"
                 "of a .npy file also NAME[:desc], default all fields",
                 "by the key at byte OFF; repeatable", NULL},
    [OPT_WHERE] = {GROUP_SORT, 0, "where", "OFF:TYPE<op>VALUE",
                   "only elements for which this is true, repeatable, all have\n"
                   "to be; op is == != < <= > or >=, TYPE as in -k; of numbers\n"
                   "<op>VALUE, of a .npy file also NAME<op>VALUE",
                   "only those for which it is true: 8:u32>5", NULL},
    [OPT_REVERSE] = {GROUP_SORT, 'r', "reverse", NULL, "largest first", "largest first", NULL},
    [OPT_MERGE] = {GROUP_SORT, 'm', "merge", "[=SET]",
                   "merge inputs that are sorted already; checks that they are;\n"
                   "of files union, intersect, except, semi or anti: what stays\n"
                   "by the keys of the others; default all",
                   "merge inputs that are sorted already", gs_set_choices},
    [OPT_FILES0_FROM] = {GROUP_SORT, 0, "files0-from", "F",
                         "the inputs are named in F (- is standard input), each name\n"
                         "ended by a NUL byte",
                         NULL, NULL},
    [OPT_HEADER] = {GROUP_SORT, 0, "header", "N",
                    "every input begins with a header of N bytes (1M at most);\n"
                    "that of the first one is copied to the output",
                    NULL, NULL},
    [OPT_DROP_TAIL] = {GROUP_SORT, 0, "drop-tail", NULL,
                       "leave out bytes behind the last whole element, and say so", NULL, NULL},
    [OPT_RANGE] = {GROUP_SORT, 0, "range", "FIRST:COUNT",
                   "only COUNT elements of the files, from number FIRST on,\n"
                   "which begins at 0; without COUNT all from there on",
                   NULL, NULL},
    [OPT_PART] = {GROUP_SORT, 0, "part", "I/N",
                  "with -m, only part I of N equal parts of the output, read\n"
                  "from its place in each file",
                  NULL, NULL},
    [OPT_FIND] = {GROUP_SORT, 0, "find", "VALUE",
                  "print where VALUE is in the sorted FILE, or LO..HI, as\n"
                  "FIRST:COUNT; with -o write what is there, of all files; of\n"
                  "records by the first key; LO.. and ..HI are open, too",
                  NULL, NULL},
    [OPT_RAW] = {GROUP_SORT, 0, "raw", NULL,
                 "recognise no format: sort the bytes of .zst and .npy files,\n"
                 "of text, gzip and others as they are, and write such",
                 NULL, NULL},
    [OPT_OUTPUT] = {GROUP_WRITE, 'o', "output", "FILE",
                    "write to FILE, whole or not at all; may be an input",
                    "write to FILE, whole or not at all", NULL},
    [OPT_INTO] = {GROUP_WRITE, 0, "into", "FILE",
                  "with -m: write the part that is made at its place in FILE,\n"
                  "which has room for all parts and which the first one makes",
                  NULL, NULL},
    [OPT_SPLIT] = {GROUP_WRITE, 0, "split", "N",
                   "write N files of equally many elements; -o is a pattern for\n"
                   "their names then, as out.%03d, numbered from 1 on",
                   NULL, NULL},
    [OPT_SPLIT_AT] = {GROUP_WRITE, 0, "split-at", "V[,V]...",
                      "the same by values, of records by the first key: each file\n"
                      "but the first begins at a value",
                      NULL, NULL},
    [OPT_UNIQUE] = {GROUP_WRITE, 'u', "unique", NULL,
                    "of elements with equal keys write only the first; with -c\n"
                    "they are disorder, too",
                    "only the first of elements with equal keys", NULL},
    [OPT_COUNT_GROUPS] = {GROUP_WRITE, 0, "count", NULL,
                          "with -u: write behind each element how many had its key, as\n"
                          "a u64, little endian",
                          NULL, NULL},
    [OPT_KEEP] = {GROUP_WRITE, 0, "keep", "WHICH",
                  "with -u, of elements with equal keys write: first, last,\n"
                  "singles (those alone) or dups (the first of several)",
                  NULL, keep_choices},
    [OPT_GROUP] = {GROUP_WRITE, 0, "group", "N",
                   "with -u: records are equal if their first N keys are; all\n"
                   "keys make the order in which first and last are meant",
                   NULL, NULL},
    [OPT_SUM] = {GROUP_WRITE, 0, "sum", "OFF:TYPE",
                 "with -u: the record that is written has the sum of this\n"
                 "field of all with its key, exact; repeatable",
                 NULL, NULL},
    [OPT_MIN] = {GROUP_WRITE, 0, "min", "OFF:TYPE", "the same with the minimum; repeatable", NULL,
                 NULL},
    [OPT_MAX] = {GROUP_WRITE, 0, "max", "OFF:TYPE", "the same with the maximum; repeatable", NULL,
                 NULL},
    [OPT_SUM_WIDE] = {GROUP_WRITE, 0, "sum-wide", NULL,
                      "write sums behind the record, in 8 bytes for up to 4, else\n"
                      "in twice as many, floats as f64",
                      NULL, NULL},
    [OPT_OUT] = {GROUP_WRITE, 0, "out", "OFF:LEN,..",
                 "write only these bytes of each record, in this order; what\n"
                 "nobody needs is dropped as it is read; of a .npy file also\n"
                 "NAME",
                 NULL, NULL},
    [OPT_VALUES] = {GROUP_WRITE, 0, "values", "FILE:BYTES=OUT",
                    "sort another file along with the keys, whose elements have\n"
                    "BYTES bytes each and are as many, to a file of its own;\n"
                    "repeatable",
                    NULL, NULL},
    [OPT_ARGSORT] = {GROUP_WRITE, 0, "argsort", NULL,
                     "write the position of each element in the inputs, which are\n"
                     "one list, in its stead; the first is 0",
                     NULL, NULL},
    [OPT_INDEX] = {GROUP_WRITE, 0, "index", "T",
                   "with --argsort: positions are u64 (default) or u32", NULL, index_choices},
    [OPT_TOP] = {GROUP_WRITE, 0, "top", "K",
                 "write the first K elements in order only (K M G: powers of\n"
                 "1000); the rest is not sorted, if they fit into memory",
                 "only the first K elements, not all sorted", NULL},
    [OPT_ZSTD] = {GROUP_WRITE, 0, "zstd", "[=LEVEL]",
                  "pack the output by zstd, LEVEL from 1 (default) to 19; it is\n"
                  "packed anyway if its name ends in .zst",
                  NULL, NULL},
    [OPT_VERIFY] = {GROUP_WRITE, 0, "verify", "HOW",
                    "stream: what goes to the output; read: then also what the disk\n"
                    "holds, before it takes the output's place",
                    NULL, verify_choices},
    [OPT_MEMORY] = {GROUP_MEMORY, 'S', "memory", "SIZE",
                    "ceiling for the whole process; default half of what machine,\n"
                    "cgroup and rlimit allow; SIZE is bytes, K M G T P E (powers\n"
                    "of 1024) or %",
                    "use at most SIZE of memory: 500M, 2G, 25%", NULL},
    [OPT_TEMP_DIR] = {GROUP_MEMORY, 'T', "temporary-directory", "DIR",
                      "where runs are spilled, repeatable; default the output's\n"
                      "directory, for standard output $TMPDIR or /tmp",
                      NULL, NULL},
    [OPT_RESUME] = {GROUP_MEMORY, 0, "resume", "DIR",
                    "keep in DIR what is done, until all is, so that after a kill\n"
                    "the same command goes on; takes room for runs and output",
                    NULL, NULL},
    [OPT_COMPRESS] = {GROUP_MEMORY, 0, "compress", "C",
                      "spilled runs: auto (what is faster, as measured), none or\n"
                      "zstd[:LEVEL], LEVEL from 1 (default) to 19",
                      NULL, gs_compress_choices},
    [OPT_SPILL] = {GROUP_MEMORY, 0, "spill", "WHEN", "auto: what does not fit; always: every run",
                   NULL, spill_choices},
    [OPT_DEVICE] = {GROUP_DEVICE, 0, "device", "D",
                    "where to sort: auto (a GPU for large files, where there is\n"
                    "one), cpu, cuda, cuda:N, cuda:0,2 or cuda:all",
                    NULL, gs_device_choices},
    [OPT_DEVICE_MEMORY] = {GROUP_DEVICE, 0, "device-memory", "SIZE",
                           "take at most SIZE of a GPU's memory", NULL, NULL},
    [OPT_DEVICE_MODEL] = {GROUP_DEVICE, 0, "device-model", "FILE",
                          "with --explain: plan for the GPUs that FILE describes (JSON)\n"
                          "and say how long they would take; none has to be here",
                          NULL, NULL},
    [OPT_CHECK] = {GROUP_REPORT, 'c', "check", NULL,
                   "sort nothing; report the first disorder, exit 1",
                   "sort nothing; report the first disorder, exit 1", NULL},
    [OPT_CHECK_QUIET] = {GROUP_REPORT, 'C', "check-quiet", NULL, "as -c, without a word about it",
                         NULL, NULL},
    [OPT_HEAD] = {GROUP_REPORT, 0, "head", "N",
                  "print the first N elements of a file as text, of records\n"
                  "the fields of -k or of the .npy header, else bytes",
                  "print the first N elements as text", NULL},
    [OPT_TAIL] = {GROUP_REPORT, 0, "tail", "N", "the same of the last N, alone or with --head",
                  NULL, NULL},
    [OPT_JSON] = {GROUP_REPORT, 0, "json", NULL, "with --head or --tail: as JSON lines", NULL,
                  NULL},
    [OPT_STATS] = {GROUP_REPORT, 0, "stats", "[=F]",
                   "report aggregates and rates: text (default), json or none;\n"
                   "on standard error; json on standard output if that is free",
                   "report count, min, max, exact sum and rates", stats_choices},
    [OPT_STATS_ONLY] = {GROUP_REPORT, 0, "stats-only", NULL,
                        "only the report; sort and write nothing",
                        "only the report; sort and write nothing", NULL},
    [OPT_STATS_OF] = {GROUP_REPORT, 0, "stats-of", "OFF:TYPE",
                      "field of the record to report aggregates of, repeatable;\n"
                      "default the first key that is a number",
                      NULL, NULL},
    [OPT_JOIN_REPORTS] = {GROUP_REPORT, 0, "join-reports", NULL,
                          "FILEs are JSON reports: check that those of all parts (--part)\n"
                          "are one whole, made of what other reports among them say, and\n"
                          "print its report; exit 4 if not",
                          NULL, NULL},
    [OPT_QUANTILES] = {GROUP_REPORT, 0, "quantiles", "P[,P]...",
                       "report exact quantiles: decimals from 0 to 1, or median;\n"
                       "of records those of the first key",
                       NULL, NULL},
    [OPT_HISTOGRAM] = {GROUP_REPORT, 0, "histogram", "N",
                       "report how many values are in each of N bins of equal width", NULL, NULL},
    [OPT_DISTINCT] = {GROUP_REPORT, 0, "distinct", NULL, "report how many values differ", NULL,
                      NULL},
    [OPT_MODE] = {GROUP_REPORT, 0, "mode", NULL, "report the most frequent value", NULL, NULL},
    [OPT_VARIANCE] = {GROUP_REPORT, 0, "variance", NULL,
                      "report mean, variance and standard deviation, from exact sums", NULL, NULL},
    [OPT_EXPLAIN] = {GROUP_REPORT, 0, "explain", NULL, "print the plan and its reasons, and stop",
                     NULL, NULL},
    [OPT_PROGRESS] = {GROUP_REPORT, 0, "progress", "WHEN", "auto (on a terminal), always or never",
                      NULL, progress_choices},
    [OPT_QUIET] = {GROUP_REPORT, 'q', "quiet", NULL, "no notes and no progress", NULL, NULL},
    [OPT_VERBOSE] = {GROUP_REPORT, 'v', "verbose", NULL, "report, and how the work was done", NULL,
                     NULL},
    [OPT_HELP] = {GROUP_REPORT, 'h', "help", NULL, "this text; -h is a short one",
                  "this text; --help names every option", NULL},
    [OPT_VERSION] = {GROUP_REPORT, 'V', "version", NULL, "version and what this build contains",
                     NULL, NULL},
    [OPT_PARALLEL] = {GROUP_TUNING, 0, "parallel", "N",
                      "threads that sort and merge; default all processors", NULL, NULL},
    [OPT_BATCH_SIZE] = {GROUP_TUNING, 0, "batch-size", "N", "merge at most N spilled runs at once",
                        NULL, NULL},
    [OPT_IO] = {GROUP_TUNING, 0, "io", "E", "I/O engine: auto, uring or threads", NULL,
                gs_io_choices},
    [OPT_CHUNK] = {GROUP_TUNING, 0, "chunk", "SIZE",
                   "sort SIZE bytes in one piece; default by memory", NULL, NULL},
    [OPT_WINDOW] = {GROUP_TUNING, 0, "window", "SIZE",
                    "merge and write SIZE bytes in one piece; default by memory", NULL, NULL},
};

static const char *const titles[GROUP_COUNT] = {
    [GROUP_SORT] = "What to sort",      [GROUP_WRITE] = "What to write",
    [GROUP_MEMORY] = "Memory and disk", [GROUP_DEVICE] = "Device",
    [GROUP_REPORT] = "Reports",         [GROUP_TUNING] = "Tuning"};

const char *option_group_title(enum option_group group)
{
    return titles[group];
}

void option_table_help(FILE *out)
{
    for (int group = 0; group < GROUP_COUNT; group++) {
        fprintf(out, "\n%s\n", titles[group]);
        for (int i = 0; i < OPT_COUNT; i++)
            if (option_rows[i].group == group)
                option_row_print(out, &option_rows[i], option_rows[i].help);
    }
}

void option_table_help_daily(FILE *out)
{
    for (int i = 0; i < OPT_COUNT; i++)
        if (option_rows[i].daily != NULL)
            option_row_print(out, &option_rows[i], option_rows[i].daily);
}
