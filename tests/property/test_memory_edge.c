/* test_memory_edge.c: runs a thousand small sorts in as little memory as possible. A buffer that is
 * promised twice would stop a job forever. It has all kinds of files, sorted or not, whole or in
 * ranges, and any -S, --batch-size, threads and chunks. Each sort has a time limit; the output is
 * in order, stable, and complete. A first argument is the number of jobs, GS_TEST_SEED replays.
 * Run: build/dev/tests/test_memory_edge 100000 */
#include "job/job_report.h"
#include "support/callbacks.h"
#include "support/scratch.h"
#include "support/struct_jobs.h"

#define MOST_BYTES    ((size_t)8 << 20)
#define MOST_FILES    12u
#define LIMIT_SECONDS 120u

static size_t jobs = 1000;
static uint8_t in[MOST_BYTES], got[MOST_BYTES];

/* A record contains its key, its position in the input, and padding. A number is its key. */
struct shape {
    uint32_t bytes;
    bool is_record;
    uint64_t keys; /* different ones, about */
};

/* The contents of a file: sorted ranges of so many elements; 0: no order. */
struct piece_order {
    size_t piece;
    bool is_falling, is_late;
};

/* ---- elements ---- */

static uint64_t key_of(const struct shape *shape, const uint8_t *element)
{
    uint64_t key = 0;
    memcpy(&key, element, shape->bytes < sizeof key ? shape->bytes : sizeof key);
    return key;
}

static uint64_t place_of(const uint8_t *element)
{
    uint64_t place;
    memcpy(&place, element + 8, sizeof place);
    return place;
}

static struct shape compared;

static int compare(const void *a, const void *b)
{
    const uint8_t *x = (const uint8_t *)a, *y = (const uint8_t *)b;
    uint64_t left = key_of(&compared, x), right = key_of(&compared, y);
    if (left == right && compared.is_record)
        left = place_of(x), right = place_of(y);
    return (left > right) - (left < right);
}

/* Makes elements [first, end) of `in`. Ascending keys need no sort, so that a job takes
 * milliseconds. */
static void fill(struct test_random *random, const struct shape *shape,
                 const struct piece_order *order, size_t first, size_t end)
{
    const uint64_t most = shape->bytes == 4 ? UINT32_MAX : UINT64_MAX;
    const uint64_t step = most / (shape->keys > 0 ? shape->keys : 1);
    size_t piece = order->piece > 0 ? order->piece : end - first;
    for (size_t i = first; i < end; i++) {
        uint64_t within = (i - first) % piece;
        uint64_t key = most / (piece + 1) * within;
        if (order->piece == 0)
            key = test_next(random) & most;
        else if (order->is_late && test_below(random, 64) == 0)
            key -= key / 100;
        if (order->is_falling)
            key = most - key;
        key -= key % (step > 0 ? step : 1); /* ties */
        uint8_t *element = in + i * shape->bytes;
        memset(element, (int)i, shape->bytes);
        memcpy(element, &key, shape->bytes < sizeof key ? shape->bytes : sizeof key);
        uint64_t place = i;
        if (shape->is_record)
            memcpy(element + 8, &place, sizeof place);
    }
}

/* Returns the sum of the elements' hashes, which does not depend on their order. */
static uint64_t hash_all(const struct shape *shape, const uint8_t *data, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t hash = 14695981039346656037u;
        for (size_t at = 0; at < shape->bytes; at += 4) {
            uint32_t word;
            memcpy(&word, data + i * shape->bytes + at, sizeof word);
            hash = (hash ^ word) * 1099511628211u;
        }
        sum += hash ^ hash >> 29;
    }
    return sum;
}

/* ---- one job ---- */

struct files {
    char names[MOST_FILES][32];
    const char *inputs[MOST_FILES];
};

/* Consecutive files, each with its own order; all sorted for a merge. */
static size_t put_files(struct test_random *random, const struct shape *shape, bool is_merge,
                        size_t n, struct files *files)
{
    size_t count = 1 + test_below(random, MOST_FILES), at = 0;
    compared = *shape;
    for (size_t i = 0; i < count; i++) {
        size_t part = i + 1 < count ? test_below(random, 2 * (n - at) / (count - i) + 1) : n - at;
        part = part < n - at ? part : n - at;
        struct piece_order order = {
            .piece = test_below(random, 3) == 0 ? 0 : part / (1 + test_below(random, 3)) + 1,
            .is_falling = !is_merge && test_below(random, 6) == 0,
            .is_late = test_below(random, 4) == 0};
        fill(random, shape, &order, at, at + part);
        if (is_merge)
            qsort(in + at * shape->bytes, part, shape->bytes, compare);
        snprintf(files->names[i], sizeof files->names[i], "in%zu", i);
        files->inputs[i] = files->names[i];
        put_bytes(files->names[i], in + at * shape->bytes, part * shape->bytes);
        at += part;
    }
    return count;
}

