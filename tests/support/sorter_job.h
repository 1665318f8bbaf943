/* sorter_job.h: draws a random job for a sorter, and defines its model, and threads that push and
 * pull. */
#ifndef SUPPORT_SORTER_JOB_H
#define SUPPORT_SORTER_JOB_H

#include "option/options.h"
#include "support/record_model.h"
#include "support/scratch.h"

#include "support/struct_jobs.h"

#include <pthread.h>

#define MOST_BYTES ((size_t)4 << 20)
#define MOST_COUNT ((size_t)1 << 18) /* elements, which the model is slow to look at */
#define MIB        ((uint64_t)1 << 20)

static uint8_t in[MOST_BYTES], want[2 * MOST_BYTES], got[2 * MOST_BYTES];

/* The most seconds of one test, with what a sanitizer adds. A test that waits for ever dies of
 * SIGALRM, before CTest ends the program without saying which test it was. */
#define WATCHDOG_SECONDS 400

static inline int sorter_setup(void **state)
{
    alarm(WATCHDOG_SECONDS);
    return scratch_setup(state);
}

static inline int sorter_teardown(void **state)
{
    alarm(0);
    return scratch_teardown(state);
}

/* The elements, how they are sorted, and the output. */
struct job {
    struct record_model model; /* of records */
    const char *type;          /* NULL: records */
    size_t width, n;
    struct gsi_options options;
};

static inline void job_make(struct job *job, struct test_random *random)
{
    *job = (struct job){.width = 0};
    bool is_record = test_below(random, 2) == 0;
    record_model_make(&job->model, random, 2 + (uint32_t)test_below(random, 90));
    job->type = is_record ? NULL : model_types[test_below(random, MODEL_TYPE_COUNT)];
    job->width = is_record ? job->model.bytes : model_bytes(job->type);
    size_t most = test_is_small() ? MOST_COUNT / 4 : MOST_COUNT;
    most = most < MOST_BYTES / job->width ? most : MOST_BYTES / job->width;
    job->n = test_below(random, 8) == 0 ? test_below(random, 4) : test_below(random, most);
    job->options = (struct gsi_options){
        .type = job->type,
        .reverse = is_record ? job->model.is_reversed : test_below(random, 2) == 0,
        .record_bytes = is_record ? job->model.bytes : 0,
        .keys = is_record ? job->model.texts : NULL,
        .key_count = is_record ? job->model.key_count : 0,
        .device = GSI_DEVICE_CPU,
        .io = test_below(random, 2) == 0 ? GSI_IO_AUTO : GSI_IO_THREADS,
        .spill_all = test_below(random, 3) == 0,
        .memory_bytes = (14 + test_below(random, 20)) * MIB};
    if (is_record)
        record_fill(random, (enum record_shape)test_below(random, RECORD_SHAPE_COUNT), in, job->n,
                    job->model.bytes);
    else
        model_fill(random, (enum model_shape)test_below(random, MODEL_SHAPE_COUNT), job->type, in,
                   job->n);
}

static inline int compare(const struct job *job, const uint8_t *a, const uint8_t *b)
{
    if (job->type == NULL)
        return record_model_compare(&job->model, a, b);
    int order = model_compare_of(job->type)(a, b);
    return job->options.reverse ? -order : order;
}

static inline void model_job(const struct job *job)
{
    memcpy(want, in, job->n * job->width);
    if (job->type == NULL)
        record_model_sort(&job->model, in, want, job->n);
    else
        model_sort(job->type, job->options.reverse, want, job->n);
}

static inline gs_sorter *open_sorter(const struct gsi_options *options)
{
    gs_sorter *sorter;
    struct gs_error error;
    if (open_struct_sorter(options, &sorter, &error) != GS_OK)
        test_fail("%s", error.text);
    return sorter;
}

static inline void must(enum gs_status status, const struct gs_error *error)
{
    if (status != GS_OK)
        test_fail("%s", error->text);
}

/* ---- in ---- */

/* A random number of whole elements of what is left. */
static inline size_t some(struct test_random *random, const struct job *job, size_t left)
{
    size_t most = test_below(random, 3) == 0 ? left / job->width : 1 + 65536 / job->width;
    size_t bytes = (1 + test_below(random, most)) * job->width;
    return bytes < left ? bytes : left;
}

static inline void reserve_some(gs_sorter *sorter, struct test_random *random,
                                const struct job *job, const uint8_t *data, size_t *off,
                                size_t bytes)
{
    struct gs_error error;
    void *room;
    uint64_t got_bytes;
    must(gs_sorter_reserve(sorter, some(random, job, bytes - *off), &room, &got_bytes, &error),
         &error);
    assert_true(got_bytes > 0 && got_bytes % job->width == 0 && got_bytes <= bytes - *off);
    memcpy(room, data + *off, got_bytes);
    must(gs_sorter_commit(sorter, room, got_bytes, &error), &error);
    *off += got_bytes;
}

static inline void feed(gs_sorter *sorter, struct test_random *random, const struct job *job,
                        const uint8_t *data, size_t bytes)
{
    struct gs_error error;
    for (size_t off = 0; off < bytes;) {
        if (test_below(random, 2) == 0) {
            reserve_some(sorter, random, job, data, &off, bytes);
            continue;
        }
        size_t piece = some(random, job, bytes - off);
        must(gs_sorter_push(sorter, data + off, piece, &error), &error);
        off += piece;
    }
}

/* ---- out ---- */

static inline size_t pull_all(gs_sorter *sorter, size_t entry)
{
    struct gs_error error;
    const void *data;
    uint64_t bytes;
    size_t off = 0;
    for (;;) {
        must(gs_sorter_pull(sorter, &data, &bytes, &error), &error);
        if (bytes == 0)
            return off;
        assert_int_equal(bytes % entry, 0);
        assert_true(bytes <= sizeof got - off);
        memcpy(got + off, data, bytes);
        off += bytes;
    }
}

#endif
