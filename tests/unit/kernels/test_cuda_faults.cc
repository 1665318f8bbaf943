// test_cuda_faults.cc: tests jobs that fail on the GPU, emulated or real. Each call of the runtime
// fails once, the GPU is lost in each operation once, there is less memory than promised, or the
// job is canceled. In all cases the job ends, with one error line or the right output, and leaves
// no file. A real GPU cannot be lost on demand, nor have less memory: those parts are only
// emulated. Run: build/dev/tests/test_cuda_faults
#include "support/cuda_job.h"

#include "job/job_report.h"
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static const char *const input[] = {"in"};
static const bytes OLD_OUTPUT = {'o', 'l', 'd'};

struct faulty_job {
    const char *name;
    enum gs_action action;
    int shape;
    size_t chunks;
    bool is_records; // the data as records of two keys, longer than tags hold
};

static const faulty_job faulty_jobs[] = {
    {"resident", GS_SORT, RESIDENT, 5, false},
    {"spilled", GS_SORT, SPILLED_FAN_IN_3, 7, false},
    {"partly spilled", GS_SORT, PARTLY_SPILLED, JOB_CHUNKS, false},
    {"held", GS_SORT, HELD, JOB_CHUNKS, false},
    {"check", GS_CHECK, RESIDENT, 5, false},
    {"stats", GS_STATS, RESIDENT, 5, false},
    {"records", GS_SORT, RESIDENT, 1, true},
    {"records, spilled", GS_SORT, SPILLED, 2, true},
    {"check of records", GS_CHECK, RESIDENT, 1, true},
};

// A job with its input written and an output from before; *want: what it writes if it succeeds.
static gsi_options prepare(const faulty_job *job, bytes *want)
{
    static const char *const keys[] = {"8:u64", "0:u64"}; // the order of u128
    const char *type = job->is_records ? "u128" : "u64";
    const size_t data_bytes = job->chunks * JOB_CHUNK_BYTES;
    const enum model_shape shape = job->is_records ? MODEL_FEW : MODEL_UNIFORM;
    bytes data = model_bytes_of(job->chunks, shape, type, data_bytes / model_bytes(type));
    gsi_options options = job_options(&job_shapes[job->shape], type, input);
    if (job->is_records) {
        options.type = nullptr;
        options.record_bytes = 16;
        options.keys = keys;
        options.key_count = 2;
        options.chunk_bytes = options.window_bytes = 3 * JOB_CHUNK_BYTES; // with a tag each
    }
    look_only(&options, job->action);
    *want = job->action == GS_SORT ? sorted(data, type, false) : OLD_OUTPUT;
    write_bytes("in", job->action == GS_CHECK ? sorted(data, type, false) : data);
    return options;
}

// Runs the job with an old output, and checks that it ends correctly.
static enum gs_status run_to_good_end(const char *name, uint64_t n, const gsi_options *options,
                                      const bytes &want, gs_report *report)
{
    gs_error error;
    write_bytes("out", OLD_OUTPUT);
    const enum gs_status status = run_job(options, report, &error);
    if (status == GS_OK ? error.text[0] != '\0' : !is_one_line(error.text))
        test_fail("%s, %llu: %s: '%s'", name, (unsigned long long)n, gs_status_text(status),
                  error.text);
    if (read_bytes("out") != (status == GS_OK ? want : OLD_OUTPUT))
        test_fail("%s, %llu: %s, and a wrong output", name, (unsigned long long)n,
                  gs_status_text(status));
    if (names_in(".") != 2)
        test_fail("%s, %llu: a file is left", name, (unsigned long long)n);
    return status;
}

static void check_status(const char *name, uint64_t n, enum gs_status status)
{
    if (status != GS_OK && status != GS_E_DEVICE && status != GS_E_MEMORY)
        test_fail("%s, %llu: %s", name, (unsigned long long)n, gs_status_text(status));
}

// All faults 1, 2, 3, ..; later ones are of a kind, so that some of them are passed over; more
// where programs take many times as long.
static uint64_t next_fault(uint64_t n)
{
    return n + 1 + n / (test_is_small() ? 2 : 12);
}

