// test_cuda_positions.cc: compares jobs that write positions on GPUs, emulated or real, with the
// output and the counts of the CPU. The GPU makes pairs of keys and positions while elements are
// read (kernels/device/cuda_device_pairs.cc). Jobs have every type and every shape of sort, on one
// GPU and in groups, with files, streams and arrays. Run: build/dev/tests/test_cuda_positions
#include "job/job_report.h"
#include "support/cuda_job.h"
#include "support/struct_jobs.h"

#include "device/device.h"

#include <pthread.h>

static const char *const input[] = {"in"};
constexpr size_t SHAPE_COUNT = sizeof job_shapes / sizeof job_shapes[0];

struct position_row {
    const char *type; // of numbers; nullptr: records
    uint32_t bytes;
    std::vector<const char *> keys;
    bool is_made; // the GPU makes the pairs
};

static const position_row rows[] = {
    {"u32", 4, {}, true},
    {"i32", 4, {}, true},
    {"f32", 4, {}, true},
    {"u64", 8, {}, true},
    {"i64", 8, {}, true},
    {"f64", 8, {}, true},
    {"time64", 8, {}, true},
    {"u64be", 8, {}, true},
    {"f32be", 4, {}, true},
    {nullptr, 8, {"4:u32be", "0:i32:desc"}, true},
    {nullptr, 16, {"3:u32"}, false},
};

static const char *name_of(const position_row &row)
{
    return row.type != nullptr ? row.type : row.keys[0];
}

// Every other job is in descending order; positions are of 8 and 4 bytes.
static gsi_options options_of(const position_row &row, const job_shape &shape, size_t seed)
{
    gsi_options options = job_options(&shape, row.type, input);
    options.argsort = true;
    options.index_bytes = seed / 2 % 2 == 0 ? 8 : 4;
    options.reverse = seed % 2 == 1;
    options.variance = &row - rows < 6; // of those that have one
    options.nan_place = static_cast<enum gsi_nan_place>(seed / 3 % 3);
    if (row.type == nullptr) {
        options.record_bytes = row.bytes;
        options.keys = row.keys.data();
        options.key_count = row.keys.size();
        options.nan_place = GSI_NAN_WITH_ORDER;
    }
    return options;
}

// Bytes of what is sorted of an element, if their number is known.
static uint32_t pair_bytes(const position_row &row)
{
    return row.bytes == 8 ? 16 : 8; // the key of the widest record has 4
}

// Makes elements for JOB_BYTES of pairs. Half of the jobs have few values; some elements are no
// number, and no time.
static bytes make_input(const position_row &row, size_t seed, size_t count)
{
    const bool is_wide = row.bytes == 8;
    bytes data = model_bytes_of(seed, seed % 2 == 0 ? MODEL_FEW : MODEL_SPECIAL,
                                is_wide ? "f64" : "f32", count * row.bytes / (is_wide ? 8 : 4));
    const int64_t nat = INT64_MIN;
    for (size_t at = 0; at + 24 < data.size(); at += 24 * 7)
        memcpy(&data[at], &nat, sizeof nat);
    return data;
}

static void test_positions__every_type_and_shape__as_the_cpu(void **)
{
    size_t seed = 0;
    for (const position_row &row : rows)
        for (size_t i = 0; i < SHAPE_COUNT; i++, seed++) {
            if (seed % (test_is_small() ? 3 : 2) != 0)
                continue;
            write_bytes("in", make_input(row, seed, JOB_BYTES / pair_bytes(row)));
            gsi_options options = options_of(row, job_shapes[i], seed / 2);
            const gs_report report = run_as_cpu(name_of(row), options, seed);
            assert_int_equal(report.device.host_run_bytes > 0, i == HELD);
            assert_int_equal(report.runs.spilled_count > 0, i != RESIDENT && i != HELD);
        }
}

#ifdef GSORT_TEST_EMULATED_GPU
// Returns the bytes that a job of so many elements copies to the GPU, and back.
struct crossed {
    uint64_t in, out;
};

static crossed check_crossed(const position_row &row, size_t count, size_t seed)
{
    crossed before, after;
    write_bytes("in", make_input(row, seed, count));
    gsi_options options = options_of(row, job_shapes[RESIDENT], seed);
    options.window_bytes = JOB_BYTES; // one: its tallies are needed, too
    emulated_cuda_crossed_bytes(&before.in, &before.out);
    run_as_cpu(name_of(row), options, seed);
    emulated_cuda_crossed_bytes(&after.in, &after.out);
    return {after.in - before.in, after.out - before.out};
}

