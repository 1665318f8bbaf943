/* test_report_schema.c: src/report.schema.json, which is installed, says of the JSON of reports and
 * plans what the table of their fields says. tests/python/test_schema.py holds real ones to it.
 * GS_GOLDEN_WRITE=1 writes it anew: review the diff. Run: build/dev/tests/test_report_schema */
#include "support/support.h"

#include "report/report_rows.h"

#include <stdio.h>

#define NAMES_MAX 256

/* Fields of an object, some of which stand in two tables of which one is there. */
struct names {
    const char *text[NAMES_MAX];
    bool is_required[NAMES_MAX];
    size_t count;
};

static const char *type_of(enum gsi_row_kind kind)
{
    switch (kind) {
    case GSI_ROW_COUNT:
    case GSI_ROW_SIZE:
    case GSI_ROW_SCHEMA:
        return "integer";
    case GSI_ROW_FLAG:
        return "boolean";
    case GSI_ROW_SECONDS:
    case GSI_ROW_PREDICTED:
        return "number";
    case GSI_ROW_OBJECT:
        return "object";
    case GSI_ROW_LIST:
        return "array";
    default:
        return "string";
    }
}

static bool may_be_null(const struct gsi_report_row *row)
{
    return row->known.bytes > 0 || row->is_known != NULL || row->kind == GSI_ROW_SIZE ||
           row->kind == GSI_ROW_NOTE || row->kind == GSI_ROW_POINTER || row->kind == GSI_ROW_TYPE ||
           row->kind == GSI_ROW_SET || row->kind == GSI_ROW_SUM;
}

static void write_rows(FILE *file, const struct gsi_report_row *rows, bool is_there, int depth,
                       struct names *names);

/* {"type": "object", .. }, without its end. */
static void write_object(FILE *file, const struct gsi_report_row *rows, bool is_null, int depth)
{
    struct names names = {.count = 0};
    fprintf(file, "{\"type\": %s, \"properties\": {",
            is_null ? "[\"object\", \"null\"]" : "\"object\"");
    write_rows(file, rows, true, depth + 1, &names);
    fprintf(file, "},\n%*s\"required\": [", 2 * depth, "");
    for (size_t i = 0, written = 0; i < names.count; i++)
        if (names.is_required[i])
            fprintf(file, "%s\"%s\"", written++ > 0 ? ", " : "", names.text[i]);
    fputc(']', file);
}

static void write_row(FILE *file, const struct gsi_report_row *row, int depth)
{
    bool is_null = may_be_null(row);
    const char *type = type_of(row->kind);
    if (row->kind == GSI_ROW_OBJECT) {
        write_object(file, row->rows, is_null, depth);
        fputc('}', file);
        return;
    }
    fprintf(file, is_null ? "{\"type\": [\"%s\", \"null\"]" : "{\"type\": \"%s\"", type);
    if (row->kind == GSI_ROW_SCHEMA)
        fprintf(file, ", \"const\": %d", GSI_REPORT_SCHEMA);
    else if (strcmp(type, "string") != 0 && row->kind != GSI_ROW_FLAG && row->kind != GSI_ROW_LIST)
        fputs(", \"minimum\": 0", file);
    if (row->kind == GSI_ROW_LIST)
        fputs(", \"items\": ", file);
    if (row->kind == GSI_ROW_LIST && row->rows != NULL) {
        write_object(file, row->rows, false, depth);
        fputc('}', file);
    } else if (row->kind == GSI_ROW_LIST) {
        const struct gsi_report_row item = {.kind = row->item};
        write_row(file, &item, depth);
    }
    fputc('}', file);
}

static void write_rows(FILE *file, const struct gsi_report_row *rows, bool is_there, int depth,
                       struct names *names)
{
    for (const struct gsi_report_row *row = rows; row->kind != GSI_ROW_END; row++) {
        bool is_required = is_there && row->is_there == NULL, is_again = false;
        if (row->kind == GSI_ROW_ALSO) {
            write_rows(file, row->rows, is_required, depth, names);
            continue;
        }
        for (size_t i = 0; i < names->count; i++)
            is_again = is_again || strcmp(names->text[i], row->name) == 0;
        if (is_again)
            continue;
        assert_true(names->count < NAMES_MAX);
        names->text[names->count] = row->name;
        names->is_required[names->count] = is_required;
        fprintf(file, "%s\n%*s\"%s\": ", names->count++ > 0 ? "," : "", 2 * depth, "", row->name);
        write_row(file, row, depth);
    }
}

static char *schema_text(void)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);
    assert_non_null(file);
    fputs("{\n"
          "  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
          "  \"title\": \"Reports (--stats=json) and plans (--explain --stats=json) of gsort\",\n"
          "  \"description\": \"Counts, sizes and seconds are numbers, what is of the data is a "
          "string. Fields may be added.\",\n"
          "  \"anyOf\": [{\"$ref\": \"#/$defs/report\"}, {\"$ref\": \"#/$defs/plan\"}],\n"
          "  \"$defs\": {\n"
          "    \"report\": ",
          file);
    write_object(file, gsi_report_rows, false, 2);
    fputs("},\n    \"plan\": ", file);
    write_object(file, gsi_plan_rows, false, 2);
    fputs("}\n  }\n}\n", file);
    assert_int_equal(fclose(file), 0);
    return text;
}

static void test_report_schema__file__is_what_the_table_says(void **state)
{
    (void)state;
    static char have[1 << 18];
    char *want = schema_text();
    const char *path = GSORT_TESTS_DIR "/../src/report.schema.json";
    if (getenv("GS_GOLDEN_WRITE") != NULL) {
        FILE *file = fopen(path, "w");
        assert_true(file != NULL && fputs(want, file) >= 0 && fclose(file) == 0);
    }
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    have[fread(have, 1, sizeof have - 1, file)] = '\0';
    fclose(file);
    size_t same = 0;
    while (want[same] != '\0' && want[same] == have[same])
        same++;
    if (strcmp(have, want) != 0)
        test_fail("src/report.schema.json: not '%.60s' but '%.60s'; GS_GOLDEN_WRITE=1 writes it",
                  want + same, have + same);
    free(want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_report_schema__file__is_what_the_table_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
