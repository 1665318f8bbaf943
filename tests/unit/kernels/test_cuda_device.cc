// test_cuda_device.cc: compares whole jobs on the GPU, emulated or real, with the same jobs on the
// CPU and with the slow model. Jobs are resident, partly and wholly spilled, streams, checks,
// statistics, and the choice of the device; that there is none can only be emulated. Its failures:
// test_cuda_faults.cc.
// Run: build/dev/tests/test_cuda_device
#include "job/job_report.h"
#include "support/cuda_job.h"
#include "support/struct_jobs.h"

#include "run/codec_choice.h"

#include <pthread.h>

static const char *const input[] = {"in"};

// Runs a job, whose output must be `want`.
static gs_report run_to(const char *name, const gsi_options &options, const bytes &want)
{
    gs_report report;
    gs_error error;
    if (run_job(&options, &report, &error) != GS_OK)
        test_fail("%s: %s", name, error.text);
    if (read_bytes("out") != want)
        test_fail("%s: wrong output", name);
    return report;
}

// ---- sorts ----

static void check_spills(const char *name, const job_shape *shape, const gs_report *report)
{
    const uint64_t runs = report->runs.count, spilled = report->runs.spilled_count;
    const bool is_right = shape->spill_all                  ? spilled == runs
                          : shape->device_memory_bytes == 0 ? spilled == 0
                          : shape == &job_shapes[HELD]      ? spilled == 0
                                                            : spilled > 3 && spilled < runs;
    assert_int_equal(report->device.host_run_bytes > 0, shape == &job_shapes[HELD]);
    const bool is_coded = shape->compress != GSI_COMPRESS_NONE && spilled > 0;
    if (!is_right || runs != report->plan.run_count || (report->runs.coded_count > 0) != is_coded ||
        (shape->fan_in > 0) != (report->runs.merge_passes > 1))
        test_fail("%s: %llu of %llu runs spilled, %u passes", name, (unsigned long long)spilled,
                  (unsigned long long)runs, report->runs.merge_passes);
}

// JOB_BYTES of data, every shape of job; where programs take many times as long, every other one.
// The seed chooses whether NaNs are first or last.
static void check_sorts(const char *type, bool is_reversed, enum model_shape data_shape,
                        uint64_t seed)
{
    const bytes data = model_bytes_of(seed, data_shape, type, JOB_BYTES / model_bytes(type));
    const auto place = static_cast<enum gsi_nan_place>(seed / 3 % 3);
    bytes want = sorted(data, type, is_reversed);
    write_bytes("in", data);
    if (place != GSI_NAN_WITH_ORDER)
        model_place_nans(type, place == GSI_NAN_FIRST, want.data(),
                         want.size() / model_bytes(type));
    for (const job_shape &shape : job_shapes) {
        if (test_is_small() && (static_cast<uint64_t>(&shape - job_shapes) + seed) % 2 != 0)
            continue;
        char name[128];
        snprintf(name, sizeof name, "%s, reverse %d, NaNs %d, data %d, %s, seed %llu", type,
                 is_reversed, place, data_shape, shape.name, (unsigned long long)seed);
        gsi_options options = job_options(&shape, type, input);
        options.reverse = is_reversed;
        options.nan_place = place;
        options.variance = model_bytes(type) <= 8;
        const gs_report cpu = run_to("on the CPU", on_cpu(options), want);
        gpu_seed(seed + test_seed());
        const gs_report report = run_to(name, options, want);
        assert_string_equal(report.device.name, "cuda");
        assert_string_equal(report.device.note, "");
        check_tally(name, &report.tally, &cpu.tally);
        check_spills(name, &shape, &report);
    }
}

static void test_cuda_sort__every_type__as_the_cpu(void **)
{
    uint64_t seed = 1;
    for (const char *type : model_types) {
        check_sorts(type, seed % 2 == 0, seed % 3 == 0 ? MODEL_UNIFORM : MODEL_SPECIAL, seed);
        seed++;
    }
}

static void test_cuda_sort__every_data__as_the_cpu(void **)
{
    uint64_t seed = 20;
    for (enum model_shape shape : {MODEL_EQUAL, MODEL_FEW, MODEL_SORTED, MODEL_REVERSE}) {
        check_sorts("u64", seed % 2 == 0, shape, seed);
        seed++;
    }
}

