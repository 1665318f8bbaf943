/* test_report_fields.c: every field of a report by its path is what its JSON says. Run:
 * build/dev/tests/test_report_fields */
#include "support/scratch.h"

#include "job/job_report.h"
#include "support/struct_jobs.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

/* Jobs whose reports, together, have every field. */
static const struct gsi_device_model model = {
    .gpus = 2, .memory = (uint64_t)80 << 30, .to_gpu = 5e10, .from_gpu = 5e10, .peer = 1e11};
#define TEXTS(...)        \
    (const char *const[]) \
    {                     \
        __VA_ARGS__       \
    }
static const struct job {
    const char *name;
    struct gsi_options options;
    enum gs_status want;
} jobs[] = {
    {"stats of floats", {.action = GS_STATS, .type = "f64", .variance = true}, GS_OK},
    {"stats of halves", {.action = GS_STATS, .type = "f16", .variance = true}, GS_OK},
    {"stats of wide integers", {.action = GS_STATS, .type = "i128"}, GS_OK},
    {"times",
     {.type = "time64",
      .order_statistics.distinct = true,
      .order_statistics.mode = true,
      .order_statistics.quantiles = TEXTS("1"),
      .order_statistics.quantile_count = 1},
     GS_OK},
    {"ranks",
     {.type = "u32",
      .order_statistics.quantiles = TEXTS("0", "median", "0.75"),
      .order_statistics.quantile_count = 3,
      .order_statistics.bins = 5,
      .order_statistics.distinct = true,
      .order_statistics.mode = true,
      .unique = true},
     GS_OK},
    {"records",
     {.record_bytes = 16,
      .keys = TEXTS("0:i32:desc", "4:f16", "8:b4"),
      .key_count = 3,
      .stats_fields = TEXTS("0:i32", "8:f64"),
      .stats_field_count = 2,
      .order_statistics.quantiles = TEXTS("0.5"),
      .order_statistics.quantile_count = 1,
      .order_statistics.mode = true,
      .where = TEXTS("4:uint8<200", "5:uint8!=7"),
      .where_count = 2,
      .out_fields = TEXTS("8:4", "0:4"),
      .out_field_count = 2},
     GS_OK},
    {"records of 100",
     {.action = GS_CHECK, .record_bytes = 100, .check_counts = true},
     GS_E_DISORDER},
    {"disorder", {.action = GS_CHECK, .type = "f32"}, GS_E_DISORDER},
    {"disorder of records",
     {.action = GS_CHECK, .record_bytes = 8, .keys = TEXTS("3:i16"), .key_count = 1},
     GS_E_DISORDER},
    {"first of groups", {.type = "u64", .unique = true, .has_top = true, .top_count = 5}, GS_OK},
    {"several files", {.type = "u64", .output = "out%d", .split_count = 3}, GS_OK},
    {"a range", {.type = "u64", .has_range = true, .range_first = 5, .range_count = 9}, GS_OK},
    {"a part",
     {.type = "u64", .merge = true, .part_number = 2, .part_count = 3, .into = true},
     GS_OK},
    {"a set", {.type = "u64", .merge = true, .merge_set = GSI_SET_UNION}, GS_OK},
    {"found", {.type = "u64", .merge = true, .find = "5.."}, GS_OK},
    {"a plan", {.action = GS_EXPLAIN, .type = "u64", .spill_all = true}, GS_OK},
    {"a plan for a model", {.action = GS_EXPLAIN, .type = "u64", .device_model = &model}, GS_OK},
};
#define JOBS (sizeof jobs / sizeof jobs[0])

static void make_report(const struct job *job, struct gs_report *report)
{
    static uint64_t numbers[1500];
    static const char *const inputs[] = {"in"};
    struct gsi_options options = job->options;
    struct gs_error error;
    uint64_t state = 1;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        numbers[i] = options.merge ? i : (state = state * 6364136223846793005u + 12345) >> (i % 7);
    put_bytes("in", numbers, sizeof numbers);
    unlink("out");
    options.inputs = inputs;
    options.input_count = 1;
    bool writes = options.action == GS_SORT || options.action == GS_EXPLAIN;
    if (writes && options.output == NULL)
        options.output = "out";
    options.memory_bytes = (uint64_t)256 << 20;
    enum gs_status status = gs_run(&options, report, &error);
    if (status != job->want)
        test_fail("%s: %s: %s", job->name, gs_status_text(status), error.text);
}

