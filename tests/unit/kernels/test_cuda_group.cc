// test_cuda_group.cc: several GPUs as one device: whole jobs on 1 to 8 emulated ones, whose output has
// the bytes of the CPU's, and what becomes of GPUs that are missing, small, apart or lost.
#include "support/cuda_job.h"

static const char *const input[] = {"in"};
static const int counts[] = {1, 2, 3, 8};

static void set_gpus(int count)
{
    emulated_cuda_set_device_count(count);
}

static gs_options group_options(const job_shape *shape, const char *type, int count)
{
    gs_options options = job_options(shape, type, input);
    options.device_set = (UINT64_C(1) << count) - 1;
    return options;
}

static void check_job(const gs_options *options, const bytes &want, const char *name, int count)
{
    gs_report report;
    gs_error error;
    const enum gs_status status = run_job(options, &report, &error);
    if (status != GS_OK)
        test_fail("%s, %d GPUs: %s", name, count, error.text);
    assert_string_equal(report.device, "cuda");
    assert_int_equal(report.plan.device_count, count);
    if (read_bytes("out") != want)
        test_fail("%s, %d GPUs: the output is not as the model's", name, count);
}

static void test_cuda_group__every_shape_and_number_of_gpus__as_the_model(void **)
{
    static const char *const types[] = {"u32", "f64", "u128"};
    uint64_t salt = 0;
    for (int count : counts) {
        set_gpus(count);
        for (const job_shape &shape : job_shapes) {
            // Numbers of GPUs differ in number alone: each has some of the shapes.
            const bool is_left_out = (count == 1 && &shape != &job_shapes[RESIDENT]) ||
                                     (count == 8 && shape.fan_in > 0) ||
                                     (count == 3 && &shape == &job_shapes[SPILLED_FAN_IN_3]) ||
                                     &shape == &job_shapes[HELD];
            if (is_left_out)
                continue;
            const char *type = types[salt++ % 3];
            const bytes data = model_bytes_of(salt, salt % 2 == 0 ? MODEL_UNIFORM : MODEL_FEW, type,
                                              JOB_BYTES / model_bytes(type) - 7);
            write_bytes("in", data);
            const gs_options options = group_options(&shape, type, count);
            check_job(&options, sorted(data, type, false), shape.name, count);
        }
    }
    set_gpus(1);
}

// 100-byte records of few keys: ties show whether the order of the input is kept. A chunk has room
// for 128, so of two GPUs each gets records that share more with each other than with all.
static void test_cuda_group__records__stable_as_on_the_cpu(void **)
{
    static const char *const keys[] = {"0:b10"};
    bytes data = model_bytes_of(77, MODEL_UNIFORM, "u32", 25 * 1500);
    for (size_t at = 0; at < data.size(); at += 100) {
        memset(&data[at], 'k', 8);
        data[at + 8] = at / 100 / 128 % 2 == 0 ? 'b' : 'a';
        data[at + 9] = static_cast<uint8_t>(data[at + 9] % 50);
    }
    write_bytes("in", data);
    for (size_t shape : {RESIDENT, SPILLED_FAN_IN_3}) {
        gs_report report;
        gs_error error;
        gs_options cpu = job_options(&job_shapes[shape], nullptr, input);
        cpu.record_bytes = 100;
        cpu.keys = keys;
        cpu.key_count = 1;
        cpu.chunk_bytes = cpu.window_bytes = 16384;
        cpu.device_memory_bytes = 0;
        cpu.device = GS_DEVICE_CPU;
        if (run_job(&cpu, &report, &error) != GS_OK)
            test_fail("%s: %s", job_shapes[shape].name, error.text);
        const bytes want = read_bytes("out");
        for (int count : {2, 3}) {
            set_gpus(count);
            gs_options options = cpu;
            options.device = GS_DEVICE_CUDA;
            options.device_set = (UINT64_C(1) << count) - 1;
            check_job(&options, want, job_shapes[shape].name, count);
        }
    }
    set_gpus(1);
}

static void test_cuda_group__two_gpus__hold_what_one_cannot(void **)
{
    const bytes data = model_bytes_of(5, MODEL_UNIFORM, "u64", JOB_BYTES / 8);
    write_bytes("in", data);
    set_gpus(2);
    gs_report report;
    gs_error error;
    gs_options options = job_options(&job_shapes[RESIDENT], "u64", input);
    options.device_memory_bytes = device_bytes_of(JOB_CHUNKS);
    assert_int_equal(run_job(&options, &report, &error), GS_OK);
    assert_true(report.plan.spilled_runs + report.plan.host_runs > 0);
    options.device_set = UINT64_MAX;
    assert_int_equal(run_job(&options, &report, &error), GS_OK);
    assert_int_equal(report.plan.spilled_runs + report.plan.host_runs, 0);
    assert_int_equal(report.plan.device_count, 2);
    assert_true(read_bytes("out") == sorted(data, "u64", false));
    set_gpus(1);
}

static void test_cuda_group__statistics_and_check__as_one(void **)
{
    const bytes data = sorted(model_bytes_of(6, MODEL_UNIFORM, "f64", 9000), "f64", false);
    write_bytes("in", data);
    set_gpus(3);
    for (gs_action action : {GS_ACTION_STATS, GS_ACTION_CHECK}) {
        gs_options options = group_options(&job_shapes[RESIDENT], "f64", 3);
        options.action = action;
        options.output = nullptr;
        options.window_bytes = 0;
        options.chunk_bytes = 0;
        gs_report got, want;
        gs_error error;
        assert_int_equal(run_job(&options, &got, &error), GS_OK);
        options.device = GS_DEVICE_CPU;
        options.device_set = 0;
        assert_int_equal(run_job(&options, &want, &error), GS_OK);
        check_tally("three GPUs", &got.tally, &want.tally);
    }
    set_gpus(1);
}

