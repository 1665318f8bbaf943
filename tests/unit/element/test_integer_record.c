/* test_integer_record.c: tests which records are integers or inline records, that no byte is lost,
 * their order against the model, and ties that all other bytes break.
 * Run: build/dev/tests/test_integer_record */
#include "support/record_model.h"

#include "element/record/integer_record.h"
#include "element/record/record_mix.h"

#define COUNT      70u
#define MOST_BYTES 20u

static int sign(int x)
{
    return (x > 0) - (x < 0);
}

static struct gsi_record record_of(uint32_t bytes, const char *const *keys, size_t count,
                                   bool is_reversed)
{
    struct gsi_record record;
    struct gs_error error = {0};
    if (gsi_record_make(bytes, keys, count, NULL, 0, is_reversed, &record, &error) != GS_OK)
        test_fail("%u bytes: %s", bytes, error.text);
    return record;
}

static gsi_u128 load(const uint8_t *words, size_t i, uint32_t bytes)
{
    gsi_u128 word = 0;
    memcpy(&word, words + i * bytes, bytes);
    return word;
}

/* How two words have to compare, by records and indexes. */
static int wanted_order(const struct gsi_record *record, const struct gsi_integer_map *word,
                        const uint8_t *records, size_t a, size_t b)
{
    int by_key = sign(
        gsi_record_compare(record, records + a * record->bytes, records + b * record->bytes, 0));
    return by_key != 0 || word->index_bits == 0 ? by_key : a < b ? -1 : a > b;
}

/* Records are mapped to integers and back, each in memory of exactly their size. */
static void check_words(const struct gsi_record *record, const struct gsi_integer_map *word,
                        const uint8_t *records, size_t n, uint64_t index)
{
    size_t record_bytes = n * record->bytes, word_bytes = n * word->key_bytes;
    uint8_t *from = test_malloc(record_bytes + 1), *back = test_malloc(record_bytes + 1);
    uint8_t *words = test_malloc(word_bytes + 1);
    memcpy(from, records, record_bytes);
    words[word_bytes] = back[record_bytes] = 0xa5;
    gsi_records_to_integers(word, from, n, index, words);
    assert_memory_equal(from, records, record_bytes);
    gsi_integers_to_records(word, words, n, back);
    assert_memory_equal(back, records, record_bytes);
    assert_int_equal(words[word_bytes], 0xa5);
    assert_int_equal(back[record_bytes], 0xa5);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++) {
            gsi_u128 x = load(words, a, word->key_bytes), y = load(words, b, word->key_bytes);
            assert_int_equal((x > y) - (x < y), wanted_order(record, word, records, a, b));
        }
    if (word->index_bits == 0) { /* in their place */
        gsi_records_to_integers(word, from, n, index, from);
        assert_memory_equal(from, words, word_bytes);
        gsi_integers_to_records(word, from, n, from);
        assert_memory_equal(from, records, record_bytes);
    } else { /* as in a chunk, where each record begins after the end of its integer */
        uint8_t *chunk = test_malloc(word_bytes + word->key_bytes);
        memcpy(chunk + word_bytes + word->key_bytes - record_bytes, records, record_bytes);
        gsi_records_to_integers(word, chunk + word_bytes + word->key_bytes - record_bytes, n, index,
                                chunk);
        assert_memory_equal(chunk, words, word_bytes);
        test_free(chunk);
    }
    test_free(from);
    test_free(back);
    test_free(words);
}

/* Returns whether the keys have each byte of the record, or some of them, once. */
static bool are_apart(const struct gsi_record *record)
{
    bool is_seen[MOST_BYTES] = {false};
    for (uint32_t i = 0; i < record->part_count; i++)
        for (uint32_t k = 0; k < record->parts[i].bytes; k++) {
            if (is_seen[record->parts[i].off + k])
                return false;
            is_seen[record->parts[i].off + k] = true;
        }
    return true;
}

/* Returns whether records are sorted as integers, and which integers these are. */
static bool make(const struct gsi_record *record, struct gsi_integer_map *word, bool *is_inline)
{
    uint32_t bytes = record->bytes;
    bool is_word = gsi_integer_map_make(record, word);
    *is_inline = !is_word && gsi_inline_map_make(record, word);
    if (is_word)
        assert_true((bytes == 4 || bytes == 8 || bytes == 16) && record->key_bytes == bytes &&
                    are_apart(record) && word->key_bytes == bytes && word->index_bits == 0);
    if (*is_inline)
        assert_true(bytes <= GSI_INLINE_BYTES_MAX && are_apart(record) && word->key_bytes == 16 &&
                    word->index_bits >= 32);
    return is_word || *is_inline;
}

