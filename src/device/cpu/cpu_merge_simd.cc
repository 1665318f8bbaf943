// cpu_merge_simd.cc: merges with vectors (Highway, which chooses the instruction set at run time).
//
// Let w be the keys of a vector. The smallest w of the next w keys of both arrays are found lane by
// lane: each is the smaller of a's key and of b's in reverse order (K. Batcher, "Sorting networks
// and their applications", 1968). They form a bitonic sequence, which log2 w exchanges sort. The
// number of a's keys among them tells how far to advance in both arrays. So the next step waits for
// one comparison and not for the exchanges: P. Papaphilippou, W. Luk, C. Brooks, "FLiMS: a fast
// lightweight 2-way merger for sorting", 2020. At the same time the largest w are removed from the
// other ends. This second chain of steps waits for nothing of the first.
#include "device/cpu/cpu_merge_simd.h"
#include "element/width.h"

#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "device/cpu/cpu_merge_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace gsort
{
namespace HWY_NAMESPACE
{

// Vectors of 32 or 64 bytes; with shorter ones the exchanges cost more than they save.
#if HWY_MAX_BYTES >= 32 && !HWY_HAVE_SCALABLE && HWY_TARGET != HWY_SCALAR

namespace hn = hwy::HWY_NAMESPACE;

// Keys of one lane each.
template <typename Lane> struct lane_order {
    using D = hn::ScalableTag<Lane>;
    using V = hn::Vec<D>;
    static constexpr ptrdiff_t KEYS = hn::MaxLanes(D());

    static HWY_INLINE V reverse(V v)
    {
        return hn::Reverse(D(), v);
    }

    static HWY_INLINE ptrdiff_t count_below(V a, V b)
    {
        return static_cast<ptrdiff_t>(hn::CountTrue(D(), hn::Lt(a, b)));
    }

    static HWY_INLINE V least(V a, V b)
    {
        return hn::Min(a, b);
    }

    static HWY_INLINE V most(V a, V b)
    {
        return hn::Max(a, b);
    }

    // Performs the exchanges at distances below 16 bytes.
    static HWY_INLINE V sort_within_blocks(V v)
    {
        const D d;
        const hn::Repartition<uint64_t, D> wide;
        if (sizeof(Lane) == 4) {
            const V pairs = hn::BitCast(d, hn::Shuffle01(hn::BitCast(wide, v)));
            v = hn::BitCast(d, hn::OddEven(hn::BitCast(wide, hn::Max(v, pairs)),
                                           hn::BitCast(wide, hn::Min(v, pairs))));
        }
        const V lanes = hn::Reverse2(d, v);
        return hn::OddEven(hn::Max(v, lanes), hn::Min(v, lanes));
    }
};

// Keys of 16 bytes, two lanes each.
struct block_order {
    using D = hn::ScalableTag<uint64_t>;
    using V = hn::Vec<D>;
    static constexpr ptrdiff_t KEYS = hn::MaxLanes(D()) / 2;

    static HWY_INLINE V reverse(V v)
    {
        return hn::ReverseBlocks(D(), v);
    }

    static HWY_INLINE ptrdiff_t count_below(V a, V b)
    {
        return static_cast<ptrdiff_t>(hn::CountTrue(D(), hn::Lt128(D(), a, b)) / 2);
    }

    static HWY_INLINE V least(V a, V b)
    {
        return hn::Min128(D(), a, b);
    }

    static HWY_INLINE V most(V a, V b)
    {
        return hn::Max128(D(), a, b);
    }

    static HWY_INLINE V sort_within_blocks(V v)
    {
        return v;
    }
};

template <class Order>
HWY_INLINE hn::Vec<typename Order::D> sort_bitonic(hn::Vec<typename Order::D> v)
{
#if HWY_MAX_BYTES == 64
    const typename Order::D d;
    const auto halves = hn::ConcatLowerUpper(d, v, v);
    v = hn::ConcatUpperLower(d, Order::most(v, halves), Order::least(v, halves));
#endif
    const auto blocks = hn::SwapAdjacentBlocks(v);
    v = hn::OddEvenBlocks(Order::most(v, blocks), Order::least(v, blocks));
    return Order::sort_within_blocks(v);
}

// Loads the lanes of a vector of keys.
template <class Order> HWY_INLINE auto load(const uint8_t *keys)
{
    using Lane = hn::TFromD<typename Order::D>;
    return hn::LoadU(typename Order::D(), reinterpret_cast<const Lane *>(keys));
}

template <class Order> HWY_INLINE void store(hn::Vec<typename Order::D> v, uint8_t *keys)
{
    using Lane = hn::TFromD<typename Order::D>;
    hn::StoreU(v, typename Order::D(), reinterpret_cast<Lane *>(keys));
}

template <class Order, ptrdiff_t KEY_BYTES> HWY_INLINE void merge(gsi_merge_ends *ends)
{
    constexpr ptrdiff_t STEP = Order::KEYS * KEY_BYTES;
    auto a = static_cast<const uint8_t *>(ends->a),
         a_end = static_cast<const uint8_t *>(ends->a_end);
    auto b = static_cast<const uint8_t *>(ends->b),
         b_end = static_cast<const uint8_t *>(ends->b_end);
    auto out = static_cast<uint8_t *>(ends->out), out_end = static_cast<uint8_t *>(ends->out_end);
    for (;;) {
        const ptrdiff_t a_left = a_end - a, b_left = b_end - b;
        ptrdiff_t steps = (a_left < b_left ? a_left : b_left) / (2 * STEP);
        if (steps == 0)
            break;
        for (; steps > 0; steps--) {
            const auto front_a = load<Order>(a), front_b = Order::reverse(load<Order>(b));
            const auto back_a = load<Order>(a_end - STEP);
            const auto back_b = Order::reverse(load<Order>(b_end - STEP));
            const ptrdiff_t of_b = Order::count_below(front_b, front_a) * KEY_BYTES;
            const ptrdiff_t of_a = Order::count_below(back_b, back_a) * KEY_BYTES;
            a += STEP - of_b;
            b += of_b;
            a_end -= of_a;
            b_end -= STEP - of_a;
            out_end -= STEP;
            store<Order>(sort_bitonic<Order>(Order::least(front_a, front_b)), out);
            store<Order>(sort_bitonic<Order>(Order::most(back_a, back_b)), out_end);
            out += STEP;
        }
    }
    *ends = gsi_merge_ends{a, a_end, b, b_end, out, out_end};
}

void merge_bulk(uint32_t key_bytes, gsi_merge_ends *ends)
{
    GSI_BY_WIDTH(key_bytes, (merge<lane_order<uint32_t>, 4>(ends)),
                 (merge<lane_order<uint64_t>, 8>(ends)), (merge<block_order, 16>(ends)));
}

#else

void merge_bulk(uint32_t, gsi_merge_ends *)
{
}

#endif

} // namespace HWY_NAMESPACE
} // namespace gsort
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gsort
{
HWY_EXPORT(merge_bulk);

static void merge_bulk_best(uint32_t key_bytes, gsi_merge_ends *ends)
{
    HWY_DYNAMIC_DISPATCH(merge_bulk)(key_bytes, ends);
}
} // namespace gsort

extern "C" void gsi_merge_bulk(uint32_t key_bytes, gsi_merge_ends *ends)
{
    gsort::merge_bulk_best(key_bytes, ends);
}
#endif
