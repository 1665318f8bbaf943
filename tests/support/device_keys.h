// device_keys.h: contains shared code of tests of the sort and merge kernels: keys of any width in
// patterns. Arrays of them are on the GPU, emulated or real, with guards around them.
#ifndef DEVICE_KEYS_H
#define DEVICE_KEYS_H

#include "support/device_test.h"
#include "support/gpu_steer.h"

#include "kernels/sort/sort_kernels.h"
#include "kernels/sort/tile_policy.cuh"

#include <vector>

#ifdef GSI_TILE_ITEMS_FORCED
constexpr bool IS_TINY = true; // tiles so small that any number of them is cheap
#else
constexpr bool IS_TINY = false;
#endif
// Many sizes: where tiles are small, or a real GPU sorts them.
constexpr bool IS_CHEAP = IS_TINY || !GPU_IS_EMULATED;

constexpr uint64_t UNIT_BYTES = 16, GUARD_BYTES = 64;
constexpr uint8_t GUARD = 0xa5;

template <class Key> const gsi_sort_kernels &kernels_of()
{
    return sizeof(Key) == 4   ? gsi_sort_kernels_4
           : sizeof(Key) == 8 ? gsi_sort_kernels_8
                              : gsi_sort_kernels_16;
}

// fail_case("chunk_sort", Key, "n %llu", ..): which kernel, width and case.
#define fail_case(kernel, Key, format, ...) \
    test_fail("%s, %zu-byte keys, " format, kernel, sizeof(Key), __VA_ARGS__)

static inline unsigned long long to_llu(uint64_t x)
{
    return x;
}

// ---- keys ----

enum pattern {
    RANDOM,
    EQUAL,
    TWO_KEYS,
    FIVE_KEYS,
    ASCENDING,
    DESCENDING,
    ORGAN_PIPE,
    SAWTOOTH,
    MAXIMA,
    EXTREMES,
    PATTERN_COUNT
};

// Keys in the order of x, in which any of their words decides.
template <class Key> Key spread_key(uint64_t x)
{
    if constexpr (sizeof(Key) == 4)
        return static_cast<Key>(x);
    else if constexpr (sizeof(Key) == 8)
        return (x / 4 << 32) + (x % 4 << 28);
    else
        return (static_cast<Key>(x / 16) << 96) + (static_cast<Key>(x / 4 % 4) << 80) +
               (x % 4 << 31);
}

template <class Key> Key random_key(struct test_random *random)
{
    Key key = 0;
    for (size_t word = 0; word < sizeof key / 4; word++)
        key |= static_cast<Key>(test_next(random) >> 32) << (32 * word);
    return key;
}

// Key i of n.
template <class Key>
Key make_key(enum pattern pattern, uint64_t i, uint64_t n, struct test_random *random)
{
    switch (pattern) {
    case RANDOM:
        return random_key<Key>(random);
    case TWO_KEYS:
        return spread_key<Key>(test_below(random, 2));
    case FIVE_KEYS:
        return spread_key<Key>(test_below(random, 5) * 7);
    case ASCENDING:
        return spread_key<Key>(i);
    case DESCENDING:
        return spread_key<Key>(n - i);
    case ORGAN_PIPE:
        return spread_key<Key>(i < n / 2 ? i : n - i);
    case SAWTOOTH:
        return spread_key<Key>(i % 37);
    case MAXIMA:
        return ~static_cast<Key>(0);
    case EXTREMES:
        return test_below(random, 2) == 0 ? ~static_cast<Key>(0) : static_cast<Key>(0);
    default:
        return spread_key<Key>(77);
    }
}

// ---- arrays on the device ----

// `count` keys, `skip` of them after a 16-byte boundary. Kernels read whole 16-byte units: the
// block ends with the last key's. is_guarded: GUARD_BYTES more on both sides, for has_guards;
// without, the sanitizer sees the exact ends.
template <class Key> struct device_keys {
    uint8_t *block;
    Key *keys;
    uint64_t count, block_bytes;
};

template <class Key> device_keys<Key> take_keys(uint64_t count, uint64_t skip, bool is_guarded)
{
    device_keys<Key> taken = {};
    const uint64_t units = ((skip + count) * sizeof(Key) + UNIT_BYTES - 1) / UNIT_BYTES;
    const uint64_t guard = is_guarded ? GUARD_BYTES : 0;
    taken.count = count;
    taken.block_bytes = units * UNIT_BYTES + 2 * guard;
    check_cuda(cudaMalloc(&taken.block, taken.block_bytes));
    if (is_guarded)
        check_cuda(cudaMemset(taken.block, GUARD, taken.block_bytes));
    if (taken.block != nullptr)
        taken.keys = reinterpret_cast<Key *>(taken.block + guard) + skip;
    return taken;
}

template <class Key> void give_keys(const device_keys<Key> &taken)
{
    check_cuda(cudaFree(taken.block));
}

template <class Key> void put_keys(const device_keys<Key> &to, const std::vector<Key> &from)
{
    check_cuda(cudaMemcpy(to.keys, from.data(), from.size() * sizeof(Key), cudaMemcpyHostToDevice));
}

template <class Key> std::vector<Key> fetch_keys(const void *keys, uint64_t count)
{
    std::vector<Key> fetched(count);
    check_cuda(cudaMemcpy(fetched.data(), keys, count * sizeof(Key), cudaMemcpyDeviceToHost));
    return fetched;
}

// Returns whether all bytes of the block except the keys are unchanged.
template <class Key> bool has_guards(const device_keys<Key> &taken)
{
    const std::vector<uint8_t> bytes = fetch_keys<uint8_t>(taken.block, taken.block_bytes);
    const uint64_t first =
        static_cast<uint64_t>(reinterpret_cast<uint8_t *>(taken.keys) - taken.block);
    const uint64_t end = first + taken.count * sizeof(Key);
    for (uint64_t i = 0; i < bytes.size(); i++)
        if ((i < first || i >= end) && bytes[i] != GUARD)
            return false;
    return true;
}

#endif
