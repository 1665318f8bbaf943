// test_planes_kernels.cc: compares the GPU's byte planes with the host's, on the emulated GPU or a
// real one. Run: build/dev/tests/test_planes_kernels
#include "support/device_test.h"

#include "base/u128.h"
#include "run/planes.h"

#include "kernels/planes/planes.cuh"

#include <vector>

constexpr uint8_t GUARD = 0xa5;
constexpr uint64_t GUARD_BYTES = 64;

enum fill { EQUAL, NEAR, SPARSE, RANDOM, FILL_COUNT };

// Device memory with guards around it.
struct guarded {
    uint8_t *memory;
    uint64_t bytes;
    uint8_t *begin() const
    {
        return memory + GUARD_BYTES;
    }
};

static guarded take(uint64_t bytes)
{
    guarded taken = {nullptr, bytes};
    check_cuda(cudaMalloc(&taken.memory, bytes + 2 * GUARD_BYTES));
    check_cuda(cudaMemset(taken.memory, GUARD, bytes + 2 * GUARD_BYTES));
    return taken;
}

// Returns the contents, and frees them; the guards must be unchanged.
static std::vector<uint8_t> give(const guarded &taken)
{
    std::vector<uint8_t> bytes(taken.bytes + 2 * GUARD_BYTES);
    check_cuda(cudaMemcpy(bytes.data(), taken.memory, bytes.size(), cudaMemcpyDeviceToHost));
    check_cuda(cudaFree(taken.memory));
    for (uint64_t i = 0; i < GUARD_BYTES; i++)
        if (bytes[i] != GUARD || bytes[bytes.size() - 1 - i] != GUARD)
            test_fail("guard byte %llu is overwritten", static_cast<unsigned long long>(i));
    return {bytes.begin() + GUARD_BYTES, bytes.end() - GUARD_BYTES};
}

// Not sorted for RANDOM: planes take any keys. SPARSE: differences with zeros at both ends.
static std::vector<uint8_t> make_keys(enum fill fill, uint32_t key_bytes, uint64_t n,
                                      struct test_random *random)
{
    std::vector<uint8_t> keys(n * key_bytes);
    gsi_u128 key = test_next(random);
    for (uint64_t i = 0; i < n; i++) {
        key += fill == EQUAL    ? 0
               : fill == NEAR   ? test_below(random, 1000)
               : fill == SPARSE ? test_below(random, 200) << 8
                                : static_cast<gsi_u128>(test_next(random)) << 60;
        memcpy(&keys[i * key_bytes], &key, key_bytes);
    }
    return keys;
}

static void check_planes(uint32_t key_bytes, enum fill fill, uint64_t n, struct test_random *random)
{
    const std::vector<uint8_t> keys = make_keys(fill, key_bytes, n, random);
    const guarded device_keys = take(n * key_bytes), planes = take(n * key_bytes);
    const guarded device_found = take(sizeof(gsi_planes_found));
    cudaStream_t stream;
    gsi_planes_found found;
    check_cuda(cudaStreamCreate(&stream));
    check_cuda(cudaMemcpy(device_keys.begin(), keys.data(), keys.size(), cudaMemcpyHostToDevice));
    check_cuda(gsi_cuda_planes_split(key_bytes, device_keys.begin(), n, planes.begin(),
                                     reinterpret_cast<gsi_planes_found *>(device_found.begin()),
                                     stream));
    check_cuda(cudaStreamSynchronize(stream));
    memcpy(&found, give(device_found).data(), sizeof found);

    const gsi_planes want = gsi_planes_of(key_bytes, keys.data(), n);
    const gsi_planes have = gsi_planes_of_bits(key_bytes, found.differences);
    std::vector<uint8_t> want_planes(n * want.count + 1);
    gsi_planes_split(key_bytes, keys.data(), n, want, want_planes.data());
    want_planes.pop_back(); // so that it had an address
    const guarded unpacked = take(n * key_bytes);
    const guarded sums = take(gsi_cuda_planes_sums_bytes(key_bytes, n));
    // As they cross the link: the planes that are there, to an aligned place.
    const guarded crossed = take(n * have.count);
    check_cuda(cudaMemcpy(crossed.begin(), planes.begin() + have.first * n, n * have.count,
                          cudaMemcpyDeviceToDevice));
    check_cuda(gsi_cuda_planes_join(key_bytes, crossed.begin(), n, have.first, have.count,
                                    found.first_key, unpacked.begin(), sums.begin(), stream));
    check_cuda(cudaStreamSynchronize(stream));
    const bool has_ends = memcmp(found.first_key, &keys[0], key_bytes) == 0 &&
                          memcmp(found.last_key, &keys[(n - 1) * key_bytes], key_bytes) == 0;
    const std::vector<uint8_t> have_planes = give(crossed);
    if (want.first != have.first || want.count != have.count || !has_ends ||
        have_planes != want_planes)
        test_fail("%u bytes, fill %d, %llu keys: planes differ", key_bytes, fill,
                  static_cast<unsigned long long>(n));
    if (give(unpacked) != keys)
        test_fail("%u bytes, fill %d, %llu keys: joined keys differ", key_bytes, fill,
                  static_cast<unsigned long long>(n));
    give(device_keys);
    give(planes);
    give(sums);
    check_cuda(cudaStreamDestroy(stream));
}

// The sizes around a thread's keys, a warp's, a block's and a few tiles.
static void test_planes_kernels__any_keys_and_size__as_host(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {1,    2,    3,    4,    5,    16,   31,    127,   128,  129,
                                     1023, 1024, 1025, 4095, 4096, 4097, 12288, 13001, 13004};
    struct test_random random = test_random_make(1);
    for (uint32_t key_bytes = 4; key_bytes <= 16; key_bytes *= 2)
        for (int fill = 0; fill < FILL_COUNT; fill++)
            for (uint64_t n : sizes)
                check_planes(key_bytes, static_cast<enum fill>(fill), n, &random);
}

// More tiles than a block has threads, whose sums each block adds up.
static void test_planes_kernels__many_tiles__as_host(void **state)
{
    (void)state;
    struct test_random random = test_random_make(2);
    check_planes(4, NEAR, 4096 * 260 + 17, &random);
}

int main(void)
{
    if (!has_device())
        return NOT_RUN;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planes_kernels__any_keys_and_size__as_host),
        cmocka_unit_test(test_planes_kernels__many_tiles__as_host),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
