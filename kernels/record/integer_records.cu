// integer_records.cu: implements the kernels of integer_records.cuh. A thread has an integer record
// in registers. It selects the record's bytes four at a time, from eight bytes each.
#include "kernels/record/integer_records.cuh"

#include "kernels/common/launch.cuh"
#include "kernels/record/seen.cuh"

#include "element/record/record_mix.h"
#include "element/width.h"

constexpr uint32_t THREADS = GSI_TALLY_THREADS;
constexpr uint32_t MOST_BLOCKS = 2048; // each adds to the same numbers once

// Four bytes of a result: bytes set in is_low are selected from the lower eight bytes of the input,
// the others from the upper eight. Selectors have the format of __byte_perm.
struct integer_lane {
    uint32_t low, high, is_low, flip;
};

struct integers_job {
    void *integers;
    uint64_t count;
    integer_lane lanes[4];
    gsi_integer_part parts[GSI_INTEGER_PARTS_MAX];
    uint32_t part_count;
    bool is_stored;
    gsi_records_seen *seen;
};

template <class Word> struct word_bytes {
    static constexpr uint32_t lane_count = sizeof(Word) / 4;
    static constexpr uint32_t half_count = sizeof(Word) < 8 ? 1 : sizeof(Word) / 8;
};

template <class Word> __device__ Word shuffled(const integers_job &job, Word from)
{
    constexpr uint32_t LANES = word_bytes<Word>::lane_count;
    uint32_t in[4] = {}, out[LANES];
    memcpy(in, &from, sizeof from);
    for (uint32_t i = 0; i < LANES; i++) {
        const integer_lane &lane = job.lanes[i];
        const uint32_t low = __byte_perm(in[0], in[1], lane.low);
        const uint32_t high = LANES > 2 ? __byte_perm(in[2], in[3], lane.high) : 0;
        out[i] = ((low & lane.is_low) | (high & ~lane.is_low)) ^ lane.flip;
    }
    Word to;
    memcpy(&to, out, sizeof to);
    return to;
}

template <bool IS_BACK, class Word> __device__ Word mapped(const integers_job &job, Word word)
{
    uint64_t halves[2] = {};
    memcpy(halves, &word, sizeof word);
    for (uint32_t i = 0; i < job.part_count; i++) {
        const gsi_integer_part &part = job.parts[i];
        if (word_bytes<Word>::half_count > 1 && part.half > 0)
            halves[1] = gsi_integer_part_map(&part, halves[1], IS_BACK);
        else
            halves[0] = gsi_integer_part_map(&part, halves[0], IS_BACK);
    }
    memcpy(&word, halves, sizeof word);
    return word;
}

template <class Word> __device__ uint64_t mix(const Word &record)
{
    uint8_t bytes[sizeof record];
    memcpy(bytes, &record, sizeof record);
    return gsi_mix_record(bytes, sizeof record);
}

template <class Word, bool IS_BACK>
__global__ void __launch_bounds__(THREADS) integers_kernel(integers_job job)
{
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * THREADS;
    Word *const integers = static_cast<Word *>(job.integers);
    gsi_records_partial part = {};
    for (uint64_t i = static_cast<uint64_t>(blockIdx.x) * THREADS + threadIdx.x; i < job.count;
         i += step) {
        const Word from = integers[i];
        const Word to = IS_BACK ? shuffled(job, mapped<true>(job, from))
                                : mapped<false>(job, shuffled(job, from));
        part.fingerprint += mix(IS_BACK ? to : from);
        if (job.is_stored)
            integers[i] = to;
    }
    part = gsi_block_join(part);
    if (threadIdx.x == 0)
        gsi_seen_add(job.seen, part);
}

// Computes the lanes of one direction: byte i is byte from[i] of the input.
static void make_lanes(integers_job *job, const gsi_integer_map *map, bool is_back)
{
    const uint8_t *const from = is_back ? map->to : map->from;
    for (uint32_t i = 0; i < map->element_bytes; i++) {
        integer_lane *const lane = &job->lanes[i / 4];
        const uint32_t at = i % 4;
        (from[i] < 8 ? lane->low : lane->high) |= static_cast<uint32_t>(from[i] % 8) << 4 * at;
        lane->is_low |= from[i] < 8 ? 0xffu << 8 * at : 0;
        lane->flip |= static_cast<uint32_t>(map->flip[is_back ? from[i] : i]) << 8 * at;
    }
}

template <bool IS_BACK>
static cudaError_t launch(const gsi_integer_map *map, void *integers, uint64_t n, bool is_stored,
                          gsi_records_seen *seen, cudaStream_t stream)
{
    integers_job job = {};
    if (n == 0)
        return cudaSuccess;
    job.integers = integers;
    job.count = n;
    job.part_count = map->part_count;
    job.is_stored = is_stored;
    job.seen = seen;
    memcpy(job.parts, map->parts, sizeof job.parts);
    make_lanes(&job, map, IS_BACK);
    const uint64_t blocks = (n + THREADS - 1) / THREADS;
    return gsi_launch(GSI_BY_WIDTH(map->key_bytes, (integers_kernel<uint32_t, IS_BACK>),
                                   (integers_kernel<uint64_t, IS_BACK>),
                                   (integers_kernel<gsi_u128, IS_BACK>)),
                      dim3(static_cast<uint32_t>(blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS)),
                      dim3(THREADS), 0, stream, job);
}

cudaError_t gsi_cuda_records_to_integers(const gsi_integer_map *map, void *elements, uint64_t n,
                                         gsi_records_seen *seen, cudaStream_t stream)
{
    return launch<false>(map, elements, n, true, seen, stream);
}

cudaError_t gsi_cuda_integers_to_records(const gsi_integer_map *map, void *integers, uint64_t n,
                                         bool to_elements, gsi_records_seen *seen,
                                         cudaStream_t stream)
{
    GSI_CUDA_TRY(cudaMemsetAsync(seen, 0, sizeof *seen, stream));
    return launch<true>(map, integers, n, to_elements, seen, stream);
}
