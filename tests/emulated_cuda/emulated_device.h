// emulated_device.h: defines the keywords and built-in functions of CUDA C++ that kernels use, for
// the host compiler.
//
// A kernel is an ordinary function; each of its threads is a fiber (emulated_block.cc), and every
// barrier or warp collective is a call that may run other fibers first. Between two such calls a
// thread runs alone, so an atomic is a plain read and write. Everything here means what the CUDA
// C++ programming guide says; where that leaves the outcome open or undefined, emulated_block.cc
// picks a hostile one or aborts with the place.
//
// Not here: __activemask, cooperative groups, textures, inline PTX, __noinline__ (the C++ library's
// headers use that name). __CUDACC__ and __CUDA_ARCH__ stay undefined.
#ifndef EMULATED_DEVICE_H
#define EMULATED_DEVICE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <type_traits>

#define EMULATED_CUDA 1
#define __host__
#define __device__
#define __global__
#define __constant__
#define __forceinline__  inline __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)
// One block runs at a time, so a block's variable can be the process's. Its content is what the
// block before left there: undefined, as on the device.
#define __shared__      static
#define GSI_OUT_OF_LINE __attribute__((noinline))
#define GSI_DYNAMIC_SHARED(type, name) \
    type *const name = reinterpret_cast<type *>(emulated_dynamic_shared())

// ---- vector types ----

#define EMULATED_VECTOR(type, scalar, align2, align4)                     \
    struct __align__(align2) type##2                                      \
    {                                                                     \
        scalar x, y;                                                      \
    };                                                                    \
    struct type##3                                                        \
    {                                                                     \
        scalar x, y, z;                                                   \
    };                                                                    \
    struct __align__(align4) type##4                                      \
    {                                                                     \
        scalar x, y, z, w;                                                \
    };                                                                    \
    inline type##2 make_##type##2(scalar x, scalar y)                     \
    {                                                                     \
        return {x, y};                                                    \
    }                                                                     \
    inline type##3 make_##type##3(scalar x, scalar y, scalar z)           \
    {                                                                     \
        return {x, y, z};                                                 \
    }                                                                     \
    inline type##4 make_##type##4(scalar x, scalar y, scalar z, scalar w) \
    {                                                                     \
        return {x, y, z, w};                                              \
    }

EMULATED_VECTOR(uchar, unsigned char, 2, 4)
EMULATED_VECTOR(ushort, unsigned short, 4, 8)
EMULATED_VECTOR(int, int, 8, 16)
EMULATED_VECTOR(uint, unsigned, 8, 16)
EMULATED_VECTOR(float, float, 8, 16)
EMULATED_VECTOR(longlong, long long, 16, 16)
EMULATED_VECTOR(ulonglong, unsigned long long, 16, 16)
EMULATED_VECTOR(double, double, 16, 16)

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_)
    {
    }
};

// ---- where a thread is ----

extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
constexpr int warpSize = 32;

// The line of a kernel that calls a barrier, a collective or an asynchronous copy; as a default
// argument `{}`, the line of the call.
struct emulated_place {
    const char *file, *function;
    unsigned line;
    constexpr emulated_place(const char *file_ = __builtin_FILE(),
                             const char *function_ = __builtin_FUNCTION(),
                             unsigned line_ = __builtin_LINE())
        : file(file_), function(function_), line(line_)
    {
    }
};

void *emulated_dynamic_shared();

// ---- barriers of a block ----

enum emulated_barrier { EMULATED_SYNC, EMULATED_SYNC_OR, EMULATED_SYNC_AND, EMULATED_SYNC_COUNT };

int emulated_sync_block(emulated_barrier kind, bool predicate, emulated_place place);

inline void __syncthreads(emulated_place place = {})
{
    emulated_sync_block(EMULATED_SYNC, false, place);
}

inline int __syncthreads_or(int predicate, emulated_place place = {})
{
    return emulated_sync_block(EMULATED_SYNC_OR, predicate != 0, place);
}

inline int __syncthreads_and(int predicate, emulated_place place = {})
{
    return emulated_sync_block(EMULATED_SYNC_AND, predicate != 0, place);
}

inline int __syncthreads_count(int predicate, emulated_place place = {})
{
    return emulated_sync_block(EMULATED_SYNC_COUNT, predicate != 0, place);
}

// ---- collectives of a warp ----

enum emulated_collective {
    EMULATED_SYNC_WARP,
    EMULATED_SHUFFLE,
    EMULATED_SHUFFLE_UP,
    EMULATED_SHUFFLE_DOWN,
    EMULATED_SHUFFLE_XOR,
    EMULATED_BALLOT,
    EMULATED_ANY,
    EMULATED_ALL,
    EMULATED_MATCH,
    EMULATED_ADD,
    EMULATED_MIN,
    EMULATED_MAX,
    EMULATED_MIN_SIGNED,
    EMULATED_MAX_SIGNED,
    EMULATED_AND,
    EMULATED_OR,
    EMULATED_XOR,
};

