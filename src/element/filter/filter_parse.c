/* filter_parse.c: a condition's text as a range of keys, or as bytes to compare with. */
#include "element/filter/filter.h"

#include "element/key_order.h"
#include "element/number_type.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum comparison { EQUAL, UNEQUAL, BELOW, AT_MOST, ABOVE, AT_LEAST };

/* Longer ones before their beginnings. */
static const struct {
    const char *text;
    enum comparison comparison;
} operators[] = {{"==", EQUAL},    {"!=", UNEQUAL}, {"<=", AT_MOST},
                 {">=", AT_LEAST}, {"<", BELOW},    {">", ABOVE}};

enum gs_status gsi_filter_open(struct gsi_filter *filter, const struct gsi_layout *layout,
                               const char *option, size_t count, uint64_t text_bytes,
                               struct gs_error *error)
{
    *filter = (struct gsi_filter){.layout = *layout, .option = option};
    filter->layout.map = gsi_key_map_ascending(layout->map);
    if (count > GSI_RECORD_FIELDS_MAX)
        return gsi_fail(error, GS_E_USAGE, 0, "--%s: is given %zu times; the limit is %u", option,
                        count, GSI_RECORD_FIELDS_MAX);
    filter->conditions = calloc(count, sizeof *filter->conditions);
    filter->values = malloc(text_bytes);
    return filter->conditions != NULL && filter->values != NULL
               ? GS_OK
               : gsi_fail(error, GS_E_MEMORY, 0,
                          "out of memory: cannot allocate the conditions of --%s", option);
}

uint64_t gsi_filter_bytes(size_t count, uint64_t text_bytes)
{
    return count * sizeof(struct gsi_condition) + text_bytes;
}

void gsi_filter_close(struct gsi_filter *filter)
{
    free(filter->conditions);
    free(filter->values);
    *filter = (struct gsi_filter){0};
}

const char *gsi_filter_comparison(const char *text)
{
    return text + strcspn(text, "=!<>");
}

static bool take_operator(const char **at, enum comparison *comparison)
{
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        size_t length = strlen(operators[i].text);
        if (strncmp(*at, operators[i].text, length) == 0) {
            *at += length;
            *comparison = operators[i].comparison;
            return true;
        }
    }
    return false;
}

/* ---- numbers ---- */

static uint32_t digit_of(char c)
{
    uint32_t lower = (uint32_t)(unsigned char)c | 0x20;
    if (c >= '0' && c <= '9')
        return (uint32_t)(c - '0');
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 16;
}

/* Decimal, or hexadecimal after 0x, with a sign or not; false: it is none, or does not fit. */
static bool parse_int(const char *text, const struct gsi_field *field, gsi_u128 *bits)
{
    bool is_negative = *text == '-', is_signed = field->type->kind == GSI_KEY_SIGNED;
    text += *text == '-' || *text == '+';
    uint32_t base = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
    text += base == 16 ? 2 : 0;
    gsi_u128 all = ~(gsi_u128)0 >> (128 - 8 * field->bytes);
    gsi_u128 greatest = is_signed ? all >> 1 : all;
    gsi_u128 most = is_negative ? all - greatest : greatest;
    gsi_u128 value = 0;
    if (*text == '\0')
        return false;
    for (; *text != '\0'; text++) {
        uint32_t digit = digit_of(*text);
        if (digit >= base || digit > most || value > (most - digit) / base)
            return false;
        value = value * base + digit;
    }
    *bits = (is_negative ? -value : value) & all;
    return true;
}

/* The bits of a float of this type, which `value` is. */
static uint64_t float_bits(enum gsi_part_kind part, double value)
{
    uint64_t word = 0;
    float single = (float)value;
    if (part == GSI_PART_F16)
        return gsi_f16_of_f64(value);
    if (part == GSI_PART_BF16)
        return gsi_bf16_of_f64(value);
    if (part == GSI_PART_F32)
        memcpy(&word, &single, sizeof single);
    else
        memcpy(&word, &value, sizeof value);
    return word;
}

