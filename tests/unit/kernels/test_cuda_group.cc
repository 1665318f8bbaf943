// test_cuda_group.cc: tests several GPUs as one device. Whole jobs on 1 to 8 emulated GPUs have the
// output of the CPU. GPUs may be missing, small, without peer access or lost.
#include "job/job_report.h"
#include "support/cuda_job.h"
#include "support/struct_jobs.h"

#include "job/run.h"
#include "kernels/device/cuda_group_order.h"

#include <sys/mman.h>

static const char *const input[] = {"in"};
static const int counts[] = {1, 2, 3, 8};

static void set_gpus(int count)
{
    emulated_cuda_set_device_count(count);
}

static gsi_options group_options(const job_shape *shape, const char *type, int count)
{
    gsi_options options = job_options(shape, type, input);
    options.device_set = (UINT64_C(1) << count) - 1;
    return options;
}

static void check_job(const gsi_options *options, const bytes &want, const char *name, int count)
{
    gs_report report;
    gs_error error;
    const enum gs_status status = run_job(options, &report, &error);
    if (status != GS_OK)
        test_fail("%s, %d GPUs: %s", name, count, error.text);
    assert_string_equal(report.device.name, "cuda");
    assert_int_equal(report.plan.device_count, count);
    assert_int_equal(report.device.tuned_merge_count > 0, options->merge_kernel != GSI_MERGE_TILED);
    if (read_bytes("out") != want)
        test_fail("%s, %d GPUs: the output is not as the model's", name, count);
}

// All GPUs' merges count.
static void test_cuda_group__another_merge_kernel__as_the_model(void **)
{
    const bytes data = model_bytes_of(31, MODEL_UNIFORM, "u64", JOB_BYTES / 8 - 7);
    set_gpus(2);
    write_bytes("in", data);
    gsi_options options = group_options(&job_shapes[SPILLED], "u64", 2);
    options.fan_in = 2;
    options.merge_kernel = static_cast<gsi_merge_kernel>(GSI_MERGE_KERNEL_COUNT - 1);
    check_job(&options, sorted(data, "u64", false), "spilled, another merge kernel", 2);
    set_gpus(1);
}

static void test_cuda_group__every_shape_and_number_of_gpus__as_the_model(void **)
{
    static const char *const types[] = {"u32", "f64", "u128"};
    uint64_t salt = 0;
    for (int count : counts) {
        set_gpus(count);
        for (const job_shape &shape : job_shapes) {
            // Each number of GPUs tests only some of the shapes.
            const bool is_left_out = (count == 1 && &shape != &job_shapes[RESIDENT]) ||
                                     (count == 8 && shape.fan_in > 0) ||
                                     (count == 3 && &shape == &job_shapes[SPILLED_FAN_IN_3]) ||
                                     &shape == &job_shapes[HELD]; // below
            if (is_left_out)
                continue;
            const char *type = types[salt++ % 3];
            const bytes data = model_bytes_of(salt, salt % 2 == 0 ? MODEL_UNIFORM : MODEL_FEW, type,
                                              JOB_BYTES / model_bytes(type) - 7);
            write_bytes("in", data);
            const gsi_options options = group_options(&shape, type, count);
            check_job(&options, sorted(data, type, false), shape.name, count);
        }
    }
    set_gpus(1);
}

struct held_row {
    int count; // GPUs
    const char *type;
    enum model_shape shape;
    uint64_t runs, host_runs;
};

static uint64_t held_run_bytes(const held_row &row)
{
    return static_cast<uint64_t>(row.count) * 3 * HELD_CHUNK_BYTES;
}

// Sorts, as the model does, a little less than row.runs runs, row.host_runs of which wait in host
// memory.
static gs_report check_held(const held_row &row)
{
    set_gpus(row.count);
    const bytes data = model_bytes_of(11, row.shape, row.type,
                                      row.runs * held_run_bytes(row) / model_bytes(row.type) - 7);
    write_bytes("in", data);
    gsi_options options = group_options(&job_shapes[HELD], row.type, row.count);
    options.chunk_bytes = 3 * HELD_CHUNK_BYTES;
    options.device_memory_bytes = device_bytes_of(114);
    gs_report report;
    gs_error error;
    if (run_job(&options, &report, &error) != GS_OK)
        test_fail("%s, %d GPUs: %s", row.type, row.count, error.text);
    assert_int_equal(report.plan.device_count, row.count);
    assert_int_equal(report.plan.spilled_runs, 0);
    assert_int_equal(report.plan.host_runs, row.host_runs);
    if (read_bytes("out") != sorted(data, row.type, false))
        test_fail("%s, %d GPUs: the output is not as the model's", row.type, row.count);
    return report;
}

