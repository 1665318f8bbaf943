/* record.c: reads and compares parts of normalised keys. */
#include "element/record/record.h"

#include "base/checked.h"
#include "base/simd.h"
#include "base/status.h"
#include "element/key_order.h"

#include <string.h>

/* Reads a number of 1, 2, 4 or 8 bytes. */
static uint64_t load_number(const uint8_t *at, uint32_t bytes, bool is_big_endian)
{
    uint16_t half;
    uint32_t word;
    uint64_t wide;
    switch (bytes) {
    case 1:
        return *at;
    case 2:
        memcpy(&half, at, 2);
        return is_big_endian ? __builtin_bswap16(half) : half;
    case 4:
        memcpy(&word, at, 4);
        return is_big_endian ? __builtin_bswap32(word) : word;
    default:
        memcpy(&wide, at, 8);
        return is_big_endian ? __builtin_bswap64(wide) : wide;
    }
}

/* Reads a part that is a number, without mapping it, into the upper bits of a 64-bit word. */
static uint64_t part_number(const struct gsi_key_part *part, const uint8_t *element)
{
    return load_number(element + part->off, part->bytes, part->is_big_endian)
           << (64 - 8 * part->bytes);
}

uint64_t gsi_key_part_bits(const struct gsi_key_part *part, const uint8_t *element)
{
    return gsi_key_of_u64(part->map, part_number(part, element)) >> (64 - 8 * part->bytes);
}

static struct gsi_key_map float_map(uint32_t bits, uint64_t infinity)
{
    const uint64_t below_sign = UINT64_MAX >> (65 - bits);
    return (struct gsi_key_map){.flip = below_sign << (64 - bits),
                                .sign = (uint64_t)1 << 63,
                                .shift = (below_sign - infinity) << (64 - bits)};
}

struct gsi_key_map gsi_field_key_map(const struct gsi_field *field)
{
    const uint64_t sign = (uint64_t)1 << 63;
    switch (field->number->part) {
    case GSI_PART_F16:
        return float_map(16, 0x7c00);
    case GSI_PART_BF16:
        return float_map(16, 0x7f80);
    case GSI_PART_F32:
        return float_map(32, 0x7f800000);
    case GSI_PART_F64:
        return float_map(64, 0x7ff0000000000000);
    case GSI_PART_TIME: /* NaT, the least one, is last */
        return (struct gsi_key_map){.sign = sign, .shift = 1};
    case GSI_PART_INT:
        break;
    }
    return (struct gsi_key_map){.sign = field->type->kind == GSI_KEY_SIGNED ? sign : 0};
}

/* Returns the index of the part that contains byte `at` of the key; part_count after its end. */
static uint32_t part_at(const struct gsi_record *record, uint32_t at)
{
    uint32_t i = 0;
    while (i < record->part_count && record->parts[i].at + record->parts[i].bytes <= at)
        i++;
    return i;
}

static void flip_bytes(const uint8_t *from, uint32_t n, uint8_t flip, uint8_t *to)
{
    const uint64_t flips = flip * 0x0101010101010101u;
    for (; n >= 8; n -= 8, from += 8, to += 8) {
        uint64_t word = load_number(from, 8, false) ^ flips;
        memcpy(to, &word, 8);
    }
    for (uint32_t i = 0; i < n; i++)
        to[i] = from[i] ^ flip;
}

