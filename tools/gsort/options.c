/* options.c: the command line: what each option does. */
#include "options.h"

#include "common/tool.h"
#include "option_refuse.h"
#include "option_table.h"
#include "option_together.h"
#include "option_values.h"
#include "json/device_model.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

/* Lists that arguments are put into. */
#define LIST_COUNT 9

static enum gs_status set_action(struct gs_options *options, enum gs_action action,
                                 struct gs_error *error)
{
    if (options->action != GS_ACTION_SORT && options->action != action)
        return gs_fail(
            error, GS_E_USAGE, 0,
            "--check, --stats-only, --explain, --head and --tail exclude each other; give "
            "one");
    options->action = action;
    return GS_OK;
}

/* --device=cuda:LIST: several GPUs. NULL: the word means something else. */
static const char *list_of_gpus(const char *word)
{
    const char *list = word != NULL && strncmp(word, "cuda:", 5) == 0 ? word + 5 : "";
    return strcmp(list, "all") == 0 || strchr(list, ',') != NULL ? list : NULL;
}

/* A word of the table. */
static enum gs_status take_choice(enum option_id id, const char *word, struct command_line *line,
                                  struct gs_error *error)
{
    struct gs_options *options = &line->options;
    const struct gs_choice *choices = option_rows[id].choices();
    int value = 0;
    uint32_t number = id == OPT_DEVICE ? options->device_index : 0;
    const char *gpus = id == OPT_DEVICE ? list_of_gpus(word) : NULL;
    if (gpus != NULL) {
        options->device = GS_DEVICE_CUDA;
        return option_set(line->typed, gpus, &options->device_set, error);
    }
    TRY(option_choose_numbered(line->typed, word != NULL ? word : choices[0].word, choices, &value,
                               &number, error));
    switch (id) {
    case OPT_VERIFY:
        options->verify_read = value != 0;
        break;
    case OPT_MERGE:
        options->merge = true;
        options->merge_set = (enum gs_set)value;
        break;
    case OPT_KEEP:
        options->unique_keep = (enum gs_keep_choice)value;
        break;
    case OPT_INDEX:
        options->index_bytes = (uint32_t)value;
        break;
    case OPT_IO:
        options->io = (enum gs_io_choice)value;
        break;
    case OPT_SPILL:
        options->spill_all = value != 0;
        break;
    case OPT_STATS:
        line->stats = (enum stats_format)value;
        break;
    case OPT_DEVICE:
        options->device = (enum gs_device_choice)value;
        options->device_index = number;
        options->device_set = 0;
        break;
    case OPT_COMPRESS:
        options->compress = (enum gs_compress_choice)value;
        options->compress_level = number;
        break;
    default:
        line->progress = (enum progress_mode)value;
        break;
    }
    return GS_OK;
}

/* What an option without an argument sets; NULL: it is none of these. */
static bool *flag_of(enum option_id id, struct command_line *line)
{
    struct gs_options *options = &line->options;
    switch (id) {
    case OPT_DROP_TAIL:
        return &options->drop_tail;
    case OPT_RAW:
        return &options->raw;
    case OPT_DISTINCT:
        return &options->distinct;
    case OPT_VARIANCE:
        return &options->variance;
    case OPT_MODE:
        return &options->mode;
    case OPT_REVERSE:
        return &options->reverse;
    case OPT_ARGSORT:
        return &options->argsort;
    case OPT_UNIQUE:
        return &options->unique;
    case OPT_COUNT_GROUPS:
        return &options->unique_counts;
    case OPT_SUM_WIDE:
        return &options->sum_wide;
    case OPT_QUIET:
        return &line->is_quiet;
    case OPT_VERBOSE:
        return &line->is_verbose;
    case OPT_JSON:
        return &line->prints_json;
    case OPT_JOIN_REPORTS:
        return &line->joins_reports;
    case OPT_HELP:
        return &line->wants_help;
    case OPT_VERSION:
        return &line->wants_version;
    default:
        return NULL;
    }
}

/* Where a small number goes, and from what to what it may be; NULL: it is none. */
static uint32_t *number_of(enum option_id id, struct gs_options *options, uint32_t *least,
                           uint32_t *most)
{
    *least = 1;
    switch (id) {
    case OPT_ZSTD:
        *most = GS_ZSTD_LEVEL_MAX;
        return &options->output_zstd_level;
    case OPT_RECORD:
        *least = 1;
        *most = 65536;
        return &options->record_bytes;
    case OPT_HISTOGRAM:
        *most = GS_BINS_MAX;
        return &options->histogram_bins;
    case OPT_GROUP:
        *most = GS_FIELDS_MAX;
        return &options->group_keys;
    case OPT_SPLIT:
        *most = GS_SPLIT_MAX;
        return &options->split_count;
    case OPT_PARALLEL:
        *most = GS_THREADS_MAX;
        return &options->thread_count;
    case OPT_BATCH_SIZE:
        *least = 2;
        *most = GS_FAN_IN_MAX;
        return &options->fan_in;
    default:
        return NULL;
    }
}

