/* test_npy.c: headers of .npy files: as NumPy writes them, as it does not, and mutated ones.
 * Run: build/dev/tests/test_npy */
#include "support/support.h"

#include "input/npy/npy.h"

static uint8_t header[GSI_NPY_HEADER_MAX + 64];

/* A header with `text` as NumPy frames it; its length. */
static size_t frame(uint8_t version, const char *text)
{
    size_t off = version == 1 ? 10 : 12, length = strlen(text);
    size_t whole = (off + length + 1 + 63) / 64 * 64;
    memset(header, ' ', whole);
    memcpy(header, "\x93NUMPY", 6);
    header[6] = version;
    header[7] = 0;
    for (size_t i = 8; i < off; i++)
        header[i] = (uint8_t)((whole - off) >> 8 * (i - 8));
    memcpy(header + off, text, length);
    header[whole - 1] = '\n';
    return whole;
}

static void test_read__numbers__kind_size_and_count(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint8_t version;
        char kind;
        uint32_t bytes;
        bool is_big_endian;
        uint64_t count;
    } rows[] = {
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }", 1, 'f', 8, false, 3},
        {"{'descr': '>f4', 'fortran_order': False, 'shape': (0,), }", 2, 'f', 4, true, 0},
        {"{'descr': '|u1', 'fortran_order': True, 'shape': (7,), }", 3, 'u', 1, false, 7},
        {"{'descr': '|b1', 'fortran_order': True, 'shape': (7,), }", 1, 'b', 1, false, 7},
        {"{'descr': 'f8', 'fortran_order': False, 'shape': (3,), }", 1, 'f', 8, false, 3},
        {"{'descr': 'u1', 'fortran_order': False, 'shape': (3,), }", 1, 'u', 1, false, 3},
        {"{'descr': 'M8[ns]', 'fortran_order': False, 'shape': (3,), }", 1, 'M', 8, false, 3},
        {"{'shape': (10L,), 'fortran_order': False, 'descr': '<i8'}", 1, 'i', 8, false, 10},
        {"{\"descr\":\"<u2\",\"fortran_order\":False,\"shape\":(9223372036854775807,)}", 1, 'u', 2,
         false, INT64_MAX},
        {"{'descr': '|S10', 'fortran_order': False, 'shape': (5,), }", 1, 'S', 10, false, 5},
        {"{'descr': '<U3', 'fortran_order': False, 'shape': (5,), }", 1, 'U', 12, false, 5},
        {"{'descr': '|V16', 'fortran_order': False, 'shape': (5,), }", 1, 'V', 16, false, 5},
        {"{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (5,), }", 1, 'M', 8, false, 5},
        {"{'descr': '<c16', 'fortran_order': False, 'shape': (5,), }", 1, 'c', 16, false, 5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gsi_schema npy;
        struct gs_error error = {0};
        size_t bytes = frame(rows[i].version, rows[i].text);
        assert_true(gsi_npy_begins(header, bytes));
        assert_int_equal(gsi_npy_wanted(header, bytes), bytes);
        if (gsi_npy_read(header, bytes, "x", &npy, &error) != GS_OK)
            test_fail("%s: %s", rows[i].text, error.text);
        assert_false(npy.is_structured);
        assert_int_equal(npy.header_bytes, bytes);
        assert_int_equal(npy.count, rows[i].count);
        assert_int_equal(npy.element_bytes, rows[i].bytes);
        assert_int_equal(npy.field_count, 1);
        assert_int_equal(npy.fields[0].kind, rows[i].kind);
        assert_int_equal(npy.fields[0].bytes, rows[i].bytes);
        assert_int_equal(npy.fields[0].is_big_endian, rows[i].is_big_endian);
    }
}

