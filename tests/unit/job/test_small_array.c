/* test_small_array.c: sorts and argsorts small arrays on this thread and by a whole job, which
 * --io asks for. Bytes, reports and error lines are the same. Run: build/dev/tests/test_small_array
 */
#include "job/job_report.h"
#include "support/record_model.h"
#include "support/scratch.h"

#include "support/struct_jobs.h"

#define COUNT_MOST 3000
#define BYTES_MOST 40
#define GUARD      64

static const char *const types[] = {
    "uint8", "int8",  "u16",   "i16",   "f16",    "bf16",   "u32",       "i32",   "f32",
    "u64",   "i64",   "f64",   "u128",  "i128",   "time64", "time64[s]", "u16be", "f16be",
    "i32be", "f32be", "u64be", "f64be", "i128be", "bf16be", "time64be"};
#define TYPE_COUNT (sizeof types / sizeof types[0])

static uint8_t in[COUNT_MOST * BYTES_MOST];

/* A result of one way. */
struct result {
    _Alignas(GUARD) uint8_t room[2 * GUARD + COUNT_MOST * BYTES_MOST];
    uint64_t positions[COUNT_MOST + 1];
    enum gs_status status;
    struct gs_report report;
    struct gs_error error;
};
static struct result small, whole;

struct sample {
    struct gsi_options options;
    size_t n, bytes, off; /* off: from an aligned address */
    bool is_argsort;
    struct record_model model;
    const char *field;
    char field_text[24];
};

static void run(const struct sample *sample, const struct gsi_options *options,
                struct result *result)
{
    uint8_t *data = result->room + GUARD + sample->off;
    const size_t bytes = sample->n * sample->bytes;
    memset(result->room, 0xa5, sizeof result->room);
    memset(result->positions, 0xa5, sizeof result->positions);
    memcpy(data, in, bytes);
    result->status = sample->is_argsort
                         ? gs_argsort_array(data, bytes, options, result->positions,
                                            &result->report, &result->error)
                         : gs_sort_array(data, bytes, options, &result->report, &result->error);
}

/* Makes the parts equal that tell how the work was done. */
static void equate_costs(const struct gs_report *one, struct gs_report *other)
{
    other->engine = one->engine;
    other->device = one->device;
    other->plan = one->plan;
    other->runs = one->runs;
    other->cost = one->cost;
    other->presorted = one->presorted;
    other->one_pass = one->one_pass;
    other->groups.written_count = one->groups.written_count; /* without --unique it is unknown */
}

static bool check_equal(const struct sample *sample)
{
    struct gsi_options options = sample->options;
    run(sample, &options, &small);
    options.io = GSI_IO_THREADS;
    run(sample, &options, &whole);
    const bool is_small = small.report.engine.name == NULL;
    if (small.status != whole.status || strcmp(small.error.text, whole.error.text) != 0)
        test_fail("'%s', but a whole job says '%s'", small.error.text, whole.error.text);
    assert_memory_equal(small.room, whole.room, sizeof small.room);
    assert_memory_equal(small.positions, whole.positions, sizeof small.positions);
    assert_int_equal(small.report.cost.bytes_read, whole.report.cost.bytes_read);
    assert_int_equal(small.report.cost.bytes_written, whole.report.cost.bytes_written);
    equate_costs(&small.report, &whole.report);
    assert_memory_equal(&small.report, &whole.report, sizeof small.report);
    return is_small;
}

static void draw_numbers(struct sample *sample, struct test_random *random)
{
    bool is_big_endian;
    const char *type = types[test_below(random, TYPE_COUNT)];
    const struct gsi_type_word *word = gsi_type_word_find(type, strlen(type));
    sample->options.type = type;
    sample->options.reverse = test_below(random, 2) == 0;
    sample->bytes = gsi_number_type_find(word->type, strlen(word->type), &is_big_endian)->bytes;
    sample->off = test_below(random, 8) == 0 ? 1 + test_below(random, 15) : 0;
}

static void draw_records(struct sample *sample, struct test_random *random)
{
    static const char *const fields[] = {"uint8", "i16be", "f16", "f32", "time64", "f64be", "u128"};
    struct record_model *model = &sample->model;
    record_model_make(model, random, 1 + (uint32_t)test_below(random, BYTES_MOST));
    sample->options.record_bytes = model->bytes;
    sample->options.keys = model->texts;
    sample->options.key_count = model->key_count;
    sample->options.reverse = model->is_reversed;
    sample->options.ties_by_bytes = !sample->is_argsort && test_below(random, 4) == 0;
    if (test_below(random, 3) == 0 && model->bytes >= 16) {
        snprintf(sample->field_text, sizeof sample->field_text, "%u:%s",
                 (unsigned)test_below(random, model->bytes - 15),
                 fields[test_below(random, sizeof fields / sizeof fields[0])]);
        sample->field = sample->field_text;
        sample->options.stats_fields = &sample->field;
        sample->options.stats_field_count = 1;
    }
    sample->bytes = model->bytes;
    sample->off = test_below(random, 16);
}

static void test_small_array__any_elements__as_a_whole_job(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 2, 3, 100, 1000, COUNT_MOST};
    struct test_random random = test_random_make(1);
    int rounds = test_is_small() ? 300 : 1500, small_count = 0;
    for (int round = 0; round < rounds; round++) {
        struct sample sample = {.options = {.device = GSI_DEVICE_CPU, .thread_count = 1},
                                .is_argsort = test_below(&random, 2) == 0};
        sample.options.nan_place = (enum gsi_nan_place)test_below(&random, 3);
        (test_below(&random, 2) == 0 ? draw_numbers : draw_records)(&sample, &random);
        sample.n = 1 + test_below(&random, counts[test_below(&random, 7)] + 1) - 1;
        record_fill(&random, (enum record_shape)test_below(&random, RECORD_SHAPE_COUNT), in,
                    sample.n, (uint32_t)sample.bytes);
        small_count += check_equal(&sample);
    }
    assert_true(small_count > rounds / 2);
}

int main(void)
{
#define ROW(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)
    const struct CMUnitTest tests[] = {ROW(test_small_array__any_elements__as_a_whole_job)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
