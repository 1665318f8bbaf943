/* test_one_pass.c: sorts nearly sorted data, more than memory, and compares with the order of their
 * keys and positions. Elements are late by any distance, some too late for one pass, or in
 * consecutive sorted ranges. They are in files and streams, and equal ones are all kept, or one of
 * them. A first argument is the number of cases. Run: build/dev/tests/test_one_pass 10000 */
#include "job/job_report.h"
#include "support/callbacks.h"
#include "support/model.h"
#include "support/scratch.h"
#include "support/struct_jobs.h"

#include <inttypes.h>

#define MOST_BYTES ((size_t)9 << 20)
#define ROUNDS     16
#define LEAST      ((uint64_t)1 << 40) /* key that --where leaves */

#define COARSE_BITS 10

static size_t rounds = ROUNDS;
static uint8_t in[MOST_BYTES], want[MOST_BYTES], got[MOST_BYTES];

/* An element begins with its key. Records of 16 bytes or more have their place after it; those of
 * 32 or more have the key's upper bits, which tie often, and zeros. They are sorted by the zeros,
 * too, so tags do not contain the key. */
struct shape {
    uint32_t bytes;
    bool is_reversed, has_where;
    uint64_t step; /* between keys: 0 for many that are equal */
    size_t piece;  /* elements of a sorted piece; the next one begins with low keys again */
};

static uint64_t key_at(const uint8_t *element)
{
    uint64_t key;
    memcpy(&key, element, sizeof key);
    return key;
}

static struct shape sorted_shape;

static int compare(const void *a, const void *b)
{
    const uint8_t *x = (const uint8_t *)a, *y = (const uint8_t *)b;
    uint64_t left = key_at(x), right = key_at(y);
    if (left != right)
        return (left < right) != sorted_shape.is_reversed ? -1 : 1;
    if (sorted_shape.bytes == 8)
        return 0;
    left = key_at(x + 8), right = key_at(y + 8);
    return left < right ? -1 : left > right;
}

static void put_element(size_t at, const struct shape *shape, uint64_t key)
{
    uint8_t *element = in + at * shape->bytes;
    uint64_t place = at;
    memset(element, 0, shape->bytes);
    if (shape->is_reversed)
        key = UINT64_MAX - key;
    memcpy(element, &key, sizeof key);
    if (shape->bytes >= 16)
        memcpy(element + 8, &place, sizeof place);
    key >>= COARSE_BITS;
    if (shape->bytes >= 32)
        memcpy(element + 16, &key, sizeof key);
}

/* Makes ascending keys, each late by up to `late` places, and `stray` elements with low keys. With
 * has_where, some of these are left out. Returns how many elements are wanted. */
static size_t fill(struct test_random *random, const struct shape *shape, size_t n, size_t late,
                   size_t stray)
{
    size_t wanted = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t place = i - test_below(random, late + 1 < i + 1 ? late + 1 : i + 1);
        place = shape->piece > 0 ? place % shape->piece : place;
        put_element(i, shape, 2 * LEAST + place * shape->step / 8);
    }
    for (; stray > 0; stray--)
        put_element(test_below(random, n), shape, LEAST / 2 + test_below(random, LEAST));
    sorted_shape = *shape;
    for (size_t i = 0; i < n; i++) {
        const uint8_t *element = in + i * shape->bytes;
        uint64_t key = shape->is_reversed ? UINT64_MAX - key_at(element) : key_at(element);
        if (!shape->has_where || key >= LEAST)
            memcpy(want + wanted++ * shape->bytes, element, shape->bytes);
    }
    qsort(want, wanted, shape->bytes, compare);
    return wanted;
}

/* Keeps one of the elements with equal keys in `want`. Returns how many of `n` remain. */
static size_t keep_one(const struct shape *shape, size_t n, enum gsi_keep_choice keep)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        const uint8_t *element = want + i * shape->bytes;
        bool is_equal = kept > 0 && key_at(element) == key_at(want + (kept - 1) * shape->bytes);
        if (!is_equal || keep == GSI_KEEP_LAST)
            memmove(want + (kept - is_equal) * shape->bytes, element, shape->bytes);
        kept += !is_equal;
    }
    return kept;
}

/* Returns the condition of --where that leaves out the low keys. */
static const char *where_of(const struct shape *shape)
{
    static char text[64];
    snprintf(text, sizeof text, "%s%s%" PRIu64, shape->bytes == 8 ? "" : "0:u64",
             shape->is_reversed ? "<=" : ">=", shape->is_reversed ? UINT64_MAX - LEAST : LEAST);
    return text;
}

