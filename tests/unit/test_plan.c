/* test_plan.c: plans against the committed table tests/golden/plans.csv, and the promises every
 * plan keeps, over a sweep of sizes and memories. Run: build/dev/bin/test_plan After a change that
 * is meant: GS_GOLDEN_WRITE=1 build/dev/bin/test_plan, then review the diff. */
#include "support/support.h"

#include "base/checked.h"
#include "plan/plan.h"

#define GIB ((uint64_t)1 << 30)
#define MIB ((uint64_t)1 << 20)

static struct gsi_plan_request request_of(uint64_t input_bytes, uint64_t memory_bytes,
                                          uint32_t threads)
{
    return (struct gsi_plan_request){.input_bytes = input_bytes,
                                     .memory_bytes = memory_bytes,
                                     .thread_count = threads,
                                     .thread_bytes = MIB + 300000};
}

static void check_promises(const struct gsi_plan_request *request, const struct gs_plan *plan)
{
    uint64_t windows = plan->window_count * plan->window_bytes;
    uint64_t chunk_memory = plan->arena_bytes - windows;
    bool is_good = plan->arena_bytes <= request->memory_bytes && plan->window_count >= 2 &&
                   plan->window_bytes % 4096 == 0 && plan->chunk_bytes % 4096 == 0 &&
                   plan->frame_bytes % 4096 == 0 && plan->frame_bytes <= plan->window_bytes;
    if (plan->spilled_runs == 0)
        is_good = is_good && chunk_memory >= request->input_bytes && plan->temp_bytes == 0;
    else
        is_good = is_good && plan->fan_in >= 2 && plan->temp_bytes >= plan->spilled_bytes &&
                  gsi_plan_feed_is_enough(plan,
                                          chunk_memory / plan->chunk_bytes -
                                              (plan->run_count - plan->spilled_runs) *
                                                  plan->chunks_per_run,
                                          gsi_min_u64(plan->spilled_runs, plan->fan_in));
    if (request->input_bytes != UINT64_MAX)
        is_good = is_good && plan->run_count * plan->chunks_per_run * plan->chunk_bytes >=
                                 request->input_bytes;
    if (!is_good)
        test_fail("input %llu, memory %llu, %u threads: the plan breaks a promise",
                  (unsigned long long)request->input_bytes,
                  (unsigned long long)request->memory_bytes, request->thread_count);
}

static void test_plan__any_size__keeps_its_promises(void **state)
{
    (void)state;
    struct test_random random = test_random_make(1);
    for (int i = 0; i < 20000; i++) {
        uint64_t memory =
            16 * MIB + test_below(&random, (uint64_t)1 << (24 + test_below(&random, 16)));
        uint64_t input = test_below(&random, (uint64_t)1 << (1 + test_below(&random, 45))) / 8 * 8;
        struct gsi_plan_request request =
            request_of(test_below(&random, 10) == 0 ? UINT64_MAX : input, memory,
                       1 + (uint32_t)test_below(&random, 64));
        request.spill_all = test_below(&random, 4) == 0;
        struct gs_plan plan;
        struct gs_error error = {0};
        enum gs_status status = gsi_plan_make(&request, &plan, &error);
        if (status == GS_E_USAGE && input / 1000 > memory && strstr(error.text, "too few"))
            continue; /* tables of so many frames would not fit */
        if (status != GS_OK)
            test_fail("input %llu, memory %llu: %s", (unsigned long long)request.input_bytes,
                      (unsigned long long)memory, error.text);
        check_promises(&request, &plan);
    }
}

static void test_plan__just_above_capacity__spills_little(void **state)
{
    (void)state;
    struct gs_plan plan;
    struct gs_error error = {0};
    for (uint64_t percent = 100; percent <= 200; percent += 5) {
        struct gsi_plan_request request = request_of(GIB * percent / 100 / 8 * 8, GIB, 2);
        assert_int_equal(gsi_plan_make(&request, &plan, &error), GS_OK);
        /* what does not fit, the feed of what was spilled, and one chunk of rounding */
        uint64_t over = request.input_bytes > 900 * MIB ? request.input_bytes - 900 * MIB : 0;
        if (plan.spilled_bytes > over + over / 4 + 300 * MIB)
            test_fail("%llu %%: spills %llu MiB", (unsigned long long)percent,
                      (unsigned long long)(plan.spilled_bytes / MIB));
    }
}

