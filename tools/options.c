/* options.c: the option table, its parser and its help. */
#include "options.h"

#include "base/status.h"
#include "plan/limits.h"
#include "plan/size.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum option_id {
    OPT_OUTPUT,
    OPT_FILES0_FROM,
    OPT_ZSTD,
    OPT_RAW,
    OPT_HEADER,
    OPT_TYPE,
    OPT_RECORD,
    OPT_KEY,
    OPT_STATS_OF,
    OPT_REVERSE,
    OPT_UNIQUE,
    OPT_COUNT_GROUPS,
    OPT_TOP,
    OPT_MERGE,
    OPT_CHECK,
    OPT_CHECK_QUIET,
    OPT_MEMORY,
    OPT_TEMP_DIR,
    OPT_RESUME,
    OPT_PARALLEL,
    OPT_BATCH_SIZE,
    OPT_DEVICE,
    OPT_DEVICE_MEMORY,
    OPT_IO,
    OPT_CHUNK,
    OPT_WINDOW,
    OPT_SPILL,
    OPT_COMPRESS,
    OPT_STATS,
    OPT_STATS_ONLY,
    OPT_VERIFY,
    OPT_EXPLAIN,
    OPT_PROGRESS,
    OPT_QUIET,
    OPT_VERBOSE,
    OPT_HELP,
    OPT_VERSION,
    OPT_COUNT
};

struct option_row {
    char letter;                 /* 0: none */
    const char *name, *argument; /* argument NULL: none; "[X]": optional */
    const char *help;
};

static const struct option_row rows[OPT_COUNT] = {
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
                    "cgroup and rlimit allow; SIZE is bytes, K M G T or %"},
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

/* Long options return their id behind all letters. */
#define LONG_BASE 256

static bool takes_optional(const struct option_row *row)
{
    return row->argument != NULL && row->argument[0] == '[';
}

void command_line_help(FILE *out)
{
    fputs("Usage: gsort [OPTION]... [FILE]... [-o OUT]\n"
          "Sort huge files of binary numbers, larger than memory too, and report exact\n"
          "aggregates. With no FILE, or when FILE is -, read standard input.\n\n",
          out);
    for (int i = 0; i < OPT_COUNT; i++) {
        const struct option_row *row = &rows[i];
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
    fputs("\nExit status: 0 done; 1 -c found disorder; 2 usage or bad input; 3 I/O, space or\n"
          "device; 4 verification failed. A signal ends with that signal.\n",
          out);
}

struct choice {
    const char *word;
    int value;
};

/* The value of a word among `choices`, which end with NULL. */
static enum gs_status choose(enum option_id id, const char *word, const struct choice *choices,
                             int *value, struct gs_error *error)
{
    char known[128] = "";
    for (const struct choice *c = choices; c->word != NULL; c++) {
        if (strcmp(word, c->word) == 0) {
            *value = c->value;
            return GS_OK;
        }
        strncat(known, " ", sizeof known - strlen(known) - 1);
        strncat(known, c->word, sizeof known - strlen(known) - 1);
    }
    return gsi_fail(error, GS_E_USAGE, 0, "--%s: '%s' is none of:%s", rows[id].name, word, known);
}

static enum gs_status take_size(enum option_id id, const char *text, uint64_t whole,
                                uint64_t *bytes, struct gs_error *error)
{
    if (gsi_size_parse(text, whole, bytes) && *bytes > 0)
        return GS_OK;
    return gsi_fail(error, GS_E_USAGE, 0, "--%s: '%s' is not a size like 512M or 4G%s",
                    rows[id].name, text, whole > 0 ? " or 25%" : "");
}

/* As head(1) takes it: 0 is a number, too. */
static enum gs_status take_count(enum option_id id, const char *text, uint64_t *count,
                                 struct gs_error *error)
{
    if (gsi_size_parse(text, 0, count))
        return GS_OK;
    return gsi_fail(error, GS_E_USAGE, 0, "--%s: '%s' is not a number like 1000 or 64K",
                    rows[id].name, text);
}

static enum gs_status take_number(enum option_id id, const char *text, uint32_t least,
                                  uint32_t most, uint32_t *number, struct gs_error *error)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || value < least || value > most)
        return gsi_fail(error, GS_E_USAGE, 0, "--%s: '%s' is not a number from %u to %u",
                        rows[id].name, text, least, most);
    *number = (uint32_t)value;
    return GS_OK;
}

static enum gs_status set_action(struct gs_options *options, enum gs_action action,
                                 struct gs_error *error)
{
    if (options->action != GS_ACTION_SORT && options->action != action)
        return gsi_fail(error, GS_E_USAGE, 0,
                        "--check, --stats-only and --explain exclude each other; give one");
    options->action = action;
    return GS_OK;
}

