// test_sort_kernels.cc: compares the GPU's chunk sorts, merges and gathers with std::sort, on the
// emulated GPU or a real one. For the emulated GPU it is built twice. Program test_sort_kernels has
// tiny tiles (GSI_TILE_ITEMS_FORCED), so that many tiles and passes are cheap. Program
// test_sort_kernels_production has the tiles of a GPU, at fewer sizes. The parts they are made of:
// test_merge_parts.cc. Run: build/dev/tests/test_sort_kernels
#include "support/device_keys.h"

#include "base/choices.h"
#include "plan/plan_model.h"

#include "kernels/sort/circular_merge.cuh"
#include "kernels/sort/kway_merge.cuh"

#include <algorithm>

static cudaStream_t stream;

// ---- chunk sorts ----

template <class Key>
static void check_chunk_sort(enum pattern pattern, uint64_t n, struct test_random *random)
{
    const gsi_sort_kernels &kernels = kernels_of<Key>();
    std::vector<Key> want(n);
    for (uint64_t i = 0; i < n; i++)
        want[i] = make_key<Key>(pattern, i, n, random);
    const bool is_guarded = test_below(random, 2) > 0;
    const device_keys<Key> keys = take_keys<Key>(n, 0, is_guarded);
    const device_keys<Key> spare = take_keys<Key>(n, 0, is_guarded);
    void *scratch, *sorted = nullptr;
    check_cuda(cudaMalloc(&scratch, kernels.chunk_scratch_bytes(n)));
    put_keys(keys, want);
    gpu_seed(test_next(random));
    check_cuda(kernels.chunk_sort(keys.keys, spare.keys, n, scratch, nullptr, stream, &sorted));
    check_cuda(cudaStreamSynchronize(stream));

    std::sort(want.begin(), want.end());
    if (sorted != keys.keys && sorted != spare.keys)
        fail_case("chunk_sort", Key, "pattern %d, %llu keys: *sorted", pattern, to_llu(n));
    if (fetch_keys<Key>(sorted, n) != want)
        fail_case("chunk_sort", Key, "pattern %d, %llu keys: order", pattern, to_llu(n));
    if (is_guarded && !(has_guards(keys) && has_guards(spare)))
        fail_case("chunk_sort", Key, "pattern %d, %llu keys: guards", pattern, to_llu(n));
    check_cuda(cudaFree(scratch));
    give_keys(keys);
    give_keys(spare);
}

// Sizes close to a thread's keys, a tile and k tiles, and larger than one pass.
template <class Key> static std::vector<uint64_t> chunk_sizes()
{
    const uint64_t items = gsi_tile_policy<Key>::items, tile = gsi_sort_tile<Key>();
    std::vector<uint64_t> sizes = {0,         1,        2,        items - 1, items,
                                   items + 1, tile - 1, tile + 1, 2 * tile,  2 * tile + items};
    for (uint64_t k = 1; k <= 17; k++)
        if (IS_CHEAP || k == 3 || k == 17)
            for (uint64_t n = k * tile - 1; n <= k * tile + 1; n++)
                sizes.push_back(n);
    if (IS_CHEAP)
        sizes.insert(sizes.end(), {31 * tile + 7, 32 * tile, 33 * tile, 3 * 16 * tile + 5,
                                   65 * tile - 3, 257 * tile + 1});
    return sizes;
}

template <class Key> static void check_chunk_sorts(struct test_random *random)
{
    check_cuda(kernels_of<Key>().prepare());
    const uint64_t few_keys = 3 * gsi_sort_tile<Key>();
    uint32_t turn = 0;
    for (uint64_t n : chunk_sizes<Key>())
        for (int pattern = 0; pattern < PATTERN_COUNT; pattern++, turn++)
            if (pattern == RANDOM || (IS_CHEAP && n <= few_keys) || turn % 6 == 0)
                check_chunk_sort<Key>(static_cast<enum pattern>(pattern), n, random);
}

static void test_chunk_sort__any_size_and_pattern__as_std_sort(void **)
{
    struct test_random random = test_random_make(1);
    check_chunk_sorts<uint32_t>(&random);
    check_chunk_sorts<uint64_t>(&random);
    check_chunk_sorts<gsi_u128>(&random);
}

