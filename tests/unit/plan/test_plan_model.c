/* test_plan_model.c: what a model of GPUs says of a plan, against sums made by hand and against
 * what was measured on hosts with such GPUs (tools/gsort-bench/RESULTS.md); and models that are
 * none. Run: build/dev/tests/test_plan_model */
#include "support/support.h"

#include "option/options.h"
#include "plan/plan.h"
#include "plan/plan_model.h"

#include <math.h>

#define GIB ((uint64_t)1 << 30)

/* Links as `gsort-bench gpus` measured them on two H200. */
static struct gsi_device_model h200(uint32_t gpus, double input, double start_seconds)
{
    return (struct gsi_device_model){.name = "H200",
                                     .gpus = gpus,
                                     .memory = 139 * GIB,
                                     .to_gpu = gpus == 1 ? 54.9e9 : 55.2e9 * gpus,
                                     .from_gpu = gpus == 1 ? 55.3e9 : 55.2e9 * gpus,
                                     .peer = 369e9,
                                     .input = input,
                                     .start_seconds = start_seconds};
}

/* u64 that stay on the GPUs, in 16 parts of runs. */
static struct gsi_plan resident(uint64_t bytes, uint32_t gpus)
{
    return (struct gsi_plan){.input_bytes = bytes,
                             .read_bytes = bytes,
                             .output_bytes = bytes,
                             .run_count = 16 / gpus,
                             .device_runs = 16 / gpus,
                             .device_run_bytes = bytes / (16 / gpus)};
}

static double seconds_of(const struct gsi_prediction *time)
{
    return (double)(time->start_ns + time->read_ns + time->write_ns) / 1e9;
}

static void test_plan_model__jobs_that_were_measured__within_15_percent(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        uint64_t bytes;
        uint32_t gpus;
        double input, start, measured;
    } rows[] = {
        {"array of 64 GiB, one", 64 * GIB, 1, 0, 0.11, 2.70},
        {"array of 64 GiB, two", 64 * GIB, 2, 0, 0.11, 1.47},
        {"array of 16 GiB, one", 16 * GIB, 1, 0, 0.11, 0.744},
        {"array of 16 GiB, two", 16 * GIB, 2, 0, 0.11, 0.446},
        {"32 GiB on tmpfs, one", 32 * GIB, 1, 43e9, 0.6, 2.14},
        {"32 GiB on tmpfs, two", 32 * GIB, 2, 43e9, 0.6, 2.01},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gsi_device_model model = h200(rows[i].gpus, rows[i].input, rows[i].start);
        struct gsi_plan plan = resident(rows[i].bytes, rows[i].gpus);
        struct gsi_prediction time = gsi_plan_model_predict(&model, &plan, plan.input_bytes);
        double ratio = seconds_of(&time) / rows[i].measured;
        if (time.why_unknown != NULL || ratio < 0.85 || ratio > 1.15)
            test_fail("%s: %.3f s, measured %.3f s", rows[i].what, seconds_of(&time),
                      rows[i].measured);
    }
}

/* A host whose every rate is 1 GB/s but one; 16 GB on two GPUs. */
static void test_plan_model__what_is_slowest__bounds_a_phase(void **state)
{
    (void)state;
    static const double fast = 1e12, slow = 1e9;
    static const struct {
        size_t off;
        const char *read, *write;
        double read_seconds, write_seconds;
    } rows[] = {
        {offsetof(struct gsi_device_model, to_gpu), "links", NULL, 16, 0},
        {offsetof(struct gsi_device_model, input), "input", NULL, 16, 0},
        {offsetof(struct gsi_device_model, sort), "sorting", NULL, 8, 0},
        {offsetof(struct gsi_device_model, from_gpu), NULL, "links", 0, 16},
        {offsetof(struct gsi_device_model, output), NULL, "output", 0, 16},
        {offsetof(struct gsi_device_model, peer), NULL, "peers", 0, 4},
        {offsetof(struct gsi_device_model, merge), NULL, "merging", 0, 8},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gsi_device_model model = {.gpus = 2, .memory = 139 * GIB};
        for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
            memcpy((char *)&model + rows[k].off, k == i ? &slow : &fast, sizeof slow);
        struct gsi_plan plan = resident(16000000000, 2);
        struct gsi_prediction time = gsi_plan_model_predict(&model, &plan, plan.input_bytes);
        double last = (double)plan.device_run_bytes / 2 / model.sort;
        double read = (double)time.read_ns / 1e9 - last, write = (double)time.write_ns / 1e9;
        bool is_right = rows[i].read != NULL
                            ? strcmp(time.read_bound, rows[i].read) == 0 &&
                                  fabs(read - rows[i].read_seconds) < 1e-6 && write < 0.1
                            : strcmp(time.write_bound, rows[i].write) == 0 &&
                                  fabs(write - rows[i].write_seconds) < 1e-6 && read < 0.1;
        if (!is_right)
            test_fail("row %zu: read %g s (%s), write %g s (%s)", i, read, time.read_bound, write,
                      time.write_bound);
    }
}

