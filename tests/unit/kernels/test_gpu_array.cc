// test_gpu_array.cc: compares gs_cuda_sort and gs_cuda_argsort, on the emulated GPU or a real one,
// with gs_job_sort_array and gs_job_argsort_array on the CPU. Run: build/dev/tests/test_gpu_array
#include "gsort.h"

#include "support/device_test.h"
#include "support/gpu_steer.h"

#include <string>
#include <vector>

typedef std::vector<uint8_t> bytes;

constexpr uint8_t GUARD = 0xa5;
constexpr uint64_t GUARD_BYTES = 64;
constexpr uint64_t MOST = GPU_IS_EMULATED ? 4000 : 3000000; // elements

static cudaStream_t stream;

// ---- what is sorted ----

struct element_row {
    const char *type; // nullptr: records
    uint32_t bytes;
    std::vector<const char *> keys;
};

static const element_row rows[] = {
    {"uint8", 1, {}},
    {"int8", 1, {}},
    {"u16", 2, {}},
    {"i16be", 2, {}},
    {"f16", 2, {}},
    {"bf16", 2, {}},
    {"u32", 4, {}},
    {"i32", 4, {}},
    {"f32", 4, {}},
    {"f32be", 4, {}},
    {"u64", 8, {}},
    {"i64be", 8, {}},
    {"f64", 8, {}},
    {"time64", 8, {}},
    {"u128", 16, {}},
    {"i128be", 16, {}},
    {nullptr, 3, {"1:uint8"}},
    {nullptr, 8, {"4:f32", "0:u32:desc"}},
    {nullptr, 12, {"4:f64"}},
    {nullptr, 16, {"0:u64"}},
    {nullptr, 16, {"0:u128"}},
    {nullptr, 24, {"2:time64", "16:u32be:desc"}},
    {nullptr, 33, {"2:b29"}},
    {nullptr, 100, {"0:b10"}},
    {nullptr, 261, {}},
};

struct job {
    gs_job *made = gs_job_create();

    explicit job(const element_row &row, bool is_reversed)
    {
        if (row.type != nullptr)
            gs_job_set(made, "type", row.type);
        else
            gs_job_set_u64(made, "record", row.bytes);
        for (const char *key : row.keys)
            gs_job_add(made, "key", key);
        gs_job_set(made, "reverse", is_reversed ? "true" : "false");
    }

    ~job()
    {
        gs_job_free(made);
    }

    // The CPU is asked by the same job.
    void check(enum gs_status status) const
    {
        if (status != GS_OK)
            test_fail("%s", gs_job_error(made)->text);
    }
};

static std::string name_of(const element_row &row)
{
    return row.type != nullptr ? row.type : "records of " + std::to_string(row.bytes);
}

// Makes random bytes, few values, or values that share their first bytes.
static bytes make_elements(const element_row &row, uint64_t n, struct test_random *random)
{
    bytes data(n * row.bytes);
    const uint64_t likeness = test_below(random, 4);
    const uint64_t alike = test_below(random, row.bytes + 1);
    for (uint64_t i = 0; i < data.size(); i++) {
        const uint64_t dice = test_next(random) >> 20;
        data[i] = static_cast<uint8_t>(likeness == 0                            ? 7
                                       : likeness == 1 && i % row.bytes < alike ? 9
                                       : likeness == 2                          ? dice % 2 * 255
                                                                                : dice);
    }
    return data;
}

// ---- memory of the device ----

// `lead` bytes after a boundary of 256, guarded.
struct device_bytes {
    uint8_t *block, *data;
    uint64_t lead, count;
};

static device_bytes take(uint64_t count, uint64_t lead)
{
    device_bytes taken = {nullptr, nullptr, lead + 256, count};
    const uint64_t all = (taken.lead + count + GUARD_BYTES + 15) / 16 * 16;
    check_cuda(cudaMalloc(&taken.block, all));
    check_cuda(cudaMemset(taken.block, GUARD, all));
    check_cuda(cudaDeviceSynchronize()); // sorts run beside the default stream
    taken.data = taken.block + taken.lead;
    return taken;
}

static device_bytes put(const bytes &from, uint64_t lead)
{
    const device_bytes taken = take(from.size(), lead);
    check_cuda(cudaMemcpy(taken.data, from.data(), from.size(), cudaMemcpyHostToDevice));
    return taken;
}

