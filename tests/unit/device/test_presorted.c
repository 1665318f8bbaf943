/* test_presorted.c: compares sorts of keys that are nearly in order with the model. Keys ascend or
 * descend, have one exception, or are out of place by a few elements. Run:
 * build/dev/tests/test_presorted */
#include "support/model.h"

#include "device/cpu/cpu_leaf_sort.h"
#include "device/cpu/cpu_presorted.h"

#define MOST 30000

static const char *const types[] = {"u32", "u64", "u128"};

enum shape { RISE, RISE_BY_STEPS, FALL, FALL_BY_STEPS, RISE_THEN_FALL, RANDOM, SHAPES };

static void put(uint8_t *keys, size_t i, size_t bytes, uint64_t value)
{
    memset(keys + i * bytes, 0, bytes);
    memcpy(keys + (i + 1) * bytes - 4, &value, 4); /* the high half of wide ones */
}

static void fill(struct test_random *random, enum shape shape, uint8_t *keys, size_t n,
                 size_t bytes)
{
    for (size_t i = 0; i < n; i++)
        put(keys, i, bytes,
            shape == RISE             ? 7 * i
            : shape == RISE_BY_STEPS  ? i / 3
            : shape == FALL           ? 7 * (n - i)
            : shape == FALL_BY_STEPS  ? (n - i) / 3
            : shape == RISE_THEN_FALL ? (i < n / 2 ? i : n - i)
                                      : test_below(random, 1 << 30));
}

static void check(const char *type, uint8_t *keys, size_t n, const char *what)
{
    static uint8_t want[16 * MOST];
    size_t bytes = model_bytes(type);
    memcpy(want, keys, n * bytes);
    model_sort(type, false, want, n);
    gsi_sort_keys((uint32_t)bytes, keys, n, NULL);
    if (memcmp(keys, want, n * bytes) != 0)
        test_fail("%s, %zu keys, %s: wrong order", type, n, what);
}

static void test_presorted__shapes_and_lengths__as_the_model(void **state)
{
    static const size_t sizes[] = {0, 1, 2, 3, 1023, 1024, 1025, 2046, 2047, 2048, 5000};
    static uint8_t keys[16 * MOST];
    (void)state;
    struct test_random random = test_random_make(23);
    for (size_t t = 0; t < 3; t++) {
        gsi_leaf_prepare((uint32_t)model_bytes(types[t]));
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
            for (int shape = 0; shape < SHAPES; shape++) {
                fill(&random, (enum shape)shape, keys, sizes[s], model_bytes(types[t]));
                check(types[t], keys, sizes[s], "a shape");
            }
    }
}

/* One key at each place, around the ends of blocks, too. */
static void test_presorted__one_key_out_of_place__is_put_there(void **state)
{
    static uint8_t keys[16 * MOST];
    (void)state;
    struct test_random random = test_random_make(29);
    for (size_t t = 0; t < 3; t++) {
        size_t bytes = model_bytes(types[t]);
        gsi_leaf_prepare((uint32_t)bytes);
        for (size_t at = 0; at < 3000; at++) {
            bool is_at_end = at % 1023 < 3 || at % 1023 > 1019 || at % 1024 < 2;
            if (!is_at_end && at % 97 != 0)
                continue;
            for (int shape = RISE; shape <= FALL_BY_STEPS; shape++) {
                fill(&random, (enum shape)shape, keys, 3000, bytes);
                put(keys, at, bytes, test_below(&random, 2) == 0 ? 0 : 1 << 30);
                check(types[t], keys, 3000, "one out of place");
            }
        }
    }
}

/* Makes ascending keys, each up to `late` places after its own; a few are equal. */
static void fill_late(struct test_random *random, uint8_t *keys, size_t n, size_t bytes,
                      size_t late)
{
    for (size_t i = 0; i < n; i++)
        put(keys, i, bytes, (3 * i + test_below(random, 3 * (uint64_t)late + 1)) / 2);
}

/* Blocks have 1024 keys, and begin up to 16 places earlier with each step, so ends are of all
 * kinds. One key may be out of place so that the first keys do not show it: near, or so far that
 * steps skip it. */
static void test_presorted__some_places_late__as_the_model(void **state)
{
    static const size_t sizes[] = {8191, 8192,  8193,  8200,  9215,  9216, 9217,
                                   9231, 10239, 10240, 10255, 10257, MOST};
    static uint8_t keys[16 * MOST];
    (void)state;
    struct test_random random = test_random_make(31);
    for (size_t t = 0; t < 3; t++) {
        size_t bytes = model_bytes(types[t]);
        gsi_leaf_prepare((uint32_t)bytes);
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
            for (size_t late = 1; late <= 20; late += late < 8 ? 1 : 4) {
                fill_late(&random, keys, sizes[s], bytes, late);
                check(types[t], keys, sizes[s], "some places late");
                fill_late(&random, keys, sizes[s], bytes, late);
                size_t at = (size_t)test_below(&random, sizes[s]);
                put(keys, at, bytes, test_below(&random, 2) == 0 ? 0 : 3 * at / 2 + 40);
                check(types[t], keys, sizes[s], "some places late, and one far away");
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_presorted__some_places_late__as_the_model),
        cmocka_unit_test(test_presorted__shapes_and_lengths__as_the_model),
        cmocka_unit_test(test_presorted__one_key_out_of_place__is_put_there)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
