/* test_top.c: the first elements in order against the slow model: every type, direction and shape,
 * and records with ties; in one pass and by a whole sort, from files and pipes, numbers wanted at
 * every border of buffers. Run: build/dev/tests/test_top */
#include "base/report.h"
#include "support/can_run.h"
#include "support/record_model.h"
#include "support/struct_jobs.h"

#define WINDOW_BYTES 8192
#define MOST_BYTES   ((size_t)8 << 20)

static uint8_t in[MOST_BYTES], want[MOST_BYTES], got[MOST_BYTES];

static int make_fifo(void **state)
{
    return scratch_setup(state) != 0 ? -1 : mkfifo("fifo", 0600);
}

static int remove_fifo(void **state)
{
    return unlink("fifo") != 0 ? -1 : scratch_teardown_empty(state);
}

/* A child that writes the input into the pipe. */
static pid_t feed_fifo(size_t bytes)
{
    pid_t child = fork();
    if (child != 0)
        return child;
    int fd = open("fifo", O_WRONLY);
    for (size_t off = 0; off < bytes;) {
        ssize_t moved = write(fd, in + off, bytes - off);
        if (moved <= 0)
            _exit(1);
        off += (size_t)moved;
    }
    _exit(0);
}

struct variant {
    const char *name;
    enum gsi_io_choice io;
    uint32_t threads;
    bool is_pipe, spill_all;
    enum gsi_device_word device;
};

static const struct variant variants[] = {
    {"file, 2 threads", GSI_IO_AUTO, 2, false, false, GSI_DEVICE_CPU},
    {"file, 1 thread, I/O by threads", GSI_IO_THREADS, 1, false, false, GSI_DEVICE_CPU},
    {"pipe, 3 threads", GSI_IO_AUTO, 3, true, false, GSI_DEVICE_CPU},
    {"everything sorted and spilled", GSI_IO_AUTO, 2, false, true, GSI_DEVICE_CPU},
    {"GPU", GSI_IO_AUTO, 2, false, false, GSI_DEVICE_CUDA},
    {"GPU, everything sorted and spilled", GSI_IO_THREADS, 2, false, true, GSI_DEVICE_CUDA},
};
#define VARIANT_COUNT     (sizeof variants / sizeof variants[0])
#define CPU_VARIANT_COUNT (VARIANT_COUNT - 2)

static struct gsi_options options_of(const struct variant *variant, uint64_t top)
{
    static const char *inputs[1];
    inputs[0] = variant->is_pipe ? "fifo" : "in";
    return (struct gsi_options){.inputs = inputs,
                                .input_count = 1,
                                .output = "out",
                                .has_top = true,
                                .top_count = top,
                                .memory_bytes = 64u << 20,
                                .thread_count = variant->threads,
                                .io = variant->io,
                                .device = variant->device,
                                .device_memory_bytes =
                                    variant->device == GSI_DEVICE_CUDA ? 32u << 20 : 0,
                                .window_bytes = WINDOW_BYTES,
                                .compress = GSI_COMPRESS_NONE,
                                .spill_all = variant->spill_all};
}

/* Run, and compare the output with the first `options->top_count` elements of `want`. */
static void check_run(const struct variant *variant, const struct gsi_options *options, size_t n,
                      size_t element_bytes, const char *what)
{
    struct gs_report report;
    struct gs_error error;
    int answer = 0;
    pid_t feeder = variant->is_pipe ? feed_fifo(n * element_bytes) : 0;
    enum gs_status status = gs_run(options, &report, &error);
    if (feeder != 0)
        assert_int_equal(waitpid(feeder, &answer, 0), feeder);
    if (status != GS_OK)
        test_fail("%s, %s, %zu elements, top %llu: %s", variant->name, what, n,
                  (unsigned long long)options->top_count, error.text);
    assert_int_equal(answer, 0);
    size_t bytes = (options->top_count < n ? options->top_count : n) * element_bytes;
    if (get_bytes("out", got, MOST_BYTES) != bytes || memcmp(got, want, bytes) != 0)
        test_fail("%s, %s, %zu elements, top %llu: wrong output", variant->name, what, n,
                  (unsigned long long)options->top_count);
    assert_int_equal(report.tally.count, n);
    assert_int_equal(report.output_bytes, bytes);
    if (variant->spill_all)
        assert_true(report.plan.top_room == 0 && (report.spilled_runs > 0 || n == 0));
    else if (!report.plan.is_counted && options->top_count <= (variant->is_pipe ? n : n / 8))
        assert_true(report.plan.top_room > 0 && report.run_count == 0);
    assert_true(variant->spill_all || report.spilled_runs == 0);
}

/* ---- numbers ---- */

