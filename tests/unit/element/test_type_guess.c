/* test_type_guess.c: which types numbers look like, and that random numbers look like none. Run:
 * build/dev/tests/test_type_guess */
#include "support/support.h"

#include "element/type_guess.h"

#define U64(...) (const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__})
#define I64(...) (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__})
#define F64(...) (const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__})
#define F32(...) (const float[]){__VA_ARGS__}, sizeof((const float[]){__VA_ARGS__})
#define I32(...) (const int32_t[]){__VA_ARGS__}, sizeof((const int32_t[]){__VA_ARGS__})

static const double nan64 = 0.0 / 0.0, inf64 = 1.0 / 0.0;

static void check(const void *data, size_t bytes, const char *type, const char *text)
{
    struct gsi_type_guess guess = gsi_type_guess(data, bytes);
    char shown[GSI_GUESS_TEXT_BYTES];
    if (type == NULL && guess.type != NULL)
        test_fail("%s looks like %s", text, guess.type);
    gsi_type_guess_text(shown, type == NULL ? "u64" : type, data, bytes);
    if (type != NULL)
        assert_string_equal(guess.type == NULL ? "none" : guess.type, type);
    assert_string_equal(shown, text);
}

static void test_floats__are_seen(void **state)
{
    (void)state;
    check(F64(1, 2, 3, 4), "f64", "1, 2, 3, ..");
    check(F64(0.1, -2.5, 1e9, 1e-9, 0), "f64", "0.1, -2.5, 1000000000, ..");
    check(F64(nan64, -inf64, -0.0, 1, 2, 3, 4), "f64", "nan, -inf, -0, ..");
    check(F32(1, 2, 3, 4, 5, 6, 7, 8), "f32", "1, 2, 3, ..");
    check(F32(0.1f, -1e5f, 0.001f, 7, 1, 1, 1, 1), "f32", "0.1, -100000, 0.001, ..");
    /* Too few of them, or too large ones. */
    check(F64(1, 2, 3), NULL, "4607182418800017408, 4611686018427387904, 4613937818241073152");
    check(F64(1e-300, 1, 1, 1, 1), NULL,
          "118622047889322841, 4607182418800017408, 4607182418800017408, ..");
}

static void test_integers__are_seen(void **state)
{
    (void)state;
    check(I32(1, 2, 3, 4, 5, 6, 7, 8), "u32", "1, 2, 3, ..");
    check(I32(9, -2, 3, 4, -5, 6, 7, 8), "i32", "9, -2, 3, ..");
    check(I64(5, -3, 8, 1000000), "i64", "5, -3, 8, ..");
    check(I64(-3, -2, -1, 0), "i64", "-3, -2, -1, ..");
    check(I64(-2, 1ll << 40, 7, 9), "i64", "-2, 1099511627776, 7, ..");
    /* -1 may mean that there is no number; indexes and counts are u64. */
    check(I64(0, 1, -1, 2, 3), NULL, "0, 1, 18446744073709551615, ..");
    check(U64(1, 2, 3, 4, 5), NULL, "1, 2, 3, ..");
    check(U64(0, 0, 0, 0, 0), NULL, "0, 0, 0, ..");
    check(U64(1ull << 32 | 900, 1ull << 32 | 901, 2ull << 32 | 950, 2ull << 32), NULL,
          "4294968196, 4294968197, 8589935542, ..");
    check(NULL, 0, NULL, "");
}

static void test_times__are_seen_and_ordered_as_u64(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "2023-11-14T22:13:20, 2023-11-14T22:13:21, 2023-11-14T22:13:22, ..",
        "2023-11-14T22:13:20.000, 2023-11-14T22:13:20.001, 2023-11-14T22:13:20.002, ..",
        "2023-11-14T22:13:20.000000, 2023-11-14T22:13:20.000001, 2023-11-14T22:13:20.000002, ..",
        "2023-11-14T22:13:20.000000000, 2023-11-14T22:13:20.000000001, "
        "2023-11-14T22:13:20.000000002, .."};
    static const char *const types[] = {"time64[s]", "time64[ms]", "time64[us]", "time64[ns]"};
    uint64_t first = 1700000000;
    for (size_t unit = 0; unit < 4; unit++, first *= 1000) {
        uint64_t times[16];
        for (size_t i = 0; i < 16; i++)
            times[i] = first + i;
        check(times, sizeof times, types[unit], texts[unit]);
        assert_true(gsi_type_guess((const uint8_t *)times, sizeof times).is_time);
        assert_null(gsi_type_guess((const uint8_t *)times, sizeof times - 8).type);
    }
}

/* Full samples and the shortest ones, of all bits and of the lower ones. */
static void test_random_numbers__look_like_nothing(void **state)
{
    (void)state;
    struct test_random random = test_random_make(21);
    for (uint32_t round = 0; round < 40000; round++) {
        uint64_t numbers[GSI_GUESS_BYTES / 8];
        size_t count = round % 2 == 0 ? GSI_GUESS_BYTES / 8 : 4;
        uint64_t end = round % 4 < 2 ? UINT64_MAX : UINT64_C(1) << (1 + test_below(&random, 60));
        for (size_t i = 0; i < count; i++)
            numbers[i] = test_below(&random, end);
        struct gsi_type_guess guess = gsi_type_guess((const uint8_t *)numbers, 8 * count);
        if (guess.type != NULL)
            test_fail("round %u: %zu numbers below %llu look like %s", round, count,
                      (unsigned long long)end, guess.type);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_floats__are_seen),
        cmocka_unit_test(test_integers__are_seen),
        cmocka_unit_test(test_times__are_seen_and_ordered_as_u64),
        cmocka_unit_test(test_random_numbers__look_like_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
