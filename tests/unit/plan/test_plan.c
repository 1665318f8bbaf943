/* test_plan.c: compares plans with the committed table tests/golden/plans.csv. It also checks the
 * promises that every plan for the CPU keeps, over a sweep of sizes and memories. Run:
 * build/dev/tests/test_plan; after a change that is meant: GS_GOLDEN_WRITE=1
 * build/dev/tests/test_plan, then review the diff. */
#include "support/plan_request.h"

#include "base/checked.h"

/* Output and temporary files together have the input's bytes and a tenth. Exceptions are frames or
 * runs so small that headers and padding count, and inputs of few frames. */
static bool is_space_bounded(const struct gsi_plan_request *request, const struct gsi_plan *plan)
{
    bool is_small = plan->frame_bytes < 32768 ||
                    plan->chunk_bytes * plan->chunks_per_run < 262144 ||
                    request->input_bytes < 512 * plan->frame_bytes;
    if (request->keeps_runs)
        return plan->space_bytes >= plan->temp_bytes + plan->output_bytes;
    return request->input_bytes == UINT64_MAX || is_small ||
           plan->space_bytes <= request->input_bytes + request->input_bytes / 10;
}

static void check_promises(const struct gsi_plan_request *request, const struct gsi_plan *plan)
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
                  is_space_bounded(request, plan) &&
                  gsi_min_u64(plan->spilled_runs, plan->fan_in) <=
                      gsi_plan_runs_at_once(plan, chunk_memory / plan->chunk_bytes -
                                                      (plan->run_count - plan->spilled_runs) *
                                                          plan->chunks_per_run);
    if (request->input_bytes != UINT64_MAX)
        is_good = is_good && plan->run_count * plan->chunks_per_run * plan->chunk_bytes >=
                                 request->input_bytes;
    if (!is_good)
        fail_plan(request, "the plan breaks a promise");
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
        request.keeps_runs =
            request.spill_all && request.input_bytes != UINT64_MAX && test_below(&random, 2) == 0;
        struct gsi_plan plan;
        struct gs_error error = {0};
        enum gs_status status = gsi_plan_make(&request, &plan, &error);
        if (status == GS_E_USAGE && input / 1000 > memory && strstr(error.text, "too few"))
            continue; /* tables of so many frames would not fit */
        if (status != GS_OK)
            fail_plan(&request, error.text);
        check_promises(&request, &plan);
    }
}

static uint64_t any_size(struct test_random *random, unsigned least_bits, unsigned most_bits)
{
    uint64_t bits = least_bits + test_below(random, most_bits - least_bits);
    return ((uint64_t)1 << bits) + test_below(random, (uint64_t)1 << bits);
}

/* Frames and counts of 32 bits fit, or the plan is refused. This holds for windows and chunks of
 * any size, on machines with enough memory for them. */
static void test_plan__huge_windows_tiny_chunks__fit_into_32_bits(void **state)
{
    (void)state;
    struct test_random random = test_random_make(5);
    unsigned made = 0, refused = 0;
    for (int i = 0; i < 20000; i++) {
        struct gsi_plan_request request =
            request_of(any_size(&random, 20, 50) / 8 * 8, any_size(&random, 24, 50), 8);
        request.window_bytes = test_below(&random, 2) == 0 ? any_size(&random, 12, 40) : 0;
        request.chunk_bytes = test_below(&random, 2) == 0 ? any_size(&random, 12, 40) : 0;
        request.record_bytes = test_below(&random, 4) == 0 ? 100 : 0;
        request.element_bytes = request.record_bytes > 0 ? 100 : 8;
        request.spill_all = test_below(&random, 2) == 0;
        if (test_below(&random, 4) == 0)
            request.device_bytes = any_size(&random, 30, 44);
        struct gsi_plan plan;
        struct gs_error error = {0};
        if (gsi_plan_make(&request, &plan, &error) != GS_OK) {
            refused++;
            continue;
        }
        made++;
        uint64_t smallest =
            gsi_min_u64(plan.chunk_bytes, gsi_min_u64(plan.frame_bytes, plan.window_bytes));
        if (plan.frame_bytes > GSI_FRAME_BYTES_MAX || plan.run_count > UINT32_MAX ||
            plan.arena_bytes / smallest > UINT32_MAX)
            test_fail("memory %llu, window %llu, chunk %llu: frame %llu, %llu runs, %llu bytes",
                      (unsigned long long)request.memory_bytes,
                      (unsigned long long)request.window_bytes,
                      (unsigned long long)request.chunk_bytes, (unsigned long long)plan.frame_bytes,
                      (unsigned long long)plan.run_count, (unsigned long long)plan.arena_bytes);
    }
    assert_true(made > 1000 && refused > 1000);
}

