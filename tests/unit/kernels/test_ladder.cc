// test_ladder.cc: the kernel ladder against the C++ library's algorithms, and the faults of
// published merges, which must show where ours are right. Runs in the emulation, or compiled as
// CUDA on a GPU. Run: build/dev/tests/test_ladder
#include "support/device_test.h"

#include "kernels/ladder/ladder.h"
#include "kernels/ladder/published_merges.cuh"

#include <algorithm>
#include <limits>
#include <vector>

#ifdef EMULATED_CUDA
constexpr bool IS_EMULATED = true;
#else
constexpr bool IS_EMULATED = false;
#endif

// ---- memory ----

// Device memory with `offset` elements left free before the first, to try alignments; filled with
// 0xA5.
template <class T> struct device_array {
    T *memory, *items;
    size_t count;
};

template <class T> static device_array<T> make_array(size_t count, size_t offset = 0)
{
    device_array<T> array = {nullptr, nullptr, count};
    check_cuda(cudaMalloc(&array.memory, (count + offset) * sizeof(T)));
    array.items = array.memory + offset;
    check_cuda(cudaMemset(array.items, 0xA5, count * sizeof(T)));
    return array;
}

template <class T> static device_array<T> make_copy(const std::vector<T> &from, size_t offset = 0)
{
    device_array<T> array = make_array<T>(from.size(), offset);
    check_cuda(
        cudaMemcpy(array.items, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
    return array;
}

template <class T> static std::vector<T> take_back(device_array<T> array)
{
    std::vector<T> host(array.count);
    check_cuda(
        cudaMemcpy(host.data(), array.items, array.count * sizeof(T), cudaMemcpyDeviceToHost));
    check_cuda(cudaFree(array.memory));
    return host;
}

// ---- elements ----

template <class T> static bool is_same(T a, T b)
{
    return a == b;
}

static bool is_same(gsi_pair a, gsi_pair b)
{
    return a.key == b.key && a.payload == b.payload;
}

template <class T> static bool is_less(T a, T b)
{
    return gsi_less(a, b);
}

template <class T> static bool is_same_array(const std::vector<T> &a, const std::vector<T> &b)
{
    return a.size() == b.size() &&
           std::equal(a.begin(), a.end(), b.begin(), [](T x, T y) { return is_same(x, y); });
}

template <class T> static T element_of(uint64_t key, uint64_t)
{
    return static_cast<T>(key);
}

template <> gsi_pair element_of<gsi_pair>(uint64_t key, uint64_t place)
{
    return {static_cast<uint32_t>(place), static_cast<uint32_t>(key)};
}

enum key_shape { UNIFORM, FEW, EQUAL, EXTREMES, ASCENDING, DESCENDING, SHAPE_COUNT };

// n elements; payloads count from `place` on.
template <class T>
static std::vector<T> make_elements(struct test_random *random, key_shape shape, size_t n,
                                    uint64_t place)
{
    std::vector<T> elements(n);
    for (size_t i = 0; i < n; i++) {
        const uint64_t draw = test_next(random);
        const uint64_t keys[SHAPE_COUNT] = {draw,      draw % 5, 7, draw % 2 ? UINT64_MAX : 0,
                                            place + i, n - i};
        elements[i] = element_of<T>(keys[shape], place + i);
    }
    return elements;
}

template <class T> static std::vector<T> sorted(std::vector<T> elements)
{
    std::stable_sort(elements.begin(), elements.end(), is_less<T>);
    return elements;
}

// ---- reductions ----

template <class T>
static uint64_t reduce_reference(const std::vector<T> &in, gsi_ladder_operation operation)
{
    using wide = std::conditional_t<std::is_signed<T>::value, int64_t, uint64_t>;
    uint64_t sum = 0;
    wide least = std::numeric_limits<wide>::max(), most = std::numeric_limits<wide>::min();
    for (T x : in) {
        sum += static_cast<uint64_t>(x);
        least = std::min<wide>(least, x);
        most = std::max<wide>(most, x);
    }
    return operation == GSI_LADDER_SUM   ? sum
           : operation == GSI_LADDER_MIN ? static_cast<uint64_t>(least)
                                         : static_cast<uint64_t>(most);
}

template <class T>
static void check_reductions(gsi_ladder_type type, const std::vector<T> &in, size_t offset)
{
    device_array<T> array = make_copy(in, offset);
    for (const gsi_reduce_rung &rung : gsi_reduce_ladder)
        for (gsi_ladder_operation operation : {GSI_LADDER_SUM, GSI_LADDER_MIN, GSI_LADDER_MAX}) {
            device_array<uint64_t> total = make_array<uint64_t>(1);
            check_cuda(rung.run(type, operation, array.items, in.size(), total.items, nullptr));
            check_cuda(cudaDeviceSynchronize());
            const uint64_t got = gsi_ladder_value(type, operation, take_back(total)[0]);
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
    }
}

// Shorter than a 16-byte load, and at every distance from one.
static void test_ladder__reductions__any_alignment(void **)
{
    struct test_random random = test_random_make(2);
    for (size_t offset = 0; offset < 4; offset++)
        for (size_t n = 0; n < 10; n++)
            check_reductions(GSI_LADDER_U32, make_elements<uint32_t>(&random, UNIFORM, n, 0),
                             offset);
}

// More than the grid's threads load at once.
static void test_ladder__cascaded__goes_on(void **)
{
    std::vector<uint32_t> in(1056 * 256 * 4 + 5, 3);
    in.back() = 2;
    device_array<uint32_t> array = make_copy(in, 1);
    device_array<uint64_t> total = make_array<uint64_t>(1);
    const gsi_reduce_rung &cascaded = gsi_reduce_ladder[GSI_REDUCE_RUNGS - 1];
    check_cuda(
        cascaded.run(GSI_LADDER_U32, GSI_LADDER_SUM, array.items, in.size(), total.items, nullptr));
    check_cuda(cudaDeviceSynchronize());
    assert_int_equal(take_back(total)[0], 3 * in.size() - 1);
    check_cuda(cudaFree(array.memory));
}

static void test_ladder__what_no_rung_serves__is_refused(void **)
{
    const uint64_t too_long = UINT64_MAX / 8;
    for (const gsi_reduce_rung &rung : gsi_reduce_ladder) {
        assert_int_equal(rung.run(GSI_LADDER_PAIR, GSI_LADDER_SUM, nullptr, 1, nullptr, nullptr),
                         cudaErrorInvalidValue);
        if (&rung != &gsi_reduce_ladder[GSI_REDUCE_RUNGS - 1])
            assert_int_equal(
                rung.run(GSI_LADDER_U32, GSI_LADDER_SUM, nullptr, too_long, nullptr, nullptr),
                cudaErrorInvalidValue);
    }
    for (const gsi_merge_rung &rung : gsi_merge_ladder) {
        if (rung.run == nullptr)
            continue;
        const cudaError_t signed_type =
            rung.run(GSI_LADDER_I32, nullptr, 1, nullptr, 1, nullptr, 0, nullptr);
        const cudaError_t large_tile =
            rung.run(GSI_LADDER_U64, nullptr, 1, nullptr, 1, nullptr, 1u << 20, nullptr);
        assert_int_equal(signed_type, cudaErrorInvalidValue);
        assert_int_equal(large_tile, cudaErrorInvalidValue);
        if (rung.sort != nullptr)
            assert_int_equal(rung.sort(GSI_LADDER_U32, nullptr, nullptr, too_long, 0, nullptr),
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

// How many of the first k outputs of the stable merge come from a, by merging.
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

template <class T>
static std::vector<T> merge_reference(const std::vector<T> &a, const std::vector<T> &b)
{
    std::vector<T> out(a.size() + b.size());
    std::merge(a.begin(), a.end(), b.begin(), b.end(), out.begin(), is_less<T>);
    return out;
}

template <class T>
static bool is_right_merge(const gsi_merge_rung &rung, gsi_ladder_type type,
                           const std::vector<T> &a, const std::vector<T> &b, uint32_t tile)
{
    device_array<T> a_array = make_copy(a), b_array = make_copy(b);
    device_array<T> out = make_array<T>(a.size() + b.size());
    check_cuda(
        rung.run(type, a_array.items, a.size(), b_array.items, b.size(), out.items, tile, nullptr));
    check_cuda(cudaDeviceSynchronize());
    check_cuda(cudaFree(a_array.memory));
    check_cuda(cudaFree(b_array.memory));
    return is_same_array(take_back(out), merge_reference(a, b));
}

template <class T>
static void check_merges(gsi_ladder_type type, const std::vector<T> &a, const std::vector<T> &b,
                         uint32_t tile)
{
    for (const gsi_merge_rung &rung : gsi_merge_ladder)
        if (rung.run != nullptr && !is_right_merge(rung, type, a, b, tile))
            test_fail("%s: type %d, m %zu, n %zu, tile %u", rung.name, type, a.size(), b.size(),
                      tile);
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
                         sorted(make_elements<uint32_t>(&random, s, row.n, 0)), row.tile);
            check_merges(GSI_LADDER_U64, sorted(make_elements<uint64_t>(&random, s, row.m, 0)),
                         sorted(make_elements<uint64_t>(&random, s, row.n, 0)), row.tile);
            check_merges(GSI_LADDER_PAIR, sorted(make_elements<gsi_pair>(&random, s, row.m, 0)),
                         sorted(make_elements<gsi_pair>(&random, s, row.n, row.m)), row.tile);
        }
}

// Runs that do not overlap are consumed one after the other, whichever comes first.
static void test_ladder__merges__of_disjoint_runs(void **)
{
    struct test_random random = test_random_make(4);
    const std::vector<uint32_t> low = make_elements<uint32_t>(&random, ASCENDING, 900, 0);
    const std::vector<uint32_t> high = make_elements<uint32_t>(&random, ASCENDING, 700, 900);
    check_merges(GSI_LADDER_U32, low, high, 60);
    check_merges(GSI_LADDER_U32, high, low, 60);
}

template <class T> static void check_sorts(gsi_ladder_type type, const std::vector<T> &keys)
{
    for (const gsi_merge_rung &rung : gsi_merge_ladder) {
        if (rung.sort == nullptr)
            continue;
        device_array<T> array = make_copy(keys), scratch = make_array<T>(keys.size());
        check_cuda(rung.sort(type, array.items, scratch.items, keys.size(), 150, nullptr));
        check_cuda(cudaDeviceSynchronize());
        check_cuda(cudaFree(scratch.memory));
        if (!is_same_array(take_back(array), sorted(keys)))
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

// ---- published faults ----

struct merge_case {
    std::vector<gsi_pair> a, b;
    int tile;
};

static std::vector<merge_case> make_cases()
{
    struct test_random random = test_random_make(6);
    std::vector<merge_case> cases;
    for (int c = 0; c < 60; c++) {
        const key_shape shape = c % 3 == 0 ? UNIFORM : FEW;
        const size_t m = test_below(&random, 400), n = test_below(&random, 400);
        cases.push_back({sorted(make_elements<gsi_pair>(&random, shape, m, 0)),
                         sorted(make_elements<gsi_pair>(&random, shape, n, m)),
                         static_cast<int>(33 + test_below(&random, 60))});
    }
    return cases;
}

static bool is_right_published(const merge_case &c, bool is_circular, gsi_fault fault)
{
    device_array<gsi_pair> a = make_copy(c.a), b = make_copy(c.b);
    device_array<gsi_pair> out = make_array<gsi_pair>(c.a.size() + c.b.size());
    device_array<gsi_merge_fate> fate = make_copy(std::vector<gsi_merge_fate>(1));
    check_cuda(gsi_launch(gsi_published_merge, dim3(3), dim3(32),
                          2 * static_cast<size_t>(c.tile) * sizeof(gsi_pair), nullptr, a.items,
                          static_cast<int>(c.a.size()), b.items, static_cast<int>(c.b.size()),
                          out.items, c.tile, is_circular, fault, fate.items));
    check_cuda(cudaDeviceSynchronize());
    check_cuda(cudaFree(a.memory));
    check_cuda(cudaFree(b.memory));
    const gsi_merge_fate end = take_back(fate)[0];
    const bool is_right = is_same_array(take_back(out), merge_reference(c.a, c.b));
    return is_right && !end.left_range && !end.is_endless;
}

static size_t count_wrong(const std::vector<merge_case> &cases, bool is_circular, gsi_fault fault)
{
    size_t wrong = 0;
    for (const merge_case &c : cases)
        wrong += !is_right_published(c, is_circular, fault);
    return wrong;
}

static void test_ladder__published_faults__show_where_ours_are_right(void **)
{
    static const struct {
        gsi_fault fault;
        bool is_circular;
        const char *name;
    } rows[] = {
#define TILED_ROW(name, text)    {GSI_FAULT_##name, false, #name},
#define CIRCULAR_ROW(name, text) {GSI_FAULT_##name, true, #name},
        GSI_TILED_FAULTS(TILED_ROW) GSI_CIRCULAR_FAULTS(CIRCULAR_ROW)};
    const std::vector<merge_case> cases = make_cases();
    for (const merge_case &c : cases)
        check_merges(GSI_LADDER_PAIR, c.a, c.b, static_cast<uint32_t>(c.tile));
    assert_int_equal(count_wrong(cases, false, GSI_FAULT_NONE), 0);
    assert_int_equal(count_wrong(cases, true, GSI_FAULT_NONE), 0);
    for (const auto &row : rows) {
        const bool is_race = row.fault == GSI_FAULT_NO_BARRIER_AFTER_CUT ||
                             row.fault == GSI_FAULT_NO_BARRIER_AFTER_TILE;
        const size_t wrong = count_wrong(cases, row.is_circular, row.fault);
        if (wrong == 0 && (IS_EMULATED || !is_race)) // a race need not happen on a GPU
            test_fail("%s: no wrong result", row.name);
    }
}

static void test_ladder__published_index_faults__show(void **)
{
    // Sections of 2^32 + 2^20 outputs: a 32-bit product wraps.
    const uint64_t length = ((uint64_t)1 << 32) + (1u << 20);
    assert_int_equal(gsi_published_section_first(1, length, 4), (length + 3) / 4);
    assert_int_not_equal(gsi_published_section_first(3, length * 2, 4), 3 * (length * 2 / 4));

    const uint32_t a[] = {1, 3, 5}, b[] = {2, 4, 6};
    for (uint32_t d = 0; d <= 6; d++) {
        const uint32_t path = gsi_published_unsigned_path(d, a, 3u, b, 3u);
        assert_true((path == gsi_co_rank(d, a, 3u, b, 3u)) == (d >= 3));
    }
}

int main(void)
{
    if (!has_device())
        return NOT_RUN;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ladder__reductions__equal_the_reference),
        cmocka_unit_test(test_ladder__reductions__any_alignment),
        cmocka_unit_test(test_ladder__cascaded__goes_on),
        cmocka_unit_test(test_ladder__what_no_rung_serves__is_refused),
        cmocka_unit_test(test_ladder__co_rank__of_all_small_arrays),
        cmocka_unit_test(test_ladder__circular_co_rank__of_all_small_rings),
        cmocka_unit_test(test_ladder__merges__equal_the_reference),
        cmocka_unit_test(test_ladder__merges__of_disjoint_runs),
        cmocka_unit_test(test_ladder__sorts__equal_the_stable_reference),
        cmocka_unit_test(test_ladder__published_faults__show_where_ours_are_right),
        cmocka_unit_test(test_ladder__published_index_faults__show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