// Runs that do not fit on the GPU go to the remaining memory, then to disk, as planned.
static void test_cuda_sort__runs_beyond_the_gpu__to_memory_then_disk(void **)
{
    const bytes data = model_bytes_of(5, MODEL_UNIFORM, "u128", (3 << 20) / 16);
    const bytes want = sorted(data, "u128", false);
    uint32_t all_held = 0, partly_held = 0;
    write_bytes("in", data);
    for (uint64_t memory = 9 << 20; memory <= 16 << 20; memory += 128 << 10)
        for (uint64_t device = 9984 << 10; device <= 10752 << 10; device += 128 << 10) {
            gs_report report;
            gs_error error;
            gsi_options options = job_options(&job_shapes[RESIDENT], "u128", input);
            options.device_memory_bytes = device;
            options.memory_bytes = memory;
            options.chunk_bytes = 128 << 10;
            options.window_bytes = 4 << 10;
            options.action = GS_EXPLAIN;
            const enum gs_status status = gs_run(&options, &report, &error);
            const gsi_plan plan = report.plan;
            const bool is_all = plan.host_runs > 0 && plan.write_bytes == plan.input_bytes;
            const bool is_part = plan.host_runs > 0 && !is_all;
            if (status != GS_OK || !(is_all || is_part) ||
                (is_all ? all_held++ : partly_held++) > 0)
                continue;
            options.action = GS_SORT;
            report = run_to(is_all ? "all held" : "partly held", options, want);
            assert_true(report.cost.memory_peak_bytes <= memory);
            assert_true(report.device.host_run_bytes > 0);
            assert_true(report.device.host_run_bytes <= plan.host_bytes);
            assert_int_equal(report.runs.spilled_count > 0, is_part);
            assert_int_equal(report.cost.bytes_written, plan.write_bytes);
        }
    assert_true(all_held > 0 && partly_held > 0);
}

// Returns how many planned runs remain after the filter, and how many the CPU wrote.
static void check_filtered(gsi_options options, const char *condition)
{
    gs_report report;
    gs_error error;
    options.where = &condition;
    options.where_count = 1;
    if (run_job(&options, &report, &error) != GS_OK)
        test_fail("%s: %s", condition, error.text);
    const bytes got = read_bytes("out");
    assert_true(report.device.host_run_bytes > 0);
    assert_int_equal(report.runs.spilled_count, 0);
    options.device = GSI_DEVICE_CPU;
    options.device_memory_bytes = 0;
    options.memory_bytes = 64 << 20;
    if (gs_run(&options, &report, &error) != GS_OK)
        test_fail("%s: %s", condition, error.text);
    if (got != read_bytes("out"))
        test_fail("%s: wrong output", condition);
}

// Runs that were planned for the disk stay on the GPU and in memory, because there is room to merge
// them.
static void test_cuda_sort__fewer_runs_than_planned__as_the_cpu(void **)
{
    const struct {
        const char *type, *key, *condition;
        uint64_t record_bytes, chunk_bytes, window_bytes, memory_bytes;
    } sorts[] = {
        {"u64", nullptr, "<3000000000000000000", 0, 128 << 10, 4 << 10, 10 << 20},
        {nullptr, "0:b10", "15:uint8<64", 16, 1 << 20, 12 << 10, 16 << 20},
    };
    write_bytes("in", model_bytes_of(6, MODEL_UNIFORM, "u64", (12 << 20) / 8));
    for (const auto &sort : sorts) {
        uint32_t tried = 0;
        for (uint64_t device = 9 << 20; device <= 20 << 20 && tried < 2; device += 128 << 10) {
            gs_report report;
            gs_error error;
            gsi_options options = job_options(&job_shapes[RESIDENT], sort.type, input);
            options.record_bytes = static_cast<uint32_t>(sort.record_bytes);
            options.keys = &sort.key;
            options.key_count = sort.key != nullptr;
            options.device_memory_bytes = device;
            options.memory_bytes = sort.memory_bytes;
            options.chunk_bytes = sort.chunk_bytes;
            options.window_bytes = sort.window_bytes;
            options.action = GS_EXPLAIN;
            const enum gs_status status = gs_run(&options, &report, &error);
            const gsi_plan plan = report.plan;
            options.action = GS_SORT;
            if (status != GS_OK || plan.host_runs == 0 || plan.device_runs > plan.spilled_runs)
                continue;
            check_filtered(options, sort.condition);
            tried++;
        }
        assert_true(tried > 0);
    }
}

