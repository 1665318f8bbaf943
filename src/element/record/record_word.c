/* record_word.c: which records are words, and the numbers in these that vectors of bytes cannot
 * map. */
#include "element/record/record_word.h"

#include "base/assert.h"
#include "base/checked.h"
#include "base/simd.h"
#include "element/record/record_tags.h"

#include <string.h>

#define NOTHING 0x80u /* an index of a byte that is zero */

/* The most bits of a rider's index. */
#define INDEX_BITS GSI_CONSTANT(GSI_TAG_INDEX_BITS, 16u)

_Static_assert(GSI_WORD_PARTS_MAX >= sizeof(((struct gsi_record_word *)NULL)->from) / 2,
               "a word holds no more floats than parts");

/* Words whose numbers are mapped while they are in the first-level cache. */
#define BLOCK GSI_CONSTANT(512u, 32u)

/* ---- what words are made of ---- */

/* Adds the number whose lowest byte is byte `low` of the word. False: it lies in both halves. */
static bool add_mapped(struct gsi_record_word *word, const struct gsi_key_part *part, uint32_t low)
{
    struct gsi_word_part *mapped = &word->parts[word->part_count++];
    if (low / 8 != (low + part->bytes - 1) / 8)
        return false;
    mapped->half = low / 8;
    mapped->shift = 8 * (low % 8);
    mapped->bits = 8 * part->bytes;
    mapped->map = part->map;
    return true;
}

/* Puts bytes of a part into the word, the most significant one first at byte `at`, downwards. */
static bool add_part(struct gsi_record_word *word, const struct gsi_key_part *part, uint32_t at,
                     bool *is_covered)
{
    const struct gsi_key_map *map = &part->map;
    bool is_mapped = map->flip != 0 || map->shift != 0; /* of others flips are all */
    bool is_low_first = part->is_number && !part->is_big_endian;
    for (uint32_t i = 0; i < part->bytes; i++) {
        uint32_t off = part->off + (is_low_first ? part->bytes - 1 - i : i);
        uint64_t flips = map->sign ^ map->invert;
        if (part->is_number)
            flips >>= 56 - 8 * i;
        if (is_covered[off])
            return false;
        is_covered[off] = true;
        word->from[at - i] = (uint8_t)off;
        word->to[off] = (uint8_t)(at - i);
        word->flip[at - i] = is_mapped ? 0 : (uint8_t)flips;
    }
    return !is_mapped || add_mapped(word, part, at + 1 - part->bytes);
}

/* The keys, from the upper end of the word on. */
static bool add_keys(struct gsi_record_word *word, const struct gsi_record *record,
                     bool *is_covered)
{
    for (uint32_t i = 0; i < record->part_count; i++) {
        const struct gsi_key_part *part = &record->parts[i];
        if (!add_part(word, part, word->key_bytes - 1 - part->at, is_covered))
            return false;
    }
    return true;
}

static void begin(struct gsi_record_word *word, const struct gsi_record *record, uint32_t key_bytes)
{
    *word = (struct gsi_record_word){.element_bytes = record->bytes, .key_bytes = key_bytes};
    memset(word->from, NOTHING, sizeof word->from);
    memset(word->to, NOTHING, sizeof word->to);
}

bool gsi_record_word_make(const struct gsi_record *record, struct gsi_record_word *word)
{
    bool is_covered[16] = {false};
    uint32_t bytes = record->bytes;
    if ((bytes != 4 && bytes != 8 && bytes != 16) || record->key_bytes != bytes)
        return false;
    begin(word, record, bytes);
    if (!add_keys(word, record, is_covered))
        return false;
    for (uint32_t i = bytes; i < 16; i++) {
        word->from[i] = (uint8_t)(word->from[i - bytes] + bytes);
        word->to[i] = (uint8_t)(word->to[i - bytes] + bytes);
        word->flip[i] = word->flip[i - bytes];
    }
    return true;
}

