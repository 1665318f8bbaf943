/* planes.h: sorted keys as what compresses well: the difference of each key to the one before it,
 * taken apart into planes: the lowest byte of every difference, then the second byte of every one,
 * and so on. Neighbours in a run are close, so the upper planes are nearly all zeros and what is
 * random keeps to the lower ones. A bijection for any keys, sorted or not; pure. */
#ifndef GSI_PLANES_H
#define GSI_PLANES_H

#include <stddef.h>
#include <stdint.h>

/* gsi_planes_split: planes[b * n + i] is byte b of keys[i] - keys[i - 1], modulo 2^(8 key_bytes);
 * there is a 0 before the first key. gsi_planes_join: the keys back.
 * in    key_bytes: 4, 8 or 16; keys[n] and planes[n * key_bytes], which do not overlap */
void gsi_planes_split(uint32_t key_bytes, const void *keys, size_t n, uint8_t *planes);
void gsi_planes_join(uint32_t key_bytes, const uint8_t *planes, size_t n, void *keys);

#endif
