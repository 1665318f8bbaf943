/* value_counts.c: loops over elements of 1 and 2 bytes, and over their values. */
#include "element/value_counts.h"

#include "base/assert.h"
#include "base/checked.h"
#include "base/simd.h"
#include "element/record/record_tags.h"
#include "element/record/record_tally.h"

#include <string.h>

/* Sums of so many bytes, and sums of their squares, fit into 32 bits. */
#define BLOCK GSI_CONSTANT(4096u, 64u)
_Static_assert(BLOCK <= UINT32_MAX / UINT16_MAX, "sums of words fit");
_Static_assert(BLOCK <= UINT32_MAX / (UINT8_MAX * UINT8_MAX), "sums of squares of bytes fit");

/* Values whose keys are made at a time. */
#define ORDER_BLOCK 256u

static void add_bytes(uint64_t *tables, const uint8_t *elements, size_t n)
{
    size_t i = 0;
    for (; i + GSI_VALUE_TABLES <= n; i += GSI_VALUE_TABLES)
        for (size_t t = 0; t < GSI_VALUE_TABLES; t++)
            tables[t << 8 | elements[i + t]]++;
    for (; i < n; i++)
        tables[elements[i]]++;
}

void gsi_values_add(uint64_t *tables, uint32_t bytes, const void *elements, size_t n)
{
    const uint16_t *words = elements;
    if (bytes == 1) {
        add_bytes(tables, elements, n);
        return;
    }
    for (size_t i = 0; i < n; i++)
        tables[words[i]]++;
}

GSI_SIMD_CLONES static void sum_bytes(struct gsi_value_sums *sums, const uint8_t *elements,
                                      size_t n)
{
    uint32_t sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        sum += elements[i];
        squares += (uint32_t)elements[i] * elements[i];
    }
    sums->sum += sum;
    sums->squares += squares;
}

GSI_SIMD_CLONES static void sum_words(struct gsi_value_sums *sums, const uint16_t *elements,
                                      size_t n)
{
    uint64_t squares = 0;
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t x = elements[i];
        sum += x;
        squares += (uint64_t)x * x;
    }
    sums->sum += sum;
    sums->squares += squares;
}

void gsi_values_sum(struct gsi_value_sums *sums, uint32_t bytes, const void *elements, size_t n)
{
    const uint8_t *at = elements;
    for (size_t step; n > 0; n -= step, at += step * bytes) {
        step = gsi_min_u64(n, BLOCK);
        if (bytes == 1)
            sum_bytes(sums, at, step);
        else
            sum_words(sums, (const uint16_t *)(const void *)at, step);
    }
}

void gsi_values_order(const struct gsi_layout *layout, uint16_t *values)
{
    const uint32_t bytes = layout->element_bytes, all = gsi_value_count(bytes);
    uint8_t elements[2 * ORDER_BLOCK];
    gsi_u128 tags[ORDER_BLOCK];
    for (uint32_t first = 0; first < all; first += ORDER_BLOCK) {
        for (uint32_t i = 0; i < ORDER_BLOCK; i++) {
            const uint16_t value = (uint16_t)(first + i);
            memcpy(elements + (size_t)i * bytes, &value, bytes);
        }
        gsi_record_tags(layout->record, elements, ORDER_BLOCK, gsi_tag_choice_from(0), 0, tags);
        for (uint32_t i = 0; i < ORDER_BLOCK; i++)
            values[tags[i] >> (128 - 8 * bytes)] = (uint16_t)(first + i);
    }
}

/* From the highest binary digit of the counts down: doubles the tally, and adds the values whose
 * count has the digit. */
void gsi_values_tally(const struct gsi_layout *layout, const uint64_t *counts,
                      struct gsi_record_tally *tally, struct gsi_record_tally *scratch,
                      uint8_t *elements)
{
    const uint32_t bytes = layout->element_bytes;
    uint64_t all = 0;
    for (uint32_t value = 0; value < gsi_value_count(bytes); value++)
        all |= counts[value];
    for (int digit = all == 0 ? -1 : 63 - __builtin_clzll(all); digit >= 0; digit--) {
        size_t n = 0;
        gsi_record_tally_clear(scratch);
        gsi_record_tally_merge(scratch, tally);
        gsi_record_tally_merge(tally, scratch);
        for (uint32_t value = 0; value < gsi_value_count(bytes); value++) {
            uint16_t word = (uint16_t)value;
            memcpy(elements + n * bytes, &word, bytes);
            n += counts[value] >> digit & 1;
        }
        gsi_record_tally_add(tally, elements, n);
    }
}

static void fill_words(uint16_t *words, size_t n, uint16_t value)
{
    for (size_t i = 0; i < n; i++)
        words[i] = value;
}

void gsi_values_fill(uint32_t bytes, const uint16_t *values, const uint64_t *ends, uint64_t first,
                     size_t n, void *elements)
{
    uint32_t low = 0, high = gsi_value_count(bytes) - 1;
    while (low < high) { /* the first value that ends after `first` */
        uint32_t middle = low + (high - low) / 2;
        if (ends[middle] > first)
            high = middle;
        else
            low = middle + 1;
    }
    uint8_t *to = elements;
    for (size_t part; n > 0; n -= part, first += part, to += part * bytes, low++) {
        part = gsi_min_u64(n, ends[low] - first);
        if (bytes == 1)
            memset(to, values[low], part);
        else
            fill_words((uint16_t *)(void *)to, part, values[low]);
    }
}