/* cuda:N is the N-th GPU. */
static enum gs_status take_device(const char *word, struct gs_options *options,
                                  struct gs_error *error)
{
    static const struct choice devices[] = {
        {"auto", GS_DEVICE_AUTO}, {"cpu", GS_DEVICE_CPU}, {"cuda", GS_DEVICE_CUDA}, {NULL, 0}};
    int value = GS_DEVICE_CUDA;
    enum gs_status status = GS_OK;
    if (strncmp(word, "cuda:", 5) == 0)
        status = take_number(OPT_DEVICE, word + 5, 0, 1023, &options->device_index, error);
    else
        status = choose(OPT_DEVICE, word, devices, &value, error);
    options->device = (enum gs_device_choice)value;
    return status;
}

/* zstd:N is zstd at level N. */
static enum gs_status take_compress(const char *word, struct gs_options *options,
                                    struct gs_error *error)
{
    static const struct choice codecs[] = {{"auto", GS_COMPRESS_AUTO},
                                           {"none", GS_COMPRESS_NONE},
                                           {"zstd", GS_COMPRESS_ZSTD},
                                           {NULL, 0}};
    int value = GS_COMPRESS_ZSTD;
    enum gs_status status = GS_OK;
    options->compress_level = 0;
    if (strncmp(word, "zstd:", 5) == 0)
        status = take_number(OPT_COMPRESS, word + 5, 1, 19, &options->compress_level, error);
    else
        status = choose(OPT_COMPRESS, word, codecs, &value, error);
    options->compress = (enum gs_compress_choice)value;
    return status;
}

static enum gs_status take_choice(enum option_id id, const char *word, struct command_line *line,
                                  struct gs_error *error)
{
    static const struct choice engines[] = {
        {"auto", GS_IO_AUTO}, {"uring", GS_IO_URING}, {"threads", GS_IO_THREADS}, {NULL, 0}};
    static const struct choice spills[] = {{"auto", false}, {"always", true}, {NULL, 0}};
    static const struct choice formats[] = {
        {"text", STATS_TEXT}, {"json", STATS_JSON}, {"none", STATS_NONE}, {NULL, 0}};
    static const struct choice modes[] = {
        {"auto", PROGRESS_AUTO}, {"always", PROGRESS_ALWAYS}, {"never", PROGRESS_NEVER}, {NULL, 0}};
    static const struct choice verifications[] = {{"stream", false}, {"read", true}, {NULL, 0}};
    int value = 0;
    enum gs_status status = GS_OK;
    switch (id) {
    case OPT_VERIFY:
        status = choose(id, word, verifications, &value, error);
        line->options.verify_read = value != 0;
        break;
    case OPT_IO:
        status = choose(id, word, engines, &value, error);
        line->options.io = (enum gs_io_choice)value;
        break;
    case OPT_SPILL:
        status = choose(id, word, spills, &value, error);
        line->options.spill_all = value != 0;
        break;
    case OPT_STATS:
        status = choose(id, word != NULL ? word : "text", formats, &value, error);
        line->stats = (enum stats_format)value;
        line->stats_is_set = true;
        break;
    default:
        status = choose(id, word, modes, &value, error);
        line->progress = (enum progress_mode)value;
        break;
    }
    return status;
}

