/* deltas.h: stores sorted keys as differences, each in as few bits as the distances around it need.
 *
 * Keys of a run are distributed as if drawn at random, so the differences of neighbours are nearly
 * geometric. For that distribution Golomb's code is optimal (S. Golomb, "Run-length encodings",
 * 1966). We use it with a power of two (R. Rice, "Some practical universal noiseless coding
 * techniques", 1979). The low bits of a difference are stored as they are. The number of times that
 * 2^low fits into it is stored as that many zeros before a one. 2^23 random u64 need at least 42.4
 * bits each, and use 42.7 here.
 *
 * Each block has GSI_DELTAS_BLOCK keys; the last block is filled up with its last key:
 *
 *     head      2 bytes: low bits (7), shift (7), has a mask (1), has far ones (1);
 *               all ones: every key equals the previous one, and nothing follows
 *     far ones  differences far above the others' mean, which are then zeros below: their number,
 *               then the place and the value of each
 *     mask      a bit for each difference: the rest has only those that are not zero; used if many
 *               keys are equal
 *     low bits  of each difference >> shift, one after the other; if there are more than 56, the
 *               lowest 56 of each, then the next ones of each
 *     ones      one per difference: its high part as zeros before its one
 *
 * Parts begin at bytes. All differences have `shift` zeros below, as have numbers that were
 * converted from a narrower type. Pure. */
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

/* Extra memory after the coded data: encode may write to it, and decode may read it, whatever it
 * contains. */
#define GSI_DELTAS_SLACK 4096u

/* gsi_deltas_encode: encodes keys[n] at `to`. Returns the bytes used, 1 to `most`, or 0 if they
 * need more or do not ascend.
 * in    key_bytes: 4, 8 or 16; memory of most + GSI_DELTAS_SLACK bytes at `to` */
size_t gsi_deltas_encode(uint32_t key_bytes, const void *keys, size_t n, uint8_t *to, size_t most);

/* gsi_deltas_decode: restores the keys. The bytes may be damaged in any way.
 * in    bytes + GSI_DELTAS_SLACK can be read at `from`; first_key: keys[0]
 * Returns whether the bytes were exactly n keys; if not, keys are undefined. */
bool gsi_deltas_decode(uint32_t key_bytes, const uint8_t *from, size_t bytes,
                       const uint8_t *first_key, void *keys, size_t n);

#ifdef __cplusplus
}
#endif
#endif
