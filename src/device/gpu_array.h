/* gpu_array.h: sorts of arrays that are in a GPU's memory already, as what needs no CUDA sees them:
 * work is queued on a stream, and nobody waits for it.
 *
 *     numbers, 1 or 2 bytes     counted, written again
 *     numbers, 4 to 16 bytes    sorted between the array and the scratch
 *     records                   tags of them sorted in the scratch, gathered there, copied back
 *     positions                 numbers with their places, or tags, sorted; their places written */
#ifndef GSI_GPU_ARRAY_H
#define GSI_GPU_ARRAY_H

#include "base/status.h"
#include "element/key_order.h"
#include "element/record/record.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gsi_gpu_array {
    void *data; /* device memory; numbers aligned to their size, records at any address */
    uint64_t count;
    bool is_numbers;
    bool is_big_endian;     /* numbers are */
    struct gsi_key_map map; /* of numbers; of those of 1 and 2 bytes at the upper end of 64 bits */
    const struct gsi_record *record; /* of numbers, too: elements with one key */
    void *positions;                 /* NULL: the array is sorted; else stays as it is */
    uint32_t position_bytes;         /* 4 or 8 */
    void *stream;                    /* cudaStream_t; NULL: the default one */
    void *scratch;                   /* NULL: of the device's pool, and given back on the stream */
    uint64_t scratch_bytes;
};

/* scratch_bytes: bytes that a sort needs beside the array and positions, at any address.
 * sort: queues it.
 * fails GS_E_USAGE: memory is not what it has to be, or too little; GS_E_DEVICE */
struct gsi_gpu_array_ops {
    uint64_t (*scratch_bytes)(const struct gsi_gpu_array *array);
    enum gs_status (*sort)(const struct gsi_gpu_array *array, struct gs_error *error);
};
extern const struct gsi_gpu_array_ops gsi_gpu_array_cuda; /* in builds with CUDA */

#ifdef __cplusplus
}
#endif
#endif
