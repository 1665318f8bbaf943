/* test_report_join.c: reports that were printed are reports again, and several add up to that of
 * the whole. Run: build/dev/tests/test_report_join */
#include "support/scratch.h"

#include "gsort/json/report_read.h"
#include "job/job_report.h"
#include "support/struct_jobs.h"

#include <stdlib.h>

#define ELEMENT_BYTES_MAX 24
#define ELEMENTS          500
static uint8_t elements[ELEMENTS * ELEMENT_BYTES_MAX];

static json_t *json_of(const gs_report *report)
{
    char *text = gs_report_string(report, GS_FORMAT_JSON);
    assert_non_null(text);
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(json);
    gs_string_free(text);
    return json;
}

/* Statistics of elements `first` to `behind`. */
static gs_report *count(const struct gsi_options *given, uint32_t element_bytes, size_t first,
                        size_t behind)
{
    static const char *const inputs[] = {"in"};
    struct gsi_options options = *given;
    struct gs_error error;
    gs_report *report = gs_report_create();
    assert_non_null(report);
    put_bytes("in", elements + first * element_bytes, (behind - first) * element_bytes);
    options.action = GS_STATS;
    options.inputs = inputs;
    options.input_count = 1;
    options.memory_bytes = (uint64_t)256 << 20;
    if (gs_run(&options, report, &error) != GS_OK)
        test_fail("%s", error.text);
    return report;
}

/* The same, out of its JSON. */
static gs_report *read_back(const gs_report *report, bool is_sorted_by_name)
{
    json_t *json = json_of(report);
    char *text = json_dumps(json, is_sorted_by_name ? JSON_SORT_KEYS : 0);
    json_t *again = json_loads(text, 0, NULL);
    gs_report *read = gs_report_create();
    assert_non_null(read);
    assert_true(report_parse(read, again));
    json_decref(again);
    json_decref(json);
    free(text);
    return read;
}

/* The figures that add up; of rounded sums only whether there is one. */
static void check_same(const char *name, const gs_report *got, const gs_report *want,
                       bool is_joined)
{
    static const char *const names[] = {
        "type",       "element_bytes", "is_float",     "is_signed", "left_out_count",
        "bytes_read", "bytes_written", "input_bytes",  "tally",     "left_out_fingerprint",
        "fields",     "output_bytes",  "unique_count",
    };
    json_t *a = json_of(got), *b = json_of(want), *field;
    size_t k;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        json_t *x = json_object_get(a, names[i]), *y = json_object_get(b, names[i]);
        if (is_joined && json_is_true(json_object_get(a, "is_float")))
            json_object_set(y, "sum", json_object_get(x, "sum"));
        json_array_foreach(x, k, field)
        {
            if (is_joined && json_is_true(json_object_get(field, "is_float")))
                json_object_set(json_array_get(y, k), "sum", json_object_get(field, "sum"));
        }
        if (x == NULL ? y != NULL : !json_equal(x, y))
            test_fail("%s: another %s: %s\nnot %s", name, names[i], json_dumps(x, JSON_ENCODE_ANY),
                      json_dumps(y, JSON_ENCODE_ANY));
    }
    json_decref(a);
    json_decref(b);
}

#define TEXTS(...)        \
    (const char *const[]) \
    {                     \
        __VA_ARGS__       \
    }
static const struct kind {
    const char *name;
    uint32_t element_bytes;
    struct gsi_options options;
} kinds[] = {
    {"u8", 1, {.type = "uint8"}},
    {"i16be", 2, {.type = "i16be"}},
    {"f16", 2, {.type = "f16"}},
    {"bf16be", 2, {.type = "bf16be"}},
    {"i32", 4, {.type = "i32"}},
    {"u32", 4, {.type = "u32", .where = TEXTS("<3000000000"), .where_count = 1}},
    {"f32", 4, {.type = "f32"}},
    {"u64", 8, {.type = "u64"}},
    {"i64be", 8, {.type = "i64be"}},
    {"f64", 8, {.type = "f64"}},
    {"time64", 8, {.type = "time64"}},
    {"time64[ms]", 8, {.type = "time64[ms]"}},
    {"u128", 16, {.type = "u128"}},
    {"i128", 16, {.type = "i128"}},
    {"records without numbers", 24, {.record_bytes = 24}},
    {"records", 24, {.record_bytes = 24, .keys = TEXTS("3:i32:desc", "0:b3"), .key_count = 2}},
    {"records with fields",
     24,
     {.record_bytes = 24,
      .stats_fields = TEXTS("0:u128", "8:i128be", "1:f16", "4:bf16", "3:int8", "8:f64be", "2:f32",
                            "5:time64", "6:time64[us]be"),
      .stats_field_count = 9}},
};
#define KINDS (sizeof kinds / sizeof kinds[0])

