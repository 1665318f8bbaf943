// bulk_copy.cuh: copies between global and shared memory in bulk. One thread starts a copy, and an
// engine of the SM makes it, on GPUs that have one (compute capability 9.0). Bulk copies use no
// instructions of other threads, and no time of the shared-memory banks' pipeline. Addresses and
// sizes are multiples of 16. The emulation has its own definitions.
//
//   in   One lane of a warp calls gsi_bulk_begin. After __syncwarp, any of its lanes call
//        gsi_bulk_load. After a barrier of the block, all threads call gsi_bulk_wait. This bulk
//        barrier is used once.
//        To use a bulk barrier for many turns, one thread calls gsi_bulk_init and
//        gsi_bulk_publish, once. For turn 0, 1, .. the same thread calls gsi_bulk_expect and its
//        loads. Any threads call gsi_bulk_wait_turn, all of them before the barrier's next turn.
//   out  Every thread that wrote calls gsi_bulk_publish. After a barrier of the block, one thread
//        calls gsi_bulk_store. It calls gsi_bulk_store_wait before it ends or the memory is
//        written again.
#ifndef GSI_BULK_COPY_CUH
#define GSI_BULK_COPY_CUH

#include <cuda_runtime.h>

#include <cstdint>

// Major compute capability of GPUs with bulk copies.
#define GSI_BULK_COPY_MAJOR 9

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

__device__ __forceinline__ void gsi_bulk_init(gsi_bulk_barrier *barrier)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(gsi_shared_address(barrier))
                 : "memory");
}

// `bytes`: size of all loads that this turn of the barrier waits for.
__device__ __forceinline__ void gsi_bulk_expect(gsi_bulk_barrier *barrier, uint32_t bytes)
{
    asm volatile("{\n\t"
                 ".reg .b64 state;\n\t"
                 "mbarrier.arrive.expect_tx.shared::cta.b64 state, [%0], %1;\n\t"
                 "}" ::"r"(gsi_shared_address(barrier)),
                 "r"(bytes)
                 : "memory");
}

__device__ __forceinline__ void gsi_bulk_begin(gsi_bulk_barrier *barrier, uint32_t bytes)
{
    gsi_bulk_init(barrier);
    gsi_bulk_publish();
    gsi_bulk_expect(barrier, bytes);
}

__device__ __forceinline__ void gsi_bulk_load(void *shared, const void *global, uint32_t bytes,
                                              gsi_bulk_barrier *barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                 " [%0], [%1], %2, [%3];" ::"r"(gsi_shared_address(shared)),
                 "l"(global), "r"(bytes), "r"(gsi_shared_address(barrier))
                 : "memory");
}

// parity: the barrier's turn, counted from 0, modulo 2.
__device__ __forceinline__ void gsi_bulk_wait_turn(gsi_bulk_barrier *barrier, uint32_t parity)
{
    asm volatile("{\n\t"
                 ".reg .pred is_done;\n\t"
                 "again:\n\t"
                 "mbarrier.try_wait.parity.shared::cta.b64 is_done, [%0], %1;\n\t"
                 "@!is_done bra again;\n\t"
                 "}" ::"r"(gsi_shared_address(barrier)),
                 "r"(parity)
                 : "memory");
}

__device__ __forceinline__ void gsi_bulk_wait(gsi_bulk_barrier *barrier)
{
    gsi_bulk_wait_turn(barrier, 0);
}

__device__ __forceinline__ void gsi_bulk_store(void *global, const void *shared, uint32_t bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n\t"
                 "cp.async.bulk.commit_group;" ::"l"(global),
                 "r"(gsi_shared_address(shared)), "r"(bytes)
                 : "memory");
}

// Waits until the shared memory has been read.
__device__ __forceinline__ void gsi_bulk_store_wait()
{
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
#endif

#endif
