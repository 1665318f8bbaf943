/* test_merge_cut.c: compares the k-way co-rank and the tile merge with a plain stable merge, for
 * many shapes. Run: build/dev/tests/test_merge_cut */
#include "support/support.h"

#include "base/u128.h"
#include "device/cpu/cpu_merge.h"
#include "device/merge_cut.h"

#define MOST_SLICES 70
#define MOST_KEYS   6000

/* An element of the total order, as wide as any key. */
struct item {
    gsi_u128 key;
    uint32_t slice;
    uint64_t idx;
};

struct shape {
    uint32_t key_bytes, k;
    uint64_t counts[MOST_SLICES], total;
    uint8_t *keys[MOST_SLICES];
    struct gsi_slice slices[MOST_SLICES];
    struct item *order; /* what the merge must give */
};

static gsi_u128 key_at(const struct shape *shape, uint32_t slice, uint64_t idx)
{
    const uint8_t *at = shape->keys[slice] + idx * shape->key_bytes;
    gsi_u128 key = 0;
    memcpy(&key, at, shape->key_bytes);
    return key;
}

static int compare_items(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->slice != y->slice)
        return x->slice < y->slice ? -1 : 1;
    return (x->idx > y->idx) - (x->idx < y->idx);
}

static int compare_keys(const void *a, const void *b)
{
    const gsi_u128 *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* How keys are drawn: full range, few values, one value, only high bits, slices that do not
 * overlap. */
enum { DRAW_ANY, DRAW_FEW, DRAW_ONE, DRAW_HIGH, DRAW_DISJOINT, DRAW_MAX, DRAW_COUNT };

static gsi_u128 draw(struct test_random *random, int how, uint32_t slice)
{
    gsi_u128 wide = (gsi_u128)test_next(random) << 64 | test_next(random);
    switch (how) {
    case DRAW_FEW:
        return wide % 3;
    case DRAW_ONE:
        return 7;
    case DRAW_HIGH:
        return wide & ((gsi_u128)0xf0000000u << 96 | (gsi_u128)0xf0000000u << 32 | 0xf0000000u);
    case DRAW_DISJOINT:
        return (gsi_u128)(MOST_SLICES - slice) * 1000 + wide % 500;
    case DRAW_MAX:
        return wide % 2 == 0 ? ~(gsi_u128)0 : wide;
    default:
        return wide;
    }
}

static void shape_make(struct shape *shape, struct test_random *random, uint32_t key_bytes)
{
    int how = (int)test_below(random, DRAW_COUNT);
    bool is_skewed = test_below(random, 3) == 0;
    shape->key_bytes = key_bytes;
    shape->k = 1 + (uint32_t)test_below(random, test_below(random, 2) ? 5 : MOST_SLICES);
    shape->total = 0;
    gsi_u128 *wide = malloc(MOST_KEYS * sizeof *wide);
    for (uint32_t i = 0; i < shape->k; i++) {
        uint64_t most = is_skewed && i > 0 ? 3 : 1 + MOST_KEYS / shape->k;
        uint64_t count = shape->counts[i] = test_below(random, most);
        for (uint64_t j = 0; j < count; j++) {
            wide[j] = draw(random, how, i);
            if (key_bytes < 16)
                wide[j] &= ((gsi_u128)1 << (8 * key_bytes)) - 1;
        }
        qsort(wide, count, sizeof *wide, compare_keys);
        shape->keys[i] = aligned_alloc(16, (count + 1) * 16);
        for (uint64_t j = 0; j < count; j++)
            memcpy(shape->keys[i] + j * key_bytes, &wide[j], key_bytes);
        shape->slices[i] = (struct gsi_slice){shape->keys[i], count};
        shape->total += count;
    }
    free(wide);
    shape->order = malloc((shape->total + 1) * sizeof *shape->order);
    uint64_t n = 0;
    for (uint32_t i = 0; i < shape->k; i++)
        for (uint64_t j = 0; j < shape->counts[i]; j++)
            shape->order[n++] = (struct item){key_at(shape, i, j), i, j};
    qsort(shape->order, n, sizeof *shape->order, compare_items);
}

static void shape_clear(struct shape *shape)
{
    for (uint32_t i = 0; i < shape->k; i++)
        free(shape->keys[i]);
    free(shape->order);
}

/* The cut at every rank takes exactly the first `rank` items of the order. */
static void check_ranks(const struct shape *shape, struct test_random *random)
{
    uint64_t cut[MOST_SLICES], scratch[2 * MOST_SLICES], want[MOST_SLICES] = {0};
    uint64_t step = shape->total < 300 ? 1 : 1 + test_below(random, 40), next = 0;
    for (uint64_t rank = 0; rank <= shape->total; rank++) {
        if (rank == next || rank == shape->total) {
            gsi_merge_cut(shape->key_bytes, shape->slices, shape->k, rank, cut, scratch);
            for (uint32_t i = 0; i < shape->k; i++)
                if (cut[i] != want[i])
                    test_fail("%u-byte keys, %u slices: rank %llu cuts slice %u at %llu, not %llu",
                              shape->key_bytes, shape->k, (unsigned long long)rank, i,
                              (unsigned long long)cut[i], (unsigned long long)want[i]);
            next += step;
        }
        if (rank < shape->total)
            want[shape->order[rank].slice]++;
    }
}

static void check_pivots(const struct shape *shape, struct test_random *random)
{
    uint64_t cut[MOST_SLICES];
    for (int i = 0; i < 10 && shape->total > 0; i++) {
        uint64_t rank = test_below(random, shape->total);
        struct gsi_pivot pivot = {shape->order[rank].slice, shape->order[rank].idx};
        uint64_t got = gsi_merge_cut_at(shape->key_bytes, shape->slices, shape->k, pivot, cut);
        if (got != rank)
            test_fail("%u-byte keys, %u slices: pivot of rank %llu has %llu before it",
                      shape->key_bytes, shape->k, (unsigned long long)rank,
                      (unsigned long long)got);
    }
}

static void count_tile(void *context, void *keys, size_t n)
{
    (void)keys;
    *(uint64_t *)context += n;
}

static void check_merge(struct shape *shape)
{
    uint32_t width = shape->key_bytes;
    uint8_t *out = aligned_alloc(64, (shape->total * width + 191) / 64 * 64);
    memset(out + shape->total * width, 0xa5, 64);
    uint64_t cut[MOST_SLICES], tiled = 0;
    struct gsi_slice slices[MOST_SLICES], tile[MOST_SLICES];
    memcpy(slices, shape->slices, sizeof slices);
    struct gsi_merge_work work = {slices, shape->k, cut, tile,
                                  aligned_alloc(64, GSI_MERGE_SCRATCH_BYTES)};
    gsi_merge_tiles(width, &work, out, count_tile, &tiled);
    assert_int_equal(tiled, shape->total);
    for (uint64_t i = 0; i < shape->total; i++)
        if (memcmp(out + i * width, &shape->order[i].key, width) != 0)
            test_fail("%u-byte keys, %u slices: element %llu of the merge is wrong", width,
                      shape->k, (unsigned long long)i);
    for (int i = 0; i < 64; i++)
        assert_int_equal(out[shape->total * width + (size_t)i], 0xa5);
    free(work.scratch);
    free(out);
}

static void over_shapes(uint32_t key_bytes)
{
    struct test_random random = test_random_make(key_bytes);
    for (int i = 0; i < 150; i++) {
        struct shape shape;
        shape_make(&shape, &random, key_bytes);
        check_ranks(&shape, &random);
        check_pivots(&shape, &random);
        check_merge(&shape);
        shape_clear(&shape);
    }
}

static void test_merge_cut__any_shape__takes_the_first_ranks(void **state)
{
    (void)state;
    over_shapes(4);
    over_shapes(8);
    over_shapes(16);
}

/* Larger than a tile, so that tiles are cut: many slices and few, distinct keys and equal ones. */
static void test_merge_tiles__larger_than_a_tile__merges(void **state)
{
    (void)state;
    static const struct {
        uint32_t k;
        uint64_t values;
    } rows[] = {{2, UINT64_MAX}, {7, 5}, {8, UINT64_MAX}, {40, UINT64_MAX}, {40, 1}, {300, 1000}};
    const uint64_t total = 5 * GSI_TILE_BYTES / 8 + 13;
    struct test_random random = test_random_make(99);
    uint64_t *keys = malloc(total * 8), *out = malloc(total * 8);
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        uint32_t k = rows[r].k;
        struct gsi_slice *slices = calloc(3 * k, sizeof *slices);
        uint64_t *cut = calloc(k, sizeof *cut), tiled = 0, at = 0;
        for (uint32_t i = 0; i < k; i++) {
            /* The last slice takes what is left; keys of a slice ascend by construction. */
            uint64_t count = i + 1 < k ? test_below(&random, 2 * total / k) : total;
            count = count < total - at ? count : total - at;
            uint64_t step = rows[r].values / (count + 1), key = 0;
            slices[i] = (struct gsi_slice){keys + at, count};
            for (uint64_t j = 0; j < count; j++) {
                keys[at++] = key;
                key += step > 0 ? test_below(&random, step) + 1
                                : (uint64_t)(test_below(&random, count + 1) < rows[r].values);
            }
        }
        struct gsi_merge_work work = {slices, k, cut, slices + k,
                                      aligned_alloc(64, GSI_MERGE_SCRATCH_BYTES)};
        gsi_merge_tiles(8, &work, out, count_tile, &tiled);
        assert_int_equal(tiled, total);
        uint64_t sum_in = 0, sum_out = out[0];
        for (uint64_t i = 0; i < total; i++)
            sum_in += keys[i];
        for (uint64_t i = 1; i < total; i++) {
            if (out[i] < out[i - 1])
                test_fail("%u slices: disorder at %llu", k, (unsigned long long)i);
            sum_out += out[i];
        }
        assert_int_equal(sum_in, sum_out);
        free(work.scratch);
        free(cut);
        free(slices);
    }
    free(keys);
    free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_merge_cut__any_shape__takes_the_first_ranks),
        cmocka_unit_test(test_merge_tiles__larger_than_a_tile__merges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
