/* compile.h: compiles options and what was found out about the inputs: what is read, what is sorted
 * of it, and what is written. */
#ifndef GSI_COMPILE_H
#define GSI_COMPILE_H

#include "job/job.h"

#include <stdio.h>

/* gsi_spec_compile: compares options with the inputs, whose headers were read. Fills job->chosen
 * and job->output_spec, and cuts the inputs to the elements that are read. Afterwards these do not
 * change, but for the layout, which depends on the device. fails as the functions below; and where
 * a part of the inputs is chosen, as input/inputs.h,
 *       merge/find.h and merge/part.h */
enum gs_status gsi_spec_compile(struct gsi_job *job);

/* ---- elements.c ---- */

/* gsi_spec_elements: determines the elements from options, headers and names. Fills *chosen, and
 * what the report says about elements. The inputs' headers were read.
 * fails GS_E_USAGE: an option is wrong; or options, names and headers contradict each other;
 *       GS_E_INPUT: a header names a type that is not sorted */
enum gs_status gsi_spec_elements(const struct gsi_job *job, struct gsi_chosen *chosen,
                                 struct gs_report *report);

/* ---- payload.c ---- */

/* gsi_spec_payload: with --argsort, --out or --values, makes *chosen describe what is sorted
 * instead of its elements; chosen->entry_map says how to get there. The inputs were measured.
 * fails GS_E_USAGE: positions that do not fit, or fields that are not there */
enum gs_status gsi_spec_payload(const struct gsi_job *job, struct gsi_chosen *chosen,
                                struct gs_report *report);

/* ---- output_names.c ---- */

/* gsi_spec_check_names: checks the names of outputs, once all is chosen. They must say what is
 * written, because gsort, too, reads them later (input/named/named_type.h). An output with a
 * format's header is not named as a type of plain numbers. An output may be named as
 *     a type of the same width and byte order, where an option says what elements are
 *     an input is, where elements are written as they were read: the option is about both names
 *     integers as wide as positions, or numbers as wide as all fields of --out together
 * fails GS_E_USAGE: a name says something else */
enum gs_status gsi_spec_check_names(const struct gsi_job *job);

/* gsi_spec_check_format: checks that what is written can be done in the output's format, and that
 * the output's name promises no other.
 * fails GS_E_USAGE */
enum gs_status gsi_spec_check_format(const struct gsi_job *job);

/* ---- type_note.c ---- */

/* gsi_spec_note: once nothing can be refused any more: notes what was assumed of the elements, if
 * there are any (a plan says so itself). */
void gsi_spec_note(const struct gsi_job *job);

/* ---- settings.c ---- */

/* gsi_spec_put_settings: writes names and values of settings, each with a NUL after it, for the
 * journal of --resume. They are the settings that affect the output or the plan. A sort that is
 * continued must have the same settings.
 * in    job: a struct gsi_job */
void gsi_spec_put_settings(const void *job, FILE *to);

#endif
