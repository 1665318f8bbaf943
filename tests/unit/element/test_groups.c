/* test_groups.c: groups of equal keys, and equal neighbours, against a plain loop, for numbers of
 * every width and records, whatever the pieces. Run: build/dev/tests/test_groups */
#include "support/record_model.h"

#include "base/options.h"
#include "element/equal_keys.h"
#include "element/groups.h"
#include "element/record/record.h"

#define MOST         5000
#define MOST_ELEMENT 40

static uint8_t data[MOST * MOST_ELEMENT], got[MOST * (MOST_ELEMENT + 8)],
    want[MOST * (MOST_ELEMENT + 8)];

struct shape {
    const char *name;
    uint64_t groups; /* at most: values are below it */
};

static const struct shape shapes[] = {
    {"all equal", 1}, {"two", 2}, {"few", 40}, {"pairs", MOST / 2}, {"mostly distinct", 1u << 30}};
#define SHAPE_COUNT (sizeof shapes / sizeof shapes[0])

static int by_word(const void *a, const void *b)
{
    uint32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* Sorted; the key is in the last 4 bytes of an element, of records the rest is its index. */
static void fill(struct test_random *random, const struct shape *shape, size_t n, uint32_t bytes,
                 bool is_record)
{
    static uint32_t keys[MOST];
    for (size_t i = 0; i < n; i++)
        keys[i] = (uint32_t)test_below(random, shape->groups);
    qsort(keys, n, sizeof keys[0], by_word);
    memset(data, 0, n * bytes);
    for (size_t i = 0; i < n; i++) {
        memcpy(data + (i + 1) * bytes - 4, &keys[i], 4);
        if (is_record)
            memcpy(data + i * bytes, &i, 4);
    }
}

static bool is_equal(size_t i, size_t j, uint32_t bytes)
{
    return memcmp(data + (i + 1) * bytes - 4, data + (j + 1) * bytes - 4, 4) == 0;
}

/* What is put of [i, end), for which the element of index *stands stands. */
static bool is_put(enum gsi_keep_choice keep, size_t i, size_t end, size_t *stands)
{
    *stands = keep == GSI_KEEP_LAST ? end - 1 : i;
    if (keep == GSI_KEEP_SINGLES)
        return end == i + 1;
    return (keep != GSI_KEEP_DUPS && keep != GSI_KEEP_REPEATED) || end > i + 1;
}

static size_t expect(size_t n, uint32_t bytes, const struct gsi_groups_rule *rule, size_t *groups)
{
    size_t length = 0, stands;
    *groups = 0;
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && is_equal(i, end, bytes); end++) {
        }
        uint64_t count = end - i;
        ++*groups;
        if (!is_put(rule->keep, i, end, &stands))
            continue;
        if (rule->keep == GSI_KEEP_REPEATED) {
            memcpy(want + length, data + i * bytes, count * bytes);
            length += count * bytes;
            continue;
        }
        memcpy(want + length, data + stands * bytes, bytes);
        memcpy(want + length + bytes, &count, rule->has_counts ? 8 : 0);
        length += bytes + (rule->has_counts ? 8 : 0);
    }
    return length;
}

/* In pieces of any length, none too. */
static size_t run(struct test_random *random, struct gsi_groups *groups, size_t n, uint32_t bytes)
{
    uint64_t most = 1 + test_below(random, test_below(random, 2) ? n + 1 : 7);
    uint64_t entry = groups->entry_bytes;
    size_t length = 0;
    for (size_t at = 0, step; at < n; at += step) {
        step = test_below(random, most + 1);
        step = step < n - at ? step : n - at;
        uint8_t *out = malloc(step * entry + 1); /* of that size: the sanitizer sees what is more */
        size_t put = gsi_groups_add(groups, data + at * bytes, step, out);
        assert_true(put <= step * entry);
        memcpy(got + length, out, put);
        length += put;
        free(out);
    }
    return length + gsi_groups_end(groups, got + length);
}

/* The same in pieces that are looked at on their own, the last one first. */
static size_t run_picked(struct test_random *random, struct gsi_groups *groups, size_t n,
                         uint32_t bytes)
{
    struct {
        struct gsi_groups_piece piece;
        uint8_t *elements; /* of that size: the sanitizer sees what is more */
        size_t n, put;
    } pieces[64];
    size_t count = 0, length = 0;
    uint64_t most = 1 + test_below(random, n / 8 + 3);
    for (size_t at = 0; at < n; at += pieces[count++].n) {
        size_t step = count + 1 < 64 ? 1 + test_below(random, most) : n - at;
        pieces[count].n = step = step < n - at ? step : n - at;
        pieces[count].piece = (struct gsi_groups_piece){0};
        pieces[count].elements = malloc(step * bytes);
        memcpy(pieces[count].elements, data + at * bytes, step * bytes);
        bool goes_on = gsi_groups_meet(groups, pieces[count].elements, step);
        pieces[count].piece.goes_on_before = goes_on;
        if (count > 0)
            pieces[count - 1].piece.goes_on_behind = goes_on;
    }
    for (size_t i = count; i-- > 0;)
        pieces[i].put = gsi_groups_pick(groups, &pieces[i].piece, pieces[i].elements, pieces[i].n);
    for (size_t i = 0; i < count; i++) {
        gsi_groups_join(groups, &pieces[i].piece, pieces[i].n);
        memcpy(got + length, pieces[i].elements, pieces[i].put);
        length += pieces[i].put;
        free(pieces[i].elements);
    }
    return length;
}