/* ---- what JSON says ---- */

struct look {
    const char *name;
    const struct gs_report *report;
    size_t leaves, nulls;
};

static void fail_at(const struct look *look, const char *path, const char *what)
{
    test_fail("%s: %s: %s", look->name, path, what);
}

static void check_number(struct look *look, const char *path, const json_t *value)
{
    uint64_t count;
    double number;
    char text[GS_REPORT_TEXT_BYTES];
    bool is_u64 = gs_report_u64(look->report, path, &count) == GS_FOUND;
    if (gs_report_f64(look->report, path, &number) != GS_FOUND ||
        gs_report_text(look->report, path, text, sizeof text) != GS_FOUND)
        fail_at(look, path, "a number is not there");
    if (number != json_number_value(value) || number != strtod(text, NULL))
        fail_at(look, path, "another number");
    if (is_u64 != json_is_integer(value) ||
        (is_u64 && count != (uint64_t)json_integer_value(value)))
        fail_at(look, path, "another integer");
}

/* Integers and floats may be texts. */
static void check_string(struct look *look, const char *path, const char *want)
{
    uint64_t count;
    double number;
    char text[GS_REPORT_TEXT_BYTES], again[32];
    if (gs_report_text(look->report, path, text, sizeof text) != GS_FOUND ||
        strcmp(text, want) != 0)
        fail_at(look, path, "another text");
    if (gs_report_u64(look->report, path, &count) == GS_FOUND) {
        snprintf(again, sizeof again, "%llu", (unsigned long long)count);
        if (strcmp(again, text) != 0)
            fail_at(look, path, "another integer");
    }
    if (gs_report_f64(look->report, path, &number) == GS_FOUND &&
        !(number == strtod(text, NULL) || (isnan(number) && strcmp(text, "nan") == 0) ||
          (float)number == strtof(text, NULL) ||
          (look->report->element.field_count > 0 && /* halves have few digits */
           fabs(number - strtod(text, NULL)) <= fabs(number) / 2048)))
        fail_at(look, path, "another number");
    text[0] = 'x';
    if (gs_report_text(look->report, path, text, strlen(want)) != GS_INEXACT || text[0] != 'x')
        fail_at(look, path, "a text has no room, and that is not said");
}

static void check_without_value(struct look *look, const char *path, enum gs_found want)
{
    uint64_t count = 7;
    double number = 7;
    char text[4] = "x";
    if (gs_report_u64(look->report, path, &count) != want ||
        gs_report_f64(look->report, path, &number) != want ||
        gs_report_text(look->report, path, text, sizeof text) != want || count != 7 ||
        number != 7 || strcmp(text, "x") != 0)
        fail_at(look, path, "is not what JSON says");
}

static void check_value(struct look *look, const char *path, const json_t *value);

static void check_list(struct look *look, const char *path, const json_t *list)
{
    uint64_t count = 0;
    char inner[256];
    const json_t *item;
    size_t i;
    if (gs_report_u64(look->report, path, &count) != GS_FOUND || count != json_array_size(list))
        fail_at(look, path, "a list of another length");
    json_array_foreach(list, i, item)
    {
        snprintf(inner, sizeof inner, "%s[%zu]", path, i);
        check_value(look, inner, item);
    }
    snprintf(inner, sizeof inner, "%s[%zu]", path, json_array_size(list));
    check_without_value(look, inner, GS_NO_FIELD);
}

static void check_object(struct look *look, const char *path, const json_t *object)
{
    char inner[256];
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)object, name, value)
    {
        snprintf(inner, sizeof inner, "%s%s%s", path, path[0] != '\0' ? "." : "", name);
        check_value(look, inner, value);
    }
}

