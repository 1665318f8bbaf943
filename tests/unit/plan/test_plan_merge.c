/* test_plan_merge.c: plans of merges of sorted inputs: what every plan promises, and the passes and
 * bytes of some that can be counted by hand. Run: build/dev/tests/test_plan_merge */
#include "support/support.h"

#include "base/checked.h"
#include "plan/plan.h"

#define MIB         ((uint64_t)1 << 20)
#define GIB         ((uint64_t)1 << 30)
#define MOST_INPUTS 2000

static struct gsi_plan_request request_of(const uint64_t *bytes, uint64_t count,
                                          uint64_t memory_bytes)
{
    struct gsi_plan_request request = {.memory_bytes = memory_bytes,
                                       .thread_count = 2,
                                       .thread_bytes = MIB + 300000,
                                       .is_merge = true,
                                       .merge_bytes = bytes,
                                       .merge_count = count};
    for (uint64_t i = 0; i < count; i++)
        request.input_bytes = bytes[i] == UINT64_MAX || request.input_bytes == UINT64_MAX
                                  ? UINT64_MAX
                                  : request.input_bytes + bytes[i];
    return request;
}

static void check_promises(const struct gsi_plan_request *request, const struct gsi_plan *plan)
{
    const char *broken = NULL;
    uint64_t input = request->input_bytes, frame = plan->frame_bytes;
    uint64_t frames = (plan->arena_bytes - plan->window_count * plan->window_bytes) / frame;
    uint64_t inputs = gsi_min_u64(plan->run_count, plan->fan_in);
#define PROMISE(condition)                  \
    do {                                    \
        if (broken == NULL && !(condition)) \
            broken = #condition;            \
    } while (0)
    PROMISE(plan->is_merge && plan->run_count == request->merge_count);
    PROMISE(plan->arena_bytes <= request->memory_bytes);
    PROMISE(frame % 4096 == 0 && frame <= plan->window_bytes && frame == plan->chunk_bytes);
    PROMISE(plan->fan_in >= 2 && (request->fan_in == 0 || plan->fan_in <= request->fan_in));
    PROMISE(2 * inputs + gsi_plan_shared_frames(plan) <= frames);
    PROMISE((plan->merge_passes > 0) == (plan->run_count > plan->fan_in));
    PROMISE((plan->spilled_runs > 0) == (plan->merge_passes > 0));
    if (input != UINT64_MAX) {
        PROMISE(plan->read_bytes - plan->write_bytes == 0);
        PROMISE(plan->write_bytes >= input + plan->spilled_bytes);
        PROMISE(plan->merge_passes > 0 || plan->temp_bytes == 0);
        PROMISE(plan->merge_passes > 0 || plan->space_bytes == input);
        PROMISE(plan->spilled_bytes <= plan->merge_passes * input);
    }
    if (broken != NULL)
        test_fail("%llu inputs of %llu bytes, memory %llu, records of %u: not %s",
                  (unsigned long long)request->merge_count, (unsigned long long)input,
                  (unsigned long long)request->memory_bytes, request->record_bytes, broken);
}

static void test_plan_merge__any_inputs__keeps_its_promises(void **state)
{
    (void)state;
    static uint64_t bytes[MOST_INPUTS];
    struct test_random random = test_random_make(1);
    int passes = 0;
    for (int i = 0; i < 5000; i++) {
        uint64_t count = test_below(&random, (uint64_t)1 << test_below(&random, 11));
        bool has_stream = test_below(&random, 5) == 0;
        for (uint64_t k = 0; k < count; k++)
            bytes[k] =
                has_stream && test_below(&random, 3) == 0
                    ? UINT64_MAX
                    : 8 + test_below(&random, (uint64_t)1 << test_below(&random, 30)) / 8 * 8;
        uint64_t memory =
            20 * MIB + test_below(&random, (uint64_t)1 << (20 + test_below(&random, 16)));
        struct gsi_plan_request request = request_of(bytes, count, memory);
        if (test_below(&random, 3) == 0)
            request.fan_in = 2 + (uint32_t)test_below(&random, 20);
        if (test_below(&random, 4) == 0)
            request.window_bytes = 65536;
        if (test_below(&random, 3) == 0)
            request.record_bytes = 8 << test_below(&random, 8);
        struct gsi_plan plan;
        struct gs_error error = {0};
        enum gs_status status = gsi_plan_make(&request, &plan, &error);
        if (status == GS_E_USAGE &&
            request.input_bytes / (request.window_bytes > 0 ? 8 : 100) > memory)
            continue; /* tables of so many frames would not fit */
        if (status != GS_OK)
            test_fail("%llu inputs of %llu bytes, memory %llu, fan-in %u, window %llu, records of "
                      "%u: %s",
                      (unsigned long long)count, (unsigned long long)request.input_bytes,
                      (unsigned long long)memory, request.fan_in,
                      (unsigned long long)request.window_bytes, request.record_bytes, error.text);
        check_promises(&request, &plan);
        passes += plan.merge_passes > 0;
    }
    assert_true(passes > 100);
}

