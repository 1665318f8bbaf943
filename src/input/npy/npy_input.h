/* npy_input.h: .npy files as inputs and as the output. Either all inputs are .npy files of one
 * type, and then the output is one too; or no input is one. */
#ifndef GSI_NPY_INPUT_H
#define GSI_NPY_INPUT_H

#include "base/report.h"
#include "input/inputs.h"
#include "input/npy/npy.h"

/* What elements are: a type, or records with keys. A name is what people call a key or a field. */
struct gsi_elements {
    const char *type;   /* NULL: none was said */
    const char *source; /* of type or records: "option" or "npy header" */
    uint32_t record_bytes;
    const char *const *keys, *const *key_names;
    size_t key_count;
    const char *const *fields, *const *field_names; /* those with statistics */
    size_t field_count;
};

#define GSI_NPY_KEY_BYTES 32u

/* The first input's header, and its fields as gsi_record_make takes them. */
struct gsi_npy_input {
    struct gsi_npy npy;
    const char *keys[GSI_FIELDS_MAX], *fields[GSI_FIELDS_MAX], *names[GSI_FIELDS_MAX];
    char texts[4 * GSI_FIELDS_MAX][GSI_NPY_KEY_BYTES];
    uint32_t text_count;
    char descr[];
};

/* gsi_npy_input_take: finds out where the data of an input begin, and how many there are.
 * in    data: what the input begins with, unpacked; if that is a header, all of it
 * fails GS_E_INPUT: a header that is not ours, another type than the first input's, no header where
 *       the name promises one or the first input had one; GS_E_USAGE: --header too; GS_E_MEMORY */
enum gs_status gsi_npy_input_take(struct gsi_inputs *inputs, struct gsi_input *input,
                                  const uint8_t *data, size_t bytes);

/* gsi_npy_input_elements: puts what inputs->npy says, which is there, and what options say into
 * *elements.
 * fails GS_E_USAGE, GS_E_INPUT */
enum gs_status gsi_npy_input_elements(struct gsi_inputs *inputs, struct gsi_elements *elements);

/* gsi_npy_input_field: what `given` names, a field or OFF:TYPE, as OFF:TYPE; names `option` in a
 * failure.
 * fails GS_E_USAGE */
enum gs_status gsi_npy_input_field(struct gsi_inputs *inputs, const char *option, const char *given,
                                   const char **text);

/* gsi_npy_input_is_output: whether the output is to be a .npy file. */
bool gsi_npy_input_is_output(const struct gsi_inputs *inputs);

/* gsi_npy_input_check_counts: checks that a field for counts can stand behind the elements.
 * fails GS_E_USAGE: they have a field of that name */
enum gs_status gsi_npy_input_check_counts(const struct gsi_inputs *inputs);

/* gsi_npy_input_put: puts the output's header, for `count` elements, at inputs->header.data. With
 * --count the elements are structures that end with a field "count". Elements that were no
 * structures become the field "value" of one.
 * fails GS_E_MEMORY */
enum gs_status gsi_npy_input_put(struct gsi_inputs *inputs, uint64_t count);

#endif
