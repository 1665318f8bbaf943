/* test_sort.c: whole sorts on a GPU against the slow model: every type, direction, shape and edge
 * size, resident and spilled; and merges of hundreds of runs. Sorts on processors:
 * test_short_jobs.c, test_sweep.c, model/run_model.py. Run: build/dev/tests/test_sort */
#include "base/report.h"
#include "support/can_run.h"
#include "support/model.h"
#include "support/struct_jobs.h"

#define CHUNK_BYTES  65536
#define WINDOW_BYTES 8192
#define MOST_BYTES   ((size_t)8 * 160001)

struct variant {
    const char *name;
    enum gsi_io_choice io;
    uint32_t threads;
    bool spill_all;
    uint32_t fan_in;
    uint64_t chunk_bytes;
    enum gsi_device_word device;
    enum gsi_compress_choice compress;
};

static const struct variant variants[] = {
    {"GPU, resident, one chunk", GSI_IO_AUTO, 2, false, 0, 0, GSI_DEVICE_CUDA, GSI_COMPRESS_NONE},
    {"GPU, resident", GSI_IO_THREADS, 2, false, 0, CHUNK_BYTES, GSI_DEVICE_CUDA, GSI_COMPRESS_NONE},
    {"GPU, spilled", GSI_IO_AUTO, 2, true, 0, CHUNK_BYTES, GSI_DEVICE_CUDA, GSI_COMPRESS_NONE},
    {"GPU, spilled, zstd", GSI_IO_AUTO, 2, true, 0, CHUNK_BYTES, GSI_DEVICE_CUDA,
     GSI_COMPRESS_ZSTD},
    {"GPU, spilled, small runs, fan-in 3", GSI_IO_THREADS, 1, true, 3, 8192, GSI_DEVICE_CUDA,
     GSI_COMPRESS_NONE},
    {"GPU, spilled, small runs, fan-in 3, deltas", GSI_IO_AUTO, 2, true, 3, 8192, GSI_DEVICE_CUDA,
     GSI_COMPRESS_DELTAS},
    {"GPU, spilled, small runs, fan-in 3, zstd", GSI_IO_AUTO, 2, true, 3, 8192, GSI_DEVICE_CUDA,
     GSI_COMPRESS_ZSTD},
};
#define VARIANT_COUNT (sizeof variants / sizeof variants[0])

static struct gsi_options options_of(const struct variant *variant, const char *type, bool reverse)
{
    static const char *const inputs[] = {"in"};
    return (struct gsi_options){.inputs = inputs,
                                .input_count = 1,
                                .output = "out",
                                .type = type,
                                .reverse = reverse,
                                .memory_bytes = 64u << 20,
                                .thread_count = variant->threads,
                                .fan_in = variant->fan_in,
                                .io = variant->io,
                                .device = variant->device,
                                .compress = variant->compress,
                                .chunk_bytes = variant->chunk_bytes,
                                .window_bytes = WINDOW_BYTES,
                                .spill_all = variant->spill_all,
                                .verify_read = true};
}

static void check_one(const struct variant *variant, const char *type, bool reverse,
                      enum model_shape shape, size_t n, const uint8_t *want, uint8_t *got)
{
    struct gsi_options options = options_of(variant, type, reverse);
    struct gs_report report;
    struct gs_error error;
    size_t bytes = n * model_bytes(type);
    enum gs_status status = gs_run(&options, &report, &error);
    if (status != GS_OK)
        test_fail("%s, %s, shape %d, %zu elements: %s", variant->name, type, shape, n, error.text);
    if (get_bytes("out", got, MOST_BYTES) != bytes || memcmp(got, want, bytes) != 0)
        test_fail("%s, %s, reverse %d, shape %d, %zu elements: wrong output", variant->name, type,
                  reverse, shape, n);
    assert_int_equal(report.tally.count, n);
    assert_int_equal(report.output_bytes, bytes);
    if (variant->spill_all && n > 0)
        assert_true(report.spilled_runs == report.run_count && report.run_count > 0);
    else
        assert_int_equal(report.spilled_runs, 0);
}

