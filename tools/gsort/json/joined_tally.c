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

static void print_number(char text[JOINED_DIGITS + 2], const struct joined_number *number)
{
    if (number->is_negative)
        *text++ = '-';
    for (size_t i = number->count; i > 0; i--)
        *text++ = (char)('0' + number->digits[i - 1]);
    if (number->count == 0)
        *text++ = '0';
    *text = '\0';
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
static bool take_value(bool is_float, const json_t *value, char text[JOINED_TEXT_BYTES])
{
    struct joined_number number;
    char *end;
    size_t bytes = json_string_length(value);
    if (bytes == 0 || bytes >= JOINED_TEXT_BYTES)
        return false;
    memcpy(text, json_string_value(value), bytes + 1);
    if (!is_float)
        return parse_number(text, bytes, &number);
    (void)strtod(text, &end);
    return *end == '\0';
}

bool joined_fingerprint(const json_t *value, uint64_t fingerprint[2])
{
    const char *text = json_string_value(value);
    if (json_string_length(value) != 32)
        return false;
    fingerprint[0] = fingerprint[1] = 0;
    for (size_t i = 0; i < 32; i++) {
        char digit[2] = {text[i], '\0'};
        char *end;
        uint64_t *half = &fingerprint[i < 16];
        *half = *half << 4 | strtoul(digit, &end, 16);
        if (end != digit + 1 || digit[0] == '-' || digit[0] == '+')
            return false;
    }
    return true;
}

static bool add_extremes(struct joined_tally *tally, const json_t *value)
{
    char min[JOINED_TEXT_BYTES], max[JOINED_TEXT_BYTES];
    const json_t *least = report_member(value, "min");
    const json_t *most = report_member(value, "max");
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

static bool add_numbers(struct joined_tally *tally, const json_t *value, const json_t *sum)
{
    struct joined_number number;
    uint64_t more;
    if (!tally->is_float) {
        if (!parse_number(json_string_value(sum), json_string_length(sum), &number))
            return false;
        add_number(&tally->sum, &number);
    }
    for (size_t i = 0; i < COUNTS; i++) {
        if (!report_count(report_member(value, counts[i].name), &more))
            return false;
        *count_of(tally, i) += more;
    }
    tally->has_numbers = true;
    return add_extremes(tally, value);
}

bool joined_tally_add(struct joined_tally *tally, const json_t *value)
{
    const json_t *print = report_member(value, "fingerprint");
    const json_t *nans = report_member(value, "nan_count");
    const json_t *sum = report_member(value, "sum");
    uint64_t count, fingerprint[2];
    if (!report_count(report_member(value, "count"), &count) || count > UINT64_MAX - tally->count)
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
    return (sum != NULL || tally->is_float) && add_numbers(tally, value, sum);
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

void joined_put_fingerprint(json_t *object, const char *name, const uint64_t fingerprint[2])
{
    json_object_set_new(object, name,
                        json_sprintf("%016" PRIx64 "%016" PRIx64, fingerprint[1], fingerprint[0]));
}

void joined_put_count(json_t *object, const char *name, uint64_t count)
{
    bool is_exact = count <= (uint64_t)1 << 53; /* as reports have it */
    json_object_set_new(
        object, name, is_exact ? json_integer((json_int_t)count) : json_sprintf("%" PRIu64, count));
}

void joined_tally_put(json_t *object, const struct joined_tally *tally)
{
    char sum[JOINED_DIGITS + 2];
    joined_put_count(object, "count", tally->count);
    if (tally->has_numbers) {
        print_number(sum, &tally->sum);
        json_object_set_new(object, "min",
                            tally->has_extremes ? json_string(tally->min) : json_null());
        json_object_set_new(object, "max",
                            tally->has_extremes ? json_string(tally->max) : json_null());
        json_object_set_new(object, "sum", tally->is_float ? json_null() : json_string(sum));
        for (size_t i = 0; i < COUNTS; i++)
            joined_put_count(object, counts[i].name, count_in(tally, i));
    }
    if (tally->has_fingerprint)
        joined_put_fingerprint(object, "fingerprint", tally->fingerprint);
}
