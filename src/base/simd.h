/* simd.h: loops that the compiler vectorises, built for several instruction sets at once.
 *
 *     GSI_SIMD_CLONES static void sum_block(...) { plain C loop }
 *
 * The best clone the processor has is chosen when the program is loaded (ifunc). Helpers that such
 * a function calls must be GSI_INLINE, or they stay outside the clones. x86-64-v4 is AVX-512, which
 * has a vector multiplication of 64-bit integers; gcc takes levels from version 12 on. Sanitizers
 * are not ready yet when ifuncs are resolved, so there the clones are left out, as they are for
 * compilers and processors without them: same results. */
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

/* Elements of a buffer whose declared type is somebody else's. */
typedef uint32_t __attribute__((may_alias)) gsi_lane_u32;
typedef uint64_t __attribute__((may_alias)) gsi_lane_u64;

#endif