static bytes fetch(const std::string &what, const device_bytes &taken)
{
    bytes all(taken.lead + taken.count + GUARD_BYTES);
    check_cuda(cudaMemcpy(all.data(), taken.block, all.size(), cudaMemcpyDeviceToHost));
    check_cuda(cudaFree(taken.block));
    for (uint64_t i = 0; i < all.size(); i++)
        if ((i < taken.lead || i >= taken.lead + taken.count) && all[i] != GUARD)
            test_fail("%s: wrote beyond its ends", what.c_str());
    return bytes(all.begin() + static_cast<long>(taken.lead), all.end() - GUARD_BYTES);
}

// Uses scratch of exactly the needed size at any address, or none.
static device_bytes take_scratch(const job &job, uint64_t data_bytes, bool is_argsort,
                                 struct test_random *random)
{
    uint64_t needed = 0;
    job.check(gs_cuda_scratch_bytes(job.made, data_bytes, is_argsort, &needed));
    if (test_below(random, 2) == 0)
        return {};
    return take(needed, test_below(random, 100));
}

static void give_scratch(const device_bytes &scratch)
{
    if (scratch.block != nullptr)
        fetch("scratch", scratch);
}

// ---- sorts ----

// Numbers are at multiples of their size, records anywhere.
static uint64_t random_lead(const element_row &row, struct test_random *random)
{
    return test_below(random, 2) == 0 ? 0
           : row.type == nullptr      ? test_below(random, 32)
                                      : test_below(random, 32 / row.bytes) * row.bytes;
}

static void check_sort(const element_row &row, uint64_t n, bool is_reversed,
                       struct test_random *random)
{
    const job job(row, is_reversed);
    bytes want = make_elements(row, n, random);
    const device_bytes data = put(want, random_lead(row, random));
    const device_bytes scratch = take_scratch(job, want.size(), false, random);
    gpu_seed(test_next(random));
    job.check(gs_cuda_sort(job.made, data.data, want.size(), stream, scratch.data, scratch.count));
    check_cuda(cudaStreamSynchronize(stream));
    give_scratch(scratch);
    gs_job_set(job.made, "device", "cpu");
    job.check(gs_job_sort_array(job.made, want.data(), want.size()));
    if (fetch(name_of(row), data) != want)
        test_fail("%s, %llu of them: not as the CPU sorts them", name_of(row).c_str(),
                  static_cast<unsigned long long>(n));
}

static void check_argsort(const element_row &row, uint64_t n, bool is_reversed,
                          struct test_random *random)
{
    const job job(row, is_reversed);
    bytes elements = make_elements(row, n, random);
    const bool is_short = test_below(random, 2) > 0;
    const uint32_t width = is_short ? 4 : 8;
    if (is_short)
        gs_job_set(job.made, "argsort", "u32");
    const device_bytes data = put(elements, random_lead(row, random));
    const device_bytes positions = take(n * width, width * test_below(random, 4));
    const device_bytes scratch = take_scratch(job, elements.size(), true, random);
    gpu_seed(test_next(random));
    job.check(gs_cuda_argsort(job.made, data.data, elements.size(), positions.data, stream,
                              scratch.data, scratch.count));
    check_cuda(cudaStreamSynchronize(stream));
    give_scratch(scratch);
    std::vector<uint64_t> want(n);
    gs_job_set(job.made, "argsort", nullptr);
    gs_job_set(job.made, "device", "cpu");
    job.check(gs_job_argsort_array(job.made, elements.data(), elements.size(), want.data()));
    const bytes got = fetch(name_of(row), positions);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t position = 0;
        memcpy(&position, &got[i * width], width);
        if (position != want[i])
            test_fail("%s, %llu of them: position %llu is %llu, not %llu", name_of(row).c_str(),
                      static_cast<unsigned long long>(n), static_cast<unsigned long long>(i),
                      static_cast<unsigned long long>(position),
                      static_cast<unsigned long long>(want[i]));
    }
    if (fetch(name_of(row), data) != elements)
        test_fail("%s: an argsort changed them", name_of(row).c_str());
}

typedef void check_one(const element_row &row, uint64_t n, bool is_reversed,
                       struct test_random *random);

