/* deltas.h: sorted keys as differences, each in as few bits as its neighbours are apart.
 *
 * Keys of a run are as if drawn at random: the difference of each to the one before it is nearly
 * geometric, and for that Golomb's code is the best there is (S. Golomb, "Run-length encodings",
 * 1966), with a power of two (R. Rice, "Some practical universal noiseless coding techniques",
 * 1979): the low bits as they are, and how often 2^low fits into the difference as so many zeros
 * before a one. 2^23 random u64 need 42.4 bits each at least, and take 42.7 here.
 *
 * Each block of GSI_DELTAS_BLOCK keys, the last one filled up with its last key:
 *
 *     head      2 bytes: low bits (7), shift (7), has a mask (1), has far ones (1);
 *               all ones: every key is the one before it, and nothing follows
 *     far ones  differences far above the others' mean, which are then zeros below: how many,
 *               then of each its place and itself
 *     mask      a bit for each difference: the rest is of those that are not zero, as where many
 *               keys are equal
 *     low bits  of each difference >> shift, one after the other; if they are more than 56, the
 *               lowest 56 of each, then the next ones of each
 *     ones      as many as there are differences, the high part of each as zeros before its one
 *
 * Parts begin at bytes. All differences have `shift` zeros below, as have numbers that were
 * narrower once. Pure. */
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

/* Memory behind what is coded: written by encode, and read, whatever is there, by decode. */
#define GSI_DELTAS_SLACK 4096u

/* gsi_deltas_encode: how many bytes keys[n] take at `to`, 1 to `most`; 0: more, or they do not
 * ascend.
 * in    key_bytes: 4, 8 or 16; memory of most + GSI_DELTAS_SLACK bytes at `to` */
size_t gsi_deltas_encode(uint32_t key_bytes, const void *keys, size_t n, uint8_t *to, size_t most);

/* gsi_deltas_decode: the keys back. The bytes may be damaged in any way.
 * in    bytes + GSI_DELTAS_SLACK can be read at `from`; first_key: keys[0]
 * Returns whether they were exactly n keys; if not, keys are undefined. */
bool gsi_deltas_decode(uint32_t key_bytes, const uint8_t *from, size_t bytes,
                       const uint8_t *first_key, void *keys, size_t n);

#ifdef __cplusplus
}
#endif
#endif