static void test_read__structures__fields_lie_one_after_the_other(void **state)
{
    (void)state;
    static const char text[] =
        "{'descr': [('time', '<i8'), (('a title', 'price'), '>f4'), ('', '|V4'), ('xyz', '<f4', "
        "(3,)), ('in', [('a', '|u1'), ('', '|V1'), ('b', '<u2')]), ('many', [('a', '<i4'), ('b', "
        "'|i1')], (2, 3)), ('one', '|S5', 2), ('at', '<M8[25us]')], 'fortran_order': False, "
        "'shape': (12,), }";
    static const struct gsi_schema_field want[] = {
        {.name = "time", .bytes = 8, .kind = 'i'},
        {.name = "price", .off = 8, .bytes = 4, .kind = 'f', .is_big_endian = true},
        {.name = "", .off = 12, .bytes = 4, .kind = 'V'},
        {.name = "xyz", .off = 16, .bytes = 4, .count = 3, .kind = 'f'},
        {.name = "in.a", .off = 28, .bytes = 1, .kind = 'u'},
        {.name = "", .off = 29, .bytes = 1, .kind = 'V'},
        {.name = "in.b", .off = 30, .bytes = 2, .kind = 'u'},
        {.name = "many", .off = 32, .bytes = 5, .count = 6, .kind = 'V', .is_inner = true},
        {.name = "one", .off = 62, .bytes = 5, .count = 2, .kind = 'S'},
        {.name = "at", .off = 72, .bytes = 8, .kind = 'M', .unit = "25us"}};
    const size_t count = sizeof want / sizeof want[0];
    struct gsi_schema npy;
    struct gs_error error = {0};
    if (gsi_npy_read(header, frame(1, text), "x", &npy, &error) != GS_OK)
        test_fail("%s", error.text);
    assert_true(npy.is_structured && npy.count == 12 && npy.element_bytes == 80);
    assert_int_equal(npy.field_count, count);
    for (size_t i = 0; i < count; i++) {
        const struct gsi_schema_field *got = &npy.fields[i];
        if (strcmp(got->name, want[i].name) != 0 || got->off != want[i].off ||
            got->bytes != want[i].bytes || got->count != (want[i].count > 0 ? want[i].count : 1) ||
            got->kind != want[i].kind || got->is_big_endian != want[i].is_big_endian ||
            got->is_inner != want[i].is_inner || strcmp(got->unit, want[i].unit) != 0)
            test_fail("field %zu is '%s' at %u, %u times %u of %c", i, got->name, got->off,
                      got->count, got->bytes, got->kind);
        if (want[i].name[0] != '\0')
            assert_ptr_equal(gsi_schema_field_find(&npy, want[i].name), got);
    }
    assert_null(gsi_schema_field_find(&npy, ""));
    assert_null(gsi_schema_field_find(&npy, "in"));
}

static const struct {
    const char *text, *reason;
} refused[] = {
    {"{'descr': '|O', 'fortran_order': False, 'shape': (3,), }", "Python objects"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4, 1), }", "3 dimensions"},
    {"{'descr': '<f8', 'fortran_order': True, 'shape': (3, 4), }", "Fortran"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 0), }", "0 columns"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 257), }", "257 columns"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 18446744073709551615), }", "too large"},
    {"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3, 4), }", "2 dimensions"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (), }", "0 dimensions"},
    {"{'descr': '<f8', 'fortran_order': False, }", "missing"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (3,), 'x': 1}", "an unknown entry"},
    {"{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (3,)}", "an unknown entry"},
    {"{'descr': '<f8', 'fortran_order': 0, 'shape': (3,), }", "fortran_order"},
    {"{'descr': '<<f8', 'fortran_order': False, 'shape': (3,), }", "not one of NumPy's"},
    {"{'descr': 'f', 'fortran_order': False, 'shape': (3,), }", "not one of NumPy's"},
    {"{'descr': '8', 'fortran_order': False, 'shape': (3,), }", "not one of NumPy's"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (50), }", "not a tuple"},
    {"{'descr': [('a', '<i4'), ('b', '<i4'), ('a', '<f4')], 'fortran_order': False, 'shape': "
     "(3,)}",
     "same name"},
    {"{'descr': [('a', [('x', '<i4')]), (\"a\", '<f4')], 'fortran_order': False, 'shape': "
     "(3,)}",
     "same name"},
    {"{'descr': [('s', [('x', '<i4'), ('x', '<i4')])], 'fortran_order': False, 'shape': (3,)}",
     "same name"},
    {"{'descr': [(('t', 'a'), '<i4'), ('t', '<f4')], 'fortran_order': False, 'shape': (3,)}",
     "same name"},
    {"{'descr': '<f8x', 'fortran_order': False, 'shape': (3,), }", "not one of NumPy's"},
    {"{'descr': '<', 'fortran_order': False, 'shape': (3,), }", "not one of NumPy's"},
    {"{'descr': '', 'fortran_order': False, 'shape': (3,), }", "not one of NumPy's"},
    {"{'descr': '<M8[s', 'fortran_order': False, 'shape': (3,), }", "not one of NumPy's"},
    {"{'descr': '<M8[]', 'fortran_order': False, 'shape': (3,), }", "not one of NumPy's"},
    {"{'descr': '<M8[s]x', 'fortran_order': False, 'shape': (3,), }", "not one of NumPy's"},
    {"{'descr': '<M8[1234567890123456s]', 'fortran_order': False, 'shape': (3,), }",
     "not one of NumPy's"},
    {"{'descr': [('', '<i4')], 'fortran_order': False, 'shape': (3,), }", "no name"},
    {"{'descr': [('', [('a', '<i4')])], 'fortran_order': False, 'shape': (3,), }", "no name"},
    {"{'descr': '<q8', 'fortran_order': False, 'shape': (3,), }", "not one of NumPy's"},
    {"{'descr': '<f99999999', 'fortran_order': False, 'shape': (3,), }", "too long"},
    {"{'descr': '<U4611686018427387904', 'fortran_order': False, 'shape': (3,)}", "too long"},
    {"{'descr': '|S0', 'fortran_order': False, 'shape': (3,), }", "have 0 bytes"},
    {"{'descr': [], 'fortran_order': False, 'shape': (3,), }", "have 0 bytes"},
    {"{'descr': [('a', '<f8', (1000000, 1000000))], 'fortran_order': False, 'shape': (3,)}",
     "too long"},
    {"{'descr': [('a', '|S1000000'), ('b', '|S1000000')], 'fortran_order': False}", "too long"},
    {"{'descr': [('a', [('b', [('c', [('d', [('e', [('f', [('g', [('h', [('i', '<f8')])])])])]"
     ")])])])], 'fortran_order': False, 'shape': (3,)}",
     "too deep"},
    {"{'descr': [('a\\x00', '<f8')], 'fortran_order': False, 'shape': (3,)}", "unusual"},
    {"{'descr': [('a123456789012345678901234567890123456789012345678901234567890123', '<f8')]}",
     "too long"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,), }", "too large"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (3,), } x", "text after"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (3", "has no end"},
    {"{'descr': ", "no value"},
    {"['descr', '<f8']", "not a dictionary"},
    {"", "not a dictionary"},
};

