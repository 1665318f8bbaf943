/* fields.h: combines a header and options to elements, their keys, and the columns that are
 * printed. */
#ifndef GSI_FIELDS_H
#define GSI_FIELDS_H

#include "element/fold/fold.h"
#include "input/format/format.h"

/* Elements: numbers of a type, or records with keys. Names of keys and fields are for people. */
struct gsi_elements {
    const char *type;   /* NULL: none was given */
    const char *source; /* of type or records: "option", or the format's source */
    uint32_t record_bytes;
    const char *const *keys, *const *key_names;
    size_t key_count;
    const char *const *fields, *const *field_names; /* those with statistics */
    size_t field_count;
};

/* gsi_fields_choose: combines inputs->formatted, which exists, with the options in *elements.
 * fails GS_E_USAGE, GS_E_INPUT */
enum gs_status gsi_fields_choose(const struct gsi_inputs *inputs, struct gsi_elements *elements);

/* gsi_field_resolve: describes the field that `given` names as OFF:TYPE; accepts OFF:TYPE as it is.
 * Messages name `option`.
 * fails GS_E_USAGE */
enum gs_status gsi_field_resolve(const struct gsi_inputs *inputs, const char *option,
                                 const char *given, const char **text);

/* gsi_field_is_scaled: returns whether a key, described by gsi_fields_choose, is a field with a
 * scale: its name means another number than the stored one. */
bool gsi_field_is_scaled(const struct gsi_inputs *inputs, const char *text);

/* gsi_record_columns: fills report->fields with the columns of a record as it is written: the keys,
 * then the aggregated fields. Each column has a name of its own. Numbers have no columns.
 * out   report->wide_bytes: how many bytes of wide sums follow each record
 * fails GS_E_USAGE: there are more than GSI_FIELDS_MAX columns */
enum gs_status gsi_record_columns(const struct gsi_inputs *inputs, const struct gsi_record *record,
                                  const struct gsi_fold *fold, struct gsi_element_report *report);

/* gsi_field_name_bytes: returns how many bytes of a key's text are the name of its field. It has no
 * direction like ":desc". */
size_t gsi_field_name_bytes(const struct gsi_inputs *inputs, const char *text);

#endif
