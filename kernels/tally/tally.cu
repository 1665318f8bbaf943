// tally.cu: launches the passes over elements: chooses the kernel and the number of blocks, and
// joins their results.
#include "element/tally/digest.h"
#include "element/width.h"
#include "kernels/tally/tally.cuh"

#include "kernels/common/launch.cuh"
#include "kernels/tally/tally_add.cuh"
#include "kernels/tally/tally_digest.cuh"
#include "kernels/tally/tally_squares.cuh"

static_assert(sizeof(gsi_tally_partial) == 128, "parts are whole cache lines");
static_assert(sizeof(gsi_key_map) == 5 * 8, "map fields");

typedef void (*add_kernel)(gsi_tally_job job, gsi_cuda_tally *tally);
typedef void (*squares_kernel)(gsi_tally_job job, gsi_cuda_squares *squares);
typedef void (*digest_kernel)(gsi_tally_job job, gsi_cuda_digest *digest);

static bool is_float(const struct gsi_layout *layout)
{
    return layout->type->kind == GSI_KEY_FLOAT;
}

template <gsi_key_kind KIND, bool is_lean>
static add_kernel choose_add_of(const struct gsi_layout *layout)
{
    if constexpr (KIND == GSI_KEY_FLOAT)
        return GSI_BY_WORD(layout->element_bytes, (gsi_tally_add_kernel<uint32_t, KIND, is_lean>),
                           (gsi_tally_add_kernel<uint64_t, KIND, is_lean>));
    else
        return GSI_BY_WIDTH(layout->element_bytes, (gsi_tally_add_kernel<uint32_t, KIND, is_lean>),
                            (gsi_tally_add_kernel<uint64_t, KIND, is_lean>),
                            (gsi_tally_add_kernel<gsi_u128, KIND, is_lean>));
}

template <bool is_lean> static add_kernel choose_add(const struct gsi_layout *layout)
{
    switch (layout->type->kind) {
    case GSI_KEY_FLOAT:
        return choose_add_of<GSI_KEY_FLOAT, is_lean>(layout);
    case GSI_KEY_SIGNED:
        return choose_add_of<GSI_KEY_SIGNED, is_lean>(layout);
    default:
        return choose_add_of<GSI_KEY_UNSIGNED, is_lean>(layout);
    }
}

template <gsi_key_kind KIND>
static squares_kernel choose_squares_of(const struct gsi_layout *layout)
{
    return GSI_BY_WORD(layout->element_bytes, (gsi_tally_squares_kernel<uint32_t, KIND>),
                       (gsi_tally_squares_kernel<uint64_t, KIND>));
}

static squares_kernel choose_squares(const struct gsi_layout *layout)
{
    switch (layout->type->kind) {
    case GSI_KEY_FLOAT:
        return choose_squares_of<GSI_KEY_FLOAT>(layout);
    case GSI_KEY_SIGNED:
        return choose_squares_of<GSI_KEY_SIGNED>(layout);
    default:
        return choose_squares_of<GSI_KEY_UNSIGNED>(layout);
    }
}

static digest_kernel choose_digest(const struct gsi_layout *layout)
{
    return GSI_BY_WIDTH(layout->key_bytes, gsi_digest_kernel<uint32_t>, gsi_digest_kernel<uint64_t>,
                        gsi_digest_kernel<gsi_u128>);
}

// If elements and keys have the same bits, the job stores nothing.
static gsi_tally_job make_job(const struct gsi_layout *layout, const void *words, uint64_t n,
                              bool is_mapped)
{
    const struct gsi_key_map map = layout->map;
    const uintptr_t address = reinterpret_cast<uintptr_t>(words), before = address % 16;
    gsi_tally_job job = {};
    job.map = map;
    job.base = reinterpret_cast<void *>(address - before);
    job.begin = before / layout->element_bytes;
    job.end = job.begin + n;
    job.is_stored = is_mapped && (map.flip | map.sign | map.shift | map.invert) != 0;
    return job;
}

// Computes as many blocks as the device runs at once, but no more than there are tiles.
static cudaError_t count_blocks(const gsi_tally_job *job, uint32_t word_bytes, uint32_t *blocks)
{
    int device = 0, processors = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    const uint64_t tile_words = GSI_TALLY_TILE_BYTES / word_bytes;
    const uint64_t tiles = (job->end + tile_words - 1) / tile_words;
    uint64_t most = static_cast<uint64_t>(processors) * GSI_TALLY_BLOCKS_PER_SM;
    most = most < GSI_TALLY_MOST_BLOCKS ? most : GSI_TALLY_MOST_BLOCKS;
    *blocks = static_cast<uint32_t>(tiles < most ? tiles : most);
    return error;
}

// Squares, if a tally has them, follow the other counts.
static size_t squares_off(const struct gsi_layout *layout)
{
    return is_float(layout) ? sizeof(gsi_cuda_tally) : offsetof(gsi_cuda_tally, limbs);
}

size_t gsi_cuda_tally_bytes(const struct gsi_layout *layout)
{
    return squares_off(layout) + (layout->has_moments ? sizeof(gsi_cuda_squares) : 0);
}

cudaError_t gsi_cuda_tally_clear(const struct gsi_layout *layout, struct gsi_cuda_tally *tally,
                                 cudaStream_t stream)
{
    return cudaMemsetAsync(tally, 0, gsi_cuda_tally_bytes(layout), stream);
}

