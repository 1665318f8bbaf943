// test_ladder_published.cc: checks that the known faults of published reductions and merges occur,
// and that our own rungs are right on the same input. Runs in the emulation, or compiled as CUDA on
// a GPU. Run: build/dev/tests/test_ladder_published
#include "support/ladder_arrays.h"

#include "kernels/ladder/published_merges.cuh"
#include "kernels/ladder/published_reductions.cuh"

#ifdef EMULATED_CUDA
constexpr bool IS_EMULATED = true;
#else
constexpr bool IS_EMULATED = false;
#endif

// ---- reductions ----

static const gsi_reduction_form forms[] = {GSI_FORM_INTERLEAVED, GSI_FORM_HALVES,
                                           GSI_FORM_LAST_WARP, GSI_FORM_SHUFFLE, GSI_FORM_ONE_WORD};

// Returns the sum by a published form with blocks of 128 threads; *is_watched: no access left its
// range.
static uint64_t published_sum(const std::vector<uint64_t> &in, gsi_reduction_form form,
                              gsi_reduction_fault fault, bool *is_watched)
{
    const unsigned threads = 128, block = form == GSI_FORM_HALVES ? 2 * threads : threads;
    const unsigned blocks = static_cast<unsigned>((in.size() + block - 1) / block);
    device_array<gsi_word> array = make_copy(std::vector<gsi_word>(in.begin(), in.end()));
    device_array<gsi_word> results = make_copy(std::vector<gsi_word>(blocks));
    device_array<gsi_fate> fate = make_copy(std::vector<gsi_fate>(1));
    const gsi_published_sum sum = {{array.items, static_cast<int>(in.size()), fate.items},
                                   {results.items, static_cast<int>(blocks), fate.items},
                                   static_cast<int>(in.size()),
                                   fault};
    if (form == GSI_FORM_SHUFFLE)
        check_cuda(gsi_launch(gsi_published_shuffle_sum, blocks, threads, 0, nullptr, sum));
    else if (form == GSI_FORM_ONE_WORD)
        check_cuda(gsi_launch(gsi_published_one_word_sum, blocks, threads, 0, nullptr, sum));
    else
        check_cuda(gsi_launch(gsi_published_tree_sum, blocks, threads, block * sizeof(gsi_word),
                              nullptr, sum, form));
    check_cuda(cudaDeviceSynchronize());
    check_cuda(cudaFree(array.memory));
    *is_watched = take_back(fate)[0].left_range == 0;
    uint64_t total = 0;
    for (gsi_word x : take_back(results))
        total += x;
    return total;
}

static bool is_right_sum(const std::vector<uint64_t> &in, gsi_reduction_form form,
                         gsi_reduction_fault fault)
{
    bool is_watched;
    uint64_t want = 0;
    for (uint64_t x : in)
        want += x;
    return published_sum(in, form, fault, &is_watched) == want && is_watched;
}

static void check_our_sums(const std::vector<uint64_t> &in)
{
    uint64_t want = 0, got;
    for (uint64_t x : in)
        want += x;
    device_array<uint64_t> array = make_copy(in);
    for (const gsi_reduce_rung &rung : gsi_reduce_ladder) {
        device_array<uint8_t> scratch =
            make_array<uint8_t>(rung.scratch_bytes(GSI_LADDER_U64, in.size()));
        check_cuda(rung.run(GSI_LADDER_U64, GSI_LADDER_SUM, array.items, in.size(), scratch.items,
                            nullptr));
        check_cuda(rung.result(GSI_LADDER_U64, GSI_LADDER_SUM, scratch.items, nullptr, &got));
        check_cuda(cudaFree(scratch.memory));
        if (got != want)
            test_fail("%s: n %zu", rung.name, in.size());
    }
    check_cuda(cudaFree(array.memory));
}

static void test_ladder__published_reduction_faults__show_where_ours_are_right(void **)
{
    static const struct {
        gsi_reduction_fault fault;
        gsi_reduction_form form;
        const char *name;
    } rows[] = {
#define REDUCTION_ROW(name, form, text) {GSI_REDUCTION_##name, GSI_FORM_##form, #name},
        GSI_REDUCTION_FAULTS(REDUCTION_ROW)};
    struct test_random random = test_random_make(12);
    std::vector<std::vector<uint64_t>> inputs;
    for (size_t n : {1u, 127u, 128u, 200u, 256u, 257u, 1000u}) {
        inputs.push_back(make_elements<uint64_t>(&random, UNIFORM, n, 0));
        check_our_sums(inputs.back());
        for (gsi_reduction_form form : forms)
            if (!is_right_sum(inputs.back(), form, GSI_REDUCTION_RIGHT))
                test_fail("form %d without a fault, n %zu", form, n);
    }
    for (const auto &row : rows) {
        const bool is_race = row.fault == GSI_REDUCTION_NO_BARRIER_BEFORE_WARP ||
                             row.fault == GSI_REDUCTION_NO_WARP_BARRIER;
        size_t wrong = 0;
        for (const std::vector<uint64_t> &in : inputs)
            wrong += !is_right_sum(in, row.form, row.fault);
        if (wrong == 0 && (IS_EMULATED || !is_race)) // a race need not happen on a GPU
            test_fail("%s: no wrong result", row.name);
    }
}