// Scratch is taken for the longest run; the last one is shorter.
static void test_chunk_scratch__more_keys__no_less(void **)
{
    for (const gsi_sort_kernels *kernels :
         {&gsi_sort_kernels_4, &gsi_sort_kernels_8, &gsi_sort_kernels_16, &gsi_sort_kernels_tied})
        for (uint64_t n = 1, before = 0; n < 400 * gsi_sort_tile<uint32_t>(); n += 1 + n / 70) {
            const uint64_t bytes = kernels->chunk_scratch_bytes(n);
            if (bytes < before)
                test_fail("%u-byte keys: %llu keys take less than fewer", kernels->key_bytes,
                          to_llu(n));
            before = bytes;
        }
}

#ifndef GSI_TILE_ITEMS_FORCED
// A probe finds that the memory that the model of a GPU gives for sorting is enough.
static void test_chunk_scratch__of_a_model__enough(void **)
{
    gsi_device_model model = {};
    gsi_device_limits limits;
    gsi_layout layout = {};
    gsi_plan_model_limits(&model, &layout, &limits);
    for (const gsi_sort_kernels *kernels :
         {&gsi_sort_kernels_4, &gsi_sort_kernels_8, &gsi_sort_kernels_16, &gsi_sort_kernels_tied}) {
        const uint64_t n = 1 << 20, bytes = n * kernels->key_bytes;
        assert_true(bytes / limits.scratch_part >= 2 * kernels->chunk_scratch_bytes(n));
    }
}
#endif

// The first limit is of a block with compute capability 8.6, 8.9 or 12.0: no GPU with kernels here
// has less. The second is of a multiprocessor with 9.0. The system has 1 KiB of each block. Source:
// CUDA C++ programming guide, table of technical specifications.
static void check_block_bytes(size_t bytes, int blocks)
{
    constexpr size_t block_most = 99 << 10, multiprocessor = 228 << 10, system = 1 << 10;
    assert_true(bytes <= block_most);
    assert_true(static_cast<size_t>(blocks) * (bytes + system) <= multiprocessor);
}

template <class Key, int FAN_IN_LOG> static void check_pass_bytes(void)
{
    constexpr size_t tile_bytes = gsi_merge_tile<Key, FAN_IN_LOG>() * sizeof(Key);
    static_assert(tile_bytes > 0 && tile_bytes % UNIT_BYTES == 0, "tiles are whole units");
    static_assert(gsi_merge_table_off<Key, FAN_IN_LOG>() % UNIT_BYTES == 0, "alignment");
    using policy = gsi_merge_policy<Key, FAN_IN_LOG>;
    static_assert(policy::items % 2 == 1, "an even stride meets few banks");
    check_block_bytes(gsi_merge_shared_bytes<Key, FAN_IN_LOG>(), policy::blocks);
}

template <class Key> static void check_policy(void)
{
    using policy = gsi_tile_policy<Key>;
    static_assert(policy::items % 2 == 1, "an even stride meets few banks");
    static_assert(policy::threads >= 32 && (policy::threads & (policy::threads - 1)) == 0,
                  "the levels of a tile sort double");
    check_block_bytes(gsi_sort_tile<Key>() * sizeof(Key), policy::blocks);
    check_pass_bytes<Key, 1>();
    check_pass_bytes<Key, 2>();
    check_pass_bytes<Key, 3>();
    check_pass_bytes<Key, 4>();
    using circular = gsi_circular_policy<Key>;
    static_assert(circular::items % 2 == 1, "an even stride meets few banks");
    static_assert(circular::eighths >= 8, "a tile may take all of it from one run");
    check_block_bytes(gsi_circular<Key, circular>::shared_bytes(), circular::blocks);
}

static void test_tile_policy__every_width__fits_a_multiprocessor(void **)
{
    check_policy<uint32_t>();
    check_policy<uint64_t>();
    check_policy<gsi_u128>();
}

// ---- merges ----

enum shape {
    DEALT,            // key by key, in turn
    IN_ORDER,         // array 0 below array 1 below ..; neighbours share a key
    AGAINST_ORDER,    // array 0 above array 1 above ..
    SHUFFLED,         // such arrays in any order
    ONE_HUGE,         // the others are empty
    SINGLES,          // all but one have one key
    RANDOM_SIZES,     // of random keys
    RANDOM_FIVE_KEYS, // of five keys
    STRETCHES,        // dealt, of equal keys that go over the ends of tiles
    LARGEST,          // keys like what kernels may fill up with
    SHAPE_COUNT
};

