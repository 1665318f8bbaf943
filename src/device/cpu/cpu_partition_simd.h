/* cpu_partition_simd.h: deals a block of keys to two arrays, a vector of keys at a time. */
#ifndef GSI_CPU_PARTITION_SIMD_H
#define GSI_CPU_PARTITION_SIMD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Most bytes written after the low keys, and before the high ones. */
#define GSI_DEAL_SLACK_BYTES 64

/* The two destinations: low keys are appended at low_end, high keys are stored downwards before
 * `high`, which is the last one stored there. */
struct gsi_deal {
    uint8_t *low_end, *high;
};

/* gsi_deal_keys: deals `n` unsigned keys of `key_bytes` (4, 8, 16), aligned to their size: keys
 * below `pivot`, a key, are low. Both sides need room for `n` keys and GSI_DEAL_SLACK_BYTES more.
 * Any thread. */
void gsi_deal_keys(uint32_t key_bytes, const void *keys, size_t n, const void *pivot,
                   struct gsi_deal *deal);

#ifdef __cplusplus
}
#endif
#endif