/* ---- the first of all ---- */

static const struct {
    const char *name;
    uint64_t input_bytes, memory_bytes, top; /* elements */
    uint32_t record_bytes;                   /* 0: of 8 bytes each */
    bool spill_all, is_kept;
    uint64_t spilled_at_least;
} tops[] = {
    {"1000 of 4G in 1G", 4 * GIB, GIB, 1000, 0, false, true, 0},
    {"1000 of 4G in 12G", 4 * GIB, 12 * GIB, 1000, 0, false, true, 0},
    {"none", 4 * GIB, GIB, 0, 0, false, true, 0},
    {"half of what fits", 4 * GIB, 12 * GIB, GIB / 4, 0, false, false, 0},
    {"a fifth of what does not", 4 * GIB, 3 * GIB, GIB / 10, 0, false, true, 0},
    {"half of what does not", 4 * GIB, 3 * GIB, GIB / 4, 0, false, false, 1},
    {"more than there are", 4 * GIB, 12 * GIB, UINT64_MAX / 8, 0, false, false, 0},
    {"records with tags that fit", 64 * GIB, GIB, 4 * MIB, 80, false, true, 0},
    {"records with tags that do not", 64 * GIB, GIB, 5 * MIB, 80, false, false, 1},
    {"a stream", UINT64_MAX, GIB, 1000, 0, false, true, 0},
    {"a stream, more than fit", UINT64_MAX, GIB, GIB, 0, false, false, 1},
    {"everything is spilled", 4 * GIB, GIB, 1000, 0, true, false, 1},
};

static void test_top_plan__what_is_wanted_fits__one_pass(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof tops / sizeof tops[0]; i++) {
        struct gsi_plan_request request = request_of(tops[i].input_bytes, tops[i].memory_bytes, 2);
        request.record_bytes = tops[i].record_bytes;
        request.element_bytes = tops[i].record_bytes > 0 ? tops[i].record_bytes : 8;
        request.has_top = true;
        request.top_count = tops[i].top;
        request.top_bytes = tops[i].top * request.element_bytes;
        request.spill_all = tops[i].spill_all;
        const struct gsi_plan plan = plan_of(&request);
        bool is_bounded = plan.arena_bytes + plan.top_bytes <= request.memory_bytes;
        bool has_room = plan.top_room == 0 ||
                        plan.top_room >= 2 * gsi_min_u64(tops[i].top, request.input_bytes /
                                                                          request.element_bytes);
        uint64_t output = request.input_bytes == UINT64_MAX
                              ? UINT64_MAX
                              : gsi_min_u64(request.input_bytes, request.top_bytes);
        if ((plan.top_room > 0) != tops[i].is_kept || !has_room || !is_bounded ||
            plan.spilled_runs < tops[i].spilled_at_least ||
            (tops[i].spilled_at_least == 0 && plan.spilled_runs > 0) || plan.output_bytes != output)
            test_fail("%s: room for %llu, %llu spilled runs, output of %llu", tops[i].name,
                      (unsigned long long)plan.top_room, (unsigned long long)plan.spilled_runs,
                      (unsigned long long)plan.output_bytes);
        if (plan.top_room > 0 && output != UINT64_MAX)
            assert_true(plan.read_bytes == request.input_bytes && plan.write_bytes == output &&
                        plan.space_bytes == output);
    }
}

/* ---- what only reads ---- */

