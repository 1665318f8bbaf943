/* help.c: prints help from the texts in src/option/options.md. -h prints the short line of each
 * everyday option. Plain --help prints the first sentence of each option of the topic "everyday".
 * Other topics print whole paragraphs. */
#include "help.h"

#include "common/option_row.h"

#include <string.h>

#define SENTENCE_BYTES 256

static const char usage[] =
    "Usage: gsort [OPTION]... [FILE]... [-o OUT]\n"
    "Sort huge files of binary numbers or records, larger than memory too, and report\n"
    "exact aggregates. With no FILE, or when FILE is -, read standard input.\n";

static const char examples[] =
    "\nExamples\n"
    "  gsort prices.f64 -o sorted.f64 --stats        floats; min, max, sum\n"
    "  gsort -S 2G huge.i64 -o huge.i64              in place, in 2 GiB of memory\n"
    "  gsort -R 24 -k 8:u32 -k 16:f64:desc x -o y    records by two keys\n";

static const char exit_status[] =
    "\nExit status: 0 done; 1 -c found disorder; 2 usage or bad input; 3 I/O, space or\n"
    "device; 4 verification failed. A signal ends with that signal.\n";

static void print_short(const struct command_line *line, FILE *out)
{
    fprintf(out, "%s\n", usage);
    for (int i = 0; i < line->row_count; i++)
        if (line->rows[i].daily != NULL && !line->rows[i].is_hidden)
            option_row_print(out, &line->rows[i], line->rows[i].daily);
    fputs(examples, out);
}

static bool belongs_to(const struct gs_option *row, const char *topic)
{
    char word[32];
    const struct help_option *option = help_options;
    while (option->name != NULL && strcmp(option->name, row->name) != 0)
        option++;
    snprintf(word, sizeof word, " %s ", topic);
    return option->name != NULL && strstr(option->topics, word) != NULL;
}

/* Copies the first sentence of a text without its period. */
static void copy_sentence(char sentence[SENTENCE_BYTES], const char *text)
{
    const char *end = strchr(text, '.');
    while (end != NULL && end[1] != '\0' && end[1] != ' ' && end[1] != '\n')
        end = strchr(end + 1, '.');
    snprintf(sentence, SENTENCE_BYTES, "%.*s", end != NULL ? (int)(end - text) : SENTENCE_BYTES,
             text);
}

/* The options of a topic under their headings. */
static void print_options(const struct command_line *line, const char *topic, FILE *out)
{
    char sentence[SENTENCE_BYTES];
    const char *group = "";
    bool is_all = strcmp(topic, "all") == 0, is_brief = strcmp(topic, "everyday") == 0;
    for (int i = 0; i < line->row_count; i++) {
        const struct gs_option *row = &line->rows[i];
        if (row->is_hidden || (!is_all && !belongs_to(row, topic)))
            continue;
        if (strcmp(row->group, group) != 0)
            fprintf(out, "\n%s\n", row->group);
        group = row->group;
        copy_sentence(sentence, row->help);
        option_row_print(out, row, is_brief ? sentence : row->help);
    }
}

static void print_topics(FILE *out)
{
    fputs("\nMore: gsort --help=TOPIC\n", out);
    for (const struct help_topic *topic = help_topics; topic->word != NULL; topic++)
        if (strcmp(topic->word, "everyday") != 0)
            fprintf(out, "  %-10s %s\n", topic->word, topic->about);
}

static void print_topic(const struct command_line *line, const char *word, FILE *out)
{
    bool is_all = strcmp(word, "all") == 0, is_everyday = strcmp(word, "everyday") == 0;
    const struct help_topic *topic = help_topics;
    while (topic->word != NULL && strcmp(topic->word, word) != 0)
        topic++;
    if (is_all || is_everyday || topic->word == NULL)
        fputs(usage, out);
    else
        fprintf(out, "gsort --help=%s: %s\n", word, topic->about);
    print_options(line, word, out);
    if (is_everyday)
        print_topics(out);
    if (is_all || is_everyday)
        fputs(exit_status, out);
}

/* The manual's list of options. */
static void print_markdown(const struct command_line *line, FILE *out)
{
    const char *group = "";
    for (int i = 0; i < line->row_count; i++) {
        const struct gs_option *row = &line->rows[i];
        bool is_optional = row->argument != NULL && row->argument[0] == '[';
        if (row->is_hidden)
            continue;
        if (strcmp(row->group, group) != 0)
            fprintf(out, "%s### %s\n\n| option | meaning |\n|---|---|\n", i > 0 ? "\n" : "",
                    row->group);
        group = row->group;
        fputs("| ", out);
        if (row->letter != 0)
            fprintf(out, "`-%c`, ", row->letter);
        fprintf(out, "`--%s%s%s` | %s |\n", row->name,
                row->argument == NULL || is_optional ? "" : "=",
                row->argument == NULL ? "" : row->argument, row->manual);
    }
}

void help_print(const struct command_line *line, FILE *out)
{
    const char *word = command_line_given(line, "help");
    if (line->wants_daily_help)
        print_short(line, out);
    else if (strcmp(word, "markdown") == 0)
        print_markdown(line, out);
    else
        print_topic(line, word, out);
}
