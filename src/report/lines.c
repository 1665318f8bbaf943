/* lines.c: lines that reports and plans share. */
#include "report/lines.h"

#include "base/checked.h"
#include "option/option.h"
#include "report/number.h"
#include "report/report_rows.h"

#include <inttypes.h>
#include <string.h>

void gsi_line(FILE *file, const char *name, const char *text)
{
    fprintf(file, GSI_LINE_NAME "%s\n", name, text);
}

void gsi_line_count(FILE *file, const char *name, uint64_t count)
{
    fprintf(file, GSI_LINE_NAME "%" PRIu64 "\n", name, count);
}

const char *gsi_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

void gsi_line_source(FILE *file, const struct gs_report *report)
{
    static const char *const texts[][2] = {{"option", "as asked"},
                                           {"npy header", "from the .npy header"},
                                           {"LAS header", "from the LAS header"},
                                           {"FITS header", "from the FITS header"},
                                           {"file name", "from the file name"},
                                           {"output name", "from the output's name"}};
    const char *text = "by default";
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (strcmp(report->element.type_source, texts[i][0]) == 0)
            text = texts[i][1];
    fputs(text, file);
    if (report->element.type_word != NULL &&
        strcmp(report->element.type_word, report->element.type) != 0)
        fprintf(file, " (%s)", report->element.type_word);
}

/* Times that all data are read and written: one if nothing was spilled; inputs that are sorted need
 * no pass to make runs of them. */
uint64_t gsi_pass_count(const struct gsi_plan *plan, uint64_t spilled_runs, uint32_t merge_passes)
{
    return 1 + (uint64_t)merge_passes + (spilled_runs > 0 && !plan->is_merge);
}

/* ---- lines of values ---- */

#define LINE_BYTES 8192 /* a list has 64 texts of 96 bytes at most */

/* A line as it grows. */
struct line {
    const struct gs_report *report;
    const char *prefix;
    char text[LINE_BYTES];
    size_t length;
};

static void put(struct line *line, const char *text)
{
    int length = snprintf(line->text + line->length, LINE_BYTES - line->length, "%s", text);
    line->length = gsi_min_u64(LINE_BYTES - 1, line->length + (size_t)length);
}

/* All values of a list. Returns whether there are any. */
static bool put_list(struct line *line, const char *path, uint64_t count)
{
    struct gsi_leaf leaf;
    for (uint64_t i = 0; i < count; i++) {
        char item[96];
        snprintf(item, sizeof item, "%s[%" PRIu64 "]", path, i);
        put(line, i > 0 ? ", " : "");
        put(line, gsi_leaf_find(line->report, item, &leaf) == GS_FOUND ? leaf.text : "");
    }
    return count > 0;
}

/* Puts the value that `name` says, of `bytes` letters. Returns whether that leaves the text. */
static bool put_value(struct line *line, const char *name, size_t bytes)
{
    char path[64], text[GSI_NUMBER_BYTES] = "";
    struct gsi_leaf leaf;
    snprintf(path, sizeof path, "%s%.*s", line->prefix, (int)bytes, name);
    char *how = strchr(path, '|');
    if (how != NULL)
        *how++ = '\0';
    if (gsi_leaf_find(line->report, path, &leaf) != GS_FOUND)
        return false;
    if (how == NULL) {
        if (leaf.kind == GSI_LEAF_LENGTH)
            return put_list(line, path, leaf.count);
        put(line, leaf.text);
        return true;
    }
    if (strcmp(how, "if") == 0 || strcmp(how, "no") == 0)
        return (leaf.count > 0) == (how[0] == 'i');
    if (strcmp(how, "many") == 0 || strcmp(how, "few") == 0)
        return (leaf.count > 1) == (how[0] == 'm');
    if (strcmp(how, "size") == 0)
        gsi_number_size(text, leaf.count);
    else if (strcmp(how, "time") == 0)
        gsi_number_duration(text, leaf.count);
    else if (strcmp(how, "s") == 0)
        put(line, gsi_plural(leaf.count));
    else
        snprintf(text, sizeof text, "%" PRIu64, how[0] == 'b' ? 8 * leaf.count : leaf.count);
    put(line, text);
    return true;
}

/* Returns whether there is such a line. */
static bool fill_in(struct line *line, const char *text)
{
    bool is_there = true;    /* the innermost part */
    size_t begun = SIZE_MAX; /* length before the brackets that are open */
    bool is_line = true;
    for (; *text != '\0'; text++) {
        char letter[2] = {*text};
        if (*text == '[') {
            begun = line->length;
        } else if (*text == ']') {
            line->length = is_there ? line->length : begun;
            is_there = true;
            begun = SIZE_MAX;
        } else if (*text == '{') {
            size_t bytes = strcspn(text + 1, "}");
            bool has_value = put_value(line, text + 1, bytes);
            is_there = is_there && has_value;
            is_line = is_line && (has_value || begun != SIZE_MAX);
            text += bytes + 1;
        } else {
            put(line, letter);
        }
    }
    line->text[line->length] = '\0';
    return is_line;
}

void gsi_lines(FILE *file, const struct gs_report *report, const char *prefix,
               const struct gsi_text_line *lines, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct line line = {.report = report, .prefix = prefix};
        if (fill_in(&line, lines[i].text))
            gsi_line(file, lines[i].name, line.text);
    }
}

/* ---- lines that reports and plans share ---- */

void gsi_line_range(FILE *file, const struct gs_report *report)
{
    static const struct gsi_text_line lines[] = {
        {"set", "{merge_set} of sorted files"},
        {"range", "{range.count} elements starting at element {range.first}, of {range.of}"},
        {"found", "{find.count} elements, starting at element {find.first} of the first file"},
        {"part", "{part.number} of {part.parts}, starting at element {part.first} of {part.of}"},
        {"into", "a file of {into.file_bytes} bytes, starting at byte {into.offset}"},
    };
    GSI_LINES(file, report, "", lines);
}

void gsi_line_written(FILE *file, const struct gs_report *report)
{
    static const struct gsi_text_line lines[] = {
        {"written", "[{written.is_positions|if}positions, u{written.bytes|bits}][{written.fields}]"
                    "; {written.sorted_bytes} bytes of each element are sorted"},
    };
    for (size_t i = 0; i < report->input.value_count; i++)
        gsi_line(file, i == 0 ? "values" : "", report->input.values[i]);
    GSI_LINES(file, report, "", lines);
}

const char *gsi_set_name(enum gsi_set set)
{
    const struct gs_choice *choice = gsi_choices_of_set;
    while (choice->word != NULL && choice->value != (int)set)
        choice++;
    return choice->word;
}
