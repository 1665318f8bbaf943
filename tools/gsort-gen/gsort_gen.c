/* gsort_gen.c: contains the program gsort-gen, which makes seeded test data of every distribution
 * and type.
 *
 * It parses options, opens the output, calls gen_write and commits. A file gets its name only when
 * it is complete (gs_output). */
#include "common/program.h"
#include "common/tool.h"
#include "gen_data.h"
#include "gen_options.h"
#include "gen_write.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define EXIT_USAGE  2
#define EXIT_IO     3
#define THREADS_MAX 1024 /* far above any use, far below what a mistyped number would start */

struct settings {
    const struct gen_distribution *distribution;
    struct gs_type type; /* without a name: none was said */
    uint64_t count, size_bytes, seed;
    bool has_count, has_size;
    uint32_t thread_count;
    const char *output; /* NULL: stdout */
};

__attribute__((format(printf, 1, 2), noreturn, cold)) static void usage_error(const char *format,
                                                                              ...)
{
    fputs("gsort-gen: ", stderr);
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(EXIT_USAGE);
}

static uint64_t parse_number(const char *option, const char *text, uint64_t low, uint64_t high)
{
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)text[0]) || *end != '\0' || errno != 0 || number < low ||
        number > high)
        usage_error("--%s: '%s' is not a whole number from %llu to %llu", option, text,
                    (unsigned long long)low, (unsigned long long)high);
    return number;
}

__attribute__((noreturn)) static void exit_after_print(void)
{
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("gsort-gen: standard output: cannot write");
        exit(EXIT_IO);
    }
    exit(EXIT_SUCCESS);
}

__attribute__((noreturn)) static void list_distributions(void)
{
    for (size_t d = 0; gen_distribution_name(d) != NULL; d++)
        printf("%-14s %s\n", gen_distribution_name(d), gen_distribution_text(d));
    exit_after_print();
}

__attribute__((noreturn)) static void show_help(void)
{
    puts("Usage: gsort-gen --dist=NAME (--count=N | --size=SIZE) [OPTION]...\n"
         "Write a seeded data set of numbers; the same options give the same bytes everywhere.\n");
    for (int o = 0; o < GEN_OPTION_COUNT; o++)
        option_row_print(stdout, &gen_options[o], gen_options[o].help);
    puts("\nThe output file appears when it is complete. Exit status: 0 done, 2 usage, 3 I/O.");
    exit_after_print();
}

static void parse_type(struct settings *settings)
{
    if (strcasecmp(optarg, "u8") == 0 || strcasecmp(optarg, "i8") == 0) {
        const char *sign = (optarg[0] | 0x20) == 'u' ? "u" : "";
        usage_error("--type: '%s' means 8 bits, but 8 bytes in NumPy; write %sint8 or %sint64",
                    optarg, sign, sign);
    }
    if (!gs_type_find(optarg, &settings->type) || !gen_type_is_known(&settings->type))
        usage_error("--type: '%s' is not one of " GEN_TYPES, optarg);
}

/* Takes the type from the output's name. Gives a note for .u8, because NumPy's u8 has 8 bytes. */
static void take_name(struct settings *settings)
{
    if (gs_type_of_file(settings->output, &settings->type) && settings->type.element_bytes == 1)
        fprintf(stderr, "gsort-gen: '%s': named as %s, of 8 bits; for 8 bytes use --type %.*s64\n",
                settings->output, settings->type.name, (int)strcspn(settings->type.name, "8"),
                settings->type.name);
}

static void parse_option(struct settings *settings, int option)
{
    switch (option) {
    case GEN_DIST:
        settings->distribution = gen_distribution_find(optarg);
        if (settings->distribution == NULL)
            usage_error("--dist: '%s' is not a distribution; --list shows them", optarg);
        break;
    case GEN_TYPE:
        parse_type(settings);
        break;
    case GEN_COUNT:
        settings->count = parse_number("count", optarg, 0, UINT64_MAX);
        settings->has_count = true;
        break;
    case GEN_SIZE:
        if (!gs_size_parse(optarg, 0, &settings->size_bytes))
            usage_error("--size: '%s' is not a size: bytes, or a number with K, M, G or T", optarg);
        settings->has_size = true;
        break;
    case GEN_SEED:
        settings->seed = parse_number("seed", optarg, 0, UINT64_MAX);
        break;
    case GEN_PARALLEL:
        settings->thread_count = (uint32_t)parse_number("parallel", optarg, 1, THREADS_MAX);
        break;
    case GEN_OUTPUT:
        settings->output = optarg;
        break;
    case GEN_LIST:
        list_distributions();
    case GEN_HELP:
        show_help();
    default:
        printf("gsort-gen %s\n", gs_version());
        exit_after_print();
    }
}

