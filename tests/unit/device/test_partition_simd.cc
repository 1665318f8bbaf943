// test_partition_simd.cc: compares partitions by vectors with std::partition_copy, for every
// instruction set of this processor. Run: build/dev/tests/test_partition_simd
#include <hwy/targets.h>

#include <algorithm>
#include <vector>

// After those of C++, whose words cmocka takes.
#include "support/support.h"

#include "base/u128.h"
#include "device/cpu/cpu_partition_simd.h"

using u128 = gsi_u128;

// Keys that differ in all bytes, in the high or the low ones only, and the least and the greatest.
template <typename Key> static Key random_key(struct test_random *random)
{
    Key key = static_cast<Key>(test_next(random));
    if (sizeof(Key) > 8)
        key = static_cast<Key>(static_cast<u128>(key) << 64 | test_next(random));
    switch (test_below(random, 5)) {
    case 0:
        return test_below(random, 2) == 0 ? Key(0) : static_cast<Key>(~Key(0));
    case 1:
        return static_cast<Key>(test_below(random, 4));
    case 2:
        return static_cast<Key>(static_cast<Key>(test_below(random, 4)) << (sizeof(Key) * 8 - 3));
    default:
        return key;
    }
}

// Twice into the same places, so that what is there stays.
template <typename Key> static void check_deal(struct test_random *random, const char *target)
{
    constexpr size_t SLACK = GSI_DEAL_SLACK_BYTES / sizeof(Key);
    const size_t n = test_below(random, 70), all = 2 * n;
    std::vector<Key> keys(all), low(all + SLACK), high(all + SLACK), want_low, want_high;
    for (Key &key : keys)
        key = random_key<Key>(random);
    const Key pivot = all > 0 && test_below(random, 2) == 0 ? keys[test_below(random, all)]
                                                            : random_key<Key>(random);
    std::partition_copy(keys.begin(), keys.end(), std::back_inserter(want_low),
                        std::back_inserter(want_high), [pivot](Key key) { return key < pivot; });
    gsi_deal deal = {reinterpret_cast<uint8_t *>(low.data()),
                     reinterpret_cast<uint8_t *>(high.data() + high.size())};
    gsi_deal_keys(sizeof(Key), keys.data(), n, &pivot, &deal);
    gsi_deal_keys(sizeof(Key), keys.data() + n, n, &pivot, &deal);
    low.erase(low.begin() + (reinterpret_cast<Key *>(deal.low_end) - low.data()), low.end());
    high.erase(high.begin(), high.begin() + (reinterpret_cast<Key *>(deal.high) - high.data()));
    std::sort(high.begin(), high.end());
    std::sort(want_high.begin(), want_high.end());
    if (low != want_low || high != want_high)
        test_fail("%s, %zu-byte keys, %zu of them: wrong", target, sizeof(Key), all);
}

static void test_deal_keys__every_instruction_set__as_partition_copy(void **state)
{
    (void)state;
    struct test_random random = test_random_make(1);
    for (int64_t left = hwy::SupportedTargets() & HWY_TARGETS; left != 0; left &= left - 1) {
        const int64_t target = left & -left;
        hwy::GetChosenTarget().Update(target);
        for (int round = 0; round < 4000; round++) {
            check_deal<uint32_t>(&random, hwy::TargetName(target));
            check_deal<uint64_t>(&random, hwy::TargetName(target));
            check_deal<u128>(&random, hwy::TargetName(target));
        }
    }
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deal_keys__every_instruction_set__as_partition_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
