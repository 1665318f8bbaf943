/* checkpoint.c: marks in the output. */
#include "sort/checkpoint.h"

#include "base/checked.h"

#include <string.h>

/* A mark each so many bytes of output, or this part of it, if that is less. */
#define STEP_BYTES ((uint64_t)64 << 20)
#define STEP_PART  256

/* What the record says of the output; the last such entry. */
static bool find_written(const struct gsi_resume *resume, struct gsi_resume_entry *found)
{
    bool is_there = false;
    struct gsi_resume_entry entry;
    if (resume->image == NULL)
        return false;
    for (struct gsi_journal at = gsi_resume_first(resume); gsi_resume_next(resume, &at, &entry);)
        if (entry.type == GSI_RESUME_WRITTEN) {
            *found = entry;
            is_there = true;
        }
    return is_there;
}

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

static enum gs_status restore(struct gsi_checkpoint *checkpoint, struct gsi_run_list *list,
                              const struct gsi_resume_entry *entry)
{
    struct gsi_job *job = checkpoint->resume->job;
    const struct gsi_resume_written *head = &entry->head.written;
    const struct gsi_layout *layout = &job->layout;
    uint64_t keys = 0;
    bool is_sound = head->run_count == list->count && head->rest_bytes < GSI_DIRECT_ALIGN &&
                    head->last_bytes == (layout->record != NULL ? layout->element_bytes : 0);
    for (uint32_t i = 0; is_sound && i < list->count; i++) {
        uint64_t *taken = &checkpoint->taken[i];
        memcpy(taken, entry->parts[0] + i * sizeof *taken, sizeof *taken);
        is_sound = *taken <= list->entries[i].key_count;
        keys += *taken;
    }
    if (!is_sound || keys != head->imprint.count || keys * layout->element_bytes != head->bytes)
        return gsi_resume_fail_wrong(checkpoint->resume);
    for (uint32_t i = 0; i < list->count; i++) {
        take_from(&list->entries[i].spilled, checkpoint->taken[i]);
        list->entries[i].key_count = list->entries[i].spilled.key_count;
    }
    checkpoint->seam->imprint = head->imprint;
    if (layout->record != NULL)
        memcpy(checkpoint->seam->last, entry->parts[1], head->last_bytes);
    checkpoint->pulled_bytes = checkpoint->delivered_bytes = head->bytes;
    job->phase_done_bytes = head->bytes;
    job->report->resumed_output_bytes = head->bytes;
    return gsi_sink_restore(checkpoint->sink, head->bytes, entry->parts[2], head->rest_bytes);
}

enum gs_status gsi_checkpoint_begin(struct gsi_checkpoint *checkpoint, struct gsi_job *job,
                                    struct gsi_run_list *list, struct gsi_sink *sink,
                                    struct gsi_seam *seam)
{
    enum gs_status status = GS_OK;
    struct gsi_resume_entry written = {0};
    struct gsi_ledger *ledger = &job->ledger;
    void *memory;
    *checkpoint = (struct gsi_checkpoint){.resume = job->resume, .sink = sink, .seam = seam};
    if (job->resume == NULL)
        return GS_OK;
    checkpoint->run_count = list->count;
    checkpoint->step_bytes =
        gsi_clamp_u64(job->data_bytes / STEP_PART, job->report->plan.window_bytes, STEP_BYTES);
    GSI_TRY(gsi_memory_alloc(ledger, list->count, sizeof(uint64_t), &memory, job->error));
    checkpoint->taken = memory;
    GSI_TRY(gsi_memory_alloc(ledger, list->count, sizeof(uint64_t), &memory, job->error));
    checkpoint->recorded = memory;
    if (job->layout.record != NULL) {
        GSI_TRY(gsi_memory_alloc(ledger, 1, job->layout.element_bytes, &memory, job->error));
        checkpoint->last = memory;
    }
    if (find_written(job->resume, &written))
        GSI_TRY(restore(checkpoint, list, &written));
    checkpoint->next_bytes = checkpoint->pulled_bytes + checkpoint->step_bytes;
fail:
    return status;
}

void gsi_checkpoint_clear(struct gsi_checkpoint *checkpoint)
{
    if (checkpoint->resume == NULL)
        return;
    struct gsi_job *job = checkpoint->resume->job;
    gsi_memory_free(&job->ledger, checkpoint->taken, checkpoint->run_count, sizeof(uint64_t));
    gsi_memory_free(&job->ledger, checkpoint->recorded, checkpoint->run_count, sizeof(uint64_t));
    gsi_memory_free(&job->ledger, checkpoint->last, 1, job->layout.element_bytes);
    *checkpoint = (struct gsi_checkpoint){0};
}

void gsi_checkpoint_pulled(struct gsi_checkpoint *checkpoint, uint64_t bytes)
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

void gsi_checkpoint_delivered(struct gsi_checkpoint *checkpoint, uint64_t bytes)
{
    if (checkpoint->resume == NULL)
        return;
    const struct gsi_sink *sink = checkpoint->sink;
    checkpoint->delivered_bytes += bytes;
    if (checkpoint->delivered_bytes != checkpoint->marked_bytes)
        return;
    checkpoint->is_delivered = true;
    gsi_sink_mark(checkpoint->sink);
    struct gsi_resume_written *head = &checkpoint->resume->head.written;
    *head = (struct gsi_resume_written){.bytes = checkpoint->marked_bytes,
                                        .run_count = checkpoint->run_count,
                                        .rest_bytes = sink->rest_bytes,
                                        .imprint = checkpoint->seam->imprint};
    memcpy(checkpoint->rest, sink->rest, sink->rest_bytes);
    if (checkpoint->last != NULL) {
        head->last_bytes = checkpoint->resume->job->layout.element_bytes;
        memcpy(checkpoint->last, checkpoint->seam->last, head->last_bytes);
    }
}

/* Settled: on the disk once it is synced. */
static void record(struct gsi_checkpoint *checkpoint)
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

bool gsi_checkpoint_pump(struct gsi_checkpoint *checkpoint)
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
