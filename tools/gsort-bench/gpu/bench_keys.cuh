// bench_keys.cuh: makes, digests and rearranges the keys that bench_kernels.cu sorts. This happens
// on the device and is not timed, so none of it is tuned.
#ifndef BENCH_KEYS_CUH
#define BENCH_KEYS_CUH

#include "element/key_order.h"
#include "element/number_type.h"

#include "kernels/sort/tile_policy.cuh"

#include <cuda_runtime.h>

enum pattern { RANDOM, SORTED, REVERSE, EQUAL, FEW, ORGAN_PIPE };

// Tags are keys of 16 bytes; pairs are the same, n high words, then n low words.
enum form { WORDS_4, WORDS_8, TAGS, PAIRS };

// n elements, or the keys that they map to.
struct view {
    void *data;
    uint64_t n;
    enum form form;
    enum gsi_key_kind kind;
    bool is_raw; // elements, not keys
    gsi_key_map map;
};

struct digest {
    unsigned long long disorder_count; // keys below the one before; of pairs, high words alone
    unsigned long long key_sum;        // of all keys' mixes
};

static __device__ gsi_u128 load_key(const view &v, uint64_t i)
{
    const uint64_t *const words = static_cast<const uint64_t *>(v.data);
    switch (v.form) {
    case WORDS_4: {
        const uint32_t word = static_cast<const uint32_t *>(v.data)[i];
        return v.is_raw ? gsi_key_of_u32(v.map, word) : word;
    }
    case WORDS_8:
        return v.is_raw ? gsi_key_of_u64(v.map, words[i]) : words[i];
    case TAGS:
        return static_cast<const gsi_u128 *>(v.data)[i];
    default:
        return static_cast<gsi_u128>(words[i]) << 64 | words[v.n + i];
    }
}

// Element i: the number x, scaled if it is random bits; of a tag, its high word.
static __device__ void store_number(const view &v, uint64_t i, uint64_t x, bool is_random)
{
    uint64_t *const words = static_cast<uint64_t *>(v.data);
    if (v.form == TAGS) {
        words[2 * i] = gsi_mix_u64(x);
        words[2 * i + 1] = x;
    } else if (v.form == PAIRS) {
        words[i] = x;
        words[v.n + i] = gsi_mix_u64(x);
    } else if (v.form == WORDS_8) {
        if (v.kind == GSI_KEY_FLOAT) {
            const int64_t number = static_cast<int64_t>(x);
            x = static_cast<uint64_t>(__double_as_longlong(
                is_random ? static_cast<double>(number) * 0x1p-32 : static_cast<double>(number)));
        }
        words[i] = v.is_raw ? x : gsi_key_of_u64(v.map, x);
    } else {
        uint32_t word = static_cast<uint32_t>(is_random ? x >> 32 : x);
        if (v.kind == GSI_KEY_FLOAT) {
            const float number = static_cast<float>(static_cast<int32_t>(word));
            word = __float_as_uint(is_random ? number * 0x1p-16f : number);
        }
        static_cast<uint32_t *>(v.data)[i] = v.is_raw ? word : gsi_key_of_u32(v.map, word);
    }
}

// fill_keys, digest_keys, split_tags: any grid and block. digest_keys adds to *out; split_tags
// makes pairs of as many tags.
static __global__ void fill_keys(view v, enum pattern pattern, uint64_t seed)
{
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * blockDim.x;
    for (uint64_t i = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < v.n;
         i += step) {
        const uint64_t random = gsi_mix_u64(gsi_mix_u64(seed) + i);
        const uint64_t number = pattern == RANDOM    ? random
                                : pattern == SORTED  ? i
                                : pattern == REVERSE ? v.n - i
                                : pattern == EQUAL   ? 7
                                : pattern == FEW     ? random % 5
                                                     : (i < v.n / 2 ? i : v.n - i);
        store_number(v, i, number, pattern == RANDOM);
    }
}

static __global__ void digest_keys(view v, digest *out)
{
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * blockDim.x;
    const int ignored_bits = v.form == PAIRS ? 64 : 0;
    digest mine = {};
    for (uint64_t i = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < v.n;
         i += step) {
        const gsi_u128 key = load_key(v, i), before = i > 0 ? load_key(v, i - 1) : 0;
        mine.disorder_count += key >> ignored_bits < before >> ignored_bits;
        mine.key_sum += gsi_mix_u128(static_cast<uint64_t>(key), static_cast<uint64_t>(key >> 64));
    }
    atomicAdd(&out->disorder_count, mine.disorder_count);
    atomicAdd(&out->key_sum, mine.key_sum);
}

static __global__ void split_tags(view pairs, view tags)
{
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * blockDim.x;
    uint64_t *const words = static_cast<uint64_t *>(pairs.data);
    for (uint64_t i = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < tags.n;
         i += step) {
        const gsi_u128 tag = load_key(tags, i);
        words[i] = static_cast<uint64_t>(tag >> 64);
        words[tags.n + i] = static_cast<uint64_t>(tag);
    }
}

#endif
