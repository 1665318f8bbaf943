/* disorder.c: the line that says which element of which file is out of order. */
#include "report/disorder.h"

#include "base/status.h"
#include "job/job_report.h"
#include "report/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A value of a key: bytes that are all printed as the text that they are. */
static void key_text(const struct gsi_field_report *key, const uint8_t value[16],
                     char text[GSI_ELEMENT_TEXT_BYTES])
{
    uint32_t bytes = key->bytes < 16 ? key->bytes : 16, printed = 0;
    while (printed < bytes && value[printed] >= 0x20 && value[printed] < 0x7f)
        printed++;
    if (!key->is_number && printed == bytes && bytes > 0)
        snprintf(text, GSI_ELEMENT_TEXT_BYTES, "\"%.*s\"", (int)bytes, (const char *)value);
    else
        gsi_shown_text(key, value, text);
}

void gsi_disorder_tell(const char *const *inputs, size_t input_count, bool is_unique,
                       const struct gs_report *report, struct gs_error *error)
{
    size_t file_idx = report->disorder.file_idx;
    const char *file = file_idx < input_count ? inputs[file_idx] : "-";
    char before[GSI_ELEMENT_TEXT_BYTES], after[GSI_ELEMENT_TEXT_BYTES], where[96] = "";
    uint64_t idx = report->disorder.file_element_idx;
    const struct gsi_field_report *key = &report->disorder.key;
    bool is_duplicate =
        is_unique && memcmp(report->disorder.before, report->disorder.after, 16) == 0;
    if (gsi_has_records(report) || report->element.field_count > 0) {
        key_text(key, report->disorder.before, before);
        key_text(key, report->disorder.after, after);
    } else {
        gsi_shown_element(report, report->disorder.before, before);
        gsi_shown_element(report, report->disorder.after, after);
    }
    if (gsi_has_records(report))
        snprintf(where, sizeof where, ", by %.60s, byte %" PRIu32, key->text, key->off);
    *error = (struct gs_error){0}; /* the job has said no more than that */
    if (is_duplicate)
        gsi_fail(error, GS_E_DISORDER, 0, "%s: element %" PRIu64 " is a duplicate%s: %s again",
                 file, idx, where, after);
    else
        gsi_fail(error, GS_E_DISORDER, 0, "%s: element %" PRIu64 " is out of order%s: %s after %s",
                 file, idx, where, after, before);
}
