// reduce_operations.cuh: what the reductions of the ladder join: sums, minima and maxima, of
// integers and floats. An operation has the word that it works on, the word of an element, two
// words joined, the atomic, and the identity, whose bytes are all alike.
#ifndef GSI_REDUCE_OPERATIONS_CUH
#define GSI_REDUCE_OPERATIONS_CUH

#include <cuda_runtime.h>

#include <type_traits>

// 64 bits, of the type that the device's atomics take.
using gsi_word = unsigned long long;

// Floats are summed as doubles, in whatever order threads come.
template <class T> struct gsi_sum {
    using element = T;
    using word =
        typename std::conditional<std::is_floating_point<T>::value, double, gsi_word>::type;
    static constexpr word identity = 0;
    static constexpr int identity_byte = 0;
    static __device__ word word_of(T x)
    {
        return static_cast<word>(x);
    }
    static __device__ word join(word a, word b)
    {
        return a + b;
    }
    static __device__ void add(word *total, word x)
    {
        atomicAdd(total, x);
    }
};

// Unsigned words in the order of the elements: signed numbers with the sign turned over; of doubles
// that are negative all bits.
template <class T> __device__ gsi_word gsi_ordered_word(T x)
{
    constexpr gsi_word SIGN = 1ull << 63;
    if constexpr (std::is_floating_point<T>::value) {
        const gsi_word bits = static_cast<gsi_word>(__double_as_longlong(x));
        return bits & SIGN ? ~bits : bits ^ SIGN;
    } else {
        return static_cast<gsi_word>(x) ^ (std::is_signed<T>::value ? SIGN : 0);
    }
}

template <class T> struct gsi_min {
    using element = T;
    using word = gsi_word;
    static constexpr word identity = ~0ull;
    static constexpr int identity_byte = 0xff;
    static __device__ word word_of(T x)
    {
        return gsi_ordered_word(x);
    }
    static __device__ word join(word a, word b)
    {
        return a < b ? a : b;
    }
    static __device__ void add(word *total, word x)
    {
        atomicMin(total, x);
    }
};

template <class T> struct gsi_max : gsi_min<T> {
    static constexpr gsi_word identity = 0;
    static constexpr int identity_byte = 0;
    static __device__ gsi_word join(gsi_word a, gsi_word b)
    {
        return a < b ? b : a;
    }
    static __device__ void add(gsi_word *total, gsi_word x)
    {
        atomicMax(total, x);
    }
};

// The same operation on words that are there already.
template <class Op> struct gsi_of_words : Op {
    using element = typename Op::word;
    static __device__ typename Op::word word_of(typename Op::word x)
    {
        return x;
    }
};

#endif
