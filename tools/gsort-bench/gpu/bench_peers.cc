// bench_peers.cc: merges runs on two GPUs, in their memory alone.
//
// GPU 0 [ a ] [ gathered ] --merge--> [ window ]      windows 0, 2, ..
//           \______/ link
// GPU 1 [ b ] [ gathered ] --merge--> [ window ]      windows 1, 3, ..
//
// Key i of both arrays is below key i + 1 of either. So each window has as many keys of both, and
// no cut is necessary to find them.
#include "bench_peers.h"

#include "base/clock.h"
#include "element/key_order.h"
#include "kernels/sort/sort_kernels.h"

#include <cstdlib>
#include <vector>

namespace
{

constexpr uint64_t ARRAY_KEYS = uint64_t(1) << 26;  // 512 MiB on each GPU
constexpr uint64_t WINDOW_KEYS = uint64_t(1) << 22; // 32 MiB
constexpr uint64_t KEY_STEP = uint64_t(1) << 37;    // room for the keys of both between two
constexpr uint32_t WINDOWS = 2 * ARRAY_KEYS / WINDOW_KEYS;

struct member {
    uint64_t *keys, *gathered, *window;
    void *scratch;
    cudaStream_t stream;
};

const gsi_sort_kernels *const kernels = &gsi_sort_kernels_8;

} // namespace

struct bench_peers {
    member members[2];
};

static enum gs_status open_member(bench_peers *peers, int index, gs_error *error)
{
    member *one = &peers->members[index];
    std::vector<uint64_t> keys(ARRAY_KEYS);
    for (uint64_t i = 0; i < ARRAY_KEYS; i++)
        keys[i] = i * KEY_STEP + gsi_mix_u64(2 * i + static_cast<uint64_t>(index)) % KEY_STEP;
    CUDA_TRY("GPU", cudaSetDevice(index));
    CUDA_TRY("kernels", kernels->prepare());
    CUDA_TRY("memory of the GPU", cudaMalloc(&one->keys, ARRAY_KEYS * sizeof *one->keys));
    CUDA_TRY("memory of the GPU", cudaMalloc(&one->gathered, WINDOW_KEYS / 2 * sizeof *one->keys));
    CUDA_TRY("memory of the GPU", cudaMalloc(&one->window, WINDOW_KEYS * sizeof *one->keys));
    CUDA_TRY("memory of the GPU",
             cudaMalloc(&one->scratch, kernels->merge_scratch_bytes(WINDOW_KEYS, 2)));
    CUDA_TRY("stream", cudaStreamCreateWithFlags(&one->stream, cudaStreamNonBlocking));
    CUDA_TRY("copy", cudaMemcpy(one->keys, keys.data(), ARRAY_KEYS * sizeof *one->keys,
                                cudaMemcpyHostToDevice));
    return GS_OK;
}

enum gs_status bench_peers_open(bench_peers **out, gs_error *error)
{
    *out = static_cast<bench_peers *>(calloc(1, sizeof **out));
    if (*out == nullptr)
        return gsi_fail(error, GS_E_MEMORY, 0, "out of memory: cannot allocate the bench");
    for (int i = 0; i < 2; i++)
        STATUS_TRY(open_member(*out, i, error));
    return GS_OK;
}

void bench_peers_close(bench_peers *peers)
{
    for (int i = 0; peers != nullptr && i < 2; i++) {
        cudaSetDevice(i);
        for (void *memory :
             {static_cast<void *>(peers->members[i].keys),
              static_cast<void *>(peers->members[i].gathered),
              static_cast<void *>(peers->members[i].window), peers->members[i].scratch})
            cudaFree(memory);
        if (peers->members[i].stream != nullptr)
            cudaStreamDestroy(peers->members[i].stream);
    }
    free(peers);
}

// Queue what member `index` does for window w.
static enum gs_status queue_window(const bench_peers *peers, int index, uint32_t w, bool is_merged,
                                   gs_error *error)
{
    const member *one = &peers->members[index], *other = &peers->members[1 - index];
    const uint64_t half = WINDOW_KEYS / 2, at = w * half;
    const gsi_slice there = {other->keys + at, half};
    CUDA_TRY("gather", kernels->gather(&there, 1, one->gathered, one->stream));
    const gsi_slice slices[] = {{one->keys + at, half}, {one->gathered, half}};
    if (is_merged)
        CUDA_TRY("merge", kernels->merge(slices, 2, one->window, nullptr, one->scratch, nullptr,
                                         nullptr, one->stream));
    return GS_OK;
}

static enum gs_status measure(const bench_peers *peers, bool is_merged, bench_row *row,
                              gs_error *error)
{
    const uint64_t begin_ns = gsi_clock_ns();
    for (uint32_t w = 0; w < WINDOWS; w++) {
        CUDA_TRY("GPU", cudaSetDevice(static_cast<int>(w % 2)));
        STATUS_TRY(queue_window(peers, static_cast<int>(w % 2), w, is_merged, error));
    }
    for (const member &one : peers->members)
        CUDA_TRY("merge", cudaStreamSynchronize(one.stream));
    const uint64_t bytes = 2 * ARRAY_KEYS * sizeof(uint64_t);
    bench_row_sample(row, is_merged ? bytes : bytes / 2, gsi_clock_ns() - begin_ns);
    return GS_OK;
}

// The last window of each member is in order, and has the highest keys of both.
static enum gs_status check(const bench_peers *peers, const bench_row *row, gs_error *error)
{
    std::vector<uint64_t> keys(WINDOW_KEYS);
    for (int i = 0; i < 2; i++) {
        const uint64_t first = (WINDOWS - 2 + static_cast<uint64_t>(i)) * WINDOW_KEYS / 2;
        CUDA_TRY("GPU", cudaSetDevice(i));
        CUDA_TRY("copy", cudaMemcpy(keys.data(), peers->members[i].window,
                                    WINDOW_KEYS * sizeof keys[0], cudaMemcpyDeviceToHost));
        for (uint64_t k = 0; k < WINDOW_KEYS; k++)
            if (keys[k] / KEY_STEP != first + k / 2 || (k > 0 && keys[k - 1] > keys[k]))
                return gsi_fail(error, GS_E_VERIFY, 0, "%s: the output is wrong", row->name);
    }
    return GS_OK;
}

enum gs_status bench_peers_gather(bench_peers *peers, bench_row *row, gs_error *error)
{
    return measure(peers, false, row, error);
}

enum gs_status bench_peers_merge(bench_peers *peers, bench_row *row, gs_error *error)
{
    STATUS_TRY(measure(peers, true, row, error));
    return check(peers, row, error);
}
