/* simulated_job.c: draws jobs, models them, and asks the library for them. */
#include "simulation/simulated_job.h"

#include "simulation/simulation.h"

static const char *const names[JOB_FILES] = {"in", "in1", "in2", "in3", "in4"};
static const char *const keeps[] = {"first", "last", "singles", "dups", "repeated"};
enum keep { FIRST, LAST, SINGLES, DUPS, REPEATED };

static uint8_t in[JOB_MOST_BYTES], kept[JOB_MOST_BYTES], sorted[JOB_MOST_BYTES];
static uint8_t want[JOB_MOST_BYTES + 8 * JOB_MOST], got[JOB_MOST_BYTES + 8 * JOB_MOST + 1];
static uint32_t places[JOB_MOST]; /* of what is kept, in the inputs */
static size_t given, received;    /* bytes, by reader and writer */

/* ---- options ---- */

__attribute__((format(printf, 3, 4))) static void option(struct simulated_job *job,
                                                         const char *name, const char *format, ...)
{
    va_list arguments;
    assert_true(job->option_count < JOB_OPTIONS);
    snprintf(job->options[job->option_count].name, sizeof job->options[0].name, "%s", name);
    va_start(arguments, format);
    vsnprintf(job->options[job->option_count++].value, sizeof job->options[0].value, format,
              arguments);
    va_end(arguments);
}

const char *job_text(const struct simulated_job *job)
{
    static char text[JOB_OPTIONS * 96];
    size_t length = (size_t)sprintf(text, "gsort%s", job->verb == JOB_CHECK ? " --check" : "");
    for (uint32_t i = 0; i < job->option_count; i++)
        length += (size_t)sprintf(text + length, " --%s='%s'", job->options[i].name,
                                  job->options[i].value);
    for (size_t i = 0; i < job->files; i++)
        length += (size_t)sprintf(text + length, " %s", names[i]);
    sprintf(text + length, " (%zu elements of %u bytes%s%s)", job->n, job->model.bytes,
            job->has_reader ? ", by a reader" : "", job->has_writer ? ", to a writer" : "");
    return text;
}

const char *job_output(const struct simulated_job *job)
{
    return job->verb == JOB_CHECK || job->has_writer ? NULL : job->is_in_place ? "in" : "out";
}

/* ---- callbacks ---- */

static int64_t give(void *context, void *data, size_t bytes, struct gs_error *error)
{
    const struct simulated_job *job = context;
    size_t left = job->ends[0] * job->model.bytes - given;
    (void)error;
    bytes = bytes < left ? bytes : left;
    if (bytes > 1 && sim_draw(2) == 0)
        bytes = 1 + sim_draw(bytes);
    memcpy(data, in + given, bytes);
    given += bytes;
    return (int64_t)bytes;
}

static bool receive(void *context, const void *data, size_t bytes, struct gs_error *error)
{
    (void)context;
    (void)error;
    assert_true(bytes <= sizeof got - received);
    memcpy(got + received, data, bytes);
    received += bytes;
    return true;
}

void job_ask(const struct simulated_job *job, gs_job *asked)
{
    const struct gs_reader reader = {.read = give, .context = (void *)job};
    given = received = 0;
    for (uint32_t i = 0; i < job->option_count; i++)
        if (strcmp(job->options[i].name, "key") == 0)
            gs_job_add(asked, "key", job->options[i].value);
        else
            gs_job_set(asked, job->options[i].name, job->options[i].value);
    for (size_t i = 0; i < job->files; i++)
        if (i == 0 && job->has_reader)
            gs_job_add_reader(asked, names[i], &reader);
        else
            gs_job_add(asked, "input", names[i]);
    if (job->has_writer)
        gs_job_set_writer(asked, "out", &(struct gs_writer){.write = receive});
    else if (job_output(job) != NULL)
        gs_job_set(asked, "output", job_output(job));
}

/* ---- elements ---- */

