// test_merge_parts.cc: tests parts of the GPU's sorts and merges: merge paths, sorting networks,
// and splits of a pass. It compares the cuts of windows with a slow model.
// It runs on the emulated GPU or a real one. Run: build/dev/tests/test_merge_parts
#include "support/device_keys.h"

#include "kernels/sort/kway_merge.cuh"
#include "kernels/sort/merge_path.cuh"
#include "kernels/sort/merge_runs.cuh"
#include "kernels/sort/sort_network.cuh"

#include <algorithm>

// ---- merge paths ----

// The ascending arrays of up to `most` of the keys 0, 1, 2.
static std::vector<std::vector<int>> small_arrays(int most)
{
    std::vector<std::vector<int>> arrays;
    for (int zeros = 0; zeros <= most; zeros++)
        for (int ones = 0; zeros + ones <= most; ones++)
            for (int twos = 0; zeros + ones + twos <= most; twos++) {
                std::vector<int> array(static_cast<size_t>(zeros + ones + twos), 2);
                std::fill_n(array.begin(), zeros, 0);
                std::fill_n(array.begin() + zeros, ones, 1);
                arrays.push_back(array);
            }
    return arrays;
}

// Compares all diagonals with a simple merge that prefers keys of a.
template <class Index> static void check_paths(const std::vector<int> &a, const std::vector<int> &b)
{
    const Index a_count = static_cast<Index>(a.size()), b_count = static_cast<Index>(b.size());
    Index taken = 0;
    for (Index diagonal = 0; diagonal <= a_count + b_count; diagonal++) {
        const Index got =
            gsi_merge_path<Index>([&](Index i) { return a.at(i); }, a_count,
                                  [&](Index i) { return b.at(i); }, b_count, diagonal);
        assert_int_equal(got, taken);
        if (diagonal < a_count + b_count)
            taken +=
                taken < a_count && (diagonal - taken >= b_count || a[taken] <= b[diagonal - taken]);
    }
}

static void test_merge_path__all_small_arrays__as_slow_merge(void **)
{
    const std::vector<std::vector<int>> arrays = small_arrays(6);
    for (const std::vector<int> &a : arrays)
        for (const std::vector<int> &b : arrays) {
            check_paths<uint32_t>(a, b);
            check_paths<uint64_t>(a, b);
        }
}

static void test_search_near__any_guess__first_that_is_not_below(void **)
{
    constexpr uint32_t MOST = 9;
    for (uint32_t low = 0; low <= MOST; low++)
        for (uint32_t high = low; high <= MOST; high++)
            for (uint32_t first = low; first <= high; first++)
                for (uint32_t guess = 0; guess <= MOST + 1; guess++)
                    for (uint32_t deviation = 0; deviation <= MOST + 1; deviation++) {
                        const uint32_t got =
                            gsi_search_near(low, high, guess, deviation, [&](uint32_t i) {
                                assert_in_range(i, low, high - 1);
                                return i < first;
                            });
                        assert_int_equal(got, first);
                    }
}

// ---- merges of one thread ----

#ifdef GSORT_TEST_EMULATED_GPU // a GPU runs them in whole merges: test_sort_kernels
constexpr int ITEMS = 3;

