// cuda_places.h: where the record of a tag is, on a GPU; for hosts and kernels.
#ifndef GSI_CUDA_PLACES_H
#define GSI_CUDA_PLACES_H

#include "element/record/record.h"
#include "element/record/record_tags.h"

// As device/record_places.h, in device memory. Entries of the table without records are null.
// Records lie at multiples of the largest power of two that divides their length, up to 16 bytes.
struct gsi_cuda_places {
    const gsi_record *record; // device memory
    const uint8_t *const *blocks;
    uint64_t first_block, block_count;
    uint32_t record_bytes, shift;
    uint32_t skew;            // bytes that they lie off such a multiple; 0 in a job
    uint64_t end;             // of all indexes; 0: blocks end where their memory does
    uint32_t at;              // byte of the key that the tags were made at; or, if it is not null:
    const uint32_t *unshared; // key_bytes less that byte, in device memory
};

#endif
