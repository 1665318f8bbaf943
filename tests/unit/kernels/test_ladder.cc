// test_ladder.cc: compares the kernel ladder, up to the kernels that gsort uses, with the C++
// library's algorithms. Runs in the emulation, or compiled as CUDA on a GPU. For faults of
// published forms see test_ladder_published.cc. Run: build/dev/tests/test_ladder
#include "support/ladder_arrays.h"

#include <cmath>

// ---- reductions ----

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

template <class T>
static uint64_t reduce_reference(const std::vector<T> &in, gsi_ladder_operation operation)
{
    if (operation == GSI_LADDER_SUM) {
        std::conditional_t<std::is_floating_point<T>::value, double, uint64_t> sum = 0;
        for (T x : in)
            sum += static_cast<decltype(sum)>(x);
        if constexpr (std::is_floating_point<T>::value)
            return bits_of(sum);
        else
            return sum;
    }
    const T value = operation == GSI_LADDER_MIN ? *std::min_element(in.begin(), in.end())
                                                : *std::max_element(in.begin(), in.end());
    if constexpr (std::is_floating_point<T>::value)
        return bits_of(value);
    else
        return static_cast<uint64_t>(value);
}

template <class T>
static uint64_t reduce(const gsi_reduce_rung &rung, gsi_ladder_type type,
                       gsi_ladder_operation operation, device_array<T> in)
{
    uint64_t value = 0xA5A5;
    device_array<uint8_t> scratch = make_array<uint8_t>(rung.scratch_bytes(type, in.count));
    check_cuda(rung.run(type, operation, in.items, in.count, scratch.items, nullptr));
    check_cuda(rung.result(type, operation, scratch.items, nullptr, &value));
    check_cuda(cudaFree(scratch.memory));
    return value;
}

template <class T>
static void check_reductions(gsi_ladder_type type, const std::vector<T> &in, size_t offset)
{
    device_array<T> array = make_copy(in, offset);
    for (const gsi_reduce_rung &rung : gsi_reduce_ladder)
        for (gsi_ladder_operation operation : {GSI_LADDER_SUM, GSI_LADDER_MIN, GSI_LADDER_MAX}) {
            if (in.empty() && operation != GSI_LADDER_SUM)
                continue;
            const uint64_t got = reduce(rung, type, operation, array);
            const uint64_t want = reduce_reference(in, operation);
            if (got != want)
                test_fail("%s, type %d, operation %d, n %zu, offset %zu: got %llx, want %llx",
                          rung.name, type, operation, in.size(), offset, (unsigned long long)got,
                          (unsigned long long)want);
        }
    check_cuda(cudaFree(array.memory));
}

static void test_ladder__reductions__equal_the_reference(void **)
{
    struct test_random random = test_random_make(1);
    const size_t sizes[] = {0, 1, 2, 3, 31, 32, 33, 255, 256, 257, 511, 512, 513, 1031};
    for (size_t n : sizes) {
        const key_shape shape = n % 2 ? UNIFORM : EXTREMES;
        check_reductions(GSI_LADDER_U32, make_elements<uint32_t>(&random, shape, n, 0), n % 4);
        check_reductions(GSI_LADDER_U64, make_elements<uint64_t>(&random, shape, n, 0), n % 2);
        check_reductions(GSI_LADDER_I32, make_elements<int32_t>(&random, shape, n, 0), n / 2 % 4);
        check_reductions(GSI_LADDER_I64, make_elements<int64_t>(&random, shape, n, 0), n / 2 % 2);
        check_reductions(GSI_LADDER_F32, make_elements<float>(&random, shape, n, 0), n % 4);
        check_reductions(GSI_LADDER_F64, make_elements<double>(&random, shape, n, 0), n % 2);
    }
}

// Arrays shorter than a 16-byte load, and at every distance from its alignment.
static void test_ladder__reductions__any_alignment(void **)
{
    struct test_random random = test_random_make(2);
    for (size_t offset = 0; offset < 4; offset++)
        for (size_t n = 0; n < 10; n++)
            check_reductions(GSI_LADDER_U32, make_elements<uint32_t>(&random, UNIFORM, n, 0),
                             offset);
}