template <class Key> using key_arrays = std::vector<std::vector<Key>>;

// How many of n keys each array has.
static std::vector<uint64_t> make_counts(enum shape shape, uint32_t count, uint64_t n,
                                         struct test_random *random)
{
    std::vector<uint64_t> counts(count, n / count);
    const uint64_t chosen = test_below(random, count);
    switch (shape) {
    case ONE_HUGE:
    case SINGLES:
        for (uint32_t i = 0; i < count; i++)
            counts[i] = shape == SINGLES && n >= count ? 1 : 0;
        counts[chosen] += n - (counts[chosen] * count);
        break;
    case RANDOM_SIZES:
    case RANDOM_FIVE_KEYS: {
        std::vector<uint64_t> ends(count, n);
        for (uint32_t i = 0; i + 1 < count; i++)
            ends[i] = test_below(random, n + 1);
        std::sort(ends.begin(), ends.end());
        for (uint32_t i = 0; i < count; i++)
            counts[i] = ends[i] - (i > 0 ? ends[i - 1] : 0);
        break;
    }
    default:
        counts[chosen] += n % count;
        break;
    }
    return counts;
}

// Key j of array i, before they are sorted; rank: place of the array's keys among all.
template <class Key>
static Key make_array_key(enum shape shape, uint32_t count, uint64_t i, uint64_t j, uint64_t rank,
                          uint64_t n, struct test_random *random)
{
    switch (shape) {
    case DEALT:
        return spread_key<Key>(j * count + i);
    case IN_ORDER:
    case AGAINST_ORDER:
    case SHUFFLED:
        return spread_key<Key>(n < count ? rank : rank * (n / count - 1) + j);
    case RANDOM_FIVE_KEYS:
        return make_key<Key>(FIVE_KEYS, j, n, random);
    case STRETCHES:
        return spread_key<Key>((j * count + i) / (gsi_sort_tile<Key>() * 2 / 3 + 1));
    case LARGEST:
        return test_below(random, 8) > 0 ? ~static_cast<Key>(0) : random_key<Key>(random);
    default:
        return random_key<Key>(random);
    }
}

template <class Key>
static key_arrays<Key> make_arrays(enum shape shape, uint32_t count, uint64_t n,
                                   struct test_random *random)
{
    const std::vector<uint64_t> counts = make_counts(shape, count, n, random);
    std::vector<uint32_t> ranks(count);
    for (uint32_t i = 0; i < count; i++)
        ranks[i] = shape == AGAINST_ORDER ? count - 1 - i : i;
    for (uint32_t i = count; shape == SHUFFLED && i > 1; i--)
        std::swap(ranks[i - 1], ranks[test_below(random, i)]);
    key_arrays<Key> arrays(count);
    for (uint32_t i = 0; i < count; i++) {
        for (uint64_t j = 0; j < counts[i]; j++)
            arrays[i].push_back(make_array_key<Key>(shape, count, i, j, ranks[i], n, random));
        std::sort(arrays[i].begin(), arrays[i].end());
    }
    return arrays;
}

// How many merges of two there are among those of `count` arrays, a few keys each: the last one, or
// none.
static uint64_t merges_of_two(uint64_t count)
{
    return count <= GSI_FAN_IN ? count == 2 : merges_of_two((count + GSI_FAN_IN - 1) / GSI_FAN_IN);
}

template <class Key>
static std::vector<Key> run_merge(const std::vector<gsi_slice> &slices, uint64_t n, bool is_guarded,
                                  gsi_merge_kernel kernel, bool *is_whole)
{
    const gsi_sort_kernels &kernels = kernels_of<Key>();
    const uint32_t count = static_cast<uint32_t>(slices.size());
    const bool is_tree = count > GSI_FAN_IN;
    const device_keys<Key> out = take_keys<Key>(n + (is_tree ? count : 0), 0, is_guarded);
    const device_keys<Key> temp = take_keys<Key>(is_tree ? n + count : 0, 0, is_guarded && is_tree);
    void *scratch;
    gsi_pair_merges pairs = {kernel, 7};
    check_cuda(cudaMalloc(&scratch, kernels.merge_scratch_bytes(n, count)));
    check_cuda(
        kernels.merge(slices.data(), count, out.keys, temp.keys, scratch, nullptr, &pairs, stream));
    assert_int_equal(pairs.count, kernel != GSI_MERGE_TILED ? 7 + merges_of_two(count) : 7);
    check_cuda(cudaStreamSynchronize(stream));
    const std::vector<Key> merged = fetch_keys<Key>(out.keys, n);
    *is_whole = !is_guarded || (has_guards(out) && (!is_tree || has_guards(temp)));
    check_cuda(cudaFree(scratch));
    give_keys(out);
    give_keys(temp);
    return merged;
}