static void over_sizes(size_t t, bool reverse, enum model_shape shape, const bool *available)
{
    const char *type = model_types[t];
    static uint8_t in[MOST_BYTES], want[MOST_BYTES], got[MOST_BYTES];
    size_t bytes = model_bytes(type), chunk = CHUNK_BYTES / bytes, window = WINDOW_BYTES / bytes;
    const size_t sizes[] = {0,          1,         2,     3,         window - 1, window,
                            window + 1, chunk - 1, chunk, chunk + 1, 5003};
    const size_t size_count = sizeof sizes / sizeof sizes[0];
    struct test_random random = test_random_make((uint64_t)shape);
    for (size_t s = 0; s < size_count; s++) {
        /* All sizes for the first shape, the last one for the others. */
        if (shape != MODEL_UNIFORM && s + 1 < size_count)
            continue;
        size_t n = sizes[s];
        model_fill(&random, shape, type, in, n);
        memcpy(want, in, n * bytes);
        model_sort(type, reverse, want, n);
        put_bytes("in", in, n * bytes);
        for (size_t v = 0; v < VARIANT_COUNT; v++) {
            bool is_left_out = test_is_small() && (v + s + (size_t)shape + t) % 7 != 0;
            if (available[v] && !is_left_out)
                check_one(&variants[v], type, reverse, shape, n, want, got);
        }
    }
}

static void test_sort__every_type_shape_and_size__as_the_model(void **state)
{
    (void)state;
    bool available[VARIANT_COUNT];
    for (size_t v = 0; v < VARIANT_COUNT; v++)
        available[v] = can_run(options_of(&variants[v], "u32", false), variants[v].name);
    for (size_t t = 0; t < MODEL_TYPE_COUNT; t++)
        for (int shape = 0; shape < MODEL_SHAPE_COUNT; shape++)
            over_sizes(t, (t + (size_t)shape) % 2 != 0, (enum model_shape)shape, available);
}

/* Hundreds of runs of one window each, and intermediate merges. */
static void test_sort__hundreds_of_tiny_runs__as_the_model(void **state)
{
    (void)state;
    static uint8_t in[MOST_BYTES], want[MOST_BYTES], got[MOST_BYTES];
    const size_t n = MOST_BYTES / 8;
    struct test_random random = test_random_make(7);
    model_fill(&random, MODEL_UNIFORM, "i64", in, n);
    memcpy(want, in, n * 8);
    model_sort("i64", false, want, n);
    put_bytes("in", in, n * 8);
    static const struct variant tiny[] = {
        {"313 runs of 4 KiB", GSI_IO_AUTO, 2, true, 0, 4096, GSI_DEVICE_CPU, GSI_COMPRESS_NONE},
        {"313 runs of 4 KiB, fan-in 7", GSI_IO_THREADS, 3, true, 7, 4096, GSI_DEVICE_CPU,
         GSI_COMPRESS_NONE},
        {"313 runs of 4 KiB, fan-in 2", GSI_IO_AUTO, 2, true, 2, 4096, GSI_DEVICE_CPU,
         GSI_COMPRESS_NONE},
    };
    for (size_t v = 0; v < sizeof tiny / sizeof tiny[0]; v++) {
        struct gsi_options options = options_of(&tiny[v], "i64", false);
        struct gs_report report;
        struct gs_error error;
        options.window_bytes = 4096;
        if (tiny[v].fan_in == 0)
            options.memory_bytes = 1u << 30; /* for a fan-in above 313; little of it is touched */
        if (gs_run(&options, &report, &error) != GS_OK)
            test_fail("%s: %s", tiny[v].name, error.text);
        assert_int_equal(report.run_count, 313);
        assert_true((report.merge_passes > 0) == (tiny[v].fan_in > 0));
        assert_int_equal(get_bytes("out", got, MOST_BYTES), n * 8);
        assert_memory_equal(got, want, n * 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sort__every_type_shape_and_size__as_the_model),
        cmocka_unit_test(test_sort__hundreds_of_tiny_runs__as_the_model),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown_empty);
}
