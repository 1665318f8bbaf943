/* bench_main.c: the program gsort-bench: what disk, memory and processor can do, measured through
 * gsort's own parts, and gsort beside them, so that its speed can be told as a share of theirs.
 *
 * To add a subcommand: one function (bench.h), one row in `commands`. */
#include "bench.h"

#include "plan/limits.h"

#include <ctype.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_USAGE 2
#define EXIT_IO    3
#define SIZE_UNIT  4096u /* direct I/O */

struct command {
    const char *name, *text;
    const char *options; /* letters of `options` that it takes */
    enum gs_status (*run)(const struct bench_settings *settings, struct bench_report *report,
                          struct gs_error *error);
};

static const struct command commands[] = {
    {"disk", "write, read and copy a file by engine, block size and depth", "dsrj", bench_disk},
    {"memory", "copy memory with one thread and with all", "sprj", bench_memory},
    {"merge", "sort and merge in memory with one thread, by number of runs", "srj", bench_merge},
    {"codec", "code and decode frames of runs with one thread, by data", "rj", bench_codec},
#ifdef GSORT_HAVE_CUDA
    {"kernels", "sort, merge and tally in a GPU's memory beside CUB", "strj", bench_kernels},
    {"record-kernels", "sort records in a GPU's memory, by record and key, step by step", "srj",
     bench_record_kernels},
    {"ladder", "textbook kernels on a GPU, rung by rung, beside copy and CUB", "strj",
     bench_ladder},
#endif
    {"outofcore", "sort files by size, memory and codec, beside reading and writing them twice",
     "dstmprj", bench_outofcore},
    {"records", "sort a file of records of several kinds, beside its ceilings", "dsmprj",
     bench_records},
    {"sort", "sort a file, in memory and spilled, beside its ceilings", "dstmprj", bench_sort},
    {"verbs", "aggregate, check, top and merge, beside the transfers they need", "dstprj",
     bench_verbs},
    {"verify", "sort a file with and without all that verifies, in memory and spilled", "dstmprj",
     bench_verify},
};
#define COMMAND_COUNT (sizeof commands / sizeof commands[0])

enum { OPTION_HELP = 256, OPTION_VERSION };

static const struct option options[] = {
    {"dir", required_argument, NULL, 'd'},
    {"size", required_argument, NULL, 's'},
    {"type", required_argument, NULL, 't'},
    {"memory", required_argument, NULL, 'm'},
    {"parallel", required_argument, NULL, 'p'},
    {"repeat", required_argument, NULL, 'r'},
    {"json", no_argument, NULL, 'j'},
    {"help", no_argument, NULL, OPTION_HELP},
    {"version", no_argument, NULL, OPTION_VERSION},
    {0},
};

static const char help_options[] =
    "\n"
    "      --dir DIR        disk, sort, records, verbs, verify, outofcore: where temporary files\n"
    "                       go; default: this directory\n"
    "      --size SIZE      bytes of one measurement, or with K M G T; default 1G\n"
    "      --type T         sort, verbs, verify, outofcore, kernels, ladder: elements, a type of\n"
    "                       gsort; default u64\n"
    "      --memory SIZE    sort, records, verify: memory of the sort that spills; default a "
    "quarter\n"
    "                       of --size\n"
    "                       outofcore: memory of the sorts by size; default an eighth\n"
    "      --parallel N     memory, sort, records, verbs, verify, outofcore: threads; default: as "
    "many\n"
    "                       as processors\n"
    "      --repeat N       measurements of each case; default 5\n"
    "      --json           the report as JSON\n"
    "      --help           show this and exit\n"
    "      --version        show the version and exit\n"
    "\n"
    "Speeds are decimal GB/s, median, least and most. Exit status: 0 done, 2 usage, 3 failed,\n"
    "4 gsort's output is wrong.\n";

__attribute__((format(printf, 1, 2), noreturn, cold)) static void usage_error(const char *format,
                                                                              ...)
{
    fputs("gsort-bench: ", stderr);
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(EXIT_USAGE);
}

static int flush_output(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return EXIT_SUCCESS;
    perror("gsort-bench: standard output: cannot write");
    return EXIT_IO;
}

__attribute__((noreturn)) static void show_help(void)
{
    puts("Usage: gsort-bench COMMAND [OPTION]...\n"
         "Measure what this machine can do at best, and gsort beside it.\n");
    for (size_t c = 0; c < COMMAND_COUNT; c++)
        printf("  %-20s %s\n", commands[c].name, commands[c].text);
    fputs(help_options, stdout);
    exit(flush_output());
}

