// test_cpu_level.cc: checks that GS_TEST_CPU disables what processors of that level lack, for
// Highway and for clones. Run: GS_TEST_CPU=v2 build/dev/tests/test_cpu_level
#include <hwy/targets.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>

// After those of C++, whose words cmocka takes.
#include "support/support.h"

#include "device/cpu/cpu_leaf_sort.h"

// Chosen as clones of base/simd.h are.
__attribute__((target("default"))) static int clone()
{
    return 1;
}
__attribute__((target("arch=x86-64-v3"))) static int clone()
{
    return 3;
}
__attribute__((target("arch=x86-64-v4"))) static int clone()
{
    return 4;
}

// The flags of the processor, from the kernel.
static int level_here()
{
    std::ifstream file("/proc/cpuinfo");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto has = [&](const char *flag) {
        return text.find(" " + std::string(flag) + " ") != std::string::npos;
    };
    return has("avx512vl") && has("avx512bw") ? 4 : has("avx2") ? 3 : has("sse4_2") ? 2 : 1;
}

static void test_cpu_level__named__both_choose_within_it(void **)
{
    const char *named = getenv("GS_TEST_CPU");
    const int allowed = named != nullptr ? named[1] - '0' : 4;
    const int level = allowed < level_here() ? allowed : level_here();
    assert_int_equal(clone(), level == 2 ? 1 : level);
    const std::string target = gsi_leaf_target();
    const int of_target = target.rfind("AVX3", 0) == 0 ? 4
                          : target == "AVX2"           ? 3
                          : target == "SSE4"           ? 2
                                                       : 1;
    if (of_target != level)
        test_fail("VQSort has %s at level v%d", target.c_str(), level);
}

// The first sort of the process, and the target's name, leave what was chosen: Zen 4 sorts keys of
// 4 bytes by AVX2 although it has AVX-512 (cpu_leaf_sort.cc).
static void test_leaf_sort__a_target_was_chosen__it_stays(void **)
{
    gsi_leaf_prepare(4);
    int64_t least = hwy::SupportedTargets();
    while ((least & (least - 1)) != 0)
        least &= least - 1;
    hwy::GetChosenTarget().Update(least);
    const size_t chosen = hwy::GetChosenTarget().GetIndex();
    std::uint32_t keys[4096];
    for (std::uint32_t i = 0; i < 4096; i++)
        keys[i] = i * 2654435761u;
    gsi_leaf_sort(4, keys, 4096);
    assert_int_equal(hwy::GetChosenTarget().GetIndex(), chosen);
    assert_non_null(gsi_leaf_target());
    assert_int_equal(hwy::GetChosenTarget().GetIndex(), chosen);
}

int main()
{
    const CMUnitTest tests[] = {cmocka_unit_test(test_leaf_sort__a_target_was_chosen__it_stays),
                                cmocka_unit_test(test_cpu_level__named__both_choose_within_it)};
    return cmocka_run_group_tests_name("cpu_level", tests, nullptr, nullptr);
}
