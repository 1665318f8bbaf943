/* gen_simd.h: loops that the compiler vectorises, built for several instruction sets at once.
 *
 *     GEN_SIMD_CLONES static void fill(...) { plain C loop }
 *
 * The best clone the processor has is chosen when the program is loaded (ifunc). Helpers that such
 * a function calls must be GEN_INLINE, or they stay outside the clones. gcc takes levels of x86-64
 * from version 12 on. Sanitizers are not ready yet when ifuncs are resolved. Without clones: the
 * same bytes, slower. */
#ifndef GEN_SIMD_H
#define GEN_SIMD_H

#if defined(__x86_64__) && defined(__GLIBC__) && __GNUC__ >= 12 && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define GEN_SIMD_CLONES \
    __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define GEN_SIMD_CLONES
#endif

#define GEN_INLINE static inline __attribute__((always_inline))

#endif
