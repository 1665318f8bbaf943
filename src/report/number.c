/* number.c: decimal text of integers and floats. */
#include "report/number.h"

#include "base/checked.h"
#include "base/u128.h"
#include "element/number_type.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DECIMAL_STEP        1000000000000000000u /* 10^18: the most digits a word holds */
#define DECIMAL_STEP_DIGITS 18

/* words /= divisor; the remainder is returned. */
static uint64_t divide(uint64_t words[4], uint64_t divisor)
{
    gsi_u128 remainder = 0;
    for (int i = 3; i >= 0; i--) {
        gsi_u128 dividend = remainder << 64 | words[i];
        words[i] = (uint64_t)(dividend / divisor);
        remainder = dividend % divisor;
    }
    return (uint64_t)remainder;
}

/* words, or what they are the negative of. */
static void put_sign(uint64_t into[4], const uint64_t words[4], bool is_negative)
{
    bool carry = is_negative;
    for (int i = 0; i < 4; i++) {
        into[i] = (is_negative ? ~words[i] : words[i]) + carry;
        carry = carry && into[i] == 0;
    }
}

void gsi_number_sum(char text[GSI_NUMBER_BYTES], const uint64_t words[4])
{
    uint64_t rest[4];
    bool is_negative = words[3] >> 63;
    put_sign(rest, words, is_negative);
    char digits[GSI_NUMBER_BYTES], *at = digits + sizeof digits - 1;
    *at = '\0';
    do {
        uint64_t step = divide(rest, DECIMAL_STEP);
        for (int i = 0; i < DECIMAL_STEP_DIGITS; i++, step /= 10)
            *--at = (char)('0' + step % 10);
    } while ((rest[0] | rest[1] | rest[2] | rest[3]) != 0);
    while (*at == '0' && at[1] != '\0')
        at++;
    snprintf(text, GSI_NUMBER_BYTES, "%s%s", is_negative ? "-" : "", at);
}

/* printf writes the locale's decimal point, which may be several bytes; make it '.'. */
static void set_point(char *text)
{
    char *point = text + strspn(text, "-0123456789");
    size_t point_bytes = strcspn(point, "-+0123456789eEinf");
    if (point_bytes == 0 || point[point_bytes] == '\0')
        return;
    *point = '.';
    memmove(point + 1, point + point_bytes, strlen(point + point_bytes) + 1);
}

void gsi_number_double(char text[GSI_NUMBER_BYTES], double x)
{
    gsi_float_text(text, x, GSI_PART_F64);
}

static double single_of(const void *element)
{
    float x;
    memcpy(&x, element, sizeof x);
    return (double)x;
}

static void element_float(char text[GSI_NUMBER_BYTES], const void *element, uint32_t element_bytes)
{
    double x;
    if (element_bytes == sizeof(float)) {
        gsi_float_text(text, single_of(element), GSI_PART_F32);
        return;
    }
    memcpy(&x, element, sizeof x);
    gsi_number_double(text, x);
}

void gsi_number_half(char text[GSI_NUMBER_BYTES], const void *single, bool is_bfloat)
{
    gsi_float_text(text, single_of(single), is_bfloat ? GSI_PART_BF16 : GSI_PART_F16);
}

void gsi_number_element(char text[GSI_NUMBER_BYTES], const void *element, uint32_t element_bytes,
                        bool is_float, bool is_signed)
{
    if (is_float) {
        element_float(text, element, element_bytes);
        return;
    }
    const unsigned char *bytes = element;
    bool is_negative = is_signed && bytes[element_bytes - 1] >> 7;
    uint64_t words[4];
    memset(words, is_negative ? 0xff : 0, sizeof words); /* sign extension */
    memcpy(words, element, element_bytes);
    gsi_number_sum(text, words);
}

void gsi_number_parse_sum(const char *text, uint64_t words[4])
{
    uint64_t size[4] = {0};
    bool is_negative = text[0] == '-';
    for (const char *at = text + is_negative; *at >= '0' && *at <= '9'; at++) {
        gsi_u128 carry = (gsi_u128)(*at - '0');
        for (int i = 0; i < 4; i++, carry >>= 64) {
            carry += (gsi_u128)size[i] * 10;
            size[i] = (uint64_t)carry;
        }
    }
    put_sign(words, size, is_negative);
}