// Merges from every diagonal on of padded and of facing arrays, beside std::merge; the largest of
// the keys is what is padded with.
template <class Key>
static void check_items(const std::vector<int> &a_words, const std::vector<int> &b_words)
{
    const Key words[] = {0, ~Key(0) / 2, ~Key(0)};
    std::vector<Key> a, b, want(a_words.size() + b_words.size());
    for (int word : a_words)
        a.push_back(words[word]);
    for (int word : b_words)
        b.push_back(words[word]);
    std::merge(a.begin(), a.end(), b.begin(), b.end(), want.begin());
    const uint32_t a_count = static_cast<uint32_t>(a.size()), b_first = a_count + ITEMS;
    const uint32_t b_count = static_cast<uint32_t>(b.size()), count = a_count + b_count;
    std::vector<Key> padded(a), facing(a), past(ITEMS, ~Key(0));
    padded.insert(padded.end(), past.begin(), past.end());
    padded.insert(padded.end(), b.begin(), b.end());
    padded.insert(padded.end(), past.begin(), past.end());
    facing.insert(facing.end(), b.rbegin(), b.rend());
    want.insert(want.end(), past.begin(), past.end());
    for (uint32_t diagonal = 0; diagonal < count; diagonal++) {
        Key out[ITEMS];
        const uint32_t taken =
            gsi_merge_path<uint32_t>([&](uint32_t i) { return a[i]; }, a_count,
                                     [&](uint32_t i) { return b[i]; }, b_count, diagonal);
        const uint32_t a_at = taken * sizeof(Key);
        const uint32_t b_at = (b_first + diagonal - taken) * sizeof(Key);
        gsi_merge_padded(padded.data(), a_at, b_at, out);
        if (!std::equal(out, out + ITEMS, want.begin() + diagonal))
            fail_case("gsi_merge_padded", Key, "%u and %u keys from %u", a_count, b_count,
                      diagonal);
        if (diagonal + ITEMS > count)
            continue;
        gsi_merge_facing(facing.data(), a_count, count, diagonal, out);
        if (!std::equal(out, out + ITEMS, want.begin() + diagonal))
            fail_case("gsi_merge_facing", Key, "%u and %u keys from %u", a_count, b_count,
                      diagonal);
    }
}

static void test_merge_items__all_small_arrays__as_std_merge(void **)
{
    const std::vector<std::vector<int>> arrays = small_arrays(5);
    for (const std::vector<int> &a : arrays)
        for (const std::vector<int> &b : arrays) {
            check_items<uint32_t>(a, b);
            check_items<uint64_t>(a, b);
            check_items<gsi_u128>(a, b);
        }
}
#endif

// ---- sorting networks ----

// The 0-1 principle: a network that sorts all sequences of zeros and ones sorts everything. 64
// sequences at a time, one a bit; position i of sequence s is bit i of s.
template <int COUNT> static void check_all_bits(void)
{
    constexpr uint64_t low_bits[] = {0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0,
                                     0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000};
    constexpr const auto &network = gsi_network<COUNT>::comparators;
    const uint64_t batches = COUNT > 6 ? uint64_t(1) << (COUNT - 6) : 1;
    uint64_t unsorted = 0;
    for (uint64_t batch = 0; batch < batches; batch++) {
        uint64_t keys[COUNT];
        for (int i = 0; i < COUNT; i++)
            keys[i] = i < 6 ? low_bits[i] : 0 - (batch >> (i - 6) & 1);
        for (int c = 0; c < network.count; c++) {
            const uint64_t low = keys[network.low[c]], high = keys[network.high[c]];
            keys[network.low[c]] = low & high;
            keys[network.high[c]] = low | high;
        }
        for (int i = 1; i < COUNT; i++)
            unsorted |= keys[i - 1] & ~keys[i];
    }
    if (unsorted != 0)
        test_fail("network of %d keys", COUNT);
}

template <class Key, int COUNT> static void check_network(struct test_random *random)
{
    for (int round = 0; round < 300; round++) {
        Key keys[COUNT], want[COUNT];
        for (int i = 0; i < COUNT; i++)
            want[i] = keys[i] = make_key<Key>(static_cast<enum pattern>(round % PATTERN_COUNT),
                                              static_cast<uint64_t>(i), COUNT, random);
        std::sort(want, want + COUNT);
        gsi_network_sort(keys);
        if (memcmp(keys, want, sizeof keys) != 0)
            test_fail("network of %d keys of %zu bytes, round %d", COUNT, sizeof(Key), round);
    }
}

template <int... COUNTS> static void check_networks(std::integer_sequence<int, COUNTS...>)
{
    struct test_random random = test_random_make(1);
    (check_all_bits<COUNTS + 2>(), ...);
    (check_network<uint32_t, COUNTS + 2>(&random), ...);
}