static enum gs_status take_option(enum option_id id, const char *argument,
                                  struct command_line *line, struct gs_error *error)
{
    struct gs_options *options = &line->options;
    switch (id) {
    case OPT_OUTPUT:
        if (options->output != NULL)
            return gsi_fail(error, GS_E_USAGE, 0, "--output: given twice ('%s', '%s')",
                            options->output, argument);
        options->output = argument;
        return GS_OK;
    case OPT_FILES0_FROM:
        if (line->files0_path != NULL)
            return gsi_fail(error, GS_E_USAGE, 0, "--files0-from: given twice ('%s', '%s')",
                            line->files0_path, argument);
        line->files0_path = argument;
        return GS_OK;
    case OPT_ZSTD:
        options->output_zstd_level = 1;
        return argument == NULL
                   ? GS_OK
                   : take_number(id, argument, 1, 19, &options->output_zstd_level, error);
    case OPT_HEADER:
        return take_size(id, argument, 0, &options->header_bytes, error);
    case OPT_RAW:
        options->raw = true;
        return GS_OK;
    case OPT_TYPE:
        options->type = argument;
        return GS_OK;
    case OPT_RECORD:
        return take_number(id, argument, 2, 65536, &options->record_bytes, error);
    case OPT_KEY:
        line->keys[options->key_count++] = argument;
        return GS_OK;
    case OPT_STATS_OF:
        line->stats_fields[options->stats_field_count++] = argument;
        return GS_OK;
    case OPT_REVERSE:
        options->reverse = true;
        return GS_OK;
    case OPT_UNIQUE:
        options->unique = true;
        return GS_OK;
    case OPT_COUNT_GROUPS:
        options->unique_counts = true;
        return GS_OK;
    case OPT_TOP:
        options->has_top = true;
        return take_count(id, argument, &options->top_count, error);
    case OPT_MERGE:
        options->merge = true;
        return GS_OK;
    case OPT_CHECK:
        return set_action(options, GS_ACTION_CHECK, error);
    case OPT_CHECK_QUIET:
        line->check_quietly = true;
        return set_action(options, GS_ACTION_CHECK, error);
    case OPT_MEMORY:
        return take_size(id, argument, gsi_limits_probe("").memory_bytes, &options->memory_bytes,
                         error);
    case OPT_RESUME:
        line->options.resume_dir = argument;
        return GS_OK;
    case OPT_TEMP_DIR:
        line->temp_dirs[options->temp_dir_count++] = argument;
        return GS_OK;
    case OPT_PARALLEL:
        return take_number(id, argument, 1, 1024, &options->thread_count, error);
    case OPT_BATCH_SIZE:
        return take_number(id, argument, 2, 1u << 20, &options->fan_in, error);
    case OPT_DEVICE:
        return take_device(argument, options, error);
    case OPT_DEVICE_MEMORY:
        return take_size(id, argument, 0, &options->device_memory_bytes, error);
    case OPT_COMPRESS:
        return take_compress(argument, options, error);
    case OPT_CHUNK:
        return take_size(id, argument, 0, &options->chunk_bytes, error);
    case OPT_WINDOW:
        return take_size(id, argument, 0, &options->window_bytes, error);
    case OPT_STATS_ONLY:
        return set_action(options, GS_ACTION_STATS, error);
    case OPT_EXPLAIN:
        return set_action(options, GS_ACTION_EXPLAIN, error);
    case OPT_QUIET:
        line->is_quiet = true;
        return GS_OK;
    case OPT_VERBOSE:
        line->is_verbose = true;
        return GS_OK;
    case OPT_HELP:
        line->wants_help = true;
        return GS_OK;
    case OPT_VERSION:
        line->wants_version = true;
        return GS_OK;
    default:
        return take_choice(id, argument, line, error);
    }
}

/* What would be ignored is refused. */
static enum gs_status check_together(const struct command_line *line, struct gs_error *error)
{
    const struct gs_options *o = &line->options;
    bool sorts = o->action == GS_ACTION_SORT || o->action == GS_ACTION_EXPLAIN;
    const struct {
        bool is_given;
        enum option_id id;
    } of_sorting[] = {{o->output != NULL, OPT_OUTPUT},
                      {o->temp_dir_count > 0, OPT_TEMP_DIR},
                      {o->resume_dir != NULL, OPT_RESUME},
                      {o->output_zstd_level > 0, OPT_ZSTD},
                      {o->has_top, OPT_TOP},
                      {o->merge, OPT_MERGE},
                      {o->fan_in > 0, OPT_BATCH_SIZE},
                      {o->chunk_bytes > 0, OPT_CHUNK},
                      {o->spill_all, OPT_SPILL},
                      {o->compress != GS_COMPRESS_AUTO, OPT_COMPRESS},
                      {o->unique_counts, OPT_COUNT_GROUPS},
                      {o->verify_read, OPT_VERIFY},
                      {o->unique && o->action == GS_ACTION_STATS, OPT_UNIQUE}};
    for (size_t i = 0; !sorts && i < sizeof of_sorting / sizeof of_sorting[0]; i++)
        if (of_sorting[i].is_given)
            return gsi_fail(
                error, GS_E_USAGE, 0, "--%s: has no meaning with --%s, which writes nothing",
                rows[of_sorting[i].id].name, o->action == GS_ACTION_CHECK ? "check" : "stats-only");
    if (o->merge && (o->chunk_bytes > 0 || o->spill_all))
        return gsi_fail(error, GS_E_USAGE, 0,
                        "--%s: has no meaning with --merge, which sorts nothing",
                        rows[o->spill_all ? OPT_SPILL : OPT_CHUNK].name);
    if (o->reverse && o->action == GS_ACTION_STATS)
        return gsi_fail(error, GS_E_USAGE, 0, "--reverse: has no meaning with --stats-only");
    if (line->files0_path != NULL && o->input_count > 0)
        return gsi_fail(error, GS_E_USAGE, 0,
                        "--files0-from and FILE '%s' exclude each other; name all files in '%s'",
                        o->inputs[0], line->files0_path);
    if (o->raw && o->output_zstd_level > 0)
        return gsi_fail(error, GS_E_USAGE, 0, "--raw and --zstd contradict each other");
    if (line->is_quiet && line->is_verbose)
        return gsi_fail(error, GS_E_USAGE, 0, "--quiet and --verbose contradict each other");
    if (line->is_quiet && line->stats_is_set && line->stats != STATS_NONE)
        return gsi_fail(error, GS_E_USAGE, 0, "--quiet and --stats contradict each other");
    return GS_OK;
}

