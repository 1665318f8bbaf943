/* report_print.h: a report in the formats that there are. */
#ifndef GSI_REPORT_PRINT_H
#define GSI_REPORT_PRINT_H

#include "gsort.h"

void gsi_report_text(FILE *file, const struct gs_report *report);
void gsi_plan_text(FILE *file, const struct gs_report *report);
void gsi_report_json(FILE *file, const struct gs_report *report);
void gsi_plan_json(FILE *file, const struct gs_report *report);

#endif