static void test_cuda_faults__each_call_fails__good_end(void **)
{
    for (const faulty_job &job : faulty_jobs) {
        bytes want;
        const gsi_options options = prepare(&job, &want);
        bool has_happened = true;
        for (uint64_t n = 1; has_happened; n = next_fault(n)) {
            gs_report report;
            gpu_seed(n + test_seed());
            gpu_fail_call("*", n, n % 2 == 0 ? cudaErrorLaunchFailure : cudaErrorMemoryAllocation);
            const enum gs_status status = run_to_good_end(job.name, n, &options, want, &report);
            check_status(job.name, n, status);
            has_happened = gpu_fault_happened();
            assert_true(has_happened || status == GS_OK);
            gpu_fail_call("*", 0, cudaSuccess);
        }
    }
}

#ifdef GSORT_TEST_EMULATED_GPU
static void test_cuda_faults__lost_in_each_operation__device_error(void **)
{
    for (const faulty_job &job : faulty_jobs) {
        bytes want;
        const gsi_options options = prepare(&job, &want);
        bool has_happened = true;
        for (uint64_t n = 1; has_happened; n = next_fault(n)) {
            gs_report report;
            gpu_seed(n + test_seed());
            emulated_cuda_fail_operation(n, cudaErrorIllegalAddress);
            const enum gs_status status = run_to_good_end(job.name, n, &options, want, &report);
            has_happened = gpu_fault_happened();
            if (status != (has_happened ? GS_E_DEVICE : GS_OK))
                test_fail("%s, %llu: %s", job.name, (unsigned long long)n, gs_status_text(status));
            emulated_cuda_fail_operation(0, 0);
            cudaDeviceReset();
        }
    }
}
#endif

// ---- memory ----

static void test_cuda_memory__each_allocation_fails__another_way_and_a_note(void **)
{
    for (const char *call : {"cudaMalloc", "cudaMallocHost"})
        for (const faulty_job &job : faulty_jobs) {
            bytes want;
            const gsi_options options = prepare(&job, &want);
            bool has_happened = true;
            for (uint64_t n = 1; has_happened; n++) {
                gs_report report;
                gpu_fail_call(call, n, cudaErrorMemoryAllocation);
                const enum gs_status status = run_to_good_end(job.name, n, &options, want, &report);
                has_happened = gpu_fault_happened();
                if (status != GS_OK || has_happened != (report.device.note[0] != '\0') ||
                    (has_happened && !is_one_line(report.device.note)))
                    test_fail("%s, %s %llu: %s, '%s'", job.name, call, (unsigned long long)n,
                              gs_status_text(status), report.device.note);
                gpu_fail_call("*", 0, cudaSuccess);
            }
        }
}

// Another process allocates free memory before the job does. The second failure follows the first,
// down to the memory that is left.
static void test_cuda_memory__less_and_less__tries_less_then_the_cpu(void **)
{
    const faulty_job job = {"large", GS_SORT, RESIDENT, JOB_CHUNKS, false};
    bytes want;
    gsi_options options = prepare(&job, &want);
    gs_report report;
    options.chunk_bytes = 0;
    options.window_bytes = 0;
    options.memory_bytes = uint64_t(1) << 30;
    options.spill_all = true; // takes all it may
    options.device_memory_bytes = 256 << 20;
    gpu_fail_call("cudaMalloc", 5, cudaErrorMemoryAllocation);
    assert_int_equal(run_to_good_end(job.name, 0, &options, want, &report), GS_OK);
    assert_string_equal(report.device.name, "cuda");
    assert_true(is_one_line(report.device.note));
    assert_true(report.plan.device_bytes <= 128 << 20);
    gpu_fail_call("*", 0, cudaSuccess);
#ifdef GSORT_TEST_EMULATED_GPU
    for (uint64_t mib : {1, 4, 8, 9, 12, 16, 32, 64, 100, 1024}) {
        emulated_cuda_set_memory(mib << 20);
        for (uint64_t asked_mib : {0, 4, 16, 100, 2000}) {
            options.device_memory_bytes = asked_mib << 20;
            assert_int_equal(run_to_good_end(job.name, mib, &options, want, &report), GS_OK);
            assert_true(report.plan.device_bytes <= mib << 20);
            if (strcmp(report.device.name, "cuda") != 0)
                assert_true(is_one_line(report.device.note));
        }
    }
    emulated_cuda_set_memory(uint64_t(1) << 30);
#endif
}