static struct shape random_shape(struct test_random *random)
{
    static const uint32_t widths[] = {8, 8, 8, 4, 16, 24, 100};
    uint32_t bytes = widths[test_below(random, 7)];
    return (struct shape){.bytes = bytes,
                          .is_record = bytes > 8,
                          .keys = test_below(random, 3) == 0 ? 1 + test_below(random, 1000) : 0};
}

/* Draws an amount of memory, from too little on. Most jobs spill more than they keep. */
static void random_resources(struct test_random *random, size_t bytes, struct gsi_options *options)
{
    static const uint64_t units[] = {0, 0, 0, 0, 16 << 10, 128 << 10, 64 << 10, 256 << 10};
    options->thread_count = 1 + (uint32_t)test_below(random, 4);
    options->memory_bytes = ((uint64_t)9 << 20) + options->thread_count * ((uint64_t)1100 << 10) +
                            test_below(random, 1 + (bytes >> test_below(random, 5)));
    options->fan_in = test_below(random, 3) == 0 ? 2 + (uint32_t)test_below(random, 40) : 0;
    options->chunk_bytes = units[test_below(random, 8)];
    options->window_bytes = test_below(random, 6) == 0 ? units[test_below(random, 7)] : 0;
    options->compress = test_below(random, 3) == 0 ? GSI_COMPRESS_AUTO : GSI_COMPRESS_NONE;
    options->spill_all = test_below(random, 8) == 0;
}

static void check_output(const struct shape *shape, size_t n)
{
    size_t bytes = get_bytes("out", got, MOST_BYTES);
    if (bytes != n * shape->bytes || hash_all(shape, got, n) != hash_all(shape, in, n))
        test_fail("the output has other elements than the input");
    compared = *shape;
    for (size_t i = 1; i < n; i++)
        if (compare(got + (i - 1) * shape->bytes, got + i * shape->bytes) > 0)
            test_fail("element %zu is out of order", i);
}

static bool run_job(struct test_random *random, size_t job, struct gs_report *report)
{
    static const char *const keys[] = {"0:u64"};
    struct shape shape = random_shape(random);
    struct files files;
    size_t n = (MOST_BYTES / 8 + test_below(random, test_below(random, 4) == 0 ? 7 * MOST_BYTES / 8
                                                                               : MOST_BYTES / 4)) /
               shape.bytes;
    struct gsi_options options = {.inputs = files.inputs,
                                  .output = "out",
                                  .type = shape.is_record    ? NULL
                                          : shape.bytes == 4 ? "u32"
                                                             : "u64",
                                  .record_bytes = shape.is_record ? shape.bytes : 0,
                                  .keys = shape.is_record ? keys : NULL,
                                  .key_count = shape.is_record,
                                  .merge = test_below(random, 8) == 0,
                                  .device = GSI_DEVICE_CPU};
    options.input_count = put_files(random, &shape, options.merge, n, &files);
    random_resources(random, n * shape.bytes, &options);
    struct source source = source_make(in, n * shape.bytes, (size_t)100 << 10);
    const struct gs_reader reader = {.read = source_read, .context = &source};
    if (!options.merge && test_below(random, 8) == 0) {
        options.readers = &reader;
        options.input_count = 1;
    }
    struct gs_error error;
    test_case("job %zu: %zu elements of %u bytes%s", job, n, shape.bytes,
              options.readers != NULL ? ", read by a callback" : "");
    alarm(LIMIT_SECONDS);
    enum gs_status status = gs_run(&options, report, &error);
    alarm(0);
    for (size_t i = 0; i < MOST_FILES; i++) {
        char name[32];
        snprintf(name, sizeof name, "in%zu", i);
        unlink(name);
    }
    /* Refused before anything is read: too little memory for this. */
    if (status == GS_E_USAGE)
        return false;
    if (status != GS_OK)
        test_fail("%s", error.text);
    check_output(&shape, n);
    return true;
}

static void test_memory_edge__any_job__ends_and_is_right(void **state)
{
    (void)state;
    struct test_random random = test_random_make(17);
    size_t refused = 0, spilled = 0, stretched = 0, passed = 0, merged = 0;
    for (size_t job = 0; job < jobs; job++) {
        struct gs_report report;
        refused += !run_job(&random, job, &report);
        spilled += report.runs.spilled_count > 0;
        stretched += report.presorted.count > 0;
        passed += report.one_pass.written_bytes > 0;
        merged += report.runs.merge_passes > 0;
    }
    print_message(
        "%zu jobs: %zu refused, %zu spilled, %zu with stretches, %zu with one pass begun, "
        "%zu with merges before the last\n",
        jobs, refused, spilled, stretched, passed, merged);
    assert_true(refused < jobs / 4);
    assert_true(jobs < 50 || (spilled > jobs / 8 && stretched > 0 && passed > 0 && merged > 0));
}

int main(int argc, char **argv)
{
    if (argc > 1)
        jobs = strtoull(argv[1], NULL, 10);
    else if (test_is_small())
        jobs = 150;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_edge__any_job__ends_and_is_right)};
    return cmocka_run_group_tests(tests, scratch_setup_in_memory, scratch_teardown_empty);
}
