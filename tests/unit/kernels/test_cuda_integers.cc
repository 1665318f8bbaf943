// test_cuda_integers.cc: runs whole jobs of integer records (element/record/integer_record.h) on
// GPUs, emulated or real. Sorts of every shape, checks and statistics, on one GPU and in groups,
// must have the output and the counts of the CPU.
// Run: build/dev/tests/test_cuda_integers
#include "job/job_report.h"
#include "support/cuda_job.h"
#include "support/struct_jobs.h"

static const char *const input[] = {"in"};

struct word_row {
    const char *type; // of numbers; nullptr: records
    uint32_t bytes;
    std::vector<const char *> keys;
    bool is_reversed;
};

static const word_row rows[] = {
    {"time64", 8, {}, false},
    {"u64be", 8, {}, true},
    {"f32be", 4, {}, false},
    {"i128be", 16, {}, false},
    {nullptr, 8, {"4:u32be", "0:i32:desc"}, false},
    {nullptr, 4, {"2:u16", "0:f16"}, true},
    {nullptr, 16, {"8:f64:desc", "0:u64"}, false},
    {nullptr, 16, {"8:time64be", "3:b5", "0:b3"}, false},
};

// Shapes that differ in where runs are kept.
static const job_shape &shape_of(size_t i)
{
    return job_shapes[i % (sizeof job_shapes / sizeof job_shapes[0])];
}

static gsi_options options_of(const word_row &row, const job_shape &shape)
{
    gsi_options options = job_options(&shape, row.type, input);
    options.reverse = row.is_reversed;
    if (row.type == nullptr) {
        options.record_bytes = row.bytes;
        options.keys = row.keys.data();
        options.key_count = row.keys.size();
    }
    return options;
}

// Some elements are equal, and some are NaN or NaT.
static bytes make_input(const word_row &row, uint64_t seed)
{
    const enum model_shape shape = seed % 2 == 0 ? MODEL_SPECIAL : MODEL_UNIFORM;
    bytes data = model_bytes_of(seed, shape, "u64", JOB_BYTES / 8);
    const int64_t nat = INT64_MIN;
    for (size_t at = 0; at < data.size() / 3; at += 24)
        memcpy(&data[at], &nat, sizeof nat);
    data.resize(data.size() / row.bytes * row.bytes);
    return data;
}

static uint64_t planned_bytes(gsi_options options)
{
    gs_report report;
    gs_error error;
    options.action = GS_EXPLAIN;
    if (gs_run(&options, &report, &error) != GS_OK)
        test_fail("%s", error.text);
    return report.plan.device_bytes;
}

// Tallies of fields need memory that a shape does not include: the difference between this job and
// one of numbers.
static void make_room_for_fields(const word_row &row, gsi_options *options)
{
    const char *const number = row.bytes == 4 ? "u32" : row.bytes == 8 ? "u64" : "u128";
    if (options->device_memory_bytes > 0)
        options->device_memory_bytes +=
            planned_bytes(options_of(row, job_shapes[RESIDENT])) -
            planned_bytes(job_options(&job_shapes[RESIDENT], number, input));
}

static const char *name_of(const word_row &row)
{
    return row.type != nullptr ? row.type : row.keys[0];
}

static void test_words__every_shape_of_sort__as_the_cpu(void **)
{
    size_t seed = 0;
    for (const word_row &row : rows)
        for (size_t i = 0; i < 5; i++, seed++) {
            if (seed % (test_is_small() ? 3 : 2) != 0)
                continue;
            const job_shape &shape = shape_of(i);
            gsi_options options = options_of(row, shape);
            write_bytes("in", make_input(row, seed));
            make_room_for_fields(row, &options);
            const gs_report report = run_as_cpu(name_of(row), options, seed);
            // They take as much memory as numbers, so the same runs are moved to the host.
            assert_int_equal(report.device.host_run_bytes > 0, i == HELD);
            assert_int_equal(report.runs.spilled_count > 0, i != RESIDENT && i != HELD);
        }
}

// One element per key remains; sorted data are in order, and other data are not.
static void test_words__other_actions__as_the_cpu(void **)
{
    size_t seed = 100;
    for (const word_row &row : rows) {
        write_bytes("in", make_input(row, seed));
        gsi_options options = options_of(row, job_shapes[RESIDENT]);
        options.unique = true;
        options.unique_counts = seed % 2 == 0;
        options.window_bytes = options.chunk_bytes = 16384; // counts make what is written wider
        run_as_cpu(name_of(row), options, seed++);
        for (enum gs_action action : {GS_CHECK, GS_STATS}) {
            gsi_options look = options_of(row, job_shapes[RESIDENT]);
            look_only(&look, action);
            look.reverse = row.is_reversed && action == GS_CHECK;
            run_as_cpu(name_of(row), look, seed++);
        }
        gsi_options sort = options_of(row, job_shapes[RESIDENT]);
        run_as_cpu(name_of(row), sort, seed++);
        write_bytes("in", read_bytes("out"));
        gsi_options look = options_of(row, job_shapes[RESIDENT]);
        look_only(&look, GS_CHECK);
        assert_int_equal(run_as_cpu(name_of(row), look, seed++).disorder.index, 0);
    }
}

#ifdef GSORT_TEST_EMULATED_GPU
static void test_words__several_gpus__as_the_cpu(void **)
{
    size_t seed = 200;
    for (const word_row &row : rows)
        for (int count : {2, 3}) {
            emulated_cuda_set_device_count(count);
            const job_shape &shape = job_shapes[seed % 2 == 0 ? RESIDENT : SPILLED_FAN_IN_3];
            gsi_options options = options_of(row, shape);
            write_bytes("in", make_input(row, seed));
            make_room_for_fields(row, &options);
            options.device_set = (UINT64_C(1) << count) - 1;
            assert_int_equal(run_as_cpu(name_of(row), options, seed++).plan.device_count, count);
        }
    emulated_cuda_set_device_count(1);
}
#endif

int main()
{
    if (!has_device())
        return NOT_RUN;
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)
        TEST(test_words__every_shape_of_sort__as_the_cpu),
        TEST(test_words__other_actions__as_the_cpu),
#ifdef GSORT_TEST_EMULATED_GPU
        TEST(test_words__several_gpus__as_the_cpu),
#endif
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
