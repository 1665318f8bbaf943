/* cpu_wide_sort.c: deals keys to buckets until these are small, and sorts each bucket by tags.
 *
 *     scratch  [ a block for each bucket ][ tags ][ keys of a piece ]
 *
 * Dealing works as in IPS4o (M. Axtmann et al., "In-place Parallel Super Scalar Samplesort", 2017):
 *
 *     keys   [ full blocks, of any bucket | dealt | not read yet ]   1. a block that is full moves
 *                                                                       to the front
 *     keys   [ blocks of bucket 0 | of bucket 1 | ...    | free ]    2. blocks exchange places
 *     keys   [ bucket 0 | not yet .. | bucket 7, sorted | ...   ]    3. from the last bucket on:
 *                                                                       its blocks, and its rest
 *                                                                       from the scratch
 *
 * A table of cells gives the bucket of a key. Cells are equally wide parts of the range of a
 * sample. A bucket consists of enough cells to hold its share of the sample. */
#include "device/cpu/cpu_wide_sort.h"

#include "base/assert.h"
#include "base/checked.h"
#include "base/simd.h"
#include "device/cpu/cpu_leaf_sort.h"

#include <stdbool.h>
#include <string.h>

#define PIECE_KEYS  GSI_WIDE_PIECE_KEYS
#define BUCKETS     256u
#define BLOCK_KEYS  64u
#define BLOCK_BYTES (BLOCK_KEYS * sizeof(gsi_u128))
#define STEP_KEYS   256u
#define CELL_BITS   12u
#define CELLS       (1u << CELL_BITS)

/* Keys of a bucket, as the sample predicts: small enough that few buckets are too large for a
 * piece. */
#define BUCKET_KEYS (PIECE_KEYS * 5 / 8)
#define SAMPLES     GSI_CONSTANT(4096u, 128u)
#define SAMPLE_STEP 64u /* keys per sample, at least */

/* Up to SHORT_KEYS VQSort is as fast, and up to FEW_KEYS insertion is: VQSort asks the kernel for
 * random numbers at each call (RESULTS.md, "Sizes chosen by measurement"). */
#define SHORT_KEYS GSI_CONSTANT(64u, 16u)
#define FEW_KEYS   GSI_CONSTANT(40u, 16u)

struct scratch {
    _Alignas(64) gsi_u128 blocks[BUCKETS][BLOCK_KEYS];
    uint64_t tags[PIECE_KEYS];
    gsi_u128 keys[PIECE_KEYS];
};

_Static_assert(sizeof(struct scratch) <= GSI_WIDE_SORT_BYTES, "fits");
_Static_assert(SAMPLES <= PIECE_KEYS, "samples fit where keys of a piece do");
_Static_assert(BUCKETS <= UINT8_MAX + 1, "a cell names its bucket in a byte");

/* The cells and buckets by which keys are dealt. */
struct deal {
    gsi_u128 least, range; /* range of the cells; keys outside belong to the nearest cell */
    uint32_t shift;
    uint8_t bucket_of[CELLS];
    uint32_t bucket_count;
    size_t block_bytes;
    uint32_t in_block[BUCKETS];
    size_t blocks_before[BUCKETS + 1];
};

static uint32_t bits_of(gsi_u128 x)
{
    uint64_t high = (uint64_t)(x >> 64), low = (uint64_t)x;
    return high != 0  ? 128 - (uint32_t)__builtin_clzll(high)
           : low != 0 ? 64 - (uint32_t)__builtin_clzll(low)
                      : 0;
}

/* ---- a piece ---- */

GSI_SIMD_CLONES static void find_differing(const gsi_u128 *keys, size_t n, uint64_t differ[2])
{
    const gsi_lane_u64 *halves = (const gsi_lane_u64 *)keys;
    uint64_t low = 0, high = 0;
    for (size_t i = 0; i < n; i++) {
        low |= halves[2 * i] ^ halves[0];
        high |= halves[2 * i + 1] ^ halves[1];
    }
    differ[0] = low;
    differ[1] = high;
}

