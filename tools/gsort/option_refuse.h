/* option_refuse.h: options as they were typed, and what is wrong with those that are none. */
#ifndef GSORT_OPTION_REFUSE_H
#define GSORT_OPTION_REFUSE_H

#include "gsort.h"
#include "option_table.h"

#define OPTION_TYPED_BYTES 32

/* option_typed: "-S" or "--memory", by what getopt_long returned. */
void option_typed(char typed[OPTION_TYPED_BYTES], int code, enum option_id id);

/* option_refuse: what getopt_long did not take: an option that does not exist (with the nearest one),
 * that is ambiguous (with the candidates), lacks its argument (with what it wants) or takes none.
 * in    code: what it returned
 *       given: the argument that it looked at
 * fails GS_E_USAGE, always */
enum gs_status option_refuse(int code, const char *given, struct gs_error *error);

#endif
