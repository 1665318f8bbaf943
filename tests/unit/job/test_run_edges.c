/* test_run_edges.c: gs_run with numbers at the edges of 32, 63 and 64 bits in its options, where no
 * command line is in between: the bytes are right, or it is refused in one line and nothing is
 * written. And streams of more elements than positions can number.
 * Run: build/dev/tests/test_run_edges */
#include "support/scratch.h"

#include "base/report.h"
#include "element/carry/carry.h"
#include "support/struct_jobs.h"

#define COUNT 3000

/* Positions are counted as if there were so many times as many. */
#define POSITIONS_EACH ((uint64_t)1 << 22)

bool __real_gsi_carry_fits(uint64_t count, uint32_t index_bytes);
bool __wrap_gsi_carry_fits(uint64_t count, uint32_t index_bytes);

bool __wrap_gsi_carry_fits(uint64_t count, uint32_t index_bytes)
{
    return __real_gsi_carry_fits(count * POSITIONS_EACH, index_bytes);
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

enum field {
    MEMORY,
    CHUNK,
    WINDOW,
    DEVICE_MEMORY,
    TOP,
    HEADER,
    THREADS,
    FAN_IN,
    RECORD,
    LEVEL,
    PACKED,
    FIELD_COUNT
};
static const char *const names[FIELD_COUNT] = {"memory", "chunk",       "window",  "device memory",
                                               "top",    "header",      "threads", "fan-in",
                                               "record", "codec level", "zstd"};

static void set(struct gsi_options *options, enum field field, uint64_t value)
{
    uint32_t small = value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
    switch (field) {
    case MEMORY:
        options->memory_bytes = value;
        break;
    case CHUNK:
        options->chunk_bytes = value;
        break;
    case WINDOW:
        options->window_bytes = value;
        break;
    case DEVICE_MEMORY:
        options->device_memory_bytes = value;
        break;
    case TOP:
        options->has_top = true;
        options->top_count = value;
        break;
    case HEADER:
        options->header_bytes = value;
        break;
    case THREADS:
        options->thread_count = small;
        break;
    case FAN_IN:
        options->fan_in = small;
        break;
    case RECORD:
        options->record_bytes = small;
        break;
    case LEVEL:
        options->compress = GSI_COMPRESS_ZSTD;
        options->compress_level = small;
        break;
    default:
        options->output_zstd_level = small;
        break;
    }
}

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

static void run_one(struct gsi_options *options, enum field field, uint64_t value, const char *verb)
{
    struct gs_report report;
    struct gs_error error;
    set(options, field, value);
    unlink("out");
    enum gs_status status = gs_run(options, &report, &error);
    if (status == GS_E_USAGE || status == GS_E_INPUT) {
        if (error.text[0] == '\0' || strchr(error.text, '\n') != NULL || access("out", F_OK) == 0)
            test_fail("%s %llu, %s: refused badly: %s", names[field], (unsigned long long)value,
                      verb, error.text);
        return;
    }
    bool writes = options->action == GS_SORT;
    bool is_plain = field != HEADER && field != RECORD && field != PACKED;
    uint64_t wanted = field == TOP && value < COUNT ? value : COUNT;
    if (status != GS_OK || (writes && is_plain && !is_sorted_prefix(wanted)))
        test_fail("%s %llu, %s: status %d, %s", names[field], (unsigned long long)value, verb,
                  status, error.text);
}

static void test_run__each_number_at_each_edge__is_right_or_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum gs_action action;
        bool spill_all, unique;
    } verbs[] = {{"sort", GS_SORT, false, false},
                 {"spill", GS_SORT, true, false},
                 {"unique", GS_SORT, false, true},
                 {"stats", GS_STATS, false, false},
                 {"explain", GS_EXPLAIN, false, false}};
    for (size_t v = 0; v < (test_is_small() ? 2 : sizeof verbs / sizeof verbs[0]); v++)
        for (int field = 0; field < FIELD_COUNT; field++)
            for (size_t e = 0; e < EDGE_COUNT; e++) {
                struct gsi_options options = {.inputs = (const char *[]){"in"},
                                              .input_count = 1,
                                              .output = "out",
                                              .action = verbs[v].action,
                                              .spill_all = verbs[v].spill_all,
                                              .unique = verbs[v].unique};
                run_one(&options, (enum field)field, edges[e], verbs[v].name);
            }
}

/* How many there are shows only as they come. */
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
