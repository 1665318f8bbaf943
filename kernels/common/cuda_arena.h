// cuda_arena.h: pins the job's arena, so that copies between it and GPUs are asynchronous and fast.
// Pinning takes time mainly because pages are touched. Threads touch them together while GPUs are
// opened, which needs no pages.
#ifndef GSI_CUDA_ARENA_H
#define GSI_CUDA_ARENA_H

#include "device/device.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

// As many threads as touch memory well together; more gain little.
#define GSI_CUDA_ARENA_THREADS 8

struct gsi_cuda_arena_part {
    pthread_t thread;
    bool is_started;
    uint8_t *memory;
    size_t bytes;
};

struct gsi_cuda_arena {
    uint8_t *memory; // nullptr: this device does not pin the arena
    uint64_t bytes;
    gsi_cuda_arena_part parts[GSI_CUDA_ARENA_THREADS];
    bool is_pinned;
};

// gsi_cuda_arena_begin: begins to touch the pages of the device's arena, if it is used.
// gsi_cuda_arena_pin: waits for that, and registers the arena for all GPUs. If registration is
// refused (by a memory limit, for example), copies are slower, and as correct.
// gsi_cuda_arena_end: waits and unregisters; zeroed arenas are allowed.
void gsi_cuda_arena_begin(gsi_cuda_arena *arena, const gsi_device_config *config);
void gsi_cuda_arena_pin(gsi_cuda_arena *arena);
void gsi_cuda_arena_end(gsi_cuda_arena *arena);

#endif