static void test_plan__memory_too_small__says_how_much(void **state)
{
    (void)state;
    struct gsi_plan_request request = request_of(GIB, 4 * MIB, 2);
    struct gs_plan plan;
    struct gs_error error = {0};
    assert_int_equal(gsi_plan_make(&request, &plan, &error), GS_E_USAGE);
    assert_non_null(strstr(error.text, "at least"));
}

static void test_plan__merge_groups__end_at_the_fan_in(void **state)
{
    (void)state;
    for (uint64_t fan_in = 2; fan_in < 40; fan_in++)
        for (uint64_t runs = fan_in + 1; runs < 500; runs++) {
            uint64_t left = runs;
            while (left > fan_in) {
                uint64_t group = gsi_plan_merge_group(left, fan_in);
                assert_in_range(group, 2, fan_in);
                left -= group - 1;
            }
            assert_int_equal(left, fan_in);
        }
}

struct golden {
    const char *name;
    uint64_t input_bytes, memory_bytes;
    uint32_t threads, fan_in;
    bool spill_all;
};

static const struct golden golden[] = {
    {"empty", 0, GIB, 2, 0, false},
    {"tiny", MIB, GIB, 2, 0, false},
    {"4G_in_12G", 4 * GIB, 12 * GIB, 2, 0, false},
    {"4G_in_1G", 4 * GIB, GIB, 2, 0, false},
    {"8G_in_512M", 8 * GIB, 512 * MIB, 2, 0, false},
    {"1.25G_in_1G", GIB + GIB / 4, GIB, 2, 0, false},
    {"256M_in_16M", 256 * MIB, 16 * MIB, 2, 0, false},
    {"1T_in_1G", 1024 * GIB, GIB, 2, 0, false},
    {"1T_in_64G_64_threads", 1024 * GIB, 64 * GIB, 64, 0, false},
    {"4G_in_1G_fan_in_4", 4 * GIB, GIB, 2, 4, false},
    {"1G_in_4G_spilled", GIB, 4 * GIB, 2, 0, true},
    {"stream_in_1G", UINT64_MAX, GIB, 2, 0, false},
};

static const char header[] = "name,chunk,per_run,window,windows,frame,arena,runs,spilled,fan_in,"
                             "passes,read,write,temp\n";

static void golden_line(const struct golden *row, char *line, size_t line_bytes)
{
    struct gsi_plan_request request = request_of(row->input_bytes, row->memory_bytes, row->threads);
    request.fan_in = row->fan_in;
    request.spill_all = row->spill_all;
    struct gs_plan p;
    struct gs_error error = {0};
    assert_int_equal(gsi_plan_make(&request, &p, &error), GS_OK);
    snprintf(line, line_bytes, "%s,%llu,%u,%llu,%u,%llu,%llu,%llu,%llu,%u,%u,%llu,%llu,%llu\n",
             row->name, (unsigned long long)p.chunk_bytes, p.chunks_per_run,
             (unsigned long long)p.window_bytes, p.window_count, (unsigned long long)p.frame_bytes,
             (unsigned long long)p.arena_bytes, (unsigned long long)p.run_count,
             (unsigned long long)p.spilled_runs, p.fan_in, p.merge_passes,
             (unsigned long long)p.read_bytes, (unsigned long long)p.write_bytes,
             (unsigned long long)p.temp_bytes);
}

static void test_plan__golden_rows__are_as_committed(void **state)
{
    (void)state;
    bool is_writing = getenv("GS_GOLDEN_WRITE") != NULL;
    FILE *file = fopen(GSORT_TESTS_DIR "/golden/plans.csv", is_writing ? "w" : "r");
    assert_non_null(file);
    char want[512] = "", line[512];
    if (is_writing)
        fputs(header, file);
    else
        assert_non_null(fgets(want, sizeof want, file));
    for (size_t i = 0; i < sizeof golden / sizeof golden[0]; i++) {
        golden_line(&golden[i], line, sizeof line);
        if (is_writing)
            fputs(line, file);
        else if (fgets(want, sizeof want, file) == NULL || strcmp(want, line) != 0)
            test_fail("plan changed:\n- %s+ %s", want, line);
    }
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plan__any_size__keeps_its_promises),
        cmocka_unit_test(test_plan__just_above_capacity__spills_little),
        cmocka_unit_test(test_plan__memory_too_small__says_how_much),
        cmocka_unit_test(test_plan__merge_groups__end_at_the_fan_in),
        cmocka_unit_test(test_plan__golden_rows__are_as_committed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