static void fill(const struct kind *kind)
{
    uint64_t state = 7;
    for (size_t i = 0; i < sizeof elements; i++)
        elements[i] = (uint8_t)((state = state * 6364136223846793005u + 12345) >> 56);
    memset(elements, 0, kind->element_bytes); /* 0, and where that is another float, -0 */
    elements[2 * kind->element_bytes - 1] = 0x80;
    memset(elements + kind->element_bytes, 0, kind->element_bytes - 1);
}

/* A part may have no type, as that of records; it is a part all the same. */
static void test_report_join__parts_without_a_type__are_of_one_kind(void **state)
{
    (void)state;
    const struct gsi_options options = {.record_bytes = 24}, others = {.record_bytes = 8};
    gs_report *part = count(&options, 24, 0, 10), *other = count(&others, 8, 0, 10);
    gs_report *whole = gs_report_create();
    struct gs_error error;
    part->element.type = other->element.type = NULL;
    assert_int_equal(gs_report_add(whole, part, &error), GS_OK);
    assert_int_equal(gs_report_add(whole, other, &error), GS_E_INPUT);
    assert_int_equal(gs_report_add(whole, part, &error), GS_OK);
    assert_int_equal(whole->tally.count, 20);
    assert_int_equal(whole->element.bytes, 24);
    gs_report_free(whole);
    gs_report_free(other);
    gs_report_free(part);
}

static void test_report_join__read_back__as_it_was(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * KINDS; i++) {
        const struct kind *kind = &kinds[i / 2];
        fill(kind);
        struct gsi_options options = kind->options;
        options.variance = kind->element_bytes <= 8;
        gs_report *report = count(&options, kind->element_bytes, 0, ELEMENTS);
        gs_report *again = read_back(report, i % 2);
        check_same(kind->name, again, report, false);
        gs_report_free(report);
        gs_report_free(again);
    }
}

/* Reports of jobs, and of JSON, in either order; one part is empty. */
static void test_report_join__parts__are_the_whole(void **state)
{
    (void)state;
    static const size_t ends[] = {0, 1, 1, 2, 7, 200, ELEMENTS}; /* one is -0 alone */
    const size_t parts = sizeof ends / sizeof ends[0] - 1;
    for (size_t i = 0; i < 2 * KINDS; i++) {
        const struct kind *kind = &kinds[i / 2];
        fill(kind);
        gs_report *want = count(&kind->options, kind->element_bytes, 0, ELEMENTS);
        gs_report *whole = gs_report_create();
        for (size_t k = 0; k < parts; k++) {
            size_t at = i % 2 ? k : parts - 1 - k;
            gs_report *part = count(&kind->options, kind->element_bytes, ends[at], ends[at + 1]);
            gs_report *again = read_back(part, false);
            assert_int_equal(gs_report_add(whole, k % 2 ? part : again, NULL), GS_OK);
            gs_report_free(part);
            gs_report_free(again);
        }
        check_same(kind->name, whole, want, true);
        gs_report_free(want);
        gs_report_free(whole);
    }
}

static gs_report *made(const char *const (*fields)[2])
{
    gs_report *report = gs_report_create();
    assert_non_null(report);
    for (; (*fields)[0] != NULL; fields++)
        if (gs_report_set(report, (*fields)[0], (*fields)[1]) != GS_FOUND)
            test_fail("%s: '%s'", (*fields)[0], (*fields)[1]);
    return report;
}