// Floats of any size: extremes exactly, sums up to the rounding of as many additions.
static void test_ladder__reductions__of_any_floats(void **)
{
    struct test_random random = test_random_make(7);
    std::vector<float> in;
    double sum = 0, magnitude = 0;
    while (in.size() < 1500) {
        const uint32_t bits = static_cast<uint32_t>(test_next(&random) >> 32);
        float x;
        memcpy(&x, &bits, sizeof x);
        if (!std::isfinite(x))
            continue;
        in.push_back(x);
        sum += x;
        magnitude += std::fabs(static_cast<double>(x));
    }
    device_array<float> array = make_copy(in, 1);
    for (const gsi_reduce_rung &rung : gsi_reduce_ladder) {
        for (gsi_ladder_operation operation : {GSI_LADDER_MIN, GSI_LADDER_MAX})
            if (reduce(rung, GSI_LADDER_F32, operation, array) != reduce_reference(in, operation))
                test_fail("%s: operation %d of floats", rung.name, operation);
        const double got = double_of(reduce(rung, GSI_LADDER_F32, GSI_LADDER_SUM, array));
        if (!(std::fabs(got - sum) <= 2 * 1500 * std::ldexp(magnitude, -53)))
            test_fail("%s: sum of floats %g, want %g", rung.name, got, sum);
    }
    check_cuda(cudaFree(array.memory));
}

// More than the grid's threads load at once, and results of blocks that are many blocks again.
static void test_ladder__long_arrays__to_their_ends(void **)
{
    std::vector<uint32_t> in(1056 * 256 * 4 + 5, 3);
    in.back() = 2;
    device_array<uint32_t> array = make_copy(in, 1);
    for (const gsi_reduce_rung &rung : gsi_reduce_ladder)
        if (strncmp(rung.name, "cascaded", 8) == 0 || strcmp(rung.name, "wide loads") == 0 ||
            strcmp(rung.name, "shuffle") == 0 || strcmp(rung.name, "production") == 0)
            assert_int_equal(reduce(rung, GSI_LADDER_U32, GSI_LADDER_SUM, array),
                             3 * in.size() - 1);
    check_cuda(cudaFree(array.memory));
}

static void test_ladder__what_no_rung_serves__is_refused(void **)
{
    const uint64_t too_long = UINT64_MAX / 8;
    for (const gsi_reduce_rung &rung : gsi_reduce_ladder) {
        assert_int_equal(rung.run(GSI_LADDER_PAIR, GSI_LADDER_SUM, nullptr, 1, nullptr, nullptr),
                         cudaErrorInvalidValue);
        if (strncmp(rung.name, "cascaded", 8) != 0 && strcmp(rung.name, "wide loads") != 0)
            assert_int_equal(
                rung.run(GSI_LADDER_U32, GSI_LADDER_SUM, nullptr, too_long, nullptr, nullptr),
                cudaErrorInvalidValue);
    }
    for (const gsi_merge_rung &rung : gsi_merge_ladder) {
        void *sorted;
        const gsi_merge_shape large = {1u << 20, 0, 0};
        const bool is_production = strcmp(rung.name, "production") == 0;
        assert_int_equal(
            rung.run(GSI_LADDER_I32, nullptr, 1, nullptr, 1, nullptr, {}, nullptr, nullptr),
            cudaErrorInvalidValue);
        if (!is_production)
            assert_int_equal(
                rung.run(GSI_LADDER_U64, nullptr, 1, nullptr, 1, nullptr, large, nullptr, nullptr),
                cudaErrorInvalidValue);
        if (rung.sort != nullptr)
            assert_int_equal(rung.sort(GSI_LADDER_U32, nullptr, nullptr, too_long, {}, nullptr,
                                       nullptr, &sorted),
                             cudaErrorInvalidValue);
    }
}

// ---- co-ranks ----

// All sorted arrays of up to four keys out of three.
static std::vector<std::vector<uint32_t>> small_arrays()
{
    std::vector<std::vector<uint32_t>> all = {{}};
    for (size_t i = 0; i < all.size(); i++)
        for (uint32_t key = all[i].empty() ? 0 : all[i].back(); all[i].size() < 4 && key < 3;
             key++) {
            std::vector<uint32_t> longer = all[i];
            longer.push_back(key);
            all.push_back(longer);
        }
    return all;
}

// Returns how many of the first k outputs of the stable merge are from a, by merging.
static uint32_t co_rank_reference(uint32_t k, const std::vector<uint32_t> &a,
                                  const std::vector<uint32_t> &b)
{
    uint32_t i = 0;
    for (uint32_t j = 0; i + j < k;)
        if (i < a.size() && (j == b.size() || a[i] <= b[j]))
            i++;
        else
            j++;
    return i;
}

