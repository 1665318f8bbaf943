/* assert.h: defines assertions for gsort's own numbers, and constants that are smaller in a test
 * build. */
#ifndef GSI_ASSERT_H
#define GSI_ASSERT_H

/* GSI_ASSERT: in builds with tests (CMake's GSORT_TESTS) a false condition ends the process, with a
 * line that names file and line. Other builds compile the condition, but do not evaluate it: a
 * library must not end its program. Use GSI_ASSERT for gsort's own mistakes, never for external
 * data. */
#ifdef GSORT_ASSERTIONS
#include <stdio.h>
#include <stdlib.h>
#define GSI_ASSERT(condition)                                                          \
    do {                                                                               \
        if (!(condition)) {                                                            \
            (void)fprintf(stderr, "%s:%d: assertion failed: %s\n", __FILE__, __LINE__, \
                          #condition);                                                 \
            abort();                                                                   \
        }                                                                              \
    } while (0)
#else
#define GSI_ASSERT(condition) ((void)sizeof((condition) ? 1 : 0))
#endif

/* GSI_CONSTANT: a constant that has another value with GSI_TINY.
 *
 *     #define BLOCK_BYTES GSI_CONSTANT((uint64_t)1 << 20, (uint64_t)16 << 10)
 *
 * Blocks, tables and limits are then so small that short tests fill them. Results are the same as
 * with normal values. Do not use GSI_CONSTANT for constants of a file format that outlives the
 * process. */
#ifdef GSI_TINY
#define GSI_CONSTANT(normal, tiny) (tiny)
#else
#define GSI_CONSTANT(normal, tiny) (normal)
#endif

#endif