static uint64_t *size_of(enum option_id id, struct gs_options *options)
{
    switch (id) {
    case OPT_HEADER:
        return &options->header_bytes;
    case OPT_MEMORY:
        return &options->memory_bytes;
    case OPT_DEVICE_MEMORY:
        return &options->device_memory_bytes;
    case OPT_CHUNK:
        return &options->chunk_bytes;
    case OPT_WINDOW:
        return &options->window_bytes;
    default:
        return NULL;
    }
}

/* Where a text goes that may be given once; NULL: it is none of these. */
static const char **text_of(enum option_id id, struct command_line *line)
{
    switch (id) {
    case OPT_OUTPUT:
        return &line->options.output;
    case OPT_INTO:
        return &line->into_path;
    case OPT_FILES0_FROM:
        return &line->files0_path;
    case OPT_DEVICE_MODEL:
        return &line->model_path;
    case OPT_FIND:
        return &line->options.find;
    default:
        return NULL;
    }
}

static enum gs_status take_once(enum option_id id, const char *argument, const char **text,
                                struct gs_error *error)
{
    if (*text != NULL)
        return gs_fail(error, GS_E_USAGE, 0, "--%s: given twice ('%s', '%s')", option_rows[id].name,
                       *text, argument);
    *text = argument;
    return GS_OK;
}

/* Options that may be given again; false: it is none of these. */
static bool take_again(enum option_id id, const char *argument, struct command_line *line)
{
    struct gs_options *options = &line->options;
    const struct {
        enum option_id id;
        const char **list;
        size_t *count;
    } rows[] = {{OPT_KEY, line->keys, &options->key_count},
                {OPT_WHERE, line->where, &options->where_count},
                {OPT_SUM, line->sum_fields, &options->sum_field_count},
                {OPT_MIN, line->min_fields, &options->min_field_count},
                {OPT_MAX, line->max_fields, &options->max_field_count},
                {OPT_VALUES, line->values, &options->value_count},
                {OPT_STATS_OF, line->stats_fields, &options->stats_field_count},
                {OPT_TEMP_DIR, line->temp_dirs, &options->temp_dir_count}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].id == id) {
            rows[i].list[(*rows[i].count)++] = argument;
            return true;
        }
    return false;
}

/* Texts, and what the job is to do. */
static enum gs_status take_word(enum option_id id, const char *argument, struct command_line *line,
                                struct gs_error *error)
{
    struct gs_options *options = &line->options;
    switch (id) {
    case OPT_TYPE:
        options->type = argument;
        return GS_OK;
    case OPT_QUANTILES:
        return option_list(line->typed, argument, &line->quantiles, &options->quantiles,
                           &options->quantile_count, error);
    case OPT_SPLIT_AT:
        return option_list(line->typed, argument, &line->split_values, &options->split_values,
                           &options->split_value_count, error);
    case OPT_OUT:
        return option_list(line->typed, argument, &line->out_fields, &options->out_fields,
                           &options->out_field_count, error);
    case OPT_RESUME:
        options->resume_dir = argument;
        return GS_OK;
    case OPT_RANGE:
        return option_range(line->typed, argument, options, error);
    case OPT_PART:
        return option_part(line->typed, argument, options, error);
    case OPT_TOP:
        options->has_top = true;
        return option_count(line->typed, argument, &options->top_count, error);
    case OPT_CHECK:
    case OPT_CHECK_QUIET:
        line->check_quietly = line->check_quietly || id == OPT_CHECK_QUIET;
        return set_action(options, GS_ACTION_CHECK, error);
    case OPT_STATS_ONLY:
        return set_action(options, GS_ACTION_STATS, error);
    case OPT_EXPLAIN:
        return set_action(options, GS_ACTION_EXPLAIN, error);
    case OPT_HEAD:
    case OPT_TAIL:
        TRY(set_action(options, GS_ACTION_LOOK, error));
        return option_count(line->typed, argument,
                            id == OPT_HEAD ? &line->head_count : &line->tail_count, error);
    default:
        return take_choice(id, argument, line, error);
    }
}

static enum gs_status take_option(enum option_id id, const char *argument,
                                  struct command_line *line, struct gs_error *error)
{
    struct gs_options *options = &line->options;
    uint32_t least, most, *number = number_of(id, options, &least, &most);
    uint64_t *size = size_of(id, options);
    bool *flag = flag_of(id, line);
    const char **text = text_of(id, line);
    line->is_given[id] = true;
    if (id == OPT_MEMORY)
        options->memory_is_share = strchr(argument, '%') != NULL;
    if (flag != NULL)
        *flag = true;
    else if (number != NULL && argument == NULL) /* --zstd alone */
        *number = 1;
    else if (text != NULL)
        return take_once(id, argument, text, error);
    else if (number != NULL)
        return option_number(line->typed, argument, least, most, number, error);
    else if (size != NULL) /* that of memory may be a part of what there is */
        return option_size(line->typed, argument, id == OPT_MEMORY ? gs_memory_available() : 0,
                           size, error);
    else if (!take_again(id, argument, line))
        return take_word(id, argument, line, error);
    return GS_OK;
}

