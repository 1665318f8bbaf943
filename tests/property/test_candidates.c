/* test_candidates.c: compares candidates, found slice by slice, with the slow model. Whatever the
 * slices, bounds and cuts, the first elements of all remain, the same records among equals, with
 * their fingerprint. Run: build/dev/tests/test_candidates */
#include "support/record_model.h"

#include "device/candidates.h"
#include "element/record/record.h"

#define RECORD_BYTES 80
#define RECORDS      3000
#define NUMBERS      40000 /* enough to be cut by samples */
#define DATA_BYTES   (NUMBERS * 16)

_Static_assert(RECORDS *RECORD_BYTES <= DATA_BYTES, "records fit, too");

/* One job: its elements, their order by the model, and the candidates. */
struct fixture {
    struct gsi_layout layout;
    struct gsi_record record;
    struct record_model model; /* of records */
    const char *type;          /* of numbers; NULL: records */
    size_t n;
    _Alignas(16) uint8_t in[DATA_BYTES];
    uint32_t order[NUMBERS]; /* the model's */
    _Alignas(16) uint8_t kept[2 * DATA_BYTES];
    gsi_u128 kept_tags[2 * RECORDS];
    _Alignas(16) uint8_t piece[DATA_BYTES];
    gsi_u128 piece_tags[RECORDS];
    _Alignas(16) uint8_t window[DATA_BYTES];
};

static struct fixture f;
static uint64_t sampled_cuts; /* recognised by the number of elements that remain */

static int by_model(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const uint8_t *p = f.in + x * f.layout.element_bytes, *q = f.in + y * f.layout.element_bytes;
    int order = f.type == NULL ? record_model_compare(&f.model, p, q) : 0;
    if (f.type != NULL)
        order = model_compare_of(f.type)(p, q) * (f.layout.is_reversed ? -1 : 1);
    return order != 0 ? order : (x > y) - (x < y);
}

static void order_by_model(void)
{
    for (uint32_t i = 0; i < f.n; i++)
        f.order[i] = i;
    qsort(f.order, f.n, sizeof f.order[0], by_model);
}

static void make_numbers(struct test_random *random)
{
    f.type = model_types[test_below(random, MODEL_TYPE_COUNT)];
    f.layout = gsi_layout_make(gsi_key_type_find(f.type), test_below(random, 2) == 0);
    f.n = 1 + test_below(random, NUMBERS);
    model_fill(random, (enum model_shape)test_below(random, MODEL_SHAPE_COUNT), f.type, f.in, f.n);
    order_by_model();
}

static void make_records(struct test_random *random)
{
    struct gs_error error = {0};
    f.type = NULL;
    record_model_make(&f.model, random, 2 + (uint32_t)test_below(random, RECORD_BYTES - 1));
    assert_int_equal(gsi_record_make(f.model.bytes, f.model.texts, f.model.key_count, NULL, 0,
                                     f.model.is_reversed, &f.record, &error),
                     GS_OK);
    f.layout = gsi_layout_make_records(&f.record, NULL, f.model.is_reversed);
    f.n = 1 + test_below(random, RECORDS);
    record_fill(random, (enum record_shape)test_below(random, RECORD_SHAPE_COUNT), f.in, f.n,
                f.model.bytes);
    order_by_model();
}

/* Copies the next elements to f.piece, and keeps those below the bound. */
static struct gsi_candidates find(size_t begin, size_t count, const uint8_t *bound)
{
    struct gsi_candidates found = {.layout = &f.layout, .data = f.piece, .tags = f.piece_tags};
    memcpy(f.piece, f.in + begin * f.layout.element_bytes, count * f.layout.element_bytes);
    gsi_candidates_find(&found, count, bound);
    return found;
}