static void test_network__any_count__sorts(void **)
{
    struct test_random random = test_random_make(2);
    check_networks(std::make_integer_sequence<int, 22>());
    check_network<uint32_t, 47>(&random);
    check_network<uint32_t, gsi_tile_policy<uint32_t>::items>(&random);
    check_network<uint64_t, gsi_tile_policy<uint64_t>::items>(&random);
    check_network<gsi_u128, gsi_tile_policy<gsi_u128>::items>(&random);
}

// ---- how a pass splits its keys ----

// The runs of all groups follow each other without a gap, each as long as it can be.
static void check_split(uint64_t n, uint64_t run_keys, uint32_t fan_in)
{
    const uint32_t base = 0;
    gsi_merge_runs<uint32_t> runs = {};
    runs.base = &base;
    runs.key_count = n;
    runs.run_keys = run_keys;
    runs.group_keys = std::min(run_keys * fan_in, n);
    uint64_t end = 0;
    for (uint64_t group = 0; end < n; group++) {
        const uint64_t first = end;
        for (uint32_t r = 0; r < fan_in; r++) {
            const gsi_slice_of<uint32_t> run = gsi_merge_run(runs, fan_in, group, r);
            assert_int_equal(run.count, std::min(run_keys, n - end));
            if (run.count > 0)
                assert_int_equal(reinterpret_cast<uintptr_t>(run.keys) -
                                     reinterpret_cast<uintptr_t>(runs.base),
                                 end * sizeof base);
            end += run.count;
        }
        assert_int_equal(gsi_merge_group_keys(runs, group), end - first);
    }
    assert_int_equal(end, n);
}

static void test_merge_runs__any_split__holds_every_key_once(void **)
{
    for (uint32_t fan_in = 2; fan_in <= GSI_FAN_IN; fan_in *= 2)
        for (uint64_t run_keys = 1; run_keys <= 5; run_keys++)
            for (uint64_t n = 1; n <= 3 * run_keys * fan_in + 1; n++)
                check_split(n, run_keys, fan_in);
    check_split(((uint64_t)1 << 33) + 5, (uint64_t)1 << 31, 2); // beyond 32 bits
}

static void test_merge_runs__listed__are_those(void **)
{
    const uint64_t keys[5] = {1, 2, 3, 4, 5};
    gsi_merge_runs<uint64_t> runs = {};
    runs.listed[1].run[0] = {keys + 3, 2};
    runs.listed[1].run[2] = {keys, 3};
    runs.listed[1].key_count = 5;
    runs.listed[1].at = 7;
    for (uint32_t r = 0; r < GSI_FAN_IN; r++) {
        assert_ptr_equal(gsi_merge_run(runs, GSI_FAN_IN, 1, r).keys, runs.listed[1].run[r].keys);
        assert_int_equal(gsi_merge_run(runs, GSI_FAN_IN, 1, r).count, runs.listed[1].run[r].count);
    }
    assert_int_equal(gsi_merge_group_keys(runs, 1), 5);
    assert_int_equal(gsi_merge_group_at(runs, 1), 7);
}

// ---- cuts of windows ----

template <class Key> struct cut_case {
    std::vector<std::vector<Key>> arrays;
    bool has_bound;
    Key bound;
    uint32_t bound_arrays;
    uint64_t window_keys;
    uint32_t window_count;
};

// Returns the result of cut_windows: cuts, window by window, then the total of each.
template <class Key> static std::vector<uint64_t> cut_slowly(const cut_case<Key> &c)
{
    const uint64_t count = c.arrays.size();
    std::vector<std::pair<Key, uint64_t>> merged; // key and array
    for (uint64_t i = 0; i < count; i++)
        for (Key key : c.arrays[i])
            if (!c.has_bound || key < c.bound || (key == c.bound && i < c.bound_arrays))
                merged.push_back({key, i});
    std::sort(merged.begin(), merged.end());
    std::vector<uint64_t> found, cut(count);
    uint64_t taken = 0;
    for (uint64_t w = 0; w < c.window_count; w++) {
        for (; taken < merged.size() && taken < (w + 1) * c.window_keys; taken++)
            cut[merged[taken].second]++;
        found.insert(found.end(), cut.begin(), cut.end());
    }
    found.insert(found.end(), c.window_count, merged.size());
    return found;
}

