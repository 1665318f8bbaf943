/* output_plan.h: sizes of the buffers that the output has beside windows. */
#ifndef GSI_OUTPUT_PLAN_H
#define GSI_OUTPUT_PLAN_H

#include <stdint.h>

struct gsi_output_plan {
    uint32_t pack_level;  /* of zstd; 0: plain */
    uint32_t pack_slots;  /* frames that are packed at the same time */
    uint64_t block_bytes; /* with --unique */
    uint64_t room_bytes;  /* likewise: for the entries of a batch (loop/flow.h) */
    uint32_t room_count;
    uint64_t split_block_bytes; /* with --split or --values */
};

#endif
