/* simulated_job.c: draws jobs, models them, and runs them with the library. */
#include "simulation/simulated_job.h"

#include "simulation/simulation.h"

#include <zstd.h>

static const char *const names[JOB_FILES] = {"in", "in1", "in2", "in3", "in4"};
static const char *const parts[] = {"out1", "out2", "out3", "out4"};
static const char *const sets[] = {"true", "union", "intersect", "except", "semi", "anti"};
static const char *const keeps[] = {"first", "last", "singles", "dups", "repeated"};
enum keep { FIRST, LAST, SINGLES, DUPS, REPEATED };

static uint8_t in[JOB_MOST_BYTES], kept[JOB_MOST_BYTES], sorted[JOB_MOST_BYTES];
static uint8_t want[JOB_MOST_BYTES + 8 * JOB_MOST + 8], got[JOB_MOST_BYTES + 8 * JOB_MOST + 1];
static uint8_t packed[ZSTD_COMPRESSBOUND(sizeof got)];
static uint8_t values[8 * JOB_MOST], want_values[8 * JOB_MOST];
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

static const char *input_name(const struct simulated_job *job, size_t i)
{
    return i == 0 && job->has_pipe ? "-" : names[i];
}

const char *job_text(const struct simulated_job *job)
{
    static char text[JOB_OPTIONS * 96];
    size_t length = (size_t)sprintf(text, "gsort%s", job->verb == JOB_CHECK ? " --check" : "");
    for (uint32_t i = 0; i < job->option_count; i++)
        length += (size_t)sprintf(text + length, " --%s='%s'", job->options[i].name,
                                  job->options[i].value);
    for (size_t i = 0; i < job->files; i++)
        length += (size_t)sprintf(text + length, " %s", input_name(job, i));
    sprintf(text + length, " (%zu elements of %u bytes%s%s%s)", job->n, job->model.bytes,
            job->has_packed_inputs ? ", compressed" : "", job->has_reader ? ", by a reader" : "",
            job->has_writer ? ", to a writer" : "");
    return text;
}

/* The name as --output has it. */
static const char *asked_output(const struct simulated_job *job)
{
    return job->parts > 0 ? "out%d" : job->is_npy ? "out.npy" : job->is_in_place ? "in" : "out";
}

