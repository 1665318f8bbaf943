/* strided.h: copies fields of records from one layout to another. */
#ifndef GSI_STRIDED_H
#define GSI_STRIDED_H

#include "base/simd.h"

#include <string.h>

/* A constant width makes the copy short. */
GSI_INLINE void gsi_copy_each(uint8_t *to, uint64_t to_step, const uint8_t *from,
                              uint64_t from_step, uint64_t n, uint32_t bytes)
{
    for (uint64_t i = 0; i < n; i++)
        memcpy(to + i * to_step, from + i * from_step, bytes);
}

/* gsi_copy_strided: copies `n` fields of `bytes` each, which are `from_step` bytes apart, to `to`,
 * where they are `to_step` bytes apart. */
static inline void gsi_copy_strided(uint8_t *to, uint64_t to_step, const uint8_t *from,
                                    uint64_t from_step, uint64_t n, uint32_t bytes)
{
    if (bytes == 4)
        gsi_copy_each(to, to_step, from, from_step, n, 4);
    else if (bytes == 8)
        gsi_copy_each(to, to_step, from, from_step, n, 8);
    else
        gsi_copy_each(to, to_step, from, from_step, n, bytes);
}

#endif
