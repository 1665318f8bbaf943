/* record_planes.c: splits and joins a block of records at a time, which stays in the nearest caches
 * meanwhile. */
#include "run/record_planes.h"

#include "base/assert.h"
#include "base/checked.h"
#include "base/simd.h"
#include "element/layout.h"
#include "element/record/record.h"

#define BLOCK GSI_CONSTANT(256u, 32u) /* records */

struct gsi_record_planes gsi_record_planes_of(const struct gsi_layout *layout)
{
    const struct gsi_record *record = layout->record;
    struct gsi_record_planes which = {.record_bytes = layout->key_bytes};
    if (gsi_layout_is_native(layout) || record->key_count == 0 || record->keys[0].number == NULL)
        return which;
    which.key_off = record->keys[0].off;
    which.key_bytes = record->keys[0].bytes;
    which.is_big_endian = record->keys[0].is_big_endian;
    return which;
}

static bool is_key(const struct gsi_record_planes *which, uint32_t byte)
{
    return byte - which->key_off < which->key_bytes;
}

/* Returns the index in the record of byte `b` of the first key, counted from the lowest byte. */
static uint32_t key_byte(const struct gsi_record_planes *which, uint32_t b)
{
    return which->key_off + (which->is_big_endian ? which->key_bytes - 1 - b : b);
}

/* Subtracts one byte of each record. `before`: that byte in the previous record; lent[m]: the
 * borrow of the next lower byte. */
static void subtract(const uint8_t *from, size_t step, size_t m, uint32_t before, uint8_t *lent,
                     uint8_t *to)
{
    for (size_t i = 0; i < m; i++) {
        uint32_t byte = from[i * step], less = before + lent[i];
        to[i] = (uint8_t)(byte - less);
        lent[i] = byte < less;
        before = byte;
    }
}

static void add(const uint8_t *from, size_t step, size_t m, uint32_t before, uint8_t *carried,
                uint8_t *to)
{
    for (size_t i = 0; i < m; i++) {
        uint32_t sum = before + from[i] + carried[i];
        carried[i] = (uint8_t)(sum >> 8);
        before = sum & 0xff;
        to[i * step] = (uint8_t)before;
    }
}

void gsi_record_planes_split(const struct gsi_record_planes *which, const uint8_t *records,
                             size_t n, uint8_t *planes)
{
    const size_t step = which->record_bytes;
    for (size_t at = 0; at < n; at += BLOCK) {
        const uint8_t *from = records + at * step;
        size_t m = gsi_min_u64(BLOCK, n - at);
        uint8_t lent[BLOCK] = {0};
        for (uint32_t j = 0; j < step; j++)
            for (size_t i = 0; i < m && !is_key(which, j); i++)
                planes[j * n + at + i] = from[i * step + j];
        for (uint32_t b = 0; b < which->key_bytes; b++) {
            uint32_t j = key_byte(which, b);
            subtract(from + j, step, m, at > 0 ? from[j - step] : 0, lent, planes + j * n + at);
        }
    }
}

void gsi_record_planes_join(const struct gsi_record_planes *which, const uint8_t *planes, size_t n,
                            uint8_t *records)
{
    const size_t step = which->record_bytes;
    for (size_t at = 0; at < n; at += BLOCK) {
        uint8_t *to = records + at * step;
        size_t m = gsi_min_u64(BLOCK, n - at);
        uint8_t carried[BLOCK] = {0};
        for (uint32_t j = 0; j < step; j++)
            for (size_t i = 0; i < m && !is_key(which, j); i++)
                to[i * step + j] = planes[j * n + at + i];
        for (uint32_t b = 0; b < which->key_bytes; b++) {
            uint32_t j = key_byte(which, b);
            add(planes + j * n + at, step, m, at > 0 ? to[j - step] : 0, carried, to + j);
        }
    }
}