/* Copies bytes [skip, skip + n) of a part. */
static void part_key(const struct gsi_key_part *part, const uint8_t *element, uint32_t skip,
                     uint32_t n, uint8_t *key)
{
    if (!part->is_number) {
        flip_bytes(element + part->off + skip, n, (uint8_t)part->map.invert, key);
        return;
    }
    uint64_t word = gsi_key_part_bits(part, element);
    if (n == 8) {
        word = __builtin_bswap64(word);
        memcpy(key, &word, 8);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        key[i] = (uint8_t)(word >> 8 * (part->bytes - 1 - skip - i));
}

void gsi_record_first_keys(const struct gsi_record *record, uint32_t key_count,
                           struct gsi_record *first)
{
    *first = *record;
    first->key_count = key_count;
    first->ties_by_bytes = false;
    first->key_bytes = 0;
    for (uint32_t i = 0; i < key_count; i++)
        first->key_bytes += record->keys[i].bytes;
    first->part_count = part_at(first, first->key_bytes);
}

void gsi_record_key(const struct gsi_record *record, const void *element, uint32_t at, uint32_t n,
                    uint8_t *key)
{
    for (uint32_t i = part_at(record, at); i < record->part_count && n > 0; i++) {
        const struct gsi_key_part *part = &record->parts[i];
        uint32_t skip = at - part->at;
        uint32_t taken = (uint32_t)gsi_min_u64(n, part->bytes - skip);
        part_key(part, element, skip, taken, key);
        at += taken;
        key += taken;
        n -= taken;
    }
    memset(key, 0, n);
}

int gsi_record_compare(const struct gsi_record *record, const void *a, const void *b, uint32_t at)
{
    const uint8_t *x = a, *y = b;
    for (uint32_t i = part_at(record, at); i < record->part_count; i++) {
        const struct gsi_key_part *part = &record->parts[i];
        if (!part->is_number) {
            uint32_t skip = at > part->at ? at - part->at : 0;
            int by_bytes = memcmp(x + part->off + skip, y + part->off + skip, part->bytes - skip);
            if (by_bytes != 0)
                return part->map.invert == 0 ? by_bytes : -by_bytes;
        } else {
            uint64_t p = gsi_key_part_bits(part, x), q = gsi_key_part_bits(part, y);
            if (p != q)
                return p < q ? -1 : 1;
        }
    }
    return 0;
}

/* Returns how many leading bytes are equal, `most` at most. */
static uint32_t equal_bytes(const uint8_t *a, const uint8_t *b, uint32_t most)
{
    uint32_t n = 0;
    for (; n + 8 <= most; n += 8) {
        uint64_t difference = load_number(a + n, 8, false) ^ load_number(b + n, 8, false);
        if (difference != 0)
            return n + (uint32_t)__builtin_ctzll(difference) / 8;
    }
    while (n < most && a[n] == b[n])
        n++;
    return n;
}

/* Does the same for a part, from its byte `skip` on. */
static uint32_t equal_in_part(const struct gsi_key_part *part, const uint8_t *a, const uint8_t *b,
                              uint32_t skip, uint32_t most)
{
    if (!part->is_number)
        return equal_bytes(a + part->off + skip, b + part->off + skip, most);
    uint64_t difference = gsi_key_part_bits(part, a) ^ gsi_key_part_bits(part, b);
    if (difference == 0)
        return most;
    uint32_t equal = (uint32_t)__builtin_clzll(difference) / 8 - (8 - part->bytes);
    return (uint32_t)gsi_min_u64(equal > skip ? equal - skip : 0, most);
}

uint32_t gsi_record_shared(const struct gsi_record *record, const void *a, const void *b,
                           uint32_t at, uint32_t most)
{
    for (uint32_t i = part_at(record, at); at < most; i++) {
        const struct gsi_key_part *part = &record->parts[i];
        uint32_t skip = at - part->at;
        uint32_t wanted = (uint32_t)gsi_min_u64(most - at, part->bytes - skip);
        uint32_t equal = equal_in_part(part, a, b, skip, wanted);
        at += equal;
        if (equal < wanted)
            break;
    }
    return at;
}

struct gsi_field_report gsi_field_describe(const struct gsi_field *field)
{
    const struct gsi_key_type *type = field->type;
    struct gsi_field_report described = {
        .is_number = type != NULL,
        .type = type != NULL ? field->number->name : NULL,
        .off = field->off,
        .bytes = field->bytes,
        .element_bytes = type != NULL ? type->bytes : 0,
        .is_float = type != NULL && type->kind == GSI_KEY_FLOAT,
        .is_signed = type != NULL && type->kind != GSI_KEY_UNSIGNED,
        .is_big_endian = field->is_big_endian,
        .is_bfloat = type != NULL && field->number->part == GSI_PART_BF16,
        .is_time = type != NULL && field->number->part == GSI_PART_TIME,
        .has_no_sum = type != NULL && field->number->unit != GSI_UNIT_NONE,
        .unit = type != NULL ? field->number->unit : GSI_UNIT_NONE};
    gsi_shorten_name(described.text, sizeof described.text, field->text);
    return described;
}

/* Converts a float of two bytes to the f32 that is the same number. */
static void widen_float(enum gsi_part_kind part, uint8_t *number)
{
    uint16_t bits;
    memcpy(&bits, number, sizeof bits);
    uint32_t wide = part == GSI_PART_F16 ? gsi_f32_of_f16(bits) : (uint32_t)bits << 16;
    memcpy(number, &wide, sizeof wide);
}

void gsi_field_number(const struct gsi_field *field, const uint8_t *element, uint8_t *number)
{
    const uint8_t *at = element + field->off;
    uint32_t bytes = field->bytes;
    enum gsi_part_kind part = field->number->part;
    if (!field->is_big_endian)
        memcpy(number, at, bytes);
    else
        for (uint32_t i = 0; i < bytes; i++)
            number[i] = at[bytes - 1 - i];
    if (bytes >= field->type->bytes)
        return;
    if (part == GSI_PART_F16 || part == GSI_PART_BF16) {
        widen_float(part, number);
        return;
    }
    bool is_negative = field->type->kind == GSI_KEY_SIGNED && (number[bytes - 1] & 0x80) != 0;
    memset(number + bytes, is_negative ? 0xff : 0, field->type->bytes - bytes);
}

/* Copies fields that have as many bytes as their numbers, as in most jobs. `step` below is a
 * constant if a record is nothing but the field. */
GSI_INLINE void copy_words(const uint8_t *at, uint32_t step, size_t n, bool is_swapped,
                           uint8_t *numbers)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t word;
        memcpy(&word, at + i * step, sizeof word);
        word = is_swapped ? __builtin_bswap64(word) : word;
        memcpy(numbers + i * sizeof word, &word, sizeof word);
    }
}

