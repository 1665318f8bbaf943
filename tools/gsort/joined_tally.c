/* joined_tally.c: counts, sums and fingerprints add up; of extremes the outermost stay. */
#include "joined_tally.h"

#include "common/tool.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Counts of a tally beside the first. */
static const struct {
    const char *name;
    size_t off;
} counts[] = {{"nan_count", offsetof(struct joined_tally, nan_count)},
              {"positive_infinity_count", offsetof(struct joined_tally, positive_infinity_count)},
              {"negative_infinity_count", offsetof(struct joined_tally, negative_infinity_count)},
              {"negative_zero_count", offsetof(struct joined_tally, negative_zero_count)}};
#define COUNTS (sizeof counts / sizeof counts[0])

static uint64_t *count_of(struct joined_tally *tally, size_t i)
{
    return (uint64_t *)(void *)((char *)tally + counts[i].off);
}

static uint64_t count_in(const struct joined_tally *tally, size_t i)
{
    return *(const uint64_t *)(const void *)((const char *)tally + counts[i].off);
}

/* ---- whole numbers of any length ---- */

static bool parse_number(const char *text, size_t bytes, struct joined_number *number)
{
    *number = (struct joined_number){.is_negative = bytes > 0 && text[0] == '-'};
    size_t begin = number->is_negative;
    if (bytes == begin || bytes - begin > JOINED_DIGITS - 24)
        return false;
    for (size_t i = bytes; i > begin; i--) {
        if (text[i - 1] < '0' || text[i - 1] > '9')
            return false;
        number->digits[number->count++] = (uint8_t)(text[i - 1] - '0');
    }
    while (number->count > 0 && number->digits[number->count - 1] == 0)
        number->count--;
    return true;
}

static int compare_sizes(const struct joined_number *a, const struct joined_number *b)
{
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    for (size_t i = a->count; i > 0; i--)
        if (a->digits[i - 1] != b->digits[i - 1])
            return a->digits[i - 1] < b->digits[i - 1] ? -1 : 1;
    return 0;
}

static int compare_numbers(const struct joined_number *a, const struct joined_number *b)
{
    bool a_is_below = a->is_negative && a->count > 0, b_is_below = b->is_negative && b->count > 0;
    if (a_is_below != b_is_below)
        return a_is_below ? -1 : 1;
    return a_is_below ? compare_sizes(b, a) : compare_sizes(a, b);
}

/* Signs are equal: the sizes add up. Else the smaller is taken from the larger, whose sign it is. */
static void add_number(struct joined_number *into, const struct joined_number *number)
{
    bool is_sum = into->is_negative == number->is_negative;
    bool is_swapped = !is_sum && compare_sizes(into, number) < 0;
    struct joined_number large = is_swapped ? *number : *into;
    const struct joined_number small = is_swapped ? *into : *number;
    int carry = 0;
    for (size_t i = 0; i < JOINED_DIGITS; i++) {
        int digit = is_sum ? large.digits[i] + small.digits[i] + carry
                           : large.digits[i] - small.digits[i] + carry;
        carry = digit > 9 ? 1 : digit < 0 ? -1 : 0;
        large.digits[i] = (uint8_t)(digit - 10 * carry);
        if (large.digits[i] != 0 && i >= large.count)
            large.count = i + 1;
    }
    while (large.count > 0 && large.digits[large.count - 1] == 0)
        large.count--;
    large.is_negative = large.is_negative && large.count > 0;
    *into = large;
}

static void print_number(FILE *out, const struct joined_number *number)
{
    fputs(number->is_negative ? "-" : "", out);
    for (size_t i = number->count; i > 0; i--)
        fputc('0' + number->digits[i - 1], out);
    fputs(number->count == 0 ? "0" : "", out);
}

/* ---- values ---- */

/* As elements are ordered: -0 is below 0. */
static int compare_values(bool is_float, const char *a, const char *b)
{
    struct joined_number left, right;
    if (is_float) {
        double x = strtod(a, NULL), y = strtod(b, NULL);
        return x != y ? (x < y ? -1 : 1) : (signbit(y) != 0) - (signbit(x) != 0);
    }
    if (!parse_number(a, strlen(a), &left) || !parse_number(b, strlen(b), &right))
        return 0;
    return compare_numbers(&left, &right);
}

/* A value as text; false: it is none. */
static bool take_value(bool is_float, const struct json_value *value, char text[JOINED_TEXT_BYTES])
{
    struct joined_number number;
    char *end;
    if (value == NULL || value->kind != JSON_STRING || value->text_bytes == 0 ||
        value->text_bytes >= JOINED_TEXT_BYTES)
        return false;
    memcpy(text, value->text, value->text_bytes);
    text[value->text_bytes] = '\0';
    if (!is_float)
        return parse_number(text, value->text_bytes, &number);
    (void)strtod(text, &end);
    return *end == '\0';
}