/* Makes the whole input, in consecutive files. Returns how many. */
static size_t put_inputs(struct test_random *random, size_t bytes, size_t element)
{
    static const char *const names[] = {"in", "in2", "in3"};
    size_t count = 1 + test_below(random, 3), at = 0;
    for (size_t i = 0; i < count; i++) {
        size_t left = bytes - at;
        size_t part = i + 1 < count ? test_below(random, left / element + 1) * element : left;
        put_bytes(names[i], in + at, part);
        at += part;
    }
    return count;
}

/* Chooses how late elements are: not at all, a little, or by about the size of memory; or sorted
 * pieces, a little late. */
static size_t random_lateness(struct test_random *random, struct shape *shape, size_t kind,
                              size_t n)
{
    switch (kind) {
    case 0:
        return 0;
    case 1:
        return test_below(random, n / 50 + 1);
    case 2:
        return test_below(random, n / 6 + 1);
    default:
        shape->piece = n / (2 + test_below(random, 4)) + 1;
        return test_below(random, 2) * test_below(random, 1000);
    }
}

/* How sorts went. */
struct ways {
    size_t whole, ended, off, stretched;
};

static bool every_way_was_gone(const struct ways *ways)
{
    return ways->whole > 0 && ways->ended > 0 && ways->off > 0 && ways->stretched > 0;
}

/* Some seeds need longer to draw every way. */
static bool goes_on(size_t round, const struct ways *ways)
{
    return round < rounds || (!every_way_was_gone(ways) && round < (size_t)100 * ROUNDS);
}

static void count_way(struct ways *ways, const struct gs_report *report)
{
    assert_true(!report->one_pass.is_whole || report->runs.spilled_count == 0);
    assert_true(report->presorted.bytes + report->one_pass.written_bytes <= report->input.bytes);
    ways->whole += report->one_pass.is_whole;
    ways->ended += report->one_pass.written_bytes > 0 && !report->one_pass.is_whole;
    ways->off += report->one_pass.written_bytes == 0;
    ways->stretched += report->presorted.count > 0;
}

static void test_one_pass__late_by_any_distance__as_the_order(void **state)
{
    (void)state;
    struct test_random random = test_random_make(8);
    struct ways ways = {0};
    static const char *const inputs[] = {"in", "in2", "in3"}, *const keys[] = {"16:u64", "24:u64",
                                                                               "0:u64"};
    static const uint32_t widths[] = {8, 8, 8, 16, 32, 100};
    for (size_t round = 0; goes_on(round, &ways); round++) {
        struct shape shape = {.bytes = widths[test_below(&random, 6)],
                              .is_reversed = test_below(&random, 4) == 0,
                              .has_where = round / 8 % 2 == 1,
                              .step = test_below(&random, 4) == 0 ? 1 : 64};
        size_t n = (5 * MOST_BYTES / 8 + test_below(&random, 3 * MOST_BYTES / 8)) / shape.bytes;
        size_t late = random_lateness(&random, &shape, round % 4, n);
        size_t wanted =
            fill(&random, &shape, n, late, round / 4 % 2 * (1 + test_below(&random, 3)));
        const char *where = where_of(&shape);
        struct source source = source_make(in, n * shape.bytes, (size_t)100 << 10);
        const struct gs_reader reader = {.read = source_read, .context = &source};
        struct gsi_options options = {.inputs = inputs,
                                      .input_count = 1,
                                      .output = "out",
                                      .type = shape.bytes == 8 ? "u64" : NULL,
                                      .record_bytes = shape.bytes == 8 ? 0 : shape.bytes,
                                      .keys = shape.bytes < 32 ? keys + 2 : keys,
                                      .key_count = shape.bytes < 32 ? shape.bytes > 8 : 3,
                                      .reverse = shape.is_reversed,
                                      .where = &where,
                                      .where_count = shape.has_where,
                                      .fan_in = test_below(&random, 3) == 0 ? 4 : 0,
                                      .device = GSI_DEVICE_CPU,
                                      .verify_read = test_below(&random, 8) == 0,
                                      .unique = test_below(&random, 3) == 0,
                                      .thread_count = 1 + (uint32_t)test_below(&random, 3)};
        options.window_bytes = 16384 << test_below(&random, 3);
        options.chunk_bytes = test_below(&random, 2) == 0 ? options.window_bytes << 1 : 0;
        options.memory_bytes = ((uint64_t)(10 + test_below(&random, 3)) << 20) +
                               options.thread_count * ((uint64_t)1100 << 10);
        if (test_below(&random, 2) == 0)
            options.readers = &reader;
        else
            options.input_count = put_inputs(&random, n * shape.bytes, shape.bytes);
        if (options.unique && test_below(&random, 2) == 0)
            options.unique_keep = GSI_KEEP_LAST;
        size_t left = options.unique ? keep_one(&shape, wanted, options.unique_keep) : wanted;
        struct gs_report report;
        struct gs_error error;
        if (gs_run(&options, &report, &error) != GS_OK)
            test_fail("round %zu, elements of %u: %s", round, shape.bytes, error.text);
        if (get_bytes("out", got, MOST_BYTES) != left * shape.bytes ||
            memcmp(got, want, left * shape.bytes) != 0)
            test_fail("round %zu, %zu elements of %u: wrong output", round, n, shape.bytes);
        assert_int_equal(report.tally.count, wanted);
        assert_int_equal(report.groups.written_count, options.unique ? left : 0);
        count_way(&ways, &report);
    }
    assert_true(every_way_was_gone(&ways));
    unlink("in2"); /* which not every seed has written */
    unlink("in3");
    assert_int_equal(names_in("."), 2);
}

