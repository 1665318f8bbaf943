/* fields.h: elements and their keys, as a header and options say together. */
#ifndef GSI_FIELDS_H
#define GSI_FIELDS_H

#include "element/fold/fold.h"
#include "input/format/format.h"

/* What elements are: a type, or records with keys. A name is what people call a key or a field. */
struct gsi_elements {
    const char *type;   /* NULL: none was said */
    const char *source; /* of type or records: "option" or that of the format */
    uint32_t record_bytes;
    const char *const *keys, *const *key_names;
    size_t key_count;
    const char *const *fields, *const *field_names; /* those with statistics */
    size_t field_count;
};

/* gsi_fields_choose: puts what inputs->formatted, which is there, and what options say into
 * *elements.
 * fails GS_E_USAGE, GS_E_INPUT */
enum gs_status gsi_fields_choose(const struct gsi_inputs *inputs, struct gsi_elements *elements);

/* gsi_field_resolve: what `given` names, a field or OFF:TYPE, as OFF:TYPE; names `option` in a
 * failure.
 * fails GS_E_USAGE */
enum gs_status gsi_field_resolve(const struct gsi_inputs *inputs, const char *option,
                                 const char *given, const char **text);

/* gsi_field_is_scaled: whether `text`, of a key as gsi_fields_choose left it, stands for a field by
 * whose name another number is meant than is stored. */
bool gsi_field_is_scaled(const struct gsi_inputs *inputs, const char *text);

/* gsi_record_columns: fills report->fields with the columns of a record as it is written: the keys,
 * then the fields that are folded. Each column has a name of its own. Numbers have none.
 * out   report->wide_bytes: how many bytes of wide sums follow each record
 * fails GS_E_USAGE: there are more than GSI_FIELDS_MAX columns */
enum gs_status gsi_record_columns(const struct gsi_inputs *inputs, const struct gsi_record *record,
                                  const struct gsi_fold *fold, struct gsi_element_report *report);

/* gsi_field_name_bytes: returns how many bytes of a key's text are the name of its field. It has no
 * direction like ":desc". */
size_t gsi_field_name_bytes(const struct gsi_inputs *inputs, const char *text);

#endif