/* A float as a whole text; infinite if it is beyond the largest of this type. */
static bool read_float(const char *text, enum gsi_part_kind part, double *value)
{
    char *end;
    bool is_plain = *text != '\0' && strchr("+-.0123456789iInN", *text) != NULL;
    return is_plain && gsi_float_parse(text, &end, part, value) && end != text && *end == '\0';
}

static bool parse_float(const char *text, enum gsi_part_kind part, gsi_u128 *bits, bool *is_nan)
{
    double value;
    bool is_word = strpbrk(text, "nN") != NULL;
    if (!read_float(text, part, &value) || (isinf(value) && !is_word))
        return false;
    *is_nan = isnan(value);
    *bits = float_bits(part, value);
    return true;
}

/* The key of a number with these bits: that of a record that is nothing else. */
static gsi_u128 key_of(const struct gsi_condition *condition, gsi_u128 bits)
{
    uint8_t bytes[16];
    memcpy(bytes, &bits, sizeof bytes);
    struct gsi_key_part part = condition->parts[0];
    part.is_big_endian = false;
    part.off = 0;
    if (condition->field.bytes < 16)
        return gsi_key_part_bits(&part, bytes);
    /* The high word of 16 bytes is the first part, which has the sign. */
    return bits ^ (gsi_u128)part.map.sign << 64;
}

static void set_parts(struct gsi_condition *condition)
{
    const struct gsi_field *field = &condition->field;
    struct gsi_key_part part = {.off = field->off,
                                .bytes = field->bytes,
                                .is_number = true,
                                .is_big_endian = field->is_big_endian};
    if (field->bytes == 16)
        part.bytes = 8;
    condition->parts[1] = part;
    part.map = gsi_field_key_map(field);
    condition->parts[0] = part;
    condition->parts[field->is_big_endian ? 1 : 0].off += field->bytes == 16 ? 8 : 0;
}

/* Keys [first, last]; none, if they are the other way round. */
static void set_range(struct gsi_condition *condition, gsi_u128 first, gsi_u128 last, bool is_empty,
                      gsi_u128 all)
{
    condition->low = is_empty ? 0 : first;
    condition->span = is_empty ? all : last - first;
    condition->is_outside = is_empty;
}

/* Returns the bits of the greatest number; only NaNs and NaT are above it. */
static gsi_u128 greatest_bits(const struct gsi_field *field)
{
    if (field->type->kind == GSI_KEY_FLOAT)
        return float_bits(field->number->part, HUGE_VAL);
    gsi_u128 all = ~(gsi_u128)0 >> (128 - 8 * field->bytes);
    return field->type->kind == GSI_KEY_SIGNED ? all >> 1 : all;
}

/* Four digits are a year to most people, and a number to a computer. */
static bool is_year(const char *text, enum gsi_time_unit unit)
{
    return unit != GSI_UNIT_NONE && strlen(text) == 4 && strspn(text, "0123456789") == 4;
}

/* A time, where the unit is known; its number; or none: the word, or the number that stands for it.
 */
static bool parse_time(const char *text, const struct gsi_field *field, gsi_u128 *bits,
                       bool *is_nat)
{
    const gsi_u128 nat = (gsi_u128)1 << 63;
    const enum gsi_time_unit unit = field->number->unit;
    int64_t time = INT64_MIN;
    bool is_time = unit != GSI_UNIT_NONE && gsi_time_parse(text, unit, &time) == GSI_TIME_OK;
    bool is_word = strcasecmp(text, "nat") == 0;
    if (is_word || is_time)
        *bits = (uint64_t)time;
    bool is_good = is_word || is_time || (!is_year(text, unit) && parse_int(text, field, bits));
    *is_nat = is_good && *bits == nat;
    return is_good;
}

