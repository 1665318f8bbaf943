// test_merge_simd.cc: compares merges by vectors with std::merge, for every instruction set of this
// processor. Run: build/dev/tests/test_merge_simd
#include <hwy/targets.h>

#include <algorithm>
#include <vector>

// After those of C++, whose words cmocka takes.
#include "support/support.h"

#include "base/u128.h"
#include "device/cpu/cpu_merge_simd.h"

using u128 = gsi_u128;

// Keys that differ in all bytes, in few of them, or hardly at all, and the least and the greatest.
template <typename Key> static Key random_key(struct test_random *random, uint64_t values)
{
    Key key = static_cast<Key>(test_next(random));
    if (sizeof(Key) > 8)
        key = static_cast<Key>(static_cast<u128>(key) << 64 | test_next(random));
    const uint64_t kind = test_below(random, 20);
    if (kind < 2)
        return kind == 0 ? Key(0) : static_cast<Key>(~Key(0));
    if (values == 0)
        return key;
    const Key small = static_cast<Key>(test_below(random, values));
    return values % 2 == 0 ? small : static_cast<Key>(small << (sizeof(Key) * 8 - 16));
}

template <typename Key>
static std::vector<Key> random_run(struct test_random *random, size_t n, uint64_t values)
{
    std::vector<Key> run(n);
    for (Key &key : run)
        key = random_key<Key>(random, values);
    std::sort(run.begin(), run.end());
    return run;
}

// Checks one merge: the remaining keys must be those between the two ends.
template <typename Key>
static bool check_merge(const std::vector<Key> &a, const std::vector<Key> &b, const char *target)
{
    std::vector<Key> want(a.size() + b.size()), out(want.size() + 2, Key(0x5a));
    std::merge(a.begin(), a.end(), b.begin(), b.end(), want.begin());
    gsi_merge_ends ends = {a.data(),    a.data() + a.size(),      b.data(), b.data() + b.size(),
                           &out[0] + 1, &out[0] + 1 + want.size()};
    gsi_merge_bulk(sizeof(Key), &ends);
    const Key *left_a = static_cast<const Key *>(ends.a),
              *left_b = static_cast<const Key *>(ends.b);
    const Key *end_a = static_cast<const Key *>(ends.a_end);
    const Key *end_b = static_cast<const Key *>(ends.b_end);
    const size_t front = static_cast<size_t>(static_cast<Key *>(ends.out) - (&out[0] + 1));
    Key *middle = static_cast<Key *>(ends.out);
    if (end_a - left_a + end_b - left_b != static_cast<Key *>(ends.out_end) - middle)
        test_fail("%s, %zu-byte keys: %zu and %zu keys: what is left does not fit", target,
                  sizeof(Key), a.size(), b.size());
    std::merge(left_a, end_a, left_b, end_b, middle);
    if (!std::equal(want.begin(), want.end(), out.begin() + 1) || out.front() != Key(0x5a) ||
        out.back() != Key(0x5a))
        test_fail("%s, %zu-byte keys: %zu and %zu keys: wrong", target, sizeof(Key), a.size(),
                  b.size());
    return front > 0;
}

// True if any merge used vectors.
template <typename Key> static bool over_runs(const char *target)
{
    static const uint64_t values[] = {0, 2, 3, 1000, 60001};
    struct test_random random = test_random_make(sizeof(Key));
    bool has_moved = false;
    for (int round = 0; round < 4000; round++) {
        const uint64_t few = values[round % 5];
        const size_t most = round % 7 == 0 ? 2000 : 90;
        const std::vector<Key> a = random_run<Key>(&random, test_below(&random, most), few);
        const std::vector<Key> b = random_run<Key>(&random, test_below(&random, most), few);
        has_moved |= check_merge(a, b, target);
    }
    return has_moved;
}

static void test_merge_bulk__every_instruction_set__as_std_merge(void **state)
{
    (void)state;
    const int64_t supported = hwy::SupportedTargets() & HWY_TARGETS;
    for (int64_t left = supported; left != 0; left &= left - 1) {
        const int64_t target = left & -left;
        const char *name = hwy::TargetName(target);
        hwy::GetChosenTarget().Update(target);
        const bool has_moved =
            over_runs<uint32_t>(name) | over_runs<uint64_t>(name) | over_runs<u128>(name);
#ifdef __x86_64__
        if (has_moved != (strncmp(name, "AVX", 3) == 0))
            test_fail("%s: vectors %s", name, has_moved ? "were used" : "were not used");
#else
        (void)has_moved;
#endif
    }
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_merge_bulk__every_instruction_set__as_std_merge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