// More for each element: itself in, and its position out.
static void test_positions__resident__no_pair_crosses(void **)
{
    size_t seed = 1000;
    for (const position_row &row : rows) {
        const size_t count = JOB_BYTES / pair_bytes(row);
        const crossed one = check_crossed(row, 1, seed), all = check_crossed(row, count, seed);
        const uint64_t in = (all.in - one.in) / (count - 1),
                       out = (all.out - one.out) / (count - 1);
        const uint64_t index_bytes = seed++ / 2 % 2 == 0 ? 8 : 4;
        const uint64_t wanted_in = row.is_made ? row.bytes : pair_bytes(row);
        const uint64_t wanted_out = row.is_made ? index_bytes : pair_bytes(row);
        if (in != wanted_in || out != wanted_out)
            test_fail("%s: %llu bytes in, %llu out", name_of(row), (unsigned long long)in,
                      (unsigned long long)out);
    }
}
#endif

// Of 0, 1 and so many elements that a chunk or a run ends beside them.
static void test_positions__few_elements__as_the_cpu(void **)
{
    size_t seed = 2000;
    for (const size_t count : {0, 1, 2, 511, 512, 513, 1024, 1025, 3071}) {
        const position_row &row = rows[seed % 4 + 2];
        write_bytes("in", make_input(row, seed, count));
        run_as_cpu(name_of(row), options_of(row, job_shapes[RESIDENT], seed), seed);
        seed++;
    }
}

// More chunks than there may be runs: pairs of a chunk follow those of the chunk before.
static void test_positions__runs_of_several_chunks__as_the_cpu(void **)
{
    constexpr size_t CHUNKS = GSI_DEVICE_RUNS_MAX + 6;
    size_t seed = 2500;
    for (const size_t i : {3, 6, 9}) { // numbers, and words of one field and of two
        const position_row &row = rows[i];
        const gsi_options options = options_of(row, job_shapes[RESIDENT], seed);
        write_bytes("in",
                    make_input(row, seed, CHUNKS * 2 * JOB_CHUNK_BYTES / pair_bytes(row) - 5));
        const gs_report report = run_as_cpu(name_of(row), options, seed++);
        assert_int_equal(report.plan.chunks_per_run, 2);
    }
}

// Positions are those in all inputs, and in the whole of what --range takes a part of.
static void test_positions__inputs_and_range__as_the_cpu(void **)
{
    const char *const paths[] = {"in", "empty", "more"};
    size_t seed = 3000;
    write_bytes("empty", bytes());
    for (const position_row &row : rows) {
        const bytes data = make_input(row, seed, JOB_BYTES / pair_bytes(row));
        const auto middle = data.begin() + row.bytes * 1501;
        write_bytes("in", bytes(data.begin(), middle));
        write_bytes("more", bytes(middle, data.end()));
        gsi_options options = options_of(row, job_shapes[RESIDENT], seed);
        options.inputs = paths;
        options.input_count = 3;
        options.has_range = seed % 2 == 0;
        options.range_first = 1399;
        options.range_count = 3001;
        run_as_cpu(name_of(row), options, seed++);
    }
    unlink("empty");
    unlink("more");
}

// The CPU removes elements and finds the first ones; the rest is as before.
static void test_positions__where_and_top__as_the_cpu(void **)
{
    static const char *const texts[] = {">=0"};
    size_t seed = 4000;
    for (const char *type : {"i32", "f64"}) {
        const position_row &row = rows[type[0] == 'i' ? 1 : 5];
        write_bytes("in", make_input(row, seed, JOB_BYTES / pair_bytes(row)));
        gsi_options options = options_of(row, job_shapes[PARTLY_SPILLED], seed++);
        options.where = texts;
        options.where_count = 1;
        run_as_cpu(type, options, seed++);
        options.where_count = 0;
        options.has_top = true;
        options.top_count = JOB_BYTES / pair_bytes(row) - 100;
        run_as_cpu(type, options, seed++);
    }
}

static void *write_stream(void *data)
{
    write_bytes("stream", *static_cast<const bytes *>(data));
    return nullptr;
}

static bytes run_stream(const gsi_options &options, bytes data)
{
    gs_report report;
    gs_error error;
    pthread_t writer;
    assert_int_equal(pthread_create(&writer, nullptr, write_stream, &data), 0);
    if (run_job(&options, &report, &error) != GS_OK)
        test_fail("stream: %s", error.text);
    pthread_join(writer, nullptr);
    return read_bytes("out");
}

// Their number is unknown, so pairs have room for any position.
static void test_positions__stream__as_the_cpu(void **)
{
    const char *const stream[] = {"stream"};
    size_t seed = 5000;
    assert_int_equal(mkfifo("stream", 0600), 0);
    for (const position_row &row : rows) {
        const bytes data = make_input(row, seed, JOB_BYTES / 16);
        gsi_options options = options_of(row, job_shapes[PARTLY_SPILLED], seed++);
        options.inputs = stream;
        const bytes want = run_stream(on_cpu(options), data);
        assert_int_equal(want.size(), JOB_BYTES / 16 * options.index_bytes);
        if (run_stream(options, data) != want)
            test_fail("stream of %s: wrong positions", name_of(row));
    }
    unlink("stream");
}

