/* test_record.c: tests keys in records: parsing of options, the order compared with the model, and
 * tags. Run: build/dev/tests/test_record */
#include "support/record_model.h"

#include "element/key_scope.h"

#define MOST_BYTES   300
#define NUMBER_NAMES "uint8 int8 u16 i16 f16 bf16 u32 i32 f32 u64 i64 f64 u128 i128 time64"

static struct gsi_record record_of(const struct record_model *model)
{
    struct gsi_record record;
    struct gs_error error = {0};
    if (gsi_record_make(model->bytes, model->texts, model->key_count, NULL, 0, model->is_reversed,
                        &record, &error) != GS_OK)
        test_fail("%u bytes: %s", model->bytes, error.text);
    return record;
}

/* Names of a header and of --fields, in all texts that they may have. */
static void test_record__names__as_their_places(void **state)
{
    (void)state;
    struct gs_error error = {0};
    struct gsi_names names;
    struct gsi_record record;
    assert_int_equal(gsi_names_open(&names, 2, 1, &error), GS_OK);
    names.file = "x.npy";
    names.header_count = names.count = 2;
    names.table[0] = (struct gsi_name){"a:desc", "0:u16", 0, 2, false};
    names.table[1] = (struct gsi_name){"a", "2:i16", 2, 2, true};
    assert_int_equal(gsi_names_add(&names, "b=4:u32be, c=8:b3", 16, &error), GS_OK);
    const char *keys[] = {"a:desc", "a:desc:desc",       "a", "b:DESC", "c",
                          "8:u64",  names.table[0].place};
    const uint32_t offs[] = {0, 0, 2, 4, 8, 8, 0};
    const bool descends[] = {false, true, false, true, false, false, false};
    assert_int_equal(gsi_record_make_named(16, &names, keys, 7, NULL, 0, false, &record, &error),
                     GS_OK);
    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(record.keys[i].off, offs[i]);
        assert_int_equal(record.keys[i].is_descending, descends[i]);
    }
    assert_string_equal(record.keys[6].text, "a:desc");
    assert_int_equal(gsi_names_text_bytes(&names, "a:desc"), 6);
    assert_int_equal(gsi_names_text_bytes(&names, "b:DESC"), 1);
    assert_int_equal(
        gsi_record_make_named(16, &names, keys + 2, 1, NULL, 0, false, &record, &error), GS_OK);
    assert_string_equal(record.fields[0].text, "2:i16"); /* the stored numbers of a scaled field */
    assert_int_equal(gsi_names_add(&names, "d=0:u16,a=0:u16", 16, &error), GS_E_USAGE);
    assert_string_equal(error.text, "--fields: 'a=0:u16': 'x.npy' already has a field 'a'; choose "
                                    "another name");
    gsi_names_close(&names);
}

static int sign(int x)
{
    return (x > 0) - (x < 0);
}

/* Checks all comparisons of two records, from every byte on. */
static void check_pair(const struct record_model *model, const struct gsi_record *record,
                       const uint8_t *a, const uint8_t *b)
{
    static uint8_t x[RECORD_KEYS_MAX * MOST_BYTES + 32], y[sizeof x];
    uint32_t length = record->key_bytes, shared = 0;
    int want = sign(record_model_compare(model, a, b));
    gsi_record_key(record, a, 0, length + 16, x);
    gsi_record_key(record, b, 0, length + 16, y);
    while (shared < length && x[shared] == y[shared])
        shared++;
    assert_int_equal(sign(memcmp(x, y, length)), want);
    for (uint32_t at = 0; at <= shared; at += 1 + at / 7) {
        uint8_t part[32];
        assert_int_equal(sign(gsi_record_compare(record, a, b, at)), want);
        assert_int_equal(gsi_record_shared(record, a, b, at, length), shared);
        if (shared > at)
            assert_int_equal(gsi_record_shared(record, a, b, at, shared - 1), shared - 1);
        gsi_record_key(record, a, at, 13, part);
        assert_memory_equal(part, x + at, length - at < 13 ? length - at : 13);
    }
}

