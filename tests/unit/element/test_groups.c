/* test_groups.c: compares groups of equal keys, and equal neighbours, with a plain loop, for
 * numbers of every width and for records, in pieces of any length. Run:
 * build/dev/tests/test_groups */
#include "support/groups.h"
#include "support/record_model.h"
#include "support/record_tallies.h"

#include "base/choices.h"
#include "element/compare.h"
#include "element/groups.h"
#include "element/record/record.h"
#include "element/record/record_tally.h"

#include <math.h>

#define MOST         5000
#define MOST_ELEMENT 40

static uint8_t data[MOST * MOST_ELEMENT], got[MOST * (MOST_ELEMENT + 64)],
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

/* Computes the entry of [i, end), whose element has index *stands. */
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

/* Adds each slice on its own, the last slice first, in a few steps, then joins them in order. */
static size_t run_apart(struct test_random *random, struct gsi_groups *groups, size_t n,
                        uint32_t bytes, uint64_t most_pieces)
{
    static struct gsi_groups_batch pieces[MOST];
    static struct gsi_bump bumps[MOST];
    static size_t begins[MOST + 1];
    size_t count = 0, length = 0;
    for (size_t at = 0; at < n; at += 1 + test_below(random, 2 * n / most_pieces + 2))
        begins[count++] = at;
    begins[count] = n;
    uint8_t **outs = calloc(count + 1, sizeof *outs);
    size_t *puts = calloc(count + 1, sizeof *puts);
    for (size_t i = count; i-- > 0;) {
        const size_t begin = begins[i], end = begins[i + 1];
        const uint8_t *elements = data + begin * bytes;
        bool is_apart = true;
        for (size_t k = begin + 1; k < end; k++)
            is_apart =
                is_apart && !gsi_groups_is_equal(groups, data + (k - 1) * bytes, data + k * bytes);
        bumps[i] = groups_piece_open(&pieces[i], groups);
        gsi_groups_batch_begin(
            &pieces[i], i > 0 && gsi_groups_is_equal(groups, elements - bytes, elements),
            is_apart && gsi_groups_are_of_keys(groups) && test_below(random, 2) == 0);
        outs[i] = malloc((end - begin) * groups->entry_bytes); /* the sanitizer sees what is more */
        for (size_t at = begin, step; at < end; at += step) {
            step = 1 + test_below(random, end - at);
            puts[i] += gsi_groups_batch_add(&pieces[i], data + at * bytes, step, outs[i] + puts[i]);
        }
    }
    for (size_t i = 0; i < count; i++) {
        uint8_t *before = malloc(groups->entry_bytes);
        size_t put = gsi_groups_join(groups, &pieces[i], before);
        memcpy(got + length, before, put);
        memcpy(got + length + put, outs[i], puts[i]);
        length += put + puts[i];
        bump_close(&bumps[i]);
        free(before);
        free(outs[i]);
    }
    free(outs);
    free(puts);
    return length + gsi_groups_end(groups, got + length);
}

static void check_groups(struct test_random *random, const struct gsi_layout *layout,
                         const char *type, uint32_t key_count)
{
    static const size_t sizes[] = {0, 1, 2, 3, 1000, MOST};
    uint32_t bytes = layout->element_bytes;
    for (size_t s = 0; s < SHAPE_COUNT; s++)
        for (size_t i = 0; i < 20 * sizeof sizes / sizeof sizes[0]; i++) {
            if (test_is_small() && i >= 80 && (i + i / 20 + s + bytes / 4) % 5 != 0)
                continue; /* a fifth of the long ones: each width has every rule, in some shape */
            struct gsi_groups groups;
            size_t n = sizes[i / 20], group_count;
            struct gsi_groups_rule rule = {
                .has_counts = i % 2 != 0, .keep = i / 2 % 5, .key_count = key_count};
            rule.has_counts &= rule.keep != GSI_KEEP_REPEATED; /* they do not go together */
            bool is_apart = i / 10 % 2 != 0;
            fill(random, &shapes[s], n, bytes, !gsi_layout_is_native(layout));
            struct gsi_bump bump = groups_open(&groups, layout, &rule);
            size_t wanted = expect(n, bytes, &rule, &group_count);
            size_t length =
                is_apart ? run_apart(random, &groups, n, bytes, 1 + test_below(random, n + 9))
                         : run(random, &groups, n, bytes);
            if (length != wanted || memcmp(got, want, wanted) != 0)
                test_fail("%s, %s, %zu elements, keep %d, counts %d, apart %d: %zu bytes, not %zu",
                          type, shapes[s].name, n, rule.keep, rule.has_counts, is_apart, length,
                          wanted);
            assert_int_equal(groups.count, group_count);
            assert_true(gsi_groups_are_whole(&groups, n));
            assert_false(gsi_groups_are_whole(&groups, n + 1));
            bump_close(&bump);
        }
}

