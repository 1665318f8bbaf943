// shared_headers.cu: compiles, for the device, the code that host and device share: the order of elements
// and the fingerprint's mix (src/format/key_order.h). One kernel, which the cuda device's first pass over a
// chunk begins with: raw elements become sort keys.
#include "format/key_order.h"

// n elements of 8 bytes at `elements`, in place; fingerprint sums are left in low[0], high[0] as 32-bit
// halves of the mixes, so that no addition wraps below 2^32 elements.
__global__ void gsi_map_elements(gsi_key_map map, uint64_t *elements, uint64_t n,
                                 unsigned long long *low, unsigned long long *high)
{
    const uint64_t stride = static_cast<uint64_t>(gridDim.x) * blockDim.x;
    for (uint64_t i = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += stride) {
        const uint64_t mix = gsi_mix_u64(elements[i]);
        atomicAdd(low, static_cast<unsigned long long>(mix & UINT32_MAX));
        atomicAdd(high, static_cast<unsigned long long>(mix >> 32));
        elements[i] = gsi_key_of_u64(map, elements[i]);
    }
}
