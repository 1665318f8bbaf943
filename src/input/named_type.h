/* named_type.h: the type of numbers, as the names of inputs and output say it, and whether they
 * agree. Plain arguments: no job. */
#ifndef GSI_NAMED_TYPE_H
#define GSI_NAMED_TYPE_H

#include "element/type_names.h"

/* What names say. */
struct gsi_named_type {
    const struct gsi_type_word *word; /* NULL: no name says anything */
    const char *path;                 /* whose name that is */
    bool is_output;                   /* it is the output's: no input says anything */
};

/* gsi_named_type_find: one type for all names; "-" and NULL say nothing. What the output's name
 * says counts where no input's says anything.
 * fails GS_E_USAGE: two names say different types, or one says none that is sorted */
enum gs_status gsi_named_type_find(const char *const *inputs, size_t input_count,
                                   const char *output, struct gsi_named_type *named,
                                   struct gs_error *error);

/* gsi_named_type_check_output: the elements are known: of `type` (NULL: of none that has a name), as
 * `input` says; so the output's name says no other type.
 * fails GS_E_USAGE */
enum gs_status gsi_named_type_check_output(const char *output, const char *type, const char *input,
                                           struct gs_error *error);

/* gsi_named_type_note: say what was taken for granted: a type that nobody said, or a word that
 * others use otherwise. `word` is what said the type, NULL if nothing did.
 * in    input: for messages, of the first of input_count */
void gsi_named_type_note(const struct gs_options *options, const char *type, const char *word,
                         const char *input, size_t input_count);

#endif
