/* test_split.c: random sorts and merges into several files, by counts and by values, against a
 * model that cuts the whole output up: numbers and records, ties, empty files, --unique, --top,
 * --where, both engines, resident and spilled. Run: build/dev/tests/test_split */
#include "base/report.h"
#include "support/can_run.h"
#include "support/random_elements.h"
#include "support/struct_jobs.h"

#define ROUNDS     150
#define MOST       6000
#define MOST_BYTES ((size_t)40 * MOST)
#define FILES      3
#define VALUES     4

static uint8_t in[MOST_BYTES], want[MOST_BYTES], got[MOST_BYTES];
static const char *const names[FILES] = {"in0", "in1", "in2"};

struct a_case {
    struct random_elements elements;
    size_t n, begin[FILES + 1];
    size_t all, count; /* of what --top takes from; of what comes out */
    struct gsi_options options;
    struct record_model first; /* the first key alone */
    char texts[VALUES][96];
    const char *values[VALUES];
    uint8_t cuts[VALUES][40]; /* elements with these values */
};

static const uint8_t *element_at(const struct a_case *c, const uint8_t *data, size_t i)
{
    return data + i * c->elements.model.bytes;
}

/* The same number with the other sign, if it is a zero: no value tells them apart. */
static bool is_twin(const struct a_case *c, const uint8_t *element, const char *text,
                    const uint8_t *value)
{
    const struct record_key *key = &c->first.keys[0];
    bool is_zero = c->first.key_count > 0 &&
                   (key->type[0] == 'f' || strcmp(key->type, "bf16") == 0) &&
                   (strcmp(text, "0") == 0 || strcmp(text, "-0") == 0);
    uint8_t twin[40];
    memcpy(twin, value, c->elements.model.bytes);
    if (is_zero)
        twin[key->off + (key->is_big_endian ? 0 : key->bytes - 1)] ^= 0x80;
    return record_model_compare(&c->first, element, is_zero ? twin : value) == 0;
}

/* Values of some elements, in the order of the output, each once. */
static void make_values(struct test_random *random, struct a_case *c)
{
    struct gsi_options options = look_options(&c->options);
    struct gs_report look;
    size_t wanted = 1 + test_below(random, VALUES), at = 0;
    assert_int_equal(gs_run(&options, &look, NULL), GS_OK);
    while (wanted-- > 0 && at < c->all) {
        size_t i = c->options.split_value_count;
        at += test_below(random, c->all - at);
        memcpy(c->cuts[i], element_at(c, want, at), c->elements.model.bytes);
        random_elements_value(&c->elements, &look, c->cuts[i], c->texts[i]);
        bool is_again =
            i > 0 && (record_model_compare(&c->first, c->cuts[i], c->cuts[i - 1]) == 0 ||
                      is_twin(c, c->cuts[i], c->texts[i - 1], c->cuts[i - 1]));
        if (strcasestr(c->texts[i], "na") != NULL || is_again)
            continue;
        c->values[i] = c->texts[i];
        c->options.split_value_count++;
    }
    c->options.split_values = c->values;
}

/* All that comes out, in order; the model takes the first of equal keys. */
static void make_output(struct a_case *c)
{
    size_t bytes = c->elements.model.bytes;
    record_model_sort(&c->elements.model, in, want, c->n);
    c->count = c->n;
    if (c->options.unique) {
        c->count = c->n > 0;
        for (size_t i = 1; i < c->n; i++)
            if (record_model_compare(&c->elements.model, element_at(c, want, i),
                                     element_at(c, want, c->count - 1)) != 0)
                memmove(want + c->count++ * bytes, want + i * bytes, bytes);
    }
    c->all = c->count;
    if (c->options.has_top && c->options.top_count < c->count)
        c->count = c->options.top_count;
}

