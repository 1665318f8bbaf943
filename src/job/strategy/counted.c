/* counted.c: sorts numbers of 1 and 2 bytes by counting their values: read once, written once, in
 * little memory.
 *
 *   scan: counts, on threads -> [ counts ] -> filler of windows (output/delivery.h)
 *
 * Elements that are read and elements that are written are added up separately from the counts. */
#include "base/checked.h"
#include "element/record/record.h"
#include "element/record/record_tally.h"
#include "element/value_counts.h"
#include "input/scan.h"
#include "job/job_report.h"
#include "job/permute/permute.h"
#include "job/spec/spec.h"
#include "job/strategy/strategy.h"
#include "merge/merger.h"
#include "output/delivery.h"
#include "resume/resume.h"

#include <string.h>

/* The counters of a thread, in cache lines of their own. */
struct counter {
    struct gsi_value_sums read, made;
    uint64_t *tables;
    uint8_t apart[64];
};

struct counted {
    struct gsi_job *job;
    uint32_t bytes, values_count, thread_count;
    struct counter *counters; /* of each thread */
    uint64_t *tables; /* of all threads; then of the first: the counts, and where they end */
    uint64_t *ends;
    uint16_t *values;
    uint8_t *elements; /* two bytes for each value */
    struct gsi_bump bump;
    uint64_t wanted; /* elements of the output */
    /* With --resume, the output is a run, of which a mark says how much is written. */
    struct gsi_run_list list;
    struct gsi_merger_spec marked;
    struct gsi_delivery delivery;
};

bool gsi_counted_is(const struct gsi_job *job, const struct gsi_budget *budget)
{
    const struct gsi_options *options = job->options;
    const struct gsi_record *record = job->chosen.layout.record;
    if (gsi_permute_is(job) || job->inputs.entry_map != NULL || record->bytes > 2 ||
        record->key_count != 1 || record->keys[0].number == NULL ||
        record->keys[0].bytes != record->bytes)
        return false;
    for (uint32_t i = 0; i < record->field_count; i++)
        if (!gsi_field_is_same(&record->fields[i], &record->keys[0]))
            return false;
    bool is_sort = options->action == GS_SORT || options->action == GS_EXPLAIN;
    return is_sort && !gsi_spec_is_split(options) && !options->merge && !options->unique &&
           !options->spill_all && !gsi_resume_snapshot(job->resume)->has_runs &&
           budget->chunk_bytes == 0;
}

static void lay_out(struct counted *counted, uint32_t bytes, uint32_t thread_count,
                    struct gsi_bump *bump)
{
    const uint32_t values = gsi_value_count(bytes);
    counted->values_count = values;
    GSI_BUMP_ALLOC(bump, counted->tables,
                   (uint64_t)thread_count * gsi_value_tables(bytes) * values);
    GSI_BUMP_ALLOC(bump, counted->counters, thread_count);
    GSI_BUMP_ALLOC(bump, counted->ends, values);
    GSI_BUMP_ALLOC(bump, counted->values, values);
    counted->elements = gsi_bump_alloc(bump, values, 2, 1);
}

struct gsi_bump gsi_counted_plan(const struct gsi_job *job, const struct gsi_budget *budget)
{
    struct counted counted;
    struct gsi_bump bump = {0};
    if (gsi_counted_is(job, budget))
        lay_out(&counted, job->chosen.record.bytes, budget->thread_count, &bump);
    return bump;
}

/* ---- reading ---- */

static void count_buffer(void *context, struct gsi_buffer *buffer, void *partial,
                         uint32_t worker_idx)
{
    (void)partial; /* a thread counts into its own table */
    const struct counted *counted = context;
    struct counter *counter = &counted->counters[worker_idx];
    gsi_values_add(counter->tables, counted->bytes, buffer->data, buffer->bytes / counted->bytes);
    gsi_values_sum(&counter->read, counted->bytes, buffer->data, buffer->bytes / counted->bytes);
}

static void join_sums(struct gsi_value_sums *sums, const struct gsi_value_sums *more)
{
    sums->sum += more->sum;
    sums->squares += more->squares;
}

/* All tables into the first one. */
static void join_counts(struct counted *counted)
{
    uint32_t tables = counted->thread_count * gsi_value_tables(counted->bytes);
    for (uint32_t t = 1; t < tables; t++)
        for (uint32_t v = 0; v < counted->values_count; v++)
            counted->tables[v] += counted->tables[(size_t)t * counted->values_count + v];
}