static void make_elements(struct simulated_job *job, struct test_random *random)
{
    struct record_model *model = &job->model;
    uint64_t dice = test_below(random, 8);
    job->is_record = dice > 1;
    if (job->is_record) {
        uint32_t longest = dice < 5 ? 16 : dice < 7 ? 100 : 2000;
        record_model_make(model, random, 1 + (uint32_t)test_below(random, longest));
    } else {
        size_t type = 1 + test_below(random, RECORD_TYPE_COUNT - 1); /* bytes are no number */
        uint32_t bytes = record_types[type].bytes;
        bool is_big_endian = bytes > 1 && test_below(random, 2) == 0;
        *model = (struct record_model){
            .bytes = bytes, .key_count = 1, .is_reversed = test_below(random, 3) == 0};
        model->keys[0] = record_key_make(0, record_types[type].name, bytes, is_big_endian, false);
    }
    record_model_place_nans(model, random);
    if (!job->is_record)
        option(job, "type", "%s", model->keys[0].text + strlen("0:"));
    else
        option(job, "record", "%u", model->bytes);
    for (uint32_t i = 0; job->is_record && i < model->key_count; i++)
        option(job, "key", "%s", model->keys[i].text);
    if (model->is_reversed)
        option(job, "reverse", "true");
    if (model->has_nan_place)
        option(job, "nan", "%s", model->nans_first ? "first" : "last");
}

static void make_data(struct simulated_job *job, struct test_random *random)
{
    const uint32_t bytes = job->model.bytes;
    size_t most = JOB_MOST_BYTES / bytes < JOB_MOST ? JOB_MOST_BYTES / bytes : JOB_MOST;
    job->n = test_below(random, test_below(random, 16) == 0 ? 4 : most + 1);
    record_fill(random, (enum record_shape)test_below(random, RECORD_SHAPE_COUNT), in, job->n,
                bytes);
    if (job->verb != JOB_CHECK && test_below(random, 8) > 0)
        return;
    record_model_sort(&job->model, in, sorted, job->n);
    memcpy(in, sorted, job->n * bytes);
    if (job->n > 1 && test_below(random, 2) == 0) /* one out of place */
        memcpy(in + test_below(random, job->n) * bytes, sorted + test_below(random, job->n) * bytes,
               bytes);
}

/* A merge has several files, each in order. */
static void cut_files(struct simulated_job *job, struct test_random *random)
{
    const uint32_t bytes = job->model.bytes;
    bool has_several = job->verb == JOB_MERGE || test_below(random, 4) == 0;
    job->files = has_several ? 1 + test_below(random, JOB_FILES) : 1;
    for (size_t i = 0, begin = 0; i < job->files; begin = job->ends[i++]) {
        size_t left = job->n - begin;
        job->ends[i] = i + 1 == job->files ? job->n : begin + test_below(random, left + 1);
        if (job->verb != JOB_MERGE)
            continue;
        record_model_sort(&job->model, in + begin * bytes, sorted, job->ends[i] - begin);
        memcpy(in + begin * bytes, sorted, (job->ends[i] - begin) * bytes);
    }
}

/* ---- what is done with them, and how ---- */

static void choose_groups(struct simulated_job *job, struct test_random *random)
{
    job->is_unique = true;
    job->has_counts = test_below(random, 2) == 0;
    job->keep = (uint32_t)test_below(random, job->has_counts ? REPEATED : REPEATED + 1);
    option(job, "unique", "true");
    option(job, "keep", "%s", keeps[job->keep]);
    if (job->has_counts)
        option(job, "count", "true");
    if (job->is_record && job->model.key_count > 1 && test_below(random, 2) == 0) {
        job->group_keys = 1 + (uint32_t)test_below(random, job->model.key_count);
        option(job, "group", "%u", job->group_keys);
    }
}