static const char *or_zero(const char *count)
{
    return count != NULL ? count : "0";
}

struct sums_row {
    const char *sums[4], *want;
    const char *counts[4], *nans[4]; /* none given: 0 */
};

static gs_report *part_of(const struct sums_row *row, size_t k)
{
    return made((const char *const[][2]){{"type", "f64"},
                                         {"is_float", "true"},
                                         {"tally.count", or_zero(row->counts[k])},
                                         {"tally.nan_count", or_zero(row->nans[k])},
                                         {"tally.sum", row->sums[k]},
                                         {NULL, NULL}});
}

/* Joins all parts to an empty report, or the later parts to the first one. */
static void check_joined_sum(const struct sums_row *row, bool is_empty_first)
{
    gs_report *whole = is_empty_first ? gs_report_create() : part_of(row, 0);
    char text[GS_REPORT_TEXT_BYTES] = "";
    for (size_t k = is_empty_first ? 0 : 1; k < 4 && row->sums[k] != NULL; k++) {
        gs_report *part = part_of(row, k);
        assert_int_equal(gs_report_add(whole, part, NULL), GS_OK);
        gs_report_free(part);
    }
    assert_int_equal(gs_report_text(whole, "tally.sum", text, sizeof text), GS_FOUND);
    if (strcmp(text, row->want) != 0)
        test_fail("sum of %s and others: %s, not %s", row->sums[0], text, row->want);
    gs_report_free(whole);
}

/* Those of the sums that were rounded, rounded once. NaNs are left out. */
static void test_report_join__sums_of_floats__rounded_once(void **state)
{
    (void)state;
    static const struct sums_row rows[] = {
        {{"0.5", "0.25"}, "0.75", {0}, {0}},
        {{"1e+308", "1e+308"}, "inf", {0}, {0}},
        {{"1e+308", "1e+308", "-1e+308"}, "1e+308", {0}, {0}},
        {{"-1e+308", "-1e+308"}, "-inf", {0}, {0}},
        {{"1e+308", "1", "-1e+308", "5e-324"}, "1", {0}, {0}},
        {{"1", "1.1102230246251565e-16", "1.1102230246251565e-16"}, "1.0000000000000002", {0}, {0}},
        {{"inf", "1e+308"}, "inf", {0}, {0}},
        {{"inf", "-inf"}, "nan", {0}, {0}},
        {{"nan", "1"}, "nan", {0}, {0}},
        {{"0", "-0"}, "0", {0}, {0}},
        {{"nan", "1"}, "1", {"2", "1"}, {"2", "0"}}, /* NaNs alone, and a number */
        {{"1", "nan", "2"}, "3", {"5", "2", "1"}, {"4", "2", "0"}},
        {{"nan", "nan"}, "nan", {"2", "1"}, {"2", "1"}},
        {{"nan", "1"}, "nan", {"2", "1"}, {"0", "0"}}, /* of infinities */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        check_joined_sum(&rows[i], true);
        check_joined_sum(&rows[i], false);
    }
}