bool gsi_record_rider_make(const struct gsi_record *record, struct gsi_record_word *word)
{
    bool is_covered[GSI_RIDER_BYTES_MAX] = {false};
    uint32_t at = 0;
    if (record->bytes > GSI_RIDER_BYTES_MAX || record->key_bytes > record->bytes)
        return false;
    begin(word, record, 16);
    if (!add_keys(word, record, is_covered))
        return false;
    for (uint32_t off = record->bytes; off-- > 0;) {
        if (is_covered[off])
            continue;
        word->from[at] = (uint8_t)off;
        word->to[off] = (uint8_t)at++;
    }
    word->index_shift = 8 * at;
    word->index_bits = gsi_min_u32(INDEX_BITS, 8 * (16 - record->bytes));
    return true;
}

/* ---- numbers in words ---- */

GSI_INLINE void map_all_64(struct gsi_word_part part, gsi_lane_u64 *halves, size_t n, size_t step,
                           bool is_back)
{
    for (size_t i = 0; i < n; i++)
        halves[i * step] = gsi_word_part_map(&part, halves[i * step], is_back);
}

GSI_INLINE void map_all_32(struct gsi_word_part part, gsi_lane_u32 *words, size_t n, bool is_back)
{
    for (size_t i = 0; i < n; i++)
        words[i] = (uint32_t)gsi_word_part_map(&part, words[i], is_back);
}

GSI_SIMD_CLONES static void map_words(struct gsi_word_part part, uint32_t key_bytes, void *words,
                                      size_t n)
{
    if (key_bytes == 4)
        map_all_32(part, words, n, false);
    else if (key_bytes == 8)
        map_all_64(part, words, n, 1, false);
    else
        map_all_64(part, (gsi_lane_u64 *)words + part.half, n, 2, false);
}

GSI_SIMD_CLONES static void unmap_words(struct gsi_word_part part, uint32_t key_bytes, void *words,
                                        size_t n)
{
    if (key_bytes == 4)
        map_all_32(part, words, n, true);
    else if (key_bytes == 8)
        map_all_64(part, words, n, 1, true);
    else
        map_all_64(part, (gsi_lane_u64 *)words + part.half, n, 2, true);
}

static void add_indexes(const struct gsi_record_word *word, uint64_t index, void *words, size_t n)
{
    gsi_lane_u64 *halves = words;
    const uint32_t shift = word->index_shift;
    for (size_t i = 0; i < n; i++) {
        gsi_u128 low = (gsi_u128)(index + i) << shift;
        halves[2 * i] |= (uint64_t)low;
        halves[2 * i + 1] |= (uint64_t)(low >> 64);
    }
}

void gsi_words_of(const struct gsi_record_word *word, const void *elements, size_t n,
                  uint64_t index, void *words)
{
    const uint8_t *from = elements;
    uint8_t *to = words;
    for (size_t step; n > 0; n -= step, index += step) {
        step = gsi_min_u64(n, BLOCK);
        gsi_words_shuffle_in(word, from, step, to);
        for (uint32_t i = 0; i < word->part_count; i++)
            map_words(word->parts[i], word->key_bytes, to, step);
        if (word->index_bits > 0)
            add_indexes(word, index, to, step);
        from += step * word->element_bytes;
        to += step * word->key_bytes;
    }
}

/* The words stay as they are, so numbers are mapped beside them. */
static void unmap_block(const struct gsi_record_word *word, const void *words, size_t n,
                        void *elements)
{
    uint64_t mapped[2 * BLOCK];
    memcpy(mapped, words, n * word->key_bytes);
    for (uint32_t i = 0; i < word->part_count; i++)
        unmap_words(word->parts[i], word->key_bytes, mapped, n);
    gsi_words_shuffle_out(word, mapped, n, elements);
}

void gsi_words_to(const struct gsi_record_word *word, const void *words, size_t n, void *elements)
{
    const uint8_t *from = words;
    uint8_t *to = elements;
    if (word->part_count == 0) {
        gsi_words_shuffle_out(word, from, n, to);
        return;
    }
    for (size_t step; n > 0; n -= step) {
        step = gsi_min_u64(n, BLOCK);
        unmap_block(word, from, step, to);
        from += step * word->key_bytes;
        to += step * word->element_bytes;
    }
}
