/* option_refuse.h: says what is wrong with an option as it was typed. */
#ifndef GSORT_OPTION_REFUSE_H
#define GSORT_OPTION_REFUSE_H

#include "gsort.h"

/* option_refuse: names the option that getopt_long refused. It also names the nearest option if
 * there is no such one, and the candidates if it is ambiguous. It says whether an argument is
 * missing or not accepted.
 * in    rows: the options that there are
 *       code: what it returned
 *       given: the argument that it looked at
 * fails GS_E_USAGE, always */
enum gs_status option_refuse(const struct gs_option *rows, int count, int code, const char *given,
                             struct gs_error *error);

#endif