/* Fields that not all have are left out; what is of other elements, or too many, is refused. */
static void test_report_join__what_does_not_go_together__is_left_out_or_refused(void **state)
{
    (void)state;
    static const char *const one[][2] = {{"type", "record"},
                                         {"element_bytes", "8"},
                                         {"tally.count", "3"},
                                         {"fields[0].field", "0:u32"},
                                         {"fields[0].count", "3"},
                                         {"fields[1].field", "price"},
                                         {"fields[1].is_float", "true"},
                                         {"fields[1].max", "25"},
                                         {NULL, NULL}};
    static const char *const other[][2] = {{"type", "record"},
                                           {"element_bytes", "8"},
                                           {"fields[0].field", "price"},
                                           {"fields[0].is_float", "true"},
                                           {"fields[0].max", "7"},
                                           {"fields[1].field", "4:u32"},
                                           {NULL, NULL}};
    static const char *const wrong[][2][2] = {{{"type", "u64"}, {"element_bytes", "8"}},
                                              {{"type", "record"}, {"element_bytes", "9"}}};
    struct gs_error error = {0};
    char text[GS_REPORT_TEXT_BYTES];
    uint64_t fields;
    gs_report *whole = made(one), *more = made(other);
    assert_int_equal(gs_report_add(whole, more, NULL), GS_OK);
    assert_int_equal(gs_report_u64(whole, "fields", &fields), GS_FOUND);
    assert_int_equal(fields, 1);
    assert_int_equal(gs_report_text(whole, "fields[0].field", text, sizeof text), GS_FOUND);
    assert_string_equal(text, "price");
    assert_int_equal(gs_report_text(whole, "fields[0].max", text, sizeof text), GS_FOUND);
    assert_string_equal(text, "25");
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        gs_report *part = made((const char *const[][2]){
            {wrong[i][0][0], wrong[i][0][1]}, {wrong[i][1][0], wrong[i][1][1]}, {NULL, NULL}});
        error.status = GS_OK;
        assert_int_equal(gs_report_add(whole, part, &error), GS_E_INPUT);
        gs_report_free(part);
    }
    assert_int_equal(gs_report_set(more, "tally.count", "18446744073709551613"), GS_FOUND);
    error.status = GS_OK;
    assert_int_equal(gs_report_add(whole, more, &error), GS_E_INPUT);
    assert_non_null(strstr(error.text, "2^64"));
    gs_report_free(whole);
    gs_report_free(more);
}

/* Statistics of a field `t` of three records, as files name it. */
static gs_report *of_field(const char *key, const void *elements_of, uint32_t bytes)
{
    const char *keys[] = {key};
    const struct gsi_options options = {
        .record_bytes = bytes, .stats_fields = keys, .stats_field_count = 1};
    memcpy(elements, elements_of, 3 * bytes);
    gs_report *report = count(&options, bytes, 0, 3);
    strcpy(report->element.fields[0].text, "t");
    report->element.bytes = 8;
    return report;
}