template <class Key> static void check_cuts(const cut_case<Key> &c, struct test_random *random)
{
    const uint32_t count = static_cast<uint32_t>(c.arrays.size());
    std::vector<device_keys<Key>> blocks;
    std::vector<gsi_chain> chains;
    std::vector<gsi_part> parts;
    for (const std::vector<Key> &array : c.arrays) { // in one part or several
        chains.push_back({array.size(), static_cast<uint32_t>(parts.size()), 0});
        for (size_t begin = 0, n; begin < array.size(); begin += n) {
            n = test_below(random, 2) > 0 ? array.size() - begin
                                          : 1 + test_below(random, array.size() - begin);
            blocks.push_back(
                take_keys<Key>(n, test_below(random, UNIT_BYTES / sizeof(Key)), false));
            put_keys(blocks.back(),
                     std::vector<Key>(array.data() + begin, array.data() + begin + n));
            parts.push_back({blocks.back().keys, begin});
            chains.back().count++;
        }
    }
    gsi_chain *device_chains;
    gsi_part *device_parts;
    uint64_t *cuts, *totals;
    check_cuda(cudaMalloc(&device_chains, count * sizeof *device_chains));
    check_cuda(cudaMemcpy(device_chains, chains.data(), count * sizeof *device_chains,
                          cudaMemcpyHostToDevice));
    check_cuda(cudaMalloc(&device_parts, (parts.size() + 1) * sizeof *device_parts));
    check_cuda(cudaMemcpy(device_parts, parts.data(), parts.size() * sizeof *device_parts,
                          cudaMemcpyHostToDevice));
    check_cuda(cudaMalloc(&cuts, uint64_t(c.window_count) * count * sizeof *cuts));
    check_cuda(cudaMalloc(&totals, c.window_count * sizeof *totals));
    gpu_seed(test_next(random));
    check_cuda(kernels_of<Key>().cut_windows(
        device_chains, count, device_parts, c.has_bound ? &c.bound : nullptr, c.bound_arrays,
        c.window_keys, c.window_count, cuts, totals, nullptr, nullptr));
    check_cuda(cudaDeviceSynchronize());
    std::vector<uint64_t> got = fetch_keys<uint64_t>(cuts, uint64_t(c.window_count) * count);
    const std::vector<uint64_t> got_totals = fetch_keys<uint64_t>(totals, c.window_count);
    got.insert(got.end(), got_totals.begin(), got_totals.end());
    const std::vector<uint64_t> want = cut_slowly(c);
    const uint64_t at = static_cast<uint64_t>(
        std::mismatch(got.begin(), got.end(), want.begin()).first - got.begin());
    if (at < got.size())
        fail_case("cut_windows", Key,
                  "%u arrays, %llu keys, bound %d, windows of %llu: %llu instead of %llu, "
                  "window %llu, array %llu",
                  count, to_llu(want.back()), c.has_bound, to_llu(c.window_keys), to_llu(got[at]),
                  to_llu(want[at]), to_llu(at / count), to_llu(at % count));
    check_cuda(cudaFree(device_chains));
    check_cuda(cudaFree(device_parts));
    check_cuda(cudaFree(cuts));
    check_cuda(cudaFree(totals));
    for (const device_keys<Key> &block : blocks)
        give_keys(block);
}

// `count` arrays of up to `most` keys, every fourth of them empty.
template <class Key>
static cut_case<Key> make_cut_case(uint32_t count, uint64_t most, enum pattern pattern,
                                   struct test_random *random)
{
    cut_case<Key> c = {};
    c.arrays.resize(count);
    for (std::vector<Key> &array : c.arrays) {
        const uint64_t n = test_below(random, 4) == 0 ? 0 : test_below(random, most + 1);
        for (uint64_t i = 0; i < n; i++)
            array.push_back(make_key<Key>(pattern, i, n, random));
        std::sort(array.begin(), array.end());
    }
    return c;
}