static void check_groups(struct test_random *random, const struct gsi_layout *layout,
                         const char *type, uint32_t key_count)
{
    static const size_t sizes[] = {0, 1, 2, 3, 1000, MOST};
    uint32_t bytes = layout->element_bytes;
    for (size_t s = 0; s < SHAPE_COUNT; s++)
        for (size_t i = 0; i < 20 * sizeof sizes / sizeof sizes[0]; i++) {
            struct gsi_groups groups;
            struct gs_error error;
            size_t n = sizes[i / 20], group_count;
            struct gsi_groups_rule rule = {
                .has_counts = i % 2 != 0, .keep = i / 2 % 5, .key_count = key_count};
            rule.has_counts &= rule.keep != GSI_KEEP_REPEATED; /* they do not go together */
            bool is_picked = !rule.has_counts && i / 10 % 2 != 0;
            fill(random, &shapes[s], n, bytes, layout->record != NULL);
            assert_int_equal(gsi_groups_init(&groups, layout, &rule, NULL, &error), GS_OK);
            size_t wanted = expect(n, bytes, &rule, &group_count);
            assert_int_equal(gsi_groups_may_pick(&groups), !rule.has_counts);
            size_t length =
                is_picked ? run_picked(random, &groups, n, bytes) : run(random, &groups, n, bytes);
            if (length != wanted || memcmp(got, want, wanted) != 0)
                test_fail("%s, %s, %zu elements, keep %d, counts %d, picked %d: %zu bytes, not %zu",
                          type, shapes[s].name, n, rule.keep, rule.has_counts, is_picked, length,
                          wanted);
            assert_int_equal(groups.count, group_count);
            assert_true(gsi_groups_are_whole(&groups, n));
            assert_true(!groups.is_held || !gsi_groups_are_whole(&groups, n + 1));
            gsi_groups_clear(&groups);
        }
}

static void check_neighbours(struct test_random *random, const struct gsi_layout *layout,
                             const char *type)
{
    uint32_t bytes = layout->element_bytes;
    for (size_t s = 0; s < SHAPE_COUNT; s++)
        for (size_t n = 0; n <= MOST; n = n < 4 ? n + 1 : n + 499) {
            size_t count = 0, first = n;
            fill(random, &shapes[s], n, bytes, layout->record != NULL);
            for (size_t i = n; i-- > 1;)
                if (is_equal(i, i - 1, bytes)) {
                    count++;
                    first = i;
                }
            if (gsi_equal_keys_count(layout, data, n) != count ||
                gsi_equal_keys_first(layout, data, n) != first)
                test_fail("%s, %s, %zu elements: not %zu equal ones, the first at %zu", type,
                          shapes[s].name, n, count, first);
        }
}

static void test_groups__numbers_of_every_type__as_a_plain_loop(void **state)
{
    (void)state;
    struct test_random random = test_random_make(1);
    for (size_t t = 0; t < MODEL_TYPE_COUNT; t++) {
        struct gsi_layout layout = gsi_layout_make(gsi_key_type_find(model_types[t]), t % 2 != 0);
        check_groups(&random, &layout, model_types[t], 0);
        check_neighbours(&random, &layout, model_types[t]);
    }
}

/* Of records with equal keys the first is kept, and the rest of it has no part in that. */
static void test_groups__records__first_of_equal_keys(void **state)
{
    (void)state;
    struct test_random random = test_random_make(2);
    for (uint32_t bytes = 8; bytes <= MOST_ELEMENT; bytes += 8) {
        struct gsi_record record;
        struct gs_error error = {0};
        char text[16];
        const char *keys[] = {text, "0:u32"};
        snprintf(text, sizeof text, "%u:u32", bytes - 4);
        assert_int_equal(gsi_record_make(bytes, keys, 1, NULL, 0, false, &record, &error), GS_OK);
        struct gsi_layout layout = gsi_layout_make_records(&record, NULL, false);
        check_groups(&random, &layout, text, 0);
        check_neighbours(&random, &layout, text);
        /* By both keys no two are equal. */
        assert_int_equal(gsi_record_make(bytes, keys, 2, NULL, 0, false, &record, &error), GS_OK);
        check_groups(&random, &layout, "the first key of two", 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups__numbers_of_every_type__as_a_plain_loop),
        cmocka_unit_test(test_groups__records__first_of_equal_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
