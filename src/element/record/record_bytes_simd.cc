// record_bytes_simd.cc: reorders the bytes of records into integers, and back, by vectors. It takes
// one table look-up of bytes within a block of 16, and one exclusive or. Highway chooses the
// instruction set at run time.
#include "element/record/integer_record.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "element/record/record_bytes_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace gsort
{
namespace HWY_NAMESPACE
{

namespace hn = hwy::HWY_NAMESPACE;

constexpr size_t BLOCK_BYTES = 16;

// Converts one block; with `flip_first` the exclusive or precedes the look-up.
static void shuffle_block(const uint8_t *table, const uint8_t *flip, bool flip_first,
                          const uint8_t *from, uint8_t *to)
{
    uint8_t block[BLOCK_BYTES], out[BLOCK_BYTES];
    for (size_t i = 0; i < BLOCK_BYTES; i++)
        block[i] = flip_first ? static_cast<uint8_t>(from[i] ^ flip[i]) : from[i];
    for (size_t i = 0; i < BLOCK_BYTES; i++) {
        const uint8_t byte = table[i] < BLOCK_BYTES ? block[table[i]] : uint8_t{0};
        out[i] = flip_first ? byte : static_cast<uint8_t>(byte ^ flip[i]);
    }
    std::memcpy(to, out, BLOCK_BYTES);
}

#if HWY_TARGET != HWY_SCALAR
template <class D, bool FLIP_FIRST>
HWY_INLINE hn::Vec<D> shuffle(D, hn::Vec<D> table, hn::Vec<D> flip, hn::Vec<D> v)
{
    if (FLIP_FIRST)
        return hn::TableLookupBytesOr0(hn::Xor(v, flip), table);
    return hn::Xor(hn::TableLookupBytesOr0(v, table), flip);
}
#endif

// `bytes` are whole integers; integers fill blocks.
template <bool FLIP_FIRST>
HWY_INLINE void shuffle_dense(const uint8_t *table, const uint8_t *flip, const uint8_t *from,
                              size_t bytes, uint8_t *to)
{
    size_t done = 0;
#if HWY_TARGET != HWY_SCALAR
    const hn::ScalableTag<uint8_t> d;
    const auto tables = hn::LoadDup128(d, table), flips = hn::LoadDup128(d, flip);
    for (const size_t step = hn::Lanes(d); done + step <= bytes; done += step)
        hn::StoreU(shuffle<decltype(d), FLIP_FIRST>(d, tables, flips, hn::LoadU(d, from + done)), d,
                   to + done);
#endif
    for (size_t step; done < bytes; done += step) {
        uint8_t block[BLOCK_BYTES] = {0};
        step = bytes - done < BLOCK_BYTES ? bytes - done : BLOCK_BYTES;
        std::memcpy(block, from + done, step);
        shuffle_block(table, flip, FLIP_FIRST, block, block);
        std::memcpy(to + done, block, step);
    }
}

// Converts blocks of which only some bytes are used. Nothing after the used bytes of the last block
// is read or written.
template <bool FLIP_FIRST>
HWY_INLINE void shuffle_apart(const uint8_t *table, const uint8_t *flip, const uint8_t *from,
                              size_t from_bytes, size_t n, uint8_t *to, size_t to_bytes)
{
    size_t done = 0;
#if HWY_TARGET != HWY_SCALAR
    const size_t least = from_bytes < to_bytes ? from_bytes : to_bytes, spare = BLOCK_BYTES / least;
    const hn::FixedTag<uint8_t, BLOCK_BYTES> d;
    const auto tables = hn::LoadU(d, table), flips = hn::LoadU(d, flip);
    for (; done + spare < n; done++, from += from_bytes, to += to_bytes)
        hn::StoreU(shuffle<decltype(d), FLIP_FIRST>(d, tables, flips, hn::LoadU(d, from)), d, to);
#endif
    for (; done < n; done++, from += from_bytes, to += to_bytes) {
        uint8_t block[BLOCK_BYTES] = {0};
        std::memcpy(block, from, from_bytes);
        shuffle_block(table, flip, FLIP_FIRST, block, block);
        std::memcpy(to, block, to_bytes);
    }
}

void shuffle_in(const gsi_integer_map *map, const uint8_t *elements, size_t n, uint8_t *integers)
{
    if (map->element_bytes == map->key_bytes)
        shuffle_dense<false>(map->from, map->flip, elements, n * map->key_bytes, integers);
    else
        shuffle_apart<false>(map->from, map->flip, elements, map->element_bytes, n, integers,
                             map->key_bytes);
}

void shuffle_out(const gsi_integer_map *map, const uint8_t *integers, size_t n, uint8_t *elements)
{
    if (map->element_bytes == map->key_bytes)
        shuffle_dense<true>(map->to, map->flip, integers, n * map->key_bytes, elements);
    else
        shuffle_apart<true>(map->to, map->flip, integers, map->key_bytes, n, elements,
                            map->element_bytes);
}

} // namespace HWY_NAMESPACE
} // namespace gsort
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gsort
{
HWY_EXPORT(shuffle_in);
HWY_EXPORT(shuffle_out);

static void best_in(const gsi_integer_map *map, const uint8_t *elements, size_t n,
                    uint8_t *integers)
{
    HWY_DYNAMIC_DISPATCH(shuffle_in)(map, elements, n, integers);
}

static void best_out(const gsi_integer_map *map, const uint8_t *integers, size_t n,
                     uint8_t *elements)
{
    HWY_DYNAMIC_DISPATCH(shuffle_out)(map, integers, n, elements);
}
} // namespace gsort

extern "C" void gsi_integers_shuffle_in(const gsi_integer_map *map, const void *elements, size_t n,
                                        void *integers)
{
    gsort::best_in(map, static_cast<const uint8_t *>(elements), n,
                   static_cast<uint8_t *>(integers));
}

extern "C" void gsi_integers_shuffle_out(const gsi_integer_map *map, const void *integers, size_t n,
                                         void *elements)
{
    gsort::best_out(map, static_cast<const uint8_t *>(integers), n,
                    static_cast<uint8_t *>(elements));
}
#endif