/* Whether there will be a report of what is checked. */
static bool reports(const struct command_line *line)
{
    return line->stats_is_set ? line->stats != STATS_NONE : line->is_verbose;
}

/* The table as getopt_long wants it. */
static void make_getopt_tables(char *letters, struct option *longs)
{
    *letters++ = ':';
    for (int i = 0; i < OPT_COUNT; i++) {
        const struct option_row *row = &rows[i];
        int has_argument = row->argument == NULL ? no_argument
                           : takes_optional(row) ? optional_argument
                                                 : required_argument;
        longs[i] = (struct option){row->name, has_argument, NULL, LONG_BASE + i};
        if (row->letter != 0) {
            *letters++ = row->letter;
            if (has_argument == required_argument)
                *letters++ = ':';
        }
    }
    *letters = '\0';
    longs[OPT_COUNT] = (struct option){0};
}

static int id_of(int code)
{
    if (code >= LONG_BASE)
        return code - LONG_BASE;
    for (int i = 0; i < OPT_COUNT; i++)
        if (rows[i].letter == code)
            return i;
    return -1;
}

static enum gs_status refuse(int code, char **argv, struct gs_error *error)
{
    const char *given = argv[optind - 1];
    if (code == ':')
        return gsi_fail(error, GS_E_USAGE, 0, "'%s': needs an argument; see --help", given);
    if (optopt != 0 && optopt < LONG_BASE)
        return gsi_fail(error, GS_E_USAGE, 0, "'-%c': there is no such option; see --help", optopt);
    return gsi_fail(error, GS_E_USAGE, 0,
                    "'%s': there is no such option, or it is ambiguous, or "
                    "takes no argument; see --help",
                    given);
}

enum gs_status command_line_parse(int argc, char **argv, struct command_line *line,
                                  struct gs_error *error)
{
    enum gs_status status = GS_OK;
    char letters[2 * OPT_COUNT + 2];
    struct option longs[OPT_COUNT + 1];
    *line = (struct command_line){.stats = STATS_NONE};
    line->temp_dirs = calloc((size_t)argc + 1, sizeof *line->temp_dirs);
    line->inputs = calloc((size_t)argc + 1, sizeof *line->inputs);
    line->keys = calloc((size_t)argc + 1, sizeof *line->keys);
    line->stats_fields = calloc((size_t)argc + 1, sizeof *line->stats_fields);
    if (line->temp_dirs == NULL || line->inputs == NULL || line->keys == NULL ||
        line->stats_fields == NULL)
        GSI_TRY(gsi_fail(error, GS_E_MEMORY, 0, "memory: cannot allocate the command line"));
    line->options.temp_dirs = line->temp_dirs;
    line->options.inputs = line->inputs;
    line->options.keys = line->keys;
    line->options.stats_fields = line->stats_fields;
    make_getopt_tables(letters, longs);
    opterr = 0;
    optind = 0; /* from the start, also if the last command line ended amid a group of letters */
    for (int code; (code = getopt_long(argc, argv, letters, longs, NULL)) != -1;) {
        int id = id_of(code);
        if (id < 0)
            GSI_TRY(refuse(code, argv, error));
        GSI_TRY(take_option((enum option_id)id, optarg, line, error));
    }
    while (optind < argc)
        line->inputs[line->options.input_count++] = argv[optind++];
    if (line->wants_help || line->wants_version)
        return GS_OK;
    GSI_TRY(check_together(line, error));
    line->options.check_counts = line->options.action == GS_ACTION_CHECK && reports(line);
    if (line->files0_path != NULL)
        GSI_TRY(files0_read(line->files0_path, &line->files0, error));
    if (line->files0_path != NULL) {
        line->options.inputs = line->files0.names;
        line->options.input_count = line->files0.count;
    }
fail:
    return status;
}

void command_line_clear(struct command_line *line)
{
    free(line->stats_fields);
    free(line->keys);
    files0_clear(&line->files0);
    free(line->inputs);
    free(line->temp_dirs);
}
