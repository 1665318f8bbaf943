/* option_table.c: the table, and what is made of it. */
#include "option_table.h"

#include <stdbool.h>
#include <string.h>

const struct option_row option_rows[OPT_COUNT] = {
    [OPT_OUTPUT] = {'o', "output", "FILE", "write to FILE, whole or not at all; may be an input"},
    [OPT_FILES0_FROM] = {0, "files0-from", "F",
                         "the inputs are named in F (- is standard input), each name\n"
                         "ended by a NUL byte"},
    [OPT_ZSTD] = {0, "zstd", "[=LEVEL]",
                  "pack the output by zstd, LEVEL from 1 (default) to 19; it is\n"
                  "packed anyway if its name ends in .zst"},
    [OPT_RAW] = {0, "raw", NULL,
                 "sort the bytes of .zst and .npy files as they are, and\n"
                 "write such"},
    [OPT_HEADER] = {0, "header", "N",
                    "every input begins with a header of N bytes (1M at most);\n"
                    "that of the first one is copied to the output"},
    [OPT_TYPE] = {'t', "type", "T",
                  "elements: u32 i32 f32 u64 i64 f64 u128; default from the\n"
                  "name (x.f64, books_200M_uint64), else u64"},
    [OPT_RECORD] = {'R', "record", "N", "elements are records of N bytes, 2 to 65536"},
    [OPT_KEY] = {'k', "key", "OFF:TYPE[:desc]",
                 "key in the record, repeatable, the first decides first: a\n"
                 "type as in -t, or u8 i8 u16 i16, each with be behind it\n"
                 "if it is big endian, or bN: N bytes; default all bytes"},
    [OPT_STATS_OF] = {0, "stats-of", "OFF:TYPE",
                      "field of the record to report aggregates of, repeatable;\n"
                      "default the first key that is a number"},
    [OPT_REVERSE] = {'r', "reverse", NULL, "largest first"},
    [OPT_UNIQUE] = {'u', "unique", NULL,
                    "of elements with equal keys write only the first; with -c\n"
                    "they are disorder, too"},
    [OPT_COUNT_GROUPS] = {0, "count", NULL,
                          "with -u: write behind each element how many had its key, as\n"
                          "a u64, little endian"},
    [OPT_TOP] = {0, "top", "K",
                 "write the first K elements in order only (K M G as in -S);\n"
                 "the rest is not sorted, if they fit into memory"},
    [OPT_MERGE] = {'m', "merge", NULL,
                   "merge inputs that are sorted already; checks that they are"},
    [OPT_CHECK] = {'c', "check", NULL, "sort nothing; report the first disorder, exit 1"},
    [OPT_CHECK_QUIET] = {'C', "check-quiet", NULL, "as -c, without a report"},
    [OPT_MEMORY] = {'S', "memory", "SIZE",
                    "ceiling for the whole process; default half of what machine,\n"
                    "cgroup and rlimit allow; SIZE is bytes, K M G T P E or %"},
    [OPT_TEMP_DIR] = {'T', "temporary-directory", "DIR",
                      "where runs are spilled, repeatable; default the output's\n"
                      "directory, for standard output $TMPDIR or /tmp"},
    [OPT_RESUME] = {0, "resume", "DIR",
                    "keep in DIR what is done, until all is, so that after a kill\n"
                    "the same command goes on; takes room for runs and output"},
    [OPT_PARALLEL] = {0, "parallel", "N", "threads that sort and merge; default all processors"},
    [OPT_BATCH_SIZE] = {0, "batch-size", "N", "merge at most N spilled runs at once"},
    [OPT_DEVICE] = {0, "device", "D",
                    "where to sort: auto (a GPU for large files, where there is\n"
                    "one), cpu, cuda or cuda:N"},
    [OPT_DEVICE_MEMORY] = {0, "device-memory", "SIZE", "take at most SIZE of a GPU's memory"},
    [OPT_IO] = {0, "io", "E", "I/O engine: auto, uring or threads"},
    [OPT_CHUNK] = {0, "chunk", "SIZE", "sort SIZE bytes in one piece; default by memory"},
    [OPT_WINDOW] = {0, "window", "SIZE",
                    "merge and write SIZE bytes in one piece; default by memory"},
    [OPT_SPILL] = {0, "spill", "WHEN", "auto: what does not fit; always: every run"},
    [OPT_COMPRESS] = {0, "compress", "C",
                      "spilled runs: auto (what is faster, as measured), none or\n"
                      "zstd[:LEVEL], LEVEL from 1 (default) to 19"},
    [OPT_STATS] = {0, "stats", "[=F]",
                   "report aggregates and rates: text (default), json or none;\n"
                   "on standard error; json on standard output if that is free"},
    [OPT_STATS_ONLY] = {0, "stats-only", NULL, "only the report; sort and write nothing"},
    [OPT_VERIFY] = {0, "verify", "HOW",
                    "stream: what goes to the output; read: then also what the disk\n"
                    "holds, before it takes the output's place"},
    [OPT_EXPLAIN] = {0, "explain", NULL, "print the plan and its reasons, and stop"},
    [OPT_PROGRESS] = {0, "progress", "WHEN", "auto (on a terminal), always or never"},
    [OPT_QUIET] = {'q', "quiet", NULL, "no report and no progress"},
    [OPT_VERBOSE] = {'v', "verbose", NULL, "report, and how the work was done"},
    [OPT_HELP] = {'h', "help", NULL, "this text"},
    [OPT_VERSION] = {'V', "version", NULL, "version and what this build contains"},
};

static bool takes_optional(const struct option_row *row)
{
    return row->argument != NULL && row->argument[0] == '[';
}

void option_table_help(FILE *out)
{
    for (int i = 0; i < OPT_COUNT; i++) {
        const struct option_row *row = &option_rows[i];
        char names[64];
        int n = row->letter != 0 ? snprintf(names, sizeof names, "  -%c, ", row->letter)
                                 : snprintf(names, sizeof names, "      ");
        snprintf(names + n, sizeof names - (size_t)n, "--%s%s%s", row->name,
                 row->argument == NULL || takes_optional(row) ? "" : "=",
                 row->argument == NULL ? "" : row->argument);
        const char *text = row->help;
        const char *label = names;
        for (const char *end; text != NULL; text = end, label = "") {
            end = strchr(text, '\n');
            int length = end != NULL ? (int)(end++ - text) : (int)strlen(text);
            fprintf(out, "%-32s %.*s\n", label, length, text);
        }
    }
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
