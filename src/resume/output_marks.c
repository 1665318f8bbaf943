/* output_marks.c: marks in the output. */
#include "resume/output_marks.h"

#include "base/checked.h"

#include <errno.h>
#include <string.h>

#include <xxhash.h>

/* A mark each so many bytes of output, or this part of it, if that is less. */
#define STEP_BYTES ((uint64_t)64 << 20)
#define STEP_PART  256

/* So many marks are looked at when the sort goes on, and so many of the last ones. */
#define TAILS      64u
#define TAILS_LAST 8u

/* What is in the output is no part of the run any more: whole frames, but for the last, and what
 * was merged of the first one that is left. */
static void take_from(struct gsi_spilled_run *run, uint64_t count)
{
    uint64_t gone = 0;
    run->key_count -= count;
    while (gone + 1 < run->frame_count && count >= run->frames[gone].count) {
        count -= run->frames[gone].count;
        run->bytes -= run->frames[gone++].bytes;
    }
    run->frame_count -= gone;
    memmove(run->frames, run->frames + gone, run->frame_count * sizeof *run->frames);
    run->merged_count = (uint32_t)count;
}

/* The output before a mark ends as it did then; what was not yet on the disk of its last page is on
 * record instead. */
static enum gs_status check_tail(const struct gsi_output_marks *checkpoint,
                                 const struct gsi_resume_entry *entry)
{
    enum gs_status status = GS_OK;
    const struct gsi_job *job = checkpoint->resume->job;
    const struct gsi_resume_written *head = &entry->head.written;
    uint8_t tail[GSI_RESUME_TAIL_BYTES];
    if (head->tail_bytes > sizeof tail || head->tail_bytes > head->bytes ||
        head->rest_bytes >= GSI_DIRECT_ALIGN || head->rest_bytes > head->bytes)
        return gsi_resume_fail_wrong(checkpoint->resume);
    uint64_t from_rest = gsi_min_u64(head->tail_bytes, head->rest_bytes);
    uint64_t from_file = head->tail_bytes - from_rest;
    uint64_t off = gsi_sink_data_off(job) + head->bytes - head->rest_bytes - from_file;
    int64_t moved = gsi_file_read(job->output.fd, tail, from_file, off);
    if (moved < 0)
        return gsi_fail(job->error, GS_E_IO, errno, "'%s': cannot read at byte %llu",
                        job->output.name, (unsigned long long)off);
    GSI_TRY(gsi_resume_get(checkpoint->resume, entry->parts[2] + head->rest_bytes - from_rest,
                           tail + from_file, from_rest));
    if ((uint64_t)moved < from_file || XXH3_64bits(tail, head->tail_bytes) != head->tail_hash)
        status = gsi_resume_fail_wrong(checkpoint->resume);
    return status;
}

/* The last marks, and some of those before them, at even distances. */
static enum gs_status check_tails(const struct gsi_output_marks *checkpoint)
{
    const struct gsi_resume *resume = checkpoint->resume;
    struct gsi_resume_entry entry;
    bool is_there;
    uint64_t idx = 0, count = resume->written_count, step = gsi_ceil_div_u64(count, TAILS);
    struct gsi_journal at = resume->first;
    GSI_TRY(gsi_resume_next(resume, &at, &entry, &is_there));
    while (is_there) {
        bool is_mark = entry.type == GSI_RESUME_WRITTEN;
        if (is_mark && (idx % step == 0 || idx + TAILS_LAST >= count))
            GSI_TRY(check_tail(checkpoint, &entry));
        idx += is_mark;
        GSI_TRY(gsi_resume_next(resume, &at, &entry, &is_there));
    }
    return GS_OK;
}

/* How much of each run is in the output: together what the output has. */
static enum gs_status restore_taken(struct gsi_output_marks *checkpoint,
                                    const struct gsi_run_list *list,
                                    const struct gsi_resume_entry *entry)
{
    enum gs_status status = GS_OK;
    const struct gsi_resume *resume = checkpoint->resume;
    const struct gsi_resume_written *head = &entry->head.written;
    const struct gsi_layout *layout = &resume->job->layout;
    uint64_t keys = 0;
    bool is_sound = head->run_count == list->count && head->rest_bytes < GSI_DIRECT_ALIGN &&
                    head->rest_bytes <= head->bytes && head->last_bytes == layout->element_bytes;
    if (is_sound)
        GSI_TRY(gsi_resume_get(resume, entry->parts[0], checkpoint->taken,
                               head->run_count * sizeof *checkpoint->taken));
    for (uint32_t i = 0; is_sound && i < list->count; i++) {
        is_sound = checkpoint->taken[i] <= list->entries[i].key_count;
        keys += checkpoint->taken[i];
    }
    if (!is_sound || keys != head->imprint.count || keys * layout->element_bytes != head->bytes)
        status = gsi_resume_fail_wrong(resume);
    return status;
}

static enum gs_status restore(struct gsi_output_marks *checkpoint, struct gsi_run_list *list,
                              const struct gsi_resume_entry *entry)
{
    struct gsi_resume *resume = checkpoint->resume;
    struct gsi_job *job = resume->job;
    const struct gsi_resume_written *head = &entry->head.written;
    GSI_TRY(restore_taken(checkpoint, list, entry));
    GSI_TRY(check_tails(checkpoint));
    for (uint32_t i = 0; i < list->count; i++) {
        take_from(&list->entries[i].spilled, checkpoint->taken[i]);
        list->entries[i].key_count = list->entries[i].spilled.key_count;
    }
    checkpoint->seam->imprint = head->imprint;
    GSI_TRY(gsi_resume_get(resume, entry->parts[1], checkpoint->seam->last, head->last_bytes));
    GSI_TRY(gsi_resume_get(resume, entry->parts[2], checkpoint->rest, head->rest_bytes));
    checkpoint->pulled_bytes = checkpoint->delivered_bytes = head->bytes;
    job->phase_done_bytes = head->bytes;
    job->report->resumed_output_bytes = head->bytes;
    return gsi_sink_restore(checkpoint->sink, head->bytes, checkpoint->rest, head->rest_bytes);
}