/* Statistics of what the counts have. */
static enum gs_status tally_counts(const struct counted *counted, struct gsi_resume *resume,
                                   struct gsi_tally_report *result, struct gsi_tally_report *fields)
{
    struct gsi_job *job = counted->job;
    const struct gsi_layout *layout = job->loop.layout;
    struct gsi_bump bump = {0};
    gsi_record_tally_alloc(layout, &bump);
    gsi_record_tally_alloc(layout, &bump);
    GSI_TRY(gsi_bump_open(&bump, NULL, GSI_MEMORY_TABLES, job->loop.error));
    struct gsi_record_tally *tally = gsi_record_tally_alloc(layout, &bump);
    struct gsi_record_tally *scratch = gsi_record_tally_alloc(layout, &bump);
    gsi_values_tally(layout, counted->tables, tally, scratch, counted->elements);
    *result = gsi_record_tally_finish(tally, fields);
    gsi_resume_add_tally(resume, tally);
    gsi_bump_close(&bump, NULL, GSI_MEMORY_TABLES);
    return GS_OK;
}

static enum gs_status read_all(struct counted *counted)
{
    struct gsi_job *job = counted->job;
    const struct gsi_scan scan = {.context = counted, .run = count_buffer};
    struct gsi_value_sums sums = {0};
    bool is_there;
    GSI_TRY(gsi_resume_restore_counts(job->resume, counted->tables, counted->values_count,
                                      &counted->counters[0].read, &is_there));
    gsi_loop_begin_phase(&job->loop, GS_PHASE_READ, is_there ? 0 : job->inputs.bytes);
    if (!is_there) {
        GSI_TRY(gsi_scan_run(&scan, &job->inputs, &job->arena.chunks));
        join_counts(counted);
        for (uint32_t t = 0; t < counted->thread_count; t++)
            join_sums(&sums, &counted->counters[t].read);
        GSI_TRY(
            gsi_resume_append_counts(job->resume, counted->tables, counted->values_count, &sums));
    }
    GSI_TRY(tally_counts(counted, job->resume, &job->report->tally, job->report->field_tallies));
    return gsi_inputs_verify(&job->inputs, &job->report->tally);
}

/* ---- writing ---- */

static void fill(void *context, struct gsi_buffer *window, uint64_t first, uint32_t worker_idx)
{
    const struct counted *counted = context;
    struct gsi_value_sums sums = {0};
    size_t n = gsi_min_u64(window->capacity / counted->bytes, counted->wanted - first);
    gsi_values_fill(counted->bytes, counted->values, counted->ends, first, n, window->data);
    gsi_values_sum(&sums, counted->bytes, window->data, n);
    join_sums(&counted->counters[worker_idx].made, &sums);
    window->digest.fingerprint[0] = sums.sum;
    window->digest.fingerprint[1] = sums.squares;
    window->bytes = n * counted->bytes;
}

/* ---- marks of --resume: their digest is the sums of what was made ---- */

static enum gs_status begin_marked(void *context, uint64_t *first)
{
    struct counted *counted = context;
    struct gsi_job *job = counted->job;
    struct gsi_stream_check *check = &counted->delivery.check;
    const struct gsi_run_entry entry = {.key_count = counted->wanted};
    if (job->resume == NULL)
        return GS_OK;
    counted->list.ledger = &job->loop.ledger;
    GSI_TRY(gsi_run_list_append(&counted->list, &entry, job->loop.error));
    GSI_TRY(gsi_stream_check_init(check, job->loop.layout, &job->loop.ledger, job->loop.error));
    GSI_TRY(
        gsi_resume_mark_output(job->resume, &counted->list, &counted->delivery, &counted->marked));
    *first = counted->marked.made_bytes / counted->bytes;
    const struct gsi_value_sums sums = {.sum = check->digest.fingerprint[0],
                                        .squares = check->digest.fingerprint[1]};
    join_sums(&counted->counters[0].made, &sums);
    return GS_OK;
}

static void pass_to_marks(void *context, struct gsi_buffer *window)
{
    struct counted *counted = context;
    struct gsi_stream_check *check = &counted->delivery.check;
    if (counted->job->resume == NULL)
        return;
    const uint64_t n = window->bytes / counted->bytes;
    check->digest.count += n;
    check->digest.fingerprint[0] += window->digest.fingerprint[0];
    check->digest.fingerprint[1] += window->digest.fingerprint[1];
    memcpy(check->last, window->data + window->bytes - counted->bytes, counted->bytes);
    counted->marked.taken[0] += n;
    counted->marked.cut.accept(counted->marked.cut.context, window);
}

/* Writes each value as often as it was counted, in order. */
static enum gs_status write_all(struct counted *counted)
{
    struct gsi_job *job = counted->job;
    uint64_t end = 0;
    counted->wanted = gsi_target_wanted_bytes(&job->target) / counted->bytes;
    gsi_values_order(job->loop.layout, counted->values);
    for (uint32_t v = 0; v < counted->values_count; v++)
        counted->ends[v] = end += counted->tables[counted->values[v]];
    const struct gsi_filler filler = {.context = counted,
                                      .fill = fill,
                                      .begin = begin_marked,
                                      .accept = pass_to_marks,
                                      .count = counted->wanted};
    return gsi_delivery_run_filler(&counted->delivery, &job->arena, &filler);
}

