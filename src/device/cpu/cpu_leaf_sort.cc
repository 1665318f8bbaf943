// cpu_leaf_sort.cc: sorts keys with VQSort (Blacher et al., "Vectorized and performance-portable
// Quicksort", 2022), which chooses the instruction set at run time.
#include "device/cpu/cpu_leaf_sort.h"

#include "base/u128.h"
#include "element/width.h"

#include <hwy/contrib/sort/vqsort.h>
#include <hwy/targets.h>

#include <algorithm>

#ifdef __x86_64__
#include <cpuid.h>
#endif

// One sorter per thread: its constructor allocates, its call does not.
static const hwy::Sorter &sorter()
{
    static thread_local hwy::Sorter instance;
    return instance;
}

// Zen 4 stores the rest of a vector of 32-bit lanes by microcode. There, VQSort's AVX-512 code for
// u32 needs 7 times as long as its AVX2 code (RESULTS.md, "Sizes chosen by measurement"). Later
// versions of Highway have a target for it.
static bool is_slow_in_avx512()
{
#if defined(__x86_64__) && !defined(HWY_AVX3_ZEN4)
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    if (__get_cpuid(0, &eax, &ebx, &ecx, &edx) == 0)
        return false;
    const bool is_amd = ebx == signature_AMD_ebx && ecx == signature_AMD_ecx;
    const bool has_family = is_amd && __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0;
    return has_family && (eax >> 8 & 0xf) + (eax >> 20 & 0xff) == 25;
#else
    return false;
#endif
}

// Asks once. Each question about its processor makes a virtual machine exit, 14 us in all, as long
// as sorting 2000 numbers. Highway 1.0 also resets the chosen target to the best one whenever it is
// asked which targets there are.
static int64_t supported()
{
    static const int64_t all = hwy::SupportedTargets();
    return all;
}

extern "C" void gsi_leaf_prepare(uint32_t key_bytes)
{
    const int64_t all = supported();
    static const int64_t of_4 = is_slow_in_avx512() ? all & ~(HWY_AVX3 | HWY_AVX3_DL) : all;
    hwy::GetChosenTarget().Update(key_bytes == 4 ? of_4 : all);
}

// VQSort ends the process if the processor has none of the vectors for which it was built, as on
// x86-64 before SSSE3.
static bool has_vectors()
{
    return (supported() & ~(HWY_EMU128 | HWY_SCALAR)) != 0;
}

template <typename Key> static void sort_plainly(void *keys, size_t n)
{
    std::sort(static_cast<Key *>(keys), static_cast<Key *>(keys) + n);
}

extern "C" void gsi_leaf_sort(uint32_t key_bytes, void *keys, size_t n)
{
    if (!has_vectors()) {
        GSI_BY_WIDTH(key_bytes, sort_plainly<uint32_t>(keys, n), sort_plainly<uint64_t>(keys, n),
                     sort_plainly<gsi_u128>(keys, n));
        return;
    }
    GSI_BY_WIDTH(key_bytes, sorter()(static_cast<uint32_t *>(keys), n, hwy::SortAscending()),
                 sorter()(static_cast<uint64_t *>(keys), n, hwy::SortAscending()),
                 sorter()(static_cast<hwy::uint128_t *>(keys), n, hwy::SortAscending()));
}

extern "C" const char *gsi_leaf_target(void)
{
    const int64_t targets = supported();
    return hwy::TargetName(targets & -targets);
}