static void test_cuda_sort__few_elements__as_the_model(void **)
{
    for (const job_shape &shape : job_shapes)
        for (size_t count : {0, 1, 2, 3, 1023, 1024, 1025}) {
            const bytes data = model_bytes_of(count, MODEL_UNIFORM, "i32", count);
            const gsi_options options = job_options(&shape, "i32", input);
            write_bytes("in", data);
            const gs_report report = run_to(shape.name, options, sorted(data, "i32", false));
            assert_int_equal(report.tally.count, count);
        }
}

static void test_cuda_sort__several_inputs__as_the_model(void **)
{
    const char *const paths[] = {"in", "empty", "one", "more", "empty"};
    const bytes data = model_bytes_of(3, MODEL_UNIFORM, "f64", JOB_BYTES / 8);
    const auto middle = data.begin() + 8 * 1501;
    write_bytes("in", bytes(data.begin(), middle));
    write_bytes("empty", bytes());
    write_bytes("one", bytes(middle, middle + 8));
    write_bytes("more", bytes(middle + 8, data.end()));
    for (const job_shape &shape : job_shapes) {
        gsi_options options = job_options(&shape, "f64", paths);
        options.input_count = 5;
        run_to(shape.name, options, sorted(data, "f64", false));
    }
    for (const char *path : {"empty", "one", "more"})
        unlink(path);
}

// ---- frames ----

static uint32_t refuse_each; // every such frame is not coded; 0: none

extern "C" bool __real_gsi_codec_choice_next_frame(gsi_codec_choice *choice);
extern "C" bool __wrap_gsi_codec_choice_next_frame(gsi_codec_choice *choice)
{
    static uint32_t taken;
    const bool is_coded = __real_gsi_codec_choice_next_frame(choice);
    return is_coded && (refuse_each == 0 || ++taken % refuse_each != 0);
}

// --compress auto may find out that coding does not pay for a run whose windows the GPU has coded.
static void test_cuda_spill__coding_ends_within_a_run__as_the_model(void **)
{
    for (const char *type : {"u32", "u64", "u128"}) {
        const bytes data =
            model_bytes_of(23, MODEL_UNIFORM, type, JOB_BYTES / model_bytes(type) - 3);
        gsi_options options = job_options(&job_shapes[SPILLED], type, input);
        write_bytes("in", data);
        refuse_each = 3;
        const gs_report report = run_to(type, options, sorted(data, type, false));
        refuse_each = 0;
        assert_true(report.runs.coded_count > 0);
    }
}

// ---- streams ----

static void *write_stream(void *data)
{
    write_bytes("stream", *static_cast<const bytes *>(data));
    return nullptr;
}

// Arrays are copied to the arena and back, or are pinned, so that the GPU accesses them directly.
static void test_cuda_sort__array__as_the_model(void **)
{
    bool is_pinned = false;
    for (const job_shape &shape : job_shapes)
        for (size_t count : {size_t{1}, JOB_BYTES / 8, JOB_BYTES / 8 + 1, 2 * JOB_BYTES / 8 - 3}) {
            is_pinned = is_pinned == (count == 1); // the opposite in the next shape
            gsi_options options = job_options(&shape, "u64", nullptr);
            gs_report report;
            gs_error error;
            options.inputs = nullptr;
            options.input_count = 0;
            options.output = nullptr;
            bytes data = model_bytes_of(count, MODEL_UNIFORM, "u64", count);
            const bytes want = sorted(data, "u64", false);
            if (is_pinned)
                assert_int_equal(
                    cudaHostRegister(data.data(), data.size(), cudaHostRegisterDefault),
                    cudaSuccess);
            alarm(WATCHDOG_SECONDS);
            if (gs_sort_array(data.data(), data.size(), &options, &report, &error) != GS_OK)
                test_fail("%s, %zu: %s", shape.name, count, error.text);
            alarm(0);
            if (is_pinned)
                assert_int_equal(cudaHostUnregister(data.data()), cudaSuccess);
            // Data longer than those of the shape may not fit on its GPU.
            if (count <= JOB_BYTES / 8 && strcmp(report.device.name, "cuda") != 0)
                test_fail("%s, %zu: on %s: %s", shape.name, count, report.device.name,
                          report.device.note);
            if (data != want)
                test_fail("%s, %zu: wrong order", shape.name, count);
        }
}