static bool parse_number(const char *text, const struct gsi_field *field, gsi_u128 *bits,
                         bool *is_nan)
{
    if (field->type->kind == GSI_KEY_FLOAT)
        return parse_float(text, field->number->part, bits, is_nan);
    return field->number->part == GSI_PART_TIME ? parse_time(text, field, bits, is_nan)
                                                : parse_int(text, field, bits);
}

/* A number, if not one of that type: what it is too large for. */
static bool is_too_large(const char *text, const struct gsi_field *field)
{
    if (field->type->kind != GSI_KEY_FLOAT) {
        const char *digits = text + (*text == '-' || *text == '+');
        bool is_hex = digits[0] == '0' && (digits[1] | 0x20) == 'x';
        size_t length =
            is_hex ? strspn(digits + 2, "0123456789abcdefABCDEF") : strspn(digits, "0123456789");
        return length > 0 && digits[length + (is_hex ? 2 : 0)] == '\0';
    }
    double value;
    return read_float(text, GSI_PART_F64, &value);
}

static enum gs_status refuse_number(const struct gsi_field *field, const char *option,
                                    const char *text, const char *value, struct gs_error *error)
{
    const enum gsi_time_unit unit = field->number->unit;
    static const char *const texts[] = {
        [GSI_TIME_NOT_A_TIME] = "is not a value of type",
        [GSI_TIME_TOO_PRECISE] = "is more precise than",
        [GSI_TIME_OUT_OF_RANGE] = "is out of range for",
    };
    const char *why = texts[GSI_TIME_NOT_A_TIME], *such = "";
    int64_t time;
    if (is_year(value, unit))
        return gsi_fail(error, GS_E_USAGE, 0,
                        "--%s: '%s': '%s' may be a year or a number; write %s-01-01 for the year, "
                        "or +%s for the number",
                        option, text, value, value, value);
    bool is_date = field->number->part == GSI_PART_TIME && unit == GSI_UNIT_NONE &&
                   gsi_time_parse(value, GSI_UNIT_ns, &time) == GSI_TIME_OK;
    if (is_date)
        such = ", because the unit of the times is unknown; name it, as in --type time64[ms]";
    else if (is_too_large(value, field))
        why = texts[GSI_TIME_OUT_OF_RANGE];
    else if (unit != GSI_UNIT_NONE) {
        enum gsi_time_error wrong = gsi_time_parse(value, unit, &time);
        why = texts[wrong];
        such = wrong == GSI_TIME_NOT_A_TIME ? "; write 2024-01-05T10:00:00 (UTC) or a number" : "";
    }
    return gsi_fail(error, GS_E_USAGE, 0, "--%s: '%s': '%s' %s %s%s", option, text, value, why,
                    field->number->name, such);
}

static enum gs_status take_number(struct gsi_condition *condition, const char *option,
                                  const char *text, enum comparison comparison, const char *value,
                                  struct gs_error *error)
{
    const struct gsi_field *field = &condition->field;
    bool is_float = field->type->kind == GSI_KEY_FLOAT, is_nan = false;
    gsi_u128 bits = 0, all = ~(gsi_u128)0 >> (128 - 8 * field->bytes);
    set_parts(condition);
    if (!parse_number(value, field, &bits, &is_nan))
        return refuse_number(field, option, text, value, error);
    if (is_nan && comparison != EQUAL && comparison != UNEQUAL)
        return gsi_fail(error, GS_E_USAGE, 0,
                        "--%s: '%s': nothing is below or above %s; use == or !=", option, text,
                        is_float ? "nan" : "NaT");
    gsi_u128 sign = (all >> 1) + 1, greatest = key_of(condition, greatest_bits(field));
    bool is_zero = is_float && (bits & ~sign) == 0;
    gsi_u128 first = is_nan ? greatest + 1 : key_of(condition, is_zero ? sign : bits);
    gsi_u128 last = is_nan ? all : key_of(condition, is_zero ? 0 : bits);
    if (comparison == BELOW)
        set_range(condition, 0, first - 1, first == 0, all);
    else if (comparison == AT_MOST)
        set_range(condition, 0, last, false, all);
    else if (comparison == ABOVE)
        set_range(condition, last + 1, greatest, last == greatest, all);
    else if (comparison == AT_LEAST)
        set_range(condition, first, greatest, false, all);
    else
        set_range(condition, first, last, false, all);
    condition->is_outside ^= comparison == UNEQUAL;
    return GS_OK;
}