static void test_words__random_keys__order_of_the_records(void **state)
{
    (void)state;
    static uint8_t data[COUNT * MOST_BYTES];
    struct test_random random = test_random_make(1);
    uint32_t words = 0, inlines = 0;
    for (int round = 0; round < 4000; round++) {
        static const uint32_t widths[] = {4, 8, 16};
        struct record_model model;
        struct gsi_integer_map word;
        bool is_inline;
        record_model_make(&model, &random,
                          round % 2 ? widths[test_below(&random, 3)]
                                    : 2 + (uint32_t)test_below(&random, MOST_BYTES - 2));
        struct gsi_record record =
            record_of(model.bytes, model.texts, model.key_count, model.is_reversed);
        if (round % 3 == 0)
            gsi_record_break_ties(&record, model.is_reversed);
        if (!make(&record, &word, &is_inline))
            continue;
        words += !is_inline;
        inlines += is_inline;
        size_t n = test_below(&random, COUNT + 1);
        record_fill(&random, (enum record_shape)test_below(&random, RECORD_SHAPE_COUNT), data, n,
                    model.bytes);
        check_words(&record, &word, data, n, is_inline ? test_below(&random, 1u << 30) : 0);
    }
    assert_true(words > 300 && inlines > 300);
}

static void test_words__which_records__are_some(void **state)
{
    (void)state;
    static const struct row {
        const char *keys[3];
        uint32_t bytes;
        bool is_word, is_inline, has_ties; /* has_ties: it is a word if other bytes break ties */
    } rows[] = {
        {{"0:u32", "4:u32"}, 8, true, false, true},
        {{"4:u32be:desc", "0:f32"}, 8, true, false, true},
        {{"0:time64be"}, 8, true, false, true},
        {{"0:i128"}, 16, true, false, true},
        {{"0:b3", "3:f64", "11:b5"}, 16, false, false, false}, /* the number is in both halves */
        {{"0:u32"}, 8, false, true, true},
        {{"8:u64"}, 16, false, false, true},
        {{"0:b10"}, 10, false, true, false},
        {{"0:u32"}, 12, false, true, false},
        {{"0:u32"}, 13, false, false, false},
        {{"0:u32", "2:u32"}, 8, false, false, false}, /* two bytes are in both keys */
        {{"0:u32", "0:u32"}, 8, false, false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *row = &rows[i];
        struct gsi_integer_map word;
        size_t count = 0;
        while (count < 3 && row->keys[count] != NULL)
            count++;
        struct gsi_record record = record_of(row->bytes, row->keys, count, false);
        bool is_word = gsi_integer_map_make(&record, &word);
        bool is_inline = !is_word && gsi_inline_map_make(&record, &word);
        gsi_record_break_ties(&record, false);
        if (is_word != row->is_word || is_inline != row->is_inline ||
            gsi_integer_map_make(&record, &word) != row->has_ties)
            test_fail("row %zu: word %d, inline %d", i, is_word, is_inline);
    }
}

static void test_break_ties__random_keys__all_other_bytes_in_their_order(void **state)
{
    (void)state;
    static uint8_t data[2 * MOST_BYTES];
    struct test_random random = test_random_make(2);
    for (int round = 0; round < 4000; round++) {
        struct record_model model;
        record_model_make(&model, &random, 2 + (uint32_t)test_below(&random, MOST_BYTES - 2));
        struct gsi_record record =
            record_of(model.bytes, model.texts, model.key_count, model.is_reversed);
        bool is_key[MOST_BYTES] = {false};
        for (uint32_t i = 0; i < record.key_count; i++)
            memset(is_key + record.keys[i].off, true, record.keys[i].bytes);
        record_fill(&random, (enum record_shape)test_below(&random, RECORD_SHAPE_COUNT), data, 2,
                    model.bytes);
        const uint8_t *a = data, *b = data + model.bytes;
        int want = sign(record_model_compare(&model, a, b));
        for (uint32_t off = 0; want == 0 && off < model.bytes; off++)
            if (!is_key[off] && a[off] != b[off])
                want = (a[off] < b[off]) != model.is_reversed ? -1 : 1;
        gsi_record_break_ties(&record, model.is_reversed);
        assert_int_equal(sign(gsi_record_compare(&record, a, b, 0)), want);
        struct gsi_record first;
        if (record.key_count == 0)
            continue;
        assert_int_equal(gsi_record_group_keys(&record, 0), record.key_count);
        gsi_record_first_keys(&record, gsi_record_group_keys(&record, 0), &first);
        assert_int_equal(sign(gsi_record_compare(&first, a, b, 0)),
                         sign(record_model_compare(&model, a, b)));
    }
}

/* Sums by vectors are those of one record after the other. */
static void test_mix_records__every_width__sum_of_each(void **state)
{
    (void)state;
    static uint8_t data[1 + 3000 * 33];
    struct test_random random = test_random_make(3);
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)test_below(&random, 256);
    for (uint32_t bytes = 1; bytes <= 33; bytes++)
        for (size_t n = 0; n <= 3000; n += n < 3 ? 1 : 997) {
            gsi_u128 want = 0;
            for (size_t i = 0; i < n; i++)
                want += gsi_mix_record(data + 1 + i * bytes, bytes);
            assert_true(gsi_mix_records(data + 1, n, bytes) == want);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words__random_keys__order_of_the_records),
        cmocka_unit_test(test_words__which_records__are_some),
        cmocka_unit_test(test_break_ties__random_keys__all_other_bytes_in_their_order),
        cmocka_unit_test(test_mix_records__every_width__sum_of_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
