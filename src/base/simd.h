/* simd.h: marks functions that are compiled for several processors: loops that the compiler
 * vectorises for several instruction sets, and functions that also run on a GPU.
 *
 *     GSI_SIMD_CLONES static void sum_block(...) { plain C loop }
 *     GSI_HOST_DEVICE static inline uint32_t key_of(...) { ... }       for kernels, too
 *
 * The compiler makes one clone of the function per level, and the loader chooses the best one for
 * the processor (ifunc). Helpers that such a function calls must be GSI_INLINE; otherwise they are
 * not compiled for the level. Level x86-64-v4 is AVX-512, which can multiply vectors of 64-bit
 * integers. Builds with sanitizers, older compilers and other processors have no clones. The
 * results are the same. */
#ifndef GSI_SIMD_H
#define GSI_SIMD_H

#include <stdint.h>

#if defined(__x86_64__) && defined(__GLIBC__) && __GNUC__ >= 12 && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define GSI_SIMD_CLONES \
    __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define GSI_SIMD_CLONES
#endif

#define GSI_INLINE static inline __attribute__((always_inline))

/* Types for reading a buffer that was declared with another element type. */
typedef uint32_t __attribute__((may_alias)) gsi_lane_u32;
typedef uint64_t __attribute__((may_alias)) gsi_lane_u64;

#ifdef __CUDACC__
#define GSI_HOST_DEVICE __host__ __device__
#else
#define GSI_HOST_DEVICE
#endif

#endif
