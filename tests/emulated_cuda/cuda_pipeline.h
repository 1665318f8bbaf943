// cuda_pipeline.h: emulates asynchronous copies to shared memory, instead of the toolkit's header.
//
// A copy is done as late as its waits allow: when its thread waits for its batch, or exits. Until
// then the destination holds 0xA5 and the source is read in the state it has then.
#ifndef CUDA_PIPELINE_H
#define CUDA_PIPELINE_H

#include "cuda_runtime.h"

void emulated_copy_async(void *shared, const void *global, size_t bytes, size_t zero_bytes,
                         emulated_place place);
void emulated_copy_commit();
void emulated_copy_wait(size_t batches);

// bytes: 4, 8 or 16, the alignment of both ends, too; the last `zero_bytes` are set to 0.
inline void __pipeline_memcpy_async(void *shared, const void *global, size_t bytes,
                                    size_t zero_bytes = 0, emulated_place place = {})
{
    emulated_copy_async(shared, global, bytes, zero_bytes, place);
}

// A batch is what the thread began since its last commit.
inline void __pipeline_commit()
{
    emulated_copy_commit();
}

// Wait for all committed batches but the last `batches`.
inline void __pipeline_wait_prior(size_t batches)
{
    emulated_copy_wait(batches);
}

#endif