static cudaError_t launch_add(const struct gsi_layout *layout, add_kernel kernel,
                              const gsi_tally_job *job, struct gsi_cuda_tally *tally,
                              cudaStream_t stream)
{
    uint32_t blocks = 0;
    if (job->begin == job->end)
        return cudaSuccess;
    cudaError_t error = count_blocks(job, layout->element_bytes, &blocks);
    if (error == cudaSuccess && layout->has_moments) { // before keys replace the elements
        auto *const squares = reinterpret_cast<gsi_cuda_squares *>(
            reinterpret_cast<uint8_t *>(tally) + squares_off(layout));
        error =
            gsi_launch(choose_squares(layout), blocks, GSI_TALLY_THREADS, 0, stream, *job, squares);
    }
    if (error != cudaSuccess)
        return error;
    return gsi_launch(kernel, blocks, GSI_TALLY_THREADS, 0, stream, *job, tally);
}

cudaError_t gsi_cuda_tally_add(const struct gsi_layout *layout, struct gsi_cuda_tally *tally,
                               void *elements, uint64_t n, bool to_keys, cudaStream_t stream)
{
    const gsi_tally_job job = make_job(layout, elements, n, to_keys);
    return launch_add(layout, choose_add<false>(layout), &job, tally, stream);
}

cudaError_t gsi_cuda_tally_add_lean(const struct gsi_layout *layout, struct gsi_cuda_tally *tally,
                                    const void *elements, uint64_t n,
                                    const unsigned long long *kept, cudaStream_t stream)
{
    gsi_tally_job job = make_job(layout, elements, n, false);
    job.kept = kept;
    return launch_add(layout, choose_add<true>(layout), &job, tally, stream);
}

cudaError_t gsi_cuda_tally_fetch(const struct gsi_layout *layout,
                                 const struct gsi_cuda_tally *tally, void *staging,
                                 cudaStream_t stream)
{
    return cudaMemcpyAsync(staging, tally, gsi_cuda_tally_bytes(layout), cudaMemcpyDeviceToHost,
                           stream);
}

static gsi_u128 read_limb(const unsigned long long words[2])
{
    return static_cast<gsi_u128>(words[1]) << 64 | words[0];
}

void gsi_cuda_tally_join(const struct gsi_layout *layout, const void *staging,
                         struct gsi_tally *into)
{
    const gsi_cuda_tally *const tally = static_cast<const gsi_cuda_tally *>(staging);
    gsi_tally_partial total = {};
    for (const gsi_tally_partial &part : tally->parts)
        gsi_part_join(total, part);
    struct gsi_tally_sums sums = {};
    sums.count = total.count;
    sums.nans = total.nans;
    sums.positive_infinities = total.positive_infinities;
    sums.negative_infinities = total.negative_infinities;
    sums.negative_zeros = total.negative_zeros;
    sums.fingerprint = total.fingerprint;
    sums.sum[0] = total.sum[0];
    sums.sum[1] = total.sum[1];
    sums.min = ~total.min_inverted;
    sums.max = total.max;
    for (uint32_t i = 0; is_float(layout) && i < GSI_FLOAT_LIMBS; i++) {
        const gsi_u128 limb = read_limb(tally->limbs[i]);
        const bool is_negative = static_cast<bool>(limb >> 127);
        gsi_exact_fixed_add(sums.limbs, is_negative ? -limb : limb, 32 * i, is_negative);
    }
    gsi_tally_add_sums(into, &sums);
    if (!layout->has_moments)
        return;
    const auto *const squares = reinterpret_cast<const gsi_cuda_squares *>(
        static_cast<const uint8_t *>(staging) + squares_off(layout));
    gsi_u128 limbs[GSI_SQUARE_LIMBS];
    for (uint32_t i = 0; i < GSI_SQUARE_LIMBS; i++)
        limbs[i] = read_limb(squares->limbs[i]);
    gsi_tally_add_squares(into, limbs, GSI_SQUARE_LIMBS);
}

size_t gsi_cuda_digest_bytes(void)
{
    return sizeof(gsi_cuda_digest);
}

cudaError_t gsi_cuda_digest_make(const struct gsi_layout *layout, void *keys, uint64_t n,
                                 bool to_elements, struct gsi_cuda_digest *digest,
                                 cudaStream_t stream)
{
    const gsi_tally_job job = make_job(layout, keys, n, to_elements);
    uint32_t blocks = 0;
    if (n == 0)
        return cudaMemsetAsync(digest, 0, sizeof digest->piece_count, stream);
    const cudaError_t error = count_blocks(&job, layout->key_bytes, &blocks);
    if (error != cudaSuccess)
        return error;
    return gsi_launch(choose_digest(layout), blocks, GSI_TALLY_THREADS, 0, stream, job, digest);
}

// Stores a key in its little-endian bytes.
static void store_key(const struct gsi_layout *layout, uint8_t to[16], gsi_u128 key)
{
    memcpy(to, &key, layout->key_bytes);
}

void gsi_cuda_digest_join(const struct gsi_layout *layout, const void *staging,
                          struct gsi_digest *into)
{
    const gsi_cuda_digest *const digest = static_cast<const gsi_cuda_digest *>(staging);
    for (uint64_t i = 0; i < digest->piece_count; i++) {
        const gsi_block_digest &from = digest->pieces[i];
        struct gsi_digest piece = {};
        piece.count = from.count;
        piece.fingerprint[0] = static_cast<uint64_t>(from.fingerprint);
        piece.fingerprint[1] = static_cast<uint64_t>(from.fingerprint >> 64);
        piece.disorder_idx = from.disorder_idx;
        piece.repeat_count = from.repeat_count;
        store_key(layout, piece.first_key, from.first_key);
        store_key(layout, piece.last_key, from.last_key);
        store_key(layout, piece.before_key, from.before_key);
        store_key(layout, piece.after_key, from.after_key);
        gsi_digest_join_keys(layout, into, &piece);
    }
}
