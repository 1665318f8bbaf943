/* width.h: what depends on how wide a number is, in bytes: 4, 8 or 16.
 *
 *     return GSI_BY_WIDTH(key_bytes, count_32(keys, n), count_64(keys, n), count_128(keys, n));
 *
 * The value is that of the expression for the width; no other one is evaluated. A new width is a
 * new parameter of GSI_BY_WIDTH, so that each use stops compiling until it has an expression for
 * it. A type of a width that is none does not compile (GSI_WIDTH); whatever else comes here with
 * such a width is stopped, rather than sorted as something else. */
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

/* GSI_BY_WORD: the same of words of 4 or 8 bytes; numbers of 16 bytes are two of them. */
#define GSI_BY_WORD(bytes, of_4, of_8) \
    ((bytes) == 4 ? (of_4) : gsi_width_is((bytes) == 8) ? (of_8) : (of_4))

/* GSI_WIDTH: a constant that is a width; any other does not compile. */
#define GSI_WIDTH(bytes) sizeof(char[(bytes) == 4 || (bytes) == 8 || (bytes) == 16 ? (bytes) : -1])

#endif