/* ---- the check ---- */

static void add_sums(struct gsi_value_sums *sums, uint64_t value, uint64_t count)
{
    sums->sum += count * value;
    sums->squares += count * value * value;
}

/* The counts have everything that was read, and the output what is wanted of the counts. */
static enum gs_status verify(const struct counted *counted)
{
    struct gsi_job *job = counted->job;
    struct gsi_value_sums read = {0}, made = {0}, all = {0}, first = {0};
    uint64_t begin = 0;
    for (uint32_t t = 0; t < counted->thread_count; t++) {
        join_sums(&read, &counted->counters[t].read);
        join_sums(&made, &counted->counters[t].made);
    }
    for (uint32_t v = 0; v < counted->values_count; v++) {
        uint64_t end = gsi_min_u64(counted->ends[v], counted->wanted);
        add_sums(&all, counted->values[v], counted->tables[counted->values[v]]);
        add_sums(&first, counted->values[v], end - begin);
        begin = end;
    }
    const uint64_t kept = gsi_inputs_kept_bytes(&job->inputs) / counted->bytes;
    bool is_whole = counted->ends[counted->values_count - 1] == kept && read.sum == all.sum &&
                    read.squares == all.squares && made.sum == first.sum &&
                    made.squares == first.squares && begin == counted->wanted &&
                    counted->delivery.sink.bytes == counted->wanted * counted->bytes;
    if (is_whole)
        return GS_OK;
    return gsi_fail(job->loop.error, GS_E_VERIFY, 0,
                    "'%s': the output does not match the input (sums differ); %s; check the memory "
                    "of this machine",
                    job->target.output.name, gsi_target_describe_left(&job->target));
}

static enum gs_status open_counted(struct counted *counted, struct gsi_job *job)
{
    struct gsi_bump *bump = &counted->bump;
    *counted = (struct counted){.job = job,
                                .bytes = job->loop.layout->element_bytes,
                                .thread_count = job->plan.sizes.thread_count,
                                .bump = job->plan.counted};
    GSI_TRY(gsi_bump_open(bump, &job->loop.ledger, GSI_MEMORY_TABLES, job->loop.error));
    lay_out(counted, counted->bytes, counted->thread_count, bump);
    const size_t tables = (size_t)gsi_value_tables(counted->bytes) * counted->values_count;
    for (uint32_t t = 0; t < counted->thread_count; t++)
        counted->counters[t].tables = counted->tables + t * tables;
    return gsi_delivery_open(&counted->delivery, &job->target, gsi_job_delivery_report(job), false);
}

static void close_counted(struct counted *counted)
{
    gsi_bump_close(&counted->bump, &counted->job->loop.ledger, GSI_MEMORY_TABLES);
    gsi_delivery_clear(&counted->delivery);
    gsi_run_list_clear(&counted->list);
}

/* The digest of what is wanted of the counts, which are lost. */
static enum gs_status digest(struct counted *counted, struct gsi_digest *digest)
{
    struct gsi_tally_report tally, fields[GSI_FIELDS_MAX];
    uint64_t begin = 0;
    for (uint32_t v = 0; v < counted->values_count; v++) {
        uint64_t end = gsi_min_u64(counted->ends[v], counted->wanted);
        counted->tables[counted->values[v]] = end - begin;
        begin = end;
    }
    GSI_TRY(tally_counts(counted, NULL, &tally, fields));
    digest->count = tally.count;
    memcpy(digest->fingerprint, tally.fingerprint, sizeof digest->fingerprint);
    return GS_OK;
}

/* Tells the report the first and the last key that were written, as a sort without counts does. */
static void report_ends(const struct counted *counted)
{
    uint8_t first[2], last[2];
    if (counted->wanted == 0)
        return;
    gsi_values_fill(counted->bytes, counted->values, counted->ends, 0, 1, first);
    gsi_values_fill(counted->bytes, counted->values, counted->ends, counted->wanted - 1, 1, last);
    gsi_stream_check_tell_ends(counted->job->loop.layout, first, last, &counted->job->report->ends);
}

static enum gs_status count_and_write(struct counted *counted)
{
    struct gsi_digest written = GSI_DIGEST_EMPTY;
    GSI_TRY(read_all(counted));
    GSI_TRY(write_all(counted));
    GSI_TRY(verify(counted));
    report_ends(counted);
    if (counted->job->options->verify_read)
        GSI_TRY(digest(counted, &written));
    return gsi_job_commit(counted->job, &counted->delivery, &written);
}

enum gs_status gsi_counted(struct gsi_job *job)
{
    struct counted counted;
    enum gs_status status = open_counted(&counted, job);
    if (status == GS_OK)
        status = count_and_write(&counted);
    if (status != GS_OK)
        gsi_loop_drain(&job->loop);
    close_counted(&counted);
    return status;
}