static void test_cuda_group__which_gpus__those_that_are_there_and_reach_each_other(void **)
{
    gs_report report;
    gs_error error;
    const bytes data = model_bytes_of(8, MODEL_UNIFORM, "u64", 3000);
    write_bytes("in", data);
    set_gpus(4);
    gs_options options = job_options(&job_shapes[RESIDENT], "u64", input);
    options.device_set = 1 << 1 | 1 << 3;
    check_job(&options, sorted(data, "u64", false), "numbers 1 and 3", 2);
    options.device_set = 1 << 1 | 1 << 4;
    assert_int_equal(run_job(&options, &report, &error), GS_E_USAGE);
    assert_string_equal(error.text, "--device: there is no cuda:4; GPUs are 0 to 3");
    options.device_set = UINT64_MAX;
    check_job(&options, sorted(data, "u64", false), "all", 4);
    emulated_cuda_set_peers(false);
    check_job(&options, sorted(data, "u64", false), "no peers", 1);
    emulated_cuda_set_peers(true);
    set_gpus(0);
    assert_int_equal(run_job(&options, &report, &error), GS_E_DEVICE);
    assert_true(is_one_line(error.text));
    set_gpus(1);
}

// auto: a second GPU only where one cannot hold all.
static void test_cuda_group__auto__all_gpus_where_one_is_too_small(void **)
{
    gs_report report;
    gs_error error;
    write_bytes("in", bytes());
    assert_int_equal(truncate("in", off_t(3) << 30), 0);
    gs_options options = {};
    options.action = GS_ACTION_EXPLAIN;
    options.inputs = input;
    options.input_count = 1;
    options.type = "u64";
    options.memory_bytes = uint64_t(1) << 30;
    const struct {
        int gpus;
        uint64_t gpu_bytes, wanted;
    } rows[] = {{1, 4, 1}, {1, 2, 1}, {2, 4, 1}, {2, 2, 2}, {2, 1, 1}, {8, 1, 8}};
    for (const auto &row : rows) {
        set_gpus(row.gpus);
        emulated_cuda_set_memory(row.gpu_bytes << 30);
        assert_int_equal(run_job(&options, &report, &error), GS_OK);
        assert_int_equal(report.plan.device_count, row.wanted);
        assert_int_equal(report.device_note[0] != '\0', row.wanted > 1);
    }
    emulated_cuda_set_memory(uint64_t(1) << 30);
    set_gpus(1);
}

// Every call of the runtime fails once: the job fails with one line or goes on, and nothing is left.
static void test_cuda_group__a_call_fails__one_line_and_nothing_left(void **)
{
    gs_report report;
    gs_error error;
    const bytes data = model_bytes_of(9, MODEL_UNIFORM, "u64", 4000);
    write_bytes("in", data);
    set_gpus(2);
    const gs_options options = group_options(&job_shapes[PARTLY_SPILLED], "u64", 2);
    uint64_t n = 1;
    for (bool has_happened = true; has_happened; n += 1 + n / 4) {
        unlink("out");
        emulated_cuda_fail_call("*", n, cudaErrorUnknown);
        const enum gs_status status = run_job(&options, &report, &error);
        has_happened = emulated_cuda_fault_happened();
        emulated_cuda_fail_call("", 0, 0);
        if (status == GS_OK)
            assert_true(read_bytes("out") == sorted(data, "u64", false));
        else
            assert_true(is_one_line(error.text) && access("out", F_OK) != 0);
        if (!has_happened)
            assert_int_equal(status, GS_OK);
    }
    assert_true(n > 100);
    set_gpus(1);
}

static void test_cuda_group__a_gpu_is_lost__one_line_and_nothing_left(void **)
{
    gs_report report;
    gs_error error;
    write_bytes("in", model_bytes_of(10, MODEL_UNIFORM, "u64", 4000));
    set_gpus(2);
    const gs_options options = group_options(&job_shapes[RESIDENT], "u64", 2);
    for (uint64_t n : {1, 20, 60, 90}) {
        emulated_cuda_fail_operation(n, cudaErrorECCUncorrectable);
        alarm(WATCHDOG_SECONDS);
        const enum gs_status status = gs_run(&options, &report, &error);
        alarm(0);
        if (emulated_cuda_fault_happened())
            assert_true(status == GS_E_DEVICE && is_one_line(error.text));
        emulated_cuda_fail_operation(0, 0);
        cudaDeviceReset();
    }
    set_gpus(1);
}

int main()
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)
        TEST(test_cuda_group__every_shape_and_number_of_gpus__as_the_model),
        TEST(test_cuda_group__records__stable_as_on_the_cpu),
        TEST(test_cuda_group__two_gpus__hold_what_one_cannot),
        TEST(test_cuda_group__statistics_and_check__as_one),
        TEST(test_cuda_group__which_gpus__those_that_are_there_and_reach_each_other),
        TEST(test_cuda_group__auto__all_gpus_where_one_is_too_small),
        TEST(test_cuda_group__a_call_fails__one_line_and_nothing_left),
        TEST(test_cuda_group__a_gpu_is_lost__one_line_and_nothing_left),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
