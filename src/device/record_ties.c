/* record_ties.c: resolves ties between tags by comparing the records.
 *
 * A large group of equal tags is sorted by the next ten bytes that distinguish its keys, again as
 * tags, and so on. A small group is sorted by comparison. One pass over the records of a group
 * finds the beginning that they share. So a long shared beginning costs one pass, not one sort for
 * every ten bytes. */
#include "device/record_ties.h"

#include "base/assert.h"
#include "base/checked.h"
#include "base/simd.h"
#include "device/cpu/cpu_leaf_sort.h"

#include <string.h>

/* A group of at most this many tags is sorted by comparison. */
#define FEW_TAGS GSI_CONSTANT(24u, 4u)

/* Tags per block in the search for ties. */
#define LOOK_TAGS GSI_CONSTANT(64u, 8u)

/* Records are prefetched this far ahead. */
#define AHEAD GSI_CONSTANT(8u, 2u)

/* Tags whose ten bytes are equal. */
struct group {
    gsi_u128 *tags;
    size_t n;
    uint32_t end; /* their keys agree before this byte */
};

int gsi_tie_compare(const struct gsi_record_table *places, gsi_u128 a, gsi_u128 b, uint32_t end)
{
    gsi_u128 x = gsi_tag_key(a), y = gsi_tag_key(b);
    if (x == y && gsi_tag_index(a) != gsi_tag_index(b) &&
        gsi_ties_are_possible(places->record, end)) {
        int by_key = gsi_record_compare(places->record, gsi_record_at(places, a),
                                        gsi_record_at(places, b), end);
        if (by_key != 0)
            return by_key;
    }
    return a < b ? -1 : a > b;
}

static void sort_few(const struct gsi_record_table *places, const struct group *group)
{
    for (size_t i = 1; i < group->n; i++) {
        gsi_u128 tag = group->tags[i];
        size_t j = i;
        for (; j > 0 && gsi_tie_compare(places, tag, group->tags[j - 1], group->end) < 0; j--)
            group->tags[j] = group->tags[j - 1];
        group->tags[j] = tag;
    }
}

/* Returns how many bytes of the key all records of the group share; at least `shared` are known to
 * be shared. */
static uint32_t shared_bytes(const struct gsi_record_table *places, const struct group *group,
                             uint32_t shared)
{
    const uint8_t *first = gsi_record_at(places, group->tags[0]);
    uint32_t most = places->record->key_bytes;
    for (size_t i = 1; i < group->n && most > shared; i++) {
        if (i + AHEAD < group->n)
            __builtin_prefetch(gsi_record_at(places, group->tags[i + AHEAD]));
        most = gsi_record_shared(places->record, first, gsi_record_at(places, group->tags[i]),
                                 shared, most);
    }
    return most;
}

/* Makes new tags at byte `at` for the same records. */
static void tag_again(const struct gsi_record_table *places, const struct group *group, uint32_t at)
{
    const uint8_t *elements[64];
    for (size_t done = 0; done < group->n;) {
        size_t step = gsi_min_u64(group->n - done, sizeof elements / sizeof elements[0]);
        for (size_t i = 0; i < step; i++) {
            elements[i] = gsi_record_at(places, group->tags[done + i]);
            __builtin_prefetch(elements[i]);
        }
        gsi_record_tags_at(places->record, elements, step, gsi_tag_choice_from(at),
                           group->tags + done);
        done += step;
    }
}

static void sort_group(const struct gsi_record_table *places, const struct group *group)
{
    if (group->n <= FEW_TAGS) {
        sort_few(places, group);
        return;
    }
    gsi_u128 key = gsi_tag_key(group->tags[0]) << GSI_TAG_INDEX_BITS;
    uint32_t at = shared_bytes(places, group, group->end);
    if (at < places->record->key_bytes)
        tag_again(places, group, at);
    gsi_leaf_sort(GSI_TAG_BYTES, group->tags, group->n);
    if (at == places->record->key_bytes)
        return;
    if (gsi_ties_are_possible(places->record, at + GSI_TAG_KEY_BYTES))
        gsi_ties_sort(places, group->tags, group->n, at + GSI_TAG_KEY_BYTES);
    for (size_t i = 0; i < group->n; i++)
        group->tags[i] = key | gsi_tag_index(group->tags[i]);
}

/* Returns how many of `n` tags agree with the next one. */
GSI_SIMD_CLONES static uint64_t count_ties(const gsi_lane_u64 *tags, size_t n)
{
    uint64_t count = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t low = tags[2 * i] ^ tags[2 * i + 2], high = tags[2 * i + 1] ^ tags[2 * i + 3];
        count += (high | low >> GSI_TAG_INDEX_BITS) == 0;
    }
    return count;
}

/* Returns the first tag from `begin` on that agrees with the next one, or `n` if there is none. If
 * no two of the first few tags agree, few of the others will: then it looks at whole blocks. */