/* Adds all elements in pieces of random lengths, with cuts at random times. */
static struct gsi_candidates keep(struct test_random *random, uint64_t most)
{
    struct gsi_candidates kept = {.layout = &f.layout, .data = f.kept, .tags = f.kept_tags};
    _Alignas(16) uint8_t bound[RECORD_BYTES], piece_bound[RECORD_BYTES];
    bool has_bound = false;
    size_t piece = 1 + test_below(random, f.n), room = f.type != NULL ? NUMBERS : RECORDS;
    for (size_t begin = 0, count; begin < f.n; begin += count) {
        count = 1 + test_below(random, piece);
        count = count < f.n - begin ? count : f.n - begin;
        struct gsi_candidates found = find(begin, count, has_bound ? bound : NULL);
        if (found.count > most && test_below(random, 2) == 0)
            gsi_candidates_cut(&found, most, piece_bound);
        gsi_candidates_join(&kept, &found);
        if (kept.count >= most && (test_below(random, 3) == 0 || kept.count > room)) {
            gsi_candidates_cut(&kept, most, bound);
            has_bound = true;
            assert_in_range(kept.count, most, gsi_candidates_after_cut(most));
            sampled_cuts += kept.count > most;
        }
    }
    gsi_candidates_sort_first(&kept, most);
    return kept;
}

static void check(struct test_random *random, int round)
{
    size_t bytes = f.layout.element_bytes;
    uint64_t most = 1 + test_below(random, test_below(random, 2) ? f.n : 20);
    struct gsi_candidates kept = keep(random, most);
    size_t wanted = f.n < most ? f.n : most;
    if (kept.count != wanted)
        test_fail("round %d: %zu of %zu were kept, not %zu", round, (size_t)kept.count, f.n,
                  wanted);
    gsi_u128 fingerprint = 0;
    for (size_t first = 0, count; first < wanted; first += count) {
        struct gsi_buffer window = {.data = f.window,
                                    .capacity = (1 + test_below(random, wanted)) * bytes};
        gsi_candidates_fill(&kept, first, &window);
        count = window.bytes / bytes;
        assert_int_equal(count, window.capacity / bytes < wanted - first ? window.capacity / bytes
                                                                         : wanted - first);
        assert_true(window.digest.disorder_idx == UINT64_MAX);
        fingerprint += (gsi_u128)window.digest.fingerprint[1] << 64 | window.digest.fingerprint[0];
        for (size_t i = 0; i < count; i++)
            if (memcmp(f.window + i * bytes, f.in + f.order[first + i] * bytes, bytes) != 0)
                test_fail("round %d (%s of %zu bytes, %zu of %zu): wrong at %zu", round,
                          f.type != NULL ? f.type : "records", bytes, wanted, f.n, first + i);
    }
    assert_true(kept.fingerprint == fingerprint);
}

static void test_candidates__numbers_in_pieces__first_of_the_model(void **state)
{
    (void)state;
    struct test_random random = test_random_make(1);
    for (int round = 0; round < 600; round++) {
        make_numbers(&random);
        check(&random, round);
    }
    assert_true(sampled_cuts > 20);
}

static void test_candidates__records_in_pieces__first_of_the_model(void **state)
{
    (void)state;
    struct test_random random = test_random_make(2);
    for (int round = 0; round < 600; round++) {
        make_records(&random);
        check(&random, round);
    }
}

/* A candidate that is lost or changed after it was found is noticed. */
static void test_candidates__damage_before_a_cut__fingerprint_differs(void **state)
{
    (void)state;
    struct test_random random = test_random_make(3);
    for (int round = 0; round < 200; round++) {
        if (round % 2 == 0)
            make_numbers(&random);
        else
            make_records(&random);
        size_t count = f.n;
        struct gsi_candidates found = find(0, count, NULL);
        f.piece[test_below(&random, count * f.layout.element_bytes)] ^= 1;
        uint64_t most = 1 + test_below(&random, count);
        _Alignas(16) uint8_t bound[RECORD_BYTES];
        gsi_candidates_cut(&found, most, bound);
        gsi_candidates_sort_first(&found, most);
        struct gsi_buffer window = {.data = f.window, .capacity = sizeof f.window};
        gsi_candidates_fill(&found, 0, &window);
        assert_true(found.fingerprint !=
                    ((gsi_u128)window.digest.fingerprint[1] << 64 | window.digest.fingerprint[0]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_candidates__numbers_in_pieces__first_of_the_model),
        cmocka_unit_test(test_candidates__records_in_pieces__first_of_the_model),
        cmocka_unit_test(test_candidates__damage_before_a_cut__fingerprint_differs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
