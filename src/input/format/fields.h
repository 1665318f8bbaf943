/* fields.h: determines elements, keys and columns of printed output from a header and the
 * options. */
#ifndef GSI_FIELDS_H
#define GSI_FIELDS_H

#include "element/fold/fold.h"
#include "element/record/names.h"
#include "input/format/format.h"

/* Elements: numbers of a type, or records with keys. Keys and fields may be given by names. */
struct gsi_elements {
    const char *type;   /* NULL: none was given */
    const char *source; /* where the type was found: "option", or the format's source */
    uint32_t record_bytes;
    const char *const *keys;
    size_t key_count;
    const char *const *fields; /* fields with statistics */
    size_t field_count;
};

/* gsi_fields_choose: completes the options in *elements by the header inputs->formatted, and adds
 * the header's fields to *names, which is empty.
 * fails GS_E_USAGE, GS_E_INPUT */
enum gs_status gsi_fields_choose(const struct gsi_inputs *inputs, struct gsi_names *names,
                                 struct gsi_elements *elements);

/* gsi_record_columns: fills report->fields with the columns of printed records: fields that
 * --fields names, then other keys, then other aggregated fields. All columns have different names.
 * Numbers have no columns.
 * out   report->wide_bytes: how many bytes of wide sums follow each record
 * fails GS_E_USAGE: there are more than GSI_FIELDS_MAX columns */
enum gs_status gsi_record_columns(const struct gsi_inputs *inputs, const struct gsi_record *record,
                                  const struct gsi_fold *fold, struct gsi_element_report *report);

#endif