static void test_read__what_is_not_ours__is_refused_with_a_reason(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct gsi_schema npy;
        struct gs_error error = {0};
        enum gs_status status =
            gsi_npy_read(header, frame(1, refused[i].text), "x.npy", &npy, &error);
        if (status != GS_E_INPUT || strstr(error.text, refused[i].reason) == NULL ||
            strstr(error.text, "'x.npy'") == NULL)
            test_fail("%s: status %d (%s)", refused[i].text, status, error.text);
    }
}

static void test_read__names_and_tuples_that_python_takes__are_read(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4, ), }",
        "{'descr': [('a.b', '<i4'), ('a', [('b', '<i4'), ('a', '<i4')]), ('b', '|u1'), ('', "
        "'|V1'), ('', '|V2')], 'fortran_order': False, 'shape': (3,)}",
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gsi_schema npy;
        struct gs_error error = {0};
        if (gsi_npy_read(header, frame(1, rows[i]), "x", &npy, &error) != GS_OK)
            test_fail("%s: %s", rows[i], error.text);
    }
}

static void test_read__frames__versions_and_lengths(void **state)
{
    (void)state;
    static const char text[] = "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }";
    struct gsi_schema npy;
    size_t bytes = frame(1, text);
    for (size_t cut = 0; cut < bytes; cut++)
        assert_int_equal(gsi_npy_read(header, cut, "x", &npy, NULL), GS_E_INPUT);
    header[6] = 4;
    assert_int_equal(gsi_npy_read(header, bytes, "x", &npy, NULL), GS_E_INPUT);
    header[6] = 0;
    assert_int_equal(gsi_npy_read(header, bytes, "x", &npy, NULL), GS_E_INPUT);
    frame(1, text);
    header[7] = 1;
    assert_int_equal(gsi_npy_read(header, bytes, "x", &npy, NULL), GS_E_INPUT);
    frame(2, text);
    header[10] = 1; /* 65536 bytes more */
    assert_int_equal(gsi_npy_read(header, sizeof header, "x", &npy, NULL), GS_E_INPUT);
    header[0] = 'x';
    assert_false(gsi_npy_begins(header, bytes));
    assert_false(gsi_npy_begins((const uint8_t *)"\x93NUMP", 5));
}

/* Byte by byte what numpy.save (2.0) writes. */
static void test_write__numbers__as_numpy(void **state)
{
    (void)state;
    uint8_t got[256], want[128];
    memset(want, ' ', sizeof want);
    memcpy(want, "\x93NUMPY\x01\0v\0{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }", 67);
    want[127] = '\n';
    assert_int_equal(gsi_npy_write("'<f8'", 5, 3, 0, 1, got, sizeof got), 128);
    assert_memory_equal(got, want, 128);
    assert_int_equal(gsi_npy_write("'<f8'", 5, 3, 0, 1, got, 127), 0);
}