/* Fields of one name and of numbers that the first one cannot have, or of other units. */
static void test_report_join__fields_of_other_types__are_left_out(void **state)
{
    (void)state;
    static const uint32_t small[] = {3, 1, 2};
    static const int64_t fits[] = {9, 0, 7}, large[] = {4, INT64_C(1) << 40, 5},
                         below[] = {1, -7, 2};
    static const int64_t times[] = {1, 2, 3};
    const struct {
        const char *first, *second;
        const void *elements_of;
        bool is_kept;
    } rows[] = {{"0:u32", "0:i64", fits, true},
                {"0:u32", "0:i64", large, false},
                {"0:u32", "0:i64", below, false},
                {"0:time64[s]", "0:time64[ms]", times, false},
                {"0:time64[ms]", "0:time64[s]", times, false},
                {"0:time64[s]", "0:time64[s]", times, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool is_time = strchr(rows[i].first, '[') != NULL;
        gs_report *whole =
            of_field(rows[i].first, is_time ? (const void *)times : small, is_time ? 8 : 4);
        gs_report *more = of_field(rows[i].second, rows[i].elements_of, 8);
        assert_int_equal(gs_report_add(whole, more, NULL), GS_OK);
        if (whole->element.field_count != rows[i].is_kept)
            test_fail("%s and %s, row %zu: %zu fields", rows[i].first, rows[i].second, i,
                      whole->element.field_count);
        gs_report_free(whole);
        gs_report_free(more);
    }
}

/* A report that says only how many values a field has. */
static void test_report_join__field_without_a_name__refused(void **state)
{
    (void)state;
    gs_report *whole = gs_report_create(),
              *part = made((const char *const[][2]){{"type", "record"},
                                                    {"element_bytes", "16"},
                                                    {"fields[0].count", "1"},
                                                    {NULL, NULL}});
    struct gs_error error = {0};
    assert_int_equal(gs_report_add(whole, part, &error), GS_E_INPUT);
    assert_non_null(strstr(error.text, "no name"));
    gs_report_free(part);
    gs_report_free(whole);
}

static const char long_text[] = "0123456789012345678901234567890123456789012345678901234567890123"
                                "01234567890123456789012345678901";

/* Texts at paths, one after the other, and their results. */
static const struct {
    const char *path, *text;
    enum gs_found want;
} told[] = {
    {"tally.count", "0", GS_FOUND},
    {"tally.count", "18446744073709551615", GS_FOUND},
    {"tally.count", "18446744073709551616", GS_INEXACT},
    {"tally.count", "-1", GS_INEXACT},
    {"tally.count", "01", GS_INEXACT},
    {"tally.count", " 1", GS_INEXACT},
    {"tally.count", "1 ", GS_INEXACT},
    {"tally.count", "1.0", GS_INEXACT},
    {"tally.count", "0x1", GS_INEXACT},
    {"tally.count", "", GS_INEXACT},
    {"tally.count", NULL, GS_INEXACT},
    {"tally", "1", GS_INEXACT},
    {"element_bytes", "4294967296", GS_INEXACT},
    {"is_float", "yes", GS_INEXACT},
    {"type", "double", GS_INEXACT},
    {"type", "no type", GS_INEXACT},
    {"type", NULL, GS_INEXACT},
    {"type", "record", GS_FOUND},
    {"fields", "1", GS_INEXACT},
    {"element_bytes", "16", GS_FOUND},
    {"left_out_fingerprint", "000000000000000000000000000000ff", GS_FOUND},
    {"left_out_fingerprint", "000000000000000000000000000000FF", GS_INEXACT},
    {"left_out_fingerprint", "00000000000000000000000000000ff", GS_INEXACT},
    {"left_out_fingerprint", "0000000000000000000000000000000ff", GS_INEXACT},
    {"unique_count", NULL, GS_FOUND},
    {"unique_count", "5", GS_FOUND},
    {"fields[1].field", "0:u8be", GS_NO_FIELD},
    {"fields[0].field", long_text, GS_INEXACT},
    {"fields[0].field", "0:int8", GS_FOUND},
    {"fields[0].min", "-128", GS_FOUND},
    {"fields[0].max", "2147483648", GS_INEXACT},
    {"fields[0].max", "1e3", GS_INEXACT},
    {"fields[0].sum",
     "-57896044618658097711785492504343953926634992332820282019728792003956564819968", GS_FOUND},
    {"fields[0].sum",
     "57896044618658097711785492504343953926634992332820282019728792003956564819968", GS_INEXACT},
    {"fields[0].sum", "0.5", GS_INEXACT},
    {"fields[0].sum", NULL, GS_INEXACT},
    {"fields[1].field", "2:f16", GS_FOUND},
    {"fields[1].max", "0.1", GS_FOUND},
    {"fields[1].max", "0.10001", GS_INEXACT},
    {"fields[1].max", "65504", GS_INEXACT}, /* 65500 is shorter, and reads back as the same f16 */
    {"fields[1].max", "65500", GS_FOUND},
    {"fields[1].max", "6.5e4", GS_INEXACT},
    {"fields[1].max", NULL, GS_FOUND},
    {"fields[1].sum", NULL, GS_FOUND},
    {"fields[1].mean", "0x1p3", GS_INEXACT},
    {"fields[2].field", "0:b4", GS_FOUND},
    {"fields[2].max", "00ff00ff", GS_FOUND},
    {"fields[2].max", "00ff00zz", GS_INEXACT},
    {"fields[18446744073709551615].field", "x", GS_NO_FIELD},
    {"keys[0]", "x", GS_NO_FIELD},
    {"seconds", "1.000000000", GS_NO_FIELD},
    {"quantiles[0].value", "1", GS_NO_FIELD},
    {"nonsense", "1", GS_NO_FIELD},
    {"", "1", GS_NO_FIELD},
};

static void test_report_join__texts_of_strangers__refused(void **state)
{
    (void)state;
    gs_report *report = gs_report_create();
    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++) {
        enum gs_found found = gs_report_set(report, told[i].path, told[i].text);
        char text[GS_REPORT_TEXT_BYTES] = "";
        if (found != told[i].want)
            test_fail("%s: '%s': %d", told[i].path, told[i].text, (int)found);
        if (found == GS_FOUND && told[i].text != NULL &&
            (gs_report_text(report, told[i].path, text, sizeof text) != GS_FOUND ||
             strcmp(text, told[i].text) != 0))
            test_fail("%s: '%s' became '%s'", told[i].path, told[i].text, text);
    }
    for (size_t i = 3; i <= GSI_FIELDS_MAX; i++) {
        char path[32];
        snprintf(path, sizeof path, "fields[%zu].field", i);
        assert_int_equal(gs_report_set(report, path, "x"),
                         i < GSI_FIELDS_MAX ? GS_FOUND : GS_NO_FIELD);
    }
    json_decref(json_of(report));
    gs_report_free(report);
}