static double read_float(const char *text, enum gsi_part_kind part)
{
    char *end;
    double x;
    return gsi_float_parse(text, &end, part, &x) ? x : 0;
}

double gsi_number_parse_double(const char *text)
{
    return read_float(text, GSI_PART_F64);
}

/* A float of a field, as an element of 4 or 8 bytes. */
static void float_of_field(const char *text, const struct gsi_field_report *field,
                           uint8_t value[16])
{
    bool is_half = field->bytes == 2;
    float single;
    double x;
    if (field->element_bytes != sizeof single) {
        x = gsi_number_parse_double(text);
        memcpy(value, &x, sizeof x);
        return;
    }
    single = (float)read_float(text, !is_half           ? GSI_PART_F32
                                     : field->is_bfloat ? GSI_PART_BF16
                                                        : GSI_PART_F16);
    memcpy(value, &single, sizeof single);
}

void gsi_number_parse_field(const char *text, const struct gsi_field_report *field,
                            uint8_t value[16])
{
    uint64_t words[4];
    int64_t time;
    memset(value, 0, 16);
    if (field->unit != GSI_UNIT_NONE && gsi_time_parse(text, field->unit, &time) == GSI_TIME_OK) {
        memset(value, time < 0 ? 0xff : 0, gsi_min_u32(field->element_bytes, 16));
        memcpy(value, &time, sizeof time);
    } else if (field->is_float) {
        float_of_field(text, field, value);
    } else if (field->is_number) {
        gsi_number_parse_sum(text, words);
        memcpy(value, words, gsi_min_u32(field->element_bytes, 16));
    } else {
        for (size_t i = 0; i < 16 && strlen(text) >= 2 * i + 2; i++) {
            const char digits[] = {text[2 * i], text[2 * i + 1], '\0'};
            value[i] = (uint8_t)strtoul(digits, NULL, 16);
        }
    }
}

void gsi_number_size(char text[GSI_NUMBER_BYTES], uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double number = (double)bytes;
    size_t unit = 0;
    for (; number >= 1023.995; unit++) /* would be shown as 1024.00 */
        number /= 1024;
    snprintf(text, GSI_NUMBER_BYTES, "%.*f %s", unit > 0 ? 2 : 0, number, units[unit]);
    set_point(text);
}

void gsi_number_hex(char text[GSI_NUMBER_BYTES], const uint64_t words[2])
{
    unsigned long long low = words[0], high = words[1];
    if (high > 0)
        snprintf(text, GSI_NUMBER_BYTES, "%llx%016llx", high, low);
    else
        snprintf(text, GSI_NUMBER_BYTES, "%llx", low);
}

void gsi_number_rate(char text[GSI_NUMBER_BYTES], uint64_t bytes, uint64_t ns)
{
    if (ns > 0)
        snprintf(text, GSI_NUMBER_BYTES, "%.2f GB/s", (double)bytes / (double)ns);
    else
        snprintf(text, GSI_NUMBER_BYTES, "-");
    set_point(text);
}

static void duration_below_a_minute(char text[GSI_NUMBER_BYTES], uint64_t ns)
{
    double number = (double)ns;
    if (ns < 10000000u)
        snprintf(text, GSI_NUMBER_BYTES, "%.3f ms", number / 1e6);
    else if (ns < 1000000000u)
        snprintf(text, GSI_NUMBER_BYTES, "%.1f ms", number / 1e6);
    else
        snprintf(text, GSI_NUMBER_BYTES, "%.2f s", number / 1e9);
    set_point(text);
}

void gsi_number_duration(char text[GSI_NUMBER_BYTES], uint64_t ns)
{
    uint64_t seconds = ns / 1000000000u;
    int minute = (int)(seconds / 60 % 60), second = (int)(seconds % 60);
    if (seconds < 60)
        duration_below_a_minute(text, ns);
    else if (seconds < 3600)
        snprintf(text, GSI_NUMBER_BYTES, "%d:%02d min", minute, second);
    else
        snprintf(text, GSI_NUMBER_BYTES, "%llu:%02d:%02d h", (unsigned long long)seconds / 3600,
                 minute, second);
}

struct gsi_field_report gsi_element_field(const struct gs_report *report)
{
    return (struct gsi_field_report){.is_number = true,
                                     .element_bytes = report->element.bytes,
                                     .is_float = report->element.is_float,
                                     .is_signed = report->element.is_signed};
}