/* Prepares a sort of sorted pieces in less memory than they need; the caller sets the rest. */
static struct gsi_options small_options(void)
{
    static const char *const inputs[] = {"in"};
    return (struct gsi_options){.inputs = inputs,
                                .input_count = 1,
                                .device = GSI_DEVICE_CPU,
                                .memory_bytes = (uint64_t)11 << 20,
                                .chunk_bytes = 128 << 10,
                                .window_bytes = 16384,
                                .thread_count = 1};
}

/* Sorts n elements of `in` to the file "out": numbers, or records by their first 8 bytes. */
static struct gs_report sort_small(struct gsi_options *options, const struct shape *shape, size_t n,
                                   size_t round)
{
    static const char *const key[] = {"0:u64"};
    struct gs_report report;
    struct gs_error error;
    options->output = "out";
    options->type = shape->bytes == 8 ? "u64" : NULL;
    options->record_bytes = shape->bytes == 8 ? 0 : shape->bytes;
    options->keys = key;
    options->key_count = shape->bytes > 8;
    put_bytes("in", in, n * shape->bytes);
    if (gs_run(options, &report, &error) != GS_OK)
        test_fail("%zu: %s", round, error.text);
    return report;
}

static void swap_elements(const struct shape *shape, size_t a, size_t b)
{
    uint8_t element[100];
    memcpy(element, in + a * shape->bytes, shape->bytes);
    memcpy(in + a * shape->bytes, in + b * shape->bytes, shape->bytes);
    memcpy(in + b * shape->bytes, element, shape->bytes);
}

/* One of equal elements is written in one pass; or up to the last element, which is low, and what
 * is written then is a run. */
static void test_one_pass__unique__one_pass(void **state)
{
    (void)state;
    struct test_random random = test_random_make(7);
    for (size_t i = 0; i < 8; i++) {
        struct shape shape = {.bytes = i & 1 ? 16 : 8, .step = i & 2 ? 1 : 7};
        size_t n = MOST_BYTES / shape.bytes;
        size_t wanted = fill(&random, &shape, n, 100, 0);
        if (i & 4) {
            put_element(n - 1, &shape, LEAST);
            memcpy(want, in, n * shape.bytes);
            qsort(want, n, shape.bytes, compare);
        }
        struct gsi_options options = small_options();
        options.unique = true;
        wanted = keep_one(&shape, wanted, GSI_KEEP_FIRST);
        struct gs_report report = sort_small(&options, &shape, n, i);
        assert_int_equal(get_bytes("out", got, MOST_BYTES), wanted * shape.bytes);
        assert_memory_equal(got, want, wanted * shape.bytes);
        assert_true(report.one_pass.written_bytes > 0);
        assert_int_equal(report.one_pass.is_whole, !(i & 4));
        assert_int_equal(report.groups.written_count, wanted);
    }
}