/* gsort 1.0 wrote 1500 as 1.5e+03. Its reports are joined as well. */
static void test_report_join__floats_of_1_0__are_read(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"1e+01", "10"},       {"-1.5e+03", "-1500"},
        {"6.55e+04", "65500"}, {"1e+15", "1000000000000000"},
        {"1e+16", "1e+16"},    {"0", "0"},
        {"1.5e+3", NULL},      {"1.50e+03", NULL},
        {"+1.5e+03", NULL},    {"1.5e+03 ", NULL},
        {"15e+02", NULL},      {"1000.0", NULL},
        {"1.5e+00", NULL},     {"1e+00", NULL},
    };
    gs_report *report = gs_report_create();
    assert_int_equal(gs_report_set(report, "type", "f64"), GS_FOUND);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[GS_REPORT_TEXT_BYTES] = "";
        enum gs_found found = gs_report_set(report, "tally.mean", rows[i][0]);
        assert_int_equal(found, rows[i][1] != NULL ? GS_FOUND : GS_INEXACT);
        if (rows[i][1] == NULL)
            continue;
        assert_int_equal(gs_report_text(report, "tally.mean", text, sizeof text), GS_FOUND);
        assert_string_equal(text, rows[i][1]);
    }
    gs_report_free(report);
}

/* Times have no sum, and their mean is a time. gsort 1.0 wrote both as numbers of seconds. */
static void test_report_join__sums_and_means_of_times__as_now_and_as_in_1_0(void **state)
{
    (void)state;
    static const struct {
        const char *field, *min, *name, *text, *again; /* again NULL: null */
        enum gs_found want;
    } rows[] = {
        {"0:time64[s]", "2024-01-05T00:00:00", "sum", NULL, NULL, GS_FOUND},
        {"0:time64[s]", "2024-01-05T00:00:00", "sum", "3646080001", NULL, GS_FOUND},
        {"0:time64[s]", "2024-01-05T00:00:00", "sum", "-5", NULL, GS_FOUND},
        {"0:time64[s]", "2024-01-05T00:00:00", "sum", "05", NULL, GS_INEXACT},
        {"0:time64[s]", "2024-01-05T00:00:00", "sum", "2024-01-05T00:00:00", NULL, GS_INEXACT},
        {"t", "2024-01-05T00:00:00", "sum", NULL, NULL, GS_FOUND},
        {"t", "2024-01-05T00:00:00", "sum", "3646080001", NULL, GS_FOUND},
        {"t", NULL, "sum", NULL, NULL, GS_FOUND}, /* of NaTs alone */
        {"t", "7", "sum", NULL, NULL, GS_INEXACT},
        {"t", NULL, "sum", "0", "0", GS_FOUND},
        {"0:time64", "7", "sum", "7", "7", GS_FOUND},
        {"0:time64", "7", "sum", NULL, NULL, GS_INEXACT},
        {"0:i128", "7", "sum", NULL, NULL, GS_INEXACT},
        {"0:i64", "7", "sum", NULL, NULL, GS_INEXACT},
        {"0:time64[s]", NULL, "mean", "2024-01-05T00:00:00", "2024-01-05T00:00:00", GS_FOUND},
        {"0:time64[s]", NULL, "mean", "2024-01-05", NULL, GS_INEXACT},
        {"0:time64[s]", NULL, "mean", "911520000.25", "1998-11-20T00:00:00", GS_FOUND},
        {"0:time64[s]", NULL, "mean", "1.5e+03", "1970-01-01T00:25:00", GS_FOUND},
        {"0:time64[s]", NULL, "mean", "-9e+18", "-285198644592-09-12T08:00:00", GS_FOUND},
        {"0:time64[s]", NULL, "mean", "1e+99", "292277026596-12-04T15:30:07", GS_FOUND},
        {"0:time64[s]", NULL, "mean", "inf", NULL, GS_INEXACT},
        {"0:time64[s]", NULL, "mean", "nan", NULL, GS_INEXACT},
        {"0:time64", NULL, "mean", "911520000.25", "911520000.25", GS_FOUND},
        {"0:i64", NULL, "mean", "2024-01-05T00:00:00", NULL, GS_INEXACT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        gs_report *report = gs_report_create();
        char path[32], text[GS_REPORT_TEXT_BYTES] = "";
        gs_report_set(report, "type", "record");
        assert_int_equal(gs_report_set(report, "fields[0].field", rows[i].field), GS_FOUND);
        assert_int_equal(gs_report_set(report, "fields[0].min", rows[i].min), GS_FOUND);
        snprintf(path, sizeof path, "fields[0].%s", rows[i].name);
        enum gs_found found = gs_report_set(report, path, rows[i].text);
        if (found != rows[i].want)
            test_fail("row %zu: %d", i, (int)found);
        if (found == GS_FOUND) {
            found = gs_report_text(report, path, text, sizeof text);
            assert_int_equal(found, rows[i].again != NULL ? GS_FOUND : GS_NULL);
            assert_string_equal(text, rows[i].again != NULL ? rows[i].again : "");
        }
        gs_report_free(report);
    }
}

/* A part whose times are all NaT does not tell their unit; the next part does. */
static void test_report_join__first_part_is_of_nats__field_is_kept(void **state)
{
    (void)state;
    static const char *const of_nats[][2] = {{"type", "record"},       {"element_bytes", "8"},
                                             {"fields[0].field", "t"}, {"fields[0].min", NULL},
                                             {"fields[0].sum", NULL},  {NULL, NULL}};
    gs_report *whole = made(of_nats);
    gs_report *more = made((const char *const[][2]){{"type", "record"},
                                                    {"element_bytes", "8"},
                                                    {"fields[0].field", "t"},
                                                    {"fields[0].min", "2024-01-05"},
                                                    {"fields[0].max", "2024-01-06"},
                                                    {"fields[0].sum", NULL},
                                                    {NULL, NULL}});
    gs_report *last = made(of_nats);
    char text[GS_REPORT_TEXT_BYTES] = "";
    assert_int_equal(gs_report_add(whole, more, NULL), GS_OK);
    assert_int_equal(gs_report_add(whole, last, NULL), GS_OK);
    assert_int_equal(gs_report_text(whole, "fields[0].max", text, sizeof text), GS_FOUND);
    assert_string_equal(text, "2024-01-06");
    assert_int_equal(gs_report_text(whole, "fields[0].sum", text, sizeof text), GS_NULL);
    gs_report_free(whole);
    gs_report_free(more);
    gs_report_free(last);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_report_join__sums_and_means_of_times__as_now_and_as_in_1_0),
        cmocka_unit_test(test_report_join__first_part_is_of_nats__field_is_kept),
        cmocka_unit_test(test_report_join__floats_of_1_0__are_read),
        cmocka_unit_test_setup_teardown(test_report_join__read_back__as_it_was,
                                        scratch_setup_in_memory, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_report_join__parts__are_the_whole,
                                        scratch_setup_in_memory, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_report_join__parts_without_a_type__are_of_one_kind,
                                        scratch_setup_in_memory, scratch_teardown),
        cmocka_unit_test(test_report_join__sums_of_floats__rounded_once),
        cmocka_unit_test_setup_teardown(
            test_report_join__what_does_not_go_together__is_left_out_or_refused,
            scratch_setup_in_memory, scratch_teardown),
        cmocka_unit_test(test_report_join__fields_of_other_types__are_left_out),
        cmocka_unit_test(test_report_join__field_without_a_name__refused),
        cmocka_unit_test(test_report_join__texts_of_strangers__refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
