/* bench_main.c: measures disks and processors with gsort's own parts, and then gsort, whose speed
 * is a part of theirs.
 *
 * To add a subcommand: one function (bench.h), one row in `commands`. */
#include "bench.h"

#include "common/option_row.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_USAGE 2
#define EXIT_IO    3
#define SIZE_UNIT  4096u /* direct I/O */

struct command {
    const char *name, *text;
    const char *options; /* option_letters of what it takes */
    enum gs_status (*run)(const struct bench_settings *settings, struct bench_report *report,
                          struct gs_error *error);
};

static const struct command commands[] = {
    {"disk", "write, read and copy a file by engine, block size and depth", "dsrj", bench_disk},
#ifdef GSORT_HAVE_CUDA
    {"kernels", "sort, merge and tally in a GPU's memory beside CUB", "strj", bench_kernels},
    {"fed", "merge runs on a GPU that are fed from the host, beside copies both ways", "srj",
     bench_fed},
    {"gpus", "copy to, from and between GPUs, and sort an array over 1, 2, 4 .. of them", "srj",
     bench_gpus},
    {"record-kernels", "sort records in a GPU's memory, by record and key, step by step", "srj",
     bench_record_kernels},
    {"ladder", "textbook kernels on a GPU, rung by rung, beside copy and CUB", "strj",
     bench_ladder},
#endif
    {"order", "sort a file that spills, by the order that is in it already", "dsmprj", bench_order},
    {"outofcore", "sort files by size, memory and codec, beside reading and writing them twice",
     "dstmprj", bench_outofcore},
    {"records", "sort a file of records of several kinds, beside its ceilings", "dsmprj",
     bench_records},
    {"scale", "sort in memory by 1, 2, 4 .. threads, and a quarter of --size to four times it",
     "dsprj", bench_scale},
    {"sort", "sort a file, in memory and spilled, beside its ceilings", "dstmprj", bench_sort},
    {"verbs", "aggregate, check, top and merge, beside the transfers they need", "dstprj",
     bench_verbs},
    {"verify", "sort a file, in memory and spilled, beside the checks that it does alone",
     "dstmprj", bench_verify},
};
#define COMMAND_COUNT (sizeof commands / sizeof commands[0])

enum {
    BENCH_DIR,
    BENCH_SIZE,
    BENCH_TYPE,
    BENCH_MEMORY,
    BENCH_PARALLEL,
    BENCH_REPEAT,
    BENCH_JSON,
    BENCH_PLOT,
    BENCH_HELP,
    BENCH_VERSION,
    OPTION_COUNT
};

/* Commands name the options that they accept by these letters. All commands accept the options
 * after these. */
static const char option_letters[] = "dstmprj";