static void test_record__random_keys__order_of_the_model(void **state)
{
    (void)state;
    static uint8_t data[20 * MOST_BYTES];
    struct test_random random = test_random_make(1);
    for (int round = 0; round < 3000; round++) {
        struct record_model model;
        record_model_make(&model, &random,
                          2 + (uint32_t)test_below(&random, round % 10 ? 40 : 298));
        struct gsi_record record = record_of(&model);
        record_fill(&random, (enum record_shape)test_below(&random, RECORD_SHAPE_COUNT), data, 6,
                    model.bytes);
        for (size_t i = 0; i < 6; i++)
            for (size_t j = 0; j < 6; j++)
                check_pair(&model, &record, data + i * model.bytes, data + j * model.bytes);
    }
}

static gsi_u128 tag_of(const struct gsi_record *record, const uint8_t *element,
                       struct gsi_tag_choice choice, uint64_t index)
{
    uint32_t count = 0;
    gsi_u128 tag = 0;
    for (uint32_t at = choice.at; count < GSI_TAG_KEY_BYTES; at++) {
        uint8_t byte;
        if (at < choice.at + 32 && (choice.bits >> (at - choice.at) & 1) == 0)
            continue;
        gsi_record_key(record, element, at, 1, &byte);
        tag = tag << 8 | byte;
        count++;
    }
    return tag << GSI_TAG_INDEX_BITS | index;
}

static void test_tags__random_keys_and_places__bytes_of_the_key(void **state)
{
    (void)state;
    enum { MOST = 600 };
    static uint8_t data[MOST * 40];
    static gsi_u128 tags[MOST];
    static const uint8_t *each[MOST];
    struct test_random random = test_random_make(2);
    for (int round = 0; round < 400; round++) {
        struct record_model model;
        size_t n = test_below(&random, MOST);
        record_model_make(&model, &random, 2 + (uint32_t)test_below(&random, 39));
        struct gsi_record record = record_of(&model);
        record_fill(&random, RECORD_RANDOM, data, n, model.bytes);
        struct gsi_tag_choice choice = {(uint32_t)test_below(&random, record.key_bytes + 1),
                                        (uint32_t)(test_next(&random) & test_next(&random))};
        choice = round % 2 ? choice : gsi_tag_choice_from(choice.at);
        uint64_t index = GSI_TAG_INDEX_MASK - MOST;
        gsi_record_tags(&record, data, n, choice, index, tags);
        for (size_t i = 0; i < n; i++)
            assert_true(tags[i] == tag_of(&record, data + i * model.bytes, choice, index + i));
        for (size_t i = 0; i < n; i++)
            each[i] = data + (n - 1 - i) * model.bytes;
        gsi_record_tags_at(&record, each, n, choice, tags);
        for (size_t i = 0; i < n; i++)
            assert_true(tags[i] == tag_of(&record, each[i], choice, index + i));
    }
}

/* Tags of records that share bytes, made of the bytes after these and moved to the front. */
static void test_tags_shift__shared_bytes__as_made_there(void **state)
{
    (void)state;
    struct test_random random = test_random_make(3);
    struct record_model model = {.bytes = 30};
    struct gsi_record record = record_of(&model);
    for (uint32_t from = 1; from <= 30; from++)
        for (uint32_t to = 0; to < from; to++) {
            uint8_t data[8 * 30];
            gsi_u128 tags[8];
            record_fill(&random, RECORD_RANDOM, data, 8, 30);
            for (int i = 1; i < 8; i++)
                memcpy(data + i * 30, data, from);
            gsi_record_tags(&record, data, 8, gsi_tag_choice_from(from), 77, tags);
            gsi_record_tags_shift(&record, data, gsi_tag_choice_from(from), gsi_tag_choice_from(to),
                                  tags, 8);
            for (uint32_t i = 0; i < 8; i++) {
                gsi_u128 want = tag_of(&record, data + i * 30, gsi_tag_choice_from(to), 77 + i);
                assert_true(tags[i] == want);
            }
        }
}

/* Checks a choice against the keys of all records so far. Bytes before its end differ if they are
 * in it, and are the same otherwise. Nothing is known of bytes from `lowered` on. */
