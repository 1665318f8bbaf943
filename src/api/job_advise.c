/* job_advise.c: commands made of what was given, in words that a shell takes. */
#include "api/handle.h"

#include "base/status.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The options that say how a file is sorted, and with what. */
static const enum gsi_option_id of_a_sort[] = {GSI_OPT_TYPE,      GSI_OPT_RECORD,  GSI_OPT_KEY,
                                               GSI_OPT_REVERSE,   GSI_OPT_NAN,     GSI_OPT_HEADER,
                                               GSI_OPT_DROP_TAIL, GSI_OPT_RAW,     GSI_OPT_MEMORY,
                                               GSI_OPT_TEMP_DIR,  GSI_OPT_PARALLEL};
#define OF_A_SORT (sizeof of_a_sort / sizeof of_a_sort[0])

/* A line that is being written; is_whole: all of it has fitted so far. */
struct line {
    char text[sizeof((struct gs_error *)0)->text];
    size_t bytes;
    bool is_whole;
};

static void put_byte(struct line *line, char byte)
{
    line->is_whole = line->is_whole && line->bytes + 1 < sizeof line->text;
    if (line->is_whole)
        line->text[line->bytes++] = byte;
}

static void put(struct line *line, const char *text)
{
    for (; *text != '\0'; text++)
        put_byte(line, *text);
}

/* Appends `before` and the word, in quotes if a shell would read it as something else. */
static void put_word(struct line *line, const char *before, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_./:,=+@%";
    bool is_plain = word[0] != '\0' && word[strspn(word, plain)] == '\0';
    put(line, before);
    if (!is_plain)
        put(line, "'");
    for (; *word != '\0'; word++)
        if (*word == '\'')
            put(line, "'\\''");
        else
            put_byte(line, *word);
    if (!is_plain)
        put(line, "'");
}

static void put_option(struct line *line, const struct gs_job *job, enum gsi_option_id id)
{
    const struct gs_option *option = &gsi_option_rows[id].option;
    const struct gsi_given *given = &job->given[id];
    for (size_t i = 0; i < given->count + (given->text != NULL); i++) {
        bool goes_on = option->is_split && i > 0; /* in the list that the line takes at once */
        if (!goes_on) {
            put(line, " --");
            put(line, option->name);
        }
        if (option->argument != NULL)
            put_word(line, goes_on ? "," : "=", i < given->count ? given->list[i] : given->text);
    }
}

/* A name that begins with a dash is that of a file, too; a dash alone is standard input. */
static void put_file(struct line *line, const char *name)
{
    put_word(line, name[0] == '-' && name[1] != '\0' ? " ./" : " ", name);
}

/* The name of what is sorted of a file: "b.sorted.u64" of "b.u64", whose ending may say its type.
 * false: it is too long, or there is such a file. */
static bool name_sorted(const char *name, char *sorted, size_t size)
{
    const char *base = strrchr(name, '/') != NULL ? strrchr(name, '/') + 1 : name;
    const char *ending = strrchr(base, '.');
    if (ending == NULL || ending == base)
        ending = base + strlen(base);
    int bytes = snprintf(sorted, size, "%.*s.sorted%s", (int)(ending - name), name, ending);
    return bytes > 0 && (size_t)bytes < size && access(sorted, F_OK) != 0;
}

void gsi_job_advise(const struct gs_job *job, const struct gsi_options *options,
                    const struct gs_report *report, struct gs_error *error)
{
    const struct gsi_given *inputs = &job->given[GSI_OPT_INPUT];
    const char *output = job->given[GSI_OPT_OUTPUT].text;
    struct gs_error advised = {0};
    struct line line = {.is_whole = true};
    char sorted[1024];
    struct stat info;
    if (report->set.unsorted_input == 0 || report->set.unsorted_input > inputs->count ||
        job->readers != NULL || job->writer.write != NULL || options->has_region)
        return; /* of a region another file is made than the others are */
    const char *unsorted = inputs->list[report->set.unsorted_input - 1];
    if (stat(unsorted, &info) != 0 || !S_ISREG(info.st_mode) ||
        !name_sorted(unsorted, sorted, sizeof sorted))
        return;
    put(&line, error->text);
    put(&line, ": gsort");
    for (size_t i = 0; i < OF_A_SORT; i++)
        put_option(&line, job, of_a_sort[i]);
    put_file(&line, unsorted);
    put(&line, " -o");
    put_file(&line, sorted);
    put(&line, "; then gsort");
    for (int i = 0; i < GSI_OPT_COUNT; i++)
        if (i != GSI_OPT_INPUT && i != GSI_OPT_OUTPUT)
            put_option(&line, job, (enum gsi_option_id)i);
    if (options->merge_is_counted)
        put(&line, " --stats-only");
    for (size_t i = 0; i < inputs->count; i++)
        put_file(&line, i + 1 == report->set.unsorted_input ? sorted : inputs->list[i]);
    if (output != NULL) {
        put(&line, " -o");
        put_file(&line, output);
    }
    /* A name that no message may hold would be another file's. */
    gsi_fail(&advised, error->status, error->sys_errno, "%s", line.text);
    if (line.is_whole && strcmp(advised.text, line.text) == 0)
        *error = advised;
}
