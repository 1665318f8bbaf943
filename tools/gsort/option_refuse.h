/* option_refuse.h: says what is wrong with an option as it was typed. */
#ifndef GSORT_OPTION_REFUSE_H
#define GSORT_OPTION_REFUSE_H

#include "gsort.h"

/* option_refuse: names what getopt_long did not take: an option that does not exist (with the
 * nearest one), is ambiguous (with the candidates), lacks its argument (with what it wants) or
 * takes none.
 * in    rows: the options that there are
 *       code: what it returned
 *       given: the argument that it looked at
 * fails GS_E_USAGE, always */
enum gs_status option_refuse(const struct gs_option *rows, int count, int code, const char *given,
                             struct gs_error *error);

#endif
