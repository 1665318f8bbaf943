/* statistics.c: computes statistics without sorting (--stats-only), and checks the order (--check).
 *
 *   scan of the inputs: (check_counts) -> device: tally, (digest) -> (digests joined) */
#include "base/checked.h"
#include "element/record/record.h"
#include "input/scan.h"
#include "job/job_report.h"
#include "job/strategy/check_counts.h"
#include "job/strategy/strategy.h"

#include <string.h>

struct reducer {
    struct gsi_job *job;
    struct gsi_stream_check check;
    struct gsi_check_counts counts;
};

/* Finds the input that contains an element of the whole stream. */
static size_t locate(const struct gsi_job *job, uint64_t *element_idx)
{
    size_t file = 0;
    uint64_t off = *element_idx * job->loop.layout->element_bytes;
    while (file + 1 < job->inputs.count && off >= job->inputs.table[file].bytes)
        off -= job->inputs.table[file++].bytes;
    *element_idx = (off + job->inputs.table[file].passed_bytes) / job->loop.layout->element_bytes;
    return file;
}

/* The value of a number in a record; of bytes, the first 16. */
static void copy_value(const struct gsi_field *field, const uint8_t *element, uint8_t value[16])
{
    memset(value, 0, 16);
    if (field->type != NULL)
        gsi_field_number(field, element, value);
    else
        memcpy(value, element + field->off, gsi_min_u64(field->bytes, 16));
}

/* The first key by which two records differ, of bytes what begins with the first that differs; the
 * first key if none differs. */
static void describe_records(const struct reducer *reducer)
{
    const struct gsi_layout *layout = reducer->job->loop.layout;
    const struct gsi_record *record = layout->record;
    const uint8_t *before = reducer->check.before, *after = reducer->check.after;
    struct gs_report *report = reducer->job->report;
    uint8_t words[2][16];
    if (layout->form == GSI_FORM_KEYS) { /* buffers had their sort keys */
        gsi_key_to_element(layout, reducer->check.digest.before_key, words[0]);
        gsi_key_to_element(layout, reducer->check.digest.after_key, words[1]);
        before = words[0];
        after = words[1];
    }
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
    copy_value(&key, before, report->disorder.before);
    copy_value(&key, after, report->disorder.after);
}

static enum gs_status report_disorder(const struct reducer *reducer)
{
    struct gsi_job *job = reducer->job;
    const struct gsi_digest *digest = &reducer->check.digest;
    uint64_t element_idx = digest->disorder_idx;
    job->report->disorder.index = job->report->range.first + digest->disorder_idx;
    size_t file = locate(job, &element_idx);
    job->report->disorder.file_idx = file;
    job->report->disorder.file_element_idx = element_idx;
    if (!gsi_layout_is_native(job->loop.layout)) {
        describe_records(reducer);
    } else {
        gsi_key_to_element(job->loop.layout, digest->before_key, job->report->disorder.before);
        gsi_key_to_element(job->loop.layout, digest->after_key, job->report->disorder.after);
    }
    return gsi_fail(job->loop.error, GS_E_DISORDER, 0,
                    "disorder"); /* report/number.h: gsi_disorder_tell */
}

/* ---- all elements ---- */

static bool has_disorder(const struct reducer *reducer)
{
    return reducer->check.digest.disorder_idx != UINT64_MAX;
}

/* The first disorder is all that was asked for, unless there will be a report, which is of
 * everything. */
static bool has_enough(const struct reducer *reducer)
{
    return has_disorder(reducer) && !reducer->job->options->check_counts;
}

static void count(void *context, struct gsi_buffer *buffer, void *partial, uint32_t worker_idx)
{
    (void)worker_idx;
    const struct reducer *reducer = context;
    gsi_check_counts_add(&reducer->counts, buffer, partial);
}

static bool join(void *context, struct gsi_buffer *buffer, void *partial)
{
    struct reducer *reducer = context;
    if (reducer->counts.is_wanted)
        gsi_check_counts_join(&reducer->counts, &reducer->check, buffer, partial);
    else
        gsi_stream_check_join(&reducer->check, buffer);
    if (has_enough(reducer)) /* the loop finds it */
        (void)report_disorder(reducer);
    return true;
}

static enum gs_status reduce_all(struct reducer *reducer)
{
    struct gsi_job *job = reducer->job;
    bool is_ordered = job->options->action == GS_CHECK;
    GSI_TRY(gsi_stream_check_init(&reducer->check, job->loop.layout, &job->loop.ledger,
                                  job->loop.error));
    GSI_TRY(gsi_check_counts_open(&reducer->counts, job));
    const struct gsi_scan scan = {
        .context = reducer,
        .device = is_ordered ? GSI_SCAN_DIGESTS : GSI_SCAN_COUNTS,
        .partial_bytes = reducer->counts.is_wanted ? sizeof(struct gsi_check_partial) : 0,
        .run = reducer->counts.is_wanted ? count : NULL,
        .join = is_ordered ? join : NULL};
    GSI_TRY(gsi_scan_run(&scan, &job->inputs, &job->arena.chunks));
    GSI_TRY(job->loop.device->ops->tally(job->loop.device, &job->report->tally, job->loop.error));
    GSI_TRY(gsi_inputs_verify(&job->inputs, &job->report->tally));
    gsi_check_counts_report(&reducer->counts, &job->report->check);
    return has_disorder(reducer) ? report_disorder(reducer) : GS_OK;
}

enum gs_status gsi_statistics(struct gsi_job *job)
{
    struct reducer reducer = {.job = job};
    gsi_loop_begin_phase(&job->loop, GS_PHASE_READ, job->inputs.bytes);
    enum gs_status status = reduce_all(&reducer);
    gsi_check_counts_close(&reducer.counts);
    gsi_stream_check_clear(&reducer.check);
    return status;
}
