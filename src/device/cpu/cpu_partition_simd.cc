// cpu_partition_simd.cc: deals keys with vectors (Highway, which chooses the instruction set at run
// time).
//
// A vector with its low keys at the front is stored whole at both ends. The next low keys are
// stored after those that count, the next high keys, which grow downwards, before them. So no
// branch depends on a key, and the next step waits for one addition.
#include "device/cpu/cpu_partition_simd.h"
#include "base/u128.h"
#include "element/width.h"

#include <cstddef>
#include <cstring>

#ifndef GSI_PARTITION_FRONT
#define GSI_PARTITION_FRONT
namespace gsort
{
// For each mask of eight lanes: the lanes in it, four bits each, then the lanes not in it.
struct front_table {
    uint32_t places[256] = {};

    constexpr front_table()
    {
        for (unsigned mask = 0; mask < 256; mask++) {
            unsigned at = 0;
            for (unsigned lane = 0; lane < 16; lane++)
                if ((mask >> (lane % 8) & 1) == (lane < 8))
                    places[mask] |= lane % 8 << 4 * at++;
        }
    }
};

constexpr front_table FRONT;

// Prefetch distance. Prefetching saves 15 % of the time, and no more at 512 to 3072 bytes
// (RESULTS.md, "Sizes chosen by measurement").
constexpr size_t AHEAD_BYTES = 1024;
} // namespace gsort
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "device/cpu/cpu_partition_simd.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace gsort
{
namespace HWY_NAMESPACE
{

// Deals the rest of a block, or all of it if there are no vectors.
template <typename Key>
HWY_INLINE void deal_one_by_one(const Key *keys, size_t n, Key pivot, gsi_deal *deal)
{
    Key *low = reinterpret_cast<Key *>(deal->low_end), *high = reinterpret_cast<Key *>(deal->high);
    for (size_t i = 0; i < n; i++) {
        const Key key = keys[i];
        const bool is_low = key < pivot;
        *low = key;
        high[-1] = key;
        low += is_low;
        high -= !is_low;
    }
    deal->low_end = reinterpret_cast<uint8_t *>(low);
    deal->high = reinterpret_cast<uint8_t *>(high);
}

#if HWY_TARGET != HWY_SCALAR

namespace hn = hwy::HWY_NAMESPACE;

// Keys of one lane each.
template <typename Lane> struct lane_order {
    using Key = Lane;
    using D = hn::ScalableTag<Lane>;
    static constexpr size_t LANES = 1;

    static HWY_INLINE hn::Vec<D> pivot(Key key)
    {
        return hn::Set(D(), key);
    }

    static HWY_INLINE hn::Mask<D> below(hn::Vec<D> v, hn::Vec<D> pivot)
    {
        return hn::Lt(v, pivot);
    }
};

// Keys of 16 bytes, two lanes each.
struct block_order {
    using Key = gsi_u128;
    using D = hn::ScalableTag<uint64_t>;
    static constexpr size_t LANES = 2;

    static HWY_INLINE hn::Vec<D> pivot(Key key)
    {
        const D d;
        const auto lanes = hn::And(hn::Iota(d, 0), hn::Set(d, 1));
        return hn::IfThenElse(hn::Eq(lanes, hn::Zero(d)), hn::Set(d, static_cast<uint64_t>(key)),
                              hn::Set(d, static_cast<uint64_t>(key >> 64)));
    }

    static HWY_INLINE hn::Mask<D> below(hn::Vec<D> v, hn::Vec<D> pivot)
    {
        return hn::Lt128(D(), v, pivot);
    }
};

// Moves the lanes of the mask to the front, followed by the others. *count: how many are in the
// mask. (GCC 12 copies Highway's tables to the stack for each vector.)
template <class D> HWY_INLINE hn::Vec<D> to_front(hn::Vec<D> v, hn::Mask<D> first, size_t *count)
{
    const D d;
#if !HWY_HAVE_SCALABLE
    using Lane = hn::TFromD<D>;
    constexpr size_t LANES = hn::MaxLanes(d);
    if (LANES <= 8) {
        HWY_ALIGN static constexpr Lane SHIFTS[8] = {0, 4, 8, 12, 16, 20, 24, 28};
        uint8_t bits[8] = {0};
        hn::StoreMaskBits(d, first, bits);
        const unsigned mask = bits[0] & ((1u << LANES) - 1);
        const auto places = hn::And(hn::Shr(hn::Set(d, FRONT.places[mask]), hn::Load(d, SHIFTS)),
                                    hn::Set(d, LANES - 1));
        *count = hwy::PopCount(mask);
        return hn::TableLookupLanes(v, hn::IndicesFromVec(d, places));
    }
#endif
    *count = hn::CountTrue(d, first);
    const auto others = hn::CompressNot(v, first);
    HWY_ALIGN hn::TFromD<D> lanes[2 * hn::MaxLanes(D())];
    hn::StoreU(hn::Compress(v, first), d, lanes);
    hn::StoreU(others, d, lanes + *count);
    return hn::LoadU(d, lanes);
}

template <class Order>
HWY_INLINE void deal_all(const void *from, size_t n, const void *pivot_key, gsi_deal *deal)
{
    using Key = typename Order::Key;
    using Lane = hn::TFromD<typename Order::D>;
    const typename Order::D d;
    const size_t lanes = hn::Lanes(d), step = lanes / Order::LANES;
    const Key *keys = static_cast<const Key *>(from);
    Key key;
    memcpy(&key, pivot_key, sizeof key);
    if (lanes * sizeof(Lane) <= GSI_DEAL_SLACK_BYTES && step > 0) {
        const auto pivot = Order::pivot(key);
        Lane *low = reinterpret_cast<Lane *>(deal->low_end);
        Lane *high = reinterpret_cast<Lane *>(deal->high);
        for (; n >= step; n -= step, keys += step) {
            size_t count;
            hwy::Prefetch(keys + AHEAD_BYTES / sizeof(Key));
            const auto v = hn::LoadU(d, reinterpret_cast<const Lane *>(keys));
            const auto dealt = to_front<typename Order::D>(v, Order::below(v, pivot), &count);
            hn::StoreU(dealt, d, low);
            hn::StoreU(dealt, d, high - lanes);
            low += count;
            high -= lanes - count;
        }
        deal->low_end = reinterpret_cast<uint8_t *>(low);
        deal->high = reinterpret_cast<uint8_t *>(high);
    }
    deal_one_by_one(keys, n, key, deal);
}

void deal_keys(uint32_t key_bytes, const void *keys, size_t n, const void *pivot, gsi_deal *deal)
{
    GSI_BY_WIDTH(key_bytes, (deal_all<lane_order<uint32_t>>(keys, n, pivot, deal)),
                 (deal_all<lane_order<uint64_t>>(keys, n, pivot, deal)),
                 (deal_all<block_order>(keys, n, pivot, deal)));
}

#else

template <typename Key>
void deal_all(const void *keys, size_t n, const void *pivot_key, gsi_deal *deal)
{
    Key pivot;
    memcpy(&pivot, pivot_key, sizeof pivot);
    deal_one_by_one(static_cast<const Key *>(keys), n, pivot, deal);
}

void deal_keys(uint32_t key_bytes, const void *keys, size_t n, const void *pivot, gsi_deal *deal)
{
    GSI_BY_WIDTH(key_bytes, deal_all<uint32_t>(keys, n, pivot, deal),
                 deal_all<uint64_t>(keys, n, pivot, deal),
                 deal_all<gsi_u128>(keys, n, pivot, deal));
}

#endif

} // namespace HWY_NAMESPACE
} // namespace gsort
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gsort
{
HWY_EXPORT(deal_keys);

static void deal_keys_best(uint32_t key_bytes, const void *keys, size_t n, const void *pivot,
                           gsi_deal *deal)
{
    HWY_DYNAMIC_DISPATCH(deal_keys)(key_bytes, keys, n, pivot, deal);
}
} // namespace gsort

extern "C" void gsi_deal_keys(uint32_t key_bytes, const void *keys, size_t n, const void *pivot,
                              struct gsi_deal *deal)
{
    gsort::deal_keys_best(key_bytes, keys, n, pivot, deal);
}
#endif
