// bulk_copy.cuh: copies between global and shared memory that one thread starts and an engine of
// the multiprocessor does, where there is one (compute capability 9.0): they take no other thread's
// instructions, and none of the time of the banks' pipeline. Addresses and bytes are multiples of
// 16. The emulation brings its own definitions.
//
//   in   one warp: a lane calls gsi_bulk_begin, then, behind __syncwarp, any lanes gsi_bulk_load;
//        behind a barrier of the block, all threads gsi_bulk_wait. A barrier is used once.
//   out  every thread that wrote: gsi_bulk_publish; behind a barrier of the block, one thread:
//        gsi_bulk_store, and gsi_bulk_store_wait before it ends or the memory is written again.
#ifndef GSI_BULK_COPY_CUH
#define GSI_BULK_COPY_CUH

#include <cuda_runtime.h>

#include <cstdint>

struct gsi_bulk_barrier { // in shared memory
    uint64_t state;
};

#if !defined(GSI_HAS_BULK_COPY) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define GSI_HAS_BULK_COPY 1

__device__ __forceinline__ uint32_t gsi_shared_address(const void *shared)
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(shared));
}

__device__ __forceinline__ void gsi_bulk_publish()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// `bytes`: of all loads that the barrier waits for.
__device__ __forceinline__ void gsi_bulk_begin(gsi_bulk_barrier *barrier, uint32_t bytes)
{
    const uint32_t address = gsi_shared_address(barrier);
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address) : "memory");
    gsi_bulk_publish();
    asm volatile("{\n\t"
                 ".reg .b64 state;\n\t"
                 "mbarrier.arrive.expect_tx.shared::cta.b64 state, [%0], %1;\n\t"
                 "}" ::"r"(address),
                 "r"(bytes)
                 : "memory");
}

__device__ __forceinline__ void gsi_bulk_load(void *shared, const void *global, uint32_t bytes,
                                              gsi_bulk_barrier *barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                 " [%0], [%1], %2, [%3];" ::"r"(gsi_shared_address(shared)),
                 "l"(global), "r"(bytes), "r"(gsi_shared_address(barrier))
                 : "memory");
}

__device__ __forceinline__ void gsi_bulk_wait(gsi_bulk_barrier *barrier)
{
    asm volatile("{\n\t"
                 ".reg .pred is_done;\n\t"
                 "again:\n\t"
                 "mbarrier.try_wait.parity.shared::cta.b64 is_done, [%0], 0;\n\t"
                 "@!is_done bra again;\n\t"
                 "}" ::"r"(gsi_shared_address(barrier))
                 : "memory");
}

__device__ __forceinline__ void gsi_bulk_store(void *global, const void *shared, uint32_t bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n\t"
                 "cp.async.bulk.commit_group;" ::"l"(global),
                 "r"(gsi_shared_address(shared)), "r"(bytes)
                 : "memory");
}

// The shared memory has been read.
__device__ __forceinline__ void gsi_bulk_store_wait()
{
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
#endif

#endif
