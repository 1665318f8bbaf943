/* filter.c: the pass over elements. Each block goes through three loops while it is in the cache:
 * what is kept, a byte an element; fingerprints; and, unless all or none are kept, the move. */
#include "element/filter/filter.h"

#include "base/assert.h"
#include "base/checked.h"
#include "element/record/record_mix.h"
#include "element/tally/tally_block.h"

#include <string.h>

/* Records of a block fit into the first-level cache, if they are short enough. */
#define BLOCK_BYTES GSI_CONSTANT((size_t)16384, (size_t)512)

/* Digests of all elements of one block and of the kept ones, and how many are kept. */
struct block_digests {
    gsi_u128 all, kept;
    size_t kept_count;
};

/* ---- what is kept ---- */

GSI_INLINE void test_words(struct gsi_key_map map, const void *elements, size_t n, uint32_t bytes,
                           const struct gsi_condition *condition, uint8_t *keep)
{
    const uint64_t low = (uint64_t)condition->low, span = (uint64_t)condition->span;
    const uint8_t flip = condition->is_outside;
    for (size_t i = 0; i < n; i++) {
        uint64_t key = gsi_block_key(map, gsi_block_load(elements, i, bytes), bytes);
        bool is_in =
            GSI_BY_WORD(bytes, (uint32_t)key - (uint32_t)low <= (uint32_t)span, key - low <= span);
        keep[i] &= (uint8_t)is_in ^ flip;
    }
}

GSI_SIMD_CLONES static void test_32(struct gsi_key_map map, const void *elements, size_t n,
                                    const struct gsi_condition *condition, uint8_t *keep)
{
    test_words(map, elements, n, 4, condition, keep);
}

GSI_SIMD_CLONES static void test_64(struct gsi_key_map map, const void *elements, size_t n,
                                    const struct gsi_condition *condition, uint8_t *keep)
{
    test_words(map, elements, n, 8, condition, keep);
}

static void test_128(struct gsi_key_map map, const void *elements, size_t n,
                     const struct gsi_condition *condition, uint8_t *keep)
{
    const gsi_u128 sign = (gsi_u128)map.sign << 64;
    for (size_t i = 0; i < n; i++) {
        gsi_u128 key = gsi_block_load_u128(elements, i) ^ sign;
        bool is_in = key - condition->low <= condition->span;
        keep[i] &= is_in != condition->is_outside;
    }
}

/* Bytes of a field against a value that zeros follow: as memcmp. */
static int compare_bytes(const struct gsi_condition *condition, const uint8_t *at)
{
    int by_value = memcmp(at, condition->value, condition->value_bytes);
    if (by_value != 0)
        return by_value;
    for (uint32_t i = condition->value_bytes; i < condition->field.bytes; i++)
        if (at[i] != 0)
            return 1;
    return 0;
}

static bool test_record(const struct gsi_condition *condition, const uint8_t *record)
{
    if (condition->field.type == NULL) {
        int order = compare_bytes(condition, record + condition->field.off);
        return order < 0   ? condition->takes_below
               : order > 0 ? condition->takes_above
                           : condition->takes_equal;
    }
    gsi_u128 key = gsi_key_part_bits(&condition->parts[0], record);
    if (condition->field.bytes == 16)
        key = key << 64 | gsi_key_part_bits(&condition->parts[1], record);
    return (key - condition->low <= condition->span) != condition->is_outside;
}

static void test_block(const struct gsi_filter *filter, const uint8_t *elements, size_t n,
                       uint8_t *keep)
{
    const struct gsi_layout *layout = &filter->layout;
    memset(keep, 1, n);
    for (uint32_t c = 0; c < filter->condition_count; c++) {
        const struct gsi_condition *condition = &filter->conditions[c];
        if (!gsi_layout_is_native(layout))
            for (size_t i = 0; i < n; i++)
                keep[i] &= test_record(condition, elements + i * layout->element_bytes);
        else
            GSI_BY_WIDTH(layout->element_bytes, test_32(layout->map, elements, n, condition, keep),
                         test_64(layout->map, elements, n, condition, keep),
                         test_128(layout->map, elements, n, condition, keep));
    }
}

/* ---- fingerprints ---- */

GSI_INLINE struct block_digests mix_words(const void *elements, size_t n, uint32_t bytes,
                                          const uint8_t *keep)
{
    struct gsi_block_sum all = {0}, kept = {0};
    uint64_t kept_count = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t mix = gsi_mix_u64(gsi_block_load(elements, i, bytes)), is_kept = keep[i];
        gsi_block_sum_add(&all, mix);
        gsi_block_sum_add(&kept, mix & -is_kept);
        kept_count += is_kept;
    }
    return (struct block_digests){gsi_block_sum_total(all), gsi_block_sum_total(kept), kept_count};
}

GSI_SIMD_CLONES static void mix_32(const void *elements, size_t n, const uint8_t *keep,
                                   struct block_digests *block)
{
    *block = mix_words(elements, n, 4, keep);
}

