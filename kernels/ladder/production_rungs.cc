// production_rungs.cc: offers gsort's own tally, merge and sort through the calls of the ladder.
#include "kernels/ladder/production_rungs.h"

#include "element/tally/tally_sums.h"
#include "kernels/common/launch.cuh"
#include "kernels/sort/sort_kernels.h"
#include "kernels/tally/tally.cuh"

#include <cstring>

// ---- reductions: one tally has all results ----

// Limits: elements of one call of the tally; elements of a sort or merge, more than any device
// holds.
constexpr uint64_t TALLY_MOST = (uint64_t{1} << 36) - 1, KEYS_MOST = uint64_t{1} << 40;

// False: the tally does not support such elements.
static bool find_layout(enum gsi_ladder_type type, gsi_layout *layout)
{
    static const char *const names[] = {"u32", "u64", "i32", "i64", "f32", "f64"};
    if (type >= sizeof names / sizeof names[0])
        return false;
    *layout = gsi_layout_make(gsi_key_type_find(names[type]), false);
    return true;
}

size_t gsi_production_reduce_bytes(enum gsi_ladder_type type, uint64_t)
{
    gsi_layout layout;
    return find_layout(type, &layout) ? gsi_cuda_tally_bytes(&layout) : 0;
}

cudaError_t gsi_production_reduce(enum gsi_ladder_type type, enum gsi_ladder_operation,
                                  const void *in, uint64_t n, void *scratch, cudaStream_t stream)
{
    gsi_layout layout;
    if (!find_layout(type, &layout) || n > TALLY_MOST)
        return cudaErrorInvalidValue;
    gsi_cuda_tally *const tally = static_cast<gsi_cuda_tally *>(scratch);
    GSI_CUDA_TRY(gsi_cuda_tally_clear(&layout, tally, stream));
    return n == 0 ? cudaSuccess : gsi_cuda_tally_add_lean(&layout, tally, in, n, nullptr, stream);
}

// Returns an element in 64 bits, like the other rungs.
static uint64_t widen(const gsi_layout *layout, const uint8_t *element)
{
    uint64_t bits = 0;
    memcpy(&bits, element, layout->element_bytes);
    if (layout->element_bytes == 8)
        return bits;
    if (layout->type->kind == GSI_KEY_SIGNED)
        return static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(bits)));
    if (layout->type->kind == GSI_KEY_FLOAT) {
        float narrow;
        memcpy(&narrow, &bits, sizeof narrow);
        const double wide = narrow;
        memcpy(&bits, &wide, sizeof bits);
    }
    return bits;
}

static uint64_t value_of(const gsi_layout *layout, enum gsi_ladder_operation operation,
                         const gsi_tally_report &tally)
{
    if (operation != GSI_LADDER_SUM)
        return widen(layout, operation == GSI_LADDER_MIN ? tally.min : tally.max);
    uint64_t bits = tally.sum[0];
    if (layout->type->kind == GSI_KEY_FLOAT)
        memcpy(&bits, &tally.sum_float, sizeof bits);
    return bits;
}

cudaError_t gsi_production_reduce_result(enum gsi_ladder_type type,
                                         enum gsi_ladder_operation operation, const void *scratch,
                                         cudaStream_t stream, uint64_t *value)
{
    gsi_layout layout;
    void *staging = nullptr;
    if (!find_layout(type, &layout))
        return cudaErrorInvalidValue;
    gsi_tally *const host = gsi_tally_create(&layout);
    cudaError_t error = host != nullptr ? cudaSuccess : cudaErrorMemoryAllocation;
    if (error == cudaSuccess)
        error = cudaMallocHost(&staging, gsi_cuda_tally_bytes(&layout));
    if (error == cudaSuccess)
        error = gsi_cuda_tally_fetch(&layout, static_cast<const gsi_cuda_tally *>(scratch), staging,
                                     stream);
    if (error == cudaSuccess)
        error = cudaStreamSynchronize(stream);
    if (error == cudaSuccess) {
        gsi_cuda_tally_join(&layout, staging, host);
        *value = value_of(&layout, operation, gsi_tally_finish(host));
    }
    if (staging != nullptr)
        (void)cudaFreeHost(staging);
    gsi_tally_free(host);
    return error;
}

// ---- merges and sorts ----

// Returns the kernels of a type, ready to run, or nullptr.
static const gsi_sort_kernels *find_kernels(enum gsi_ladder_type type)
{
    if (type > GSI_LADDER_U64)
        return nullptr;
    static const cudaError_t prepared[] = {gsi_sort_kernels_4.prepare(),
                                           gsi_sort_kernels_8.prepare()};
    if (prepared[type] != cudaSuccess)
        return nullptr;
    return type == GSI_LADDER_U32 ? &gsi_sort_kernels_4 : &gsi_sort_kernels_8;
}

size_t gsi_production_merge_bytes(enum gsi_ladder_type type, uint64_t n)
{
    const gsi_sort_kernels *const kernels = find_kernels(type);
    if (kernels == nullptr)
        return 0;
    const size_t merge = kernels->merge_scratch_bytes(n, 2), sort = kernels->chunk_scratch_bytes(n);
    return merge > sort ? merge : sort;
}

cudaError_t gsi_production_merge(enum gsi_ladder_type type, const void *a, uint64_t m,
                                 const void *b, uint64_t n, void *out, struct gsi_merge_shape,
                                 void *scratch, cudaStream_t stream)
{
    const gsi_sort_kernels *const kernels = find_kernels(type);
    const gsi_slice slices[] = {{a, m}, {b, n}};
    if (kernels == nullptr || m + n > KEYS_MOST)
        return cudaErrorInvalidValue;
    return kernels->merge(slices, 2, out, nullptr, scratch, nullptr, nullptr, stream);
}

cudaError_t gsi_production_sort(enum gsi_ladder_type type, void *keys, void *spare, uint64_t n,
                                struct gsi_merge_shape, void *scratch, cudaStream_t stream,
                                void **sorted)
{
    const gsi_sort_kernels *const kernels = find_kernels(type);
    if (kernels == nullptr || n > KEYS_MOST)
        return cudaErrorInvalidValue;
    return kernels->chunk_sort(keys, spare, n, scratch, nullptr, stream, sorted);
}