// emulated_sync_warp: wait for the lanes of `mask`, then return this lane's result of `kind`.
// value: what this lane brings; lane: a shuffle's lane, distance or lane mask; width: a shuffle's.
uint64_t emulated_sync_warp(emulated_collective kind, unsigned mask, uint64_t value, unsigned lane,
                            int width, emulated_place place);

template <class T>
T emulated_shuffle(emulated_collective kind, unsigned mask, T value, unsigned lane, int width,
                   emulated_place place)
{
    static_assert(std::is_trivially_copyable<T>::value && sizeof(T) <= 8, "no such shuffle");
    uint64_t slot = 0;
    memcpy(&slot, &value, sizeof value);
    slot = emulated_sync_warp(kind, mask, slot, lane, width, place);
    memcpy(&value, &slot, sizeof value);
    return value;
}

inline void __syncwarp(unsigned mask = 0xffffffff, emulated_place place = {})
{
    emulated_sync_warp(EMULATED_SYNC_WARP, mask, 0, 0, 32, place);
}

template <class T>
T __shfl_sync(unsigned mask, T value, int lane, int width = 32, emulated_place place = {})
{
    return emulated_shuffle(EMULATED_SHUFFLE, mask, value, unsigned(lane), width, place);
}

template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, emulated_place place = {})
{
    return emulated_shuffle(EMULATED_SHUFFLE_UP, mask, value, delta, width, place);
}

template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32,
                   emulated_place place = {})
{
    return emulated_shuffle(EMULATED_SHUFFLE_DOWN, mask, value, delta, width, place);
}

template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32, emulated_place place = {})
{
    return emulated_shuffle(EMULATED_SHUFFLE_XOR, mask, value, unsigned(lane_mask), width, place);
}

inline unsigned __ballot_sync(unsigned mask, int predicate, emulated_place place = {})
{
    return unsigned(emulated_sync_warp(EMULATED_BALLOT, mask, predicate != 0, 0, 32, place));
}

inline int __any_sync(unsigned mask, int predicate, emulated_place place = {})
{
    return int(emulated_sync_warp(EMULATED_ANY, mask, predicate != 0, 0, 32, place));
}

inline int __all_sync(unsigned mask, int predicate, emulated_place place = {})
{
    return int(emulated_sync_warp(EMULATED_ALL, mask, predicate != 0, 0, 32, place));
}

template <class T> unsigned __match_any_sync(unsigned mask, T value, emulated_place place = {})
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "no such match");
    uint64_t slot = 0;
    memcpy(&slot, &value, sizeof value);
    return unsigned(emulated_sync_warp(EMULATED_MATCH, mask, slot, 0, 32, place));
}

#define EMULATED_REDUCE(name, type, kind)                                                    \
    inline type __reduce_##name##_sync(unsigned mask, type value, emulated_place place = {}) \
    {                                                                                        \
        return type(emulated_sync_warp(kind, mask, unsigned(value), 0, 32, place));          \
    }

EMULATED_REDUCE(add, unsigned, EMULATED_ADD)
EMULATED_REDUCE(add, int, EMULATED_ADD)
EMULATED_REDUCE(min, unsigned, EMULATED_MIN)
EMULATED_REDUCE(min, int, EMULATED_MIN_SIGNED)
EMULATED_REDUCE(max, unsigned, EMULATED_MAX)
EMULATED_REDUCE(max, int, EMULATED_MAX_SIGNED)
EMULATED_REDUCE(and, unsigned, EMULATED_AND)
EMULATED_REDUCE(or, unsigned, EMULATED_OR)
EMULATED_REDUCE(xor, unsigned, EMULATED_XOR)

// ---- integers ----

inline int __popc(unsigned x)
{
    return __builtin_popcount(x);
}

inline int __popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}

inline int __clz(int x)
{
    return x == 0 ? 32 : __builtin_clz(unsigned(x));
}

inline int __clzll(long long x)
{
    return x == 0 ? 64 : __builtin_clzll((unsigned long long)x);
}

inline int __ffs(int x)
{
    return __builtin_ffs(x);
}

inline int __ffsll(long long x)
{
    return __builtin_ffsll(x);
}

inline unsigned __brev(unsigned x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}

inline unsigned long long __brevll(unsigned long long x)
{
    return (unsigned long long)__brev(unsigned(x)) << 32 | __brev(unsigned(x >> 32));
}

