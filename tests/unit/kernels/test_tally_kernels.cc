// test_tally_kernels.cc: compares the GPU's passes over elements with the host's, on the emulated
// GPU or a real one. Run: build/dev/tests/test_tally_kernels
#include "support/device_test.h"

#include "element/layout.h"
#include "element/tally/digest.h"
#include "element/tally/exact_sum.h"
#include "element/tally/tally_sums.h"

#include "kernels/tally/tally.cuh"
#include "kernels/tally/tally_words.cuh"

// More than twice the tiles that the emulated GPU has blocks for, so that some blocks have two and
// some have three; and a bit.
constexpr uint64_t MOST_TILES = 17, MOST_BYTES = MOST_TILES * GSI_TALLY_TILE_BYTES + 5 * 16;
constexpr uint8_t GUARD = 0xa5;
constexpr uint64_t GUARD_BYTES = 32;

enum fill { RANDOM, EQUAL, ZEROS, EXTREMES, CANCELLING, NARROW, FILL_COUNT };

alignas(16) static uint8_t data[MOST_BYTES], expected[MOST_BYTES], got[MOST_BYTES + 64];

static uint64_t random_of_width(struct test_random *random, uint32_t bytes)
{
    return bytes == 4 ? test_next(random) >> 32 : test_next(random);
}

static uint64_t float_bits(uint32_t bytes, double x)
{
    const float single = static_cast<float>(x);
    uint64_t bits = 0;
    if (bytes == 4)
        memcpy(&bits, &single, sizeof single);
    else
        memcpy(&bits, &x, sizeof x);
    return bits;
}

// Element i, of at most 8 bytes; of floats, what CANCELLING makes is +x and -x in turn, of any
// exponent, and a little that is left.
static uint64_t make_element(const struct gsi_key_type *type, enum fill fill, uint64_t i,
                             struct test_random *random)
{
    const uint32_t bytes = type->bytes == 4 ? 4 : 8;
    const uint64_t sign = static_cast<uint64_t>(1) << (8 * bytes - 1);
    const uint64_t infinity = bytes == 4 ? 0x7f800000 : 0x7ff0000000000000;
    const uint64_t specials[] = {0,
                                 sign,
                                 infinity,
                                 infinity | sign,
                                 infinity + 1,
                                 sign - 1,
                                 1,
                                 sign + 1,
                                 infinity | sign | 1,
                                 ~sign & (sign - 2),
                                 infinity - 1,
                                 (infinity - 1) | sign};
    static uint64_t last;
    switch (fill) {
    case EQUAL:
        return type->kind == GSI_KEY_FLOAT ? float_bits(bytes, -0.1) : sign | 12345;
    case ZEROS:
        return test_next(random) >> 63 ? sign : 0;
    case EXTREMES:
        return specials[test_below(random, sizeof specials / sizeof specials[0])];
    case CANCELLING:
        if (i % 64 == 63)
            return 3;
        last = i % 2 == 0 ? random_of_width(random, bytes) : last ^ sign;
        if (type->kind == GSI_KEY_FLOAT && (last & infinity) == infinity)
            last ^= infinity & (infinity >> 1);
        return last;
    case NARROW: // what the filters take
        return float_bits(bytes, static_cast<double>(test_next(random) >> 11) * 0x1p-53 - 0.25);
    default:
        return random_of_width(random, bytes);
    }
}

static void make_data(const struct gsi_key_type *type, enum fill fill, struct test_random *random)
{
    const uint32_t bytes = type->bytes == 4 ? 4 : 8;
    for (uint64_t i = 0; i < MOST_BYTES / bytes; i++) {
        const uint64_t bits = make_element(type, fill, i, random);
        memcpy(data + i * bytes, &bits, bytes);
    }
}

