/* field_text.c: writes the value of a field for a message. */
#include "element/record/record.h"

#include "element/number_type.h"

#include <stdio.h>
#include <string.h>

/* So many bytes are shown of a field that is not a number of up to 8 bytes. */
#define SHOWN_BYTES 16u

static bool is_printable(const uint8_t *at, uint32_t n)
{
    bool is_text = n > 0;
    for (uint32_t i = 0; i < n; i++)
        is_text = is_text && at[i] >= 0x20 && at[i] < 0x7f && at[i] != '\'';
    return is_text;
}

static void bytes_text(const uint8_t *at, uint32_t bytes, char text[GSI_FIELD_VALUE_BYTES])
{
    uint32_t n = bytes < SHOWN_BYTES ? bytes : SHOWN_BYTES;
    const char *more = n < bytes ? ".." : "";
    size_t length = 0;
    if (is_printable(at, n)) {
        snprintf(text, GSI_FIELD_VALUE_BYTES, "\"%.*s\"%s", (int)n, (const char *)at, more);
        return;
    }
    length += (size_t)snprintf(text, GSI_FIELD_VALUE_BYTES, "0x");
    for (uint32_t i = 0; i < n; i++)
        length += (size_t)snprintf(text + length, GSI_FIELD_VALUE_BYTES - length, "%02x", at[i]);
    snprintf(text + length, GSI_FIELD_VALUE_BYTES - length, "%s", more);
}

const char *gsi_field_text(const struct gsi_field *field, const uint8_t *element,
                           char text[GSI_FIELD_VALUE_BYTES])
{
    uint8_t number[16] = {0};
    if (field->type == NULL || field->bytes == 16) {
        bytes_text(element + field->off, field->bytes, text);
        return text;
    }
    gsi_field_number(field, element, number);
    uint64_t word;
    uint32_t half;
    memcpy(&word, number, sizeof word);
    memcpy(&half, number, sizeof half);
    bool is_short = field->type->bytes == 4;
    if (field->number->unit != GSI_UNIT_NONE) {
        gsi_time_text(text, (int64_t)word, field->number->unit);
    } else if (field->type->kind == GSI_KEY_FLOAT) {
        float single;
        double twice;
        memcpy(&single, number, sizeof single);
        memcpy(&twice, number, sizeof twice);
        gsi_float_text(text, is_short ? (double)single : twice, field->number->part);
    } else if (field->type->kind == GSI_KEY_SIGNED) {
        long long value = is_short ? (long long)(int32_t)half : (long long)word;
        snprintf(text, GSI_FIELD_VALUE_BYTES, "%lld", value);
    } else {
        snprintf(text, GSI_FIELD_VALUE_BYTES, "%llu", (unsigned long long)word);
    }
    return text;
}