template <class Key> static uint64_t key_count(const cut_case<Key> &c)
{
    uint64_t n = 0;
    for (const std::vector<Key> &array : c.arrays)
        n += array.size();
    return n;
}

// Chooses a key of the arrays, or its neighbour, as the bound. It is inclusive in the first few
// arrays, or in none.
template <class Key> static void draw_bound(cut_case<Key> *c, struct test_random *random)
{
    const std::vector<Key> &array = c->arrays[test_below(random, c->arrays.size())];
    c->has_bound = true;
    c->bound = array.empty() ? 0 : array[test_below(random, array.size())];
    c->bound += static_cast<Key>(test_below(random, 8) == 0);
    c->bound_arrays = static_cast<uint32_t>(test_below(random, c->arrays.size() + 1));
}

// Every end of every case's windows, without a bound and with some.
template <class Key>
static void check_case(cut_case<Key> c, uint64_t window_keys, struct test_random *random)
{
    c.window_keys = window_keys;
    c.window_count = static_cast<uint32_t>(key_count(c) / window_keys + 2);
    check_cuts(c, random);
    draw_bound(&c, random);
    check_cuts(c, random);
}

template <class Key> static void check_cuts_of_width(struct test_random *random)
{
    for (int p = 0; p < PATTERN_COUNT; p++) {
        const enum pattern pattern = static_cast<enum pattern>(p);
        for (uint32_t count : {1, 2, 3, 16, 31, 32, 33})
            check_case(make_cut_case<Key>(count, 60 / count + 2, pattern, random), 1, random);
        for (uint32_t count : {2, 5, 33})
            check_case(make_cut_case<Key>(count, 3000, pattern, random), 4999, random);
        check_case(make_cut_case<Key>(100, 9, pattern, random), 83, random);
        if (pattern == FIVE_KEYS)
            check_case(make_cut_case<Key>(1024, 2, pattern, random), 601, random);
    }
    cut_case<Key> empty = {};
    empty.arrays.resize(7);
    check_case(empty, 5, random);
    cut_case<Key> one = make_cut_case<Key>(40, 0, EQUAL, random);
    one.arrays[37].assign(1000, ~static_cast<Key>(0));
    check_case(one, 111, random);
}

static void test_cut_windows__any_arrays_and_bound__as_slow_merge(void **)
{
    struct test_random random = test_random_make(3);
    check_cuts_of_width<uint32_t>(&random);
    check_cuts_of_width<uint64_t>(&random);
    check_cuts_of_width<gsi_u128>(&random);
}

// The same case under many orders of execution.
static void test_cut_windows__any_schedule__same_cuts(void **)
{
    struct test_random random = test_random_make(4);
    const cut_case<uint64_t> c = make_cut_case<uint64_t>(70, 20, FIVE_KEYS, &random);
    for (uint32_t seed = 0; seed < 25; seed++)
        check_case(c, 97, &random);
}

int main(void)
{
    if (!has_device())
        return NOT_RUN;
    gpu_set_background(false);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_merge_path__all_small_arrays__as_slow_merge),
        cmocka_unit_test(test_search_near__any_guess__first_that_is_not_below),
#ifdef GSORT_TEST_EMULATED_GPU
        cmocka_unit_test(test_merge_items__all_small_arrays__as_std_merge),
#endif
        cmocka_unit_test(test_network__any_count__sorts),
        cmocka_unit_test(test_merge_runs__any_split__holds_every_key_once),
        cmocka_unit_test(test_merge_runs__listed__are_those),
        cmocka_unit_test(test_cut_windows__any_arrays_and_bound__as_slow_merge),
        cmocka_unit_test(test_cut_windows__any_schedule__same_cuts),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
