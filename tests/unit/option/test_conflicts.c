/* test_conflicts.c: options that conflict are refused in one line, before any file is opened. Each
 * property of an input or of the output refuses the options that are listed here. Two options:
 * tests/cli/option_pairs.py. */
#include "support/scratch.h"

#include "option/conflicts.h"

#include <string.h>

/* The value of an option; NULL: the program's, or a flag. */
static const char *value_of(unsigned feature)
{
    static const struct {
        unsigned feature;
        const char *value;
    } rows[] = {{GSI_OPT_TYPE, "u64"},
                {GSI_OPT_RECORD, "24"},
                {GSI_OPT_KEY, "0:u64"},
                {GSI_OPT_WHERE, "0:u64>1"},
                {GSI_OPT_MERGE, "all"},
                {GSI_OPT_HEADER, "8"},
                {GSI_OPT_RANGE, "0:1"},
                {GSI_OPT_PART, "1/2"},
                {GSI_OPT_FIND, "1"},
                {GSI_OPT_OUTPUT, "out"},
                {GSI_OPT_INTO, "into"},
                {GSI_OPT_SPLIT, "2"},
                {GSI_OPT_SPLIT_AT, "5"},
                {GSI_OPT_KEEP, "first"},
                {GSI_OPT_GROUP, "1"},
                {GSI_OPT_SUM, "8:u64"},
                {GSI_OPT_MIN, "8:u64"},
                {GSI_OPT_MAX, "8:u64"},
                {GSI_OPT_ORDER_BY, "8:u64"},
                {GSI_OPT_OUT, "0:8"},
                {GSI_OPT_VALUES, "v:8=w"},
                {GSI_OPT_INDEX, "u64"},
                {GSI_OPT_TOP, "1"},
                {GSI_OPT_TEMP_DIR, "."},
                {GSI_OPT_RESUME, "kept"},
                {GSI_OPT_SPILL, "auto"},
                {GSI_OPT_DEVICE, "auto"},
                {GSI_OPT_DEVICE_MEMORY, "1G"},
                {GSI_OPT_DEVICE_MODEL, "gpus=1"},
                {GSI_OPT_STATS_OF, "8:u64"},
                {GSI_OPT_QUANTILES, "0.5"},
                {GSI_OPT_HISTOGRAM, "2"},
                {GSI_OPT_CHUNK, "64K"},
                {GSI_OPT_TIES, "bytes"},
                {GSI_OPT_OUT_ORDER, "big"},
                {GSI_OPT_REGION, "8:8"},
                {GSI_OPT_VERIFY, "stream"},
                {GSI_OPT_TUNE, "merge=tiles"},
                {GSI_OPT_NAN, "last"},
                {GSI_OPT_SAMPLE, "1"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].feature == feature)
            return rows[i].value;
    return "true";
}

/* An option with a value; false: it is several, or is known later. */
static bool set(gs_job *job, unsigned feature)
{
    const char *name = gsi_feature_name(feature), *value = value_of(feature);
    char word[32];
    if (feature >= GSI_WITH_EXPLAIN)
        return false;
    if (feature >= GSI_OPT_COUNT) {
        snprintf(word, sizeof word, "%.*s", (int)strcspn(name, "="), name);
        value = feature == GSI_WITH_SET ? "union" : strchr(name, '=') + 1;
        name = word;
    }
    if (gs_job_set(job, name, value) != GS_OK)
        fail_msg("--%s=%s: %s", name, value, gs_job_error(job)->text);
    return true;
}

/* Names of the features below `end` that conflict with another one. */
static void name_conflicts(unsigned other, unsigned end, char *names, size_t bytes)
{
    names[0] = '\0';
    for (unsigned i = 0; i < end; i++)
        if (gsi_facts_conflict(i, other) != NULL) {
            size_t used = strlen(names);
            snprintf(names + used, bytes - used, "%s%s", used > 0 ? ", " : "", gsi_feature_name(i));
        }
}