static void make_case(struct test_random *random, struct a_case *c)
{
    static const size_t sizes[] = {0, 1, 2, 63, 1025, MOST};
    static const uint32_t counts[] = {1, 2, 3, 5, 12};
    memset(c, 0, sizeof *c);
    c->n = sizes[test_below(random, 6)];
    random_elements_make(&c->elements, random, in, c->n);
    c->begin[FILES] = c->n;
    for (size_t i = 1; i < FILES; i++)
        c->begin[i] = c->begin[i - 1] + test_below(random, c->n - c->begin[i - 1] + 1);
    c->options = (struct gsi_options){.inputs = names,
                                      .input_count = FILES,
                                      .output = "out.%02d",
                                      .merge = test_below(random, 3) == 0,
                                      .memory_bytes = (uint64_t)32 << 20,
                                      .thread_count = 2};
    c->options.spill_all = !c->options.merge && test_below(random, 2) == 0;
    c->options.window_bytes = test_below(random, 2) == 0 ? 12288 : 0;
    c->options.io = test_below(random, 2) == 0 ? GSI_IO_AUTO : GSI_IO_THREADS;
    c->options.has_top = test_below(random, 5) == 0;
    c->options.top_count = test_below(random, c->n + 2);
    bool by_values = test_below(random, 2) == 0;
    c->options.unique = by_values && test_below(random, 3) == 0;
    random_elements_options(&c->elements, &c->options);
    random_elements_write(&c->elements, in, c->begin, names, FILES, c->options.merge, got);
    c->first = c->elements.model;
    c->first.key_count = c->first.key_count > 0 ? 1 : 0;
    make_output(c);
    if (by_values)
        make_values(random, c);
    if (c->options.split_value_count == 0) {
        c->options.split_count = counts[test_below(random, 5)];
        c->options.unique = false;
        make_output(c);
    }
}

/* The first element of file i, from 0 on. */
static size_t begin_of(const struct a_case *c, size_t i, size_t files)
{
    if (c->options.split_count > 0)
        return c->count * i / files;
    if (i == 0 || i == files)
        return i == 0 ? 0 : c->count;
    size_t at = 0;
    while (at < c->count &&
           record_model_compare(&c->first, element_at(c, want, at), c->cuts[i - 1]) < 0 &&
           !is_twin(c, element_at(c, want, at), c->texts[i - 1], c->cuts[i - 1]))
        at++;
    return at;
}

static void check_case(const struct a_case *c)
{
    struct gs_report report;
    struct gs_error error;
    size_t bytes = c->elements.model.bytes;
    if (gs_run(&c->options, &report, &error) != GS_OK)
        test_fail("%zu elements of %zu bytes: %s", c->n, bytes, error.text);
    size_t files =
        c->options.split_count > 0 ? c->options.split_count : c->options.split_value_count + 1;
    uint64_t all = 0;
    assert_int_equal(report.split_count, files);
    assert_true(report.memory_peak_bytes <= report.plan.memory_bytes);
    for (size_t i = 0; i < files; i++) {
        char name[32];
        size_t begin = begin_of(c, i, files), end = begin_of(c, i + 1, files);
        snprintf(name, sizeof name, "out.%02zu", i + 1);
        size_t length = get_bytes(name, got, sizeof got);
        if (length != (end - begin) * bytes || memcmp(got, want + begin * bytes, length) != 0)
            test_fail("%zu elements of %zu bytes, %s %s, file %zu of %zu: %zu bytes, not elements "
                      "%zu to %zu",
                      c->n, bytes, c->elements.is_record ? "records" : c->options.type, c->texts[0],
                      i + 1, files, length, begin, end);
        assert_int_equal(report.split_counts[i], end - begin);
        all += length;
        remove(name);
    }
    assert_int_equal(report.output_file_bytes, all);
}

static void test_split__random_cases__as_the_model(void **state)
{
    static struct a_case c;
    (void)state;
    struct test_random random = test_random_make(23);
    if (!can_run((struct gsi_options){0}, "split"))
        return;
    for (size_t cases = test_is_small() ? ROUNDS / 6 : ROUNDS; cases > 0; cases--) {
        make_case(&random, &c);
        check_case(&c);
    }
    for (size_t i = 0; i < FILES; i++)
        remove(names[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_split__random_cases__as_the_model),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown_empty);
}
