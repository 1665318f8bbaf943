/* assert.h: defines assertions, for numbers made in one place and used in another, and constants
 * that are small in a test build. */
#ifndef GSI_ASSERT_H
#define GSI_ASSERT_H

/* GSI_ASSERT: in builds with tests (CMake's GSORT_TESTS) a false condition ends the process, with a
 * line that names the place. In other builds it is compiled and not evaluated. A library must not
 * end its program, and the loop notices a hang (loop/loop.h). Use it for gsort's own mistakes,
 * never for external data. */
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
 * Blocks, tables and limits are then so small that short jobs reach each end of them. The results
 * are the same. A constant of a file format that outlives the process has only one value. */
#ifdef GSI_TINY
#define GSI_CONSTANT(normal, tiny) (tiny)
#else
#define GSI_CONSTANT(normal, tiny) (normal)
#endif

#endif