static void check_numbers(const char *type, bool is_reversed, enum model_shape shape, size_t n,
                          size_t variant_count)
{
    struct test_random random = test_random_make((uint64_t)shape);
    size_t bytes = model_bytes(type), buffer = WINDOW_BYTES / bytes;
    const uint64_t tops[] = {0,          1,          10,    buffer - 1, buffer,
                             buffer + 1, 8 * buffer, n - 1, n,          UINT64_MAX};
    char what[64];
    snprintf(what, sizeof what, "%s, shape %d%s", type, shape, is_reversed ? ", reversed" : "");
    model_fill(&random, shape, type, in, n);
    memcpy(want, in, n * bytes);
    model_sort(type, is_reversed, want, n);
    put_bytes("in", in, n * bytes);
    for (size_t v = 0; v < variant_count; v++)
        for (size_t t = 0; t < sizeof tops / sizeof tops[0]; t++) {
            /* A part of them each, so that all come with every variant. A GPU may be an emulated
             * one, slow. */
            bool is_gpu = variants[v].device == GSI_DEVICE_CUDA;
            size_t part = test_is_small() ? 12 : 4;
            if ((t + v + (size_t)shape) % part != bytes % part || (is_gpu && shape % 4 != 0))
                continue;
            struct gsi_options options = options_of(&variants[v], tops[t]);
            options.type = type;
            options.reverse = is_reversed;
            check_run(&variants[v], &options, n, bytes, what);
        }
}

static void test_top__every_type_and_shape__as_the_model(void **state)
{
    (void)state;
    bool has_gpu = can_run(options_of(&variants[CPU_VARIANT_COUNT], 1), "GPU");
    size_t variant_count = has_gpu ? VARIANT_COUNT : CPU_VARIANT_COUNT;
    for (size_t t = 0; t < MODEL_TYPE_COUNT; t++)
        for (int shape = 0; shape < MODEL_SHAPE_COUNT; shape++)
            check_numbers(model_types[t], (t + (size_t)shape) % 2 != 0, (enum model_shape)shape,
                          30011, variant_count);
}

/* ---- records ---- */

static void test_top__records_with_random_keys__stable_as_the_model(void **state)
{
    (void)state;
    struct test_random random = test_random_make(11);
    int rounds = test_is_small() ? 20 : 60;
    for (int round = 0; round < rounds; round++) {
        struct record_model model;
        char what[64];
        record_model_make(&model, &random, 2 + (uint32_t)test_below(&random, 120));
        size_t n = 1 + test_below(&random, MOST_BYTES / 16 / model.bytes);
        enum record_shape shape = (enum record_shape)(round % RECORD_SHAPE_COUNT);
        snprintf(what, sizeof what, "round %d, records of %u", round, model.bytes);
        record_fill(&random, shape, in, n, model.bytes);
        put_bytes("in", in, n * model.bytes);
        record_model_sort(&model, in, want, n);
        for (size_t v = 0; v < CPU_VARIANT_COUNT; v++) {
            uint64_t most = test_below(&random, 3) == 0 ? n + 2 : n / 8 + 1;
            struct gsi_options options = options_of(&variants[v], test_below(&random, most));
            options.record_bytes = model.bytes;
            options.keys = model.texts;
            options.key_count = model.key_count;
            options.reverse = model.is_reversed;
            options.window_bytes = 32768; /* with room around records, and tags */
            check_run(&variants[v], &options, n, model.bytes, what);
        }
    }
}

/* So many are wanted that neither they nor the input fit into memory. */
static void test_top__more_than_fits__sorted_as_the_model(void **state)
{
    (void)state;
    struct test_random random = test_random_make(12);
    size_t n = MOST_BYTES / 64;
    struct record_model model = {.bytes = 64, .key_count = 1};
    model.keys[0] = record_key_make(0, "u16", 2, false, false);
    model.texts[0] = model.keys[0].text;
    record_fill(&random, RECORD_RANDOM, in, n, 64);
    put_bytes("in", in, n * 64);
    record_model_sort(&model, in, want, n);
    struct gsi_options options = options_of(&variants[0], n / 2);
    options.record_bytes = 64;
    options.keys = model.texts;
    options.key_count = 1;
    options.thread_count = 1;
    options.window_bytes = 16384;
    options.memory_bytes = 10u << 20;
    struct gs_report report;
    struct gs_error error;
    if (gs_run(&options, &report, &error) != GS_OK)
        test_fail("%s", error.text);
    assert_true(report.plan.top_room == 0 && report.spilled_runs > 0);
    assert_int_equal(get_bytes("out", got, MOST_BYTES), n / 2 * 64);
    assert_memory_equal(got, want, n / 2 * 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_top__every_type_and_shape__as_the_model),
        cmocka_unit_test(test_top__records_with_random_keys__stable_as_the_model),
        cmocka_unit_test(test_top__more_than_fits__sorted_as_the_model),
    };
    return cmocka_run_group_tests(tests, make_fifo, remove_fifo);
}