template <class Key>
static void check_merge(enum shape shape, uint32_t count, uint64_t n, gsi_merge_kernel kernel,
                        struct test_random *random)
{
    const key_arrays<Key> arrays = make_arrays<Key>(shape, count, n, random);
    std::vector<Key> want;
    std::vector<device_keys<Key>> blocks;
    std::vector<gsi_slice> slices;
    for (const std::vector<Key> &array : arrays) {
        blocks.push_back(
            take_keys<Key>(array.size(), test_below(random, UNIT_BYTES / sizeof(Key)), false));
        put_keys(blocks.back(), array);
        slices.push_back({blocks.back().keys, array.size()});
        want.insert(want.end(), array.begin(), array.end());
    }
    std::sort(want.begin(), want.end());
    gpu_seed(test_next(random));
    bool is_whole;
    const std::vector<Key> got =
        run_merge<Key>(slices, want.size(), test_below(random, 2) > 0, kernel, &is_whole);
    if (want != got || !is_whole)
        fail_case("merge", Key, "kernel %d, shape %d, %u arrays, %llu keys: %s", kernel, shape,
                  count, to_llu(want.size()), want != got ? "order" : "guards");
    for (uint32_t i = 0; i < count; i++) {
        if (fetch_keys<Key>(blocks[i].keys, arrays[i].size()) != arrays[i])
            fail_case("merge", Key, "shape %d, %u arrays: array %u has changed", shape, count, i);
        give_keys(blocks[i]);
    }
}

// Keys of a tile of a merge of up to 16 arrays.
template <class Key> static uint64_t merge_tile(uint32_t count)
{
    return count <= 2   ? gsi_merge_tile<Key, 1>()
           : count <= 4 ? gsi_merge_tile<Key, 2>()
           : count <= 8 ? gsi_merge_tile<Key, 3>()
                        : gsi_merge_tile<Key, 4>();
}

template <class Key> static void check_merges(struct test_random *random)
{
    check_cuda(kernels_of<Key>().prepare());
    uint32_t turn = 0;
    for (uint32_t count :
         {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 31, 32, 33, 128, 257}) {
        const uint64_t tile = merge_tile<Key>(count);
        const uint64_t sizes[] = {
            0, 1, 7, tile - 1, tile, tile + 1, 2 * tile, 2 * tile + 3, 5 * tile + 17};
        const uint32_t size_count = sizeof sizes / sizeof sizes[0];
        const bool is_edge = count == 2 || count == 3 || count == 16 || count == 17;
        for (int shape = 0; shape < SHAPE_COUNT; shape++)
            for (uint32_t s = 0; s < size_count; s++, turn++)
                if (IS_CHEAP ? is_edge || turn % 3 == 0 : turn % 23 == 0)
                    check_merge<Key>(static_cast<enum shape>(shape), count, sizes[s],
                                     GSI_MERGE_TILED, random);
    }
}

static void test_merge__any_count_shape_and_size__as_std_sort(void **)
{
    struct test_random random = test_random_make(2);
    check_merges<uint32_t>(&random);
    check_merges<uint64_t>(&random);
    check_merges<gsi_u128>(&random);
}

