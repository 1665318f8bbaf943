/* shuffle.c: computes Threefry-2x32 with 20 rounds for 16 consecutive positions at a time. */
#include "element/entry/shuffle.h"

#include "base/clock.h"
#include "base/simd.h"

#include <stdbool.h>
#include <sys/random.h>

#define PARITY 0x1BD11BDAu /* SKEIN_KS_PARITY32 */

/* The words of 16 blocks: one register of AVX-512, two of AVX2, four of SSE2 or NEON. */
#define LANES 16u
typedef uint32_t lanes __attribute__((vector_size(4 * LANES)));

GSI_INLINE void mix(lanes *low, lanes *high, uint32_t bits)
{
    *low += *high;
    *high = (*high << bits | *high >> (32 - bits)) ^ *low;
}

GSI_INLINE void add_key(lanes *low, lanes *high, const uint32_t key[3], uint32_t group)
{
    *low += key[group % 3];
    *high += key[(group + 1) % 3] + group;
}

/* Five groups of four rounds. Each group has the rotations of the group two before it. */
GSI_INLINE void encrypt(const uint32_t key[3], lanes *low, lanes *high)
{
    add_key(low, high, key, 0);
    for (uint32_t group = 1; group <= 5; group++) {
        const bool is_odd = group % 2 == 1;
        mix(low, high, is_odd ? 13 : 17);
        mix(low, high, is_odd ? 15 : 29);
        mix(low, high, is_odd ? 26 : 16);
        mix(low, high, is_odd ? 6 : 24);
        add_key(low, high, key, group);
    }
}

GSI_SIMD_CLONES void gsi_shuffle_keys(uint64_t seed, uint64_t first, size_t n, uint64_t *keys)
{
    const uint32_t low_seed = (uint32_t)seed, high_seed = (uint32_t)(seed >> 32);
    const uint32_t key[3] = {low_seed, high_seed, PARITY ^ low_seed ^ high_seed};
    for (size_t done = 0; done < n; done += LANES) {
        lanes low = {0}, high = {0};
        for (uint32_t i = 0; i < LANES; i++) {
            low[i] = (uint32_t)(first + done + i);
            high[i] = (uint32_t)((first + done + i) >> 32);
        }
        encrypt(key, &low, &high);
        for (uint32_t i = 0; i < LANES && done + i < n; i++)
            keys[done + i] = (uint64_t)low[i] << 32 | high[i];
    }
}

uint64_t gsi_shuffle_draw(void)
{
    uint64_t seed = 0;
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != sizeof seed)
        gsi_shuffle_keys(gsi_clock_ns(), (uint64_t)(uintptr_t)&seed, 1, &seed);
    return seed;
}
