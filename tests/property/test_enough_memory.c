/* test_enough_memory.c: runs jobs of all kinds with too little memory. The message names a given
 * option and an amount, and with that amount the job runs. One MiB less of --memory is refused,
 * too, if no other option is the limit. Run: build/dev/tests/test_enough_memory */
#include "support/scratch.h"

#include "job/job_report.h"
#include "support/struct_jobs.h"

#define MIB         ((uint64_t)1 << 20)
#define INPUTS_MOST 400

struct job {
    struct gsi_options options;
    const char *inputs[INPUTS_MOST];
};

/* Makes a file of each kind; all are sorted, so that any job can use any of them. */
static int make_files(void **state)
{
    if (scratch_setup(state) != 0)
        return -1;
    uint64_t *numbers = calloc(150000, sizeof *numbers);
    for (size_t i = 0; i < 150000; i++)
        numbers[i] = __builtin_bswap64(i / 3); /* also as bytes */
    for (size_t i = 0; i < 150000; i++)
        numbers[i] = i < 1000 ? 0 : numbers[i];
    put_bytes("small", numbers, 8000);
    put_bytes("large", numbers, 1200000);
    put_bytes("none", numbers, 0);
    free(numbers);
    struct gsi_options pack = {.inputs = (const char *[]){"large"},
                               .input_count = 1,
                               .output = "packed.zst",
                               .type = "u64",
                               .thread_count = 1};
    struct gs_report report;
    struct gs_error error;
    return gs_run(&pack, &report, &error) == GS_OK ? 0 : -1;
}

static uint64_t one_of(struct test_random *random, const uint64_t *values, size_t count)
{
    return values[test_below(random, count)];
}

