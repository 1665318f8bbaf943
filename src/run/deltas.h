/* deltas.h: stores sorted keys as differences to the previous key, in as few bits as the
 * differences of their block need.
 *
 * Sorted keys of a random sample have differences with a nearly geometric distribution. For this
 * distribution Golomb's code is optimal (S. Golomb, "Run-length encodings", 1966). Rice's variant
 * uses a power of two (R. Rice, "Some practical universal noiseless coding techniques", 1979). The
 * `low` lowest bits of a difference are stored as they are. The upper bits, a number h, are stored
 * in unary: h zeros and a one. 2^23 random u64 need at least 42.4 bits each, and use 42.7 here.
 *
 * Each block encodes GSI_DELTAS_BLOCK keys; copies of the last key fill the last block. A block has
 * these parts:
 *
 *     header    2 bytes: number of low bits (7), shift (7), has a mask (1), has outliers (1);
 *               all bits 1: every key equals the previous one, and no other part follows
 *     outliers  differences far above the mean of the others; the other parts have zeros instead:
 *               their number, then the index and the value of each
 *     mask      a bit per difference: 0 if the difference is zero and not stored; used if many
 *               keys are equal
 *     low bits  the low bits of each difference >> shift; if there are more than 56, first the
 *               lowest 56 bits of each, then the next bits of each
 *     unary     the upper bits of each difference >> shift, as zeros and a one
 *
 * Each part begins at a whole byte. `shift` is the number of low bits that are zero in all
 * differences, as after a conversion from a narrower type. Pure. */
#ifndef GSI_DELTAS_H
#define GSI_DELTAS_H

#include "base/assert.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GSI_DELTAS_BLOCK GSI_CONSTANT(128u, 16u)

/* Bytes of memory after the encoded data that encode may overwrite and decode may read. The
 * contents of this memory do not matter. */
#define GSI_DELTAS_SLACK 4096u

/* gsi_deltas_encode: encodes keys[n] at `to`. Returns the encoded size in bytes, 1 to `most`; 0 if
 * it is more than `most`, or if the keys are not sorted.
 * in    key_bytes: 4, 8 or 16; memory of most + GSI_DELTAS_SLACK bytes at `to` */
size_t gsi_deltas_encode(uint32_t key_bytes, const void *keys, size_t n, uint8_t *to, size_t most);

/* gsi_deltas_decode: restores the keys. The bytes may be damaged in any way.
 * in    bytes + GSI_DELTAS_SLACK can be read at `from`; first_key: keys[0]
 * Returns whether the bytes encode exactly n keys; if not, keys are undefined. */
bool gsi_deltas_decode(uint32_t key_bytes, const uint8_t *from, size_t bytes,
                       const uint8_t *first_key, void *keys, size_t n);

#ifdef __cplusplus
}
#endif
#endif
