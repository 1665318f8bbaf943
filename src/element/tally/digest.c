/* digest.c: passes over sorted keys before they are written: checks the order, computes the
 * fingerprint, and maps keys to raw elements.
 *
 * Order and fingerprint are two loops over a block in the cache. One loop would overwrite keys by
 * elements before they are compared with their neighbours. Only a block that is out of order is
 * searched for the place. */
#include "element/tally/digest.h"

#include "base/checked.h"
#include "element/compare.h"
#include "element/record/integer_record.h"
#include "element/record/record_mix.h"
#include "element/record/record_tags.h"
#include "element/tally/tally_block.h"

#include <string.h>

/* Reads a key of any width and alignment. */
static gsi_u128 load_key(const struct gsi_layout *layout, const void *key)
{
    gsi_u128 wide = 0;
    memcpy(&wide, key, layout->key_bytes);
    return wide;
}

int gsi_key_compare(const struct gsi_layout *layout, const void *a, const void *b)
{
    gsi_u128 x = load_key(layout, a), y = load_key(layout, b);
    return (x > y) - (x < y);
}

/* Maps an element to its key, or back. */
static void turn_128(const struct gsi_layout *layout, const void *from, void *to)
{
    gsi_block_store(to, 0, 8, gsi_key_low(layout->map, gsi_block_load(from, 0, 8)));
    gsi_block_store(to, 1, 8, gsi_key_high(layout->map, gsi_block_load(from, 1, 8)));
}

void gsi_key_to_element(const struct gsi_layout *layout, const void *key, void *element)
{
    uint32_t bytes = layout->key_bytes;
    if (layout->integer_map != NULL)
        gsi_integers_to_records(layout->integer_map, key, 1, element);
    else if (bytes == 16)
        turn_128(layout, key, element);
    else
        gsi_block_store(element, 0, bytes,
                        gsi_block_bits(layout->map, gsi_block_load(key, 0, bytes), bytes));
}

void gsi_element_to_key(const struct gsi_layout *layout, const void *element, void *key)
{
    uint32_t bytes = layout->key_bytes;
    if (layout->integer_map != NULL)
        gsi_records_to_integers(layout->integer_map, element, 1, 0, key);
    else if (bytes == 16)
        turn_128(layout, element, key);
    else
        gsi_block_store(key, 0, bytes,
                        gsi_block_key(layout->map, gsi_block_load(element, 0, bytes), bytes));
}

/* Returns how many keys are below the key before them; the first key has none. */
GSI_SIMD_CLONES static uint64_t count_drops_32(const gsi_lane_u32 *keys, size_t n)
{
    uint32_t drops = 0;
    for (size_t i = 1; i < n; i++)
        drops += keys[i] < keys[i - 1];
    return drops;
}

GSI_SIMD_CLONES static uint64_t count_drops_64(const gsi_lane_u64 *keys, size_t n)
{
    uint64_t drops = 0;
    for (size_t i = 1; i < n; i++)
        drops += keys[i] < keys[i - 1];
    return drops;
}

static uint64_t count_drops_128(const void *keys, size_t n)
{
    uint64_t drops = 0;
    for (size_t i = 1; i < n; i++)
        drops += gsi_block_load_u128(keys, i) < gsi_block_load_u128(keys, i - 1);
    return drops;
}

GSI_INLINE struct gsi_block_sum mix_keys(struct gsi_key_map map, const void *keys, size_t n,
                                         uint32_t bytes)
{
    struct gsi_block_sum mix = {0};
    for (size_t i = 0; i < n; i++) {
        uint64_t key = gsi_block_load(keys, i, bytes);
        gsi_block_sum_add(&mix, gsi_mix_u64(gsi_block_bits(map, key, bytes)));
    }
    return mix;
}

GSI_SIMD_CLONES static void mix_keys_32(struct gsi_key_map map, const void *keys, size_t n,
                                        struct gsi_block_sum *mix)
{
    *mix = mix_keys(map, keys, n, 4);
}

GSI_SIMD_CLONES static void mix_keys_64(struct gsi_key_map map, const void *keys, size_t n,
                                        struct gsi_block_sum *mix)
{
    *mix = mix_keys(map, keys, n, 8);
}

GSI_SIMD_CLONES static void mix_keys_128(struct gsi_key_map map, const void *keys, size_t n,
                                         struct gsi_block_sum *mix)
{
    const gsi_lane_u64 *halves = keys;
    struct gsi_block_sum sum = {0};
    for (size_t i = 0; i < n; i++) {
        uint64_t low = gsi_key_low(map, halves[2 * i]);
        uint64_t high = gsi_key_high(map, halves[2 * i + 1]);
        gsi_block_sum_add(&sum, gsi_mix_u128(low, high));
    }
    *mix = sum;
}