#if !defined(GSORT_TEST_EMULATED_GPU) || GSI_HAS_BULK_COPY
// Two arrays, in one block and in several; and trees whose last merge is one of two.
template <class Key> static void check_circular_merges(struct test_random *random)
{
    constexpr uint64_t tile = gsi_circular<Key, gsi_circular_policy<Key>>::TILE;
    constexpr uint64_t unit = UNIT_BYTES / sizeof(Key);
    const uint64_t sizes[] = {0,
                              1,
                              2,
                              unit + 1,
                              gsi_circular_policy<Key>::items + 1,
                              tile - 1,
                              tile,
                              tile + 1,
                              2 * tile + unit,
                              5 * tile + 17,
                              40 * tile - 3,
                              41 * tile + unit};
    check_cuda(kernels_of<Key>().prepare());
    for (int s = 0; s < SHAPE_COUNT; s++) {
        const auto shape = static_cast<enum shape>(s);
        for (uint64_t n : sizes)
            check_merge<Key>(shape, 2, n, GSI_MERGE_CIRCULAR, random);
        for (uint32_t count : {1, 3, 17, 32, 33, 257})
            check_merge<Key>(shape, count, 3 * tile + 5, GSI_MERGE_CIRCULAR, random);
    }
    // Several tiles for each block of a real GPU.
    for (enum shape shape : {DEALT, RANDOM_SIZES, STRETCHES})
        if (!GPU_IS_EMULATED)
            check_merge<Key>(shape, 2, 2500 * tile + unit, GSI_MERGE_CIRCULAR, random);
}

static void test_merge__circular__as_std_sort(void **)
{
    if (!has_bulk_copies())
        test_skip("this GPU does not copy in bulk");
    struct test_random random = test_random_make(3);
    check_circular_merges<uint32_t>(&random);
    check_circular_merges<uint64_t>(&random);
    check_circular_merges<gsi_u128>(&random);
}
#endif

static void test_merge__more_arrays_than_it_takes__is_refused(void **)
{
    const std::vector<gsi_slice> slices(1025);
    assert_int_equal(gsi_sort_kernels_8.merge(slices.data(), 1025, nullptr, nullptr, nullptr,
                                              nullptr, nullptr, stream),
                     cudaErrorInvalidValue);
    assert_int_equal(
        gsi_sort_kernels_8.merge(nullptr, 0, nullptr, nullptr, nullptr, nullptr, nullptr, stream),
        cudaSuccess);
}

// ---- consecutive parts ----

// More than one launch takes.
template <class Key> static void check_gather(uint32_t count, struct test_random *random)
{
    std::vector<device_keys<Key>> blocks;
    std::vector<gsi_slice> slices;
    std::vector<Key> want;
    for (uint32_t i = 0; i < count; i++) {
        std::vector<Key> part(1 + test_below(random, 300));
        for (Key &key : part)
            key = random_key<Key>(random);
        blocks.push_back(take_keys<Key>(part.size(), 0, false));
        put_keys(blocks.back(), part);
        slices.push_back({blocks.back().keys, part.size()});
        want.insert(want.end(), part.begin(), part.end());
    }
    const device_keys<Key> out = take_keys<Key>(want.size(), 0, true);
    gpu_seed(test_next(random));
    check_cuda(kernels_of<Key>().gather(slices.data(), count, out.keys, stream));
    check_cuda(cudaStreamSynchronize(stream));
    if (fetch_keys<Key>(out.keys, want.size()) != want || !has_guards(out))
        fail_case("gather", Key, "%u parts of %llu keys", count, to_llu(want.size()));
    give_keys(out);
    for (const device_keys<Key> &block : blocks)
        give_keys(block);
}

static void test_gather__any_count__one_behind_the_other(void **)
{
    struct test_random random = test_random_make(4);
    for (uint32_t count : {1, 2, 63, 64, 65, 127, 128, 129, 300}) {
        check_gather<uint32_t>(count, &random);
        check_gather<uint64_t>(count, &random);
        check_gather<gsi_u128>(count, &random);
    }
}

int main(void)
{
    if (!has_device())
        return NOT_RUN;
    gpu_set_background(false);
    check_cuda(cudaStreamCreate(&stream));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chunk_sort__any_size_and_pattern__as_std_sort),
        cmocka_unit_test(test_chunk_scratch__more_keys__no_less),
#ifndef GSI_TILE_ITEMS_FORCED
        cmocka_unit_test(test_chunk_scratch__of_a_model__enough),
#endif
        cmocka_unit_test(test_tile_policy__every_width__fits_a_multiprocessor),
        cmocka_unit_test(test_merge__any_count_shape_and_size__as_std_sort),
#if !defined(GSORT_TEST_EMULATED_GPU) || GSI_HAS_BULK_COPY
        cmocka_unit_test(test_merge__circular__as_std_sort),
#endif
        cmocka_unit_test(test_merge__more_arrays_than_it_takes__is_refused),
        cmocka_unit_test(test_gather__any_count__one_behind_the_other),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
