// plain_highway.cc: what gsort calls of Highway's libraries, where there are none to link
// statically, as on Debian: the least vectors, and std::sort.
#include <hwy/contrib/sort/vqsort.h>
#include <hwy/highway.h>
#include <hwy/targets.h>

#include <algorithm>

namespace hwy
{

int64_t SupportedTargets()
{
    return HWY_STATIC_TARGET;
}

ChosenTarget &GetChosenTarget()
{
    static ChosenTarget chosen;
    return chosen;
}

void DisableTargets(int64_t /*disabled*/)
{
}

Sorter::Sorter() = default; // later ones have no members

void Sorter::Delete()
{
}

void Sorter::operator()(uint32_t *keys, size_t n, SortAscending /*order*/) const
{
    std::sort(keys, keys + n);
}

void Sorter::operator()(uint64_t *keys, size_t n, SortAscending /*order*/) const
{
    std::sort(keys, keys + n);
}

void Sorter::operator()(uint128_t *keys, size_t n, SortAscending /*order*/) const
{
    std::sort(keys, keys + n, [](const uint128_t &a, const uint128_t &b) {
        return a.hi != b.hi ? a.hi < b.hi : a.lo < b.lo;
    });
}

} // namespace hwy