enum gs_status gsi_output_marks_begin(struct gsi_output_marks *checkpoint, struct gsi_job *job,
                                      struct gsi_run_list *list, struct gsi_sink *sink,
                                      struct gsi_stream_check *seam)
{
    struct gsi_ledger *ledger = &job->ledger;
    *checkpoint = (struct gsi_output_marks){.resume = job->resume, .sink = sink, .seam = seam};
    if (job->resume == NULL)
        return GS_OK;
    checkpoint->run_count = list->count;
    checkpoint->step_bytes =
        gsi_clamp_u64(job->data_bytes / STEP_PART, job->report->plan.window_bytes, STEP_BYTES);
    GSI_TRY(GSI_NEW(ledger, checkpoint->taken, list->count, job->error));
    GSI_TRY(GSI_NEW(ledger, checkpoint->recorded, list->count, job->error));
    GSI_TRY(GSI_NEW(ledger, checkpoint->last, job->layout.element_bytes, job->error));
    if (job->resume->written.type == GSI_RESUME_WRITTEN)
        GSI_TRY(restore(checkpoint, list, &job->resume->written));
    checkpoint->next_bytes = checkpoint->pulled_bytes + checkpoint->step_bytes;
    return GS_OK;
}

void gsi_output_marks_clear(struct gsi_output_marks *checkpoint)
{
    if (checkpoint->resume == NULL)
        return;
    struct gsi_job *job = checkpoint->resume->job;
    GSI_FREE(&job->ledger, checkpoint->taken, checkpoint->run_count);
    GSI_FREE(&job->ledger, checkpoint->recorded, checkpoint->run_count);
    GSI_FREE(&job->ledger, checkpoint->last, job->layout.element_bytes);
    *checkpoint = (struct gsi_output_marks){0};
}

void gsi_output_marks_pulled(struct gsi_output_marks *checkpoint, uint64_t bytes)
{
    if (checkpoint->resume == NULL)
        return;
    checkpoint->pulled_bytes += bytes;
    if (checkpoint->marked_bytes > 0 || checkpoint->pulled_bytes < checkpoint->next_bytes)
        return;
    checkpoint->marked_bytes = checkpoint->pulled_bytes;
    memcpy(checkpoint->recorded, checkpoint->taken,
           checkpoint->run_count * sizeof *checkpoint->taken);
}

void gsi_output_marks_delivered(struct gsi_output_marks *checkpoint, const uint8_t *data,
                                uint64_t bytes)
{
    if (checkpoint->resume == NULL)
        return;
    const struct gsi_sink *sink = checkpoint->sink;
    uint64_t tail = gsi_min_u64(bytes, GSI_RESUME_TAIL_BYTES);
    checkpoint->delivered_bytes += bytes;
    if (checkpoint->delivered_bytes != checkpoint->marked_bytes)
        return;
    checkpoint->is_delivered = true;
    gsi_sink_mark(checkpoint->sink);
    struct gsi_resume_written *head = &checkpoint->resume->head.written;
    *head = (struct gsi_resume_written){.bytes = checkpoint->marked_bytes,
                                        .run_count = checkpoint->run_count,
                                        .rest_bytes = sink->rest_bytes,
                                        .tail_bytes = tail,
                                        .tail_hash = XXH3_64bits(data + bytes - tail, tail),
                                        .imprint = checkpoint->seam->imprint};
    memcpy(checkpoint->rest, sink->rest, sink->rest_bytes);
    head->last_bytes = checkpoint->resume->job->layout.element_bytes;
    memcpy(checkpoint->last, checkpoint->seam->last, head->last_bytes);
}

/* Settled: on the disk once it is synced. */
static void record(struct gsi_output_marks *checkpoint)
{
    struct gsi_resume *resume = checkpoint->resume;
    const struct gsi_resume_written *head = &resume->head.written;
    resume->parts[1] = (struct iovec){.iov_base = checkpoint->recorded,
                                      .iov_len = head->run_count * sizeof *checkpoint->recorded};
    resume->parts[2] = (struct iovec){.iov_base = checkpoint->last, .iov_len = head->last_bytes};
    resume->parts[3] = (struct iovec){.iov_base = checkpoint->rest, .iov_len = head->rest_bytes};
    resume->part_count = 4;
    checkpoint->is_begun = true;
    gsi_resume_record(resume, GSI_RESUME_WRITTEN, resume->job->output.fd, NULL);
}

bool gsi_output_marks_pump(struct gsi_output_marks *checkpoint)
{
    struct gsi_resume *resume = checkpoint->resume;
    if (resume == NULL || !checkpoint->is_delivered || resume->is_recording)
        return false;
    if (!checkpoint->is_begun && gsi_sink_is_settled(checkpoint->sink)) {
        record(checkpoint);
        return true;
    }
    if (!checkpoint->is_begun)
        return false;
    checkpoint->next_bytes = checkpoint->marked_bytes + checkpoint->step_bytes;
    checkpoint->marked_bytes = 0;
    checkpoint->is_delivered = checkpoint->is_begun = false;
    return true;
}
