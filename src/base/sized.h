/* sized.h: structs of callers whose header is older or newer than the library: they have grown at
 * their ends, and what one side does not have is zeros. */
#ifndef GSI_SIZED_H
#define GSI_SIZED_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* gsi_sized_take: copies what a caller gives. false: it has more, which is not zeros. */
static inline bool gsi_sized_take(void *to, size_t to_bytes, const void *from, size_t from_bytes)
{
    const unsigned char *bytes = from;
    size_t both = from_bytes < to_bytes ? from_bytes : to_bytes;
    memcpy(to, from, both);
    memset((unsigned char *)to + both, 0, to_bytes - both);
    for (size_t i = both; i < from_bytes; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

/* gsi_sized_give: copies to the caller what there is room for. */
static inline void gsi_sized_give(void *to, size_t to_bytes, const void *from, size_t from_bytes)
{
    size_t both = from_bytes < to_bytes ? from_bytes : to_bytes;
    memcpy(to, from, both);
    memset((unsigned char *)to + both, 0, to_bytes - both);
}

#endif
