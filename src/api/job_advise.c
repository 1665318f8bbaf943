/* job_advise.c: writes shell commands that repeat a job, from the options that the program set. */
#include "api/handle.h"

#include "base/status.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Options that the command for sorting one file repeats. */
static const enum gsi_option_id sort_options[] = {
    GSI_OPT_TYPE,   GSI_OPT_RECORD,   GSI_OPT_KEY,       GSI_OPT_REVERSE,
    GSI_OPT_NAN,    GSI_OPT_HEADER,   GSI_OPT_DROP_TAIL, GSI_OPT_RAW,
    GSI_OPT_MEMORY, GSI_OPT_TEMP_DIR, GSI_OPT_PARALLEL};
#define SORT_OPTION_COUNT (sizeof sort_options / sizeof sort_options[0])

/* A line of text that is being written; is_whole: all of it has fitted so far. */
struct line {
    char text[sizeof((struct gs_error *)0)->text];
    size_t bytes;
    bool fits;
};

static void append_byte(struct line *line, char byte)
{
    line->fits = line->fits && line->bytes + 1 < sizeof line->text;
    if (line->fits)
        line->text[line->bytes++] = byte;
}

static void append_text(struct line *line, const char *text)
{
    for (; *text != '\0'; text++)
        append_byte(line, *text);
}

/* Appends `before` and the word. Quotes the word if it contains characters that a shell
 * interprets. */
static void append_quoted(struct line *line, const char *before, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_./:,=+@%";
    bool is_plain = word[0] != '\0' && word[strspn(word, plain)] == '\0';
    append_text(line, before);
    if (!is_plain)
        append_text(line, "'");
    for (; *word != '\0'; word++)
        if (*word == '\'')
            append_text(line, "'\\''");
        else
            append_byte(line, *word);
    if (!is_plain)
        append_text(line, "'");
}

static void append_option(struct line *line, const struct gs_job *job, enum gsi_option_id id)
{
    const struct gs_option *option = &gsi_option_rows[id].option;
    const struct gsi_given_texts *given = &job->given[id];
    for (size_t i = 0; i < given->count + (given->text != NULL); i++) {
        bool is_continued = option->is_split && i > 0; /* a comma separates it from the value
                                                        * before */
        if (!is_continued) {
            append_text(line, " --");
            append_text(line, option->name);
        }
        if (option->argument != NULL)
            append_quoted(line, is_continued ? "," : "=",
                          i < given->count ? given->list[i] : given->text);
    }
}

/* Writes ./ before a file name that begins with a dash. A dash alone is standard input. */
static void append_file_name(struct line *line, const char *name)
{
    append_quoted(line, name[0] == '-' && name[1] != '\0' ? " ./" : " ", name);
}

/* Makes the name of the sorted file: "b.sorted.u64" for "b.u64". It keeps the ending, which may
 * name the type. Returns false if the name is too long, or such a file exists. */
static bool make_sorted_name(const char *name, char *sorted, size_t size)
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
    const struct gsi_given_texts *inputs = &job->given[GSI_OPT_INPUT];
    const char *output = job->given[GSI_OPT_OUTPUT].text;
    struct gs_error advised = {0};
    struct line line = {.fits = true};
    char sorted[1024];
    struct stat info;
    if (report->set.unsorted_input == 0 || report->set.unsorted_input > inputs->count ||
        job->readers != NULL || job->writer.write != NULL || options->has_region)
        return; /* with --region, the sorted file would have another layout than the other inputs */
    const char *unsorted = inputs->list[report->set.unsorted_input - 1];
    if (stat(unsorted, &info) != 0 || !S_ISREG(info.st_mode) ||
        !make_sorted_name(unsorted, sorted, sizeof sorted))
        return;
    append_text(&line, error->text);
    append_text(&line, ": gsort");
    for (size_t i = 0; i < SORT_OPTION_COUNT; i++)
        append_option(&line, job, sort_options[i]);
    append_file_name(&line, unsorted);
    append_text(&line, " -o");
    append_file_name(&line, sorted);
    append_text(&line, "; then gsort");
    for (int i = 0; i < GSI_OPT_COUNT; i++)
        if (i != GSI_OPT_INPUT && i != GSI_OPT_OUTPUT)
            append_option(&line, job, (enum gsi_option_id)i);
    if (options->merge_is_counted)
        append_text(&line, " --stats-only");
    for (size_t i = 0; i < inputs->count; i++)
        append_file_name(&line, i + 1 == report->set.unsorted_input ? sorted : inputs->list[i]);
    if (output != NULL) {
        append_text(&line, " -o");
        append_file_name(&line, output);
    }
    /* gsi_fail changes unusual characters of file names. Then the commands would name other
     * files. */
    gsi_fail(&advised, error->status, error->sys_errno, "%s", line.text);
    if (line.fits && strcmp(advised.text, line.text) == 0)
        *error = advised;
}
