/* carry.c: what is carried of elements, and what is written of that. */
#include "element/carry/carry.h"

#include "base/checked.h"
#include "element/carry/shuffle.h"
#include "element/carry/strided.h"
#include "element/record/integer_record.h"
#include "element/tally/digest.h"

#include <stdlib.h>
#include <string.h>

/* ---- keys and positions ---- */

static uint32_t bits_of(uint64_t most)
{
    return most <= 1 ? 1 : 64 - (uint32_t)__builtin_clzll(most - 1);
}

enum gs_status gsi_carry_positions(struct gsi_carry *carry, const struct gsi_layout *input,
                                   uint64_t most, bool has_groups, uint32_t index_bytes,
                                   struct gs_error *error)
{
    uint32_t key = input->record->key_bytes;
    uint64_t bits = 8 * (uint64_t)key + bits_of(most);
    *carry = (struct gsi_carry){
        .kind = GSI_CARRY_NUMBER, .input = *input, .output_bytes = index_bytes, .key_bytes = key};
    if (!has_groups && bits <= 128) {
        carry->carried_bytes = bits <= 64 ? 8 : 16;
        carry->position_bits =
            (uint32_t)gsi_min_u64(64, 8 * (uint64_t)(carry->carried_bytes - key));
        return GS_OK;
    }
    carry->kind = GSI_CARRY_KEY;
    carry->carried_bytes = key + (uint32_t)sizeof(uint64_t);
    if (carry->carried_bytes <= GSI_RECORD_BYTES_MAX)
        return GS_OK;
    return gsi_fail(error, GS_E_USAGE, 0,
                    "--argsort: keys of %u bytes are too long, the limit is %u bytes; give fewer "
                    "or shorter keys with --key",
                    key, GSI_RECORD_BYTES_MAX - (uint32_t)sizeof(uint64_t));
}

bool gsi_carry_fits(uint64_t count, uint32_t index_bytes)
{
    return index_bytes == 8 || count <= (uint64_t)UINT32_MAX + 1;
}

/* The normalised key of a record, 15 bytes at most, as a number. */
static gsi_u128 key_of_record(const struct gsi_record *record, const uint8_t *element)
{
    gsi_u128 key = 0;
    for (uint32_t i = 0; i < record->part_count; i++) {
        const struct gsi_key_part *part = &record->parts[i];
        if (part->is_number) {
            key = key << 8 * part->bytes | gsi_part_word(part, element);
            continue;
        }
        for (uint32_t k = 0; k < part->bytes; k++)
            key = key << 8 | (uint8_t)(element[part->off + k] ^ part->map.invert);
    }
    return key;
}

static void store_u128(uint8_t *to, gsi_u128 value, uint32_t bytes)
{
    memcpy(to, &value, bytes); /* little endian */
}

/* A number of 4 or 8 bytes above its position, in 8 or 16. */
GSI_INLINE void take_words(const struct gsi_carry *carry, const uint8_t *elements, size_t n,
                           uint64_t first, const uint32_t *places, uint8_t *to, uint32_t width,
                           uint32_t carried)
{
    const struct gsi_key_map map = carry->input.map;
    const uint32_t shift = carry->position_bits;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = 0, position = first + (places != NULL ? places[i] : i);
        memcpy(&bits, elements + i * width, width);
        uint64_t key = width == 4 ? gsi_key_of_u32(map, (uint32_t)bits) : gsi_key_of_u64(map, bits);
        if (carried == 8) {
            uint64_t both = key << (shift & 63) | position;
            memcpy(to + i * 8, &both, 8);
        } else {
            store_u128(to + i * 16, (gsi_u128)key << shift | position, 16);
        }
    }
}

static void take_numbers(const struct gsi_carry *carry, const uint8_t *elements, size_t n,
                         uint64_t first, const uint32_t *places, uint8_t *to)
{
    const uint32_t width = carry->input.element_bytes, carried = carry->carried_bytes;
    if (width == 8 && carried == 16)
        take_words(carry, elements, n, first, places, to, 8, 16);
    else if (width == 4 && carried == 8)
        take_words(carry, elements, n, first, places, to, 4, 8);
    else
        take_words(carry, elements, n, first, places, to, 4, 16);
}

static void take_record(const struct gsi_carry *carry, const uint8_t *element, uint64_t position,
                        uint8_t *to)
{
    gsi_u128 key = key_of_record(carry->input.record, element);
    store_u128(to, key << carry->position_bits | position, carry->carried_bytes);
}

static void take_key(const struct gsi_carry *carry, const uint8_t *element, uint64_t position,
                     uint8_t *to)
{
    gsi_record_key(carry->input.record, element, 0, carry->key_bytes, to);
    memcpy(to + carry->key_bytes, &position, sizeof position);
}

