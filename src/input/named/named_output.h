/* named_output.h: whether the names of outputs say what is written to them. Later those names say
 * what is in there, to gsort too; named_type.h compares them with the inputs' names and headers. */
#ifndef GSI_NAMED_OUTPUT_H
#define GSI_NAMED_OUTPUT_H

#include "input/choose.h"

/* gsi_named_output_check: checks the names of outputs, once all is chosen. An output with a
 * format's header is not named as a type of plain numbers. An output may be named as
 *     a type of the same width and byte order, where an option says what elements are
 *     an input is, where elements are written as they were read: the option is about both names
 *     integers as wide as positions, or numbers as wide as all fields of --out together
 * in    paths: of all inputs
 * fails GS_E_USAGE: a name says something else */
enum gs_status gsi_named_output_check(const struct gsi_inputs *inputs,
                                      const struct gsi_chosen *chosen, const char *const *paths);

#endif
