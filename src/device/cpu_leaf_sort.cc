// cpu_leaf_sort.cc: the only C++ of the library: calls VQSort (Blacher et al., "Vectorized and
// performance-portable Quicksort", 2022), which chooses the instruction set at run time.
#include "device/cpu_leaf_sort.h"

#include <hwy/contrib/sort/vqsort.h>
#include <hwy/targets.h>

// One sorter a thread: its constructor allocates, its call does not.
static const hwy::Sorter &sorter()
{
    static thread_local hwy::Sorter instance;
    return instance;
}

extern "C" void gsi_leaf_sort(uint32_t key_bytes, void *keys, size_t n)
{
    switch (key_bytes) {
    case 4:
        sorter()(static_cast<uint32_t *>(keys), n, hwy::SortAscending());
        break;
    case 8:
        sorter()(static_cast<uint64_t *>(keys), n, hwy::SortAscending());
        break;
    default:
        sorter()(static_cast<hwy::uint128_t *>(keys), n, hwy::SortAscending());
        break;
    }
}

extern "C" const char *gsi_leaf_target(void)
{
    const int64_t targets = hwy::SupportedTargets();
    return hwy::TargetName(targets & -targets);
}