static void test_cuda_sort__stream__as_the_model(void **)
{
    const char *const stream[] = {"stream"};
    gs_report report;
    gs_error error;
    assert_int_equal(mkfifo("stream", 0600), 0);
    for (size_t count : {size_t(0), size_t(7), JOB_BYTES / 16, JOB_BYTES / 8}) {
        bytes data = model_bytes_of(count, MODEL_UNIFORM, "u64", count);
        for (uint64_t seed = 1; seed <= 3; seed++) {
            gsi_options options = job_options(&job_shapes[PARTLY_SPILLED], "u64", stream);
            pthread_t writer;
            gpu_seed(seed + test_seed());
            assert_int_equal(pthread_create(&writer, nullptr, write_stream, &data), 0);
            if (run_job(&options, &report, &error) != GS_OK)
                test_fail("%zu elements: %s", count, error.text);
            pthread_join(writer, nullptr);
            if (read_bytes("out") != sorted(data, "u64", false))
                test_fail("stream of %zu elements: wrong output", count);
            if (count == JOB_BYTES / 8)
                assert_true(report.runs.spilled_count > 0 && report.runs.count == JOB_CHUNKS);
        }
    }
    unlink("stream");
}

// ---- tuning ----

// Pairs of runs are merged, in jobs whose passes are of two.
static void test_cuda_tune__other_merge_kernels__as_the_model(void **)
{
    if (!has_bulk_copies())
        test_skip("this GPU does not copy in bulk");
    uint64_t salt = 40;
    for (const char *type : {"u32", "i64", "u128"})
        for (bool is_spilled : {false, true}) {
            const bytes data = model_bytes_of(salt++, is_spilled ? MODEL_UNIFORM : MODEL_FEW, type,
                                              JOB_BYTES / model_bytes(type) - 3);
            gsi_options options = job_options(&job_shapes[PARTLY_SPILLED], type, input);
            options.spill_all = is_spilled;
            write_bytes("in", data);
            gpu_seed(salt + test_seed());
            const bytes want = sorted(data, type, false);
            const gs_report tiles = run_to(type, options, want);
            options.merge_kernel = GSI_MERGE_CIRCULAR;
            const gs_report tuned = run_to(type, options, want);
            assert_int_equal(tiles.plan.merge_kernel, GSI_MERGE_TILED);
            assert_int_equal(tuned.plan.merge_kernel, GSI_MERGE_CIRCULAR);
            assert_int_equal(tiles.device.tuned_merge_count, 0);
            assert_true(tuned.device.tuned_merge_count > 8);
        }
}

#ifdef GSORT_TEST_EMULATED_GPU
static void test_cuda_tune__circular_merges_without_bulk_copies__are_refused(void **)
{
    const bytes data = model_bytes_of(50, MODEL_UNIFORM, "u64", 1000);
    gsi_options options = job_options(&job_shapes[RESIDENT], "u64", input);
    gs_report report;
    gs_error error;
    options.merge_kernel = GSI_MERGE_CIRCULAR;
    write_bytes("in", data);
    emulated_cuda_set_capability(8);
    for (uint64_t set : {0, 1, 3}) {
        emulated_cuda_set_device_count(2);
        options.device_set = set;
        assert_int_equal(run_job(&options, &report, &error), GS_E_DEVICE);
        assert_true(is_one_line(error.text));
        assert_non_null(strstr(error.text, "--tune: merge=circular"));
        assert_int_equal(access("out", F_OK), -1);
        options.merge_kernel = GSI_MERGE_TILED;
        run_to("tiled", options, sorted(data, "u64", false));
        unlink("out");
        options.merge_kernel = GSI_MERGE_CIRCULAR;
    }
    emulated_cuda_set_capability(9);
    emulated_cuda_set_device_count(1);
}
#endif

// ---- checks and statistics ----

// The same job on the CPU; both find the same.
static void check_as_cpu(const char *name, gsi_options *options, enum gs_status want)
{
    gs_report cpu, report;
    gs_error error;
    options->device = GSI_DEVICE_CPU;
    const enum gs_status cpu_status = run_job(options, &cpu, &error);
    options->device = GSI_DEVICE_CUDA;
    const enum gs_status status = run_job(options, &report, &error);
    if (status != want || cpu_status != want)
        test_fail("%s: %s, on the CPU %s", name, gs_status_text(status),
                  gs_status_text(cpu_status));
    assert_string_equal(report.device.name, "cuda");
    if (want == GS_OK) {
        check_tally(name, &report.tally, &cpu.tally);
        return;
    }
    if (report.disorder.index != cpu.disorder.index ||
        report.disorder.file_idx != cpu.disorder.file_idx ||
        report.disorder.file_element_idx != cpu.disorder.file_element_idx ||
        memcmp(report.disorder.before, cpu.disorder.before, 16) != 0 ||
        memcmp(report.disorder.after, cpu.disorder.after, 16) != 0)
        test_fail("%s: disorder at %llu, on the CPU at %llu", name,
                  (unsigned long long)report.disorder.index,
                  (unsigned long long)cpu.disorder.index);
}

