/* type_guess.c: guesses a type from the first numbers, by these rules in this order. All sampled
 * numbers must obey, and at least four of them (or of both halves) must not be neutral, except that
 * times need sixteen. Zeros, infinities and the usual NaN are neutral in floats, zeros in integers.
 *
 *     f32          both halves are within 2^-24 and 2^24
 *     f64          within 2^-64 and 2^64; f32 precedes, because most pairs of f32 are such f64
 *     u32, i32     both halves are below 2^24, and their maxima differ at most by a factor of 4
 *     i64          below 2^48, and some are negative; -1 does not count, as it may mean "none"
 *     time64[..]   from 2000 to 2050, as seconds, ms, us or ns since 1970
 *
 * Random u64 obey none: four obey the rules of floats once in 10^5 files, and 64 never. Two u32 in
 * one u64, as an edge of a graph, look like u32, and such a u64 needs --type. */
#include "element/type_guess.h"

#include "element/number_type.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ENOUGH       4u
#define ENOUGH_TIMES 16u
#define SHOWN        3u

static uint64_t number_at(const uint8_t *data, size_t i)
{
    uint64_t number;
    memcpy(&number, data + 8 * i, sizeof number);
    return number;
}

static uint32_t half_at(const uint8_t *data, size_t i)
{
    uint32_t half;
    memcpy(&half, data + 4 * i, sizeof half);
    return half;
}

/* Returns whether the bits of a float without its sign are 0, infinity or the usual NaN. */
static bool is_neutral(uint64_t bits, unsigned digits, uint64_t exponents)
{
    uint64_t infinity = exponents << digits;
    return bits == 0 || bits == infinity || bits == (infinity | UINT64_C(1) << (digits - 1));
}

static bool are_f32(const uint8_t *data, size_t count)
{
    size_t seen[2] = {0};
    for (size_t i = 0; i < 2 * count; i++) {
        uint32_t bits = half_at(data, i) & INT32_MAX, exponent = bits >> 23;
        if (exponent >= 127 - 24 && exponent < 127 + 24)
            seen[i % 2]++;
        else if (!is_neutral(bits, 23, 0xff))
            return false;
    }
    return seen[0] >= ENOUGH && seen[1] >= ENOUGH;
}

static bool are_f64(const uint8_t *data, size_t count)
{
    size_t seen = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = number_at(data, i) & INT64_MAX, exponent = bits >> 52;
        if (exponent >= 1023 - 64 && exponent < 1023 + 64)
            seen++;
        else if (!is_neutral(bits, 52, 0x7ff))
            return false;
    }
    return seen >= ENOUGH;
}

/* A small i64 has the upper half 0 or -1, so one of the upper halves must be larger. */
static const char *integers_of_32_bits(const uint8_t *data, size_t count)
{
    size_t seen[2] = {0};
    uint32_t most[2] = {0};
    bool is_signed = false;
    for (size_t i = 0; i < 2 * count; i++) {
        uint32_t half = half_at(data, i);
        bool is_negative = half > INT32_MAX;
        uint32_t size = is_negative ? 0 - half : half;
        if (size >= 1u << 24)
            return NULL;
        is_signed |= is_negative;
        seen[i % 2] += size > 0;
        most[i % 2] = size > most[i % 2] ? size : most[i % 2];
    }
    bool are_alike = most[0] <= 4 * most[1] && most[1] <= 4 * most[0];
    if (seen[0] < ENOUGH || seen[1] < ENOUGH || most[1] < 2 || !are_alike)
        return NULL;
    return is_signed ? "i32" : "u32";
}

static bool are_i64(const uint8_t *data, size_t count)
{
    bool has_negative = false;
    for (size_t i = 0; i < count; i++) {
        uint64_t number = number_at(data, i);
        uint64_t size = number > INT64_MAX ? 0 - number : number;
        if (size >= UINT64_C(1) << 48)
            return false;
        has_negative |= number > INT64_MAX && size > 1;
    }
    return has_negative && count >= ENOUGH;
}

static const char *times(const uint8_t *data, size_t count)
{
    static const char *const types[] = {"time64[s]", "time64[ms]", "time64[us]", "time64[ns]"};
    uint64_t first = 946684800, end = 2524608000; /* 2000-01-01 and 2050-01-01 */
    for (size_t unit = 0; unit < 4 && count >= ENOUGH_TIMES; unit++, first *= 1000, end *= 1000) {
        size_t seen = 0;
        while (seen < count && number_at(data, seen) >= first && number_at(data, seen) < end)
            seen++;
        if (seen == count)
            return types[unit];
    }
    return NULL;
}

struct gsi_type_guess gsi_type_guess(const uint8_t *data, size_t bytes)
{
    size_t count = bytes / 8;
    if (are_f32(data, count))
        return (struct gsi_type_guess){.type = "f32"};
    if (are_f64(data, count))
        return (struct gsi_type_guess){.type = "f64"};
    const char *narrow = integers_of_32_bits(data, count);
    if (narrow != NULL)
        return (struct gsi_type_guess){.type = narrow};
    if (are_i64(data, count))
        return (struct gsi_type_guess){.type = "i64"};
    const char *time = times(data, count);
    return (struct gsi_type_guess){.type = time, .is_time = time != NULL};
}

static void number_text(char text[GSI_FLOAT_TEXT_BYTES], const struct gsi_number_type *type,
                        bool is_signed, const uint8_t *at)
{
    bool is_wide = type->bytes == 8;
    uint64_t bits = is_wide ? number_at(at, 0) : half_at(at, 0);
    int64_t number = is_wide ? (int64_t)bits : (int32_t)(uint32_t)bits;
    if (type->part == GSI_PART_TIME) {
        gsi_time_text(text, number, type->unit);
    } else if (type->part == GSI_PART_INT && is_signed) {
        snprintf(text, GSI_FLOAT_TEXT_BYTES, "%" PRId64, number);
    } else if (type->part == GSI_PART_INT) {
        snprintf(text, GSI_FLOAT_TEXT_BYTES, "%" PRIu64, bits);
    } else if (is_wide) {
        double x;
        memcpy(&x, at, sizeof x);
        gsi_float_text(text, x, GSI_PART_F64);
    } else {
        float x;
        memcpy(&x, at, sizeof x);
        gsi_float_text(text, (double)x, GSI_PART_F32);
    }
}

void gsi_type_guess_text(char text[GSI_GUESS_TEXT_BYTES], const char *type, const uint8_t *data,
                         size_t bytes)
{
    bool is_big_endian;
    const struct gsi_number_type *number = gsi_number_type_find(type, strlen(type), &is_big_endian);
    size_t count = bytes / number->bytes, length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count && i < SHOWN; i++) {
        char one[GSI_FLOAT_TEXT_BYTES];
        number_text(one, number, type[0] == 'i', data + i * number->bytes);
        length += (size_t)snprintf(text + length, GSI_GUESS_TEXT_BYTES - length, "%s%s",
                                   i == 0 ? "" : ", ", one);
    }
    if (count > SHOWN)
        snprintf(text + length, GSI_GUESS_TEXT_BYTES - length, ", ..");
}