static void check_value(struct look *look, const char *path, const json_t *value)
{
    uint64_t count = 7;
    look->leaves += !json_is_object(value) && !json_is_array(value);
    look->nulls += json_is_null(value);
    if (json_is_null(value))
        check_without_value(look, path, GS_NULL);
    else if (json_is_object(value)) {
        check_without_value(look, path, GS_INEXACT);
        check_object(look, path, value);
    } else if (json_is_array(value))
        check_list(look, path, value);
    else if (json_is_number(value))
        check_number(look, path, value);
    else if (json_is_string(value))
        check_string(look, path, json_string_value(value));
    else if (gs_report_u64(look->report, path, &count) != GS_FOUND || count != json_is_true(value))
        fail_at(look, path, "another truth");
}

static void test_report_fields__reports_of_jobs__as_their_json(void **state)
{
    (void)state;
    struct gs_report report;
    size_t leaves = 0, nulls = 0;
    for (size_t i = 0; i < JOBS; i++)
        for (int is_plan = 0; is_plan < 2; is_plan++) {
            struct look look = {.name = jobs[i].name, .report = &report};
            make_report(&jobs[i], &report);
            char *text = gs_report_string(&report, is_plan ? GS_FORMAT_PLAN_JSON : GS_FORMAT_JSON);
            json_t *json = text != NULL ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;
            if (json == NULL)
                test_fail("%s: no JSON:\n%s", jobs[i].name, text);
            check_object(&look, "", json);
            leaves += look.leaves;
            nulls += look.nulls;
            json_decref(json);
            gs_string_free(text);
        }
    assert_true(leaves > 2000 && nulls > 200);
}

/* ---- kinds of answers ---- */

static void test_report_fields__numbers__exact_or_not_at_all(void **state)
{
    (void)state;
    const uint64_t above = ((uint64_t)1 << 53) + 1;
    struct gs_report report = {
        .element = {.type = "i128", .bytes = 16, .is_signed = true},
        .cost = {.ns = UINT64_MAX, .bytes_read = UINT64_MAX, .bytes_written = above},
        .plan = {.input_bytes = UINT64_MAX},
        .tally = {
            .count = 3, .has_extremes = true, .sum = {0, 1}, .mean = 0.5, .has_moments = true}};
    static const struct {
        const char *path;
        enum gs_found u64, f64, text;
        uint64_t count;
        double number;
        const char *is;
    } rows[] = {
        {"bytes_read", GS_FOUND, GS_FOUND, GS_FOUND, UINT64_MAX, 0x1p64, "18446744073709551615"},
        {"bytes_written", GS_FOUND, GS_FOUND, GS_FOUND, above, 0x1p53, "9007199254740993"},
        {"seconds", GS_INEXACT, GS_FOUND, GS_FOUND, 0, 18446744073.709551615,
         "18446744073.709551615"},
        {"tally.min", GS_INEXACT, GS_FOUND, GS_FOUND, 0, -1, "-1"},
        {"tally.max", GS_FOUND, GS_FOUND, GS_FOUND, 9, 9, "9"},
        {"tally.sum", GS_INEXACT, GS_FOUND, GS_FOUND, 0, 0x1p64, "18446744073709551616"},
        {"tally.mean", GS_INEXACT, GS_FOUND, GS_FOUND, 0, 0.5, "0.5"},
        {"tally.fingerprint", GS_INEXACT, GS_INEXACT, GS_FOUND, 0, 0,
         "00000000000000000000000000000000"},
        {"type", GS_INEXACT, GS_INEXACT, GS_FOUND, 0, 0, "i128"},
        {"reverse", GS_FOUND, GS_FOUND, GS_FOUND, 0, 0, "false"},
        {"phases", GS_FOUND, GS_FOUND, GS_INEXACT, 4, 4, NULL},
        {"phases[1].name", GS_INEXACT, GS_INEXACT, GS_FOUND, 0, 0, "merge_runs"},
        {"plan", GS_INEXACT, GS_INEXACT, GS_INEXACT, 0, 0, NULL},
        {"plan.input_bytes", GS_NULL, GS_NULL, GS_NULL, 0, 0, NULL},
        {"device", GS_NULL, GS_NULL, GS_NULL, 0, 0, NULL},
        {"range", GS_NULL, GS_NULL, GS_NULL, 0, 0, NULL},
        {"range.first", GS_NULL, GS_NULL, GS_NULL, 0, 0, NULL},
        {"keys", GS_NO_FIELD, GS_NO_FIELD, GS_NO_FIELD, 0, 0, NULL},
    };
    memset(report.tally.min, 0xff, sizeof report.tally.min);
    report.tally.max[0] = 9;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t count = 0;
        double number = 0;
        char text[64] = "";
        if (gs_report_u64(&report, rows[i].path, &count) != rows[i].u64 || count != rows[i].count)
            test_fail("%s: u64 %llu", rows[i].path, (unsigned long long)count);
        if (gs_report_f64(&report, rows[i].path, &number) != rows[i].f64 ||
            number != rows[i].number)
            test_fail("%s: f64 %g", rows[i].path, number);
        if (gs_report_text(&report, rows[i].path, text, sizeof text) != rows[i].text ||
            strcmp(text, rows[i].is != NULL ? rows[i].is : "") != 0)
            test_fail("%s: text '%s'", rows[i].path, text);
    }
}