// `keys` in a ring of `size` slots, from slot `start` on.
static std::vector<uint32_t> ring_slots(const std::vector<uint32_t> &keys, uint32_t start,
                                        uint32_t size)
{
    std::vector<uint32_t> slots(size, 0xA5A5A5A5);
    for (uint32_t i = 0; i < keys.size(); i++)
        slots[(start + i) % size] = keys[i];
    return slots;
}

static void test_ladder__co_rank__of_all_small_arrays(void **)
{
    const std::vector<std::vector<uint32_t>> arrays = small_arrays();
    for (const std::vector<uint32_t> &a : arrays)
        for (const std::vector<uint32_t> &b : arrays) {
            const uint32_t m = static_cast<uint32_t>(a.size()), n = static_cast<uint32_t>(b.size());
            std::vector<uint32_t> want(m + n), got(m + n);
            std::merge(a.begin(), a.end(), b.begin(), b.end(), want.begin());
            gsi_merge_sequential(a.data(), m, b.data(), n, got.data());
            assert_true(got == want);
            for (uint32_t k = 0; k <= m + n; k++) {
                const uint32_t i = co_rank_reference(k, a, b);
                assert_int_equal(gsi_co_rank(k, a.data(), m, b.data(), n), i);
                assert_int_equal(gsi_co_rank<uint64_t>(k, a.data(), m, b.data(), n), i);
            }
        }
}

// Rings of 4 and 5 slots, from every start; parts are merged as the threads of a block do.
static void test_ladder__circular_co_rank__of_all_small_rings(void **)
{
    const std::vector<std::vector<uint32_t>> arrays = small_arrays();
    for (const std::vector<uint32_t> &a : arrays)
        for (const std::vector<uint32_t> &b : arrays)
            for (uint32_t start = 0; start < 4 * 5; start++) {
                const uint32_t m = static_cast<uint32_t>(a.size());
                const uint32_t n = static_cast<uint32_t>(b.size());
                std::vector<uint32_t> a_slots = ring_slots(a, start % 4, 4);
                std::vector<uint32_t> b_slots = ring_slots(b, start / 4, 5);
                const gsi_ring<uint32_t> a_ring = {a_slots.data(), start % 4, 4};
                const gsi_ring<uint32_t> b_ring = {b_slots.data(), start / 4, 5};
                std::vector<uint32_t> want(m + n), got(m + n);
                std::merge(a.begin(), a.end(), b.begin(), b.end(), want.begin());
                for (uint32_t k = 0; k <= m + n; k++)
                    assert_int_equal(gsi_co_rank(k, a_ring, m, b_ring, n),
                                     co_rank_reference(k, a, b));
                for (uint32_t k = 0; k < m + n; k += 2)
                    gsi_merge_part(a_ring, m, b_ring, n, k, std::min(k + 2, m + n), &got[k]);
                assert_true(got == want);
            }
}

// ---- merges ----