static void test_write__any_length__read_again(void **state)
{
    (void)state;
    static char descr[70000];
    struct gsi_schema npy;
    struct gs_error error = {0};
    for (size_t fields = 1; fields < GSI_NPY_FIELDS_MAX; fields++) {
        size_t length = 0;
        descr[length++] = '[';
        for (size_t i = 0; i < fields; i++)
            length +=
                (size_t)sprintf(descr + length, "('f%zu_with_a_name_of_some_length', '<i4'), ", i);
        descr[length++] = ']';
        uint64_t count = fields % 3 == 0 ? INT64_MAX : fields;
        uint8_t version = (uint8_t)(1 + fields % 3);
        size_t bytes = gsi_npy_write(descr, length, count, 0, version, header, sizeof header);
        assert_true(bytes > 0 && bytes % 64 == 0);
        if (gsi_npy_read(header, bytes, "x", &npy, &error) != GS_OK)
            test_fail("%zu fields: %s", fields, error.text);
        assert_true(npy.count == count && npy.field_count == fields && npy.version == version);
        assert_true(npy.descr_bytes == length && memcmp(npy.descr, descr, length) == 0);
    }
    memset(descr, ' ', sizeof descr); /* more than version 1 can say */
    memcpy(descr, "'<f8'", 5);
    uint8_t *large = malloc(70000);
    assert_true(gsi_npy_write(descr, 65500, 1, 0, 1, large, 70000) > 65500);
    assert_int_equal(large[6], 2);
    free(large);
}

static void mutate(struct test_random *random, uint8_t *data, size_t bytes)
{
    static const char *const words[] = {"'",     "(",  ")",   "[",     "]",    "{",    "}",
                                        ",",     ":",  "\"",  "9",     "L",    "'|O'", "True",
                                        "False", "\\", "<f8", "descr", "shape"};
    uint64_t changes = 1 + test_below(random, 4);
    for (uint64_t i = 0; i < changes; i++) {
        size_t at = test_below(random, bytes);
        const char *word = words[test_below(random, sizeof words / sizeof words[0])];
        size_t length = strlen(word) < bytes - at ? strlen(word) : bytes - at;
        if (test_below(random, 2) == 0)
            data[at] = (uint8_t)test_next(random);
        else
            memcpy(data + at, word, length);
    }
}

/* Every accepted header makes sense: fields are consecutive and fill the element. A header that is
 * written from it is read the same. */
static void check_sense(const struct gsi_schema *npy, size_t bytes)
{
    static uint8_t again[2 * GSI_NPY_HEADER_MAX];
    struct gsi_schema other;
    uint32_t off = 0;
    assert_true(npy->header_bytes <= bytes && npy->field_count > 0);
    for (uint32_t i = 0; i < npy->field_count; i++) {
        assert_int_equal(npy->fields[i].off, off);
        off += npy->fields[i].bytes * npy->fields[i].count;
    }
    assert_int_equal(off, npy->element_bytes);
    size_t length = gsi_npy_write(npy->descr, npy->descr_bytes, npy->count, npy->columns,
                                  npy->version, again, sizeof again);
    assert_int_equal(gsi_npy_read(again, length, "again", &other, NULL), GS_OK);
    assert_true(other.element_bytes == npy->element_bytes && other.count == npy->count);
    assert_int_equal(other.field_count, npy->field_count);
}

static void test_read__mutated_headers__sense_or_a_reason(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{'descr': '<f8', 'fortran_order': False, 'shape': (30,), }",
        "{'descr': '>i2', 'fortran_order': False, 'shape': (30, 12), }",
        "{'descr': [('a', '<i8'), ('b', '>f4', (2,)), ('c', [('d', '|S3')], (2,)), (('t', 'e'), "
        "'|u1')], 'fortran_order': False, 'shape': (12,), }"};
    struct test_random random = test_random_make(1);
    int good_count = 0;
    for (int i = 0; i < 200000; i++) {
        size_t bytes = frame(1 + (uint8_t)test_below(&random, 3), texts[i % 3]);
        uint8_t *data = malloc(bytes); /* its end is what the sanitizer watches */
        struct gsi_schema npy;
        struct gs_error error = {0};
        assert_non_null(data);
        memcpy(data, header, bytes);
        mutate(&random, data, bytes);
        if (test_below(&random, 10) == 0)
            bytes = test_below(&random, bytes);
        enum gs_status status = gsi_npy_read(data, bytes, "x", &npy, &error);
        if (status == GS_OK)
            check_sense(&npy, bytes);
        else if (status != GS_E_INPUT || error.text[0] == '\0')
            test_fail("round %d: status %d without a reason", i, status);
        good_count += status == GS_OK;
        free(data);
    }
    assert_true(good_count > 1000 && good_count < 190000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read__numbers__kind_size_and_count),
        cmocka_unit_test(test_read__structures__fields_lie_one_after_the_other),
        cmocka_unit_test(test_read__what_is_not_ours__is_refused_with_a_reason),
        cmocka_unit_test(test_read__names_and_tuples_that_python_takes__are_read),
        cmocka_unit_test(test_read__frames__versions_and_lengths),
        cmocka_unit_test(test_write__numbers__as_numpy),
        cmocka_unit_test(test_write__any_length__read_again),
        cmocka_unit_test(test_read__mutated_headers__sense_or_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
