// ladder_arrays.h: contains shared code of tests of the kernel ladder: arrays on the device,
// elements to copy there, and expected results.
#ifndef LADDER_ARRAYS_H
#define LADDER_ARRAYS_H

#include "support/device_test.h"

#include "kernels/ladder/co_rank.cuh"
#include "kernels/ladder/ladder.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

// ---- memory ----

// Device memory with `offset` elements left free before the first, to try alignments; filled with
// 0xA5, and in whole units of 16 bytes.
template <class T> struct device_array {
    T *memory, *items;
    size_t count;
};

template <class T> static device_array<T> make_array(size_t count, size_t offset = 0)
{
    const size_t bytes = ((count + offset) * sizeof(T) + 15) / 16 * 16;
    device_array<T> array = {nullptr, nullptr, count};
    check_cuda(cudaMalloc(&array.memory, bytes));
    array.items = array.memory + offset;
    check_cuda(cudaMemset(array.memory, 0xA5, bytes));
    return array;
}

template <class T> static device_array<T> make_copy(const std::vector<T> &from, size_t offset = 0)
{
    device_array<T> array = make_array<T>(from.size(), offset);
    check_cuda(
        cudaMemcpy(array.items, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
    return array;
}

template <class T> static std::vector<T> take_back(device_array<T> array)
{
    std::vector<T> host(array.count);
    check_cuda(
        cudaMemcpy(host.data(), array.items, array.count * sizeof(T), cudaMemcpyDeviceToHost));
    check_cuda(cudaFree(array.memory));
    return host;
}

// ---- elements ----

template <class T> static inline bool is_same(T a, T b)
{
    return a == b;
}

static inline bool is_same(gsi_pair a, gsi_pair b)
{
    return a.key == b.key && a.payload == b.payload;
}

template <class T> static bool is_less(T a, T b)
{
    return gsi_less(a, b);
}

template <class T> static bool is_same_array(const std::vector<T> &a, const std::vector<T> &b)
{
    return a.size() == b.size() &&
           std::equal(a.begin(), a.end(), b.begin(), [](T x, T y) { return is_same(x, y); });
}

// Floats are whole numbers of 20 bits, whose sums are exact in any order.
template <class T> static T element_of(uint64_t key, uint64_t)
{
    if constexpr (std::is_floating_point<T>::value)
        return static_cast<T>(static_cast<int32_t>(key) >> 12);
    else
        return static_cast<T>(key);
}

template <> gsi_pair element_of<gsi_pair>(uint64_t key, uint64_t place)
{
    return {static_cast<uint32_t>(place), static_cast<uint32_t>(key)};
}

enum key_shape { UNIFORM, FEW, EQUAL, EXTREMES, ASCENDING, DESCENDING, SHAPE_COUNT };

// n elements; payloads count from `place` on.
template <class T>
static std::vector<T> make_elements(struct test_random *random, key_shape shape, size_t n,
                                    uint64_t place)
{
    std::vector<T> elements(n);
    for (size_t i = 0; i < n; i++) {
        const uint64_t draw = test_next(random);
        const uint64_t keys[SHAPE_COUNT] = {draw,      draw % 5, 7, draw % 2 ? UINT64_MAX : 0,
                                            place + i, n - i};
        elements[i] = element_of<T>(keys[shape], place + i);
    }
    return elements;
}

template <class T> static std::vector<T> sorted(std::vector<T> elements)
{
    std::stable_sort(elements.begin(), elements.end(), is_less<T>);
    return elements;
}

template <class T>
static std::vector<T> merge_reference(const std::vector<T> &a, const std::vector<T> &b)
{
    std::vector<T> out(a.size() + b.size());
    std::merge(a.begin(), a.end(), b.begin(), b.end(), out.begin(), is_less<T>);
    return out;
}

#endif
