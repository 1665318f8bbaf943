// cuda_job.h: contains shared code of tests of whole jobs on the GPU, emulated or real. It has a
// directory with input and output files, jobs that are resident, partly or wholly on disk, and the
// same jobs on the CPU.
#ifndef CUDA_JOB_H
#define CUDA_JOB_H

#include "element/tally/tally_sums.h"
#include "support/device_test.h"
#include "support/gpu_steer.h"
#include "support/model.h"
#include "support/scratch.h"

#include "support/struct_jobs.h"

#include <sys/stat.h>
#include <vector>

typedef std::vector<uint8_t> bytes;

// A hang of the pipeline ends the program, with a signal that says so.
constexpr unsigned WATCHDOG_SECONDS = 60;

constexpr uint64_t JOB_CHUNK_BYTES = 4096, JOB_WINDOW_BYTES = 4096;
constexpr size_t JOB_CHUNKS = 32;
constexpr uint64_t JOB_BYTES = JOB_CHUNKS * JOB_CHUNK_BYTES;

// A GPU with room for `chunks` chunks: beside them are tables (8 MiB) and 6 windows. A quarter of
// the chunks is for feeding; two of these for each run that is merged, and 4 more, are enough.
constexpr uint64_t device_bytes_of(uint64_t chunks)
{
    return (8 << 20) + 6 * (JOB_WINDOW_BYTES + 16384) + chunks * JOB_CHUNK_BYTES;
}

// Held: runs of 6 chunks; Five of them, and the second buffer of sorts, fit on the GPU. Each of the
// three that must leave can have a ring.
constexpr uint64_t HELD_CHUNK_BYTES = 6 * JOB_CHUNK_BYTES;

struct job_shape {
    const char *name;
    uint32_t fan_in;
    bool spill_all;
    uint64_t device_memory_bytes;
    gsi_compress_choice compress; // zstd: frames are packed on the GPU
    uint64_t chunk_bytes;
};

static const job_shape job_shapes[] = {
    {"resident", 0, false, 0, GSI_COMPRESS_NONE, JOB_CHUNK_BYTES},
    {"partly spilled", 2, false, device_bytes_of(32), GSI_COMPRESS_NONE, JOB_CHUNK_BYTES},
    {"spilled", 0, true, 0, GSI_COMPRESS_ZSTD, JOB_CHUNK_BYTES},
    {"spilled, fan-in 3", 3, true, device_bytes_of(40), GSI_COMPRESS_ZSTD, JOB_CHUNK_BYTES},
    {"held", 0, false, device_bytes_of(38), GSI_COMPRESS_NONE, HELD_CHUNK_BYTES},
};
enum { RESIDENT, PARTLY_SPILLED, SPILLED, SPILLED_FAN_IN_3, HELD };

// Options without those that only a sort has.
static inline void look_only(gsi_options *options, gs_action action)
{
    options->action = action;
    if (action != GS_STATS && action != GS_CHECK)
        return;
    options->output = nullptr;
    options->chunk_bytes = 0;
    options->fan_in = 0;
    options->spill_all = false;
    options->compress = GSI_COMPRESS_AUTO;
}

// `*input`, one path, is borrowed.
static inline gsi_options job_options(const job_shape *shape, const char *type,
                                      const char *const *input)
{
    gsi_options options = {};
    options.inputs = input;
    options.input_count = 1;
    options.output = "out";
    options.type = type;
    options.memory_bytes = 64 << 20;
    options.thread_count = 2;
    options.fan_in = shape->fan_in;
    options.io = GSI_IO_THREADS;
    options.device = GSI_DEVICE_CUDA;
    options.device_memory_bytes = shape->device_memory_bytes;
    options.chunk_bytes = shape->chunk_bytes;
    options.window_bytes = JOB_WINDOW_BYTES;
    options.spill_all = shape->spill_all;
    options.compress = shape->compress;
    return options;
}

static inline bytes model_bytes_of(uint64_t salt, enum model_shape shape, const char *type,
                                   size_t count)
{
    test_random random = test_random_make(salt);
    bytes data(count * model_bytes(type));
    if (count > 0)
        model_fill(&random, shape, type, data.data(), count);
    return data;
}

