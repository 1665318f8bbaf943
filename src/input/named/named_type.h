/* named_type.h: finds the type of numbers in the names of inputs and output (b.u64), and checks
 * that all names agree. These functions need no job. */
#ifndef GSI_NAMED_TYPE_H
#define GSI_NAMED_TYPE_H

#include "element/number_type.h"

/* The type that the names of files give. */
struct gsi_named_type {
    const struct gsi_type_word *word; /* NULL: no name gives a type */
    const char *path;                 /* of the file with that name */
    bool is_output;                   /* path is the output: no input's name gives a type */
};

/* gsi_named_type_find: finds the one type that all names give; "-" and NULL give none. The output's
 * name counts only if no input's name gives a type.
 * fails GS_E_USAGE: two names give different types, or a name gives a type that gsort cannot
 *       sort */
enum gs_status gsi_named_type_find(const char *const *inputs, size_t input_count,
                                   const char *output, struct gsi_named_type *named,
                                   struct gs_error *error);

/* gsi_named_type_check_output: checks the output's name against the type of the elements.
 * in    type: of the elements; NULL: records; input: name of the file with that type
 * fails GS_E_USAGE: the output's name gives another type */
enum gs_status gsi_named_type_check_output(const char *output, const char *type, const char *input,
                                           struct gs_error *error);

/* gsi_named_type_fail_unknown: fails with GS_E_USAGE: --strict is given, and no option or name
 * gives the type of the elements.
 * in    input: for messages, the name of the first of input_count */
enum gs_status gsi_named_type_fail_unknown(const char *input, size_t input_count,
                                           struct gs_error *error);

#endif