bool joined_fingerprint(const struct json_value *value, uint64_t fingerprint[2])
{
    if (value == NULL || value->kind != JSON_STRING || value->text_bytes != 32)
        return false;
    fingerprint[0] = fingerprint[1] = 0;
    for (size_t i = 0; i < 32; i++) {
        char digit[2] = {value->text[i], '\0'};
        char *end;
        uint64_t *half = &fingerprint[i < 16];
        *half = *half << 4 | strtoul(digit, &end, 16);
        if (end != digit + 1 || digit[0] == '-' || digit[0] == '+')
            return false;
    }
    return true;
}

static bool add_extremes(struct joined_tally *tally, const struct json_document *document,
                         const struct json_value *value)
{
    char min[JOINED_TEXT_BYTES], max[JOINED_TEXT_BYTES];
    const struct json_value *least = json_member(document, value, "min");
    const struct json_value *most = json_member(document, value, "max");
    if (least == NULL && most == NULL)
        return true;
    if (!take_value(tally->is_float, least, min) || !take_value(tally->is_float, most, max))
        return false;
    if (!tally->has_extremes || compare_values(tally->is_float, min, tally->min) < 0)
        memcpy(tally->min, min, sizeof min);
    if (!tally->has_extremes || compare_values(tally->is_float, max, tally->max) > 0)
        memcpy(tally->max, max, sizeof max);
    tally->has_extremes = true;
    return true;
}

static bool add_numbers(struct joined_tally *tally, const struct json_document *document,
                        const struct json_value *value, const struct json_value *sum)
{
    struct joined_number number;
    uint64_t more;
    if (!tally->is_float) {
        if (sum->kind != JSON_STRING || !parse_number(sum->text, sum->text_bytes, &number))
            return false;
        add_number(&tally->sum, &number);
    }
    for (size_t i = 0; i < COUNTS; i++) {
        if (!json_count(json_member(document, value, counts[i].name), &more))
            return false;
        *count_of(tally, i) += more;
    }
    tally->has_numbers = true;
    return add_extremes(tally, document, value);
}

bool joined_tally_add(struct joined_tally *tally, const struct json_document *document,
                      const struct json_value *value)
{
    const struct json_value *print = json_member(document, value, "fingerprint");
    const struct json_value *nans = json_member(document, value, "nan_count");
    const struct json_value *sum = json_member(document, value, "sum");
    uint64_t count, fingerprint[2];
    if (!json_count(json_member(document, value, "count"), &count) ||
        count > UINT64_MAX - tally->count)
        return false;
    tally->count += count;
    if (print != NULL) {
        if (!joined_fingerprint(print, fingerprint))
            return false;
        tally->fingerprint[0] += fingerprint[0];
        tally->fingerprint[1] += fingerprint[1] + (tally->fingerprint[0] < fingerprint[0]);
        tally->has_fingerprint = true;
    }
    if (nans == NULL)
        return true;
    return (sum != NULL || tally->is_float) && add_numbers(tally, document, value, sum);
}

const char *joined_tally_differs(const struct joined_tally *a, const struct joined_tally *b)
{
    if (a->count != b->count)
        return "count";
    if (a->has_fingerprint && b->has_fingerprint &&
        memcmp(a->fingerprint, b->fingerprint, sizeof a->fingerprint) != 0)
        return "fingerprint";
    if (!a->has_numbers || !b->has_numbers)
        return NULL;
    if (compare_numbers(&a->sum, &b->sum) != 0)
        return "sum";
    for (size_t i = 0; i < COUNTS; i++)
        if (count_in(a, i) != count_in(b, i))
            return counts[i].name;
    if (a->has_extremes != b->has_extremes || strcmp(a->min, b->min) != 0)
        return "min";
    return strcmp(a->max, b->max) != 0 ? "max" : NULL;
}

void joined_tally_print(FILE *out, int indent, const struct joined_tally *tally)
{
    const char *quote = tally->has_extremes ? "\"" : "";
    fprintf(out, "%*s\"count\": %" PRIu64, indent, "", tally->count);
    if (tally->has_numbers) {
        fprintf(out, ",\n%*s\"min\": %s%s%s", indent, "", quote,
                tally->has_extremes ? tally->min : "null", quote);
        fprintf(out, ",\n%*s\"max\": %s%s%s", indent, "", quote,
                tally->has_extremes ? tally->max : "null", quote);
        fprintf(out, ",\n%*s\"sum\": %s", indent, "", tally->is_float ? "null" : "\"");
        if (!tally->is_float)
            print_number(out, &tally->sum);
        fputs(tally->is_float ? "" : "\"", out);
        for (size_t i = 0; i < COUNTS; i++)
            fprintf(out, ",\n%*s\"%s\": %" PRIu64, indent, "", counts[i].name, count_in(tally, i));
    }
    if (tally->has_fingerprint)
        fprintf(out, ",\n%*s\"fingerprint\": \"%016" PRIx64 "%016" PRIx64 "\"", indent, "",
                tally->fingerprint[1], tally->fingerprint[0]);
    fputc('\n', out);
}
