/* width.h: chooses code by the width of a number in bytes: 4, 8 or 16.
 *
 *     return GSI_BY_WIDTH(key_bytes, count_32(keys, n), count_64(keys, n), count_128(keys, n));
 *
 * Only the expression for the given width is evaluated. A new width is a new parameter of
 * GSI_BY_WIDTH, so that each use stops compiling until it has an expression for it. A type of
 * another width does not compile (GSI_WIDTH). At run time another width traps, so that nothing is
 * sorted as a wrong type. */
#ifndef GSI_WIDTH_H
#define GSI_WIDTH_H

#include "base/simd.h"

#include <stdbool.h>

/* Always true. */
GSI_INLINE bool gsi_width_is(bool is_so)
{
    if (!is_so)
        __builtin_trap();
    return true;
}

#define GSI_BY_WIDTH(bytes, of_4, of_8, of_16) \
    ((bytes) == 4 ? (of_4) : (bytes) == 8 ? (of_8) : gsi_width_is((bytes) == 16) ? (of_16) : (of_8))

/* GSI_BY_WORD: does the same for words of 4 or 8 bytes; numbers of 16 bytes are two words. */
#define GSI_BY_WORD(bytes, of_4, of_8) \
    ((bytes) == 4 ? (of_4) : gsi_width_is((bytes) == 8) ? (of_8) : (of_4))

/* GSI_WIDTH: checks when it is compiled that a constant is a width, and returns it. */
#define GSI_WIDTH(bytes) sizeof(char[(bytes) == 4 || (bytes) == 8 || (bytes) == 16 ? (bytes) : -1])

#endif
