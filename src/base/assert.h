/* assert.h: what must hold where a number is made in one place and used in another. */
#ifndef GSI_ASSERT_H
#define GSI_ASSERT_H

/* GSI_ASSERT: in builds with tests (CMake's GSORT_TESTS) a condition that does not hold ends the
 * process, with a line that says where. Elsewhere it is compiled and not evaluated: a library does
 * not end the program that it is part of, and what would hang is noticed by the loop (loop/loop.h).
 * It is for mistakes of gsort's own, never for what comes from outside. */
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

#endif