static void check_choice(const struct gsi_record *record, const uint8_t *data, size_t n,
                         struct gsi_tag_choice choice, uint32_t lowered)
{
    static uint8_t first[RECORD_KEYS_MAX * MOST_BYTES + 64], key[sizeof first];
    uint32_t places[GSI_TAG_KEY_BYTES], next = 0;
    gsi_tag_choice_places(choice, places);
    uint32_t end = gsi_min_u32(gsi_tag_choice_end(choice), record->key_bytes);
    bool differs[sizeof first] = {false};
    gsi_record_key(record, data, 0, end, first);
    for (size_t i = 1; i < n; i++) {
        gsi_record_key(record, data + i * record->bytes, 0, end, key);
        for (uint32_t at = 0; at < end; at++)
            differs[at] |= key[at] != first[at];
    }
    for (uint32_t at = 0; at < end; at++) {
        bool is_chosen = next < GSI_TAG_KEY_BYTES && places[next] == at;
        next += is_chosen;
        bool is_known = at < lowered && at < choice.at + 32;
        if (is_chosen ? is_known && !differs[at] : differs[at])
            test_fail("byte %u of %u: %s", at, record->key_bytes,
                      is_chosen ? "chosen" : "left out");
    }
}

/* Scans records in a few parts. Tags of each part, made of the bytes that differed up to then, are
 * shifted to the choice of the end. */
static void test_key_scope__random_keys_in_parts__first_bytes_that_differ(void **state)
{
    (void)state;
    enum { MOST = 700, PARTS = 5 };
    static uint8_t data[MOST * 80];
    static gsi_u128 tags[MOST];
    struct test_random random = test_random_make(4);
    struct gs_error error = {0};
    for (int round = 0; round < 2000; round++) {
        struct record_model model;
        record_model_make(&model, &random, 2 + (uint32_t)test_below(&random, 79));
        struct gsi_record record = record_of(&model);
        size_t n = 1 + test_below(&random, MOST), done = 0, begins[PARTS + 1];
        record_fill(&random, (enum record_shape)test_below(&random, RECORD_SHAPE_COUNT), data, n,
                    model.bytes);
        struct gsi_key_scope scope;
        struct gsi_tag_choice choices[PARTS];
        uint32_t lowered = UINT32_MAX;
        assert_int_equal(gsi_key_scope_open(&scope, &record, NULL, &error), GS_OK);
        gsi_key_scope_begin(&scope, data);
        for (int p = 0; p < PARTS; p++) {
            begins[p] = done;
            done = p + 1 < PARTS ? done + test_below(&random, n - done + 1) : n;
            const uint8_t *part = data + begins[p] * model.bytes;
            choices[p] = gsi_key_scope_scan(&scope, part, done - begins[p]);
            gsi_record_tags(&record, part, done - begins[p], choices[p], begins[p],
                            tags + begins[p]);
            check_choice(&record, data, done, choices[p], lowered);
            if (test_below(&random, 40) == 0) {
                lowered = gsi_min_u32(lowered, gsi_key_scope_shared(&scope));
                gsi_key_scope_lower(&scope, lowered);
            }
        }
        begins[PARTS] = n;
        const struct gsi_tag_choice last = gsi_key_scope_choice(&scope);
        for (int p = 0; p < PARTS; p++)
            gsi_record_tags_shift(&record, data, choices[p], last, tags + begins[p],
                                  begins[p + 1] - begins[p]);
        for (size_t i = 0; i < n; i++)
            assert_true(tags[i] == tag_of(&record, data + i * model.bytes, last, i));
        gsi_key_scope_close(&scope, NULL);
    }
}

