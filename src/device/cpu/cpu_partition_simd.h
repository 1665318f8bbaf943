/* cpu_partition_simd.h: a block of keys dealt to two arrays, a vector of keys at a time. */
#ifndef GSI_CPU_PARTITION_SIMD_H
#define GSI_CPU_PARTITION_SIMD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is written behind the low keys, and before the high ones, at most. */
#define GSI_DEAL_SLACK_BYTES 64

/* Where keys go: low ones up from low_end on, high ones down from `high`, which is the last that
 * was put there. */
struct gsi_deal {
    uint8_t *low_end, *high;
};

/* gsi_deal_keys: deals `n` unsigned keys of `key_bytes` (4, 8, 16), aligned to their size: those
 * below `pivot`, a key, are low. There is room for as many on both sides, and GSI_DEAL_SLACK_BYTES
 * more. Any thread. */
void gsi_deal_keys(uint32_t key_bytes, const void *keys, size_t n, const void *pivot,
                   struct gsi_deal *deal);

#ifdef __cplusplus
}
#endif
#endif