/* ---- bytes ---- */

/* Hexadecimal after 0x, otherwise the text itself. */
static bool parse_bytes(const char *text, uint8_t *to, size_t *count)
{
    size_t length = strlen(text);
    *count = length;
    if (length < 2 || text[0] != '0' || (text[1] != 'x' && text[1] != 'X')) {
        memcpy(to, text, *count);
        return true;
    }
    *count = length / 2 - 1;
    for (size_t i = 0; i < *count; i++) {
        uint32_t high = digit_of(text[2 + 2 * i]), low = digit_of(text[3 + 2 * i]);
        if (high > 15 || low > 15)
            return false;
        to[i] = (uint8_t)(16 * high + low);
    }
    return length % 2 == 0 && *count > 0;
}

static enum gs_status take_bytes(struct gsi_condition *condition, uint8_t *to, const char *option,
                                 const char *text, enum comparison comparison, const char *value,
                                 struct gs_error *error)
{
    size_t count;
    if (!parse_bytes(value, to, &count))
        return gsi_fail(error, GS_E_USAGE, 0,
                        "--%s: '%s': '%s' does not have two hexadecimal digits for each byte",
                        option, text, value);
    if (count > condition->field.bytes)
        return gsi_fail(error, GS_E_USAGE, 0, "--%s: '%s': %zu bytes do not fit into a field of %u",
                        option, text, count, condition->field.bytes);
    condition->value = to;
    condition->value_bytes = (uint32_t)count;
    condition->takes_below = comparison == BELOW || comparison == AT_MOST || comparison == UNEQUAL;
    condition->takes_equal = comparison == EQUAL || comparison == AT_MOST || comparison == AT_LEAST;
    condition->takes_above = comparison == ABOVE || comparison == AT_LEAST || comparison == UNEQUAL;
    return GS_OK;
}

enum gs_status gsi_filter_add(struct gsi_filter *filter, const char *text, const char *field,
                              const char *comparison, struct gs_error *error)
{
    const struct gsi_layout *layout = &filter->layout;
    struct gsi_condition *condition = &filter->conditions[filter->condition_count];
    enum comparison by;
    uint8_t *to = filter->values;
    for (uint32_t i = 0; i < filter->condition_count; i++)
        to += filter->conditions[i].value_bytes;
    bool is_number = layout->number != NULL;
    *condition = (struct gsi_condition){0};
    if (!take_operator(&comparison, &by))
        return gsi_fail(error, GS_E_USAGE, 0,
                        "--%s: '%s' has no comparison; use ==, !=, <, <=, > or >=", filter->option,
                        text);
    if (is_number && field != NULL)
        return gsi_fail(error, GS_E_USAGE, 0,
                        "--%s: '%s': elements are numbers, which have no fields; begin with the "
                        "comparison, as in '<100'",
                        filter->option, text);
    if (is_number)
        condition->field = gsi_field_of_number(gsi_layout_name(layout));
    else
        GSI_TRY(gsi_field_parse(filter->option, field != NULL ? field : "", layout->element_bytes,
                                layout->record->names, &condition->field, error));
    if (condition->field.type != NULL)
        GSI_TRY(take_number(condition, filter->option, text, by, comparison, error));
    else
        GSI_TRY(take_bytes(condition, to, filter->option, text, by, comparison, error));
    filter->condition_count++;
    return GS_OK;
}
