// bulk_circular.cu: runs rung 6, a merge of two by persistent thread blocks: gsort's own merge by
// circular buffers, which it runs on request (circular_merge.cuh). Next: each tile has its own cut,
// so that it needs no rings, and a thread has more keys.
#include "kernels/sort/circular_merge.cuh"

#include "kernels/ladder/ladder.h"

namespace
{
template <class Key> struct policy : gsi_circular_policy<Key> {
};
} // namespace

template <class Key>
static cudaError_t merge(const void *a, uint64_t m, const void *b, uint64_t n, void *out,
                         gsi_merge_shape wanted, cudaStream_t stream)
{
    using launch = gsi_circular_launch<Key, policy<Key>>;
    if (wanted.tile > launch::shape::TILE || m + n > UINT64_C(1) << 40)
        return cudaErrorInvalidValue;
    GSI_CUDA_TRY(launch::prepare());
    return launch::run({static_cast<const Key *>(a), m}, {static_cast<const Key *>(b), n},
                       static_cast<Key *>(out), {}, wanted.blocks, stream);
}

cudaError_t gsi_bulk_circular_merge(enum gsi_ladder_type type, const void *a, uint64_t m,
                                    const void *b, uint64_t n, void *out,
                                    struct gsi_merge_shape wanted, void *, cudaStream_t stream)
{
    return type == GSI_LADDER_U32   ? merge<uint32_t>(a, m, b, n, out, wanted, stream)
           : type == GSI_LADDER_U64 ? merge<uint64_t>(a, m, b, n, out, wanted, stream)
                                    : cudaErrorInvalidValue;
}