static struct settings parse(int argc, char **argv)
{
    struct settings settings = {.seed = 1};
    char letters[OPTION_LETTERS_BYTES(GEN_OPTION_COUNT)];
    struct option longs[GEN_OPTION_COUNT + 1];
    option_rows_getopt(gen_options, GEN_OPTION_COUNT, letters, longs);
    for (int code; (code = getopt_long(argc, argv, letters + 1, longs, NULL)) != -1;) {
        int option = option_rows_find(gen_options, GEN_OPTION_COUNT, code);
        if (option < 0)
            exit(EXIT_USAGE); /* getopt_long has said why */
        parse_option(&settings, option);
    }
    if (optind < argc)
        usage_error("'%s': unexpected argument; name the output file with -o", argv[optind]);
    if (settings.distribution == NULL)
        usage_error("--dist is missing; --list shows the distributions");
    if (settings.has_count == settings.has_size)
        usage_error("give either --count or --size");
    if (settings.output != NULL && strcmp(settings.output, "-") == 0)
        settings.output = NULL;
    if (settings.type.name == NULL && settings.output != NULL)
        take_name(&settings);
    if (settings.type.name == NULL)
        gs_type_find("u64", &settings.type);
    if (!gen_type_is_known(&settings.type))
        usage_error("--type: the output is named as %s, which gsort-gen cannot make; give --type",
                    settings.type.name);
    uint32_t unit = settings.type.element_bytes;
    if (settings.has_size && settings.size_bytes % unit != 0)
        usage_error("--size: %llu bytes are not a whole number of %s elements (%u bytes each)",
                    (unsigned long long)settings.size_bytes, settings.type.name, unit);
    if (settings.has_size)
        settings.count = settings.size_bytes / unit;
    if (settings.count > INT64_MAX / unit)
        usage_error("--%s: more than a file can hold", settings.has_size ? "size" : "count");
    settings.size_bytes = settings.count * unit;
    return settings;
}

static atomic_int caught_signal;

static void catch_signal(int number)
{
    atomic_store(&caught_signal, number);
}

/* The first signal cancels the write, so that a file with a temporary name is removed; the second
 * one kills at once. Signals that were ignored stay ignored. */
static void catch_signals(void)
{
    const int numbers[] = {SIGHUP, SIGINT, SIGTERM};
    for (size_t s = 0; s < sizeof numbers / sizeof numbers[0]; s++) {
        struct sigaction action = {.sa_handler = catch_signal, .sa_flags = (int)SA_RESETHAND};
        struct sigaction before;
        if (sigaction(numbers[s], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(numbers[s], &action, NULL);
    }
}

static void die_by_signal(int number)
{
    signal(number, SIG_DFL);
    raise(number);
}

static enum gs_status generate(const struct settings *settings, struct gs_error *error)
{
    struct gen_set set =
        gen_set_make(settings->distribution, &settings->type, settings->seed, settings->count);
    uint32_t thread_count = settings->thread_count;
    if (thread_count == 0)
        thread_count = (uint32_t)min_u64(gs_processor_count(), THREADS_MAX);
    gs_output *output;
    enum gs_status status = GS_OK;
    TRY(gs_output_open(settings->output, &output, error));
    if (gs_output_is_file(output))
        catch_signals();
    TRY_OR(gs_output_reserve(output, settings->size_bytes, error), done);
    TRY_OR(gen_write(&set, output, thread_count, &caught_signal, error), done);
    TRY_OR(gs_output_commit(output, settings->size_bytes, error), done);
done:
    gs_output_close(output);
    return status;
}

static int run_program(int argc, char **argv)
{
    struct settings settings = parse(argc, argv);
    struct gs_error error = {0};
    enum gs_status status = generate(&settings, &error);
    if (status == GS_E_CANCELED)
        die_by_signal(atomic_load(&caught_signal));
    if (status != GS_OK && error.sys_errno == EPIPE)
        die_by_signal(SIGPIPE);
    if (status != GS_OK)
        fprintf(stderr, "gsort-gen: %s\n", error.text);
    return gs_status_exit_code(status);
}

int main(int argc, char **argv)
{
    return program_run(run_program, argc, argv);
}
