/* record_room.h: how many records a piece of memory holds.
 *
 *     [ .. records ........................ .. ] [ tags ]
 *      ^ up to a page before and behind them      one a record
 *
 * Records rarely begin and end where pages do. The room around them is for direct I/O of whole
 * pages, or for a frame's header and padding. */
#ifndef GSI_RECORD_ROOM_H
#define GSI_RECORD_ROOM_H

#include "base/checked.h"
#include "element/record/record_tags.h"

#define GSI_RECORD_PAGE_BYTES  4096u
#define GSI_RECORD_SPARE_BYTES (2 * GSI_RECORD_PAGE_BYTES + 64)

/* gsi_record_room: how many records fit into `bytes`.
 * gsi_record_room_bytes: the bytes that `n` records take, in whole pages. */
static inline uint64_t gsi_record_room(uint32_t record_bytes, uint64_t bytes)
{
    return bytes <= GSI_RECORD_SPARE_BYTES
               ? 0
               : (bytes - GSI_RECORD_SPARE_BYTES) / (record_bytes + GSI_TAG_BYTES);
}

static inline uint64_t gsi_record_room_bytes(uint32_t record_bytes, uint64_t n)
{
    return gsi_round_up_u64(n * (record_bytes + GSI_TAG_BYTES) + GSI_RECORD_SPARE_BYTES,
                            GSI_RECORD_PAGE_BYTES);
}

/* The same where the number of records has to be a power of two, as in chunks and frames (at least
 * one).  gsi_record_room_shift: its logarithm. */
static inline uint32_t gsi_record_room_shift(uint32_t record_bytes, uint64_t bytes)
{
    uint64_t n = gsi_record_room(record_bytes, bytes);
    return n == 0 ? 0 : 63 - (uint32_t)__builtin_clzll(n);
}

static inline uint64_t gsi_record_room_power(uint32_t record_bytes, uint64_t bytes)
{
    return (uint64_t)1 << gsi_record_room_shift(record_bytes, bytes);
}

#endif