static void test_reduction_plan__any_memory__reads_ahead(void **state)
{
    (void)state;
    static const uint32_t records[] = {0, 100, 65536};
    for (uint64_t memory = 16 * MIB; memory <= 4 * GIB; memory += memory / 3)
        for (size_t r = 0; r < sizeof records / sizeof records[0]; r++) {
            struct gsi_plan_request request = request_of(4 * GIB, memory, 2);
            request.record_bytes = records[r];
            request.element_bytes = records[r] > 0 ? records[r] : 8;
            request.is_reduction = true;
            const struct gsi_plan plan = plan_of(&request);
            /* all transfers in flight, and a buffer for each thread */
            bool is_ahead = plan.window_count >= GSI_PLAN_READS_MIN + 2;
            if (plan.arena_bytes > memory / 2 || plan.chunk_bytes != plan.window_bytes ||
                plan.arena_bytes != plan.window_count * plan.window_bytes || !is_ahead)
                test_fail("%llu bytes of memory, records of %u: %u buffers of %llu",
                          (unsigned long long)memory, records[r], plan.window_count,
                          (unsigned long long)plan.window_bytes);
        }
}

/* ---- single promises ---- */

static void test_plan__just_above_capacity__spills_little(void **state)
{
    (void)state;
    for (uint64_t percent = 100; percent <= 200; percent += 5) {
        struct gsi_plan_request request = request_of(GIB * percent / 100 / 8 * 8, GIB, 2);
        const struct gsi_plan plan = plan_of(&request);
        /* what does not fit, the feed of what was spilled, and one chunk of rounding */
        uint64_t over = request.input_bytes > 900 * MIB ? request.input_bytes - 900 * MIB : 0;
        if (plan.spilled_bytes > over + over / 4 + 300 * MIB)
            test_fail("%llu %%: spills %llu MiB", (unsigned long long)percent,
                      (unsigned long long)(plan.spilled_bytes / MIB));
    }
}

/* In chunks, inline records need 16 bytes each. */
static void test_plan__inline_records__need_their_tags(void **state)
{
    (void)state;
    for (uint32_t bytes = 1; bytes <= 12; bytes++)
        for (uint64_t n = 100; n < (uint64_t)1 << 36; n *= 7) {
            uint64_t tags = n * GSI_TAG_BYTES;
            struct gsi_plan_request request = request_of(n * bytes, tags + tags / 8 + 64 * MIB, 2);
            request.record_bytes = request.element_bytes = bytes;
            request.are_inline = true;
            const struct gsi_plan plan = plan_of(&request);
            const uint64_t chunks = plan.arena_bytes - gsi_plan_window_region(&plan);
            if (plan.spilled_runs > 0 || chunks < tags || chunks > tags + tags / 16 + MIB)
                test_fail("%llu records of %u: %llu bytes of chunks", (unsigned long long)n, bytes,
                          (unsigned long long)chunks);
        }
}

static void test_plan__memory_too_small__is_refused(void **state)
{
    (void)state;
    struct gsi_plan_request request = request_of(GIB, 4 * MIB, 2);
    struct gsi_plan plan;
    struct gs_error error = {0};
    assert_int_equal(gsi_plan_make(&request, &plan, &error), GS_E_USAGE);
    assert_non_null(strstr(error.text, "too few"));
}

struct golden {
    const char *name;
    uint64_t input_bytes, memory_bytes;
    uint32_t threads, fan_in;
    bool spill_all;
    uint64_t device_bytes;
    bool is_reduction;
    uint64_t top_bytes;
};