/* Groups begin and end, and are longer than any distance, where a plain loop says. */
static void check_ends(struct test_random *random, const struct gsi_keyed *keyed, uint32_t bytes,
                       const char *type)
{
    for (size_t i = 0; keyed->n > 0 && i < 20; i++) {
        size_t at = test_below(random, keyed->n), begin = at, end = at + 1;
        while (begin > 0 && is_equal(begin - 1, at, bytes))
            begin--;
        while (end < keyed->n && is_equal(end, at, bytes))
            end++;
        size_t from = test_below(random, begin + 1), distance = 1 + test_below(random, 5), far = at;
        while (far + distance < keyed->n && !is_equal(far, far + distance, bytes))
            far++;
        far = far + distance < keyed->n ? far : keyed->n;
        if (gsi_equal_keys_begin(keyed, from, at) != begin ||
            gsi_equal_keys_end(keyed, at) != end || gsi_equal_keys_find(keyed, at, distance) != far)
            test_fail(
                "%s, %zu elements: the group of %zu is not [%zu, %zu), or the first after %zu "
                "is not %zu",
                type, keyed->n, at, begin, end, distance, far);
    }
}

static void check_neighbours(struct test_random *random, const struct gsi_layout *layout,
                             const char *type)
{
    const size_t step = test_is_small() ? 1999 : 499;
    uint32_t bytes = layout->element_bytes;
    for (size_t s = 0; s < SHAPE_COUNT; s++)
        for (size_t n = 0; n <= MOST; n += n < 4 ? 1 : step) {
            size_t count = 0, first = n;
            fill(random, &shapes[s], n, bytes, !gsi_layout_is_native(layout));
            for (size_t i = n; i-- > 1;)
                if (is_equal(i, i - 1, bytes)) {
                    count++;
                    first = i;
                }
            const struct gsi_keyed keyed = gsi_keyed_by_layout(layout, data, n);
            size_t found = gsi_equal_keys_find(&keyed, 0, 1);
            if (gsi_equal_keys_count(&keyed) != count || found + (found < n) != first)
                test_fail("%s, %s, %zu elements: not %zu equal ones, the first at %zu", type,
                          shapes[s].name, n, count, first);
            check_ends(random, &keyed, bytes, type);
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

/* The first of records with equal keys is kept, whatever its other bytes are. */
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
        /* No two records agree in both keys. */
        assert_int_equal(gsi_record_make(bytes, keys, 2, NULL, 0, false, &record, &error), GS_OK);
        check_groups(&random, &layout, "the first key of two", 1);
    }
}

