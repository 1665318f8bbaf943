/* candidates.c: finds, joins, cuts, sorts and copies candidates, on any thread.
 *
 * A cut does not sort numbers if a sample shows a key with slightly more than the wanted number of
 * keys below it. One pass then moves those keys to the front (Floyd and Rivest, "Expected time
 * bounds for selection", CACM 18(3), 1975, with one round). If many keys are equal, there may be no
 * such key. Then all keys are sorted, which is fast for such data.
 *
 * Records are sorted by tags, which are made from the beginning of the key. A cut keeps the
 * remaining records in their previous order, so nothing has to be gathered into other memory. */
#include "device/candidates.h"
#include "element/tally/digest.h"

#include "base/assert.h"
#include "base/checked.h"
#include "device/cpu/cpu_leaf_sort.h"
#include "device/record_ties.h"
#include "element/compare.h"
#include "element/record/record_mix.h"
#include "element/record/record_tally.h"

#include <string.h>

/* BLOCK: records per batch of tags. AHEAD: records by which a prefetch precedes the copy. */
#define BLOCK GSI_CONSTANT(256u, 32u)
#define AHEAD 12u

/* From this many keys on, a sample is searched for a bound. The search costs a few passes over the
 * keys instead of a sort, and 16 KiB for a sample of u64. */
#define SAMPLES       GSI_CONSTANT(2048u, 64u)
#define SAMPLED_LEAST ((uint64_t)8 * SAMPLES)

/* Indexes of tags are positions among the candidates: one block holds them all. */
#define ONE_BLOCK_SHIFT (GSI_TAG_INDEX_BITS - 1)

static gsi_u128 mix_keys(const struct gsi_layout *layout, const void *keys, uint64_t n)
{
    struct gsi_digest digest = GSI_DIGEST_EMPTY;
    gsi_digest_add(layout, &digest, keys, n);
    return gsi_fingerprint(digest.fingerprint);
}

/* ---- records ---- */

static struct gsi_record_table places_of(const struct gsi_candidates *candidates,
                                         const uint8_t **data)
{
    *data = candidates->data;
    return (struct gsi_record_table){
        .record = candidates->layout->record, .blocks = data, .shift = ONE_BLOCK_SHIFT};
}

static bool is_below(const struct gsi_record *record, const uint8_t *element, gsi_u128 tag,
                     const uint8_t *bound, gsi_u128 bound_tag)
{
    gsi_u128 key = gsi_tag_key(tag), bound_key = gsi_tag_key(bound_tag);
    if (key != bound_key || !gsi_ties_are_possible(record, GSI_TAG_KEY_BYTES))
        return key < bound_key;
    return gsi_record_compare(record, element, bound, GSI_TAG_KEY_BYTES) < 0;
}

/* Returns whether any of the records may be below the bound, judged by tags alone. */
static bool has_candidate(const gsi_u128 *tags, size_t n, gsi_u128 bound_tag)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += tags[i] <= (bound_tag | GSI_TAG_INDEX_MASK);
    return count > 0;
}

static uint64_t find_records(const struct gsi_candidates *candidates, uint64_t n,
                             const uint8_t *bound)
{
    const struct gsi_record *record = candidates->layout->record;
    size_t bytes = record->bytes;
    uint8_t *at = candidates->data, *to = candidates->data;
    gsi_u128 tags[BLOCK], bound_tag;
    gsi_record_tags(record, bound, 1, gsi_tag_choice_from(0), 0, &bound_tag);
    for (size_t step; n > 0; n -= step, at += step * bytes) {
        step = gsi_min_u64(n, BLOCK);
        gsi_record_tags(record, at, step, gsi_tag_choice_from(0), 0, tags);
        if (!has_candidate(tags, step, bound_tag))
            continue;
        for (size_t i = 0; i < step; i++) {
            const uint8_t *element = at + i * bytes;
            if (!is_below(record, element, tags[i], bound, bound_tag))
                continue;
            memmove(to, element, bytes);
            to += bytes;
        }
    }
    return (uint64_t)(to - candidates->data) / bytes;
}

static const uint8_t *record_at(const struct gsi_candidates *candidates, gsi_u128 tag)
{
    return candidates->data + gsi_tag_index(tag) * candidates->layout->element_bytes;
}

/* Sorts the tags; the records are not moved. */
static void sort_records(struct gsi_candidates *candidates, uint64_t most)
{
    const struct gsi_record *record = candidates->layout->record;
    const uint8_t *data;
    struct gsi_record_table places = places_of(candidates, &data);
    gsi_u128 *tags = candidates->tags;
    gsi_record_tags(record, candidates->data, candidates->count, gsi_tag_choice_from(0), 0, tags);
    gsi_leaf_sort(GSI_TAG_BYTES, tags, candidates->count);
    if (gsi_ties_are_possible(record, GSI_TAG_KEY_BYTES))
        gsi_ties_sort(&places, tags, candidates->count, GSI_TAG_KEY_BYTES);
    for (; candidates->count > most; candidates->count--)
        candidates->fingerprint -=
            gsi_mix_record(record_at(candidates, tags[candidates->count - 1]), record->bytes);
}

static void cut_records(struct gsi_candidates *candidates, uint64_t most, uint8_t *bound)
{
    size_t bytes = candidates->layout->element_bytes;
    gsi_u128 *tags = candidates->tags;
    sort_records(candidates, most);
    memcpy(bound, record_at(candidates, tags[most - 1]), bytes);
    for (uint64_t i = 0; i < most; i++)
        tags[i] = gsi_tag_index(tags[i]);
    gsi_leaf_sort(GSI_TAG_BYTES, tags, most);
    for (uint64_t i = 0; i < most; i++) /* index >= i, so no source is overwritten */
        memmove(candidates->data + i * bytes, record_at(candidates, tags[i]), bytes);
}

