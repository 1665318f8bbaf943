// records_seen.h: what passes over records on a GPU find.
#ifndef GSI_RECORDS_SEEN_H
#define GSI_RECORDS_SEEN_H

#include <cstdint>

// What was seen of records; zeroed: nothing.
struct gsi_records_seen {
    unsigned long long fingerprint[2];    // 128 bits, low word first
    unsigned long long disorder_inverted; // ~index of the first whose key is below the one's before
    uint32_t unshared;                    // key_bytes less what all keys share with the first's
    uint32_t unused;
};

#endif