GSI_SIMD_CLONES static void unmap_32(struct gsi_key_map map, gsi_lane_u32 *keys, size_t n)
{
    for (size_t i = 0; i < n; i++)
        keys[i] = gsi_bits_of_u32(map, keys[i]);
}

GSI_SIMD_CLONES static void unmap_64(struct gsi_key_map map, gsi_lane_u64 *keys, size_t n)
{
    for (size_t i = 0; i < n; i++)
        keys[i] = gsi_bits_of_u64(map, keys[i]);
}

void gsi_keys_to_elements(const struct gsi_layout *layout, void *keys, size_t n)
{
    if (layout->integer_map != NULL) {
        gsi_integers_to_records(layout->integer_map, keys, n, keys);
        return;
    }
    if (gsi_block_map_is_identity(layout->map))
        return;
    GSI_BY_WIDTH(layout->key_bytes, unmap_32(layout->map, keys, n), unmap_64(layout->map, keys, n),
                 gsi_block_map_128(layout->map, keys, n, keys));
}

GSI_SIMD_CLONES static void map_32(struct gsi_key_map map, const gsi_lane_u32 *elements,
                                   gsi_lane_u32 *keys, size_t n)
{
    for (size_t i = 0; i < n; i++)
        keys[i] = gsi_key_of_u32(map, elements[i]);
}

GSI_SIMD_CLONES static void map_64(struct gsi_key_map map, const gsi_lane_u64 *elements,
                                   gsi_lane_u64 *keys, size_t n)
{
    for (size_t i = 0; i < n; i++)
        keys[i] = gsi_key_of_u64(map, elements[i]);
}

void gsi_elements_to_keys(const struct gsi_layout *layout, const void *elements, size_t n,
                          void *keys)
{
    if (layout->integer_map != NULL) {
        gsi_records_to_integers(layout->integer_map, elements, n, 0, keys);
        return;
    }
    GSI_BY_WIDTH(layout->key_bytes, map_32(layout->map, elements, keys, n),
                 map_64(layout->map, elements, keys, n),
                 gsi_block_map_128(layout->map, elements, n, keys));
}

/* Sums are local variables while elements are written, because stores might alias the sums. */
GSI_SIMD_CLONES static void mix_map_32(struct gsi_key_map map, gsi_lane_u32 *elements, size_t n,
                                       struct gsi_block_sum *mix)
{
    struct gsi_block_sum sum = {0};
    for (size_t i = 0; i < n; i++) {
        uint32_t bits = elements[i];
        gsi_block_sum_add(&sum, gsi_mix_u64(bits));
        elements[i] = gsi_key_of_u32(map, bits);
    }
    *mix = sum;
}

GSI_SIMD_CLONES static void mix_map_64(struct gsi_key_map map, gsi_lane_u64 *elements, size_t n,
                                       struct gsi_block_sum *mix)
{
    struct gsi_block_sum sum = {0};
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = elements[i];
        gsi_block_sum_add(&sum, gsi_mix_u64(bits));
        elements[i] = gsi_key_of_u64(map, bits);
    }
    *mix = sum;
}

GSI_SIMD_CLONES static void mix_map_128(struct gsi_key_map map, gsi_lane_u64 *words, size_t n,
                                        struct gsi_block_sum *mix)
{
    struct gsi_block_sum sum = {0};
    for (size_t i = 0; i < n; i++) {
        uint64_t low = words[2 * i], high = words[2 * i + 1];
        gsi_block_sum_add(&sum, gsi_mix_u128(low, high));
        words[2 * i] = gsi_key_low(map, low);
        words[2 * i + 1] = gsi_key_high(map, high);
    }
    *mix = sum;
}

void gsi_fingerprint_add_map(const struct gsi_layout *layout, uint64_t fingerprint[2],
                             void *elements, size_t n)
{
    char *at = elements;
    for (size_t step; n > 0; n -= step, at += step * layout->key_bytes) {
        struct gsi_block_sum mix;
        step = gsi_block_elements(n);
        GSI_BY_WIDTH(layout->key_bytes, mix_map_32(layout->map, (void *)at, step, &mix),
                     mix_map_64(layout->map, (void *)at, step, &mix),
                     mix_map_128(layout->map, (void *)at, step, &mix));
        gsi_fingerprint_add(fingerprint, gsi_block_sum_total(mix));
    }
}

uint64_t gsi_keys_drops(uint32_t key_bytes, const void *keys, size_t n)
{
    return GSI_BY_WIDTH(key_bytes, count_drops_32(keys, n), count_drops_64(keys, n),
                        count_drops_128(keys, n));
}