static void take_fields(const struct gsi_carry *carry, const uint8_t *element, uint8_t *to)
{
    for (uint32_t i = 0; i < carry->in_count; i++)
        memcpy(to + carry->in[i].to, element + carry->in[i].from, carry->in[i].bytes);
}

void gsi_carry_joined(struct gsi_carry *carry, const struct gsi_layout *input, uint32_t value_bytes)
{
    uint32_t bytes = input->element_bytes + value_bytes;
    *carry = (struct gsi_carry){
        .kind = GSI_CARRY_JOINED, .input = *input, .carried_bytes = bytes, .output_bytes = bytes};
}

/* ---- random keys ---- */

#define KEYS 64u

void gsi_carry_shuffle(struct gsi_carry *carry, uint64_t seed)
{
    carry->is_shuffled = true;
    carry->seed = seed;
    if (gsi_carry_has_positions(carry)) {
        carry->kind = GSI_CARRY_NUMBER;
        carry->carried_bytes = 2 * (uint32_t)sizeof seed;
        carry->position_bits = 64;
        return;
    }
    carry->carried_bytes += (uint32_t)sizeof seed;
    carry->output_bytes += carry->kind == GSI_CARRY_JOINED ? (uint32_t)sizeof seed : 0;
}

static void take_shuffled(const struct gsi_carry *carry, const uint64_t *keys,
                          const uint8_t *elements, size_t n, uint64_t first, const uint32_t *places,
                          uint8_t *to)
{
    const uint32_t width = carry->input.element_bytes, carried = carry->carried_bytes;
    if (carry->kind == GSI_CARRY_NUMBER) {
        for (size_t i = 0; i < n; i++) {
            uint64_t position = first + (places != NULL ? places[i] : i);
            store_u128(to + i * carried, (gsi_u128)keys[i] << 64 | position, carried);
        }
        return;
    }
    gsi_copy_strided(to, carried, (const uint8_t *)keys, sizeof *keys, n, sizeof *keys);
    if (carry->kind == GSI_CARRY_JOINED)
        gsi_copy_strided(to + sizeof *keys, carried, elements, width, n, width);
    for (uint32_t i = 0; i < carry->in_count; i++)
        gsi_copy_strided(to + carry->in[i].to, carried, elements + carry->in[i].from, width, n,
                         carry->in[i].bytes);
}

void gsi_carry_take(const struct gsi_carry *carry, const uint8_t *elements, size_t n,
                    uint64_t first, const uint32_t *places, uint64_t rank, uint8_t *to)
{
    const uint32_t width = carry->input.element_bytes;
    for (size_t i = 0; carry->is_shuffled && i < n; i += KEYS) {
        uint64_t keys[KEYS];
        const size_t m = gsi_min_u64(KEYS, n - i);
        gsi_shuffle_keys(carry->seed, rank + i, m, keys);
        take_shuffled(carry, keys, elements + i * width, m, first + (places == NULL ? i : 0),
                      places != NULL ? places + i : NULL, to + i * carry->carried_bytes);
    }
    if (carry->is_shuffled)
        return;
    if (carry->kind == GSI_CARRY_NUMBER && gsi_layout_is_native(&carry->input)) {
        take_numbers(carry, elements, n, first, places, to);
        return;
    }
    for (size_t i = 0; i < n; i++, elements += width, to += carry->carried_bytes) {
        uint64_t position = first + (places != NULL ? places[i] : i);
        if (carry->kind == GSI_CARRY_JOINED)
            memcpy(to, elements, width);
        else if (carry->kind == GSI_CARRY_FIELDS)
            take_fields(carry, elements, to);
        else if (carry->kind == GSI_CARRY_NUMBER)
            take_record(carry, elements, position, to);
        else
            take_key(carry, elements, position, to);
    }
}

/* Positions out of numbers of 16, 8 or 4 bytes, with nothing behind them. */
GSI_INLINE gsi_u128 put_words(const struct gsi_carry *carry, const uint8_t *carried, size_t n,
                              uint8_t *to, uint32_t width, uint32_t written)
{
    const uint64_t mask =
        carry->position_bits < 64 ? ((uint64_t)1 << carry->position_bits) - 1 : UINT64_MAX;
    gsi_u128 sum = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t position = 0;
        memcpy(&position, carried + i * width, width < sizeof position ? width : sizeof position);
        position &= mask;
        memcpy(to + i * written, &position, written);
        sum += position;
    }
    return sum;
}

