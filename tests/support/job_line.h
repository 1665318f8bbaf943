/* job_line.h: prints a job's options as a command line, so that a failing test can show its job.
 * It leaves out an input that callbacks read, because no option says that. */
#ifndef JOB_LINE_H
#define JOB_LINE_H

#include "option/option.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct job_line {
    char text[4096];
    size_t length;
};

__attribute__((format(printf, 2, 3))) static inline void job_line_add(struct job_line *line,
                                                                      const char *format, ...)
{
    va_list list;
    size_t room = sizeof line->text - line->length;
    va_start(list, format);
    int length = vsnprintf(line->text + line->length, room, format, list);
    va_end(list);
    line->length += (size_t)length < room ? (size_t)length : room - 1;
}

/* With the quotes that a shell needs; no text of a test has a quote in it. */
static inline void job_line_text(struct job_line *line, const char *before, const char *text)
{
    bool is_plain = text[0] != '\0' && strpbrk(text, " '\"\\$<>&|;*?()[]{}!#~`\t\n") == NULL;
    job_line_add(line, is_plain ? "%s%s" : "%s'%s'", before, text);
}

static inline const char *job_line_word(const struct gs_choice *choices, int value)
{
    const struct gs_choice *choice = choices;
    while (choice->word != NULL && choice->value != value)
        choice++;
    return choice->word != NULL ? choice->word : "?";
}

static inline void job_line_list(struct job_line *line, const char *name, const char *const *texts,
                                 size_t count)
{
    for (size_t i = 0; i < count; i++) {
        job_line_add(line, " --%s", name);
        job_line_text(line, "=", texts[i]);
    }
}

/* Options that set more than one member. */
static inline void job_line_other(struct job_line *line, const struct gsi_options *options)
{
    if (options->merge)
        job_line_add(line, " --merge=%s",
                     job_line_word(gsi_choices_of_set, (int)options->merge_set));
    if (options->has_region)
        job_line_add(line, " --region %" PRIu64 ":%" PRIu64, options->region_off,
                     options->region_bytes);
    if (options->has_range)
        job_line_add(line, " --range %" PRIu64 ":%" PRIu64, options->range_first,
                     options->range_count);
    if (options->part_count > 0)
        job_line_add(line, " --part %" PRIu32 "/%" PRIu32, options->part_number,
                     options->part_count);
    if (options->argsort)
        job_line_add(line, " --argsort=%s", options->index_bytes == 4 ? "u32" : "u64");
    if (options->has_top)
        job_line_add(line, " --top %" PRIu64, options->top_count);
    if (options->memory_bytes > 0)
        job_line_add(line, " --memory %" PRIu64, options->memory_bytes);
    if (options->device_set != 0)
        job_line_add(line, " --device cuda:all");
    else if (options->device != GSI_DEVICE_AUTO)
        job_line_add(line, " --device %s",
                     job_line_word(gsi_choices_of_device, (int)options->device));
}

static inline void job_line_row(struct job_line *line, const struct gsi_option_row *row,
                                const struct gsi_options *options)
{
    const char *name = row->option.name;
    const void *member = (const char *)options + row->off;
    const void *more = (const char *)options + row->more;
    int value = 0;
    uint32_t number = 0;
    uint64_t bytes = 0;
    size_t count = 0;
    const char *text = NULL;
    const char *const *texts = NULL;
    switch (row->kind) {
    case GSI_KIND_FLAG:
        if (*(const bool *)member)
            job_line_add(line, " --%s", name);
        break;
    case GSI_KIND_NUMBER:
        memcpy(&number, member, sizeof number);
        if (number != 0)
            job_line_add(line, " --%s=%" PRIu32, name, number);
        break;
    case GSI_KIND_SIZE:
        memcpy(&bytes, member, sizeof bytes);
        if (bytes != 0)
            job_line_add(line, " --%s %" PRIu64, name, bytes);
        break;
    case GSI_KIND_CHOICE:
        memcpy(&value, member, row->bytes == sizeof(bool) ? 1 : sizeof value);
        if (value == 0)
            break;
        job_line_add(line, " --%s=%s", name, job_line_word(row->option.choices, value));
        memcpy(&number, more, row->more > 0 ? sizeof number : 0);
        if (number != 0)
            job_line_add(line, ":%" PRIu32, number);
        break;
    case GSI_KIND_TEXT:
        memcpy(&text, member, sizeof text);
        job_line_list(line, name, &text, text != NULL);
        break;
    case GSI_KIND_LIST:
        memcpy(&texts, member, sizeof texts);
        memcpy(&count, more, sizeof count);
        job_line_list(line, name, texts, count);
        break;
    default:
        break;
    }
}

/* job_line_make: the job as a command line. */
static inline void job_line_make(struct job_line *line, const struct gsi_options *options)
{
    static const char *const verbs[] = {
        "", " --stats-only", " --check", " --explain", " --head=0", "", " --check --stats"};
    line->length = 0;
    job_line_add(line, "gsort%s", verbs[options->action]);
    for (int id = 0; id < GSI_OPT_COUNT; id++) {
        bool is_input = id == GSI_OPT_INPUT, is_index = id == GSI_OPT_INDEX;
        if (!is_input && !is_index && !(id == GSI_OPT_OUTPUT && options->into))
            job_line_row(line, &gsi_option_rows[id], options);
    }
    if (options->into)
        job_line_list(line, "into", &options->output, 1);
    job_line_other(line, options);
    for (size_t i = 0; i < options->input_count; i++)
        job_line_text(line, " ", options->inputs[i]);
}

#endif