static inline bytes sorted(bytes data, const char *type, bool is_reversed)
{
    if (!data.empty())
        model_sort(type, is_reversed, data.data(), data.size() / model_bytes(type));
    return data;
}

static inline void write_bytes(const char *path, const bytes &data)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(data.empty() || fwrite(data.data(), 1, data.size(), file) == data.size());
    assert_int_equal(fclose(file), 0);
}

static inline bytes read_bytes(const char *path)
{
    struct stat info;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &info), 0);
    bytes data(static_cast<size_t>(info.st_size));
    data.resize(fread(data.data(), 1, data.size(), file));
    fclose(file);
    return data;
}

static inline bool is_one_line(const char *text)
{
    return *text != '\0' && strchr(text, '\n') == nullptr;
}

// gs_run under the watchdog; then nothing of the GPU is left taken.
static inline enum gs_status run_job(const gsi_options *options, gs_report *report, gs_error *error)
{
    alarm(WATCHDOG_SECONDS);
    const enum gs_status status = gs_run(options, report, error);
    alarm(0);
    if (gpu_live_objects() != 0)
        test_fail("%s: %llu objects of the GPU are left (%s)", gs_status_text(status),
                  (unsigned long long)gpu_live_objects(), error->text);
    return status;
}

static inline void check_tally(const char *name, const gsi_tally_report *got,
                               const gsi_tally_report *want)
{
    if (got->count != want->count || got->nan_count != want->nan_count ||
        got->positive_infinity_count != want->positive_infinity_count ||
        got->negative_infinity_count != want->negative_infinity_count ||
        got->negative_zero_count != want->negative_zero_count ||
        got->has_extremes != want->has_extremes || memcmp(got->min, want->min, 16) != 0 ||
        memcmp(got->max, want->max, 16) != 0 || memcmp(got->sum, want->sum, 32) != 0 ||
        memcmp(&got->sum_float, &want->sum_float, 8) != 0 ||
        got->has_moments != want->has_moments || memcmp(&got->mean, &want->mean, 8) != 0 ||
        memcmp(&got->variance, &want->variance, 8) != 0 ||
        memcmp(got->fingerprint, want->fingerprint, 16) != 0)
        test_fail("%s: the tally differs from the CPU's", name);
}

static inline gsi_options on_cpu(gsi_options options)
{
    options.device = GSI_DEVICE_CPU;
    options.device_set = options.device_memory_bytes = 0;
    return options;
}

// The job on the CPU, then as `options` say: with the same output, counts, order.
static inline gs_report run_as_cpu(const char *name, const gsi_options &options, size_t seed)
{
    gs_report cpu, report;
    gs_error error;
    const gsi_options by_cpu = on_cpu(options);
    const enum gs_status status = run_job(&by_cpu, &cpu, &error);
    if (status != GS_OK && (status != GS_E_DISORDER || options.action != GS_CHECK))
        test_fail("%s, job %zu, on the CPU: %s", name, seed, error.text);
    const bytes want = options.output != nullptr ? read_bytes("out") : bytes();
    gpu_seed(seed + test_seed());
    if (run_job(&options, &report, &error) != status)
        test_fail("%s, job %zu: %s", name, seed, error.text);
    if (options.output != nullptr && read_bytes("out") != want)
        test_fail("%s, job %zu: wrong output", name, seed);
    if (strcmp(report.device.name, "cuda") != 0 || report.device.note[0] != '\0')
        test_fail("%s, job %zu: %s: %s", name, seed, report.device.name, report.device.note);
    check_tally(name, &report.tally, &cpu.tally);
    assert_int_equal(report.element.field_count, cpu.element.field_count);
    for (uint32_t i = 0; i < cpu.element.field_count; i++) {
        gsi_tally_report field = report.field_tallies[i]; // fields have no fingerprint of their own
        memcpy(field.fingerprint, cpu.field_tallies[i].fingerprint, sizeof field.fingerprint);
        check_tally(name, &field, &cpu.field_tallies[i]);
        assert_int_equal(field.count, report.tally.count); // those that are no time, too
    }
    assert_int_equal(report.disorder.index, cpu.disorder.index);
    assert_memory_equal(report.disorder.before, cpu.disorder.before, 16);
    assert_memory_equal(report.disorder.after, cpu.disorder.after, 16);
    return report;
}

#endif
