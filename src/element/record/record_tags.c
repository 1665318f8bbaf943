/* record_tags.c: copies bytes of normalised keys into tags. It works on a block of records that
 * stays in the first-level cache, and on one stretch of the key after another:
 *
 *     records      load         numbers at the upper end of 64 bits
 *     numbers      map          their keys, or bytes as they are
 *     keys         place        or'ed into both words of the tags
 *
 * No branch depends on a record. Loads are compiled for each width, the other loops take vectors.
 */
#include "element/record/record_tags.h"

#include "base/assert.h"
#include "base/checked.h"
#include "base/simd.h"

#include <string.h>

/* Records per block: 32 KiB with tags of 16 bytes, keys of 8 and records of a hundred bytes. */
#define BLOCK GSI_CONSTANT(256u, 16u)

/* The addresses of the records of a block. */
struct block {
    const uint8_t *first; /* the others follow, `stride` bytes apart; or, if NULL: */
    size_t stride;
    const uint8_t *const *each;
    size_t n;
};

/* A stretch: up to eight bytes of the key that a tag contains of one part. */
struct key_bytes {
    struct gsi_key_part part; /* of bytes: only those that are used */
    uint32_t skip;            /* leading bytes of the number's key that are not used */
    uint64_t mask;            /* of the used bytes, which begin at the upper end */
    uint32_t at;              /* in the tag, from its upper end on */
};

/* ---- load ---- */

/* Returns the integer at `at`; if it is big endian, its first byte is the highest one. `bytes`, 1
 * to 8, is a constant where this is called. */
GSI_INLINE uint64_t load_upper(const uint8_t *at, uint32_t bytes, bool is_big_endian)
{
    uint64_t word = 0;
    memcpy(&word, at, bytes);
    return is_big_endian ? __builtin_bswap64(word) : word << (64 - 8 * bytes);
}

GSI_INLINE void load_wide(const struct block *block, uint32_t off, uint32_t bytes,
                          bool is_big_endian, uint64_t *numbers)
{
    if (block->first == NULL) {
        for (size_t i = 0; i < block->n; i++)
            numbers[i] = load_upper(block->each[i] + off, bytes, is_big_endian);
        return;
    }
    const uint8_t *at = block->first + off;
    for (size_t i = 0; i < block->n; i++, at += block->stride)
        numbers[i] = load_upper(at, bytes, is_big_endian);
}

#define LOAD_CASE(bytes)                                  \
    case bytes:                                           \
        if (part->is_number && !part->is_big_endian)      \
            load_wide(block, off, bytes, false, numbers); \
        else                                              \
            load_wide(block, off, bytes, true, numbers);  \
        break;

static void load(const struct block *block, const struct gsi_key_part *part, uint64_t *numbers)
{
    const uint32_t off = part->off;
    switch (part->bytes) {
        LOAD_CASE(1)
        LOAD_CASE(2)
        LOAD_CASE(3)
        LOAD_CASE(4)
        LOAD_CASE(5)
        LOAD_CASE(6)
        LOAD_CASE(7)
        LOAD_CASE(8)
    }
}

/* ---- map and place ---- */

GSI_SIMD_CLONES static void map_keys(const struct key_bytes *stretch, uint64_t *numbers, size_t n)
{
    const struct gsi_key_map map = stretch->part.map;
    const uint64_t mask = stretch->mask;
    const uint32_t up = 8 * stretch->skip;
    for (size_t i = 0; i < n; i++)
        numbers[i] = gsi_key_of_u64(map, numbers[i]) << up & mask;
}

/* Adds the keys of the first stretch to tags that contain only indexes. */
GSI_SIMD_CLONES static void place_first(const uint64_t *keys, size_t n, gsi_lane_u64 *tags)
{
    for (size_t i = 0; i < n; i++)
        tags[2 * i + 1] = keys[i];
}

GSI_SIMD_CLONES static void place_next(const uint64_t *keys, size_t n, uint32_t at,
                                       gsi_lane_u64 *tags)
{
    const uint32_t down = 8 * at;
    if (at == 8) {
        for (size_t i = 0; i < n; i++)
            tags[2 * i] |= keys[i];
        return;
    }
    if (at > 8) {
        for (size_t i = 0; i < n; i++)
            tags[2 * i] |= keys[i] >> (down - 64);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        tags[2 * i + 1] |= keys[i] >> down;
        tags[2 * i] |= keys[i] << (64 - down);
    }
}

/* ---- tags ---- */

struct all_key_bytes {
    struct key_bytes of[GSI_TAG_KEY_BYTES];
    uint32_t count;
};

void gsi_tag_choice_places(struct gsi_tag_choice choice, uint32_t places[GSI_TAG_KEY_BYTES])
{
    uint32_t bits = choice.bits, after = choice.at + GSI_CHOICE_BITS;
    for (uint32_t i = 0; i < GSI_TAG_KEY_BYTES; i++, bits &= bits - 1)
        places[i] = bits != 0 ? choice.at + (uint32_t)__builtin_ctz(bits) : after++;
}