static bool same_tally(const struct gsi_tally_report *a, const struct gsi_tally_report *b,
                       bool with_fingerprint)
{
    return a->count == b->count && a->nan_count == b->nan_count &&
           a->positive_infinity_count == b->positive_infinity_count &&
           a->negative_infinity_count == b->negative_infinity_count &&
           a->negative_zero_count == b->negative_zero_count && a->has_extremes == b->has_extremes &&
           memcmp(a->min, b->min, 16) == 0 && memcmp(a->max, b->max, 16) == 0 &&
           memcmp(a->sum, b->sum, sizeof a->sum) == 0 &&
           memcmp(&a->sum_float, &b->sum_float, sizeof(double)) == 0 &&
           a->has_moments == b->has_moments && memcmp(&a->mean, &b->mean, sizeof(double)) == 0 &&
           memcmp(&a->variance, &b->variance, sizeof(double)) == 0 &&
           (!with_fingerprint || memcmp(a->fingerprint, b->fingerprint, 16) == 0);
}

// Device memory of a test, with guards around the elements; these begin `lead` bytes after a
// 16-byte boundary.
struct device_memory {
    cudaStream_t stream;
    uint8_t *elements;
    void *result, *staging;
    uint64_t lead;
};

static struct device_memory take_memory(size_t result_bytes, uint64_t lead)
{
    struct device_memory memory = {};
    memory.lead = GUARD_BYTES + lead;
    check_cuda(cudaStreamCreate(&memory.stream));
    check_cuda(cudaMalloc(&memory.elements, memory.lead + MOST_BYTES + GUARD_BYTES));
    check_cuda(cudaMemset(memory.elements, GUARD, memory.lead + MOST_BYTES + GUARD_BYTES));
    check_cuda(cudaMalloc(&memory.result, result_bytes));
    check_cuda(cudaMallocHost(&memory.staging, result_bytes));
    return memory;
}

static void give_memory(struct device_memory *memory)
{
    check_cuda(cudaFreeHost(memory->staging));
    check_cuda(cudaFree(memory->result));
    check_cuda(cudaFree(memory->elements));
    check_cuda(cudaStreamDestroy(memory->stream));
}

static void put_elements(const struct device_memory *memory, const void *from, uint64_t bytes)
{
    check_cuda(cudaMemcpyAsync(memory->elements + memory->lead, from, bytes, cudaMemcpyHostToDevice,
                               memory->stream));
}

// Returns whether the elements are `want`, and the guards unchanged.
static bool has_elements(const struct device_memory *memory, const void *want, uint64_t bytes)
{
    uint8_t guard[GUARD_BYTES];
    memset(guard, GUARD, sizeof guard);
    check_cuda(cudaMemcpyAsync(got, memory->elements + memory->lead - GUARD_BYTES,
                               bytes + 2 * GUARD_BYTES, cudaMemcpyDeviceToHost, memory->stream));
    check_cuda(cudaStreamSynchronize(memory->stream));
    return memcmp(got, guard, GUARD_BYTES) == 0 && memcmp(got + GUARD_BYTES, want, bytes) == 0 &&
           memcmp(got + GUARD_BYTES + bytes, guard, GUARD_BYTES) == 0;
}

// Counts n elements in up to three calls of random sizes; is_lean: by the lean kernel.
static void add_on_device(const struct gsi_layout *layout, const struct device_memory *memory,
                          uint64_t n, bool to_keys, bool is_lean, struct test_random *random)
{
    struct gsi_cuda_tally *const tally = static_cast<struct gsi_cuda_tally *>(memory->result);
    check_cuda(gsi_cuda_tally_clear(layout, tally, memory->stream));
    for (uint64_t at = 0, call = 0; call < 3; call++) {
        const uint64_t step = call == 2 ? n - at : test_below(random, n - at + 1);
        uint8_t *const elements = memory->elements + memory->lead + at * layout->element_bytes;
        const cudaStream_t stream = memory->stream;
        check_cuda(is_lean ? gsi_cuda_tally_add_lean(layout, tally, elements, step, nullptr, stream)
                           : gsi_cuda_tally_add(layout, tally, elements, step, to_keys, stream));
        at += step;
    }
    check_cuda(gsi_cuda_tally_fetch(layout, tally, memory->staging, memory->stream));
    check_cuda(cudaStreamSynchronize(memory->stream));
}

