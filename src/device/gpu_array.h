/* gpu_array.h: declares sorts of arrays that are already in GPU memory, for code that needs no
 * CUDA. Work is queued on a stream, and no call waits for it.
 *
 *     numbers, 1 or 2 bytes     counted, written again
 *     numbers, 4 to 16 bytes    sorted between the array and the scratch
 *     records                   sorted by tags in the scratch, gathered there, copied back
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
    struct gsi_key_map map; /* of numbers; those of 1 and 2 bytes are at the upper end of 64 bits */
    const struct gsi_record *record; /* also of numbers: elements with one key */
    void *positions;                 /* NULL: sort the array; else it stays unchanged */
    uint32_t position_bytes;         /* 4 or 8 */
    void *stream;                    /* cudaStream_t; NULL: the default one */
    void *scratch;                   /* NULL: from the device's pool, returned to it on the
                                      * stream */
    uint64_t scratch_bytes;
};

/* scratch_bytes: returns the bytes that a sort needs besides the array and positions, at any
 * address.
 * sort: queues the sort.
 * fails GS_E_USAGE: the memory is unsuitable or too small; GS_E_DEVICE */
struct gsi_gpu_array_ops {
    uint64_t (*scratch_bytes)(const struct gsi_gpu_array *array);
    enum gs_status (*sort)(const struct gsi_gpu_array *array, struct gs_error *error);
};
extern const struct gsi_gpu_array_ops gsi_gpu_array_cuda; /* in builds with CUDA */

#ifdef __cplusplus
}
#endif
#endif
