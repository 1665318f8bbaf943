/* record_columns.h: chooses the columns in which records are printed, and names of fields. */
#ifndef GSI_RECORD_COLUMNS_H
#define GSI_RECORD_COLUMNS_H

#include "element/fold/fold.h"
#include "input/inputs.h"

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