// Runs have parts in the host's memory that each GPU has put there and all read.
static void test_cuda_group__memory_of_all_is_too_little__runs_in_host_memory(void **)
{
    // Of 6 runs there is room for 5, 2 of which go back and forth: 3 are on the host, and the rings
    // for their parts have room.
    const held_row rows[] = {{2, "f64", MODEL_FEW, 6, 3}, {3, "u128", MODEL_UNIFORM, 6, 3}};
    for (const held_row &row : rows) {
        const uint64_t most = row.host_runs * held_run_bytes(row);
        assert_in_range(check_held(row).device.host_run_bytes, most - 7 * 16, most);
    }
    set_gpus(1);
}

// No GPU reads another one's memory. All runs pass through host memory, as many as have rings on
// each GPU.
static void test_cuda_group__no_peers__through_host_memory(void **)
{
    const held_row rows[] = {{2, "f64", MODEL_FEW, 4, 4}, {3, "u128", MODEL_UNIFORM, 3, 3}};
    emulated_cuda_set_peers(false);
    for (const held_row &row : rows)
        assert_non_null(strstr(check_held(row).device.note, "read"));
    // One that holds all sorts alone.
    gsi_options options = group_options(&job_shapes[RESIDENT], "u64", 2);
    gs_report report;
    gs_error error;
    options.chunk_bytes = 6 * HELD_CHUNK_BYTES;
    assert_int_equal(run_job(&options, &report, &error), GS_OK);
    assert_int_equal(report.plan.device_count, 1);
    assert_non_null(strstr(report.device.note, "it has room for the whole input"));
    emulated_cuda_set_peers(true);
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
        gsi_options cpu = job_options(&job_shapes[shape], nullptr, input);
        cpu.record_bytes = 100;
        cpu.keys = keys;
        cpu.key_count = 1;
        cpu.chunk_bytes = cpu.window_bytes = 16384;
        cpu.device_memory_bytes = 0;
        cpu.device = GSI_DEVICE_CPU;
        if (run_job(&cpu, &report, &error) != GS_OK)
            test_fail("%s: %s", job_shapes[shape].name, error.text);
        const bytes want = read_bytes("out");
        for (int count : {2, 3}) {
            set_gpus(count);
            gsi_options options = cpu;
            options.device = GSI_DEVICE_CUDA;
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
    gsi_options options = job_options(&job_shapes[RESIDENT], "u64", input);
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

// A run's memory more is what sorting takes; short runs leave room for all, long ones do not.
static void test_cuda_group__short_runs__hold_what_long_ones_cannot(void **)
{
    const uint64_t all = 2 << 20, window = 128 << 10;
    const bytes data = model_bytes_of(9, MODEL_UNIFORM, "u64", all / 8);
    write_bytes("in", data);
    set_gpus(2);
    gsi_options options = group_options(&job_shapes[RESIDENT], "u64", 2);
    options.chunk_bytes = 0;
    options.window_bytes = window;
    options.memory_bytes = 24 << 20;
    options.device_memory_bytes = device_bytes_of(0) + 6 * window + all / 2 * 3 / 2;
    gs_report report;
    gs_error error;
    assert_int_equal(run_job(&options, &report, &error), GS_OK);
    assert_int_equal(report.plan.spilled_runs, 0);
    assert_true(report.plan.run_count > 2);
    assert_true(read_bytes("out") == sorted(data, "u64", false));
    set_gpus(1);
}

static void test_cuda_group__statistics_and_check__as_one(void **)
{
    const bytes data = sorted(model_bytes_of(6, MODEL_UNIFORM, "f64", 9000), "f64", false);
    write_bytes("in", data);
    set_gpus(3);
    for (gs_action action : {GS_STATS, GS_CHECK}) {
        gsi_options options = group_options(&job_shapes[RESIDENT], "f64", 3);
        look_only(&options, action);
        options.variance = action == GS_STATS;
        options.window_bytes = 0;
        gs_report got, want;
        gs_error error;
        assert_int_equal(run_job(&options, &got, &error), GS_OK);
        options = on_cpu(options);
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
    gsi_options options = job_options(&job_shapes[RESIDENT], "u64", input);
    options.device_set = 1 << 1 | 1 << 3;
    check_job(&options, sorted(data, "u64", false), "numbers 1 and 3", 2);
    options.device_set = 1 << 1 | 1 << 4;
    assert_int_equal(run_job(&options, &report, &error), GS_E_USAGE);
    assert_string_equal(error.text, "--device: there is no cuda:4; GPUs are numbered from 0 to 3");
    options.device_set = UINT64_MAX;
    check_job(&options, sorted(data, "u64", false), "all", 4);
    emulated_cuda_set_peers(false);
    check_job(&options, sorted(data, "u64", false), "no peers, and no room for their rings", 1);
    emulated_cuda_set_peers(true);
    set_gpus(0);
    assert_int_equal(run_job(&options, &report, &error), GS_E_DEVICE);
    assert_true(is_one_line(error.text));
    set_gpus(1);
}

// A plan for GPUs that a model describes is that for GPUs that are there; what statistics of fields
// take is little, and no less than they take.
static void test_cuda_group__model__plans_as_a_probe(void **)
{
    static const char *const keys[] = {"0:b8"}, *const fields[] = {"8:f64", "16:i32"};
    write_bytes("in", {});
    assert_int_equal(truncate("in", 96 << 20), 0);
    set_gpus(3);
    gsi_device_model model = {};
    model.gpus = 3;
    model.memory = UINT64_C(1) << 40;
    model.to_gpu = model.from_gpu = model.peer = 1e9;
    uint64_t taken[2][2] = {}; // by a model; of fields
    for (const char *type : {"u32", "u128", "records", "fields"}) {
        const bool has_fields = strcmp(type, "fields") == 0;
        const bool has_records = has_fields || strcmp(type, "records") == 0;
        gsi_options options = job_options(&job_shapes[RESIDENT], type, input);
        options.action = GS_EXPLAIN;
        options.device_memory_bytes = 120 << 20;
        options.memory_bytes = 64 << 20;
        options.chunk_bytes = options.window_bytes = 0;
        options.type = has_records ? nullptr : type;
        options.record_bytes = has_records ? 64 : 0;
        options.keys = keys;
        options.key_count = has_records ? 1 : 0;
        options.stats_fields = fields;
        options.stats_field_count = has_fields ? 2 : 0;
        gs_report reports[2];
        for (int is_modelled = 0; is_modelled < 2; is_modelled++) {
            gs_error error;
            options.device = is_modelled ? GSI_DEVICE_AUTO : GSI_DEVICE_CUDA;
            options.device_set = is_modelled ? 0 : 7;
            options.device_model = is_modelled ? &model : nullptr;
            assert_int_equal(gs_run(&options, &reports[is_modelled], &error), GS_OK);
            taken[is_modelled][has_fields] = reports[is_modelled].plan.device_bytes;
        }
        assert_true(reports[1].prediction.is_made);
        if (reports[1].prediction.why_unknown != nullptr)
            test_fail("%s: %s", type, reports[1].prediction.why_unknown);
        assert_int_equal(reports[1].plan.device_count, 3);
        assert_int_equal(reports[1].plan.device_runs, reports[0].plan.device_runs);
        assert_int_equal(reports[1].plan.run_count, reports[0].plan.run_count);
    }
    const uint64_t takes = taken[0][true] - taken[0][false];
    const uint64_t says = taken[1][true] - taken[1][false];
    assert_true(takes > 0);
    assert_in_range(says, takes, 4 * takes);
    set_gpus(1);
}

// auto: a second GPU only where one cannot hold all.
static void test_cuda_group__auto__all_gpus_where_one_is_too_small(void **)
{
    gs_report report;
    gs_error error;
    write_bytes("in", bytes());
    assert_int_equal(truncate("in", off_t(3) << 30), 0);
    gsi_options options = {};
    options.action = GS_EXPLAIN;
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
        assert_int_equal(report.device.note[0] != '\0', row.wanted > 1);
    }
    emulated_cuda_set_memory(uint64_t(1) << 30);
    set_gpus(1);
}

// auto: a plan for the CPU says why a GPU that is there is left aside, and what that takes.
static void test_cuda_group__auto__plan_without_the_gpu_says_why(void **)
{
    gs_report report;
    gs_error error;
    write_bytes("in", bytes());
    const struct {
        const char *name, *input, *type;
        uint64_t gib;
        bool merge, has_top;
        const char *why, *cost; // "": there is none
    } rows[] = {
        {"small", "in", "u64", 1, false, false, "too small", ""},
        {"merge", "in", "u64", 16, true, false, "merged on the CPU", "about 10.7 s with 2 threads"},
        {"first ones", "in", "u64", 16, false, true, "while reading", ""},
        {"counted", "in", "uint8", 16, false, false, "are counted on the CPU", ""},
        {"stream", "/dev/zero", "u64", 0, false, false, "--device=cuda",
         "about 2.2 s per GiB with 2 threads"},
    };
    emulated_cuda_set_memory(uint64_t(32) << 30);
    for (const auto &row : rows)
        for (int gpus = 0; gpus < 2; gpus++) {
            set_gpus(gpus);
            assert_int_equal(truncate("in", off_t(row.gib) << 30), 0);
            gsi_options options = {};
            options.action = GS_EXPLAIN;
            options.inputs = &row.input;
            options.input_count = 1;
            options.type = row.type;
            options.thread_count = 2;
            options.memory_bytes = uint64_t(1) << 30;
            options.merge = row.merge;
            options.has_top = row.has_top;
            options.top_count = 10;
            if (run_job(&options, &report, &error) != GS_OK)
                test_fail("%s: %s", row.name, error.text);
            const bool is_fine = gpus == 0 ? report.device.note[0] == '\0'
                                           : strstr(report.device.note, row.why) != nullptr &&
                                                 strstr(report.device.note, row.cost) != nullptr &&
                                                 (row.cost[0] != '\0' ||
                                                  strstr(report.device.note, "about") == nullptr);
            if (report.plan.device_runs > 0 || !is_fine)
                test_fail("%s, %d GPUs: '%s'", row.name, gpus, report.device.note);
        }
    emulated_cuda_set_memory(uint64_t(1) << 30);
    set_gpus(1);
}

// auto: all links for an array that GPUs reach, if it is large. Nothing touches its pages.
static void test_cuda_group__auto_array__all_gpus_where_links_are_few(void **)
{
    const struct {
        uint64_t bytes;
        bool is_pinned;
        int gpus;
        uint64_t wanted;
    } rows[] = {
        {40, true, 2, 2}, {40, true, 8, 8}, {40, false, 2, 1}, {20, true, 2, 1}, {40, true, 1, 1}};
    for (const auto &row : rows) {
        set_gpus(row.gpus);
        emulated_cuda_set_memory(uint64_t(128) << 30);
        const size_t n = row.bytes << 30;
        void *memory = mmap(nullptr, n, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        assert_true(memory != MAP_FAILED);
        if (row.is_pinned)
            assert_int_equal(cudaHostRegister(memory, n, 0), cudaSuccess);
        gsi_array array = {};
        array.from = array.to = static_cast<uint8_t *>(memory);
        array.bytes = n;
        const char *const names[] = {"array"};
        gsi_options options = {};
        options.action = GS_EXPLAIN;
        options.raw = true;
        options.inputs = names;
        options.input_count = 1;
        options.type = "u64";
        options.memory_bytes = uint64_t(8) << 30;
        gs_report report = {};
        gs_error error;
        const enum gs_status status = gsi_job_run_array(&options, &array, &report, &error);
        if (row.is_pinned)
            cudaHostUnregister(memory);
        munmap(memory, n);
        if (status != GS_OK)
            test_fail("%s", error.text);
        assert_int_equal(report.plan.device_count, row.wanted);
        assert_int_equal(strstr(report.device.note, "link") != nullptr, row.wanted > 1);
    }
    emulated_cuda_set_memory(uint64_t(1) << 30);
    set_gpus(1);
}

// GPUs 0 and 1 are at one switch, 2 and 3 at another; 4 is at the root; 5 is unknown.
static void test_cuda_group__order__different_switches_first(void **)
{
    const char *const above[] = {"s0/p0", "s0/p1", "s1/p0", "s1/p1", "r"};
    set_gpus(6);
    assert_int_equal(system("mkdir -p sys/bus/pci/devices"), 0);
    for (int i = 0; i < 5; i++) {
        char id[32], command[256];
        assert_int_equal(cudaDeviceGetPCIBusId(id, sizeof id, i), cudaSuccess);
        snprintf(
            command, sizeof command,
            "mkdir -p sys/devices/%s/%s && ln -s ../../../devices/%s/%s sys/bus/pci/devices/%s",
            above[i], id, above[i], id, id);
        assert_int_equal(system(command), 0);
    }
    const struct {
        uint32_t count, given[6], wanted[6];
    } rows[] = {{6, {0, 1, 2, 3, 4, 5}, {0, 2, 4, 5, 1, 3}},
                {4, {0, 1, 2, 3}, {0, 2, 1, 3}},
                {3, {1, 3, 5}, {1, 3, 5}},
                {2, {0, 1}, {0, 1}}};
    for (const auto &row : rows) {
        uint32_t indices[6];
        memcpy(indices, row.given, sizeof indices);
        gsi_cuda_group_order("sys", indices, row.count);
        assert_memory_equal(indices, row.wanted, row.count * sizeof *indices);
    }
    assert_int_equal(system("rm -r sys"), 0);
    set_gpus(1);
}

// Every call of the runtime fails once: the job fails with one line or continues, and no files are
// left.
static void test_cuda_group__a_call_fails__one_line_and_nothing_left(void **)
{
    gs_report report;
    gs_error error;
    const bytes data = model_bytes_of(9, MODEL_UNIFORM, "u64", 4000);
    write_bytes("in", data);
    set_gpus(2);
    const gsi_options options = group_options(&job_shapes[PARTLY_SPILLED], "u64", 2);
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

// If one GPU fails while it begins, the others sort, and the report says so.
static void test_cuda_group__one_cannot_begin__the_others_go_on(void **)
{
    static const struct {
        const char *call;
        cudaError_t error;
    } faults[] = {{"cudaMalloc", cudaErrorMemoryAllocation},
                  {"cudaMallocHost", cudaErrorUnknown},
                  {"cudaStreamCreateWithFlags", cudaErrorUnknown},
                  {"cudaDeviceEnablePeerAccess", cudaErrorUnknown}};
    gs_report report;
    gs_error error;
    const bytes data = model_bytes_of(12, MODEL_UNIFORM, "u64", 4000);
    write_bytes("in", data);
    for (int count : {2, 3})
        for (const auto &fault : faults) {
            set_gpus(count);
            const gsi_options options = group_options(&job_shapes[RESIDENT], "u64", count);
            uint64_t n = 1;
            for (bool has_happened = true; has_happened; n += 1 + n / 3) {
                emulated_cuda_set_peers(true); // as before any job
                emulated_cuda_fail_call(fault.call, n, fault.error);
                const enum gs_status status = run_job(&options, &report, &error);
                has_happened = emulated_cuda_fault_happened();
                emulated_cuda_fail_call("", 0, 0);
                if (status != GS_OK)
                    test_fail("%s %d, %d GPUs: %s", fault.call, static_cast<int>(n), count,
                              error.text);
                assert_int_equal(report.plan.device_count, count - has_happened);
                assert_string_equal(report.device.name, "cuda");
                assert_int_equal(strstr(report.device.note, "another GPU is not used: ") != nullptr,
                                 has_happened);
                assert_true(read_bytes("out") == sorted(data, "u64", false));
            }
            assert_true(n > 2);
        }
    set_gpus(1);
}

static void test_cuda_group__a_gpu_is_lost__one_line_and_nothing_left(void **)
{
    gs_report report;
    gs_error error;
    write_bytes("in", model_bytes_of(10, MODEL_UNIFORM, "u64", 4000));
    set_gpus(2);
    const gsi_options options = group_options(&job_shapes[RESIDENT], "u64", 2);
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
        TEST(test_cuda_group__another_merge_kernel__as_the_model),
        TEST(test_cuda_group__memory_of_all_is_too_little__runs_in_host_memory),
        TEST(test_cuda_group__no_peers__through_host_memory),
        TEST(test_cuda_group__records__stable_as_on_the_cpu),
        TEST(test_cuda_group__two_gpus__hold_what_one_cannot),
        TEST(test_cuda_group__short_runs__hold_what_long_ones_cannot),
        TEST(test_cuda_group__statistics_and_check__as_one),
        TEST(test_cuda_group__which_gpus__those_that_are_there_and_reach_each_other),
        TEST(test_cuda_group__model__plans_as_a_probe),
        TEST(test_cuda_group__auto__all_gpus_where_one_is_too_small),
        TEST(test_cuda_group__auto__plan_without_the_gpu_says_why),
        TEST(test_cuda_group__auto_array__all_gpus_where_links_are_few),
        TEST(test_cuda_group__order__different_switches_first),
        TEST(test_cuda_group__a_call_fails__one_line_and_nothing_left),
        TEST(test_cuda_group__one_cannot_begin__the_others_go_on),
        TEST(test_cuda_group__a_gpu_is_lost__one_line_and_nothing_left),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
