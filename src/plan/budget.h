/* budget.h: what a plan may take, and the sizes that the options fix. */
#ifndef GSI_BUDGET_H
#define GSI_BUDGET_H

#include <stdint.h>

struct gsi_budget {
    uint64_t memory_bytes;
    uint32_t thread_count;
    uint32_t fan_in;                    /* most runs merged at once; 0: planned */
    uint64_t chunk_bytes, window_bytes; /* 0: planned */
};

#endif
