/* test_find.c: what --find finds in sorted files, numbers and records, is what --where keeps of
 * them (test_where.c has a model of that), and it is where it is said to be; what it refuses as the
 * wrong way round is. Run: build/dev/tests/test_find */
#include "base/report.h"
#include "support/can_run.h"
#include "support/random_elements.h"
#include "support/struct_jobs.h"

#define ROUNDS     300
#define MOST       4000
#define MOST_BYTES ((size_t)40 * MOST)
#define FILES      3

static uint8_t in[MOST_BYTES], want[MOST_BYTES], got[MOST_BYTES];
static const char *const names[FILES] = {"in0", "in1", "in2"};

struct a_case {
    struct random_elements elements;
    size_t n, begin[FILES + 1];
    struct gsi_options options; /* a merge of all files */
    char field[64];             /* the first key, as --where has it; numbers: nothing */
    char low[96], high[96];     /* empty: open */
    bool is_value;              /* `low` alone */
};

static void make_files(struct test_random *random, struct a_case *c)
{
    static const size_t sizes[] = {0, 1, 2, 63, 1025, MOST};
    memset(c, 0, sizeof *c);
    c->n = sizes[test_below(random, 6)];
    random_elements_make(&c->elements, random, in, c->n);
    c->begin[FILES] = c->n;
    for (size_t i = 1; i < FILES; i++)
        c->begin[i] = c->begin[i - 1] + test_below(random, c->n - c->begin[i - 1] + 1);
    random_elements_write(&c->elements, in, c->begin, names, FILES, true, got);
    c->options = (struct gsi_options){.inputs = names,
                                      .input_count = FILES,
                                      .output = "out",
                                      .merge = true,
                                      .memory_bytes = (uint64_t)32 << 20,
                                      .thread_count = 2};
    random_elements_options(&c->elements, &c->options);
}

/* A value that occurs, mostly, or a range between two. */
static void make_values(struct test_random *random, struct a_case *c)
{
    struct gsi_options options = look_options(&c->options);
    struct gs_report look;
    uint8_t element[2][40] = {{0}};
    assert_int_equal(gs_run(&options, &look, NULL), GS_OK);
    for (int i = 0; i < 2 && c->n > 0; i++) {
        memcpy(element[i], in + test_below(random, c->n) * c->elements.model.bytes,
               c->elements.model.bytes);
        if (test_below(random, 3) == 0)
            element[i][test_below(random, c->elements.model.bytes)] ^= 1;
    }
    random_elements_value(&c->elements, &look, element[0], c->low);
    random_elements_value(&c->elements, &look, element[1], c->high);
    c->is_value = test_below(random, 2) == 0 || strcasestr(c->low, "na") != NULL ||
                  strcasestr(c->high, "na") != NULL;
    if (!c->is_value && test_below(random, 3) == 0)
        *(test_below(random, 2) == 0 ? c->low : c->high) = '\0';
    if (c->elements.is_record && c->elements.model.key_count == 0)
        snprintf(c->field, sizeof c->field, "0:b%u", c->elements.model.bytes);
    else if (c->elements.is_record)
        snprintf(c->field, sizeof c->field, "%.*s",
                 (int)(strlen(c->elements.model.keys[0].text) -
                       5 * c->elements.model.keys[0].is_descending),
                 c->elements.model.keys[0].text);
}

/* The bytes of a merge of `count` files with what the options say. */
static size_t merge(const struct a_case *c, const struct gsi_options *options, uint8_t *to)
{
    struct gs_error error;
    if (gs_run(options, NULL, &error) != GS_OK)
        test_fail("%zu elements, '%s' to '%s': %s", c->n, c->low, c->high, error.text);
    return get_bytes("out", to, MOST_BYTES);
}

/* To say where that is in the first file. */
static struct gsi_options place_options(const struct a_case *c, const char *find)
{
    struct gsi_options options = c->options;
    options.action = GS_FIND;
    options.input_count = 1;
    options.output = NULL;
    options.merge = false;
    options.thread_count = 0;
    options.find = find;
    return options;
}

/* Refused, as a range that ends below its beginning: nothing is in it, and it is none the other way
 * round. */
static void turn(struct a_case *c)
{
    char find[200], low[96];
    const char *const where[] = {find};
    struct gsi_options options = place_options(c, find);
    struct gs_error error;
    snprintf(find, sizeof find, "%s..%s", c->low, c->high);
    if (c->is_value || gs_run(&options, NULL, &error) != GS_E_USAGE ||
        strstr(error.text, "is below the beginning") == NULL)
        return;
    options = c->options;
    options.where = where;
    options.where_count = 1;
    snprintf(find, sizeof find, "%s>=%s", c->field, c->low);
    size_t above = merge(c, &options, got);
    snprintf(find, sizeof find, "%s>%s", c->field, c->high);
    if (merge(c, &options, got) < above)
        test_fail("%zu elements of %s: '%s..%s' was refused", c->n, c->field, c->low, c->high);
    memcpy(low, c->low, sizeof low);
    memcpy(c->low, c->high, sizeof low);
    memcpy(c->high, low, sizeof low);
}

static void check_case(const struct a_case *c)
{
    char conditions[2][200], find[200];
    const char *const where[] = {conditions[0], conditions[1]};
    struct gsi_options filtered = c->options, found = c->options;
    struct gs_report report;
    struct gs_error error;
    size_t count = 0;
    snprintf(find, sizeof find, "%s%s%s", c->low, c->is_value ? "" : "..",
             c->is_value ? "" : c->high);
    if (c->is_value) {
        snprintf(conditions[count++], 200, "%s==%s", c->field, c->low);
    } else {
        if (c->low[0] != '\0')
            snprintf(conditions[count++], 200, "%s>=%s", c->field, c->low);
        if (c->high[0] != '\0')
            snprintf(conditions[count++], 200, "%s<=%s", c->field, c->high);
    }
    filtered.where = where;
    filtered.where_count = count;
    found.find = find;
    size_t length = merge(c, &filtered, want);
    if (merge(c, &found, got) != length || memcmp(got, want, length) != 0)
        test_fail("%zu elements of %s: other than --where finds '%s'", c->n, c->field, find);
    filtered.input_count = 1;
    length = merge(c, &filtered, want);
    found = place_options(c, find);
    if (gs_run(&found, &report, &error) != GS_OK)
        test_fail("%zu elements, '%s': %s", c->n, find, error.text);
    if (report.find_count != length / c->elements.model.bytes || report.find_first > c->begin[1] ||
        report.find_count > c->begin[1] - report.find_first ||
        memcmp(in + report.find_first * c->elements.model.bytes, want, length) != 0)
        test_fail("%zu elements of %s: '%s' is not at %llu:%llu", c->begin[1], c->field, find,
                  (unsigned long long)report.find_first, (unsigned long long)report.find_count);
}

static void test_find__random_values__as_where(void **state)
{
    static struct a_case c;
    (void)state;
    struct test_random random = test_random_make(21);
    if (!can_run((struct gsi_options){0}, "find"))
        return;
    for (size_t round = 0; round < (test_is_small() ? ROUNDS / 6 : ROUNDS); round++) {
        make_files(&random, &c);
        make_values(&random, &c);
        turn(&c);
        check_case(&c);
    }
    for (size_t i = 0; i < FILES; i++)
        remove(names[i]);
    remove("out");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_find__random_values__as_where),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown_empty);
}
