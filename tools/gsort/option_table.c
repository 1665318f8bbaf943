/* option_table.c: the table, and what is made of it. */
#include "option_table.h"

#include <stdbool.h>
#include <string.h>

#define NAMES_COLUMNS 32 /* of help, before what an option does */

const struct option_row option_rows[OPT_COUNT] = {
    [OPT_TYPE] = {GROUP_SORT, 't', "type", "T",
                  "elements: u32 i32 f32 u64 i64 f64 u128; default from the\n"
                  "name (x.f64, books_200M_uint64), else u64",
                  "u32 i32 f32 u64 i64 f64 u128; default by name"},
    [OPT_RECORD] = {GROUP_SORT, 'R', "record", "N", "elements are records of N bytes, 2 to 65536",
                    "records of N bytes"},
    [OPT_KEY] = {GROUP_SORT, 'k', "key", "OFF:TYPE[:desc]",
                 "key in the record, repeatable, the first decides first: a\n"
                 "type as in -t, or u8 i8 u16 i16, each with be behind it\n"
                 "if it is big endian, or bN: N bytes; default all bytes;\n"
                 "of a .npy file also NAME[:desc], default all fields",
                 "by the key at byte OFF; repeatable"},
    [OPT_REVERSE] = {GROUP_SORT, 'r', "reverse", NULL, "largest first", "largest first"},
    [OPT_MERGE] = {GROUP_SORT, 'm', "merge", NULL,
                   "merge inputs that are sorted already; checks that they are",
                   "merge inputs that are sorted already"},
    [OPT_FILES0_FROM] = {GROUP_SORT, 0, "files0-from", "F",
                         "the inputs are named in F (- is standard input), each name\n"
                         "ended by a NUL byte",
                         NULL},
    [OPT_HEADER] = {GROUP_SORT, 0, "header", "N",
                    "every input begins with a header of N bytes (1M at most);\n"
                    "that of the first one is copied to the output",
                    NULL},
    [OPT_DROP_TAIL] = {GROUP_SORT, 0, "drop-tail", NULL,
                       "leave out bytes behind the last whole element, and say so", NULL},
    [OPT_RAW] = {GROUP_SORT, 0, "raw", NULL,
                 "recognise no format: sort the bytes of .zst and .npy files,\n"
                 "of text, gzip and others as they are, and write such",
                 NULL},
    [OPT_OUTPUT] = {GROUP_WRITE, 'o', "output", "FILE",
                    "write to FILE, whole or not at all; may be an input",
                    "write to FILE, whole or not at all"},
    [OPT_UNIQUE] = {GROUP_WRITE, 'u', "unique", NULL,
                    "of elements with equal keys write only the first; with -c\n"
                    "they are disorder, too",
                    "only the first of elements with equal keys"},
    [OPT_COUNT_GROUPS] = {GROUP_WRITE, 0, "count", NULL,
                          "with -u: write behind each element how many had its key, as\n"
                          "a u64, little endian",
                          NULL},
    [OPT_TOP] = {GROUP_WRITE, 0, "top", "K",
                 "write the first K elements in order only (K M G: powers of\n"
                 "1000); the rest is not sorted, if they fit into memory",
                 "only the first K elements, not all sorted"},
    [OPT_ZSTD] = {GROUP_WRITE, 0, "zstd", "[=LEVEL]",
                  "pack the output by zstd, LEVEL from 1 (default) to 19; it is\n"
                  "packed anyway if its name ends in .zst",
                  NULL},
    [OPT_VERIFY] = {GROUP_WRITE, 0, "verify", "HOW",
                    "stream: what goes to the output; read: then also what the disk\n"
                    "holds, before it takes the output's place",
                    NULL},
    [OPT_MEMORY] = {GROUP_MEMORY, 'S', "memory", "SIZE",
                    "ceiling for the whole process; default half of what machine,\n"
                    "cgroup and rlimit allow; SIZE is bytes, K M G T P E (powers\n"
                    "of 1024) or %",
                    "use at most SIZE of memory: 500M, 2G, 25%"},
    [OPT_TEMP_DIR] = {GROUP_MEMORY, 'T', "temporary-directory", "DIR",
                      "where runs are spilled, repeatable; default the output's\n"
                      "directory, for standard output $TMPDIR or /tmp",
                      NULL},
    [OPT_RESUME] = {GROUP_MEMORY, 0, "resume", "DIR",
                    "keep in DIR what is done, until all is, so that after a kill\n"
                    "the same command goes on; takes room for runs and output",
                    NULL},
    [OPT_COMPRESS] = {GROUP_MEMORY, 0, "compress", "C",
                      "spilled runs: auto (what is faster, as measured), none or\n"
                      "zstd[:LEVEL], LEVEL from 1 (default) to 19",
                      NULL},
    [OPT_SPILL] = {GROUP_MEMORY, 0, "spill", "WHEN", "auto: what does not fit; always: every run",
                   NULL},
    [OPT_DEVICE] = {GROUP_DEVICE, 0, "device", "D",
                    "where to sort: auto (a GPU for large files, where there is\n"
                    "one), cpu, cuda or cuda:N",
                    NULL},
    [OPT_DEVICE_MEMORY] = {GROUP_DEVICE, 0, "device-memory", "SIZE",
                           "take at most SIZE of a GPU's memory", NULL},
    [OPT_CHECK] = {GROUP_REPORT, 'c', "check", NULL,
                   "sort nothing; report the first disorder, exit 1",
                   "sort nothing; report the first disorder, exit 1"},
    [OPT_CHECK_QUIET] = {GROUP_REPORT, 'C', "check-quiet", NULL, "as -c, without a report", NULL},
    [OPT_HEAD] = {GROUP_REPORT, 0, "head", "N",
                  "print the first N elements of a file as text, of records\n"
                  "the fields of -k or of the .npy header, else bytes",
                  "print the first N elements as text"},
    [OPT_TAIL] = {GROUP_REPORT, 0, "tail", "N", "the same of the last N, alone or with --head",
                  NULL},
    [OPT_JSON] = {GROUP_REPORT, 0, "json", NULL, "with --head or --tail: as JSON lines", NULL},
    [OPT_STATS] = {GROUP_REPORT, 0, "stats", "[=F]",
                   "report aggregates and rates: text (default), json or none;\n"
                   "on standard error; json on standard output if that is free",
                   "report count, min, max, exact sum and rates"},
    [OPT_STATS_ONLY] = {GROUP_REPORT, 0, "stats-only", NULL,
                        "only the report; sort and write nothing",
                        "only the report; sort and write nothing"},
    [OPT_STATS_OF] = {GROUP_REPORT, 0, "stats-of", "OFF:TYPE",
                      "field of the record to report aggregates of, repeatable;\n"
                      "default the first key that is a number",
                      NULL},
    [OPT_EXPLAIN] = {GROUP_REPORT, 0, "explain", NULL, "print the plan and its reasons, and stop",
                     NULL},
    [OPT_PROGRESS] = {GROUP_REPORT, 0, "progress", "WHEN", "auto (on a terminal), always or never",
                      NULL},
    [OPT_QUIET] = {GROUP_REPORT, 'q', "quiet", NULL, "no report and no progress", NULL},
    [OPT_VERBOSE] = {GROUP_REPORT, 'v', "verbose", NULL, "report, and how the work was done", NULL},
    [OPT_HELP] = {GROUP_REPORT, 'h', "help", NULL, "this text; -h is a short one",
                  "this text; --help names every option"},
    [OPT_VERSION] = {GROUP_REPORT, 'V', "version", NULL, "version and what this build contains",
                     NULL},
    [OPT_PARALLEL] = {GROUP_TUNING, 0, "parallel", "N",
                      "threads that sort and merge; default all processors", NULL},
    [OPT_BATCH_SIZE] = {GROUP_TUNING, 0, "batch-size", "N", "merge at most N spilled runs at once",
                        NULL},
    [OPT_IO] = {GROUP_TUNING, 0, "io", "E", "I/O engine: auto, uring or threads", NULL},
    [OPT_CHUNK] = {GROUP_TUNING, 0, "chunk", "SIZE",
                   "sort SIZE bytes in one piece; default by memory", NULL},
    [OPT_WINDOW] = {GROUP_TUNING, 0, "window", "SIZE",
                    "merge and write SIZE bytes in one piece; default by memory", NULL},
};

