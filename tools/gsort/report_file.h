/* report_file.h: --stats=json:FILE: a report that goes to a file of its own. */
#ifndef GSORT_REPORT_FILE_H
#define GSORT_REPORT_FILE_H

#include "command_line.h"

/* report_file_open: before the job, so that what cannot be written is known at once. FILE is made
 * as every output, whole or not at all: gs_output_close without report_file_write leaves what was
 * there.
 * out   *file: NULL: no file is asked for
 * fails GS_E_USAGE: the job reads or writes that file; as gs_output_open does */
enum gs_status report_file_open(const struct command_line *line, gs_output **file,
                                struct gs_error *error);

/* report_file_write: the report, which takes its place then.
 * fails GS_E_MEMORY; as gs_output_write and gs_output_commit do */
enum gs_status report_file_write(gs_output *file, const gs_report *report, enum gs_format format,
                                 struct gs_error *error);

#endif
