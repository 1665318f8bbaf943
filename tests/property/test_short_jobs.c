/* test_short_jobs.c: compares random jobs with elements of up to 16 bytes with the model. Elements
 * are all types of numbers in both byte orders, and records with up to four keys that may overlap.
 * So jobs sort by counting, as integers, as inline records and by tags, with every verb. A job
 * depends only on the seed and its number.
 *
 *     build/dev/tests/test_short_jobs                          2000 jobs
 *     GS_TEST_JOBS=100000 build/dev/tests/test_short_jobs      as many
 *     GS_TEST_JOB=4711 build/dev/tests/test_short_jobs         the one that failed */
#include "job/job_report.h"
#include "support/can_run.h"
#include "support/record_model.h"
#include "support/struct_jobs.h"

#define MOST       20000
#define MOST_BYTES ((size_t)16 * MOST)
#define MOST_FILES 6
#define GUARD      64
#define MIB        ((uint64_t)1 << 20)

enum verb { SORT, SORT_ARRAY, ARGSORT, ARGSORT_ARRAY, UNIQUE, TOP, MERGE, CHECK, VERB_COUNT };

static const char *const verb_names[] = {
    "sort", "sort of an array", "argsort", "argsort of an array", "unique", "top", "merge",
    "check"};

static const char *const inputs[MOST_FILES] = {"in", "in1", "in2", "in3", "in4", "in5"};

struct job {
    uint64_t number;
    enum verb verb;
    struct record_model model;
    char type[16]; /* of numbers */
    struct gsi_options options;
    size_t n, ends[MOST_FILES]; /* elements; where those of each file end */
};

static uint8_t in[MOST_BYTES], sorted[MOST_BYTES], want[MOST_BYTES + 8 * MOST];
static uint8_t got[MOST_BYTES + 8 * MOST + 2 * GUARD];

/* ---- what is sorted ---- */

static void make_number(struct job *job, struct test_random *random)
{
    size_t type = 1 + test_below(random, RECORD_TYPE_COUNT - 1); /* bytes are no number */
    uint32_t bytes = record_types[type].bytes;
    bool is_big_endian = bytes > 1 && test_below(random, 2) == 0;
    job->model = (struct record_model){
        .bytes = bytes, .key_count = 1, .is_reversed = test_below(random, 3) == 0};
    job->model.keys[0] = record_key_make(0, record_types[type].name, bytes, is_big_endian, false);
    strcpy(job->type, job->model.keys[0].text + strlen("0:"));
}

/* Makes elements that differ in few bytes from a few others, so that keys tie but other bytes
 * differ. */
static void make_alike(struct test_random *random, uint8_t *data, size_t n, uint32_t bytes)
{
    size_t some = 1 + test_below(random, 40);
    for (size_t i = some; i < n; i++) {
        memcpy(data + i * bytes, data + test_below(random, some) * bytes, bytes);
        if (test_below(random, 2) == 0)
            data[i * bytes + test_below(random, bytes)] ^= (uint8_t)(1 + test_below(random, 255));
    }
}

static void swap_some(struct test_random *random, uint8_t *data, size_t n, uint32_t bytes)
{
    for (uint64_t times = test_below(random, 4); times > 0 && n > 0; times--) {
        uint8_t element[16], *a = data + test_below(random, n) * bytes,
                             *b = data + test_below(random, n) * bytes;
        memcpy(element, a, bytes);
        memmove(a, b, bytes);
        memcpy(b, element, bytes);
    }
}

static void make_data(struct job *job, struct test_random *random)
{
    uint32_t bytes = job->model.bytes;
    uint64_t dice = test_below(random, 32);
    job->n = test_below(random, dice < 3 ? 4 : dice == 3 ? MOST : 2500);
    record_fill(random, (enum record_shape)test_below(random, RECORD_SHAPE_COUNT), in, job->n,
                bytes);
    if (test_below(random, 3) == 0)
        make_alike(random, in, job->n, bytes);
    if (job->verb == CHECK || test_below(random, 8) == 0) {
        record_model_sort(&job->model, in, sorted, job->n);
        memcpy(in, sorted, job->n * bytes);
        swap_some(random, in, job->n, bytes);
    }
}

