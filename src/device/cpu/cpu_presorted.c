/* cpu_presorted.c: looks at keys block by block, as long as they rise, or fall. */
#include "device/cpu/cpu_presorted.h"

#include "base/checked.h"
#include "base/u128.h"
#include "device/cpu/cpu_leaf_sort.h"
#include "device/cpu/cpu_wide_sort.h"
#include "element/tally/imprint.h"
#include "element/width.h"

#include <stdbool.h>

/* Keys a block: of random ones nothing but the first block is looked at. */
#define BLOCK 1024

#define REVERSE(name, T)                                 \
    static void name(T *keys, size_t n)                  \
    {                                                    \
        for (size_t i = 0, k = n - 1; i < k; i++, k--) { \
            T key = keys[i];                             \
            keys[i] = keys[k];                           \
            keys[k] = key;                               \
        }                                                \
    }
REVERSE(reverse_32, uint32_t)
REVERSE(reverse_64, uint64_t)
REVERSE(reverse_128, gsi_u128)

bool gsi_sort_keys(uint32_t key_bytes, void *keys, size_t n, void *scratch)
{
    const uint8_t *at = keys;
    bool rises = true, falls = true;
    /* Blocks have one key in common. */
    for (size_t begin = 0; begin + 1 < n && (rises || falls); begin += BLOCK - 1) {
        size_t count = gsi_min_u64(BLOCK, n - begin);
        uint64_t drops = gsi_keys_drops(key_bytes, at + begin * key_bytes, count);
        rises = rises && drops == 0;
        falls = falls && drops == count - 1;
    }
    if (rises)
        return true;
    if (falls)
        GSI_BY_WIDTH(key_bytes, reverse_32(keys, n), reverse_64(keys, n), reverse_128(keys, n));
    else if (key_bytes == 16 && scratch != NULL)
        gsi_wide_sort(keys, n, scratch);
    else
        gsi_leaf_sort(key_bytes, keys, n);
    return false;
}
