/* test_record_ties.c: sorts, cuts and bounds tags of records with random keys, and compares with
 * the model. The records decide what the ten bytes of a tag do not. Run:
 * build/dev/tests/test_record_ties */
#include "support/record_model.h"

#include "device/cpu/cpu_leaf_sort.h"
#include "device/record_ties.h"
#include "element/key_scope.h"

#define MOST_RECORDS 700
#define MOST_BYTES   120
#define SHIFT        6 /* records of a block of places */
#define MOST_SLICES  9

/* Records of a random model, in blocks that are not consecutive. */
struct fixture {
    struct record_model model;
    struct gsi_record record;
    uint8_t data[MOST_RECORDS * MOST_BYTES];
    uint8_t blocks[MOST_RECORDS / (1 << SHIFT) + 1][MOST_BYTES << SHIFT];
    const uint8_t *table[MOST_RECORDS / (1 << SHIFT) + 1];
    struct gsi_record_table places;
    size_t n;
    uint32_t end;   /* of the tags' choice */
    uint64_t first; /* index */
    gsi_u128 tags[MOST_RECORDS];
    uint32_t order[MOST_RECORDS]; /* the model's: of places in data */
};

static int by_model(const void *a, const void *b, void *context)
{
    const struct fixture *f = context;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int by_key =
        record_model_compare(&f->model, f->data + x * f->model.bytes, f->data + y * f->model.bytes);
    return by_key != 0 ? by_key : (x > y) - (x < y);
}

/* Returns the bytes that differ, or ten bytes after some that all keys share. */
static struct gsi_tag_choice choose(const struct fixture *f, struct test_random *random)
{
    struct gs_error error = {0};
    struct gsi_key_scope scope;
    assert_int_equal(gsi_key_scope_open(&scope, &f->record, NULL, &error), GS_OK);
    gsi_key_scope_begin(&scope, f->data);
    struct gsi_tag_choice choice = gsi_key_scope_scan(&scope, f->data, f->n);
    gsi_key_scope_close(&scope, NULL);
    return test_below(random, 2) ? choice
                                 : gsi_tag_choice_from((uint32_t)test_below(random, choice.at + 1));
}

static void fixture_make(struct fixture *f, struct test_random *random)
{
    struct gs_error error = {0};
    record_model_make(&f->model, random, 2 + (uint32_t)test_below(random, MOST_BYTES - 1));
    uint32_t bytes = f->model.bytes;
    assert_int_equal(gsi_record_make(bytes, f->model.texts, f->model.key_count, NULL, 0,
                                     f->model.is_reversed, &f->record, &error),
                     GS_OK);
    f->n = 1 + test_below(random, MOST_RECORDS);
    record_fill(random, (enum record_shape)test_below(random, RECORD_SHAPE_COUNT), f->data, f->n,
                bytes);
    const struct gsi_tag_choice choice = choose(f, random);
    f->end = gsi_tag_choice_end(choice);
    f->first = test_below(random, 1 << 20) << SHIFT;
    f->places = (struct gsi_record_table){
        .record = &f->record, .blocks = f->table, .first_block = f->first >> SHIFT, .shift = SHIFT};
    for (size_t b = 0; b << SHIFT < f->n; b++) {
        size_t left = f->n - (b << SHIFT);
        memcpy(f->blocks[b], f->data + (b << SHIFT) * bytes,
               (left < 1 << SHIFT ? left : 1 << SHIFT) * bytes);
        f->table[b] = f->blocks[b];
    }
    gsi_record_tags(&f->record, f->data, f->n, choice, f->first, f->tags);
    for (uint32_t i = 0; i < f->n; i++)
        f->order[i] = i;
    qsort_r(f->order, f->n, sizeof f->order[0], by_model, f);
}

static void check_order(const struct fixture *f, const gsi_u128 *tags, int round)
{
    for (size_t i = 0; i < f->n; i++)
        if (gsi_tag_index(tags[i]) != f->first + f->order[i])
            test_fail("round %d, %u bytes, %zu records: wrong at %zu", round, f->model.bytes, f->n,
                      i);
}