/* Returns the fingerprint of the elements of a block of keys. */
static gsi_u128 mix_block(const struct gsi_layout *layout, const void *keys, size_t n)
{
    struct gsi_block_sum mix;
    uint64_t records[2 * GSI_BLOCK_ELEMENTS];
    if (layout->integer_map != NULL) {
        gsi_integers_to_records(layout->integer_map, keys, n, records);
        return gsi_mix_records(records, n, layout->element_bytes);
    }
    GSI_BY_WIDTH(layout->key_bytes, mix_keys_32(layout->map, keys, n, &mix),
                 mix_keys_64(layout->map, keys, n, &mix), mix_keys_128(layout->map, keys, n, &mix));
    return gsi_block_sum_total(mix);
}

static void note_disorder(const struct gsi_layout *layout, struct gsi_digest *digest, uint64_t idx,
                          const void *before, const void *after)
{
    digest->disorder_idx = idx;
    memcpy(digest->before_key, before, layout->key_bytes);
    memcpy(digest->after_key, after, layout->key_bytes);
}

/* Returns the first key of a block that is below the key before it, if there is one. */
static void find_disorder(const struct gsi_layout *layout, struct gsi_digest *digest,
                          const char *keys, size_t n)
{
    if (digest->disorder_idx != UINT64_MAX)
        return;
    if (digest->count > 0 && gsi_key_compare(layout, digest->last_key, keys) > 0) {
        note_disorder(layout, digest, digest->count, digest->last_key, keys);
        return;
    }
    if (gsi_keys_drops(layout->key_bytes, keys, n) == 0)
        return;
    const char *key = keys + layout->key_bytes;
    while (gsi_key_compare(layout, key - layout->key_bytes, key) <= 0)
        key += layout->key_bytes;
    note_disorder(layout, digest, digest->count + (uint64_t)(key - keys) / layout->key_bytes,
                  key - layout->key_bytes, key);
}

/* Adds everything about a block except its fingerprint. */
static void add_keys(const struct gsi_layout *layout, struct gsi_digest *digest, const char *keys,
                     size_t n)
{
    const struct gsi_keyed keyed = gsi_keyed_by_layout(layout, keys, n);
    find_disorder(layout, digest, keys, n);
    digest->repeat_count +=
        gsi_equal_keys_count(&keyed) +
        (digest->count > 0 && memcmp(digest->last_key, keys, layout->key_bytes) == 0);
    if (digest->count == 0)
        memcpy(digest->first_key, keys, layout->key_bytes);
    memcpy(digest->last_key, keys + (n - 1) * layout->key_bytes, layout->key_bytes);
    digest->count += n;
}

static void add_block(const struct gsi_layout *layout, struct gsi_digest *digest, const char *keys,
                      size_t n)
{
    add_keys(layout, digest, keys, n);
    gsi_fingerprint_add(digest->fingerprint, mix_block(layout, keys, n));
}

/* Does the same if the block's records exist beside the integers, or will be written. */
static void add_records(const struct gsi_layout *layout, struct gsi_digest *digest,
                        const void *records, size_t n)
{
    gsi_fingerprint_add(digest->fingerprint, gsi_mix_records(records, n, layout->element_bytes));
}

void gsi_digest_add(const struct gsi_layout *layout, struct gsi_digest *digest, const void *keys,
                    size_t n)
{
    const char *at = keys;
    for (size_t step; n > 0; n -= step, at += step * layout->key_bytes) {
        step = gsi_block_elements(n);
        add_block(layout, digest, at, step);
    }
}

void gsi_digest_add_unmap(const struct gsi_layout *layout, struct gsi_digest *digest, void *keys,
                          size_t n)
{
    char *at = keys;
    for (size_t step; n > 0; n -= step, at += step * layout->key_bytes) {
        step = gsi_block_elements(n);
        if (layout->integer_map == NULL) {
            add_block(layout, digest, at, step);
            gsi_keys_to_elements(layout, at, step);
        } else {
            add_keys(layout, digest, at, step);
            gsi_keys_to_elements(layout, at, step);
            add_records(layout, digest, at, step);
        }
    }
}

void gsi_digest_add_mapped(const struct gsi_layout *layout, struct gsi_digest *digest,
                           const void *elements, size_t n)
{
    uint64_t keys[2 * GSI_BLOCK_ELEMENTS];
    const char *at = elements;
    for (size_t step; n > 0; n -= step, at += step * layout->key_bytes) {
        step = gsi_block_elements(n);
        gsi_elements_to_keys(layout, at, step, keys);
        if (layout->integer_map == NULL) {
            add_block(layout, digest, (const char *)keys, step);
        } else {
            add_keys(layout, digest, (const char *)keys, step);
            add_records(layout, digest, at, step);
        }
    }
}