static void choose_features(struct simulated_job *job, struct test_random *random)
{
    if (job->verb == JOB_UNIQUE || (job->verb == JOB_MERGE && test_below(random, 3) == 0))
        choose_groups(job, random);
    if (job->verb == JOB_MERGE)
        option(job, "merge", "true");
    if (job->verb == JOB_ARGSORT) {
        job->index_bytes = test_below(random, 2) == 0 ? 4 : 8;
        option(job, "argsort", "%s", job->index_bytes == 4 ? "u32" : "u64");
    }
    if (job->is_record && job->verb != JOB_ARGSORT && test_below(random, 3) == 0) {
        job->model.has_ties_by_bytes = true;
        option(job, "ties", "bytes");
    }
    if (job->is_record && job->verb != JOB_CHECK && !job->resumes && test_below(random, 4) == 0) {
        job->has_where = true;
        job->where_off = (uint32_t)test_below(random, job->model.bytes);
        job->where_value = (uint32_t)test_below(random, 256);
        option(job, "where", "%u:uint8<%u", job->where_off, job->where_value);
    }
}

static void choose_top(struct simulated_job *job, struct test_random *random)
{
    bool may = job->verb == JOB_UNIQUE || job->verb == JOB_MERGE;
    job->has_top = job->verb == JOB_TOP || (may && test_below(random, 8) == 0);
    job->top = test_below(random, job->n + 2);
    if (job->has_top)
        option(job, "top", "%llu", (unsigned long long)job->top);
}

/* Little memory in small pieces: runs are spilled and merged in several passes. */
static void choose_way(struct simulated_job *job, struct test_random *random)
{
    static const char *const codecs[] = {"auto", "none", "deltas", "zstd"};
    option(job, "device", "cpu");
    option(job, "memory", "%uM", 16 + (unsigned)test_below(random, 20));
    option(job, "parallel", "%u", 1 + (unsigned)test_below(random, 6));
    if (job->verb == JOB_CHECK)
        return;
    option(job, job->resumes ? "resume" : "temporary-directory", job->resumes ? "r" : "t");
    option(job, "compress", "%s", codecs[test_below(random, 4)]);
    if (job->verb != JOB_MERGE && test_below(random, 4) > 0)
        option(job, "spill", "always");
    if (test_below(random, 4) > 0) {
        uint64_t window = 8192 + 4096 * (1 + job->model.bytes / 2048 + test_below(random, 4));
        option(job, "window", "%llu", (unsigned long long)window);
        if (job->verb != JOB_MERGE)
            option(job, "chunk", "%llu",
                   (unsigned long long)(window << (1 + test_below(random, 2))));
        if (test_below(random, 2) == 0)
            option(job, "batch-size", "%u", 2 + (unsigned)test_below(random, 3));
    }
}

static void choose_ends(struct simulated_job *job, struct test_random *random)
{
    if (job->resumes)
        return;
    job->has_reader = test_below(random, 8) == 0;
    job->has_writer = job->verb != JOB_CHECK && test_below(random, 8) == 0;
    job->is_in_place = !job->has_reader && !job->has_writer && job->verb != JOB_CHECK &&
                       test_below(random, 8) == 0;
    job->verifies = job->verb != JOB_CHECK && job->verb != JOB_ARGSORT && !job->is_unique &&
                    !job->has_writer && test_below(random, 4) == 0;
    if (job->verifies)
        option(job, "verify", "read");
}

/* ---- the model ---- */

static size_t filter(const struct simulated_job *job)
{
    const uint32_t bytes = job->model.bytes;
    size_t count = 0;
    for (size_t i = 0; i < job->n; i++) {
        if (job->has_where && in[i * bytes + job->where_off] >= job->where_value)
            continue;
        places[count] = (uint32_t)i;
        memcpy(kept + count++ * bytes, in + i * bytes, bytes);
    }
    return count;
}

