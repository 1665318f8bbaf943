/* test_run_edges.c: runs jobs with numbers at the limits of 32, 63 and 64 bits in their options.
 * The bytes are right, or the job is refused in one line and nothing is written. Also tests streams
 * of more elements than positions can number. Run: build/dev/tests/test_run_edges */
#include "support/scratch.h"

#include "element/entry/entry_map.h"
#include "job/job_report.h"
#include "support/struct_jobs.h"

#define COUNT 3000

/* Positions are counted as if there were so many times as many. */
#define POSITIONS_EACH ((uint64_t)1 << 22)

bool __real_gsi_entry_positions_fit(uint64_t count, uint32_t index_bytes);
bool __wrap_gsi_entry_positions_fit(uint64_t count, uint32_t index_bytes);

bool __wrap_gsi_entry_positions_fit(uint64_t count, uint32_t index_bytes)
{
    return __real_gsi_entry_positions_fit(count * POSITIONS_EACH, index_bytes);
}

static const uint64_t edges[] = {0,
                                 1,
                                 2,
                                 7,
                                 UINT32_MAX,
                                 (uint64_t)1 << 32,
                                 INT64_MAX,
                                 (uint64_t)1 << 63,
                                 UINT64_MAX - 4095,
                                 UINT64_MAX};
#define EDGE_COUNT (sizeof edges / sizeof edges[0])

static const struct field {
    const char *name, *format;
    bool is_plain; /* what is written does not follow from it */
} fields[] = {
    {"memory", "%llu", true},        {"chunk", "%llu", true},      {"window", "%llu", true},
    {"device-memory", "%llu", true}, {"top", "%llu", true},        {"header", "%llu", false},
    {"parallel", "%llu", true},      {"batch-size", "%llu", true}, {"record", "%llu", false},
    {"compress", "zstd:%llu", true}, {"zstd", "%llu", false}};
#define FIELD_COUNT (sizeof fields / sizeof fields[0])

static int write_input(void **state)
{
    struct test_random random = test_random_make(4);
    if (scratch_setup(state) != 0)
        return -1;
    FILE *file = fopen("in", "wb");
    for (int i = 0; file != NULL && i < COUNT; i++) {
        uint64_t value = test_next(&random);
        fwrite(&value, sizeof value, 1, file);
    }
    return file == NULL || fclose(file) != 0;
}

/* Whether `out` holds the first `count` of the input in order. */
static bool is_sorted_prefix(uint64_t count)
{
    uint64_t last = 0, value, found = 0;
    FILE *file = fopen("out", "rb");
    for (; file != NULL && fread(&value, sizeof value, 1, file) == 1 && value >= last; found++)
        last = value;
    if (file != NULL)
        fclose(file);
    return found == count;
}

/* An action, and an option of it. */
static const struct verb {
    const char *name, *option, *value;
    enum gs_action action;
} verbs[] = {{"sort", "raw", "false", GS_SORT},
             {"spill", "spill", "always", GS_SORT},
             {"unique", "unique", "true", GS_SORT},
             {"stats", "raw", "false", GS_STATS},
             {"explain", "raw", "false", GS_EXPLAIN}};

static void run_one(const struct field *field, uint64_t value, const struct verb *verb)
{
    char text[32];
    gs_job *job = gs_job_create();
    snprintf(text, sizeof text, field->format, (unsigned long long)value);
    unlink("out");
    gs_job_add(job, "input", "in");
    if (verb->action != GS_STATS)
        gs_job_set(job, "output", "out");
    gs_job_set(job, verb->option, verb->value);
    gs_job_set(job, field->name, text);
    enum gs_status status = gs_job_run(job, verb->action);
    const struct gs_error *error = gs_job_error(job);
    if (status == GS_E_USAGE || status == GS_E_INPUT) {
        if (error->text[0] == '\0' || strchr(error->text, '\n') != NULL || access("out", F_OK) == 0)
            test_fail("%s %s, %s: refused badly: %s", field->name, text, verb->name, error->text);
    } else {
        uint64_t wanted = strcmp(field->name, "top") == 0 && value < COUNT ? value : COUNT;
        bool is_written = verb->action == GS_SORT && field->is_plain;
        if (status != GS_OK || (is_written && !is_sorted_prefix(wanted)))
            test_fail("%s %s, %s: status %d, %s", field->name, text, verb->name, status,
                      error->text);
    }
    gs_job_free(job);
}

static void test_run__each_number_at_each_edge__is_right_or_refused(void **state)
{
    (void)state;
    for (size_t v = 0; v < (test_is_small() ? 2 : sizeof verbs / sizeof verbs[0]); v++)
        for (size_t f = 0; f < FIELD_COUNT; f++)
            for (size_t e = 0; e < EDGE_COUNT; e++)
                run_one(&fields[f], edges[e], &verbs[v]);
}

/* Their number is unknown until they are read. */
static void test_run__stream_of_more_than_4_bytes_number__is_refused(void **state)
{
    (void)state;
    static const uint64_t elements[1025];
    for (size_t count = 1024; count <= 1025; count++) {
        int ends[2];
        char name[32];
        struct gs_report report;
        struct gs_error error = {0};
        assert_int_equal(pipe(ends), 0);
        assert_int_equal(write(ends[1], elements, 8 * count), 8 * count);
        close(ends[1]);
        snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
        struct gsi_options options = {.inputs = (const char *[]){name},
                                      .input_count = 1,
                                      .output = "out",
                                      .type = "u64",
                                      .argsort = true,
                                      .index_bytes = 4,
                                      .device = GSI_DEVICE_CPU};
        bool fits = count == 1024;
        assert_int_equal(gs_run(&options, &report, &error), fits ? GS_OK : GS_E_INPUT);
        assert_true(fits || strstr(error.text, "--index u64") != NULL);
        assert_int_equal(unlink("out"), fits ? 0 : -1);
        close(ends[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_run__each_number_at_each_edge__is_right_or_refused,
                                        write_input, scratch_teardown_empty),
        cmocka_unit_test_setup_teardown(test_run__stream_of_more_than_4_bytes_number__is_refused,
                                        scratch_setup, scratch_teardown),
    };
    return cmocka_run_group_tests_name("run_edges", tests, NULL, NULL);
}