static void test_cuda_check__every_type__finds_what_the_cpu_finds(void **)
{
    const char *const twice[] = {"in", "in"};
    for (const char *type : model_types) {
        const size_t size = model_bytes(type), count = 20000 / size;
        const bytes data = sorted(model_bytes_of(5, MODEL_SPECIAL, type, count), type, false);
        gsi_options options = job_options(&job_shapes[RESIDENT], type, input);
        look_only(&options, GS_CHECK);
        write_bytes("in", data);
        check_as_cpu(type, &options, GS_OK);
        options.inputs = twice;
        options.input_count = 2;
        check_as_cpu(type, &options, GS_E_DISORDER);
        options.input_count = 1;
        for (size_t at : {size_t(1), 4096 / size - 1, 4096 / size, 8192 / size, count - 1}) {
            bytes broken = data; /* the least element, somewhere after the largest */
            std::copy(data.end() - static_cast<long>(size), data.end(),
                      broken.begin() + static_cast<long>((at - 1) * size));
            std::copy(data.begin(), data.begin() + static_cast<long>(size),
                      broken.begin() + static_cast<long>(at * size));
            write_bytes("in", broken);
            check_as_cpu(type, &options, GS_E_DISORDER);
        }
        options.reverse = true;
        write_bytes("in", sorted(data, type, true));
        check_as_cpu(type, &options, GS_OK);
    }
}

static void test_cuda_stats__every_type_and_size__as_the_cpu(void **)
{
    for (const char *type : model_types)
        for (size_t count : {0, 1, 1024, 5001}) {
            gsi_options options = job_options(&job_shapes[RESIDENT], type, input);
            look_only(&options, GS_STATS);
            options.variance = model_bytes(type) <= 8;
            write_bytes("in", model_bytes_of(count, MODEL_SPECIAL, type, count));
            check_as_cpu(type, &options, GS_OK);
        }
}

// Numbers of 8 and 16 bytes, and records: what is kept of them is compared on the CPU.
static void test_cuda_top__positions__as_the_cpu(void **)
{
    for (const char *type : {"u32", "f64", "u128"}) {
        write_bytes("in", model_bytes_of(7, MODEL_FEW, type, JOB_BYTES / model_bytes(type)));
        gsi_options options = job_options(&job_shapes[RESIDENT], type, input);
        options.argsort = options.has_top = true;
        options.top_count = 100;
        options.window_bytes = 16384; // a position after 16 bytes makes a record
        options.device = GSI_DEVICE_CPU;
        gs_report cpu, report;
        gs_error error;
        if (run_job(&options, &cpu, &error) != GS_OK)
            test_fail("%s, on the CPU: %s", type, error.text);
        const bytes want = read_bytes("out");
        options.device = GSI_DEVICE_CUDA;
        report = run_to(type, options, want);
        assert_int_equal(want.size(), 800);
        assert_string_equal(report.device.name, "cuda");
        assert_true(cpu.plan.top_room > 0 && report.plan.top_room > 0);
        check_tally(type, &report.tally, &cpu.tally);
    }
}

// ---- the choice of the device ----

#ifdef GSORT_TEST_EMULATED_GPU
// Makes a file so large that a GPU would pay; it is not read.
static enum gs_status explain_large(enum gsi_device_word device, gs_report *report, gs_error *error)
{
    const char *const large[] = {"large"};
    gsi_options options = {};
    options.action = GS_EXPLAIN;
    options.inputs = large;
    options.input_count = 1;
    options.memory_bytes = uint64_t(1) << 30;
    options.device = device;
    return run_job(&options, report, error);
}