/* More than 16 parts of runs are merged in two passes; of records, tags are sorted and merged. */
static void test_plan_model__merging__by_passes_and_tags(void **state)
{
    (void)state;
    struct gsi_device_model model = {
        .gpus = 1, .memory = GIB, .to_gpu = 1e12, .from_gpu = 1e12, .sort = 1e9, .merge = 1e9};
    struct gsi_plan plan = resident(16000000000, 1);
    struct gsi_prediction time = gsi_plan_model_predict(&model, &plan, plan.input_bytes);
    assert_int_equal(time.write_ns, 16000000000);
    plan.run_count = 17;
    time = gsi_plan_model_predict(&model, &plan, plan.input_bytes);
    assert_int_equal(time.write_ns, 32000000000);
    plan.record_bytes = 160;
    time = gsi_plan_model_predict(&model, &plan, plan.input_bytes);
    assert_int_equal(time.write_ns, 3200000000);
    assert_int_equal(time.read_ns, 1700000000);               /* with the last of 16 runs */
    time = gsi_plan_model_predict(&model, &plan, 1600000000); /* --top */
    assert_int_equal(time.write_ns, 320000000);
}

static void test_plan_model__what_it_does_not_know__is_said(void **state)
{
    (void)state;
    struct gsi_device_model model = h200(2, 0, 0);
    struct gsi_plan plan = resident(GIB, 2);
    plan.spilled_runs = 1;
    assert_non_null(gsi_plan_model_predict(&model, &plan, GIB).why_unknown);
    plan.spilled_runs = 0;
    plan.host_runs = 1;
    assert_non_null(gsi_plan_model_predict(&model, &plan, GIB).why_unknown);
    plan.host_runs = 0;
    plan.device_runs = 0;
    assert_non_null(gsi_plan_model_predict(&model, &plan, GIB).why_unknown);
    plan = resident(GIB, 2);
    plan.input_bytes = UINT64_MAX;
    assert_non_null(gsi_plan_model_predict(&model, &plan, GIB).why_unknown);
}

/* Numbers at their limits are times that can be printed. */
static void test_plan_model__longest_time__is_one(void **state)
{
    (void)state;
    struct gsi_device_model model = {
        .gpus = 16, .memory = 1, .to_gpu = 1, .from_gpu = 1, .peer = 1, .start_seconds = 1e6};
    struct gsi_options options = {.action = GS_EXPLAIN, .device_model = &model};
    struct gs_error error = {0};
    assert_int_equal(gsi_plan_model_check(options.device_model, &error), GS_OK);
    struct gsi_plan plan = resident(GSI_PLAN_MOST_BYTES, 16);
    struct gsi_prediction time = gsi_plan_model_predict(&model, &plan, plan.input_bytes);
    assert_int_equal(time.read_ns, (uint64_t)1 << 62);
    assert_true(seconds_of(&time) > 1e9);
}

static void test_plan_model__options__refused_in_one_line(void **state)
{
    (void)state;
    static const struct {
        const char *text; /* NULL: it is allowed */
        enum gs_action action;
        enum gsi_device_word device;
        uint32_t gpus;
        uint64_t memory;
        double to_gpu, peer, start_seconds;
    } rows[] = {
        {NULL, GS_EXPLAIN, GSI_DEVICE_AUTO, 16, 1, 1, 1, 0},
        {NULL, GS_EXPLAIN, GSI_DEVICE_AUTO, 1, 1, 1e18, 0, 0},
        {"gpus: 0 ", GS_EXPLAIN, GSI_DEVICE_AUTO, 0, 1, 1, 1, 0},
        {"gpus: 17 ", GS_EXPLAIN, GSI_DEVICE_AUTO, 17, 1, 1, 1, 0},
        {"memory: 0 ", GS_EXPLAIN, GSI_DEVICE_AUTO, 1, 0, 1, 1, 0},
        {"memory: ", GS_EXPLAIN, GSI_DEVICE_AUTO, 1, UINT64_MAX, 1, 1, 0},
        {"to_gpu: 0 ", GS_EXPLAIN, GSI_DEVICE_AUTO, 1, 1, 0, 1, 0},
        {"to_gpu: -5 ", GS_EXPLAIN, GSI_DEVICE_AUTO, 1, 1, -5, 1, 0},
        {"to_gpu: inf ", GS_EXPLAIN, GSI_DEVICE_AUTO, 1, 1, INFINITY, 1, 0},
        {"to_gpu: nan ", GS_EXPLAIN, GSI_DEVICE_AUTO, 1, 1, (double)NAN, 1, 0},
        {"peer: 0 ", GS_EXPLAIN, GSI_DEVICE_AUTO, 2, 1, 1, 0, 0},
        {"start_seconds: -1 ", GS_EXPLAIN, GSI_DEVICE_AUTO, 1, 1, 1, 1, -1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gsi_device_model model = {.gpus = rows[i].gpus,
                                         .memory = rows[i].memory,
                                         .to_gpu = rows[i].to_gpu,
                                         .from_gpu = 1,
                                         .peer = rows[i].peer,
                                         .start_seconds = rows[i].start_seconds};
        struct gsi_options options = {
            .action = rows[i].action, .device = rows[i].device, .device_model = &model};
        struct gs_error error = {0};
        enum gs_status status = gsi_plan_model_check(options.device_model, &error);
        bool is_right = rows[i].text == NULL
                            ? status == GS_OK
                            : status == GS_E_USAGE && strstr(error.text, rows[i].text) != NULL;
        if (!is_right)
            test_fail("row %zu: status %d, '%s'", i, status, error.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plan_model__jobs_that_were_measured__within_15_percent),
        cmocka_unit_test(test_plan_model__what_is_slowest__bounds_a_phase),
        cmocka_unit_test(test_plan_model__merging__by_passes_and_tags),
        cmocka_unit_test(test_plan_model__what_it_does_not_know__is_said),
        cmocka_unit_test(test_plan_model__longest_time__is_one),
        cmocka_unit_test(test_plan_model__options__refused_in_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