static void test_report_fields__wrong_paths__no_field(void **state)
{
    (void)state;
    static const char *const paths[] = {
        "",
        ".",
        "[",
        "[0]",
        "[99999999999999999999]",
        "tall",
        "tally2",
        "tally.",
        ".tally",
        "tally..count",
        "tally.count.",
        "tally.counts",
        "tally.count[0]",
        "tally[0]",
        "Tally.count",
        " tally.count",
        "quantiles.value",
        "quantiles[",
        "quantiles[]",
        "quantiles[0",
        "quantiles[0]value",
        "quantiles[0]..value",
        "quantiles[0].",
        "quantiles[0][0]",
        "quantiles[3].value",
        "quantiles[-1].value",
        "quantiles[+1].value",
        "quantiles[ 1].value",
        "quantiles[18446744073709551616].value",
        "quantiles[99999999999999999999].value",
        "where[0].x",
        "range.frist",
    };
    struct gs_report report;
    make_report(&jobs[4], &report);
    struct look look = {.name = "a wrong path", .report = &report};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        check_without_value(&look, paths[i], GS_NO_FIELD);
}

/* Every path, with each of its letters changed, doubled or gone. */
static void test_report_fields__damaged_paths__an_answer(void **state)
{
    (void)state;
    static const char *const paths[] = {"tally.count",           "quantiles[2].value",
                                        "histogram[4].count",    "phases[3].name",
                                        "plan.device_run_bytes", "schema"};
    static const char letters[] = ".[]0a9-\xff";
    struct gs_report report;
    make_report(&jobs[4], &report);
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        for (size_t at = 0; at <= strlen(paths[i]); at++)
            for (size_t k = 0; k <= 2 * strlen(letters); k++) {
                char path[64], text[GS_REPORT_TEXT_BYTES];
                uint64_t count;
                double number;
                int head = (int)at;
                if (k < strlen(letters)) /* put in */
                    snprintf(path, sizeof path, "%.*s%c%s", head, paths[i], letters[k],
                             paths[i] + at);
                else if (paths[i][at] == '\0') /* cut off */
                    snprintf(path, sizeof path, "%.*s", head / 2, paths[i]);
                else if (k < 2 * strlen(letters)) /* changed */
                    snprintf(path, sizeof path, "%.*s%c%s", head, paths[i],
                             letters[k - strlen(letters)], paths[i] + at + 1);
                else /* taken out */
                    snprintf(path, sizeof path, "%.*s%s", head, paths[i], paths[i] + at + 1);
                enum gs_found found = gs_report_text(&report, path, text, sizeof text);
                bool is_there = found == GS_FOUND || found == GS_NULL;
                if (gs_report_u64(&report, path, &count) == GS_NO_FIELD && is_there)
                    test_fail("%s: is a text, and no field", path);
                if (gs_report_f64(&report, path, &number) == GS_NO_FIELD && is_there)
                    test_fail("%s: is a text, and no field", path);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_report_fields__reports_of_jobs__as_their_json,
                                        scratch_setup_in_memory, scratch_teardown),
        cmocka_unit_test(test_report_fields__numbers__exact_or_not_at_all),
        cmocka_unit_test_setup_teardown(test_report_fields__wrong_paths__no_field,
                                        scratch_setup_in_memory, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_report_fields__damaged_paths__an_answer,
                                        scratch_setup_in_memory, scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