// ---- merges ----

// Our tiled and circular rungs on the same input, but for the one that has a shape of its own
// (test_ladder).
template <class T>
static void check_ours(gsi_ladder_type type, const std::vector<T> &a, const std::vector<T> &b,
                       gsi_merge_shape shape)
{
    device_array<T> a_array = make_copy(a), b_array = make_copy(b);
    size_t count = 0;
    for (const gsi_merge_rung &rung : gsi_merge_ladder) {
        const bool is_ours = strstr(rung.name, "tiled") || strstr(rung.name, "circular");
        if (!is_ours || strstr(rung.name, "bulk") != nullptr)
            continue;
        device_array<T> out = make_array<T>(a.size() + b.size());
        check_cuda(rung.run(type, a_array.items, a.size(), b_array.items, b.size(), out.items,
                            shape, nullptr, nullptr));
        check_cuda(cudaDeviceSynchronize());
        if (!is_same_array(take_back(out), merge_reference(a, b)))
            test_fail("%s: m %zu, n %zu, tile %u", rung.name, a.size(), b.size(), shape.tile);
        count++;
    }
    assert_int_equal(count, 4);
    check_cuda(cudaFree(a_array.memory));
    check_cuda(cudaFree(b_array.memory));
}

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

static bool is_right_published(const merge_case &c, bool is_circular, gsi_fault fault,
                               dim3 grid = 3, dim3 block = 32)
{
    const size_t shared_bytes = 2 * static_cast<size_t>(c.tile) * sizeof(gsi_pair);
    device_array<gsi_pair> a = make_copy(c.a), b = make_copy(c.b);
    device_array<gsi_pair> out = make_array<gsi_pair>(c.a.size() + c.b.size());
    device_array<gsi_fate> fate = make_copy(std::vector<gsi_fate>(1));
    check_cuda(cudaFuncSetAttribute(gsi_published_merge,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(shared_bytes)));
    check_cuda(gsi_launch(gsi_published_merge, grid, block, shared_bytes, nullptr, a.items,
                          static_cast<int>(c.a.size()), b.items, static_cast<int>(c.b.size()),
                          out.items, c.tile, is_circular, fault, fate.items));
    check_cuda(cudaDeviceSynchronize());
    check_cuda(cudaFree(a.memory));
    check_cuda(cudaFree(b.memory));
    const gsi_fate end = take_back(fate)[0];
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
        check_ours(GSI_LADDER_PAIR, c.a, c.b, {static_cast<uint32_t>(c.tile), 32, 3});
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

// A tile of 8192 seemed to cure the published circular merge of 33,000 and 31,000 keys by 16
// blocks: a section then is one tile, and nothing is refilled.
static void test_ladder__published_refill__is_right_in_one_tile_only(void **)
{
    struct test_random random = test_random_make(11);
    const auto a = sorted(make_elements<gsi_pair>(&random, UNIFORM, 33000, 0));
    const auto b = sorted(make_elements<gsi_pair>(&random, UNIFORM, 31000, 33000));
    const gsi_fault fault = GSI_FAULT_REFILL_AS_PUBLISHED;
    assert_true(is_right_published({a, b, 8192}, true, fault, 16, 128));
    assert_false(is_right_published({a, b, 1024}, true, fault, 16, 128));
    assert_true(is_right_published({a, b, 1024}, true, GSI_FAULT_NONE, 16, 128));
    check_ours(GSI_LADDER_PAIR, a, b, {0, 0, 16});
}

static void test_ladder__published_index_faults__show(void **)
{
    // Sections of 2^32 + 2^20 outputs: a 32-bit product wraps.
    const uint64_t length = ((uint64_t)1 << 32) + (1u << 20);
    assert_int_equal(gsi_published_section_first(1, length, 4), (length + 3) / 4);
    assert_int_not_equal(gsi_published_section_first(3, length * 2, 4), 3 * (length * 2 / 4));

    // Sections by a float's quotient: no section has the last output of 2^24 + 1.
    const uint32_t half = 1u << 23, odd = 2 * half + 1;
    std::vector<uint32_t> even(half, 1), rest(half + 1, 2);
    rest.back() = 3;
    assert_int_equal(gsi_published_float_cover(odd - 1, 1), odd - 1);
    assert_int_equal(gsi_published_float_cover(odd, 1), odd - 1);
    check_ours(GSI_LADDER_U32, even, rest, {0, 32, 1});

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
        cmocka_unit_test(test_ladder__published_reduction_faults__show_where_ours_are_right),
        cmocka_unit_test(test_ladder__published_faults__show_where_ours_are_right),
        cmocka_unit_test(test_ladder__published_refill__is_right_in_one_tile_only),
        cmocka_unit_test(test_ladder__published_index_faults__show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