static void check_tally(const struct gsi_layout *layout, enum fill fill, uint64_t n,
                        struct test_random *random)
{
    const uint64_t bytes = n * layout->element_bytes;
    const bool to_keys = test_below(random, 4) > 0, is_lean = test_below(random, 4) == 0;
    const uint64_t lead = test_below(random, 16 / layout->element_bytes) * layout->element_bytes;
    struct device_memory memory = take_memory(gsi_cuda_tally_bytes(layout), lead);
    struct gsi_tally *host = gsi_tally_create(layout), *device = gsi_tally_create(layout);
    memcpy(expected, data, bytes);
    (to_keys && !is_lean ? gsi_tally_add_and_map(host, expected, n)
                         : gsi_tally_add(host, expected, n));
    put_elements(&memory, data, bytes);
    add_on_device(layout, &memory, n, to_keys, is_lean, random);
    gsi_cuda_tally_join(layout, memory.staging, device);
    const struct gsi_tally_report want = gsi_tally_finish(host), have = gsi_tally_finish(device);
    if (!same_tally(&want, &have, !is_lean) || !has_elements(&memory, expected, bytes))
        test_fail("%s%s, fill %d, %llu elements, lead %llu%s: tally or keys differ",
                  layout->type->name, layout->is_reversed ? " reversed" : "", fill,
                  static_cast<unsigned long long>(n), static_cast<unsigned long long>(lead),
                  is_lean ? ", lean" : "");
    gsi_tally_free(host);
    gsi_tally_free(device);
    give_memory(&memory);
}

// The sizes around warps, blocks and tiles; most of them.
static uint64_t size_at(uint32_t element_bytes, uint32_t i)
{
    const uint64_t tile = GSI_TALLY_TILE_BYTES / element_bytes;
    const uint64_t sizes[] = {0,
                              1,
                              2,
                              3,
                              31,
                              32,
                              33,
                              255,
                              256,
                              257,
                              tile - 1,
                              tile,
                              tile + 1,
                              3 * tile + 5,
                              MOST_TILES * tile + 5};
    return i < sizeof sizes / sizeof sizes[0] ? sizes[i] : UINT64_MAX;
}

static void test_tally_kernels__every_type_size_and_fill__as_host(void **state)
{
    (void)state;
    struct test_random random = test_random_make(1);
    for (size_t t = 0; t < gsi_key_type_count; t++)
        for (int fill = 0; fill < FILL_COUNT; fill++) {
            make_data(&gsi_key_types[t], static_cast<enum fill>(fill), &random);
            for (uint32_t i = 0; size_at(gsi_key_types[t].bytes, i) != UINT64_MAX; i++)
                for (int is_reversed = 0; is_reversed < 2; is_reversed++) {
                    if (test_is_small() && (t + i + is_reversed) % 2 != 0)
                        continue;
                    struct gsi_layout layout = gsi_layout_make(&gsi_key_types[t], is_reversed);
                    gsi_layout_place_nans(&layout, static_cast<enum gsi_nan_place>(i % 3));
                    layout.has_moments = layout.element_bytes <= 8 && (i + fill) % 2 == 0;
                    check_tally(&layout, static_cast<enum fill>(fill),
                                size_at(layout.element_bytes, i), &random);
                }
        }
}