// Copied to the arena; or pinned, which the GPU reads where it is.
static void test_positions__array__as_the_cpu(void **)
{
    size_t seed = 6000;
    for (const position_row &row : rows) {
        const size_t count = JOB_BYTES / pair_bytes(row) - 5;
        bytes data = make_input(row, seed, count);
        std::vector<uint64_t> want(count), got(count);
        gsi_options options = options_of(row, job_shapes[seed % 2 == 0 ? RESIDENT : HELD], seed);
        gs_report report;
        gs_error error;
        options.inputs = nullptr;
        options.input_count = 0;
        options.output = nullptr;
        options.argsort = false; // that it is asked for shows in where positions go
        options.index_bytes = 0;
        const gsi_options by_cpu = on_cpu(options);
        if (gs_argsort_array(data.data(), data.size(), &by_cpu, want.data(), &report, &error) !=
            GS_OK)
            test_fail("%s, on the CPU: %s", name_of(row), error.text);
        const bool is_pinned = seed++ / 2 % 2 == 0;
        if (is_pinned)
            assert_int_equal(cudaHostRegister(data.data(), data.size(), cudaHostRegisterDefault),
                             cudaSuccess);
        alarm(WATCHDOG_SECONDS);
        if (gs_argsort_array(data.data(), data.size(), &options, got.data(), &report, &error) !=
            GS_OK)
            test_fail("%s: %s", name_of(row), error.text);
        alarm(0);
        if (is_pinned)
            assert_int_equal(cudaHostUnregister(data.data()), cudaSuccess);
        assert_string_equal(report.device.name, "cuda");
        if (got != want)
            test_fail("%s: wrong positions", name_of(row));
    }
}

#ifdef GSORT_TEST_EMULATED_GPU
// Chunks are distributed to all GPUs, and each GPU adds the positions of its chunks.
static void test_positions__several_gpus__as_the_cpu(void **)
{
    static const size_t shapes[] = {RESIDENT, SPILLED_FAN_IN_3, HELD};
    size_t seed = 7000;
    for (const position_row &row : rows)
        for (int count : {2, 3}) {
            emulated_cuda_set_device_count(count);
            const size_t shape = shapes[seed % 3];
            gsi_options options = options_of(row, job_shapes[shape], seed);
            write_bytes("in", make_input(row, seed, JOB_BYTES / pair_bytes(row)));
            options.device_set = (UINT64_C(1) << count) - 1;
            const gs_report report = run_as_cpu(name_of(row), options, seed++);
            assert_int_equal(report.plan.device_count, count);
        }
    emulated_cuda_set_device_count(1);
}

// Whatever call fails: one line, or the right positions.
static void test_positions__any_call_fails__one_line(void **)
{
    const position_row &row = rows[6]; // with tallies of fields and of pairs
    const bytes data = make_input(row, 1, JOB_BYTES / 64);
    write_bytes("in", data);
    gsi_options options = options_of(row, job_shapes[RESIDENT], 0);
    gs_report report;
    gs_error error;
    assert_int_equal(run_job(&options, &report, &error), GS_OK);
    const bytes want = read_bytes("out");
    bool has_happened = true;
    for (uint64_t n = 1; has_happened; n += test_is_small() ? 7 : 1) {
        gpu_fail_call("cudaLaunchKernelEx", n, cudaErrorLaunchFailure);
        const enum gs_status status = run_job(&options, &report, &error);
        has_happened = gpu_fault_happened();
        gpu_fail_call("*", 0, cudaSuccess);
        if (status == GS_OK && (has_happened || read_bytes("out") != want))
            test_fail("launch %llu: it went unnoticed", (unsigned long long)n);
        if (status != GS_OK && (status != GS_E_DEVICE || !is_one_line(error.text)))
            test_fail("launch %llu: %s", (unsigned long long)n, error.text);
    }
}
#endif

int main()
{
    if (!has_device())
        return NOT_RUN;
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)
        TEST(test_positions__every_type_and_shape__as_the_cpu),
        TEST(test_positions__few_elements__as_the_cpu),
        TEST(test_positions__runs_of_several_chunks__as_the_cpu),
        TEST(test_positions__inputs_and_range__as_the_cpu),
        TEST(test_positions__where_and_top__as_the_cpu),
        TEST(test_positions__stream__as_the_cpu),
        TEST(test_positions__array__as_the_cpu),
#ifdef GSORT_TEST_EMULATED_GPU
        TEST(test_positions__resident__no_pair_crosses),
        TEST(test_positions__several_gpus__as_the_cpu),
        TEST(test_positions__any_call_fails__one_line),
#endif
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