/* Key, i32, f64, u64, f64, u32; values of all kinds, sums that do not fit among them. */
static void fill_fields(struct test_random *random, size_t n, bool may_overflow)
{
    static const double odd[] = {INFINITY, -INFINITY, NAN, -0.0, 1e308, -1e308, 1e-308, 0.1};
    for (size_t i = 0; i < n; i++) {
        uint8_t *record = data + i * MOST_ELEMENT;
        int32_t number = (int32_t)test_below(random, 1000) - 500;
        double real = test_below(random, 5) == 0 ? odd[test_below(random, 8)]
                                                 : (double)test_below(random, 1000) / 7;
        double negative_zero = test_below(random, 40) == 0 ? NAN : -0.0;
        uint64_t word = may_overflow && test_below(random, 3) == 0 ? UINT64_MAX / 2 : i;
        memcpy(record, &number, 4);
        memcpy(record + 4, &real, 8);
        memcpy(record + 12, &negative_zero, 8);
        memcpy(record + 20, &word, 8);
        memcpy(record + 28, &real, 8);
    }
}

/* Groups that are aggregated in parts and then together have the bytes and totals of groups that
 * are aggregated at once. */
static void test_groups__folds_in_pieces__as_in_one(void **state)
{
    (void)state;
    struct test_random random = test_random_make(3);
    static const struct {
        enum gsi_fold_kind kind;
        const char *text;
    } folded[] = {{GSI_FOLD_SUM, "0:i32"},
                  {GSI_FOLD_SUM, "4:f64"},
                  {GSI_FOLD_SUM, "12:f64"},
                  {GSI_FOLD_SUM, "20:u64"},
                  {GSI_FOLD_MIN, "28:f64"}};
    for (size_t round = 0; round < (test_is_small() ? 210u : 400u); round++) {
        static uint8_t whole[sizeof got];
        struct gsi_record record;
        struct gs_error error = {0}, other_error = {0};
        struct gsi_fold fold = {0};
        struct gsi_groups one, parts;
        struct gsi_tally_report fields[GSI_FIELDS_MAX];
        const char *key = "36:u32";
        const bool is_wide = round % 2 == 0, may_overflow = round % 7 == 0;
        const size_t n = 1 + test_below(&random, round % 3 == 0 ? MOST : 50);
        assert_int_equal(gsi_record_make(MOST_ELEMENT, &key, 1, NULL, 0, false, &record, &error),
                         GS_OK);
        for (size_t i = 0; i < sizeof folded / sizeof folded[0]; i++)
            assert_int_equal(gsi_fold_add_field(&fold, &record, 0, folded[i].kind, is_wide,
                                                folded[i].text, &error),
                             GS_OK);
        struct gsi_layout layout = gsi_layout_make_records(&record, NULL, false);
        const struct gsi_groups_rule rule = {
            .has_counts = round % 5 == 0, .keep = (enum gsi_keep_choice)(round % 4), .fold = &fold};
        fill(&random, &shapes[round % SHAPE_COUNT], n, MOST_ELEMENT, true);
        fill_fields(&random, n, may_overflow);
        struct gsi_bump bump_one = groups_open(&one, &layout, &rule);
        struct gsi_bump bump_parts = groups_open(&parts, &layout, &rule);
        size_t length = run(&random, &one, n, MOST_ELEMENT);
        memcpy(whole, got, length);
        assert_int_equal(
            run_apart(&random, &parts, n, MOST_ELEMENT, 1 + test_below(&random, n + 9)), length);
        assert_memory_equal(got, whole, length);
        assert_int_equal(parts.count, one.count);
        assert_true(gsi_groups_are_whole(&parts, n));
        enum gs_status status = gsi_groups_check_sums(&one, &error);
        assert_int_equal(gsi_groups_check_sums(&parts, &other_error), status);
        assert_string_equal(other_error.text, error.text);
        struct gsi_bump bump;
        struct gsi_record_tally *tally = record_tally_open(&record, &bump);
        gsi_record_tally_add(tally, data, n);
        gsi_record_tally_finish(tally, fields);
        assert_ptr_equal(gsi_folder_differs(&parts.folder, fields),
                         gsi_folder_differs(&one.folder, fields));
        record_tally_close(&bump);
        bump_close(&bump_one);
        bump_close(&bump_parts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups__numbers_of_every_type__as_a_plain_loop),
        cmocka_unit_test(test_groups__records__first_of_equal_keys),
        cmocka_unit_test(test_groups__folds_in_pieces__as_in_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