static const struct golden golden[] = {
    {"empty", 0, GIB, 2, 0, false, 0, false, 0},
    {"tiny", MIB, GIB, 2, 0, false, 0, false, 0},
    {"4G_in_12G", 4 * GIB, 12 * GIB, 2, 0, false, 0, false, 0},
    {"4G_in_1G", 4 * GIB, GIB, 2, 0, false, 0, false, 0},
    {"8G_in_512M", 8 * GIB, 512 * MIB, 2, 0, false, 0, false, 0},
    {"1.25G_in_1G", GIB + GIB / 4, GIB, 2, 0, false, 0, false, 0},
    {"256M_in_16M", 256 * MIB, 16 * MIB, 2, 0, false, 0, false, 0},
    {"200M_in_12M", 200 * MIB, 12 * MIB, 2, 0, false, 0, false, 0},
    {"1T_in_1G", 1024 * GIB, GIB, 2, 0, false, 0, false, 0},
    {"1T_in_64G_64_threads", 1024 * GIB, 64 * GIB, 64, 0, false, 0, false, 0},
    {"4G_in_1G_fan_in_4", 4 * GIB, GIB, 2, 4, false, 0, false, 0},
    {"1G_in_64M_fan_in_3", GIB, 64 * MIB, 2, 3, true, 0, false, 0},
    {"1G_in_4G_spilled", GIB, 4 * GIB, 2, 0, true, 0, false, 0},
    {"stream_in_1G", UINT64_MAX, GIB, 2, 0, false, 0, false, 0},
    /* an H200, in a machine with much memory and in one with little */
    {"gpu_133G_1G_in_128G", GIB, 128 * GIB, 32, 0, false, 133 * GIB, false, 0},
    {"gpu_133G_32G_in_128G", 32 * GIB, 128 * GIB, 32, 0, false, 133 * GIB, false, 0},
    {"gpu_133G_120G_in_128G", 120 * GIB, 128 * GIB, 32, 0, false, 133 * GIB, false, 0},
    {"gpu_133G_200G_in_128G", 200 * GIB, 128 * GIB, 32, 0, false, 133 * GIB, false, 0},
    {"gpu_133G_1T_in_128G", 1024 * GIB, 128 * GIB, 32, 0, false, 133 * GIB, false, 0},
    {"gpu_133G_10T_in_128G", 10240 * GIB, 128 * GIB, 32, 0, false, 133 * GIB, false, 0},
    {"gpu_133G_stream_in_128G", UINT64_MAX, 128 * GIB, 32, 0, false, 133 * GIB, false, 0},
    {"gpu_133G_1T_in_4G", 1024 * GIB, 4 * GIB, 8, 0, false, 133 * GIB, false, 0},
    /* what only reads */
    {"reduce_4G_in_12G", 4 * GIB, 12 * GIB, 2, 0, false, 0, true, 0},
    {"reduce_4G_in_64M", 4 * GIB, 64 * MIB, 2, 0, false, 0, true, 0},
    {"reduce_4G_in_12M", 4 * GIB, 12 * MIB, 2, 0, false, 0, true, 0},
    {"reduce_4G_in_12G_64_threads", 4 * GIB, 12 * GIB, 64, 0, false, 0, true, 0},
    {"reduce_gpu_133G_4G_in_128G", 4 * GIB, 128 * GIB, 32, 0, false, 133 * GIB, true, 0},
    {"top_8K_of_4G_in_12G", 4 * GIB, 12 * GIB, 2, 0, false, 0, false, 8192},
    {"top_8K_of_4G_in_12M", 4 * GIB, 12 * MIB, 2, 0, false, 0, false, 8192},
    {"top_800M_of_32G_in_3G", 32 * GIB, 3 * GIB, 2, 0, false, 0, false, 800 * MIB},
};

static const char header[] =
    "name,chunk,per_run,window,windows,frame,arena,runs,spilled,fan_in,"
    "passes,read,write,temp,space,step,device,device_runs,device_run,mirror,"
    "spill,merge_read,merge_write,read_again\n";

