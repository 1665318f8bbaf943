/* join_reports.h: --join-reports: whether parts that several jobs wrote are one whole. */
#ifndef GSORT_JOIN_REPORTS_H
#define GSORT_JOIN_REPORTS_H

#include "gsort/command_line.h"

#include <stdio.h>

/* join_reports: reads the inputs of the command line: JSON reports of parts (--part), and perhaps
 * reports of the data that were split into these parts. Every part has to be there once, with the
 * elements that belong to it. Neighbours have to be in order. Counts, sums, extremes and
 * fingerprints of all parts have to be those of the other reports, if there are any. Prints one
 * report of the whole.
 * fails GS_E_VERIFY: they are no whole; GS_E_INPUT: no reports; GS_E_MEMORY */
enum gs_status join_reports(const struct command_line *line, FILE *out, struct gs_error *error);

#endif