static const struct gs_option options[OPTION_COUNT] = {
    [BENCH_DIR] = {"dir", 0, "DIR",
                   .help = "disk, sort, records, verbs, verify, outofcore, order,\n"
                           "scale: where temporary files go; default this directory"},
    [BENCH_SIZE] = {"size", 0, "SIZE",
                    .help = "bytes of one measurement, or with K M G T; default 1G"},
    [BENCH_TYPE] = {"type", 0, "T",
                    .help = "sort, verbs, verify, outofcore, kernels, ladder: elements,\n"
                            "a type of gsort; default u64"},
    [BENCH_MEMORY] = {"memory", 0, "SIZE",
                      .help = "sort, records, verify, order: memory of the sort that spills;\n"
                              "default a quarter of --size; outofcore: memory of the sorts\n"
                              "by size; default an eighth"},
    [BENCH_PARALLEL] = {"parallel", 0, "N",
                        .help = "sort, records, verbs, verify, outofcore, order, scale:\n"
                                "threads; default one per processor"},
    [BENCH_REPEAT] = {"repeat", 0, "N", .help = "measurements of each case; default 5"},
    [BENCH_JSON] = {"json", 0, NULL, .help = "the report as JSON"},
    [BENCH_PLOT] =
        {"plot", 0, "FILE",
         .help = "draw the report, too: .svg or .png; needs Python's libgsort\nand matplotlib"},
    [BENCH_HELP] = {"help", 0, NULL, .help = "show this and exit"},
    [BENCH_VERSION] = {"version", 0, NULL, .help = "show the version and exit"},
};

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
    putchar('\n');
    for (int o = 0; o < OPTION_COUNT; o++)
        option_row_print(stdout, &options[o], options[o].help);
    puts("\nSpeeds are decimal GB/s, median, least and most. Exit status: 0 done, 2 usage, 3 "
         "failed,\n"
         "4 gsort's output is wrong.");
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
    case BENCH_DIR:
        settings->directory = optarg;
        break;
    case BENCH_SIZE:
        if (!gs_size_parse(optarg, 0, &settings->size_bytes) || settings->size_bytes == 0 ||
            settings->size_bytes % SIZE_UNIT != 0 || settings->size_bytes > INT64_MAX)
            usage_error("--size: '%s' is not a size in multiples of %u bytes", optarg, SIZE_UNIT);
        break;
    case BENCH_TYPE:
        settings->type = optarg;
        break;
    case BENCH_MEMORY:
        if (!gs_size_parse(optarg, 0, &settings->memory_bytes) || settings->memory_bytes == 0)
            usage_error("--memory: '%s' is not a size like 512M", optarg);
        break;
    case BENCH_PARALLEL:
        settings->thread_count = parse_count("parallel", optarg, 1024);
        break;
    case BENCH_REPEAT:
        settings->repeat_count = parse_count("repeat", optarg, BENCH_REPEATS_MAX);
        break;
    case BENCH_JSON:
        settings->is_json = true;
        break;
    case BENCH_PLOT:
        if (!bench_plot_is_path(optarg))
            usage_error("--plot: '%s' does not end in .svg or .png", optarg);
        settings->plot = optarg;
        break;
    case BENCH_HELP:
        show_help();
    default:
        printf("gsort-bench %s\n", gs_version());
        exit(flush_output());
    }
}

static struct bench_settings parse(int argc, char **argv, const struct command **command)
{
    struct bench_settings settings = {.directory = ".",
                                      .type = "u64",
                                      .size_bytes = (uint64_t)1 << 30,
                                      .repeat_count = 5,
                                      .thread_count = gs_processor_count()};
    char letters[OPTION_LETTERS_BYTES(OPTION_COUNT)];
    struct option longs[OPTION_COUNT + 1];
    bool is_given[OPTION_COUNT] = {false};
    option_rows_getopt(options, OPTION_COUNT, letters, longs);
    for (int code; (code = getopt_long(argc, argv, letters + 1, longs, NULL)) != -1;) {
        int option = option_rows_find(options, OPTION_COUNT, code);
        if (option < 0)
            exit(EXIT_USAGE); /* getopt_long has said why */
        is_given[option] = true;
        parse_option(&settings, option);
    }
    if (optind == argc)
        usage_error("which command? --help shows them");
    *command = find_command(argv[optind]);
    if (optind + 1 < argc)
        usage_error("'%s': %s takes no operands", argv[optind + 1], (*command)->name);
    for (size_t o = 0; option_letters[o] != '\0'; o++)
        if (is_given[o] && strchr((*command)->options, option_letters[o]) == NULL)
            usage_error("--%s means nothing to %s", options[o].name, (*command)->name);
    if (settings.plot != NULL && !bench_plot_can())
        usage_error("--plot needs libgsort and matplotlib for python3, as pip install has them");
    return settings;
}

/* Joins the command line for the report. */
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
        if (settings.plot != NULL && !bench_plot(report, line, settings.plot))
            exit_code = EXIT_IO;
    } else {
        fprintf(stderr, "gsort-bench: %s\n", error.text);
    }
    free(report);
    free(line);
    return exit_code;
}
