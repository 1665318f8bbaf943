// cuda_arena.cc: touches the pages of the arena on threads, and registers it.
#include "kernels/common/cuda_arena.h"

#include "base/checked.h"
#include "base/memory.h"
#include "base/pool.h"

#include <cuda_runtime.h>

static void *populate(void *argument)
{
    const gsi_cuda_arena_part *part = static_cast<gsi_cuda_arena_part *>(argument);
    gsi_memory_touch(part->memory, part->bytes);
    return nullptr;
}

void gsi_cuda_arena_begin(gsi_cuda_arena *arena, const gsi_device_config *config)
{
    arena->memory = config->arena;
    arena->bytes = config->has_own_data ? 0 : config->arena_bytes;
    const uint64_t step = gsi_round_up_u64(arena->bytes / GSI_CUDA_ARENA_THREADS + 1, 2 << 20);
    for (uint64_t i = 0; i < GSI_CUDA_ARENA_THREADS && i * step < arena->bytes; i++) {
        gsi_cuda_arena_part *part = &arena->parts[i];
        part->memory = arena->memory + i * step;
        part->bytes = gsi_min_u64(step, arena->bytes - i * step);
        part->is_started = gsi_thread_start(&part->thread, populate, part) == 0;
    }
}

static void wait_for_parts(gsi_cuda_arena *arena)
{
    for (gsi_cuda_arena_part &part : arena->parts) {
        if (part.is_started)
            pthread_join(part.thread, nullptr);
        part.is_started = false;
    }
}

void gsi_cuda_arena_pin(gsi_cuda_arena *arena)
{
    wait_for_parts(arena);
    arena->is_pinned =
        arena->bytes > 0 &&
        cudaHostRegister(arena->memory, arena->bytes, cudaHostRegisterPortable) == cudaSuccess;
    if (!arena->is_pinned)
        cudaGetLastError();
}

void gsi_cuda_arena_end(gsi_cuda_arena *arena)
{
    wait_for_parts(arena);
    if (arena->is_pinned)
        cudaHostUnregister(arena->memory);
    arena->is_pinned = false;
}