/* Makes tags from the bits of the key after the first `skip`, as many as the index leaves room
 * for. */
GSI_SIMD_CLONES static void make_tags(const gsi_u128 *keys, size_t n, uint32_t skip,
                                      uint32_t index_bits, uint64_t *tags)
{
    const gsi_lane_u64 *halves = (const gsi_lane_u64 *)keys;
    const uint64_t mask = ~(uint64_t)0 << index_bits;
    if (skip >= 64) {
        for (size_t i = 0; i < n; i++)
            tags[i] = (halves[2 * i] << (skip - 64) & mask) | i;
        return;
    }
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = halves[2 * i + 1] << skip | halves[2 * i] >> 1 >> (63 - skip);
        tags[i] = (bits & mask) | i;
    }
}

static void insert_few(gsi_u128 *keys, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        gsi_u128 key = keys[i];
        size_t at = i;
        for (; at > 0 && key < keys[at - 1]; at--)
            keys[at] = keys[at - 1];
        keys[at] = key;
    }
}

/* Sorts `n` keys of scratch->keys into `to`. */
static void sort_piece(struct scratch *scratch, size_t n, gsi_u128 *to)
{
    uint64_t differ[2];
    find_differing(scratch->keys, n, differ);
    uint32_t left = bits_of((gsi_u128)differ[1] << 64 | differ[0]);
    if (n <= SHORT_KEYS || left == 0) {
        memcpy(to, scratch->keys, n * sizeof *to);
        if (left > 0)
            gsi_leaf_sort(sizeof *to, to, n);
        return;
    }
    uint32_t index_bits = bits_of(n - 1);
    uint64_t index_mask = ((uint64_t)1 << index_bits) - 1;
    make_tags(scratch->keys, n, 128 - left, index_bits, scratch->tags);
    gsi_leaf_sort(sizeof *scratch->tags, scratch->tags, n);
    uint64_t before = ~scratch->tags[0];
    bool has_ties = false;
    for (size_t i = 0; i < n; i++) {
        uint64_t tag = scratch->tags[i];
        to[i] = scratch->keys[tag & index_mask];
        has_ties |= (tag ^ before) <= index_mask;
        before = tag;
    }
    if (!has_ties || left <= 64 - index_bits)
        return;
    uint32_t behind = left - (64 - index_bits);
    for (size_t begin = 0, end; begin < n; begin = end) {
        for (end = begin + 1; end < n && (to[begin] ^ to[end]) >> behind == 0; end++)
            ;
        if (end - begin <= FEW_KEYS) {
            insert_few(to + begin, end - begin);
            continue;
        }
        memcpy(scratch->keys, to + begin, (end - begin) * sizeof *to);
        sort_piece(scratch, end - begin, to + begin);
    }
}

/* ---- dealing ---- */

GSI_INLINE uint32_t cell_of(const struct deal *deal, gsi_u128 key)
{
    gsi_u128 off = key < deal->least ? 0 : key - deal->least;
    off = off > deal->range ? deal->range : off;
    return (uint32_t)(off >> deal->shift);
}

GSI_INLINE uint32_t bucket_of(const struct deal *deal, gsi_u128 key)
{
    return deal->bucket_of[cell_of(deal, key)];
}

/* Makes a sorted sample of the keys. Returns its size. */
static size_t take_sample(const gsi_u128 *keys, size_t n, gsi_u128 *sample)
{
    const size_t count = gsi_min_u64(n / SAMPLE_STEP, SAMPLES);
    for (size_t i = 0; i < count; i++)
        sample[i] = keys[gsi_part_begin(n, i, count) + i * 0x9e3779b9 % SAMPLE_STEP];
    gsi_leaf_sort(sizeof *sample, sample, count);
    return count;
}

