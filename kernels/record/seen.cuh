// seen.cuh: joins the results of a block's threads over records, and adds them to the results over
// all records.
#ifndef GSI_SEEN_CUH
#define GSI_SEEN_CUH

#include "kernels/record/records_seen.h"
#include "kernels/tally/tally_words.cuh"

// Results of one thread; zeroed, they are empty.
struct gsi_records_partial {
    gsi_u128 fingerprint;
    uint64_t disorder_inverted;
    uint32_t unshared, unused;
};

__device__ inline void gsi_part_join(gsi_records_partial &into, const gsi_records_partial &from)
{
    into.fingerprint += from.fingerprint;
    into.disorder_inverted = into.disorder_inverted > from.disorder_inverted
                                 ? into.disorder_inverted
                                 : from.disorder_inverted;
    into.unshared = into.unshared > from.unshared ? into.unshared : from.unshared;
}

__device__ inline void gsi_seen_add(gsi_records_seen *seen, const gsi_records_partial &part)
{
    const unsigned long long low = static_cast<unsigned long long>(part.fingerprint);
    const unsigned long long high = static_cast<unsigned long long>(part.fingerprint >> 64);
    const unsigned long long before = atomicAdd(&seen->fingerprint[0], low);
    atomicAdd(&seen->fingerprint[1], high + (before + low < before));
    if (part.disorder_inverted > 0)
        atomicMax(&seen->disorder_inverted,
                  static_cast<unsigned long long>(part.disorder_inverted));
    if (part.unshared > seen->unshared)
        atomicMax(&seen->unshared, part.unshared);
}

#endif