/* The neighbours that are shortest together are merged first; the last pass reads what is left. */
static void test_plan_merge__more_inputs_than_fan_in__fewest_bytes_move(void **state)
{
    (void)state;
    const uint64_t bytes[] = {8 * MIB, 8 * MIB, 4096, 8000, 8 * MIB, 800};
    struct gsi_plan_request request = request_of(bytes, 6, GIB);
    struct gsi_plan plan;
    struct gs_error error = {0};
    request.fan_in = 5;
    assert_int_equal(gsi_plan_make(&request, &plan, &error), GS_OK);
    check_promises(&request, &plan);
    assert_int_equal(plan.merge_passes, 1);
    assert_int_equal(plan.spilled_runs, 1);
    assert_int_equal(plan.spilled_bytes, 4096 + 8000);
    /* a frame of 12096 bytes with its header takes three pages */
    assert_int_equal(plan.write_bytes, request.input_bytes + 3 * 4096);
    struct gsi_merge_pass pass = gsi_merge_pass_make(6, 5);
    assert_int_equal(gsi_plan_pass_bytes(&plan, &pass), 4096 + 8000);
}

/* One merge, however large the inputs are and however little memory there is. */
static void test_plan_merge__huge_inputs_little_memory__one_pass(void **state)
{
    (void)state;
    const uint64_t bytes[] = {1024 * GIB, 1024 * GIB, 8};
    struct gsi_plan_request request = request_of(bytes, 3, 12 * MIB);
    struct gsi_plan plan;
    struct gs_error error = {0};
    assert_int_equal(gsi_plan_make(&request, &plan, &error), GS_OK);
    assert_int_equal(plan.merge_passes, 0);
    assert_int_equal(plan.temp_bytes, 0);
}

static void test_plan_merge__memory_too_small__says_so(void **state)
{
    (void)state;
    const uint64_t bytes[] = {GIB, GIB};
    struct gsi_plan_request request = request_of(bytes, 2, 4 * MIB);
    struct gsi_plan plan;
    struct gs_error error = {0};
    assert_int_equal(gsi_plan_make(&request, &plan, &error), GS_E_USAGE);
    assert_non_null(strstr(error.text, "too few"));
}

/* As the windows of a merge of one file grow, the tables do not fit, or the windows
 * themselves; each has its line. */
static void test_plan_merge__windows_grow__says_what_does_not_fit(void **state)
{
    (void)state;
    const uint64_t bytes[] = {40 * MIB};
    struct gsi_plan_request request = request_of(bytes, 1, 20 * MIB);
    bool was_planned = false, had_windows = false;
    for (request.window_bytes = MIB; !had_windows; request.window_bytes += 4096) {
        struct gsi_plan plan;
        struct gs_error error = {0};
        if (gsi_plan_make(&request, &plan, &error) == GS_OK) {
            was_planned = true;
            continue;
        }
        assert_int_equal(error.status, GS_E_USAGE);
        had_windows = strstr(error.text, "two windows of") != NULL;
        assert_true(had_windows || strstr(error.text, "too few to sort with") != NULL);
    }
    assert_true(was_planned);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plan_merge__any_inputs__keeps_its_promises),
        cmocka_unit_test(test_plan_merge__more_inputs_than_fan_in__fewest_bytes_move),
        cmocka_unit_test(test_plan_merge__huge_inputs_little_memory__one_pass),
        cmocka_unit_test(test_plan_merge__memory_too_small__says_so),
        cmocka_unit_test(test_plan_merge__windows_grow__says_what_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
