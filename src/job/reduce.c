/* reduce.c: aggregates without sorting (--stats-only), and the check of order (--check).
 *
 *   buffers free -> source -> (check_counts) -> device reduce -> (check: imprints joined) -> free
 *
 * Imprints are joined in input order. */
#include "base/checked.h"
#include "base/report.h"
#include "element/record/record.h"
#include "input/source.h"
#include "job/check_counts.h"
#include "loop/reorder.h"

#include <string.h>

struct reducer {
    struct gsi_job *job;
    struct gsi_source source;
    bool is_ordered;
    uint64_t sent_count;
    struct gsi_reorder reorder; /* of those reduced */
    struct gsi_stream_check check;
    struct gsi_check_counts counts;
};

/* Imprints are joined in the order of the input, whichever thread was first. */
static void take_event(void *context, const struct gsi_event *event)
{
    struct reducer *reducer = context;
    struct gsi_buffer *buffer = event->buffer;
    gsi_reorder_add(&reducer->reorder, buffer);
    while ((buffer = gsi_reorder_take(&reducer->reorder)) != NULL) {
        if (reducer->counts.is_wanted)
            gsi_check_counts_join(&reducer->counts, &reducer->check, buffer);
        else if (reducer->is_ordered)
            gsi_stream_check_join(&reducer->check, buffer);
        gsi_buffers_give(&reducer->job->arena.chunks, buffer);
    }
}

static bool has_disorder(const struct reducer *reducer)
{
    return reducer->check.imprint.disorder_idx != UINT64_MAX;
}

/* The first disorder is all that was asked for, unless there will be a report, which is of everything. */
static bool has_enough(const struct reducer *reducer)
{
    return has_disorder(reducer) && !reducer->job->options->check_counts;
}

static bool pump(void *context)
{
    struct reducer *reducer = context;
    struct gsi_job *job = reducer->job;
    struct gsi_buffer *buffer;
    if (has_enough(reducer))
        return false;
    bool has_moved = gsi_source_refill(&reducer->source, &job->arena.chunks);
    while ((buffer = gsi_source_next_filled(&reducer->source, &job->arena.chunks)) != NULL) {
        has_moved = true;
        buffer->turn_idx = reducer->sent_count++;
        if (reducer->counts.is_wanted)
            gsi_check_counts_start(&reducer->counts, buffer);
        else
            job->loop.device->ops->reduce(job->loop.device, buffer, reducer->is_ordered);
    }
    while ((buffer = gsi_check_counts_next(&reducer->counts)) != NULL) {
        has_moved = true;
        job->loop.device->ops->reduce(job->loop.device, buffer, reducer->is_ordered);
    }
    return has_moved;
}

static bool is_done(const void *context)
{
    const struct reducer *reducer = context;
    return has_enough(reducer) ||
           (gsi_source_is_end(&reducer->source) && reducer->reorder.next == reducer->sent_count);
}

/* Where in the inputs an element of the whole stream is. */
static size_t locate(const struct gsi_job *job, uint64_t *element_idx)
{
    size_t file = 0;
    uint64_t off = *element_idx * job->loop.layout->element_bytes;
    while (file + 1 < job->inputs.count && off >= job->inputs.table[file].bytes)
        off -= job->inputs.table[file++].bytes;
    *element_idx = (off + job->inputs.table[file].passed_bytes) / job->loop.layout->element_bytes;
    return file;
}

/* The first key by which two records differ, of bytes what begins with the first that differs; the
 * first key if none differs. */
static void describe_records(const struct reducer *reducer)
{
    const struct gsi_record *record = reducer->job->loop.layout->record;
    const uint8_t *before = reducer->check.before, *after = reducer->check.after;
    struct gs_report *report = reducer->job->report;
    struct gsi_field key = {.bytes = record->bytes, .text = "record"};
    if (record->key_count > 0)
        key = record->keys[0];
    for (uint32_t i = 0; i < record->key_count; i++)
        if (memcmp(before + record->keys[i].off, after + record->keys[i].off,
                   record->keys[i].bytes) != 0) {
            key = record->keys[i];
            break;
        }
    bool is_differing = memcmp(before + key.off, after + key.off, key.bytes) != 0;
    for (; is_differing && key.type == NULL && before[key.off] == after[key.off]; key.bytes--)
        key.off++;
    report->disorder.key = gsi_field_describe(&key);
    gsi_field_value(&key, before, report->disorder.before);
    gsi_field_value(&key, after, report->disorder.after);
}

static enum gs_status report_disorder(const struct reducer *reducer)
{
    struct gsi_job *job = reducer->job;
    const struct gsi_imprint *imprint = &reducer->check.imprint;
    uint64_t element_idx = imprint->disorder_idx;
    job->report->disorder.index = job->report->range_first + imprint->disorder_idx;
    size_t file = locate(job, &element_idx);
    job->report->disorder.file_idx = file;
    job->report->disorder.file_element_idx = element_idx;
    if (job->loop.layout->record != NULL) {
        describe_records(reducer);
    } else {
        gsi_key_to_element(job->loop.layout, imprint->before_key, job->report->disorder.before);
        gsi_key_to_element(job->loop.layout, imprint->after_key, job->report->disorder.after);
    }
    return gsi_fail(job->loop.error, GS_E_DISORDER, 0, "'%s': disorder at element %llu",
                    job->inputs.table[file].name, (unsigned long long)element_idx);
}

enum gs_status gsi_reduce(struct gsi_job *job)
{
    enum gs_status status = GS_OK;
    struct reducer reducer = {.job = job, .is_ordered = job->options->action == GS_CHECK};
    const struct gsi_stage stage = {
        .context = &reducer, .take = take_event, .pump = pump, .is_done = is_done};
    gsi_loop_phase(&job->loop, GS_PHASE_READ, job->inputs.bytes);
    GSI_TRY_OR(
        gsi_stream_check_init(&reducer.check, job->loop.layout, &job->loop.ledger, job->loop.error),
        done);
    GSI_TRY_OR(gsi_check_counts_open(&reducer.counts, job), done);
    GSI_TRY_OR(gsi_source_init(&reducer.source, &job->inputs), done);
    GSI_TRY_OR(gsi_loop_run(&job->loop, &stage, 1), done);
    if (!has_enough(&reducer)) { /* all was read */
        GSI_TRY_OR(
            job->loop.device->ops->tally(job->loop.device, &job->report->tally, job->loop.error),
            done);
        GSI_TRY_OR(gsi_inputs_verify(&job->inputs, &job->report->tally), done);
        gsi_check_counts_report(&reducer.counts, job->report);
    }
    if (has_disorder(&reducer))
        GSI_TRY_OR(report_disorder(&reducer), done);
done:
    if (status != GS_OK)
        gsi_loop_drain(&job->loop);
    gsi_source_clear(&reducer.source);
    gsi_check_counts_close(&reducer.counts);
    gsi_stream_check_clear(&reducer.check);
    return status;
}