// ---- cancel ----

// Makes pipes small, so that data without a reader do not fit into them.
extern "C" void __wrap_gsi_pipe_enlarge(int)
{
}

// The other end of a pipe: moves some bytes, cancels, and holds the pipe open until the job is
// done.
struct pipe_end {
    gs_cancel *cancel;
    const bytes *data; // to write; nullptr: reads
    size_t most;
    int done[2]; // a pipe: readable when the job is done
};

static void *cancel_midway(void *argument)
{
    pipe_end *end = static_cast<pipe_end *>(argument);
    const int fd = open("pipe", end->data != nullptr ? O_WRONLY : O_RDONLY);
    uint8_t byte;
    for (size_t i = 0; i < end->most;) {
        const ssize_t moved = end->data != nullptr ? write(fd, end->data->data() + i, end->most - i)
                                                   : read(fd, &byte, 1);
        if (moved <= 0)
            break;
        i += size_t(moved);
    }
    usleep(1000 * unsigned(end->most % 7));
    gs_cancel_now(end->cancel);
    while (read(end->done[0], &byte, 1) < 0)
        ;
    close(fd);
    return nullptr;
}

static void cancel_job(int shape, bool is_input, size_t most)
{
    const char *const pipe_path[] = {"pipe"};
    const bytes data = model_bytes_of(9, MODEL_UNIFORM, "u64", JOB_BYTES / 8);
    gsi_options options = job_options(&job_shapes[shape], "u64", is_input ? pipe_path : input);
    pipe_end end = {gs_cancel_create(), is_input ? &data : nullptr, most, {}};
    pthread_t thread;
    gs_report report;
    gs_error error;
    options.cancel = end.cancel;
    const char *const temp_dir[] = {"."};
    options.temp_dirs = temp_dir;
    options.temp_dir_count = 1;
    if (!is_input)
        options.output = "pipe";
    write_bytes("in", data);
    assert_int_equal(pipe(end.done), 0);
    assert_int_equal(pthread_create(&thread, nullptr, cancel_midway, &end), 0);
    const enum gs_status status = run_job(&options, &report, &error);
    if (status != GS_E_CANCELED || !is_one_line(error.text))
        test_fail("%s, %zu bytes of the %s: %s: %s", job_shapes[shape].name, most,
                  is_input ? "input" : "output", gs_status_text(status), error.text);
    close(end.done[1]);
    pthread_join(thread, nullptr);
    close(end.done[0]);
    gs_cancel_free(end.cancel);
    assert_int_equal(names_in("."), 2); // in, pipe
}

static void test_cuda_cancel__midway__canceled_and_nothing_left(void **)
{
    assert_int_equal(mkfifo("pipe", 0600), 0);
    for (int shape : {RESIDENT, PARTLY_SPILLED, SPILLED_FAN_IN_3, HELD})
        for (size_t most : {size_t(1), size_t(10007), JOB_BYTES / 2, JOB_BYTES}) {
            gpu_seed(most);
            cancel_job(job_shapes[shape].device_memory_bytes > 0 ? shape : PARTLY_SPILLED, true,
                       most);
            if (most < JOB_BYTES / 2) // the rest does not fit into the pipe
                cancel_job(shape, false, most);
        }
    unlink("pipe");
}

int main()
{
    if (!has_device())
        return NOT_RUN;
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)
        TEST(test_cuda_faults__each_call_fails__good_end),
#ifdef GSORT_TEST_EMULATED_GPU
        TEST(test_cuda_faults__lost_in_each_operation__device_error),
#endif
        TEST(test_cuda_memory__each_allocation_fails__another_way_and_a_note),
        TEST(test_cuda_memory__less_and_less__tries_less_then_the_cpu),
        TEST(test_cuda_cancel__midway__canceled_and_nothing_left),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