static bool takes_optional(const struct option_row *row)
{
    return row->argument != NULL && row->argument[0] == '[';
}

/* An option's names, and its help beside them, line by line. */
static void print_row(FILE *out, const struct option_row *row, const char *text)
{
    char names[64];
    int n = row->letter != 0 ? snprintf(names, sizeof names, "  -%c, ", row->letter)
                             : snprintf(names, sizeof names, "      ");
    snprintf(names + n, sizeof names - (size_t)n, "--%s%s%s", row->name,
             row->argument == NULL || takes_optional(row) ? "" : "=",
             row->argument == NULL ? "" : row->argument);
    const char *label = names;
    for (const char *end; text != NULL; text = end, label = "") {
        end = strchr(text, '\n');
        int length = end != NULL ? (int)(end++ - text) : (int)strlen(text);
        fprintf(out, "%-*s %.*s\n", NAMES_COLUMNS, label, length, text);
    }
}

void option_table_help(FILE *out)
{
    static const char *const titles[GROUP_COUNT] = {
        [GROUP_SORT] = "What to sort",      [GROUP_WRITE] = "What to write",
        [GROUP_MEMORY] = "Memory and disk", [GROUP_DEVICE] = "Device",
        [GROUP_REPORT] = "Reports",         [GROUP_TUNING] = "Tuning"};
    for (int group = 0; group < GROUP_COUNT; group++) {
        fprintf(out, "\n%s\n", titles[group]);
        for (int i = 0; i < OPT_COUNT; i++)
            if (option_rows[i].group == (enum option_group)group)
                print_row(out, &option_rows[i], option_rows[i].help);
    }
}

void option_table_help_daily(FILE *out)
{
    for (int i = 0; i < OPT_COUNT; i++)
        if (option_rows[i].daily != NULL)
            print_row(out, &option_rows[i], option_rows[i].daily);
}

void option_table_getopt(char letters[OPTION_LETTERS_BYTES], struct option longs[OPT_COUNT + 1])
{
    *letters++ = ':';
    for (int i = 0; i < OPT_COUNT; i++) {
        const struct option_row *row = &option_rows[i];
        int has_argument = row->argument == NULL ? no_argument
                           : takes_optional(row) ? optional_argument
                                                 : required_argument;
        longs[i] = (struct option){row->name, has_argument, NULL, OPTION_LONG_BASE + i};
        if (row->letter != 0) {
            *letters++ = row->letter;
            if (has_argument == required_argument)
                *letters++ = ':';
        }
    }
    *letters = '\0';
    longs[OPT_COUNT] = (struct option){0};
}

int option_table_find(int code)
{
    if (code >= OPTION_LONG_BASE)
        return code - OPTION_LONG_BASE;
    for (int i = 0; i < OPT_COUNT; i++)
        if (option_rows[i].letter == code)
            return i;
    return -1;
}