/* ---- how ---- */

static void choose_way(struct job *job, struct test_random *random)
{
    static const enum gsi_io_choice engines[] = {GSI_IO_AUTO, GSI_IO_THREADS};
    struct gsi_options *options = &job->options;
    options->io = engines[test_below(random, 2)];
    options->thread_count = 1 + (uint32_t)test_below(random, 4);
    options->memory_bytes = (16 + test_below(random, 20)) * MIB;
    if (job->verb == CHECK)
        return; /* the remaining options are refused with it */
    options->compress = (enum gsi_compress_choice)test_below(random, 4);
    options->spill_all = job->verb != MERGE && test_below(random, 3) == 0;
    if (test_below(random, 2) == 0) {
        options->window_bytes = 12288 + 4096 * test_below(random, 9);
        if (job->verb != MERGE)
            options->chunk_bytes = options->window_bytes << (1 + test_below(random, 3));
        options->fan_in = test_below(random, 2) == 0 ? 2 + (uint32_t)test_below(random, 5) : 0;
    }
}

static void choose_groups(struct job *job, struct test_random *random)
{
    struct gsi_options *options = &job->options;
    options->unique = true;
    options->unique_counts = test_below(random, 2) == 0;
    options->unique_keep = (enum gsi_keep_choice)test_below(random, options->unique_counts ? 4 : 5);
    if (options->record_bytes > 0 && job->model.key_count > 1 && test_below(random, 2) == 0)
        options->group_keys = 1 + (uint32_t)test_below(random, job->model.key_count);
}

static void cut_files(struct job *job, struct test_random *random)
{
    size_t count =
        job->verb == MERGE || test_below(random, 4) == 0 ? 1 + test_below(random, MOST_FILES) : 1;
    for (size_t i = 0; i < count; i++)
        job->ends[i] = i + 1 == count ? job->n
                                      : (i > 0 ? job->ends[i - 1] : 0) +
                                            test_below(random, job->n / count + 1);
    job->options.input_count = count;
}

static void make_job(struct job *job, struct test_random *random)
{
    struct gsi_options *options = &job->options;
    job->verb = (enum verb)test_below(random, VERB_COUNT);
    bool is_number = test_below(random, 4) == 0;
    if (is_number)
        make_number(job, random);
    else
        record_model_make(&job->model, random, 1 + (uint32_t)test_below(random, 16));
    record_model_place_nans(&job->model, random);
    *options = (struct gsi_options){.inputs = inputs,
                                    .output = "out",
                                    .device = GSI_DEVICE_CPU,
                                    .reverse = job->model.is_reversed,
                                    .nan_place = record_model_nan_place(&job->model)};
    if (is_number) {
        options->type = job->type;
    } else {
        options->record_bytes = job->model.bytes;
        options->keys = job->model.texts;
        options->key_count = job->model.key_count;
    }
    options->argsort = job->verb == ARGSORT || job->verb == ARGSORT_ARRAY;
    if (job->verb == UNIQUE || (job->verb == MERGE && test_below(random, 3) == 0))
        choose_groups(job, random);
    else if (job->verb == CHECK)
        options->unique = test_below(random, 4) == 0;
    if (!is_number && !options->argsort && !(job->verb == CHECK && options->unique))
        job->model.has_ties_by_bytes = options->ties_by_bytes = test_below(random, 3) == 0;
    choose_way(job, random);
    make_data(job, random);
    cut_files(job, random);
    if (job->verb == TOP || (job->verb == UNIQUE && test_below(random, 8) == 0)) {
        options->has_top = true;
        options->top_count = test_below(random, job->n + 2);
    }
    if (job->verb == ARGSORT)
        options->index_bytes = test_below(random, 2) == 0 ? 4 : 8;
}

/* ---- expected outputs ---- */