GSI_SIMD_CLONES static void mix_64(const void *elements, size_t n, const uint8_t *keep,
                                   struct block_digests *block)
{
    *block = mix_words(elements, n, 8, keep);
}

static void mix_128(const void *elements, size_t n, const uint8_t *keep,
                    struct block_digests *block)
{
    const gsi_lane_u64 *halves = elements;
    for (size_t i = 0; i < n; i++) {
        uint64_t mix = gsi_mix_u128(halves[2 * i], halves[2 * i + 1]), is_kept = keep[i];
        block->all += mix;
        block->kept += mix & -is_kept;
        block->kept_count += is_kept;
    }
}

static void mix_records(const uint8_t *elements, size_t n, uint32_t bytes, const uint8_t *keep,
                        struct block_digests *block)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t mix = gsi_mix_record(elements + i * bytes, bytes), is_kept = keep[i];
        block->all += mix;
        block->kept += mix & -is_kept;
        block->kept_count += is_kept;
    }
}

static struct block_digests mix_block(const struct gsi_layout *layout, const uint8_t *elements,
                                      size_t n, const uint8_t *keep)
{
    struct block_digests block = {0};
    if (!gsi_layout_is_native(layout))
        mix_records(elements, n, layout->element_bytes, keep, &block);
    else
        GSI_BY_WIDTH(layout->element_bytes, mix_32(elements, n, keep, &block),
                     mix_64(elements, n, keep, &block), mix_128(elements, n, keep, &block));
    return block;
}

/* ---- the move ---- */

/* An element is written wherever the next one that is kept goes, so that nothing is predicted. */
GSI_INLINE void move_words(void *to, const void *elements, size_t n, uint32_t bytes,
                           const uint8_t *keep)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        gsi_block_store(to, count, bytes, gsi_block_load(elements, i, bytes));
        count += keep[i];
    }
}

static void move_records(uint8_t *to, const uint8_t *elements, size_t n, uint32_t bytes,
                         const uint8_t *keep)
{
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && keep[end]; end++)
            ;
        memmove(to, elements + i * bytes, (end - i) * bytes);
        to += (end - i) * bytes;
        for (; end < n && !keep[end]; end++)
            ;
    }
}

static void move_block(const struct gsi_layout *layout, uint8_t *to, const uint8_t *elements,
                       size_t n, const uint8_t *keep)
{
    if (!gsi_layout_is_native(layout) || layout->element_bytes == 16)
        move_records(to, elements, n, layout->element_bytes, keep);
    else
        GSI_BY_WORD(layout->element_bytes, move_words(to, elements, n, 4, keep),
                    move_words(to, elements, n, 8, keep));
}

/* The places of what is kept, after `place`. */
static void list_places(const uint8_t *keep, size_t n, uint32_t place, uint32_t *places)
{
    for (size_t i = 0, count = 0; i < n; i++)
        if (keep[i])
            places[count++] = place + (uint32_t)i;
}

size_t gsi_filter_block(const struct gsi_layout *layout)
{
    return gsi_clamp_u64(BLOCK_BYTES / layout->element_bytes, 1, GSI_BLOCK_ELEMENTS);
}

size_t gsi_filter_move(const struct gsi_layout *layout, uint8_t *to, const uint8_t *at, size_t n,
                       const uint8_t *keep, struct gsi_filtered *filtered)
{
    struct block_digests block = mix_block(layout, at, n, keep);
    filtered->kept_count += block.kept_count;
    filtered->left_count += n - block.kept_count;
    filtered->kept_mix += block.kept;
    filtered->left_mix += block.all - block.kept;
    if (block.kept_count > 0 && (to != at || block.kept_count < n))
        move_block(layout, to, at, n, keep);
    return block.kept_count;
}

size_t gsi_filter_apply(const struct gsi_filter *filter, void *elements, size_t n, uint32_t *places,
                        struct gsi_filtered *filtered)
{
    uint8_t keep[GSI_BLOCK_ELEMENTS];
    const uint32_t bytes = filter->layout.element_bytes;
    const size_t most = gsi_filter_block(&filter->layout);
    const uint8_t *at = elements;
    uint8_t *to = elements;
    for (size_t left = n, step; left > 0; left -= step, at += step * bytes) {
        step = gsi_min_u64(left, most);
        test_block(filter, at, step, keep);
        size_t kept = gsi_filter_move(&filter->layout, to, at, step, keep, filtered);
        if (places != NULL) {
            list_places(keep, step, (uint32_t)(n - left), places);
            places += kept;
        }
        to += kept * bytes;
    }
    return (size_t)(to - (uint8_t *)elements) / bytes;
}

void gsi_filtered_add(struct gsi_filtered *into, const struct gsi_filtered *from)
{
    into->kept_count += from->kept_count;
    into->left_count += from->left_count;
    into->kept_mix += from->kept_mix;
    into->left_mix += from->left_mix;
}