uint32_t gsi_tag_choice_end(struct gsi_tag_choice choice)
{
    uint32_t places[GSI_TAG_KEY_BYTES];
    gsi_tag_choice_places(choice, places);
    return places[GSI_TAG_KEY_BYTES - 1] + 1;
}

/* Finds the stretches that contain the chosen bytes. */
static void find_stretches(const struct gsi_record *record, struct gsi_tag_choice choice,
                           struct all_key_bytes *found)
{
    uint32_t places[GSI_TAG_KEY_BYTES], taken = 0;
    gsi_tag_choice_places(choice, places);
    found->count = 0;
    for (uint32_t p = 0; p < record->part_count; p++) {
        const struct gsi_key_part *part = &record->parts[p];
        while (taken < GSI_TAG_KEY_BYTES && places[taken] < part->at + part->bytes) {
            struct key_bytes *next = &found->of[found->count++];
            uint32_t skip = places[taken] - part->at, bytes = 1;
            while (taken + bytes < GSI_TAG_KEY_BYTES && bytes < 8 && skip + bytes < part->bytes &&
                   places[taken + bytes] == places[taken] + bytes)
                bytes++;
            *next = (struct key_bytes){.part = *part,
                                       .skip = skip,
                                       .mask = ~(UINT64_MAX >> 1 >> (8 * bytes - 1)),
                                       .at = taken};
            if (!part->is_number) {
                next->part.off += skip;
                next->part.bytes = bytes;
                next->skip = 0;
            }
            taken += bytes;
        }
    }
}

/* Copies ten bytes of each key into tags. Their indexes are set already, and their keys are
 * zeros. */
static void add_keys(const struct all_key_bytes *stretches, const struct block *block,
                     gsi_u128 *tags)
{
    uint64_t keys[BLOCK];
    for (uint32_t i = 0; i < stretches->count; i++) {
        const struct key_bytes *stretch = &stretches->of[i];
        load(block, &stretch->part, keys);
        map_keys(stretch, keys, block->n);
        if (stretch->at == 0)
            place_first(keys, block->n, (gsi_lane_u64 *)tags);
        else
            place_next(keys, block->n, stretch->at, (gsi_lane_u64 *)tags);
    }
}

void gsi_record_tags(const struct gsi_record *record, const void *elements, size_t n,
                     struct gsi_tag_choice choice, uint64_t index, gsi_u128 *tags)
{
    struct block block = {.first = elements, .stride = record->bytes};
    struct all_key_bytes stretches;
    find_stretches(record, choice, &stretches);
    for (; n > 0; n -= block.n, block.first += block.n * record->bytes) {
        block.n = gsi_min_u64(n, BLOCK);
        for (size_t i = 0; i < block.n; i++)
            tags[i] = index + i;
        add_keys(&stretches, &block, tags);
        tags += block.n;
        index += block.n;
    }
}

void gsi_record_tags_at(const struct gsi_record *record, const uint8_t *const *elements, size_t n,
                        struct gsi_tag_choice choice, gsi_u128 *tags)
{
    struct block block = {.each = elements};
    struct all_key_bytes stretches;
    find_stretches(record, choice, &stretches);
    for (; n > 0; n -= block.n, block.each += block.n) {
        block.n = gsi_min_u64(n, BLOCK);
        for (size_t i = 0; i < block.n; i++)
            tags[i] = gsi_tag_index(tags[i]);
        add_keys(&stretches, &block, tags);
        tags += block.n;
    }
}

/* Bytes only move down, because `to` has all bytes of `from` that precede its last one. All bytes
 * that move equally far are moved at once. */
void gsi_record_tags_shift(const struct gsi_record *record, const void *element,
                           struct gsi_tag_choice from, struct gsi_tag_choice to, gsi_u128 *tags,
                           size_t n)
{
    gsi_u128 front = 0, moved[GSI_TAG_KEY_BYTES + 1] = {0};
    uint32_t before[GSI_TAG_KEY_BYTES], after[GSI_TAG_KEY_BYTES], old = 0;
    gsi_tag_choice_places(from, before);
    gsi_tag_choice_places(to, after);
    for (uint32_t i = 0; i < GSI_TAG_KEY_BYTES; i++) {
        const uint32_t low = 8 * (GSI_TAG_BYTES - 1 - i);
        uint8_t byte;
        if (after[i] == before[old]) {
            moved[i - old] |= (gsi_u128)0xff << low;
            old++;
            continue;
        }
        gsi_record_key(record, element, after[i], 1, &byte);
        front |= (gsi_u128)byte << low;
    }
    for (size_t t = 0; t < n; t++) {
        gsi_u128 tag = front | gsi_tag_index(tags[t]);
        for (uint32_t by = 0; by <= GSI_TAG_KEY_BYTES - old; by++)
            tag |= tags[t] >> 8 * by & moved[by];
        tags[t] = tag;
    }
}