/* Returns whether more than an eighth of the sampled keys are repeated: then VQSort is faster,
 * because it skips equal keys. */
static bool is_of_few(const gsi_u128 *sample, size_t count)
{
    size_t alone = 0;
    for (size_t i = 0; i < count; i++)
        alone += (i == 0 || sample[i] != sample[i - 1]) &&
                 (i + 1 == count || sample[i] != sample[i + 1]);
    return alone < count - count / 8;
}

/* Chooses the buckets. Returns whether dealing helps: it does not if most keys are in one cell. */
static bool choose_buckets(struct deal *deal, size_t n, const gsi_u128 *sample, size_t count)
{
    const size_t trim = count / 256;
    size_t most = 0;
    deal->block_bytes = BLOCK_BYTES;
    deal->bucket_count = (uint32_t)gsi_clamp_u64((n + BUCKET_KEYS - 1) / BUCKET_KEYS, 2, BUCKETS);
    deal->least = sample[trim];
    deal->range = sample[count - 1 - trim] - deal->least;
    deal->shift = (uint32_t)gsi_max_u64(bits_of(deal->range), CELL_BITS) - CELL_BITS;
    if (deal->shift >= 64)
        deal->least &= ~(gsi_u128)UINT64_MAX;
    for (size_t cell = 0, at = 0, begin = 0; cell < CELLS; cell++, begin = at) {
        while (at < count && cell_of(deal, sample[at]) <= cell)
            at++;
        most = gsi_max_u64(most, at - begin);
        deal->bucket_of[cell] = (uint8_t)((begin + at) * deal->bucket_count / (2 * count + 1));
    }
    return most <= count / 4 * 3;
}

/* Finds the cells of `n` keys whose high halves determine them. */
GSI_SIMD_CLONES static void find_cells(const gsi_u128 *keys, size_t n, const struct deal *deal,
                                       uint16_t *cells)
{
    const gsi_lane_u64 *halves = (const gsi_lane_u64 *)keys;
    const uint64_t least = (uint64_t)(deal->least >> 64);
    const uint64_t range = (uint64_t)(deal->range >> 64);
    const uint32_t shift = deal->shift - 64;
    for (size_t i = 0; i < n; i++) {
        uint64_t high = halves[2 * i + 1], off = high - least;
        off = high < least ? 0 : off;
        off = off > range ? range : off;
        cells[i] = (uint16_t)(off >> shift);
    }
}

/* Copies by the C library's vectors: the code that GCC 12 generates for a known size needs twice as
 * long. */
GSI_INLINE void copy_block(const struct deal *deal, gsi_u128 *to, const gsi_u128 *from)
{
    memcpy(to, from, deal->block_bytes);
}

/* Step 1: deals the keys, and moves full blocks to the front. */
static void fill_blocks(struct deal *deal, gsi_u128 *keys, size_t n, struct scratch *scratch)
{
    gsi_u128 *to = keys;
    uint16_t cells[STEP_KEYS];
    memset(deal->in_block, 0, sizeof deal->in_block);
    memset(deal->blocks_before, 0, sizeof deal->blocks_before);
    for (size_t begin = 0, count; begin < n; begin += count) {
        count = gsi_min_u64(STEP_KEYS, n - begin);
        if (deal->shift >= 64)
            find_cells(keys + begin, count, deal, cells);
        else
            for (size_t i = 0; i < count; i++)
                cells[i] = (uint16_t)cell_of(deal, keys[begin + i]);
        for (size_t i = 0; i < count; i++) {
            const uint32_t bucket = deal->bucket_of[cells[i]];
            const uint32_t at = deal->in_block[bucket];
            scratch->blocks[bucket][at] = keys[begin + i];
            deal->in_block[bucket] = at + 1;
            if (at == BLOCK_KEYS - 1) {
                copy_block(deal, to, scratch->blocks[bucket]);
                to += BLOCK_KEYS;
                deal->in_block[bucket] = 0;
                deal->blocks_before[bucket + 1]++;
            }
        }
    }
    for (uint32_t b = 0; b < deal->bucket_count; b++)
        deal->blocks_before[b + 1] += deal->blocks_before[b];
    GSI_ASSERT(keys + deal->blocks_before[deal->bucket_count] * BLOCK_KEYS == to);
}