/* Groups of `sorted`, whose first keys are equal. */
static size_t expect_groups(const struct job *job)
{
    const struct gsi_options *options = &job->options;
    struct record_model group = job->model;
    uint32_t bytes = group.bytes;
    size_t length = 0, taken = 0;
    if (options->group_keys > 0)
        group.key_count = options->group_keys;
    for (size_t i = 0, end; i < job->n; i = end) {
        for (end = i + 1; end < job->n && record_model_compare(&group, sorted + i * bytes,
                                                               sorted + end * bytes) == 0;
             end++) {
        }
        uint64_t count = end - i;
        if (options->unique_keep == GSI_KEEP_SINGLES
                ? count > 1
                : options->unique_keep >= GSI_KEEP_DUPS && count == 1)
            continue;
        const bool puts_all = options->unique_keep == GSI_KEEP_REPEATED;
        size_t stands = options->unique_keep == GSI_KEEP_LAST ? end - 1 : i;
        for (size_t put = 0; put < (puts_all ? count : 1); put++, stands++) {
            if (options->has_top && taken++ >= options->top_count)
                return length;
            memcpy(want + length, sorted + stands * bytes, bytes);
            memcpy(want + length + bytes, &count, options->unique_counts ? 8 : 0);
            length += bytes + (options->unique_counts ? 8 : 0);
        }
    }
    return length;
}

static size_t expect_positions(const struct job *job, uint32_t index_bytes)
{
    uint32_t *order = record_model_order(&job->model, in, job->n);
    for (size_t i = 0; i < job->n; i++) {
        uint64_t index = order[i];
        memcpy(want + i * index_bytes, &index, index_bytes);
    }
    free(order);
    return job->n * index_bytes;
}

static size_t expect(const struct job *job)
{
    const struct gsi_options *options = &job->options;
    if (options->argsort)
        return expect_positions(job, job->verb == ARGSORT ? options->index_bytes : 8);
    record_model_sort(&job->model, in, sorted, job->n);
    if (options->unique)
        return expect_groups(job);
    size_t n = options->has_top && options->top_count < job->n ? options->top_count : job->n;
    memcpy(want, sorted, n * job->model.bytes);
    return n * job->model.bytes;
}

/* ---- jobs ---- */

static void write_files(const struct job *job)
{
    uint32_t bytes = job->model.bytes;
    size_t begin = 0;
    for (size_t i = 0; i < job->options.input_count; begin = job->ends[i++])
        put_bytes(inputs[i], in + begin * bytes, (job->ends[i] - begin) * bytes);
}

static void run_files(const struct job *job)
{
    struct gs_error error;
    struct gs_report report;
    size_t bytes = expect(job);
    write_files(job);
    if (gs_run(&job->options, &report, &error) != GS_OK)
        test_fail("%s", error.text);
    if (get_bytes("out", got, sizeof got) != bytes || memcmp(got, want, bytes) != 0)
        test_fail("wrong output");
    if (report.tally.count != job->n)
        test_fail("wrong count");
}

/* Each file is in order, and then all are one input to the model. */
static void run_merge(struct job *job)
{
    uint32_t bytes = job->model.bytes;
    size_t begin = 0;
    for (size_t i = 0; i < job->options.input_count; begin = job->ends[i++]) {
        record_model_sort(&job->model, in + begin * bytes, sorted, job->ends[i] - begin);
        memcpy(in + begin * bytes, sorted, (job->ends[i] - begin) * bytes);
    }
    job->options.merge = true;
    run_files(job);
}

/* The array, or the positions, are between guards. */
static void run_of_array(const struct job *job)
{
    struct gs_error error;
    struct gs_report report;
    struct gsi_options options = job->options;
    bool is_order = job->verb == ARGSORT_ARRAY;
    size_t length = job->n * job->model.bytes, bytes = expect(job);
    uint8_t *data = got + (is_order ? GUARD : GUARD - job->number % 16);
    memset(got, 0xa5, bytes + 2 * GUARD);
    options.inputs = NULL;
    options.input_count = 0;
    options.output = NULL;
    options.argsort = false; /* the place for positions implies it */
    if (!is_order)
        memcpy(data, in, length);
    enum gs_status status =
        is_order ? gs_argsort_array(in, length, &options, (uint64_t *)data, &report, &error)
                 : gs_sort_array(data, length, &options, &report, &error);
    if (status != GS_OK)
        test_fail("%s", error.text);
    if (memcmp(data, want, bytes) != 0)
        test_fail("wrong order");
    for (size_t i = 1; i <= 32; i++)
        if (data[-(ptrdiff_t)i] != 0xa5 || data[bytes + i - 1] != 0xa5)
            test_fail("wrote beside the array");
}