// Two streams at once, each with its accumulator, joined into one tally that has elements already.
static void test_tally_kernels__two_streams__joined(void **state)
{
    (void)state;
    struct test_random random = test_random_make(2);
    for (size_t t = 0; t < gsi_key_type_count; t++) {
        struct gsi_layout layout = gsi_layout_make(&gsi_key_types[t], false);
        layout.has_moments = layout.element_bytes <= 8;
        const uint64_t n = GSI_TALLY_TILE_BYTES / layout.element_bytes + 77;
        const uint64_t bytes = n * layout.element_bytes;
        make_data(layout.type, CANCELLING, &random);
        struct device_memory a = take_memory(gsi_cuda_tally_bytes(&layout), 0),
                             b = take_memory(gsi_cuda_tally_bytes(&layout), 0);
        struct gsi_tally *host = gsi_tally_create(&layout), *joined = gsi_tally_create(&layout);
        gsi_tally_add(host, data, n);
        gsi_tally_add(host, data + bytes, n);
        gsi_tally_add(host, data, 5);
        gsi_tally_add(joined, data, 5);
        put_elements(&a, data, bytes);
        put_elements(&b, data + bytes, bytes);
        add_on_device(&layout, &a, n, false, false, &random);
        add_on_device(&layout, &b, n, false, false, &random);
        gsi_cuda_tally_join(&layout, a.staging, joined);
        gsi_cuda_tally_join(&layout, b.staging, joined);
        const struct gsi_tally_report want = gsi_tally_finish(host),
                                      have = gsi_tally_finish(joined);
        if (!same_tally(&want, &have, true))
            test_fail("%s: two streams differ", layout.type->name);
        gsi_tally_free(host);
        gsi_tally_free(joined);
        give_memory(&a);
        give_memory(&b);
    }
}

static bool same_digest(const struct gsi_digest *a, const struct gsi_digest *b, uint32_t key_bytes)
{
    const bool has_disorder = a->disorder_idx != UINT64_MAX;
    return a->count == b->count && memcmp(a->fingerprint, b->fingerprint, 16) == 0 &&
           a->disorder_idx == b->disorder_idx && a->repeat_count == b->repeat_count &&
           (a->count == 0 || (memcmp(a->first_key, b->first_key, key_bytes) == 0 &&
                              memcmp(a->last_key, b->last_key, key_bytes) == 0)) &&
           (!has_disorder || (memcmp(a->before_key, b->before_key, key_bytes) == 0 &&
                              memcmp(a->after_key, b->after_key, key_bytes) == 0));
}

// Ascending keys, with neighbours that are equal.
static void make_keys(const struct gsi_layout *layout)
{
    for (uint64_t i = 0; i < MOST_BYTES / layout->key_bytes; i++) {
        uint64_t words[2] = {0x40000000 + 3 * (i / 2), 0};
        if (layout->key_bytes == 16)
            words[1] = i / 700; // sometimes only the low word decides, sometimes the high one
        memcpy(data + i * layout->key_bytes, words, layout->key_bytes);
    }
}

static void check_digest(const struct gsi_layout *layout, const struct device_memory *memory,
                         uint64_t n, bool to_elements, uint64_t disorder_idx)
{
    struct gsi_cuda_digest *const digest = static_cast<struct gsi_cuda_digest *>(memory->result);
    const uint64_t bytes = n * layout->key_bytes;
    struct gsi_digest want = {}, have = {};
    want.disorder_idx = have.disorder_idx = UINT64_MAX;
    memcpy(expected, data, bytes);
    (to_elements ? gsi_digest_add_unmap(layout, &want, expected, n)
                 : gsi_digest_add(layout, &want, expected, n));
    put_elements(memory, data, bytes);
    check_cuda(gsi_cuda_digest_make(layout, memory->elements + memory->lead, n, to_elements, digest,
                                    memory->stream));
    check_cuda(cudaMemcpyAsync(memory->staging, digest, gsi_cuda_digest_bytes(),
                               cudaMemcpyDeviceToHost, memory->stream));
    check_cuda(cudaStreamSynchronize(memory->stream));
    gsi_cuda_digest_join(layout, memory->staging, &have);
    if (want.disorder_idx != disorder_idx || !same_digest(&want, &have, layout->key_bytes) ||
        !has_elements(memory, expected, bytes))
        test_fail("%s%s, %llu keys, disorder at %llu: digest or elements differ (%llu)",
                  layout->type->name, layout->is_reversed ? " reversed" : "",
                  static_cast<unsigned long long>(n), static_cast<unsigned long long>(disorder_idx),
                  static_cast<unsigned long long>(have.disorder_idx));
}