static const struct command *find_command(const char *name)
{
    for (size_t c = 0; c < COMMAND_COUNT; c++)
        if (strcmp(name, commands[c].name) == 0)
            return &commands[c];
    usage_error("'%s' is not a command; --help shows them", name);
}

static uint32_t parse_count(const char *option, const char *text, uint32_t high)
{
    char *end;
    unsigned long number = strtoul(text, &end, 10);
    if (!isdigit((unsigned char)text[0]) || *end != '\0' || number < 1 || number > high)
        usage_error("--%s: '%s' is not a whole number from 1 to %u", option, text, high);
    return (uint32_t)number;
}

static void parse_option(struct bench_settings *settings, int option)
{
    switch (option) {
    case 'd':
        settings->directory = optarg;
        break;
    case 's':
        if (!gs_size_parse(optarg, 0, &settings->size_bytes) || settings->size_bytes == 0 ||
            settings->size_bytes % SIZE_UNIT != 0 || settings->size_bytes > INT64_MAX)
            usage_error("--size: '%s' is not a size in multiples of %u bytes", optarg, SIZE_UNIT);
        break;
    case 't':
        settings->type = optarg;
        break;
    case 'm':
        if (!gs_size_parse(optarg, 0, &settings->memory_bytes) || settings->memory_bytes == 0)
            usage_error("--memory: '%s' is not a size like 512M", optarg);
        break;
    case 'p':
        settings->thread_count = parse_count("parallel", optarg, 1024);
        break;
    case 'r':
        settings->repeat_count = parse_count("repeat", optarg, BENCH_REPEATS_MAX);
        break;
    case 'j':
        settings->is_json = true;
        break;
    case OPTION_HELP:
        show_help();
    case OPTION_VERSION:
        puts("gsort-bench " GSORT_VERSION);
        exit(flush_output());
    default:
        exit(EXIT_USAGE); /* getopt_long has said why */
    }
}

static struct bench_settings parse(int argc, char **argv, const struct command **command)
{
    struct bench_settings settings = {.directory = ".",
                                      .type = "u64",
                                      .size_bytes = (uint64_t)1 << 30,
                                      .repeat_count = 5,
                                      .thread_count = gs_processor_count()};
    char taken[16] = "";
    int option, option_idx;
    while ((option = getopt_long(argc, argv, "", options, &option_idx)) != -1) {
        if (isalpha(option) && strchr(taken, option) == NULL)
            taken[strlen(taken)] = (char)option;
        parse_option(&settings, option);
    }
    if (optind == argc)
        usage_error("which command? --help shows them");
    *command = find_command(argv[optind]);
    if (optind + 1 < argc)
        usage_error("'%s': %s takes no operands", argv[optind + 1], (*command)->name);
    for (size_t o = 0; options[o].name != NULL; o++)
        if (strchr(taken, options[o].val) != NULL &&
            strchr((*command)->options, options[o].val) == NULL)
            usage_error("--%s means nothing to %s", options[o].name, (*command)->name);
    return settings;
}

/* The command line as it was given, for the report. */
static char *join_arguments(int argc, char **argv)
{
    size_t bytes = 1;
    for (int a = 0; a < argc; a++)
        bytes += strlen(argv[a]) + 1;
    char *line = calloc(bytes, 1), *end = line;
    for (int a = 0; line != NULL && a < argc; a++)
        end += sprintf(end, "%s%s", a > 0 ? " " : "", argv[a]);
    return line;
}

int main(int argc, char **argv)
{
    char *line = join_arguments(argc, argv); /* before getopt_long moves them */
    const struct command *command;
    struct bench_settings settings = parse(argc, argv, &command);
    struct bench_report *report = calloc(1, sizeof *report);
    if (line == NULL || report == NULL) {
        fputs("gsort-bench: out of memory\n", stderr);
        return EXIT_IO;
    }
    struct gs_error error = {0};
    enum gs_status status = command->run(&settings, report, &error);
    int exit_code = gs_status_exit_code(status);
    if (status == GS_OK) {
        bench_print(report, line, settings.is_json);
        exit_code = flush_output();
    } else {
        fprintf(stderr, "gsort-bench: %s\n", error.text);
    }
    free(report);
    free(line);
    return exit_code;
}