#define ONE_OF(random, ...)                         \
    one_of(random, (const uint64_t[]){__VA_ARGS__}, \
           sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static void choose_inputs(struct test_random *random, struct job *job)
{
    static const char *const plain[] = {"small", "large", "none", "./small"};
    size_t count = ONE_OF(random, 1, 1, 2, 3, 20, 150, INPUTS_MOST);
    bool has_packed = !job->options.merge && count < 10 && test_below(random, 4) == 0;
    for (size_t i = 0; i < count; i++) {
        /* Many large files would take a long time. */
        const char *name = plain[test_below(random, 4)];
        job->inputs[i] = count > 20 && strcmp(name, "large") == 0 && i > 3 ? "small" : name;
    }
    if (has_packed)
        job->inputs[0] = "packed.zst";
    job->options.inputs = job->inputs;
    job->options.input_count = count;
}

static void choose_options(struct test_random *random, struct gsi_options *options)
{
    static const char *const keys[] = {"0:u32", "4:b4"};
    options->thread_count = (uint32_t)ONE_OF(random, 1, 2, 7, 64);
    options->spill_all = !options->merge && test_below(random, 2) == 0;
    options->compress = (enum gsi_compress_choice)test_below(random, 4);
    options->compress_level =
        options->compress == GSI_COMPRESS_ZSTD ? (uint32_t)ONE_OF(random, 0, 1, 9, 19) : 0;
    options->fan_in = (uint32_t)ONE_OF(random, 0, 0, 2, 5, 1000);
    options->window_bytes = ONE_OF(random, 0, 0, 4096, 8192, 65536, 3 * MIB, 20 * MIB, 2048 * MIB);
    options->chunk_bytes = options->merge ? 0 : ONE_OF(random, 0, 0, 4096, 65536, MIB, 30 * MIB);
    options->output_zstd_level = test_below(random, 4) == 0 ? (uint32_t)ONE_OF(random, 1, 19) : 0;
    options->verify_read = test_below(random, 4) == 0;
    options->header_bytes = ONE_OF(random, 0, 0, 0, 4000);
    if (test_below(random, 2) == 0)
        options->record_bytes = (uint32_t)ONE_OF(random, 8, 40, 1000);
    if (options->record_bytes > 0 && test_below(random, 2) == 0) {
        options->keys = keys;
        options->key_count = 2;
    }
    if (options->record_bytes == 0)
        options->type = test_below(random, 2) == 0 ? "u64" : "u32";
    switch (test_below(random, 6)) {
    case 0:
        options->has_top = true;
        options->top_count = ONE_OF(random, 1, 100, 100000);
        break;
    case 1:
        options->unique = true;
        options->unique_counts = !options->verify_read && test_below(random, 2) == 0;
        break;
    case 2:
        options->action = test_below(random, 2) == 0 ? GS_STATS : GS_CHECK;
        break;
    default:
        break;
    }
}

static struct job *make_job(struct test_random *random)
{
    static struct job job;
    job = (struct job){.options = {.output = "out", .device = GSI_DEVICE_CPU}};
    job.options.merge = test_below(random, 4) == 0;
    choose_inputs(random, &job);
    choose_options(random, &job.options);
    if (job.options.action != GS_SORT) {
        job.options.output = NULL;
        job.options.merge = job.options.verify_read = false;
        job.options.output_zstd_level = 0;
    }
    return &job;
}

static void print_job(const struct job *job)
{
    const struct gsi_options *o = &job->options;
    fprintf(stderr,
            "%zu inputs, first %s, action %d, merge %d, record %u, %zu keys, unique %d, counts %d, "
            "top %llu, header %llu, zstd %u, read %d, threads %u, fan-in %u, compress %d:%u, "
            "chunk %llu, window %llu, spill all %d\n",
            o->input_count, o->inputs[0], o->action, o->merge, o->record_bytes, o->key_count,
            o->unique, o->unique_counts, (unsigned long long)o->top_count,
            (unsigned long long)o->header_bytes, o->output_zstd_level, o->verify_read,
            o->thread_count, o->fan_in, o->compress, o->compress_level,
            (unsigned long long)o->chunk_bytes, (unsigned long long)o->window_bytes, o->spill_all);
}

/* Returns the amount of --memory that a refusal names; 0: none. */
static uint64_t named_mib(const char *text)
{
    unsigned long long mib = 0;
    const char *at = strstr(text, "; at least ");
    return at != NULL && sscanf(at, "; at least %llu MiB are needed", &mib) == 1 ? mib : 0;
}

/* Sets options as a refusal advises: "; use --chunk=64K", "leave --chunk out", "leave them
 * out", ", without --chunk". Returns false if it advises none of these. */
static bool follow_options(const char *text, struct gsi_options *options)
{
    const char *at = strstr(text, "; use --"), *left = strstr(text, "leave "),
               *without = strstr(text, "needed, without ");
    unsigned long long value = 0;
    char unit = 0;
    const char *list = without != NULL ? without : left != NULL ? text : "";
    if (at == NULL) {
        options->chunk_bytes = strstr(list, "--chunk") != NULL ? 0 : options->chunk_bytes;
        options->window_bytes = strstr(list, "--window") != NULL ? 0 : options->window_bytes;
        options->fan_in = strstr(list, "--batch-size") != NULL ? 0 : options->fan_in;
        return *list != '\0';
    }
    assert_true(sscanf(strchr(at, '='), "=%llu%c", &value, &unit) >= 1);
    value <<= unit == 'K' ? 10 : unit == 'M' ? 20 : unit == 'G' ? 30 : 0;
    if (strncmp(at + 8, "chunk", 5) == 0)
        options->chunk_bytes = value;
    else if (strncmp(at + 8, "window", 6) == 0)
        options->window_bytes = value;
    else
        options->fan_in = (uint32_t)value;
    return true;
}

static bool is_done(enum gs_status status)
{
    return status == GS_OK || status == GS_E_DISORDER || status == GS_E_INPUT;
}

static enum gs_status try(struct job *job, uint64_t memory_bytes, struct gs_error *error)
{
    struct gs_report report;
    job->options.memory_bytes = memory_bytes;
    return gs_run(&job->options, &report, error);
}

/* The option that a refusal begins with was given. */
static bool blames_what_is_given(const char *text, const struct gsi_options *options)
{
    return strncmp(text, "--memory", 8) == 0 ||
           (strncmp(text, "--chunk", 7) == 0 && options->chunk_bytes > 0) ||
           (strncmp(text, "--window", 8) == 0 && options->window_bytes > 0) ||
           (strncmp(text, "--batch-size", 12) == 0 && options->fan_in > 0);
}

static int by_option, by_memory;

/* Returns whether the job is refused because it has too little memory. Its advice must work at
 * once. */
static bool check_job(struct job *job, uint64_t memory_bytes)
{
    struct gs_error error, enough = {0}, less = {0};
    enum gs_status status = try(job, memory_bytes, &error), with_less = GS_E_USAGE;
    struct gsi_options asked = job->options;
    bool is_conflict = strstr(error.text, " cannot be used with ") != NULL;
    bool is_refused = (status == GS_E_USAGE || status == GS_E_MEMORY) && !is_conflict;
    if (!is_refused)
        return false;
    uint64_t mib = named_mib(error.text);
    bool follows = follow_options(error.text, &job->options);
    status = try(job, mib > 0 ? mib * MIB : memory_bytes, &enough);
    bool is_right = (follows || mib * MIB > memory_bytes) && is_done(status) &&
                    blames_what_is_given(error.text, &asked);
    bool is_least = asked.chunk_bytes == 0 && asked.window_bytes == 0 && asked.fan_in == 0;
    if (is_right && is_least && mib > 0 && (mib - 1) * MIB > memory_bytes) {
        with_less = try(job, (mib - 1) * MIB, &less);
        is_right = with_less == GS_E_USAGE;
    }
    if (!is_right) {
        job->options = asked;
        print_job(job);
        test_fail("%llu bytes: %s\nas it advises: %s\na MiB less: %s",
                  (unsigned long long)memory_bytes, error.text, enough.text, less.text);
    }
    *(mib > 0 ? &by_memory : &by_option) += 1;
    job->options = asked;
    return true;
}

static void test_memory__any_job__what_is_said_to_be_enough_is(void **state)
{
    (void)state;
    int jobs = test_is_small() ? 30 : 200, refused = 0;
    struct test_random random = test_random_make(0);
    for (int i = 0; i < jobs; i++) {
        struct job *job = make_job(&random);
        refused += check_job(job, MIB);
        check_job(job, 8 * MIB + test_below(&random, 32 * MIB));
        check_job(job, (uint64_t)256 * MIB);
    }
    assert_true(refused > jobs / 2);
    assert_true(by_option > 0 && by_memory > jobs / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_memory__any_job__what_is_said_to_be_enough_is,
                                        make_files, scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