// None, one, one tile, tiles of one pass, of an odd and an even number of passes.
static void check_all(check_one *check, struct test_random *random)
{
    for (const element_row &row : rows)
        for (bool is_reversed : {false, true}) {
            for (uint64_t n : {0, 1, 2, 300})
                check(row, n, is_reversed, random);
            check(row, 321 + test_below(random, MOST), is_reversed, random);
            check(row, 321 + test_below(random, MOST / 8), is_reversed, random);
        }
}

static void test_sort__any_elements__as_the_cpu(void **)
{
    struct test_random random = test_random_make(1);
    check_all(check_sort, &random);
}

#ifdef GSORT_TEST_EMULATED_GPU
static void test_sort__little_shared_memory__as_the_cpu(void **)
{
    struct test_random random = test_random_make(3);
    emulated_cuda_set_capability(12);
    check_all(check_sort, &random);
    emulated_cuda_set_capability(9);
}
#endif

static void test_argsort__any_elements__as_the_cpu(void **)
{
    struct test_random random = test_random_make(2);
    check_all(check_argsort, &random);
}

// Every number of passes, with the tiny tiles.
static void test_sort__sizes_around_passes__sorted_in_place(void **)
{
    struct test_random random = test_random_make(3);
    for (uint64_t n : {319, 320, 321, 640, 641, 2561, 5119, 5121, 20480, 20481})
        for (const element_row &row : {rows[6], rows[8], rows[10], rows[14], rows[19]})
            check_sort(row, n, n % 2 != 0, &random);
}

// ---- what is asked wrongly ----

static void expect_error(const job &job, enum gs_status status, enum gs_status want,
                         const char *text)
{
    if (status != want || strstr(gs_job_error(job.made)->text, text) == nullptr)
        test_fail("status %d, '%s'; wanted %d, '%s'", status, gs_job_error(job.made)->text, want,
                  text);
}

static void test_sort__wrong_memory__refused_and_untouched(void **)
{
    struct test_random random = test_random_make(4);
    const element_row &f64 = rows[12];
    bytes elements = make_elements(f64, 1000, &random), host = elements;
    const device_bytes data = put(elements, 0), scratch = take(1 << 20, 0);
    const job job(f64, false);
    uint64_t needed = 0;
    job.check(gs_cuda_scratch_bytes(job.made, 8000, false, &needed));
    assert_true(needed > 8000 && needed < 16000);
    expect_error(job, gs_cuda_sort(job.made, host.data(), 8000, stream, nullptr, 0), GS_E_USAGE,
                 "not in the memory of a GPU");
    expect_error(job, gs_cuda_sort(job.made, data.data, 1 << 30, stream, nullptr, 0), GS_E_USAGE,
                 "not in the memory of a GPU");
    expect_error(job, gs_cuda_sort(job.made, data.data, 7999, stream, nullptr, 0), GS_E_USAGE,
                 "not a multiple of the element size");
    expect_error(job, gs_cuda_sort(job.made, data.data + 4, 7992, stream, nullptr, 0), GS_E_USAGE,
                 "must be aligned to");
    expect_error(job, gs_cuda_sort(job.made, data.data, 8000, stream, scratch.data, needed - 1),
                 GS_E_USAGE, "the scratch: needs");
    expect_error(job, gs_cuda_sort(job.made, data.data, 8000, stream, host.data(), needed),
                 GS_E_USAGE, "the scratch: it is not");
    expect_error(job,
                 gs_cuda_argsort(job.made, data.data, 8000, data.data + 7992, stream, nullptr, 0),
                 GS_E_USAGE, "overlaps the array");
    expect_error(job, gs_cuda_argsort(job.made, data.data, 8000, nullptr, stream, nullptr, 0),
                 GS_E_USAGE, "the pointer is NULL");
    expect_error(job, gs_cuda_argsort(job.made, data.data, 8000, host.data(), stream, nullptr, 0),
                 GS_E_USAGE, "the positions: it is not");
    expect_error(job, gs_cuda_sort(job.made, data.data, UINT64_MAX / 8 * 8, stream, nullptr, 0),
                 GS_E_USAGE, "more than any GPU has");
    assert_true(host == elements);
    assert_true(fetch("data", data) == elements);
    fetch("scratch", scratch);
}

