/* shuffle.c: Threefry-2x32, vectorised over consecutive positions. */
#include "element/carry/shuffle.h"

#include "base/clock.h"
#include "base/simd.h"

#include <sys/random.h>

#define LANES  16u
#define PARITY 0x1BD11BDAu /* SKEIN_KS_PARITY32 */
#define ROUNDS 20u

GSI_INLINE uint32_t rotate(uint32_t x, uint32_t bits)
{
    return x << bits | x >> (32 - bits);
}

/* The lanes hold the two words of each block. Every fourth round adds a part of the key. */
GSI_INLINE void encrypt(const uint32_t key[3], uint32_t low[LANES], uint32_t high[LANES])
{
    static const uint32_t rotations[8] = {13, 15, 26, 6, 17, 29, 16, 24};
    for (uint32_t i = 0; i < LANES; i++) {
        low[i] += key[0];
        high[i] += key[1];
    }
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const uint32_t bits = rotations[round % 8], group = round / 4 + 1;
        for (uint32_t i = 0; i < LANES; i++) {
            low[i] += high[i];
            high[i] = rotate(high[i], bits) ^ low[i];
        }
        if (round % 4 != 3)
            continue;
        for (uint32_t i = 0; i < LANES; i++) {
            low[i] += key[group % 3];
            high[i] += key[(group + 1) % 3] + group;
        }
    }
}

GSI_SIMD_CLONES void gsi_shuffle_keys(uint64_t seed, uint64_t first, size_t n, uint64_t *keys)
{
    const uint32_t low_seed = (uint32_t)seed, high_seed = (uint32_t)(seed >> 32);
    const uint32_t key[3] = {low_seed, high_seed, PARITY ^ low_seed ^ high_seed};
    for (size_t done = 0; done < n; done += LANES) {
        uint32_t low[LANES], high[LANES];
        for (uint32_t i = 0; i < LANES; i++) {
            low[i] = (uint32_t)(first + done + i);
            high[i] = (uint32_t)((first + done + i) >> 32);
        }
        encrypt(key, low, high);
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