static void test_record_make__what_cannot_be__refused(void **state)
{
    (void)state;
    static const struct {
        uint32_t bytes;
        const char *key, *field, *text;
    } rows[] = {
        {0, NULL, NULL, "--record: 0 is not between 1 and 65536 bytes"},
        {65537, NULL, NULL, "--record: 65537 is not between 1 and 65536 bytes"},
        {8, "u32", NULL,
         "--key: 'u32' is not OFF:TYPE[:desc], like 8:u32be; --fields=NAME=OFF:TYPE gives "
         "a field a name"},
        {8, "4294967296:uint8", NULL,
         "--key: '4294967296:uint8' begins after byte 4294967295, but a record has only 8 bytes"},
        {8, "0:b4294967296", NULL,
         "--key: '0:b4294967296' has more bytes than a record can have, 65536"},
        {8, "-1:uint8", NULL,
         "--key: '-1:uint8' is not OFF:TYPE[:desc], like 8:u32be; append :desc for "
         "largest first"},
        {8, "0:u24", NULL,
         "--key: '0:u24' has no known type; types are " NUMBER_NAMES
         " (append be for big endian), and bN for N bytes"},
        {8, "0:b4be", NULL,
         "--key: '0:b4be' has no known type; types are " NUMBER_NAMES
         " (append be for big endian), and bN for N bytes"},
        {8, "0:uint8:up", NULL,
         "--key: '0:uint8:up': ':up' is not expected there; append ':asc', ':desc' or nothing to "
         "the "
         "type"},
        {8, "5:u32", NULL,
         "--key: '5:u32' needs 4 bytes from byte 5, but a record has only 8 bytes"},
        {8, "0:b9", NULL, "--key: '0:b9' needs 9 bytes from byte 0, but a record has only 8 bytes"},
        {8, "0:b0", NULL, "--key: '0:b0' has 0 bytes; give it at least 1"},
        {8, "4294967295:b4294967295", NULL,
         "--key: '4294967295:b4294967295' needs 4294967295 bytes from byte 4294967295, "
         "but a record has only 8 bytes"},
        {8, NULL, "0:b4", "--stats-of: '0:b4' is a field of bytes; only numbers have statistics"},
        {8, NULL, "0:u32:desc",
         "--stats-of: '0:u32:desc': ':desc' is not expected there; write OFF:TYPE"},
        {8, NULL, "7:u16",
         "--stats-of: '7:u16' needs 2 bytes from byte 7, but a record has only 8 bytes"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gsi_record record;
        struct gs_error error = {0};
        enum gs_status status =
            gsi_record_make(rows[i].bytes, &rows[i].key, rows[i].key != NULL, &rows[i].field,
                            rows[i].field != NULL, false, &record, &error);
        assert_int_equal(status, GS_E_USAGE);
        assert_string_equal(error.text, rows[i].text);
    }
}

/* The first key that is a number has statistics, unless fields were named. */
static void test_record_make__fields__default_and_named(void **state)
{
    (void)state;
    static const char *const keys[] = {"0:b3", "3:i16be", "8:f64"};
    static const char *const fields[] = {"0:uint8", "8:u64be"};
    struct gsi_record record;
    struct gs_error error = {0};
    assert_int_equal(gsi_record_make(16, keys, 3, NULL, 0, false, &record, &error), GS_OK);
    assert_int_equal(record.field_count, 1);
    assert_string_equal(record.fields[0].text, "3:i16be");
    assert_string_equal(record.fields[0].type->name, "i32");
    assert_int_equal(gsi_record_make(16, keys, 3, fields, 2, false, &record, &error), GS_OK);
    assert_int_equal(record.field_count, 2);
    assert_int_equal(record.fields[1].off, 8);
    assert_true(record.fields[1].is_big_endian);
    assert_int_equal(gsi_record_make(16, keys, 1, NULL, 0, false, &record, &error), GS_OK);
    assert_int_equal(record.field_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_record__names__as_their_places),
        cmocka_unit_test(test_record__random_keys__order_of_the_model),
        cmocka_unit_test(test_tags__random_keys_and_places__bytes_of_the_key),
        cmocka_unit_test(test_tags_shift__shared_bytes__as_made_there),
        cmocka_unit_test(test_key_scope__random_keys_in_parts__first_bytes_that_differ),
        cmocka_unit_test(test_record_make__what_cannot_be__refused),
        cmocka_unit_test(test_record_make__fields__default_and_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