static void test_cuda_choice__no_gpu__says_so_or_takes_the_cpu(void **)
{
    gs_report report;
    gs_error error;
    gsi_options options = job_options(&job_shapes[RESIDENT], "u64", input);
    const bytes data = model_bytes_of(6, MODEL_UNIFORM, "u64", 1000);
    write_bytes("in", data);
    write_bytes("large", bytes());
    assert_int_equal(truncate("large", off_t(3) << 30), 0);
    assert_int_equal(explain_large(GSI_DEVICE_AUTO, &report, &error), GS_OK);
    assert_true(report.plan.device_runs > 0 && report.device.model[0] != '\0');

    emulated_cuda_set_device_count(0);
    assert_int_equal(run_job(&options, &report, &error), GS_E_DEVICE);
    assert_true(is_one_line(error.text));
    assert_int_equal(access("out", F_OK), -1);
    assert_int_equal(explain_large(GSI_DEVICE_CUDA, &report, &error), GS_E_DEVICE);
    assert_int_equal(explain_large(GSI_DEVICE_AUTO, &report, &error), GS_OK);
    assert_true(report.plan.device_runs == 0 && report.device.model[0] == '\0');
    options.device = GSI_DEVICE_AUTO;
    report = run_to("auto", options, sorted(data, "u64", false));
    assert_string_equal(report.device.name, "cpu");
    emulated_cuda_set_device_count(1);
    unlink("large");
}
#endif

struct program_gpus {
    int count;
    int *calls;
};

// A program that makes another GPU current, and uses it, in each callback.
static void take_next_gpu(void *context, const gs_progress *)
{
    const program_gpus *program = static_cast<const program_gpus *>(context);
    int gpu = 0;
    ++*program->calls;
    check_cuda(cudaGetDevice(&gpu));
    check_cuda(cudaSetDevice((gpu + 1) % program->count));
    check_cuda(cudaFree(nullptr));
}

static void test_cuda_choice__device_index__is_that_gpu_or_a_usage_error(void **)
{
    gs_report report;
    gs_error error;
    gsi_options options = job_options(&job_shapes[SPILLED], "u64", input);
    const bytes data = model_bytes_of(7, MODEL_UNIFORM, "u64", 5000);
    const bytes want = sorted(data, "u64", false);
    write_bytes("in", data);
    int count = 3;
#ifdef GSORT_TEST_EMULATED_GPU
    emulated_cuda_set_device_count(count);
#else
    check_cuda(cudaGetDeviceCount(&count));
#endif
    const uint32_t gpus = static_cast<uint32_t>(count);
    for (options.device_index = 0; options.device_index < gpus; options.device_index++)
        run_to("each", options, want);
    for (int of_program = 0; of_program < count; of_program++) { // and its own one stays
        int after = -1, calls = 0;
        options.device_index = gpus - 1;
        check_cuda(cudaSetDevice(of_program));
        check_cuda(cudaFree(nullptr));
        run_to("the last", options, want);
        check_cuda(cudaGetDevice(&after));
        assert_int_equal(after, of_program);
        program_gpus program = {count, &calls};
        options.progress = take_next_gpu;
        options.progress_context = &program;
        run_to("with callbacks", options, want);
        options.progress = nullptr;
        check_cuda(cudaGetDevice(&after));
        assert_true(calls > 0);
        assert_int_equal(after, (of_program + calls) % count);
    }
    for (uint32_t index : {gpus, 1000u, UINT32_MAX}) {
        options.device_index = index;
        assert_int_equal(run_job(&options, &report, &error), GS_E_USAGE);
        assert_true(is_one_line(error.text));
    }
#ifdef GSORT_TEST_EMULATED_GPU
    emulated_cuda_set_device_count(1);
#endif
    cudaSetDevice(0);
}

int main()
{
    if (!has_device())
        return NOT_RUN;
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)
        TEST(test_cuda_sort__every_type__as_the_cpu),
        TEST(test_cuda_sort__every_data__as_the_cpu),
        TEST(test_cuda_sort__runs_beyond_the_gpu__to_memory_then_disk),
        TEST(test_cuda_sort__fewer_runs_than_planned__as_the_cpu),
        TEST(test_cuda_sort__few_elements__as_the_model),
        TEST(test_cuda_sort__several_inputs__as_the_model),
        TEST(test_cuda_sort__array__as_the_model),
        TEST(test_cuda_spill__coding_ends_within_a_run__as_the_model),
        TEST(test_cuda_sort__stream__as_the_model),
        TEST(test_cuda_tune__other_merge_kernels__as_the_model),
#ifdef GSORT_TEST_EMULATED_GPU
        TEST(test_cuda_tune__circular_merges_without_bulk_copies__are_refused),
#endif
        TEST(test_cuda_check__every_type__finds_what_the_cpu_finds),
        TEST(test_cuda_stats__every_type_and_size__as_the_cpu),
        TEST(test_cuda_top__positions__as_the_cpu),
#ifdef GSORT_TEST_EMULATED_GPU
        TEST(test_cuda_choice__no_gpu__says_so_or_takes_the_cpu),
#endif
        TEST(test_cuda_choice__device_index__is_that_gpu_or_a_usage_error),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
