// words.cu: implements the kernels of words.cuh. A thread has an integer record in registers. It
// selects the record's bytes four at a time, from eight bytes each.
#include "kernels/record/words.cuh"

#include "kernels/common/launch.cuh"
#include "kernels/record/seen.cuh"

#include "element/record/record_mix.h"
#include "element/width.h"

constexpr uint32_t THREADS = GSI_TALLY_THREADS;
constexpr uint32_t MOST_BLOCKS = 2048; // each adds to the same numbers once

// Four bytes of a result: bytes set in is_low are selected from the lower eight bytes of the input,
// the others from the upper eight. Selectors have the format of __byte_perm.
struct word_lane {
    uint32_t low, high, is_low, flip;
};

struct words_job {
    void *words;
    uint64_t count;
    word_lane lanes[4];
    gsi_word_part parts[GSI_WORD_PARTS_MAX];
    uint32_t part_count;
    bool is_stored;
    gsi_records_seen *seen;
};

template <class Word> struct word_bytes {
    static constexpr uint32_t lane_count = sizeof(Word) / 4;
    static constexpr uint32_t half_count = sizeof(Word) < 8 ? 1 : sizeof(Word) / 8;
};

template <class Word> __device__ Word shuffled(const words_job &job, Word from)
{
    constexpr uint32_t LANES = word_bytes<Word>::lane_count;
    uint32_t in[4] = {}, out[LANES];
    memcpy(in, &from, sizeof from);
    for (uint32_t i = 0; i < LANES; i++) {
        const word_lane &lane = job.lanes[i];
        const uint32_t low = __byte_perm(in[0], in[1], lane.low);
        const uint32_t high = LANES > 2 ? __byte_perm(in[2], in[3], lane.high) : 0;
        out[i] = ((low & lane.is_low) | (high & ~lane.is_low)) ^ lane.flip;
    }
    Word to;
    memcpy(&to, out, sizeof to);
    return to;
}

template <bool IS_BACK, class Word> __device__ Word mapped(const words_job &job, Word word)
{
    uint64_t halves[2] = {};
    memcpy(halves, &word, sizeof word);
    for (uint32_t i = 0; i < job.part_count; i++) {
        const gsi_word_part &part = job.parts[i];
        if (word_bytes<Word>::half_count > 1 && part.half > 0)
            halves[1] = gsi_word_part_map(&part, halves[1], IS_BACK);
        else
            halves[0] = gsi_word_part_map(&part, halves[0], IS_BACK);
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
__global__ void __launch_bounds__(THREADS) words_kernel(words_job job)
{
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * THREADS;
    Word *const words = static_cast<Word *>(job.words);
    gsi_records_part part = {};
    for (uint64_t i = static_cast<uint64_t>(blockIdx.x) * THREADS + threadIdx.x; i < job.count;
         i += step) {
        const Word from = words[i];
        const Word to = IS_BACK ? shuffled(job, mapped<true>(job, from))
                                : mapped<false>(job, shuffled(job, from));
        part.fingerprint += mix(IS_BACK ? to : from);
        if (job.is_stored)
            words[i] = to;
    }
    part = gsi_block_join(part);
    if (threadIdx.x == 0)
        gsi_seen_add(job.seen, part);
}

// Computes the lanes of one direction: byte i is byte from[i] of the input.
static void make_lanes(words_job *job, const gsi_record_word *word, bool is_back)
{
    const uint8_t *const from = is_back ? word->to : word->from;
    for (uint32_t i = 0; i < word->element_bytes; i++) {
        word_lane *const lane = &job->lanes[i / 4];
        const uint32_t at = i % 4;
        (from[i] < 8 ? lane->low : lane->high) |= static_cast<uint32_t>(from[i] % 8) << 4 * at;
        lane->is_low |= from[i] < 8 ? 0xffu << 8 * at : 0;
        lane->flip |= static_cast<uint32_t>(word->flip[is_back ? from[i] : i]) << 8 * at;
    }
}

template <bool IS_BACK>
static cudaError_t launch(const gsi_record_word *word, void *words, uint64_t n, bool is_stored,
                          gsi_records_seen *seen, cudaStream_t stream)
{
    words_job job = {};
    if (n == 0)
        return cudaSuccess;
    job.words = words;
    job.count = n;
    job.part_count = word->part_count;
    job.is_stored = is_stored;
    job.seen = seen;
    memcpy(job.parts, word->parts, sizeof job.parts);
    make_lanes(&job, word, IS_BACK);
    const uint64_t blocks = (n + THREADS - 1) / THREADS;
    return gsi_launch(GSI_BY_WIDTH(word->key_bytes, (words_kernel<uint32_t, IS_BACK>),
                                   (words_kernel<uint64_t, IS_BACK>),
                                   (words_kernel<gsi_u128, IS_BACK>)),
                      dim3(static_cast<uint32_t>(blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS)),
                      dim3(THREADS), 0, stream, job);
}

cudaError_t gsi_cuda_words_of(const gsi_record_word *word, void *elements, uint64_t n,
                              gsi_records_seen *seen, cudaStream_t stream)
{
    return launch<false>(word, elements, n, true, seen, stream);
}

cudaError_t gsi_cuda_words_to(const gsi_record_word *word, void *words, uint64_t n,
                              bool to_elements, gsi_records_seen *seen, cudaStream_t stream)
{
    GSI_CUDA_TRY(cudaMemsetAsync(seen, 0, sizeof *seen, stream));
    return launch<true>(word, words, n, to_elements, seen, stream);
}