const char *job_output(const struct simulated_job *job, uint32_t i)
{
    if (job->verb == JOB_CHECK || job->has_writer)
        return NULL;
    if (i < job->parts)
        return parts[i];
    if (i == 0)
        return asked_output(job);
    return i == 1 && job->has_values ? "w" : NULL;
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

/* Puts the first input into a pipe that replaces the standard input. */
static int stdin_before = -1;

static void fill_pipe(void)
{
    int ends[2];
    size_t bytes = get_bytes("in", got, sizeof got);
    stdin_before = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_true(fcntl(ends[1], F_SETPIPE_SZ, 1 << 20) >= (int)bytes);
    assert_int_equal(write(ends[1], got, bytes), bytes);
    assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    close(ends[0]);
    close(ends[1]);
}

void job_end(const struct simulated_job *job)
{
    if (!job->has_pipe)
        return;
    assert_int_equal(dup2(stdin_before, STDIN_FILENO), STDIN_FILENO);
    close(stdin_before);
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
            gs_job_add(asked, "input", input_name(job, i));
    if (job->has_writer)
        gs_job_set_writer(asked, "out", &(struct gs_writer){.write = receive});
    else if (job->verb != JOB_CHECK)
        gs_job_set(asked, "output", asked_output(job));
    if (job->has_pipe)
        fill_pipe();
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

static bool is_in_key(const struct record_model *model, uint32_t off)
{
    for (uint32_t i = 0; i < model->key_count; i++)
        if (off >= model->keys[i].off && off < model->keys[i].off + model->keys[i].bytes)
            return true;
    return model->key_count == 0;
}

/* Chooses a byte that is in no key, so that its sums do not change the order. */
static void choose_sum(struct simulated_job *job, struct test_random *random)
{
    if (!job->is_record || job->has_counts || job->keep > LAST || job->resumes)
        return;
    uint32_t off = (uint32_t)test_below(random, job->model.bytes);
    while (off < job->model.bytes && is_in_key(&job->model, off))
        off++;
    if (off == job->model.bytes || test_below(random, 4) == 0)
        return;
    job->has_sum = true;
    job->sum_off = off;
    option(job, "sum", "%u:uint8:wide", off);
}

static void choose_groups(struct simulated_job *job, struct test_random *random)
{
    job->is_unique = true;
    job->has_counts = test_below(random, 2) == 0;
    job->keep = (uint32_t)test_below(random, job->has_counts ? REPEATED : REPEATED + 1);
    option(job, "unique", "true");
    option(job, "keep", "%s", keeps[job->keep]);
    choose_sum(job, random);
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
    if (job->verb == JOB_MERGE) {
        job->set = job->is_unique || test_below(random, 2) == 0
                       ? JOB_ALL
                       : (enum job_set)test_below(random, 6);
        option(job, "merge", "%s", sets[job->set]);
    }
    if (job->verb == JOB_ARGSORT) {
        job->index_bytes = test_below(random, 2) == 0 ? 4 : 8;
        option(job, "argsort", "%s", job->index_bytes == 4 ? "u32" : "u64");
    }
    if (job->is_record && job->verb != JOB_ARGSORT && !job->has_sum && job->set == JOB_ALL &&
        test_below(random, 3) == 0) {
        job->model.has_ties_by_bytes = true;
        option(job, "ties", "bytes");
    }
    if (job->is_record && job->verb != JOB_CHECK && !job->resumes && job->set == JOB_ALL &&
        test_below(random, 4) == 0) {
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

/* Sets little memory and small buffers, so that runs are spilled and merged in several passes. */
static void choose_way(struct simulated_job *job, struct test_random *random)
{
    static const char *const codecs[] = {"auto", "none", "deltas", "zstd"};
    option(job, "device", "cpu");
    const unsigned least = job->is_packed || job->has_packed_inputs ? 48 : 16;
    option(job, "memory", "%uM", least + (unsigned)test_below(random, 20));
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

static bool has_numpy_type(const struct simulated_job *job)
{
    static const char *const none[] = {"u128", "i128", "bf16", "time64"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        if (strcmp(job->model.keys[0].type, none[i]) == 0)
            return false;
    bool is_known = job->verb != JOB_MERGE || (!job->has_pipe && !job->has_reader);
    return is_known && !job->is_record && !job->has_counts && job->verb != JOB_ARGSORT;
}

/* Pipes, compressed files, arrays of NumPy, splits and companion files. */
static void choose_files(struct simulated_job *job, struct test_random *random)
{
    bool is_sort = job->verb == JOB_SORT && !job->has_where && !job->is_in_place;
    bool is_file = job->verb != JOB_CHECK && !job->has_writer && !job->is_in_place;
    job->has_pipe = !job->has_reader && !job->is_in_place && test_below(random, 6) == 0;
    job->has_packed_inputs =
        job->verb != JOB_MERGE && !job->is_in_place && test_below(random, 6) == 0;
    uint64_t dice = test_below(random, 12);
    if (is_file && dice == 0) {
        job->is_packed = true;
        option(job, "zstd", "%u", 1 + (unsigned)test_below(random, 3));
    } else if (is_file && dice <= 3 && has_numpy_type(job)) {
        job->is_npy = true;
    } else if (is_file && is_sort && dice <= 5) {
        job->parts = 2 + (uint32_t)test_below(random, 3);
        option(job, "split", "%u", job->parts);
    } else if (is_file && is_sort && dice <= 8 && !job->verifies && !job->has_reader) {
        job->has_values = true;
        job->has_pipe = job->has_packed_inputs = false;
        job->value_bytes = 1 + (uint32_t)test_below(random, 8);
        option(job, "values", "v:%u=w", job->value_bytes);
    }
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

/* Returns how many elements of a group of `count` stay, and the first of them. */
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
        uint64_t count = end - i, sum = 0;
        for (size_t k = i; k < end; k++)
            sum += sorted[k * bytes + job->sum_off];
        size_t put = kept_of(job, count, &from);
        for (size_t k = 0; k < put && (!job->has_top || taken < job->top); k++, taken++) {
            memcpy(want + length, sorted + (i + from + k) * bytes, bytes);
            memcpy(want + length + bytes, job->has_sum ? &sum : &count, 8);
            length += bytes + (job->has_counts || job->has_sum ? 8 : 0);
        }
    }
    return length;
}

/* How many of `counts` elements of file `i` with the same key a set operation keeps, from which on
 * (merge/set_filter.h). */
static size_t kept_of_set(const struct simulated_job *job, const size_t counts[], size_t i,
                          size_t *from)
{
    size_t most = 0, least = counts[0], others = 0;
    for (size_t k = 0; k < i; k++)
        most = counts[k] > most ? counts[k] : most;
    for (size_t k = 1; k < job->files; k++) {
        least = counts[k] < least ? counts[k] : least;
        others += counts[k];
    }
    size_t kept_count = job->set == JOB_UNION       ? (counts[i] > most ? counts[i] - most : 0)
                        : i > 0                     ? 0
                        : job->set == JOB_INTERSECT ? least
                        : job->set == JOB_EXCEPT    ? (counts[0] > others ? counts[0] - others : 0)
                        : (job->set == JOB_SEMI) == (others > 0) ? counts[0]
                                                                 : 0;
    *from = job->set == JOB_INTERSECT ? 0 : counts[i] - kept_count;
    return kept_count;
}

/* Into `sorted`; returns how many. */
static size_t expect_set(const struct simulated_job *job)
{
    const uint32_t bytes = job->model.bytes;
    size_t at[JOB_FILES] = {0}, counts[JOB_FILES], n = 0, from;
    for (size_t i = 1; i < job->files; i++)
        at[i] = job->ends[i - 1];
    for (;;) {
        const uint8_t *least = NULL;
        for (size_t i = 0; i < job->files; i++)
            if (at[i] < job->ends[i] &&
                (least == NULL || record_model_place(&job->model, in + at[i] * bytes, least) < 0))
                least = in + at[i] * bytes;
        if (least == NULL)
            return n;
        for (size_t i = 0; i < job->files; i++)
            for (counts[i] = 0;
                 at[i] + counts[i] < job->ends[i] &&
                 record_model_place(&job->model, in + (at[i] + counts[i]) * bytes, least) == 0;
                 counts[i]++) {
            }
        for (size_t i = 0; i < job->files; at[i] += counts[i], i++) {
            size_t count = kept_of_set(job, counts, i, &from);
            memcpy(sorted + n * bytes, in + (at[i] + from) * bytes, count * bytes);
            n += count;
        }
    }
}

static void expect_values(const struct simulated_job *job, size_t n)
{
    uint32_t *order = record_model_order(&job->model, kept, n);
    for (size_t i = 0; i < n; i++)
        memcpy(want_values + i * job->value_bytes, values + order[i] * job->value_bytes,
               job->value_bytes);
    free(order);
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
    job->counted = n;
    if (job->verb == JOB_CHECK) {
        job->wanted = is_in_order(job) ? GS_OK : GS_E_DISORDER;
        return;
    }
    if (job->verb == JOB_ARGSORT) {
        job->wanted_bytes = expect_positions(job, n);
        return;
    }
    if (job->has_values)
        expect_values(job, n);
    record_model_sort(&job->model, kept, sorted, n);
    const size_t merged = job->set != JOB_ALL ? expect_set(job) : n;
    if (job->is_unique) {
        job->wanted_bytes = expect_groups(job, n);
        return;
    }
    job->wanted_bytes = (job->has_top && job->top < merged ? job->top : merged) * job->model.bytes;
    memcpy(want, sorted, job->wanted_bytes);
}

/* ---- a job ---- */

void job_make(struct simulated_job *job, uint64_t number, enum job_range range)
{
    struct test_random random = test_random_make(number << 32);
    *job = (struct simulated_job){.number = number, .resumes = range == JOB_RESUMES};
    job->verb = job->resumes ? JOB_SORT : (enum job_verb)test_below(&random, JOB_VERB_COUNT);
    make_elements(job, &random);
    choose_features(job, &random);
    make_data(job, &random);
    cut_files(job, &random);
    choose_top(job, &random);
    choose_ends(job, &random);
    if (range == JOB_ANY)
        choose_files(job, &random);
    choose_way(job, &random);
    for (size_t i = 0; i < job->n * job->value_bytes; i++)
        values[i] = (uint8_t)test_next(&random);
    expect(job);
}

/* One frame, or one for each block. */
static void put_packed(const char *name, const uint8_t *data, size_t bytes, size_t block)
{
    size_t length = 0, at = 0;
    do {
        size_t step = bytes - at < block ? bytes - at : block;
        length += ZSTD_compress(packed + length, sizeof packed - length, data + at, step, 1);
        at += step;
    } while (at < bytes);
    put_bytes(name, packed, length);
}

void job_write_inputs(const struct simulated_job *job)
{
    static const char *const others[] = {"out",  "out.npy", "out1", "out2",
                                         "out3", "out4",    "v",    "w"};
    const uint32_t bytes = job->model.bytes;
    for (size_t i = 0, begin = 0; i < job->files; begin = job->ends[i++])
        if (job->has_packed_inputs)
            put_packed(names[i], in + begin * bytes, (job->ends[i] - begin) * bytes,
                       job->number % 2 == 0 ? JOB_MOST_BYTES : 70000);
        else
            put_bytes(names[i], in + begin * bytes, (job->ends[i] - begin) * bytes);
    for (size_t i = job->files; i < JOB_FILES; i++)
        unlink(names[i]);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        unlink(others[i]);
    if (job->has_values)
        put_bytes("v", values, job->n * job->value_bytes);
}

/* The sizes of files of a split differ by an element at most. */
static size_t get_parts(const struct simulated_job *job)
{
    size_t length = 0, least = job->n / job->parts * job->model.bytes;
    for (uint32_t i = 0; i < job->parts; i++) {
        size_t bytes = get_bytes(parts[i], got + length, sizeof got - length);
        if (bytes != least && bytes != least + job->model.bytes)
            return 0;
        length += bytes;
    }
    return length;
}

/* Checks type and length in the header of an .npy file, and removes it. 0: it is not such a
 * file. */
static size_t get_npy(const struct simulated_job *job)
{
    const struct record_key *key = &job->model.keys[0];
    const size_t most = get_bytes("out.npy", got, sizeof got), n = job->wanted_bytes / key->bytes;
    const char kind = strchr("uif", key->type[0]) != NULL ? key->type[0] : '?';
    char text[2][64];
    snprintf(text[0], sizeof text[0], "'descr': '%c%c%u'",
             key->bytes == 1      ? '|'
             : key->is_big_endian ? '>'
                                  : '<',
             kind, key->bytes);
    snprintf(text[1], sizeof text[1], "'shape': (%zu,)", n);
    size_t header = most < 10 ? SIZE_MAX : 10 + got[8] + ((size_t)got[9] << 8);
    if (header > most || memcmp(got, "\x93NUMPY", 6) != 0)
        return 0;
    for (int i = 0; i < 2; i++)
        if (memmem(got, header, text[i], strlen(text[i])) == NULL)
            return 0;
    memmove(got, got + header, most - header);
    return most - header;
}

static size_t get_output(const struct simulated_job *job)
{
    if (job->parts > 0)
        return get_parts(job);
    if (job->is_npy)
        return get_npy(job);
    if (!job->is_packed)
        return get_bytes(job_output(job, 0), got, sizeof got);
    return ZSTD_decompress(got, sizeof got, packed, get_bytes("out", packed, sizeof packed));
}

bool job_is_wanted(const struct simulated_job *job)
{
    if (job->verb == JOB_CHECK)
        return true;
    size_t bytes = job->has_writer ? received : get_output(job);
    bool is_same = bytes == job->wanted_bytes && memcmp(got, want, bytes) == 0;
    if (!job->has_values || !is_same)
        return is_same;
    bytes = get_bytes("w", got, sizeof got);
    return bytes == job->n * job->value_bytes && memcmp(got, want_values, bytes) == 0;
}

bool job_has_first_input(const struct simulated_job *job)
{
    const size_t bytes = job->ends[0] * job->model.bytes;
    return get_bytes("in", got, sizeof got) == bytes && memcmp(got, in, bytes) == 0;
}