static void golden_line(const struct golden *row, char *line, size_t line_bytes)
{
    struct gsi_plan_request request = request_of(row->input_bytes, row->memory_bytes, row->threads);
    request.fan_in = row->fan_in;
    request.spill_all = row->spill_all;
    request.device_bytes = row->device_bytes;
    request.device_scratch_part = DEVICE_SCRATCH_PART;
    request.is_reduction = row->is_reduction;
    request.has_top = row->top_bytes > 0;
    request.top_bytes = row->top_bytes;
    request.element_bytes = 8;
    request.top_count = row->top_bytes / request.element_bytes;
    const struct gsi_plan p = plan_of(&request);
    snprintf(line, line_bytes,
             "%s,%llu,%u,%llu,%u,%llu,%llu,%llu,%llu,%u,%u,%llu,%llu,%llu,%llu,%llu,%llu,%u,%llu,%"
             "llu,%llu,%llu,%llu,%llu\n",
             row->name, (unsigned long long)p.chunk_bytes, p.chunks_per_run,
             (unsigned long long)p.window_bytes, p.window_count, (unsigned long long)p.frame_bytes,
             (unsigned long long)p.arena_bytes, (unsigned long long)p.run_count,
             (unsigned long long)p.spilled_runs, p.fan_in, p.merge_passes,
             (unsigned long long)p.read_bytes, (unsigned long long)p.write_bytes,
             (unsigned long long)p.temp_bytes, (unsigned long long)p.space_bytes,
             (unsigned long long)p.disk_step_bytes, (unsigned long long)p.device_bytes,
             p.device_runs, (unsigned long long)p.device_run_bytes,
             (unsigned long long)p.device_mirror_bytes,
             (unsigned long long)p.moves[GS_PHASE_READ].bytes_written,
             (unsigned long long)p.moves[GS_PHASE_MERGE_RUNS].bytes_read,
             (unsigned long long)p.moves[GS_PHASE_MERGE_RUNS].bytes_written,
             (unsigned long long)p.moves[GS_PHASE_WRITE].bytes_read);
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

static double transfers(const struct gsi_plan *plan)
{
    uint64_t spilled = plan->write_bytes - plan->output_bytes;
    return 2.0 * (double)spilled / (double)plan->frame_bytes +
           (double)plan->output_bytes / (double)plan->window_bytes +
           (double)plan->input_bytes / (double)plan->chunk_bytes;
}

/* Many disks limit the number of transfers. With a little more memory there must not be many more
 * of them, as there would be with frames of half the size. */
static void test_plan__a_little_more_memory__is_not_more_transfers(void **state)
{
    (void)state;
    static const uint64_t inputs[] = {128 * MIB, 512 * MIB, 2 * GIB, 8 * GIB};
    for (size_t i = 0; i < 2 * sizeof inputs / sizeof inputs[0]; i++) {
        double before = 0;
        for (uint64_t memory = 12 * MIB; memory <= 96 * MIB; memory += MIB / 4) {
            struct gsi_plan_request request = request_of(inputs[i / 2], memory, 2);
            request.may_write_early = i % 2 != 0;
            struct gsi_plan plan;
            struct gs_error error = {0};
            if (gsi_plan_make(&request, &plan, &error) != GS_OK)
                continue; /* 8 GiB in less than 16 MiB */
            if (before > 0 && transfers(&plan) > 1.5 * before)
                test_fail("%llu bytes in %llu: %.0f transfers, %.0f in less memory",
                          (unsigned long long)inputs[i / 2], (unsigned long long)memory,
                          transfers(&plan), before);
            before = transfers(&plan);
        }
    }
}

/* Inputs in order are written in one pass with any memory, not only with some. Known exception: an
 * input of more than 400 times the memory. */
#define ONE_PASS_MOST 400

static void test_plan__any_memory_that_spills__has_one_pass(void **state)
{
    (void)state;
    static const uint64_t mib[] = {256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 16384};
    for (size_t i = 0; i < sizeof mib / sizeof mib[0]; i++)
        for (uint32_t threads = 1; threads <= 8; threads *= 2)
            for (uint64_t memory = (20 + 4 * threads) * MIB; memory <= 256 * MIB; memory += MIB) {
                struct gsi_plan_request request = request_of(mib[i] * MIB, memory, threads);
                struct gsi_plan plan;
                struct gs_error error = {0};
                request.may_write_early = true;
                if (gsi_plan_make(&request, &plan, &error) != GS_OK || plan.spilled_runs == 0)
                    continue;
                check_promises(&request, &plan);
                if (plan.late_bytes == 0 && mib[i] * MIB <= ONE_PASS_MOST * memory)
                    test_fail("%llu MiB in %llu MiB, %u threads: no one pass",
                              (unsigned long long)mib[i], (unsigned long long)(memory / MIB),
                              threads);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plan__any_size__keeps_its_promises),
        cmocka_unit_test(test_plan__huge_windows_tiny_chunks__fit_into_32_bits),
        cmocka_unit_test(test_top_plan__what_is_wanted_fits__one_pass),
        cmocka_unit_test(test_reduction_plan__any_memory__reads_ahead),
        cmocka_unit_test(test_plan__just_above_capacity__spills_little),
        cmocka_unit_test(test_plan__inline_records__need_their_tags),
        cmocka_unit_test(test_plan__memory_too_small__is_refused),
        cmocka_unit_test(test_plan__a_little_more_memory__is_not_more_transfers),
        cmocka_unit_test(test_plan__any_memory_that_spills__has_one_pass),
        cmocka_unit_test(test_plan__golden_rows__are_as_committed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
