// cuda_places.h: maps a tag to the address of its record, on a GPU; for hosts and kernels.
#ifndef GSI_CUDA_PLACES_H
#define GSI_CUDA_PLACES_H

#include "element/record/record.h"
#include "element/record/record_tags.h"

// Like device/record_ties.h, in device memory. Entries of the table without records are null.
// Records are aligned to the largest power of two that divides their length, up to 16 bytes.
struct gsi_cuda_record_table {
    const gsi_record *record; // device memory
    const uint8_t *const *blocks;
    uint64_t first_block, block_count;
    uint32_t record_bytes, shift;
    uint32_t skew;            // bytes by which the records miss that alignment; 0 in a job
    uint64_t end;             // end of all indexes; 0: blocks end where their memory ends
    uint32_t at;              // byte of the key at which tags were made, if `unshared` is null
    const uint32_t *unshared; // key_bytes minus that byte, in device memory
};

#endif