// Returns whether a rung merges this type. The production rung orders pairs by all bits. Bulk
// copies need capability 9.0.
static bool serves(const gsi_merge_rung &rung, gsi_ladder_type type)
{
    const bool is_bulk = strcmp(rung.name, "circular bulk") == 0;
    int major = 0;
    if (is_bulk)
        check_cuda(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    return !(is_bulk && major < 9) &&
           (type != GSI_LADDER_PAIR || (!is_bulk && strcmp(rung.name, "production") != 0));
}

template <class T>
static bool is_right_merge(const gsi_merge_rung &rung, gsi_ladder_type type,
                           const std::vector<T> &a, const std::vector<T> &b, gsi_merge_shape shape)
{
    device_array<T> a_array = make_copy(a), b_array = make_copy(b);
    device_array<T> out = make_array<T>(a.size() + b.size());
    device_array<uint8_t> scratch =
        make_array<uint8_t>(rung.scratch_bytes(type, a.size() + b.size()));
    check_cuda(rung.run(type, a_array.items, a.size(), b_array.items, b.size(), out.items, shape,
                        scratch.items, nullptr));
    check_cuda(cudaDeviceSynchronize());
    check_cuda(cudaFree(scratch.memory));
    check_cuda(cudaFree(a_array.memory));
    check_cuda(cudaFree(b_array.memory));
    return is_same_array(take_back(out), merge_reference(a, b));
}

// The shape for a rung: where threads have registers for a part of the tile only, its own tile.
static gsi_merge_shape fitting(const gsi_merge_rung &rung, gsi_merge_shape shape)
{
    constexpr uint32_t items_least = 7;
    if (strstr(rung.name, "registers") != nullptr && shape.tile > (shape.threads - 1) * items_least)
        shape.tile = 0;
    return shape;
}

template <class T>
static void check_merges(gsi_ladder_type type, const std::vector<T> &a, const std::vector<T> &b,
                         gsi_merge_shape shape)
{
    for (const gsi_merge_rung &rung : gsi_merge_ladder)
        if (serves(rung, type) && !is_right_merge(rung, type, a, b, fitting(rung, shape)))
            test_fail("%s: type %d, m %zu, n %zu, tile %u, threads %u, blocks %u", rung.name, type,
                      a.size(), b.size(), shape.tile, shape.threads, shape.blocks);
}

static void test_ladder__merges__equal_the_reference(void **)
{
    static const struct {
        size_t m, n;
        uint32_t tile; // not a multiple of the block's threads, mostly
    } rows[] = {
        {0, 0, 0},         {0, 1, 1},       {1, 0, 1},       {1, 1, 1},         {0, 300, 37},
        {300, 0, 37},      {37, 37, 37},    {36, 38, 37},    {5, 700, 50},      {700, 5, 50},
        {64, 64, 128},     {129, 127, 128}, {600, 601, 129}, {1500, 1400, 131}, {100, 90, 1},
        {2500, 2600, 300}, {3000, 2000, 0},
    };
    struct test_random random = test_random_make(3);
    for (const auto &row : rows)
        for (int shape = 0; shape < ASCENDING; shape++) {
            const key_shape s = static_cast<key_shape>(shape);
            check_merges(GSI_LADDER_U32, sorted(make_elements<uint32_t>(&random, s, row.m, 0)),
                         sorted(make_elements<uint32_t>(&random, s, row.n, 0)), {row.tile, 0, 0});
            check_merges(GSI_LADDER_U64, sorted(make_elements<uint64_t>(&random, s, row.m, 0)),
                         sorted(make_elements<uint64_t>(&random, s, row.n, 0)), {row.tile, 0, 0});
            check_merges(GSI_LADDER_PAIR, sorted(make_elements<gsi_pair>(&random, s, row.m, 0)),
                         sorted(make_elements<gsi_pair>(&random, s, row.n, row.m)),
                         {row.tile, 0, 0});
        }
}

// Grids and blocks as published: sections that are no multiple of a tile, with threads to spare.
static void test_ladder__merges__of_published_shapes(void **)
{
    static const struct {
        size_t m, n;
        gsi_merge_shape shape;
    } rows[] = {
        {33000, 31000, {1024, 128, 16}}, {4100, 3900, {1024, 1024, 2}}, {37, 5, {8, 32, 32}},
        {2000, 3000, {100, 64, 7}},      {1, 0, {16, 32, 4}},           {700, 0, {64, 96, 3}},
    };
    struct test_random random = test_random_make(8);
    for (const auto &row : rows) {
        check_merges(GSI_LADDER_PAIR, sorted(make_elements<gsi_pair>(&random, FEW, row.m, 0)),
                     sorted(make_elements<gsi_pair>(&random, FEW, row.n, row.m)), row.shape);
        check_merges(GSI_LADDER_U32, sorted(make_elements<uint32_t>(&random, UNIFORM, row.m, 0)),
                     sorted(make_elements<uint32_t>(&random, UNIFORM, row.n, 0)), row.shape);
    }
}

// Shared memory that has to be asked for; rungs whose threads have registers for less refuse it.
static void test_ladder__merges__tile_of_8192(void **)
{
    struct test_random random = test_random_make(9);
    const auto a = sorted(make_elements<uint64_t>(&random, UNIFORM, 20000, 0));
    const auto b = sorted(make_elements<uint64_t>(&random, FEW, 15000, 0));
    size_t count = 0;
    for (const gsi_merge_rung &rung : gsi_merge_ladder)
        if (strcmp(rung.name, "tiled") == 0 || strcmp(rung.name, "circular") == 0)
            count += is_right_merge(rung, GSI_LADDER_U64, a, b, {8192, 256, 0});
        else if (strstr(rung.name, "registers") != nullptr)
            count += rung.run(GSI_LADDER_U64, nullptr, 1, nullptr, 1, nullptr, {8192, 256, 0},
                              nullptr, nullptr) == cudaErrorInvalidValue;
    assert_int_equal(count, 4);
}

static void test_ladder__merge_on_host__equals_the_reference(void **)
{
    struct test_random random = test_random_make(10);
    const auto a = sorted(make_elements<gsi_pair>(&random, FEW, 300, 0));
    const auto b = sorted(make_elements<gsi_pair>(&random, FEW, 200, 300));
    std::vector<gsi_pair> out(500);
    check_cuda(gsi_ladder_merge_on_host(GSI_LADDER_PAIR, a.data(), 300, b.data(), 200, out.data()));
    assert_true(is_same_array(out, merge_reference(a, b)));
    assert_int_equal(gsi_ladder_merge_on_host(GSI_LADDER_F32, nullptr, 0, nullptr, 0, nullptr),
                     cudaErrorInvalidValue);
}

// Runs that do not overlap are consumed one after the other, in any order.
static void test_ladder__merges__of_disjoint_runs(void **)
{
    struct test_random random = test_random_make(4);
    const std::vector<uint32_t> low = make_elements<uint32_t>(&random, ASCENDING, 900, 0);
    const std::vector<uint32_t> high = make_elements<uint32_t>(&random, ASCENDING, 700, 900);
    check_merges(GSI_LADDER_U32, low, high, {60, 0, 0});
    check_merges(GSI_LADDER_U32, high, low, {60, 0, 0});
}

template <class T> static void check_sorts(gsi_ladder_type type, const std::vector<T> &keys)
{
    for (const gsi_merge_rung &rung : gsi_merge_ladder) {
        if (rung.sort == nullptr || !serves(rung, type))
            continue;
        void *at = nullptr;
        device_array<T> array = make_copy(keys), spare = make_array<T>(keys.size());
        device_array<uint8_t> scratch = make_array<uint8_t>(rung.scratch_bytes(type, keys.size()));
        check_cuda(rung.sort(type, array.items, spare.items, keys.size(), {150, 0, 0},
                             scratch.items, nullptr, &at));
        check_cuda(cudaDeviceSynchronize());
        check_cuda(cudaFree(scratch.memory));
        assert_true(at == array.items || at == spare.items);
        const std::vector<T> in_place = take_back(array), beside = take_back(spare);
        if (!is_same_array(at == static_cast<void *>(array.items) ? in_place : beside,
                           sorted(keys)))
            test_fail("%s: sort, type %d, n %zu", rung.name, type, keys.size());
    }
}

// Around the tile of the tile sort, and odd numbers of runs.
static void test_ladder__sorts__equal_the_stable_reference(void **)
{
    struct test_random random = test_random_make(5);
    const size_t sizes[] = {0, 1, 2, 3, 1000, 1023, 1024, 1025, 2048, 2049, 3072, 5000, 9217};
    for (size_t n : sizes)
        for (int shape = 0; shape < SHAPE_COUNT; shape++)
            check_sorts(GSI_LADDER_PAIR,
                        make_elements<gsi_pair>(&random, static_cast<key_shape>(shape), n, 0));
    check_sorts(GSI_LADDER_U32, make_elements<uint32_t>(&random, UNIFORM, 4099, 0));
    check_sorts(GSI_LADDER_U64, make_elements<uint64_t>(&random, UNIFORM, 4099, 0));
}

int main(void)
{
    if (!has_device())
        return NOT_RUN;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ladder__reductions__equal_the_reference),
        cmocka_unit_test(test_ladder__reductions__any_alignment),
        cmocka_unit_test(test_ladder__reductions__of_any_floats),
        cmocka_unit_test(test_ladder__long_arrays__to_their_ends),
        cmocka_unit_test(test_ladder__what_no_rung_serves__is_refused),
        cmocka_unit_test(test_ladder__co_rank__of_all_small_arrays),
        cmocka_unit_test(test_ladder__circular_co_rank__of_all_small_rings),
        cmocka_unit_test(test_ladder__merges__equal_the_reference),
        cmocka_unit_test(test_ladder__merges__of_published_shapes),
        cmocka_unit_test(test_ladder__merges__tile_of_8192),
        cmocka_unit_test(test_ladder__merge_on_host__equals_the_reference),
        cmocka_unit_test(test_ladder__merges__of_disjoint_runs),
        cmocka_unit_test(test_ladder__sorts__equal_the_stable_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
