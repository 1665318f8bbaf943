/* output_names.h: whether the names of outputs say what is written to them. Later those names say
 * what is in there, to gsort too; named_type.h compares them with the inputs' names and headers. */
#ifndef GSI_OUTPUT_NAMES_H
#define GSI_OUTPUT_NAMES_H

#include "job/job.h"

/* gsi_spec_check_names: checks the names of outputs, once all is chosen. An output with a
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

#endif