static void test_ties_sort__random_keys__stable_order_of_the_model(void **state)
{
    (void)state;
    static struct fixture f;
    static gsi_u128 made[MOST_RECORDS];
    struct test_random random = test_random_make(1);
    for (int round = 0; round < 1500; round++) {
        fixture_make(&f, &random);
        memcpy(made, f.tags, sizeof made);
        gsi_leaf_sort(GSI_TAG_BYTES, f.tags, f.n);
        gsi_ties_sort(&f.places, f.tags, f.n, f.end);
        check_order(&f, f.tags, round);
        for (size_t i = 0; i < f.n; i++) /* the ten bytes are unchanged */
            assert_true(f.tags[i] == made[f.order[i]]);
    }
}

/* Slices of random lengths of the records, each sorted. */
static uint32_t make_slices(struct fixture *f, struct test_random *random, struct gsi_slice *slices)
{
    uint32_t k = 1 + (uint32_t)test_below(random, MOST_SLICES);
    size_t begin = 0;
    for (uint32_t i = 0; i < k; i++) {
        size_t count = i + 1 < k ? test_below(random, f->n - begin + 1) : f->n - begin;
        gsi_leaf_sort(GSI_TAG_BYTES, f->tags + begin, count);
        gsi_ties_sort(&f->places, f->tags + begin, count, f->end);
        slices[i] = (struct gsi_slice){f->tags + begin, count};
        begin += count;
    }
    return k;
}

static void test_ties_cut__random_keys__every_rank_of_the_model(void **state)
{
    (void)state;
    static struct fixture f;
    struct test_random random = test_random_make(2);
    for (int round = 0; round < 800; round++) {
        struct gsi_slice slices[MOST_SLICES];
        uint64_t cut[MOST_SLICES], scratch[3 * MOST_SLICES];
        fixture_make(&f, &random);
        uint32_t k = make_slices(&f, &random, slices);
        uint32_t place[MOST_RECORDS]; /* in the model's order, of each record */
        for (uint32_t i = 0; i < f.n; i++)
            place[f.order[i]] = i;
        for (uint64_t rank = 0; rank <= f.n; rank += 1 + test_below(&random, 40)) {
            gsi_ties_cut(&f.places, slices, k, rank, f.end, cut, scratch);
            for (uint32_t i = 0; i < k; i++)
                for (uint64_t j = 0; j < slices[i].count; j++) {
                    gsi_u128 tag = ((const gsi_u128 *)slices[i].keys)[j];
                    bool is_before = place[gsi_tag_index(tag) - f.first] < rank;
                    if (is_before != (j < cut[i]))
                        test_fail("round %d, rank %llu, slice %u of %u: wrong cut", round,
                                  (unsigned long long)rank, i, k);
                }
        }
    }
}

static void test_ties_below__random_keys__counts_of_the_model(void **state)
{
    (void)state;
    static struct fixture f;
    struct test_random random = test_random_make(3);
    for (int round = 0; round < 800; round++) {
        struct gsi_slice slices[MOST_SLICES];
        fixture_make(&f, &random);
        uint32_t k = make_slices(&f, &random, slices);
        uint32_t place[MOST_RECORDS];
        for (uint32_t i = 0; i < f.n; i++)
            place[f.order[i]] = i;
        for (int probe = 0; probe < 20; probe++) {
            gsi_u128 bound = f.tags[test_below(&random, f.n)];
            uint32_t bound_place = place[gsi_tag_index(bound) - f.first];
            for (uint32_t i = 0; i < k; i++) {
                uint64_t want = 0;
                for (uint64_t j = 0; j < slices[i].count; j++) {
                    gsi_u128 tag = ((const gsi_u128 *)slices[i].keys)[j];
                    want += place[gsi_tag_index(tag) - f.first] <= bound_place;
                }
                assert_int_equal(gsi_ties_below(&f.places, slices[i], bound, f.end), want);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ties_sort__random_keys__stable_order_of_the_model),
        cmocka_unit_test(test_ties_cut__random_keys__every_rank_of_the_model),
        cmocka_unit_test(test_ties_below__random_keys__counts_of_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
