// reduce_operations.cuh: defines the operations of the ladder's reductions: sums, minima and maxima
// of integers and floats. An operation has a word type, a conversion from an element to a word, a
// join of two words, an atomic, and an identity. All bytes of the identity are equal.
#ifndef GSI_REDUCE_OPERATIONS_CUH
#define GSI_REDUCE_OPERATIONS_CUH

#include <cuda_runtime.h>

#include <type_traits>

// 64 bits, of the type that the device's atomics accept.
using gsi_word = unsigned long long;

// Floats are summed as doubles, in the order in which threads run.
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

// Maps elements to unsigned words in the same order: flips the sign of signed numbers, and all bits
// of negative doubles.
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

// The same operation on existing words.
template <class Op> struct gsi_of_words : Op {
    using element = typename Op::word;
    static __device__ typename Op::word word_of(typename Op::word x)
    {
        return x;
    }
};

#endif