static size_t next_tie(const gsi_u128 *tags, size_t begin, size_t n)
{
    while (begin + 1 < n) {
        for (size_t end = gsi_min_u64(begin + LOOK_TAGS, n - 1); begin < end; begin++)
            if (gsi_tag_key(tags[begin]) == gsi_tag_key(tags[begin + 1]))
                return begin;
        while (n - begin > LOOK_TAGS &&
               count_ties((const gsi_lane_u64 *)(tags + begin), LOOK_TAGS) == 0)
            begin += LOOK_TAGS;
    }
    return n;
}

void gsi_ties_sort(const struct gsi_record_table *places, gsi_u128 *tags, size_t n, uint32_t end)
{
    for (size_t begin = next_tie(tags, 0, n), next; begin < n; begin = next_tie(tags, next, n)) {
        gsi_u128 key = gsi_tag_key(tags[begin]);
        for (next = begin + 2; next < n && gsi_tag_key(tags[next]) == key; next++)
            ;
        sort_group(places, &(struct group){tags + begin, next - begin, end});
    }
}

/* Returns the first tag of [low, high) that does not precede `bound`. */
static uint64_t lower_bound(const struct gsi_record_table *places, const gsi_u128 *tags,
                            uint64_t low, uint64_t high, gsi_u128 bound, uint32_t end)
{
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        bool is_below = gsi_tie_compare(places, tags[middle], bound, end) < 0;
        low = is_below ? middle + 1 : low;
        high = is_below ? high : middle;
    }
    return low;
}

uint64_t gsi_ties_below(const struct gsi_record_table *places, struct gsi_slice slice,
                        gsi_u128 bound, uint32_t end)
{
    const gsi_u128 *tags = slice.keys;
    uint64_t below = lower_bound(places, tags, 0, slice.count, bound, end);
    return below + (below < slice.count && tags[below] == bound);
}

/* Finds the range of the tags in each slice whose ten bytes equal those at the cut. Only there is a
 * cut by tags not exact. Returns false if such tags are not on both sides of the cut. */
static bool find_group(const struct gsi_slice *slices, uint32_t k, const uint64_t *cut,
                       uint64_t *low, uint64_t *high)
{
    gsi_u128 before = 0, after = ~(gsi_u128)0;
    bool has_before = false, has_after = false;
    for (uint32_t i = 0; i < k; i++) {
        const gsi_u128 *tags = slices[i].keys;
        if (cut[i] > 0 && (!has_before || gsi_tag_key(tags[cut[i] - 1]) > before)) {
            before = gsi_tag_key(tags[cut[i] - 1]);
            has_before = true;
        }
        if (cut[i] < slices[i].count && (!has_after || gsi_tag_key(tags[cut[i]]) < after)) {
            after = gsi_tag_key(tags[cut[i]]);
            has_after = true;
        }
    }
    if (!has_before || !has_after || before < after)
        return false;
    gsi_u128 first = before << GSI_TAG_INDEX_BITS, last = first | GSI_TAG_INDEX_MASK;
    for (uint32_t i = 0; i < k; i++) {
        low[i] = gsi_merge_below(GSI_TAG_BYTES, slices[i], &first, false);
        high[i] = gsi_merge_below(GSI_TAG_BYTES, slices[i], &last, true);
    }
    return true;
}

/* Selects within [low, high) of every slice, as in merge_cut.c: `rank` elements precede the cut in
 * all. */
static void select_in_group(const struct gsi_record_table *places, const struct gsi_slice *slices,
                            uint32_t k, uint64_t rank, uint32_t end, uint64_t *low, uint64_t *high,
                            uint64_t *scratch)
{
    for (uint32_t round = 0;; round++) {
        uint64_t taken = 0, open = 0, before = 0;
        for (uint32_t i = 0; i < k; i++) {
            taken += low[i];
            open += high[i] - low[i];
        }
        if (open == 0)
            return;
        struct gsi_pivot pivot = gsi_merge_cut_pivot(low, high, open, rank - taken, round);
        gsi_u128 tag = ((const gsi_u128 *)slices[pivot.slice].keys)[pivot.idx];
        for (uint32_t i = 0; i < k; i++) {
            scratch[i] = i == pivot.slice
                             ? pivot.idx
                             : lower_bound(places, slices[i].keys, low[i], high[i], tag, end);
            before += scratch[i];
        }
        memcpy(before < rank ? low : high, scratch, k * sizeof *scratch);
        if (before < rank)
            low[pivot.slice]++; /* the pivot itself also precedes the cut */
    }
}

void gsi_ties_cut(const struct gsi_record_table *places, const struct gsi_slice *slices, uint32_t k,
                  uint64_t rank, uint32_t end, uint64_t *cut, uint64_t *scratch)
{
    gsi_merge_cut(GSI_TAG_BYTES, slices, k, rank, cut, scratch);
    uint64_t *low = scratch, *high = scratch + k;
    if (!gsi_ties_are_possible(places->record, end) || !find_group(slices, k, cut, low, high))
        return;
    select_in_group(places, slices, k, rank, end, low, high, high + k);
    memcpy(cut, low, k * sizeof *cut);
}