gsi_u128 gsi_carry_put(const struct gsi_carry *carry, const uint8_t *carried, size_t n,
                       uint64_t stride, uint8_t *to)
{
    const uint64_t behind = stride - carry->carried_bytes;
    gsi_u128 sum = 0;
    if (carry->kind == GSI_CARRY_NUMBER && carry->carried_bytes == 16 && carry->output_bytes == 8)
        return put_words(carry, carried, n, to, 16, 8);
    if (carry->kind == GSI_CARRY_NUMBER && carry->carried_bytes == 16)
        return put_words(carry, carried, n, to, 16, 4);
    if (carry->kind == GSI_CARRY_NUMBER)
        return carry->output_bytes == 8 ? put_words(carry, carried, n, to, 8, 8)
                                        : put_words(carry, carried, n, to, 8, 4);
    if (!gsi_carry_has_positions(carry) && carry->out_count == 1 && behind == 0) {
        gsi_copy_strided(to, carry->output_bytes, carried + carry->out[0].from, stride, n,
                         carry->output_bytes);
        return 0;
    }
    for (size_t i = 0; i < n; i++, carried += stride, to += carry->output_bytes + behind) {
        if (gsi_carry_has_positions(carry)) {
            uint64_t position;
            memcpy(&position, carried + carry->key_bytes, sizeof position);
            memcpy(to, &position, carry->output_bytes);
            sum += position;
        }
        for (uint32_t k = 0; k < carry->out_count; k++)
            memcpy(to + carry->out[k].to, carried + carry->out[k].from, carry->out[k].bytes);
        if (behind > 0)
            memcpy(to + carry->output_bytes, carried + carry->carried_bytes, behind);
    }
    return sum;
}

gsi_u128 gsi_carry_copy(const struct gsi_carry *carry, const uint8_t *positions, size_t n,
                        uint8_t *to)
{
    return carry->output_bytes == 8 ? put_words(carry, positions, n, to, 8, 8)
                                    : put_words(carry, positions, n, to, 4, 4);
}

bool gsi_carry_suits_device(const struct gsi_carry *carry)
{
    struct gsi_integer_map unused;
    return carry->kind == GSI_CARRY_NUMBER && !carry->is_shuffled &&
           gsi_integer_map_make(carry->input.record, &unused);
}

/* ---- fields ---- */

void gsi_carry_fields(struct gsi_carry *carry, const struct gsi_layout *input)
{
    *carry = (struct gsi_carry){.kind = GSI_CARRY_FIELDS, .input = *input};
}

void gsi_carry_need(struct gsi_carry *carry, uint32_t off, uint32_t bytes)
{
    carry->needed[carry->needed_count++] = (struct gsi_carry_piece){.from = off, .bytes = bytes};
}

void gsi_carry_write_field(struct gsi_carry *carry, uint32_t off, uint32_t bytes)
{
    carry->out[carry->out_count++] =
        (struct gsi_carry_piece){.from = off, .to = carry->output_bytes, .bytes = bytes};
    carry->output_bytes += bytes;
    gsi_carry_need(carry, off, bytes);
}

static int by_place(const void *a, const void *b)
{
    const struct gsi_carry_piece *x = a, *y = b;
    return x->from < y->from ? -1 : x->from > y->from;
}

uint32_t gsi_carry_place(const struct gsi_carry *carry, uint32_t off)
{
    uint32_t i = 0;
    while (carry->in[i].from + carry->in[i].bytes <= off)
        i++;
    return carry->in[i].to + off - carry->in[i].from;
}

void gsi_carry_lay_out(struct gsi_carry *carry, bool is_whole)
{
    if (is_whole)
        gsi_carry_need(carry, 0, carry->input.element_bytes);
    carry->is_whole = carry->is_shuffled && carry->out_count == 1 &&
                      carry->output_bytes == carry->input.element_bytes;
    qsort(carry->needed, carry->needed_count, sizeof *carry->needed, by_place);
    for (uint32_t i = 0; i < carry->needed_count; i++) {
        const struct gsi_carry_piece *next = &carry->needed[i];
        struct gsi_carry_piece *last = &carry->in[carry->in_count - (carry->in_count > 0)];
        uint32_t end = next->from + next->bytes;
        if (carry->in_count > 0 && next->from <= last->from + last->bytes)
            last->bytes = (uint32_t)gsi_max_u64(last->bytes, end - last->from);
        else
            carry->in[carry->in_count++] = *next;
    }
    for (uint32_t i = 0; i < carry->in_count; i++) {
        carry->in[i].to = carry->carried_bytes;
        carry->carried_bytes += carry->in[i].bytes;
    }
    for (uint32_t i = 0; i < carry->out_count; i++)
        carry->out[i].from = gsi_carry_place(carry, carry->out[i].from);
}
