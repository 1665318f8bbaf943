/* report_print.c: a report into a FILE or a string, in any format. */
#include "report/report_print.h"

#include <stdlib.h>

void gs_report_print(const struct gs_report *report, FILE *file, enum gs_format format)
{
    static void (*const printers[])(FILE * file, const struct gs_report *report) = {
        [GS_FORMAT_TEXT] = gsi_report_text,
        [GS_FORMAT_JSON] = gsi_report_json,
        [GS_FORMAT_PLAN_TEXT] = gsi_plan_text,
        [GS_FORMAT_PLAN_JSON] = gsi_plan_json,
    };
    if (report != NULL && (size_t)format < sizeof printers / sizeof printers[0])
        printers[format](file, report);
}

char *gs_report_string(const struct gs_report *report, enum gs_format format)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = report != NULL ? open_memstream(&text, &bytes) : NULL;
    if (file == NULL)
        return NULL;
    gs_report_print(report, file, format);
    bool is_whole = ferror(file) == 0;
    if (fclose(file) == 0 && is_whole)
        return text;
    free(text);
    return NULL;
}

void gs_string_free(char *text)
{
    free(text);
}
