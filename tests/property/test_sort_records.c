/* test_sort_records.c: compares sorts of records with the model: frames whose first keys tie in
 * little memory, and keys that share fewer and fewer bytes. For random keys see model/run_model.py.
 * Run: build/dev/tests/test_sort_records */
#include "job/job_report.h"
#include "support/can_run.h"
#include "support/record_model.h"
#include "support/struct_jobs.h"

#define MOST_BYTES ((size_t)3 << 20)

static uint8_t in[MOST_BYTES], want[MOST_BYTES], got[MOST_BYTES];

static struct gsi_options options_of(const struct record_model *model)
{
    static const char *const inputs[] = {"in"};
    return (struct gsi_options){.inputs = inputs,
                                .input_count = 1,
                                .output = "out",
                                .reverse = model->is_reversed,
                                .nan_place = record_model_nan_place(model),
                                .record_bytes = model->bytes,
                                .keys = model->texts,
                                .key_count = model->key_count,
                                .device = GSI_DEVICE_CPU};
}

static struct gs_report check_sort(const struct gsi_options *options, size_t bytes, int round)
{
    struct gs_report report;
    struct gs_error error;
    if (gs_run(options, &report, &error) != GS_OK)
        test_fail("round %d, records of %u: %s", round, options->record_bytes, error.text);
    if (get_bytes("out", got, MOST_BYTES) != bytes || memcmp(got, want, bytes) != 0)
        test_fail("round %d, records of %u, %zu of them: wrong output", round,
                  options->record_bytes, bytes / options->record_bytes);
    assert_int_equal(report.tally.count, bytes / options->record_bytes);
    return report;
}

static const struct gsi_options on_any_gpu = {.record_bytes = 4, .device = GSI_DEVICE_CUDA};

/* The same on a GPU, with the CPU's counts. */
static struct gs_report check_on_gpu(struct gsi_options options, size_t bytes, int round,
                                     const struct gs_report *cpu)
{
    options.device = GSI_DEVICE_CUDA;
    struct gs_report gpu = check_sort(&options, bytes, round);
    assert_string_equal(gpu.device.name, "cuda");
    assert_memory_equal(gpu.tally.fingerprint, cpu->tally.fingerprint, 16);
    assert_int_equal(gpu.element.field_count, cpu->element.field_count);
    for (uint32_t i = 0; i < cpu->element.field_count;
         i++) { /* fields have no fingerprint of their own */
        struct gsi_tally_report counted = cpu->field_tallies[i];
        memcpy(counted.fingerprint, gpu.field_tallies[i].fingerprint, 16);
        assert_memory_equal(&gpu.field_tallies[i], &counted, sizeof counted);
    }
    return gpu;
}

/* Many runs have frames whose headers show equal first keys, and there is as little memory as
 * possible. Frames that are read early must not take the place of a frame that is needed. */
static void test_sort__keys_tie_beyond_what_frames_tell__no_starvation(void **state)
{
    (void)state;
    struct test_random random = test_random_make(2);
    const int step = test_is_small() ? 5 : 1; /* in four rounds, too, each way occurs */
    for (int round = 0; round < (test_is_small() ? 20 : 12); round += step) {
        struct record_model model = {.bytes = 64, .key_count = 1, .is_reversed = round % 3 == 0};
        model.keys[0] = record_key_make(0, "b", 60, false, round % 2 == 0);
        model.texts[0] = model.keys[0].text;
        size_t n = 40000 - test_below(&random, 100);
        record_fill(&random, round % 4 == 3 ? RECORD_FEW : RECORD_GROUPS, in, n, 64);
        if (round % 4 == 2) /* some runs are not needed for a long time */
            for (size_t i = n / 2; i < n; i++)
                memset(in + i * 64, 0xff, 40);
        put_bytes("in", in, n * 64);
        record_model_sort(&model, in, want, n);
        struct gsi_options options = options_of(&model);
        options.spill_all = true;
        options.thread_count = 1 + (uint32_t)round % 3;
        options.chunk_bytes = 16384 << round % 3;
        options.window_bytes = 16384;
        options.memory_bytes = (10u << 20) + options.thread_count * (1100u << 10);
        options.compress = GSI_COMPRESS_NONE;
        struct gs_report report = check_sort(&options, n * 64, round);
        assert_true(report.runs.count > 20);
    }
}

/* Keys share fewer and fewer bytes, so tags of earlier chunks must be shifted. */
static void test_sort__what_is_shared_shrinks__as_the_model(void **state)
{
    (void)state;
    struct test_random random = test_random_make(3);
    bool is_gpu_there = can_run(on_any_gpu, "GPU");
    for (int round = 0; round < (test_is_small() ? 4 : 8); round++) {
        struct record_model model = {.bytes = 40};
        size_t n = 50000;
        record_fill(&random, RECORD_RANDOM, in, n, 40);
        for (size_t i = 0; i < n; i++)
            memset(in + i * 40, 7, 36 - i * 36 / n);
        put_bytes("in", in, n * 40);
        record_model_sort(&model, in, want, n);
        struct gsi_options options = options_of(&model);
        options.thread_count = 1 + (uint32_t)round % 4;
        options.chunk_bytes = 65536;
        options.window_bytes = 16384;
        options.spill_all = round % 2 == 0;
        options.memory_bytes = 64u << 20;
        options.fan_in = round % 4 == 0 ? 5 : 0;
        struct gs_report report = check_sort(&options, n * 40, round);
        /* It may be an emulated one, and slow. */
        bool is_on_gpu = is_gpu_there && round < (test_is_small() ? 2 : 4);
        struct gsi_options on_gpu = options;
        on_gpu.chunk_bytes = 4 * options.chunk_bytes;
        on_gpu.merge_kernel = (enum gsi_merge_kernel)(round % GSI_MERGE_KERNEL_COUNT);
        if (is_on_gpu)
            check_on_gpu(on_gpu, n * 40, round, &report);
        on_gpu.device_memory_bytes = 22u << 19; /* some runs stay on it, some leave for the host */
        if (is_on_gpu && !options.spill_all) {
            struct gs_report gpu = check_on_gpu(on_gpu, n * 40, round, &report);
            assert_true(gpu.device.host_run_bytes > 0 && gpu.device.host_run_bytes < n * 40);
            on_gpu.device_memory_bytes = 42u << 18;
            on_gpu.chunk_bytes = 2 * options.chunk_bytes; /* too short for many to be held */
            gpu = check_on_gpu(on_gpu, n * 40, round, &report);
            assert_true(gpu.runs.spilled_count > 0 && gpu.device.host_run_bytes > 0);
        }
        options.memory_bytes = 11u << 20; /* some runs stay in memory, some do not */
        options.spill_all = false;
        options.thread_count = 1;
        report = check_sort(&options, n * 40, round);
        assert_true(report.runs.spilled_count > 0 &&
                    report.runs.spilled_count <= report.runs.count);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sort__keys_tie_beyond_what_frames_tell__no_starvation),
        cmocka_unit_test(test_sort__what_is_shared_shrinks__as_the_model),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown_empty);
}