static void test_digest_kernels__every_type_and_size__as_host(void **state)
{
    (void)state;
    struct test_random random = test_random_make(3);
    for (size_t t = 0; t < gsi_key_type_count; t++)
        for (int is_reversed = 0; is_reversed < 2; is_reversed++) {
            const struct gsi_layout layout = gsi_layout_make(&gsi_key_types[t], is_reversed);
            make_keys(&layout);
            for (uint32_t i = 0; size_at(layout.key_bytes, i) != UINT64_MAX; i++) {
                const uint64_t lead = test_below(&random, 16 / layout.key_bytes);
                struct device_memory memory =
                    take_memory(gsi_cuda_digest_bytes(), lead * layout.key_bytes);
                check_digest(&layout, &memory, size_at(layout.key_bytes, i), i % 3 > 0, UINT64_MAX);
                give_memory(&memory);
            }
        }
}

// A key below its predecessor at the edges of vectors, warps, rows and tiles, first and last; and a
// second one where the same thread looks next, which must not be found.
static void check_disorders(const struct gsi_layout *layout, uint64_t lead)
{
    const uint32_t bytes = layout->key_bytes;
    const uint64_t tile = GSI_TALLY_TILE_BYTES / bytes, row = tile / GSI_TALLY_ROWS, v = 16 / bytes;
    const uint64_t n = MOST_TILES * tile + 5, first = tile - lead; // the first of the second tile
    const uint64_t places[] = {1,
                               2,
                               2 * v - lead,
                               32 * v - lead,
                               33 * v - lead + 1,
                               row - lead,
                               first - 1,
                               first,
                               first + 1,
                               first + row,
                               first + tile,
                               first + 2 * tile,
                               first + 3 * tile + row - 1,
                               (MOST_TILES - 1) * tile + first,
                               (MOST_TILES - 1) * tile + first + 1,
                               n - 1};
    struct device_memory memory = take_memory(gsi_cuda_digest_bytes(), lead * bytes);
    for (const uint64_t place : places) {
        uint8_t saved[16], saved_second[16];
        const uint64_t second = place + tile < n ? place + tile : place;
        memcpy(saved, data + place * bytes, bytes);
        memcpy(saved_second, data + second * bytes, bytes);
        memset(data + place * bytes, 0, bytes);
        memset(data + second * bytes, 0, bytes);
        check_digest(layout, &memory, n, place % 2 > 0 || lead > 0, place);
        memcpy(data + second * bytes, saved_second, bytes);
        memcpy(data + place * bytes, saved, bytes);
    }
    give_memory(&memory);
}

static void test_digest_kernels__disorder_at_any_edge__is_found(void **state)
{
    (void)state;
    for (size_t t = 0; t < gsi_key_type_count; t++) {
        const struct gsi_layout layout = gsi_layout_make(&gsi_key_types[t], t % 2 > 0);
        make_keys(&layout);
        for (uint64_t lead = 0; lead < 16 / layout.key_bytes; lead++)
            check_disorders(&layout, lead);
    }
}

int main(void)
{
    if (!has_device())
        return NOT_RUN;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tally_kernels__every_type_size_and_fill__as_host),
        cmocka_unit_test(test_tally_kernels__two_streams__joined),
        cmocka_unit_test(test_digest_kernels__every_type_and_size__as_host),
        cmocka_unit_test(test_digest_kernels__disorder_at_any_edge__is_found),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