static void test_conflicts__properties__with_these_options(void **state)
{
    (void)state;
    static const struct {
        unsigned property;
        const char *names;
    } rows[] = {
        {GSI_PROPERTY_OUTPUT_FILE, ""},
        {GSI_PROPERTY_SORTER, "sum=OFF:TYPE:wide"},
        {GSI_PROPERTY_NUMBERS, "fields, key, ties, sum, min, max, out, stats-of"},
        {GSI_PROPERTY_RECORDS, "out-order"},
        {GSI_PROPERTY_STREAM, "region, range, part, find, into, resume, explain of --merge=SET, "
                              "histogram with --stats-only"},
        {GSI_PROPERTY_PACKED, "region, range, part, find, into, resume, merge=SET, explain of "
                              "--merge=SET, histogram with --stats-only"},
        {GSI_PROPERTY_PACKED_FIRST, "header with --merge"},
        {GSI_PROPERTY_BLOCK_DEVICE, "resume"},
        {GSI_PROPERTY_SECOND_INPUT, "region, find"},
        {GSI_PROPERTY_FORMATTED, "header"},
        {GSI_PROPERTY_UNCOUNTED, "values, split with --merge"},
        {GSI_PROPERTY_PACKED_OUTPUT, "into, values, resume"},
        {GSI_PROPERTY_SPECIAL_OUTPUT, "resume, verify=read"},
        {GSI_PROPERTY_NPY_OUTPUT, "header, drop-header, sum=OFF:TYPE:wide"},
        {GSI_PROPERTY_NPY_OUTPUT_ONCE, "split-at, unique, merge=SET, where with --merge"},
        {GSI_PROPERTY_KEPT_OUTPUT,
         "part, into, split, split-at, count, order-by, out, values, argsort, "
         "resume, sum=OFF:TYPE:wide"},
    };
    char names[512];
    assert_int_equal(sizeof rows / sizeof rows[0], GSI_FEATURE_COUNT - GSI_PROPERTY_FIRST);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        name_conflicts(rows[i].property, GSI_PROPERTY_FIRST, names, sizeof names);
        assert_string_equal(names, rows[i].names);
    }
}

static void run_refused(gs_job *job, const char *feature, const char *other, const char *how)
{
    const struct gs_error *error = gs_job_error(job);
    if (gs_job_run(job, GS_SORT) != GS_E_USAGE || strstr(error->text, how) == NULL)
        fail_msg("%s, %s: %s", feature, other, error->text);
    assert_int_equal(names_in("."), 0);
}

/* A third option that one of them needs may be what is missed first. */
static void test_conflicts__two_options__without_a_file(void **state)
{
    (void)state;
    unsigned count = 0;
    for (unsigned i = 0; i < GSI_PROPERTY_FIRST; i++)
        for (unsigned j = 0; j < GSI_PROPERTY_FIRST; j++) {
            if (gsi_facts_conflict(i, j) == NULL)
                continue;
            gs_job *job = gs_job_create();
            assert_int_equal(gs_job_add(job, "input", "none"), GS_OK);
            if (set(job, i) && set(job, j))
                run_refused(job, gsi_feature_name(i), gsi_feature_name(j),
                            "cannot be used with --");
            gs_job_free(job);
            count++;
        }
    assert_true(count > 100);
}

static void test_conflicts__required_options__without_a_file(void **state)
{
    (void)state;
    for (const struct gsi_required_row *row = gsi_required_rows; row->why != NULL; row++) {
        gs_job *job = gs_job_create();
        assert_int_equal(gs_job_add(job, "input", "none"), GS_OK);
        if (row->feature != GSI_WITH_SET && row->feature != GSI_OPT_FIND && set(job, row->feature))
            run_refused(job, gsi_feature_name(row->feature), gsi_feature_name(row->other),
                        row->feature == GSI_OPT_INTO ? "needs --merge" : row->why);
        gs_job_free(job);
    }
}

static void test_conflicts__options_without_a_use(void **state)
{
    (void)state;
    static const struct {
        enum gs_action action;
        const char *name, *value, *said;
    } rows[] = {{GS_STATS, "reverse", "true", "--reverse cannot be used with --stats-only: "},
                {GS_STATS, "compress", "auto", "--compress cannot be used with --stats-only: "},
                {GS_CHECK, "where", ">1", "--where cannot be used with --check: "},
                {GS_CHECK_ALL, "output", "out", "--output cannot be used with --check: "},
                {GS_FIND, "top", "0", "--top cannot be used with --find: "},
                {GS_LOOK, "memory", "1G", "--memory cannot be used with --head and --tail: "}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        gs_job *job = gs_job_create();
        assert_int_equal(gs_job_add(job, "input", "none"), GS_OK);
        assert_int_equal(gs_job_set(job, rows[i].name, rows[i].value), GS_OK);
        assert_int_equal(gs_job_run(job, rows[i].action), GS_E_USAGE);
        if (strncmp(gs_job_error(job)->text, rows[i].said, strlen(rows[i].said)) != 0)
            fail_msg("%s: %s", rows[i].said, gs_job_error(job)->text);
        gs_job_free(job);
    }
}

int main(void)
{
#define ROW(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)
    const struct CMUnitTest tests[] = {ROW(test_conflicts__properties__with_these_options),
                                       ROW(test_conflicts__two_options__without_a_file),
                                       ROW(test_conflicts__required_options__without_a_file),
                                       ROW(test_conflicts__options_without_a_use)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
