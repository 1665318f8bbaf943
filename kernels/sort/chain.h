// chain.h: describes an array of sorted keys that consists of several parts; for hosts and kernels.
#ifndef GSI_CHAIN_H
#define GSI_CHAIN_H

#include <cstdint>

// An array in parts: parts[first .. first + count) of a table, in order.
struct gsi_chain {
    uint64_t key_count;
    uint32_t first, count;
};

// A part: its key i is key begin + i of the array.
struct gsi_part {
    const void *keys;
    uint64_t begin;
};

#endif
