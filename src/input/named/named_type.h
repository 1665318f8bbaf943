/* named_type.h: finds the type of numbers that the names of inputs and output say, and checks that
 * all agree. Arguments are plain: no job is needed. */
#ifndef GSI_NAMED_TYPE_H
#define GSI_NAMED_TYPE_H

#include "element/number_type.h"

/* The type that names say. */
struct gsi_named_type {
    const struct gsi_type_word *word; /* NULL: no name says anything */
    const char *path;                 /* of the file with that name */
    bool is_output;                   /* it is the output: no input's name says anything */
};

/* gsi_named_type_find: finds the one type that all names say; "-" and NULL say nothing. The name of
 * the output counts only if no input's name says anything.
 * fails GS_E_USAGE: two names say different types, or a name says a type that gsort does not sort
 */
enum gs_status gsi_named_type_find(const char *const *inputs, size_t input_count,
                                   const char *output, struct gsi_named_type *named,
                                   struct gs_error *error);

/* gsi_named_type_check_output: checks the output's name against the type of the elements.
 * in    type: of the elements; NULL: it has no name; input: the file that says so
 * fails GS_E_USAGE: the output's name says another type */
enum gs_status gsi_named_type_check_output(const char *output, const char *type, const char *input,
                                           struct gs_error *error);

/* gsi_named_type_fail_unknown: fails with GS_E_USAGE, because --strict is given and nothing says the
 * type.
 * in    input: for messages, the name of the first of input_count */
enum gs_status gsi_named_type_fail_unknown(const char *input, size_t input_count,
                                           struct gs_error *error);

#endif