/* The input has more sorted pieces than are merged at once. All of them are read where they are. */
static void test_one_pass__many_pieces__none_is_spilled(void **state)
{
    (void)state;
    struct test_random random = test_random_make(9);
    for (size_t i = 0; i < 4; i++) {
        struct shape shape = {.bytes = i & 1 ? 16 : 8, .step = 64};
        struct gsi_options options = small_options();
        options.chunk_bytes = i & 2 ? 32 << 10 : 64 << 10;
        shape.piece = options.chunk_bytes / shape.bytes;
        size_t n = MOST_BYTES / shape.bytes;
        fill(&random, &shape, n, 0, 0);
        struct gs_report report = sort_small(&options, &shape, n, i);
        assert_int_equal(get_bytes("out", got, MOST_BYTES), n * shape.bytes);
        assert_memory_equal(got, want, n * shape.bytes);
        assert_true(report.presorted.count > 64);
        assert_int_equal(report.runs.spilled_count, 0);
    }
}

/* Makes pieces whose tags are in order although their records are not. */
static void test_one_pass__ties_are_late__as_the_order(void **state)
{
    (void)state;
    struct test_random random = test_random_make(6);
    static const char *const keys[] = {"16:u64", "24:u64", "0:u64"};
    struct shape shape = {.bytes = 32, .step = 64};
    size_t n = MOST_BYTES / shape.bytes;
    shape.piece = n / 2;
    for (size_t swapped = 0; swapped < 2; swapped++) {
        struct gsi_options options = small_options();
        options.output = "out";
        options.record_bytes = shape.bytes;
        options.keys = keys;
        options.key_count = 3;
        struct gs_report report;
        struct gs_error error;
        fill(&random, &shape, n, 0, 0);
        for (size_t at = 5; swapped > 0 && at + 1 < n; at += 2048)
            swap_elements(&shape, at, at + 1);
        put_bytes("in", in, n * shape.bytes);
        if (gs_run(&options, &report, &error) != GS_OK)
            test_fail("%s", error.text);
        assert_int_equal(get_bytes("out", got, MOST_BYTES), n * shape.bytes);
        assert_memory_equal(got, want, n * shape.bytes);
        assert_int_equal(report.presorted.count > 0, swapped == 0);
    }
}

/* A writer that lets the first block change the input without the library. */
struct spoiler {
    uint64_t off;
    const uint8_t *element;
    bool is_done;
};

static bool spoil(void *context, const void *data, size_t bytes, struct gs_error *error)
{
    struct spoiler *spoiler = (struct spoiler *)context;
    (void)data, (void)bytes, (void)error;
    if (!spoiler->is_done) {
        FILE *file = fopen("in", "r+b");
        assert_non_null(file);
        assert_int_equal(fseek(file, (long)spoiler->off, SEEK_SET), 0);
        assert_int_equal(fwrite(spoiler->element, 8, 1, file), 1);
        fclose(file);
    }
    spoiler->is_done = true;
    return true;
}

/* When pieces are read again, both their order and their contents are checked. */
static void test_one_pass__changed_meanwhile__fails(void **state)
{
    (void)state;
    struct test_random random = test_random_make(5);
    struct shape shape = {.bytes = 8, .step = 64};
    size_t n = MOST_BYTES / 8;
    shape.piece = n / 2;
    fill(&random, &shape, n, 0, 0);
    /* Replaces an element by the one before it, or by a low one. */
    const uint64_t off = MOST_BYTES / 2 - 8192;
    struct spoiler spoilers[] = {{.off = off, .element = in + off - 8},
                                 {.off = off, .element = in}};
    const enum gs_status wanted[] = {GS_E_VERIFY, GS_E_INPUT};
    for (size_t i = 0; i < 2; i++) {
        const struct gs_writer writer = {.write = spoil, .context = &spoilers[i]};
        struct gsi_options options = small_options();
        options.writer = &writer;
        options.type = "u64";
        struct gs_report report;
        struct gs_error error = {0};
        put_bytes("in", in, MOST_BYTES);
        assert_int_equal(gs_run(&options, &report, &error), wanted[i]);
        assert_true(report.presorted.count > 0);
        assert_non_null(strstr(error.text, i == 0 ? "do not change the inputs"
                                                  : "changed while it was sorted"));
    }
}

int main(int argc, char **argv)
{
    if (argc > 1)
        rounds = strtoull(argv[1], NULL, 10);
    else if (test_is_small())
        rounds = 12;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_pass__late_by_any_distance__as_the_order),
        cmocka_unit_test(test_one_pass__unique__one_pass),
        cmocka_unit_test(test_one_pass__many_pieces__none_is_spilled),
        cmocka_unit_test(test_one_pass__ties_are_late__as_the_order),
        cmocka_unit_test(test_one_pass__changed_meanwhile__fails)};
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown_empty);
}