/* The lists that options point to; how many they are. */
static size_t lists_of(struct command_line *line, const char ***lists[LIST_COUNT])
{
    size_t count = 0;
    lists[count++] = &line->inputs;
    lists[count++] = &line->temp_dirs;
    lists[count++] = &line->keys;
    lists[count++] = &line->stats_fields;
    lists[count++] = &line->where;
    lists[count++] = &line->sum_fields;
    lists[count++] = &line->min_fields;
    lists[count++] = &line->max_fields;
    lists[count++] = &line->values;
    return count;
}

static enum gs_status make_lists(struct command_line *line, size_t most, struct gs_error *error)
{
    const char ***lists[LIST_COUNT];
    size_t count = lists_of(line, lists);
    for (size_t i = 0; i < count; i++)
        if ((*lists[i] = calloc(most, sizeof **lists[i])) == NULL)
            return gs_fail(error, GS_E_MEMORY, 0, "memory: cannot allocate the command line");
    return GS_OK;
}

enum gs_status command_line_parse(int argc, char **argv, struct command_line *line,
                                  struct gs_error *error)
{
    enum gs_status status = GS_OK;
    char letters[OPTION_LETTERS_BYTES(OPT_COUNT)];
    struct option longs[OPT_COUNT + 1];
    *line = (struct command_line){.stats = STATS_NONE};
    TRY_OR(make_lists(line, (size_t)argc + 1, error), done);
    line->options.temp_dirs = line->temp_dirs;
    line->options.inputs = line->inputs;
    line->options.keys = line->keys;
    line->options.stats_fields = line->stats_fields;
    line->options.where = line->where;
    line->options.sum_fields = line->sum_fields;
    line->options.min_fields = line->min_fields;
    line->options.max_fields = line->max_fields;
    line->options.values = line->values;
    option_rows_getopt(option_rows, OPT_COUNT, letters, longs);
    opterr = 0;
    optind = 0; /* from the start, also if the last command line ended amid a group of letters */
    for (int code; (code = getopt_long(argc, argv, letters, longs, NULL)) != -1;) {
        int id = option_rows_find(option_rows, OPT_COUNT, code);
        if (id < 0) {
            status = option_refuse(code, argv[optind - 1], error);
            goto done;
        }
        line->wants_daily_help = line->wants_daily_help || code == option_rows[OPT_HELP].letter;
        option_typed(line->typed, code, (enum option_id)id);
        TRY_OR(take_option((enum option_id)id, optarg, line, error), done);
    }
    while (optind < argc)
        line->inputs[line->options.input_count++] = argv[optind++];
    if (line->wants_help || line->wants_version)
        return GS_OK;
    TRY_OR(command_line_check(line, error), done);
    line->options.check_counts =
        line->options.action == GS_ACTION_CHECK && line->stats != STATS_NONE;
    if (line->files0_path != NULL) {
        TRY_OR(files0_read(line->files0_path, gs_memory_ceiling(line->options.memory_bytes),
                           &line->files0, error),
               done);
        line->options.inputs = line->files0.names;
        line->options.input_count = line->files0.count;
    }
    if (line->model_path != NULL) {
        TRY_OR(device_model_read(line->model_path, &line->model, error), done);
        line->options.device_model = &line->model;
    }
done:
    return status;
}

void command_line_clear(struct command_line *line)
{
    const char ***lists[LIST_COUNT];
    size_t count = lists_of(line, lists);
    option_list_clear(&line->quantiles);
    option_list_clear(&line->split_values);
    option_list_clear(&line->out_fields);
    files0_clear(&line->files0);
    for (size_t i = 0; i < count; i++)
        free(*lists[i]);
}

static const char usage[] =
    "Usage: gsort [OPTION]... [FILE]... [-o OUT]\n"
    "Sort huge files of binary numbers or records, larger than memory too, and report\n"
    "exact aggregates. With no FILE, or when FILE is -, read standard input.\n";

static void print_daily_help(FILE *out)
{
    fputs(usage, out);
    fputs("\n", out);
    option_table_help_daily(out);
    fputs("\nExamples\n"
          "  gsort prices.f64 -o sorted.f64 --stats        floats; min, max, sum\n"
          "  gsort -S 2G huge.i64 -o huge.i64              in place, in 2 GiB of memory\n"
          "  gsort -R 24 -k 8:u32 -k 16:f64:desc x -o y    records by two keys\n",
          out);
}

void command_line_help(const struct command_line *line, FILE *out)
{
    if (line->wants_daily_help) {
        print_daily_help(out);
        return;
    }
    fputs(usage, out);
    option_table_help(out);
    fputs("\nExit status: 0 done; 1 -c found disorder; 2 usage or bad input; 3 I/O, space or\n"
          "device; 4 verification failed. A signal ends with that signal.\n",
          out);
}