static void copy_records(const struct gsi_candidates *candidates, uint64_t first, uint64_t n,
                         struct gsi_buffer *window)
{
    const struct gsi_record *record = candidates->layout->record;
    const gsi_u128 *tags = candidates->tags + first;
    for (uint64_t i = 0; i < n; i++) {
        if (i + AHEAD < n)
            __builtin_prefetch(record_at(candidates, tags[i + AHEAD]));
        memcpy(window->data + i * record->bytes, record_at(candidates, tags[i]), record->bytes);
    }
    gsi_record_digest_add(record, &window->digest, window->data, n);
}

/* ---- numbers ---- */

static uint64_t square_root(uint64_t n)
{
    uint64_t root = 0;
    while ((root + 1) * (root + 1) <= n)
        root++;
    return root;
}

/* Collects evenly spaced keys and sorts them. */
static void take_samples(const struct gsi_candidates *candidates, uint8_t *samples)
{
    uint32_t bytes = candidates->layout->key_bytes;
    uint64_t step = candidates->count / SAMPLES;
    for (uint64_t i = 0; i < SAMPLES; i++)
        memcpy(samples + i * bytes, candidates->data + i * step * bytes, bytes);
    gsi_leaf_sort(bytes, samples, SAMPLES);
}

/* Chooses a key from a sample that probably has at least `most` keys below it, and few more. Cuts
 * off all keys that are not below it. Returns false if the sample has no such key. It also returns
 * false, after partitioning but without cutting, if fewer than `most` keys are below. */
static bool cut_by_samples(struct gsi_candidates *candidates, uint64_t most, uint8_t *bound)
{
    const struct gsi_layout *layout = candidates->layout;
    uint32_t bytes = layout->key_bytes;
    _Alignas(16) uint8_t samples[SAMPLES * 16];
    uint64_t rank = (uint64_t)((gsi_u128)most * SAMPLES / candidates->count);
    rank += 3 * square_root(rank) + 3; /* three standard deviations */
    if (rank >= SAMPLES)
        return false;
    take_samples(candidates, samples);
    memcpy(bound, samples + rank * bytes, bytes);
    uint64_t below = gsi_keys_partition(bytes, candidates->data, candidates->count, bound);
    if (below < most)
        return false;
    candidates->fingerprint -=
        mix_keys(layout, candidates->data + below * bytes, candidates->count - below);
    candidates->count = below;
    return true;
}

static void sort_keys(struct gsi_candidates *candidates, uint64_t most)
{
    const struct gsi_layout *layout = candidates->layout;
    gsi_leaf_sort(layout->key_bytes, candidates->data, candidates->count);
    if (candidates->count <= most)
        return;
    candidates->fingerprint -=
        mix_keys(layout, candidates->data + most * layout->key_bytes, candidates->count - most);
    candidates->count = most;
}

static void cut_keys(struct gsi_candidates *candidates, uint64_t most, uint8_t *bound)
{
    uint32_t bytes = candidates->layout->key_bytes;
    if (candidates->count >= SAMPLED_LEAST && cut_by_samples(candidates, most, bound) &&
        candidates->count <= gsi_candidates_after_cut(most))
        return;
    sort_keys(candidates, most);
    memcpy(bound, candidates->data + (most - 1) * bytes, bytes);
}

/* ---- both ---- */

void gsi_candidates_find(struct gsi_candidates *candidates, uint64_t n, const void *bound)
{
    const struct gsi_layout *layout = candidates->layout;
    if (layout->form != GSI_FORM_KEYS) {
        candidates->count = bound != NULL ? find_records(candidates, n, bound) : n;
        candidates->fingerprint =
            gsi_mix_records(candidates->data, candidates->count, layout->element_bytes);
        return;
    }
    candidates->count = gsi_keys_below(layout, candidates->data, n, bound, candidates->data);
    candidates->fingerprint = mix_keys(layout, candidates->data, candidates->count);
}

void gsi_candidates_join(struct gsi_candidates *candidates, const struct gsi_candidates *piece)
{
    uint32_t bytes = candidates->layout->element_bytes;
    memcpy(candidates->data + candidates->count * bytes, piece->data, piece->count * bytes);
    candidates->count += piece->count;
    candidates->fingerprint += piece->fingerprint;
}

void gsi_candidates_cut(struct gsi_candidates *candidates, uint64_t most, uint8_t *bound)
{
    if (candidates->layout->form != GSI_FORM_KEYS)
        cut_records(candidates, most, bound);
    else
        cut_keys(candidates, most, bound);
}

void gsi_candidates_sort_first(struct gsi_candidates *candidates, uint64_t most)
{
    const struct gsi_layout *layout = candidates->layout;
    if (layout->form != GSI_FORM_KEYS)
        sort_records(candidates, most);
    else
        sort_keys(candidates, most);
}

void gsi_candidates_fill(const struct gsi_candidates *candidates, uint64_t first,
                         struct gsi_buffer *window)
{
    const struct gsi_layout *layout = candidates->layout;
    uint32_t bytes = layout->element_bytes;
    uint64_t n = gsi_min_u64(candidates->count - first, window->capacity / bytes);
    window->bytes = n * bytes;
    window->digest = GSI_DIGEST_EMPTY;
    if (layout->form != GSI_FORM_KEYS) {
        copy_records(candidates, first, n, window);
        return;
    }
    memcpy(window->data, candidates->data + first * bytes, window->bytes);
    gsi_digest_add_unmap(layout, &window->digest, window->data, n);
}