void gsi_digest_join_keys(const struct gsi_layout *layout, struct gsi_digest *digest,
                          const struct gsi_digest *piece)
{
    if (piece->count == 0)
        return;
    if (digest->count == 0) {
        *digest = *piece;
        return;
    }
    if (digest->disorder_idx == UINT64_MAX) {
        if (gsi_key_compare(layout, digest->last_key, piece->first_key) > 0)
            note_disorder(layout, digest, digest->count, digest->last_key, piece->first_key);
        else if (piece->disorder_idx != UINT64_MAX)
            note_disorder(layout, digest, digest->count + piece->disorder_idx, piece->before_key,
                          piece->after_key);
    }
    gsi_fingerprint_add(digest->fingerprint, gsi_fingerprint(piece->fingerprint));
    digest->repeat_count +=
        piece->repeat_count + (memcmp(digest->last_key, piece->first_key, layout->key_bytes) == 0);
    memcpy(digest->last_key, piece->last_key, layout->key_bytes);
    digest->count += piece->count;
}

/* ---- records, and elements of any form ---- */

/* Returns the first record of [1, n) whose key is below the key of the record before it; n: none.
 * Tags decide nearly always. */
static size_t find_record_disorder(const struct gsi_record *record, const uint8_t *elements,
                                   size_t n)
{
    gsi_u128 tags[GSI_BLOCK_RECORDS + 1];
    const bool is_whole = record->key_bytes <= GSI_TAG_KEY_BYTES; /* the key, in a tag */
    gsi_record_tags(record, elements, n, gsi_tag_choice_from(0), 0, tags);
    for (size_t i = 1; i < n; i++) {
        gsi_u128 before = gsi_tag_key(tags[i - 1]), after = gsi_tag_key(tags[i]);
        if (after > before || (after == before && is_whole))
            continue;
        const uint8_t *element = elements + i * record->bytes;
        if (after < before ||
            gsi_record_compare(record, element - record->bytes, element, GSI_TAG_KEY_BYTES) > 0)
            return i;
    }
    return n;
}

void gsi_record_digest_add(const struct gsi_record *record, struct gsi_digest *digest,
                           const void *elements, size_t n)
{
    const uint8_t *at = elements;
    for (size_t step; n > 0; n -= step, at += step * record->bytes) {
        step = gsi_block_records(record->bytes, n);
        gsi_fingerprint_add(digest->fingerprint, gsi_mix_records(at, step, record->bytes));
        size_t before = digest->count > 0; /* also compares with the last record added before */
        size_t disorder = find_record_disorder(record, at - before * record->bytes, step + before);
        if (disorder < step + before && digest->disorder_idx == UINT64_MAX)
            digest->disorder_idx = digest->count + disorder - before;
        digest->count += step;
    }
}

void gsi_record_digest_join(const struct gsi_record *record, struct gsi_digest *digest,
                            const struct gsi_digest *piece, const void *last, const void *first)
{
    if (digest->disorder_idx == UINT64_MAX) {
        if (last != NULL && gsi_record_compare(record, last, first, 0) > 0)
            digest->disorder_idx = digest->count;
        else if (piece->disorder_idx != UINT64_MAX)
            digest->disorder_idx = digest->count + piece->disorder_idx;
    }
    gsi_fingerprint_add(digest->fingerprint, gsi_fingerprint(piece->fingerprint));
    digest->count += piece->count;
}

void gsi_digest_add_elements(const struct gsi_layout *layout, struct gsi_digest *digest,
                             const void *elements, size_t n)
{
    if (layout->form == GSI_FORM_KEYS)
        gsi_digest_add_mapped(layout, digest, elements, n);
    else
        gsi_record_digest_add(layout->record, digest, elements, n);
}

void gsi_digest_join(const struct gsi_layout *layout, struct gsi_digest *digest,
                     const struct gsi_digest *piece, const void *last, const void *first)
{
    if (layout->form == GSI_FORM_KEYS)
        gsi_digest_join_keys(layout, digest, piece);
    else
        gsi_record_digest_join(layout->record, digest, piece, last, first);
}

int gsi_digest_compare_ends(const struct gsi_layout *layout, const uint8_t *last_key,
                            const void *last, const struct gsi_digest *piece, const void *first)
{
    return layout->form == GSI_FORM_KEYS ? gsi_key_compare(layout, last_key, piece->first_key)
                                         : gsi_record_compare(layout->record, last, first, 0);
}

int gsi_compare_ends(const struct gsi_layout *layout, const uint8_t *last, const uint8_t *first)
{
    return layout->form == GSI_FORM_KEYS ? gsi_key_compare(layout, last, first)
                                         : gsi_record_compare(layout->record, last, first, 0);
}