static size_t expect_positions(const struct simulated_job *job, size_t n)
{
    uint32_t *order = record_model_order(&job->model, kept, n);
    for (size_t i = 0; i < n; i++) {
        uint64_t index = places[order[i]];
        memcpy(want + i * job->index_bytes, &index, job->index_bytes);
    }
    free(order);
    return n * job->index_bytes;
}

/* How many of a group of `count` stay, from which on. */
static size_t kept_of(const struct simulated_job *job, size_t count, size_t *from)
{
    *from = job->keep == LAST ? count - 1 : 0;
    if (job->keep == SINGLES ? count > 1 : job->keep >= DUPS && count == 1)
        return 0;
    return job->keep == REPEATED ? count : 1;
}

static size_t expect_groups(const struct simulated_job *job, size_t n)
{
    struct record_model group = job->model;
    const uint32_t bytes = group.bytes;
    size_t length = 0, taken = 0, from;
    if (job->group_keys > 0)
        group.key_count = job->group_keys;
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1;
             end < n && record_model_compare(&group, sorted + i * bytes, sorted + end * bytes) == 0;
             end++) {
        }
        uint64_t count = end - i;
        size_t put = kept_of(job, count, &from);
        for (size_t k = 0; k < put && (!job->has_top || taken < job->top); k++, taken++) {
            memcpy(want + length, sorted + (i + from + k) * bytes, bytes);
            memcpy(want + length + bytes, &count, job->has_counts ? 8 : 0);
            length += bytes + (job->has_counts ? 8 : 0);
        }
    }
    return length;
}

static bool is_in_order(const struct simulated_job *job)
{
    const uint32_t bytes = job->model.bytes;
    for (size_t i = 1; i < job->n; i++)
        if (record_model_place(&job->model, in + (i - 1) * bytes, in + i * bytes) > 0)
            return false;
    return true;
}

static void expect(struct simulated_job *job)
{
    const size_t n = filter(job);
    if (job->verb == JOB_CHECK) {
        job->wanted = is_in_order(job) ? GS_OK : GS_E_DISORDER;
        return;
    }
    if (job->verb == JOB_ARGSORT) {
        job->wanted_bytes = expect_positions(job, n);
        return;
    }
    record_model_sort(&job->model, kept, sorted, n);
    if (job->is_unique) {
        job->wanted_bytes = expect_groups(job, n);
        return;
    }
    job->wanted_bytes = (job->has_top && job->top < n ? job->top : n) * job->model.bytes;
    memcpy(want, sorted, job->wanted_bytes);
}

/* ---- a job ---- */

void job_make(struct simulated_job *job, uint64_t number, bool resumes)
{
    struct test_random random = test_random_make(number << 32);
    *job = (struct simulated_job){.number = number, .resumes = resumes};
    job->verb = resumes ? JOB_SORT : (enum job_verb)test_below(&random, JOB_VERB_COUNT);
    make_elements(job, &random);
    choose_features(job, &random);
    make_data(job, &random);
    cut_files(job, &random);
    choose_top(job, &random);
    choose_way(job, &random);
    choose_ends(job, &random);
    expect(job);
}

void job_write_inputs(const struct simulated_job *job)
{
    const uint32_t bytes = job->model.bytes;
    for (size_t i = 0, begin = 0; i < job->files; begin = job->ends[i++])
        put_bytes(names[i], in + begin * bytes, (job->ends[i] - begin) * bytes);
    for (size_t i = job->files; i < JOB_FILES; i++)
        unlink(names[i]);
}

bool job_is_wanted(const struct simulated_job *job)
{
    if (job->verb == JOB_CHECK)
        return true;
    size_t bytes = job->has_writer ? received : get_bytes(job_output(job), got, sizeof got);
    return bytes == job->wanted_bytes && memcmp(got, want, bytes) == 0;
}

bool job_has_first_input(const struct simulated_job *job)
{
    const size_t bytes = job->ends[0] * job->model.bytes;
    return get_bytes("in", got, sizeof got) == bytes && memcmp(got, in, bytes) == 0;
}