inline unsigned __umulhi(unsigned a, unsigned b)
{
    return unsigned((uint64_t)a * b >> 32);
}

inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    __extension__ typedef unsigned __int128 wide;
    return (unsigned long long)((wide)a * b >> 64);
}

inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift)
{
    return unsigned((((uint64_t)high << 32 | low) << (shift & 31)) >> 32);
}

inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift)
{
    return unsigned(((uint64_t)high << 32 | low) >> (shift & 31));
}

inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selector)
{
    const uint64_t bytes = (uint64_t)b << 32 | a;
    unsigned result = 0;
    for (unsigned i = 0; i < 4; i++) {
        const unsigned choice = selector >> 4 * i & 15;
        unsigned byte = unsigned(bytes >> 8 * (choice & 7)) & 255;
        if (choice & 8)
            byte = byte & 128 ? 255 : 0;
        result |= byte << 8 * i;
    }
    return result;
}

#define EMULATED_SAME_BITS(name, from, to)                               \
    inline to name(from x)                                               \
    {                                                                    \
        static_assert(sizeof(from) == sizeof(to), "not the same width"); \
        to result;                                                       \
        memcpy(&result, &x, sizeof result);                              \
        return result;                                                   \
    }

EMULATED_SAME_BITS(__float_as_uint, float, unsigned)
EMULATED_SAME_BITS(__float_as_int, float, int)
EMULATED_SAME_BITS(__uint_as_float, unsigned, float)
EMULATED_SAME_BITS(__int_as_float, int, float)
EMULATED_SAME_BITS(__double_as_longlong, double, long long)
EMULATED_SAME_BITS(__longlong_as_double, long long, double)

// The smaller and the larger of two numbers, of the type that C++ adds them in.
template <
    class A, class B,
    class T = typename std::enable_if<std::is_arithmetic<A>::value && std::is_arithmetic<B>::value,
                                      typename std::common_type<A, B>::type>::type>
constexpr T min(A a, B b)
{
    return T(b) < T(a) ? T(b) : T(a);
}

template <
    class A, class B,
    class T = typename std::enable_if<std::is_arithmetic<A>::value && std::is_arithmetic<B>::value,
                                      typename std::common_type<A, B>::type>::type>
constexpr T max(A a, B b)
{
    return T(a) < T(b) ? T(b) : T(a);
}

// ---- memory ----

template <class T> T emulated_load(const T *address)
{
    return *address;
}

template <class T> void emulated_store(T *address, T value)
{
    *address = value;
}

#define __ldg  emulated_load
#define __ldca emulated_load
#define __ldcg emulated_load
#define __ldcs emulated_load
#define __ldlu emulated_load
#define __stcg emulated_store
#define __stcs emulated_store
#define __stwb emulated_store
#define __stwt emulated_store

inline void __threadfence()
{
}

inline void __threadfence_block()
{
}

inline void __threadfence_system()
{
}

inline void __nanosleep(unsigned)
{
}

inline void __trap()
{
    __builtin_trap();
}

#define EMULATED_ATOMIC(name, type, result)     \
    inline type name(type *address, type value) \
    {                                           \
        const type old = *address;              \
        *address = result;                      \
        return old;                             \
    }
#define EMULATED_ATOMICS(type)                                      \
    EMULATED_ATOMIC(atomicMin, type, value < old ? value : old)     \
    EMULATED_ATOMIC(atomicMax, type, value > old ? value : old)     \
    EMULATED_ATOMIC(atomicAnd, type, old &value)                    \
    EMULATED_ATOMIC(atomicOr, type, old | value)                    \
    EMULATED_ATOMIC(atomicXor, type, old ^ value)                   \
    EMULATED_ATOMIC(atomicExch, type, value)                        \
    inline type atomicCAS(type *address, type expected, type value) \
    {                                                               \
        const type old = *address;                                  \
        *address = old == expected ? value : old;                   \
        return old;                                                 \
    }

EMULATED_ATOMICS(int)
EMULATED_ATOMICS(unsigned)
EMULATED_ATOMICS(unsigned long long)
EMULATED_ATOMIC(atomicAdd, int, int(unsigned(old) + unsigned(value)))
EMULATED_ATOMIC(atomicAdd, unsigned, old + value)
EMULATED_ATOMIC(atomicAdd, unsigned long long, old + value)
EMULATED_ATOMIC(atomicAdd, float, old + value)
EMULATED_ATOMIC(atomicAdd, double, old + value)
EMULATED_ATOMIC(atomicSub, int, int(unsigned(old) - unsigned(value)))
EMULATED_ATOMIC(atomicSub, unsigned, old - value)
EMULATED_ATOMIC(atomicExch, float, value)

#endif