static void test_sort__options_of_other_jobs__refused(void **)
{
    const device_bytes data = take(8000, 0);
    static const struct {
        const char *name, *value, *text;
    } wrong[] = {{"unique", "true", "--unique cannot be used with an array on a GPU"},
                 {"memory", "64M", "--memory cannot be used with an array on a GPU"},
                 {"device", "cpu", "--device cannot be used with an array on a GPU"},
                 {"argsort", "u64", "gs_cuda_argsort"},
                 {"type", "float", "--type"},
                 {"type", "x7", "there is no type 'x7'"},
                 {"record", "8", "--type"}};
    for (const auto &one : wrong) {
        const job job(rows[12], false);
        gs_job_set(job.made, one.name, one.value);
        expect_error(job, gs_cuda_sort(job.made, data.data, 8000, stream, nullptr, 0), GS_E_USAGE,
                     one.text);
    }
    give_scratch(data);
}

#ifdef GSORT_TEST_EMULATED_GPU
// Each call of CUDA fails once. The error line says so, and the pool gets its memory back.
static void test_sort__a_call_fails__reported_and_nothing_lost(void **)
{
    struct test_random random = test_random_make(5);
    for (const element_row &row : {rows[2], rows[8], rows[18], rows[22]})
        for (uint64_t call = 1;; call++) {
            const job job(row, false);
            const device_bytes data = put(make_elements(row, 900, &random), 0);
            const uint64_t before = gpu_live_objects();
            gpu_fail_call("*", call, cudaErrorLaunchOutOfResources);
            const enum gs_status status =
                gs_cuda_sort(job.made, data.data, data.count, stream, nullptr, 0);
            const bool has_failed = gpu_fault_happened();
            gpu_fail_call("", 0, cudaSuccess);
            check_cuda(cudaStreamSynchronize(stream));
            if (has_failed)
                expect_error(job, status, GS_E_DEVICE, "too many resources");
            assert_int_equal(gpu_live_objects(), before);
            fetch("data", data);
            if (!has_failed)
                break;
        }
}

// Each sort runs on the array's GPU, and the caller's GPU stays current.
static void test_sort__array_on_another_gpu__sorted_there(void **)
{
    struct test_random random = test_random_make(6);
    emulated_cuda_set_device_count(2);
    check_cuda(cudaSetDevice(1));
    const bytes elements = make_elements(rows[10], 1000, &random);
    const device_bytes data = put(elements, 0);
    cudaStream_t other;
    check_cuda(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    check_cuda(cudaSetDevice(0));
    const device_bytes here = take(1 << 20, 0);
    const job job(rows[10], false);
    expect_error(job, gs_cuda_sort(job.made, data.data, 8000, other, here.data, here.count),
                 GS_E_USAGE, "in the memory of GPU 0, but the array is in that of GPU 1");
    job.check(gs_cuda_sort(job.made, data.data, 8000, other, nullptr, 0));
    int device = -1;
    check_cuda(cudaGetDevice(&device));
    assert_int_equal(device, 0);
    check_cuda(cudaStreamSynchronize(other));
    bytes want = elements;
    gs_job_set(job.made, "device", "cpu");
    job.check(gs_job_sort_array(job.made, want.data(), want.size()));
    assert_true(fetch("data", data) == want);
    fetch("scratch", here);
    check_cuda(cudaStreamDestroy(other));
    emulated_cuda_set_device_count(1);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sort__any_elements__as_the_cpu),
        cmocka_unit_test(test_argsort__any_elements__as_the_cpu),
        cmocka_unit_test(test_sort__sizes_around_passes__sorted_in_place),
        cmocka_unit_test(test_sort__wrong_memory__refused_and_untouched),
        cmocka_unit_test(test_sort__options_of_other_jobs__refused),
#ifdef GSORT_TEST_EMULATED_GPU
        cmocka_unit_test(test_sort__little_shared_memory__as_the_cpu),
        cmocka_unit_test(test_sort__a_call_fails__reported_and_nothing_lost),
        cmocka_unit_test(test_sort__array_on_another_gpu__sorted_there),
#endif
    };
    if (!has_device())
        return NOT_RUN;
    check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    const int failed = cmocka_run_group_tests(tests, nullptr, nullptr);
    check_cuda(cudaStreamDestroy(stream));
    return failed;
}
