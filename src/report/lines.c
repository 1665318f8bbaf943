/* lines.c: lines that reports and plans share. */
#include "report/lines.h"

#include "option/option.h"
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

/* What said the type, and how, if that was another word than gsort's. */
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
        if (strcmp(report->type_source, texts[i][0]) == 0)
            text = texts[i][1];
    fputs(text, file);
    if (report->type_word != NULL && strcmp(report->type_word, report->type) != 0)
        fprintf(file, " (%s)", report->type_word);
}

/* Times that all data are read and written: one if nothing was spilled; inputs that are sorted need
 * no pass to make runs of them. */
uint64_t gsi_pass_count(const struct gsi_plan *plan, uint64_t spilled_runs, uint32_t merge_passes)
{
    return 1 + (uint64_t)merge_passes + (spilled_runs > 0 && !plan->is_merge);
}

/* Conditions of --where. */
void gsi_line_where(FILE *file, const struct gs_report *report, const char *name)
{
    for (size_t i = 0; i < report->where_count; i++)
        fprintf(file, i == 0 ? GSI_LINE_NAME "%s" : "%s%s", i == 0 ? name : ", ", report->where[i]);
}

/* Which of the inputs' elements are read. */
void gsi_line_range(FILE *file, const struct gs_report *report)
{
    if (report->merge_set != GSI_SET_NONE)
        fprintf(file, GSI_LINE_NAME "%s of sorted files\n", "set", gsi_set_name(report->merge_set));
    if (report->has_range)
        fprintf(file,
                GSI_LINE_NAME "%" PRIu64 " elements starting at element %" PRIu64 ", of %" PRIu64
                              "\n",
                "range", report->range_count, report->range_first, report->range_of);
    if (report->has_find)
        fprintf(file,
                GSI_LINE_NAME "%" PRIu64 " elements, starting at element %" PRIu64
                              " of the first file\n",
                "found", report->find_count, report->find_first);
    if (report->part_count > 0)
        fprintf(file,
                GSI_LINE_NAME "%" PRIu32 " of %" PRIu32 ", starting at element %" PRIu64
                              " of %" PRIu64 "\n",
                "part", report->part_number, report->part_count, report->part_first,
                report->part_of);
    if (report->has_place)
        fprintf(file, GSI_LINE_NAME "a file of %" PRIu64 " bytes, starting at byte %" PRIu64 "\n",
                "into", report->place_of, report->place_off);
}

void gsi_line_written(FILE *file, const struct gs_report *report)
{
    for (size_t i = 0; i < report->value_count; i++)
        fprintf(file, GSI_LINE_NAME "%s\n", i == 0 ? "values" : "", report->values[i]);
    if (report->written_bytes == 0)
        return;
    fprintf(file, GSI_LINE_NAME, "written");
    if (report->has_positions)
        fprintf(file, "positions, u%" PRIu32, 8 * report->written_bytes);
    for (size_t i = 0; i < report->out_count; i++)
        fprintf(file, "%s%s", i > 0 ? ", " : "", report->out[i]);
    fprintf(file, "; %" PRIu32 " bytes of each element are sorted\n", report->sorted_bytes);
}

const char *gsi_set_name(enum gsi_set set)
{
    const struct gs_choice *choice = gsi_choices_of_set;
    while (choice->word != NULL && choice->value != (int)set)
        choice++;
    return choice->word;
}
