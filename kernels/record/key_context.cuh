// key_context.cuh: what keys need beside themselves to be compared: nothing, if their order is that
// of their bits. (Of others there is one kind: tied_tag.cuh.)
#ifndef GSI_KEY_CONTEXT_CUH
#define GSI_KEY_CONTEXT_CUH

#include "kernels/common/launch.cuh"

struct gsi_cuda_places;

template <class Key> struct gsi_key_context {
    static constexpr bool is_bitwise = true;

    static gsi_key_context make(const gsi_cuda_places *)
    {
        return {};
    }

    // All threads of a block call it before they compare keys.
    __device__ void begin() const
    {
    }
};

#endif