static void run_check(const struct job *job)
{
    struct gs_error error;
    struct gs_report report;
    struct gsi_options options = job->options;
    uint32_t bytes = job->model.bytes;
    size_t at = 1;
    for (; at < job->n; at++) {
        int order = record_model_place(&job->model, in + (at - 1) * bytes, in + at * bytes);
        if (order > 0 || (order == 0 && options.unique))
            break;
    }
    write_files(job);
    options.action = GS_CHECK;
    options.output = NULL;
    enum gs_status status = gs_run(&options, &report, &error);
    if (status != (at < job->n ? GS_E_DISORDER : GS_OK))
        test_fail("%s", status == GS_OK ? "disorder is not seen" : error.text);
    if (status == GS_E_DISORDER && report.disorder.index != at)
        test_fail("another disorder");
}

static void run_job(uint64_t number, bool is_on_gpu)
{
    static struct job job;
    struct test_random random = test_random_make(1000 + number);
    memset(&job, 0, sizeof job);
    job.number = number;
    make_job(&job, &random);
    test_case("GS_TEST_JOB=%llu: %s of %zu", (unsigned long long)number, verb_names[job.verb],
              job.n);
    if (is_on_gpu) {
        job.options.device = GSI_DEVICE_CUDA;
        job.options.memory_bytes += 64 * MIB; /* its rings take more */
        /* The plan of a GPU that spills does not count tables of so small frames as are drawn. */
        if (job.options.spill_all)
            job.options.chunk_bytes = job.options.window_bytes = 0;
    }
    if (job.verb == SORT_ARRAY || job.verb == ARGSORT_ARRAY)
        run_of_array(&job);
    else if (job.verb == CHECK)
        run_check(&job);
    else if (job.verb == MERGE)
        run_merge(&job);
    else
        run_files(&job);
}

/* Runs one in `share` of all jobs, or only that of GS_TEST_JOB. */
static void run_jobs(uint64_t share, bool is_on_gpu)
{
    uint64_t one = test_number("GS_TEST_JOB", UINT64_MAX);
    uint64_t count = test_number("GS_TEST_JOBS", test_is_small() ? 300 : 2000);
    for (uint64_t i = 0; i < (one == UINT64_MAX ? count / share : 1); i++)
        run_job(one == UINT64_MAX ? i : one, is_on_gpu);
}

static void test_short_elements__random_jobs__as_the_model(void **state)
{
    (void)state;
    run_jobs(1, false);
}

#ifndef GSORT_TEST_NO_GPU
/* Runs fewer of the same jobs, because an emulated GPU is slow. */
static void test_short_elements__random_jobs_on_a_gpu__as_the_model(void **state)
{
    (void)state;
    const struct gsi_options on_any_gpu = {.record_bytes = 4, .device = GSI_DEVICE_CUDA};
    const char *lack = lacks(on_any_gpu);
    if (lack != NULL)
        test_skip("%s", lack);
    run_jobs(20, true);
}
#endif

static int remove_files(void **state)
{
    for (int i = 1; i < MOST_FILES; i++)
        unlink(inputs[i]);
    return scratch_teardown_empty(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_short_elements__random_jobs__as_the_model),
#ifndef GSORT_TEST_NO_GPU
        cmocka_unit_test(test_short_elements__random_jobs_on_a_gpu__as_the_model),
#endif
    };
    return cmocka_run_group_tests(tests, scratch_setup_in_memory, remove_files);
}
