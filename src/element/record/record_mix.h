/* record_mix.h: mixes all bytes of a record into 64 bits, for fingerprints. Host and device share
 * it.
 *
 * Each pair of words is multiplied, after an exclusive or with constants that depend on its place.
 * The two halves of the 128-bit product are combined by an exclusive or. The sum of all pairs is
 * mixed once more. This is the scheme of wyhash and XXH3: one multiplication per 16 bytes, and none
 * waits for another. The last pair ends with the record and may overlap the one before it. A record
 * of 9 to 15 bytes is one pair, extended by zeros. A record of up to 8 bytes is one word, which is
 * mixed as numbers are. Words are little-endian.
 */
#ifndef GSI_RECORD_MIX_H
#define GSI_RECORD_MIX_H

#include "base/u128.h"
#include "element/key_order.h"

#include <stddef.h>
#include <string.h>

#define GSI_RECORD_PAIR_BYTES 16u
#define GSI_RECORD_WORD_BYTES 8u

/* gsi_mix_word: mixes a record of up to 8 bytes, extended by zeros. */
GSI_HOST_DEVICE static inline uint64_t gsi_mix_word(uint64_t word, uint32_t bytes)
{
    return gsi_mix_u64(word ^ bytes * GSI_MIX_FACTOR_1);
}

GSI_HOST_DEVICE static inline uint64_t gsi_mix_pair(const uint8_t *at, uint32_t bytes,
                                                    uint64_t place)
{
    uint64_t words[2] = {0, 0};
    memcpy(words, at, bytes);
    gsi_u128 product = (gsi_u128)(words[0] ^ place * 0x9e3779b97f4a7c15u) *
                       (words[1] ^ place * 0xbf58476d1ce4e5b9u);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* gsi_mix_record: mixes a record of `bytes` > 0, at any address. */
GSI_HOST_DEVICE static inline uint64_t gsi_mix_record(const uint8_t *record, uint32_t bytes)
{
    uint64_t sum = bytes, place = 1;
    uint32_t at = 0;
    if (bytes <= GSI_RECORD_WORD_BYTES) {
        uint64_t word = 0;
        memcpy(&word, record, bytes);
        return gsi_mix_word(word, bytes);
    }
    if (bytes < GSI_RECORD_PAIR_BYTES)
        return gsi_mix_u64(sum + gsi_mix_pair(record, bytes, place));
    for (; at + GSI_RECORD_PAIR_BYTES <= bytes; at += GSI_RECORD_PAIR_BYTES)
        sum += gsi_mix_pair(record + at, GSI_RECORD_PAIR_BYTES, place++);
    if (at < bytes)
        sum += gsi_mix_pair(record + bytes - GSI_RECORD_PAIR_BYTES, GSI_RECORD_PAIR_BYTES, place);
    return gsi_mix_u64(sum);
}

#ifdef __cplusplus
extern "C" {
#endif

/* gsi_mix_records: returns the sum of gsi_mix_record over `n` records that follow each other in
 * memory. */
gsi_u128 gsi_mix_records(const void *records, size_t n, uint32_t bytes);

#ifdef __cplusplus
}
#endif

#endif