/* Step 2: moves the blocks of each bucket together. */
static void permute_blocks(const struct deal *deal, gsi_u128 *keys)
{
    size_t next[BUCKETS];
    gsi_u128 moving[2][BLOCK_KEYS];
    memcpy(next, deal->blocks_before, sizeof next);
    for (uint32_t b = 0; b < deal->bucket_count; b++) {
        for (; next[b] < deal->blocks_before[b + 1]; next[b]++) {
            gsi_u128 *const hole = keys + next[b] * BLOCK_KEYS;
            uint32_t bucket = bucket_of(deal, hole[0]), turn = 0;
            if (bucket == b)
                continue;
            copy_block(deal, moving[0], hole);
            while (bucket != b) {
                gsi_u128 *to;
                uint32_t there;
                do {
                    to = keys + next[bucket]++ * BLOCK_KEYS;
                    there = bucket_of(deal, to[0]);
                } while (there == bucket);
                for (size_t i = 0; i < BLOCK_KEYS; i += 4)
                    __builtin_prefetch(to + BLOCK_KEYS + i, 1);
                copy_block(deal, moving[1 - turn], to);
                copy_block(deal, to, moving[turn]);
                turn = 1 - turn;
                bucket = there;
            }
            copy_block(deal, hole, moving[turn]);
        }
    }
}

/* Step 3: moves each bucket to its place, and sorts buckets that fit a piece. begins: of
 * buckets. */
static void place_buckets(const struct deal *deal, gsi_u128 *keys, size_t n,
                          struct scratch *scratch, size_t *begins)
{
    size_t end = begins[deal->bucket_count] = n;
    for (uint32_t b = deal->bucket_count; b-- > 0; end = begins[b]) {
        const size_t full = (deal->blocks_before[b + 1] - deal->blocks_before[b]) * BLOCK_KEYS;
        const size_t rest = deal->in_block[b], count = full + rest;
        begins[b] = end - count;
        gsi_u128 *to = count <= PIECE_KEYS ? scratch->keys : keys + begins[b];
        memmove(to, keys + deal->blocks_before[b] * BLOCK_KEYS, full * sizeof *keys);
        memcpy(to + full, scratch->blocks[b], rest * sizeof *keys);
        if (count <= PIECE_KEYS)
            sort_piece(scratch, count, keys + begins[b]);
    }
}

void gsi_wide_sort(gsi_u128 *keys, size_t n, void *memory)
{
    struct scratch *scratch = memory;
    struct deal deal;
    size_t begins[BUCKETS + 1];
    const size_t samples = take_sample(keys, n, scratch->keys);
    if (n <= SHORT_KEYS || is_of_few(scratch->keys, samples) ||
        (n > PIECE_KEYS && !choose_buckets(&deal, n, scratch->keys, samples))) {
        gsi_leaf_sort(sizeof *keys, keys, n);
        return;
    }
    if (n <= PIECE_KEYS) {
        memcpy(scratch->keys, keys, n * sizeof *keys);
        sort_piece(scratch, n, keys);
        return;
    }
    fill_blocks(&deal, keys, n, scratch);
    permute_blocks(&deal, keys);
    place_buckets(&deal, keys, n, scratch, begins);
    for (uint32_t b = 0; b < deal.bucket_count; b++) {
        const size_t count = begins[b + 1] - begins[b];
        if (count > n / 8 * 7) /* the sample did not represent all keys: do not deal again */
            gsi_leaf_sort(sizeof *keys, keys + begins[b], count);
        else if (count > PIECE_KEYS)
            gsi_wide_sort(keys + begins[b], count, scratch);
    }
}