GSI_INLINE void copy_halves(const uint8_t *at, uint32_t step, size_t n, bool is_swapped,
                            uint8_t *numbers)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t half;
        memcpy(&half, at + i * step, sizeof half);
        half = is_swapped ? __builtin_bswap32(half) : half;
        memcpy(numbers + i * sizeof half, &half, sizeof half);
    }
}

GSI_SIMD_CLONES static void copy_numbers_4(const uint8_t *at, uint32_t step, size_t n,
                                           bool is_swapped, uint8_t *numbers)
{
    if (is_swapped && step == 4)
        copy_halves(at, 4, n, true, numbers);
    else if (is_swapped)
        copy_halves(at, step, n, true, numbers);
    else
        copy_halves(at, step, n, false, numbers);
}

GSI_SIMD_CLONES static void copy_numbers_8(const uint8_t *at, uint32_t step, size_t n,
                                           bool is_swapped, uint8_t *numbers)
{
    if (is_swapped && step == 8)
        copy_words(at, 8, n, true, numbers);
    else if (is_swapped)
        copy_words(at, step, n, true, numbers);
    else
        copy_words(at, step, n, false, numbers);
}

/* Fields of 1 and 2 bytes, whose numbers have 4. */
GSI_INLINE uint32_t load_short(const uint8_t *at, uint32_t bytes, bool is_swapped)
{
    uint16_t bits = at[0];
    if (bytes == 1)
        return bits;
    memcpy(&bits, at, sizeof bits);
    return is_swapped ? __builtin_bswap16(bits) : bits;
}

GSI_SIMD_CLONES static void widen_ints(const struct gsi_field *field, const uint8_t *at,
                                       uint32_t step, size_t n, uint8_t *numbers)
{
    const uint32_t bytes = field->bytes;
    const uint32_t up = field->type->kind == GSI_KEY_SIGNED ? 32 - 8 * bytes : 0;
    const bool is_swapped = field->is_big_endian;
    for (size_t i = 0; i < n; i++) {
        int32_t number = (int32_t)(load_short(at + i * step, bytes, is_swapped) << up) >> up;
        memcpy(numbers + i * sizeof number, &number, sizeof number);
    }
}

static void widen_floats(const struct gsi_field *field, const uint8_t *at, uint32_t step, size_t n,
                         uint8_t *numbers)
{
    const bool is_half = field->number->part == GSI_PART_F16, is_swapped = field->is_big_endian;
    for (size_t i = 0; i < n; i++) {
        uint32_t bits = load_short(at + i * step, 2, is_swapped);
        uint32_t number = is_half ? gsi_f32_of_f16((uint16_t)bits) : bits << 16;
        memcpy(numbers + i * sizeof number, &number, sizeof number);
    }
}

static void copy_numbers_16(const uint8_t *at, uint32_t step, size_t n, bool is_swapped,
                            uint8_t *numbers)
{
    for (size_t i = 0; i < n; i++, at += step, numbers += 16) {
        uint64_t words[2] = {load_number(is_swapped ? at + 8 : at, 8, is_swapped),
                             load_number(is_swapped ? at : at + 8, 8, is_swapped)};
        memcpy(numbers, words, sizeof words);
    }
}

GSI_SIMD_CLONES static size_t count_nats(const uint8_t *numbers, size_t n)
{
    size_t nats = 0;
    for (size_t i = 0; i < n; i++) {
        int64_t time;
        memcpy(&time, numbers + i * sizeof time, sizeof time);
        nats += time == INT64_MIN;
    }
    return nats;
}

/* Returns how many times are left. */
static size_t drop_nats(uint8_t *numbers, size_t n)
{
    size_t kept = 0;
    if (count_nats(numbers, n) == 0)
        return n;
    for (size_t i = 0; i < n; i++) {
        int64_t time;
        memcpy(&time, numbers + i * sizeof time, sizeof time);
        memcpy(numbers + kept * sizeof time, &time, sizeof time);
        kept += time != INT64_MIN;
    }
    return kept;
}

size_t gsi_field_numbers(const struct gsi_field *field, const uint8_t *elements, uint32_t step,
                         size_t n, uint8_t *numbers)
{
    uint32_t bytes = field->type->bytes;
    bool is_whole = field->bytes == bytes;
    if (is_whole && bytes == step && !field->is_big_endian)
        memcpy(numbers, elements, n * bytes);
    else if (is_whole && bytes == 4)
        copy_numbers_4(elements + field->off, step, n, field->is_big_endian, numbers);
    else if (is_whole && bytes == 8)
        copy_numbers_8(elements + field->off, step, n, field->is_big_endian, numbers);
    else if (is_whole)
        copy_numbers_16(elements + field->off, step, n, field->is_big_endian, numbers);
    else if (field->type->kind == GSI_KEY_FLOAT)
        widen_floats(field, elements + field->off, step, n, numbers);
    else
        widen_ints(field, elements + field->off, step, n, numbers);
    return field->number->part == GSI_PART_TIME ? drop_nats(numbers, n) : n;
}
