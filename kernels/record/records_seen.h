// records_seen.h: declares the results of passes over records on a GPU.
#ifndef GSI_RECORDS_SEEN_H
#define GSI_RECORDS_SEEN_H

#include <cstdint>

// Results over records; zeroed: over none.
struct gsi_records_seen {
    unsigned long long fingerprint[2];    // 128 bits, low word first
    unsigned long long disorder_inverted; // ~index of the first record below its predecessor
    uint32_t unshared;                    // key_bytes minus the bytes that all keys share
    uint32_t unused;
};

#endif
