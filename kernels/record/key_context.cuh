// key_context.cuh: provides the data besides the keys that a comparison needs: none if the order of
// keys is the order of their bits. One kind of key needs more: tied_tag.cuh.
#ifndef GSI_KEY_CONTEXT_CUH
#define GSI_KEY_CONTEXT_CUH

#include "kernels/common/launch.cuh"

struct gsi_cuda_record_table;

template <class Key> struct gsi_key_context {
    static constexpr bool is_bitwise = true;

    static gsi_key_context make(const gsi_cuda_record_table *)
    {
        return {};
    }

    // All threads of a block call it before they compare keys.
    __device__ void begin() const
    {
    }
};

#endif
