/* number.h: numbers, elements and disorders as text, for reports. Decimals always have a point,
 * whatever the locale is. */
#ifndef GSI_NUMBER_H
#define GSI_NUMBER_H

#include "job/job_report.h"

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GSI_NUMBER_BYTES 96 /* any text made here: 256 bits are 78 digits and a sign */

/* gsi_number_sum: decimal text of a 256-bit two's complement integer, least significant word first.
 */
void gsi_number_sum(char text[GSI_NUMBER_BYTES], const uint64_t words[4]);

/* gsi_number_hex: a 128-bit number, least significant word first, without leading zeros. */
void gsi_number_hex(char text[GSI_NUMBER_BYTES], const uint64_t words[2]);

/* gsi_number_element: a raw element; floats as in element/number_type.h.
 * in    element_bytes: 4, 8 or 16 (integers only) */
void gsi_number_element(char text[GSI_NUMBER_BYTES], const void *element, uint32_t element_bytes,
                        bool is_float, bool is_signed);
void gsi_number_double(char text[GSI_NUMBER_BYTES], double x);

/* gsi_number_half: the same for an f16 or bf16, given as an f32. */
void gsi_number_half(char text[GSI_NUMBER_BYTES], const void *single, bool is_bfloat);

/* The other way round: these read what the calls above have printed, whatever the locale. Other
 * texts give any number, so a caller who does not know a text prints the number again and compares.
 * gsi_number_parse_sum: parses the digits of a sum.
 * gsi_number_parse_double: parses the digits of a double.
 * gsi_number_parse_field: parses what gsi_shown_text printed, as a value of the field. */
void gsi_number_parse_sum(const char *text, uint64_t words[4]);
double gsi_number_parse_double(const char *text);
void gsi_number_parse_field(const char *text, const struct gsi_field_report *field,
                            uint8_t value[16]);

/* For people. gsi_number_size: "1.50 GiB".  gsi_number_rate: bytes over ns, "2.31 GB/s" ("-"
 * without time).  gsi_number_duration: "1.86 s", "12.3 ms", "2:05 min", "3:05:10 h". */
void gsi_number_size(char text[GSI_NUMBER_BYTES], uint64_t bytes);
void gsi_number_rate(char text[GSI_NUMBER_BYTES], uint64_t bytes, uint64_t ns);
void gsi_number_duration(char text[GSI_NUMBER_BYTES], uint64_t ns);

/* gsi_element_field: a number that is an element, as a field. */
struct gsi_field_report gsi_element_field(const struct gs_report *report);

/* gsi_has_records: whether the elements of a report are records. */
static inline bool gsi_has_records(const struct gs_report *report)
{
    return report->element.type != NULL && strcmp(report->element.type, "record") == 0;
}

/* gsi_shown_element: a raw element of the report's type, as text.
 * gsi_shown_value: the value of a field in an element, as an element of field->element_bytes, which
 * may be more than the field has; of bytes, the first 16.
 * gsi_shown_text: a field's value, as text.
 * gsi_shown_computed: a number between values, as text: `time` if the field has times of a known
 * unit. */
void gsi_shown_value(const struct gsi_field_report *field, const void *element, uint8_t value[16]);
#define GSI_ELEMENT_TEXT_BYTES 96
void gsi_shown_element(const struct gs_report *report, const uint8_t element[16],
                       char text[GSI_ELEMENT_TEXT_BYTES]);
void gsi_shown_text(const struct gsi_field_report *field, const uint8_t value[16],
                    char text[GSI_ELEMENT_TEXT_BYTES]);
void gsi_shown_computed(const struct gsi_field_report *field, double number, int64_t time,
                        char text[GSI_ELEMENT_TEXT_BYTES]);

/* gsi_disorder_tell: sets `error` to GS_E_DISORDER. The line names the element of report->disorder,
 * the element before it, and its file: one of `inputs`, or "-" if there are none.
 * in    is_unique: equal keys are disorder */
void gsi_disorder_tell(const char *const *inputs, size_t input_count, bool is_unique,
                       const struct gs_report *report, struct gs_error *error);

#ifdef __cplusplus
}
#endif
#endif
