/* output_marks.c: marks how much of the output is written, in the journal, and continues from the
 * last mark.
 *
 *     cut        a window is cut: how many elements of each run the output has up to its end
 *     checked    the window has passed the check: its digest, and its last entry
 *     delivered  the sink has all bytes up to there: the last of them, and what it keeps of a page
 *     written    these bytes and all before them -> synced -> WRITTEN in the journal
 *
 * There is one mark at a time, and the merge continues meanwhile. After a kill the merge begins
 * with the elements after the last mark in the journal, and the output is written from there. A
 * mark may be inside a block of the output. */
#include "resume/resume_parts.h"

#include "base/assert.h"
#include "base/checked.h"
#include "merge/merger.h"
#include "output/delivery.h"

#include <errno.h>
#include <string.h>

#include <xxhash.h>

/* There is a mark for so many bytes of output, or for this part of it, if that is less. */
#define STEP_BYTES GSI_CONSTANT((uint64_t)64 << 20, (uint64_t)64 << 10)
#define STEP_PART  256

/* So many marks are checked when the sort continues, and so many of the last ones. */
#define TAILS      GSI_CONSTANT(64u, 3u)
#define TAILS_LAST GSI_CONSTANT(8u, 2u)

/* There is one mark at a time. Bytes are those of the output. */
struct gsi_output_marks {
    struct gsi_resume *resume;
    struct gsi_delivery *delivery;
    uint32_t entry_bytes, output_bytes; /* of an element: in the merge, in the output */
    uint32_t run_count;
    uint64_t *taken;                 /* elements of each run in windows that were cut */
    uint64_t *marked;                /* the same, up to the mark */
    uint64_t step_bytes, next_bytes; /* between two marks; where the next one may be */
    uint64_t cut_bytes,
        marked_bytes; /* of windows that were cut; up to the mark, 0: there is none */
    uint64_t delivered_bytes;
    bool is_delivered;        /* the sink has everything up to the mark */
    uint64_t count;           /* marks of this process that are in the journal, as far as seen */
    struct gsi_digest digest; /* of the output up to the mark */
    uint8_t *last;            /* the last entry before the mark */
    uint8_t rest[GSI_DIRECT_ALIGN];
    uint8_t tail[GSI_RESUME_TAIL_BYTES]; /* the last bytes that were delivered */
    uint32_t tail_bytes;
};

/* Reads `bytes` of the output before a mark, from `at` on. The last ones may be in the journal. */
static enum gs_status read_written(const struct gsi_output_marks *marks,
                                   const struct gsi_resume_entry *entry, uint64_t at, uint8_t *data,
                                   uint64_t bytes)
{
    const struct gsi_resume_job *job = &marks->resume->job;
    const struct gsi_resume_written *head = &entry->head.written;
    const uint64_t in_file = head->bytes - head->rest_bytes;
    uint64_t from_file = at < in_file ? gsi_min_u64(bytes, in_file - at) : 0;
    uint64_t off = gsi_sink_data_off(job->target) + at;
    int64_t moved = gsi_file_read(job->target->output.fd, data, from_file, off);
    if (moved < 0)
        return gsi_fail(job->loop->error, GS_E_IO, errno, "'%s': cannot read at byte %llu",
                        job->target->output.name, (unsigned long long)off);
    if ((uint64_t)moved < from_file)
        return gsi_snapshot_fail_wrong(marks->resume);
    return from_file == bytes
               ? GS_OK
               : gsi_snapshot_get(marks->resume, entry->arrays[2] + (at + from_file - in_file),
                                  data + from_file, bytes - from_file);
}

/* Checks that the output before a mark ends as it did then. Its end is the tail from now on. */
static enum gs_status check_tail(struct gsi_output_marks *marks,
                                 const struct gsi_resume_entry *entry)
{
    const struct gsi_resume_written *head = &entry->head.written;
    uint8_t *const tail = marks->tail;
    if (head->tail_bytes > sizeof marks->tail || head->tail_bytes > head->bytes)
        return gsi_snapshot_fail_wrong(marks->resume);
    GSI_TRY(read_written(marks, entry, head->bytes - head->tail_bytes, tail, head->tail_bytes));
    if (XXH3_64bits(tail, head->tail_bytes) != head->tail_hash)
        return gsi_snapshot_fail_wrong(marks->resume);
    marks->tail_bytes = (uint32_t)head->tail_bytes;
    return GS_OK;
}

/* Checks the last marks, and some of those before them, at even distances. */
static enum gs_status check_tails(struct gsi_output_marks *marks)
{
    const struct gsi_resume *resume = marks->resume;
    struct gsi_resume_entry entry;
    const uint64_t count = resume->snapshot.count[GSI_RESUME_WRITTEN],
                   step = gsi_ceil_div_u64(count, TAILS);
    uint64_t idx = 0;
    struct gsi_journal at = resume->first;
    do {
        GSI_TRY(gsi_snapshot_next(resume, &at, &entry));
        bool is_mark = entry.type == GSI_RESUME_WRITTEN;
        if (is_mark && (idx % step == 0 || idx + TAILS_LAST >= count))
            GSI_TRY(check_tail(marks, &entry));
        idx += is_mark;
    } while (entry.type != 0);
    return GS_OK;
}

/* Restores how much of each run is in the output. Together these are what the output has. */
static enum gs_status restore_taken(struct gsi_output_marks *marks, const struct gsi_run_list *list,
                                    const struct gsi_resume_entry *entry)
{
    const struct gsi_resume *resume = marks->resume;
    const struct gsi_resume_written *head = &entry->head.written;
    uint64_t keys = 0;
    bool is_sound = head->rest_bytes < GSI_DIRECT_ALIGN && head->rest_bytes <= head->bytes;
    GSI_TRY(gsi_snapshot_load(resume, entry, 0, marks->taken, list->count * sizeof *marks->taken));
    for (uint32_t i = 0; i < list->count; i++) {
        is_sound &= marks->taken[i] <= list->entries[i].key_count;
        keys += marks->taken[i];
    }
    is_sound &= keys == head->digest.count && keys * marks->output_bytes == head->bytes;
    return is_sound ? GS_OK : gsi_snapshot_fail_wrong(resume);
}

/* The check continues with the last entry. With blocks, the digest is of what is written. */
static enum gs_status restore_check(struct gsi_output_marks *marks,
                                    const struct gsi_resume_entry *entry)
{
    const struct gsi_resume_written *head = &entry->head.written;
    struct gsi_stream_check *check = &marks->delivery->check;
    GSI_TRY(gsi_snapshot_load(marks->resume, entry, 1, check->last, marks->entry_bytes));
    if (marks->delivery->has_blocks) {
        gsi_write_flow_resume(&marks->delivery->write_flow, &head->digest);
        gsi_digest_add_elements(check->layout, &check->digest, check->last, 1);
        check->digest.count = head->digest.count;
        return GS_OK;
    }
    check->digest = head->digest;
    return head->bytes > 0 ? read_written(marks, entry, 0, check->first, head->last_bytes) : GS_OK;
}

static enum gs_status restore(struct gsi_output_marks *marks, struct gsi_run_list *list,
                              const struct gsi_resume_entry *entry)
{
    struct gsi_resume *resume = marks->resume;
    const struct gsi_resume_job *job = &resume->job;
    const struct gsi_resume_written *head = &entry->head.written;
    bool is_there;
    GSI_TRY(restore_taken(marks, list, entry));
    GSI_TRY(check_tails(marks));
    for (uint32_t i = 0; i < list->count; i++) {
        list->entries[i].written_count = marks->taken[i];
        list->entries[i].key_count -= marks->taken[i];
    }
    GSI_TRY(restore_check(marks, entry));
    GSI_TRY(gsi_snapshot_load(resume, entry, 2, marks->rest, head->rest_bytes));
    marks->cut_bytes = marks->delivered_bytes = head->bytes;
    job->loop->done_bytes = head->digest.count * marks->entry_bytes;
    job->report->output_bytes = head->bytes;
    GSI_TRY(gsi_sink_restore(&marks->delivery->sink, head->bytes, marks->rest, head->rest_bytes,
                             &is_there));
    return is_there ? GS_OK : gsi_snapshot_fail_wrong(resume);
}

/* The merge has cut a window: its end may be the next mark. */
static bool choose_mark(void *context, struct gsi_buffer *window)
{
    struct gsi_output_marks *marks = context;
    marks->cut_bytes += window->bytes / marks->entry_bytes * marks->output_bytes;
    if (marks->marked_bytes == 0 && marks->cut_bytes >= marks->next_bytes) {
        marks->marked_bytes = marks->cut_bytes;
        marks->delivery->write_flow.digest.marked_count = marks->cut_bytes / marks->output_bytes;
        memcpy(marks->marked, marks->taken, marks->run_count * sizeof *marks->taken);
    }
    return false;
}

/* A window has passed the check. */
static bool copy_marked_digest(void *context, struct gsi_buffer *window)
{
    struct gsi_output_marks *marks = context;
    const struct gsi_stream_check *check = &marks->delivery->check;
    (void)window;
    if (check->digest.count * marks->output_bytes != marks->marked_bytes)
        return false;
    marks->digest = check->digest;
    memcpy(marks->last, check->last, marks->entry_bytes);
    return false;
}

static void add_to_tail(struct gsi_output_marks *marks, const uint8_t *data, uint64_t bytes)
{
    const uint32_t room = sizeof marks->tail;
    uint32_t added = (uint32_t)gsi_min_u64(bytes, room);
    uint32_t kept = gsi_min_u32(marks->tail_bytes, room - added);
    memmove(marks->tail, marks->tail + marks->tail_bytes - kept, kept);
    memcpy(marks->tail + kept, data + bytes - added, added);
    marks->tail_bytes = kept + added;
}

/* The sink has a window or block, whose data are still there. The mark may be inside a block. When
 * the sort continues, the bytes after the mark are written again. */
static bool mark_delivered(void *context, struct gsi_buffer *block)
{
    struct gsi_output_marks *marks = context;
    struct gsi_sink *sink = &marks->delivery->sink;
    const uint64_t begin = marks->delivered_bytes, marked = marks->marked_bytes;
    marks->delivered_bytes += block->bytes;
    if (marked <= begin || marked > marks->delivered_bytes) {
        add_to_tail(marks, block->data, block->bytes);
        return false;
    }
    add_to_tail(marks, block->data, marked - begin);
    marks->is_delivered = true;
    gsi_sink_mark(sink);
    marks->resume->head.written = (struct gsi_resume_written){
        .bytes = marked,
        .run_count = marks->run_count,
        .last_bytes = marks->entry_bytes,
        .rest_bytes = sink->rest_bytes,
        .tail_bytes = marks->tail_bytes,
        .tail_hash = XXH3_64bits(marks->tail, marks->tail_bytes),
        .digest = marks->delivery->has_blocks ? marks->delivery->write_flow.digest.marked
                                              : marks->digest};
    memcpy(marks->rest, sink->rest, sink->rest_bytes);
    add_to_tail(marks, block->data + (marked - begin), marks->delivered_bytes - marked);
    return false;
}

/* Appends the mark to the journal once everything before it is written. Then there may be another
 * one. */
static bool pump(void *context)
{
    struct gsi_output_marks *marks = context;
    struct gsi_resume *resume = marks->resume;
    if (!marks->is_delivered || !gsi_resume_is_idle(resume) ||
        !gsi_sink_mark_is_written(&marks->delivery->sink))
        return false;
    if (resume->appended[GSI_RESUME_WRITTEN] > marks->count) {
        marks->count = resume->appended[GSI_RESUME_WRITTEN];
        marks->next_bytes = marks->marked_bytes + marks->step_bytes;
        marks->marked_bytes = 0;
        marks->is_delivered = false;
        return true;
    }
    resume->arrays[0] = marks->marked;
    resume->arrays[1] = marks->last;
    resume->arrays[2] = marks->rest;
    gsi_snapshot_append(resume, GSI_RESUME_WRITTEN, resume->job.target->output.fd);
    return true;
}

static bool is_idle(const void *context)
{
    const struct gsi_output_marks *marks = context;
    return gsi_resume_is_idle(marks->resume);
}

enum gs_status gsi_resume_mark_output(struct gsi_resume *resume, struct gsi_run_list *list,
                                      struct gsi_delivery *delivery, struct gsi_merger_spec *merge)
{
    if (resume == NULL)
        return GS_OK;
    struct gsi_loop *loop = resume->job.loop;
    struct gsi_output_marks *marks;
    GSI_TRY(GSI_NEW(NULL, resume->marks, 1, loop->error));
    marks = resume->marks;
    *marks = (struct gsi_output_marks){.resume = resume,
                                       .delivery = delivery,
                                       .entry_bytes = loop->layout->element_bytes,
                                       .output_bytes = resume->job.inputs->layout->element_bytes};
    marks->run_count = list->count;
    marks->step_bytes = gsi_clamp_u64(resume->job.inputs->data_bytes / STEP_PART,
                                      loop->plan->window_bytes, STEP_BYTES);
    GSI_TRY(GSI_NEW(&loop->ledger, marks->taken, list->count, loop->error));
    GSI_TRY(GSI_NEW(&loop->ledger, marks->marked, list->count, loop->error));
    GSI_TRY(GSI_NEW(&loop->ledger, marks->last, loop->layout->element_bytes, loop->error));
    if (resume->snapshot.count[GSI_RESUME_WRITTEN] > 0)
        GSI_TRY(restore(marks, list, &resume->snapshot.last[GSI_RESUME_WRITTEN]));
    marks->next_bytes = marks->cut_bytes + marks->step_bytes;
    merge->taken = marks->taken;
    merge->made_bytes = marks->cut_bytes / marks->output_bytes * marks->entry_bytes;
    merge->cut = (struct gsi_link){.context = marks, .accept = choose_mark};
    delivery->marks = (struct gsi_stage){
        .context = marks, .pump = pump, .is_done = is_idle, .accept_window = copy_marked_digest};
    delivery->mark_blocks = (struct gsi_link){.context = marks, .accept = mark_delivered};
    return GS_OK;
}

void gsi_output_marks_end(struct gsi_resume *resume)
{
    struct gsi_output_marks *marks = resume->marks;
    if (marks == NULL)
        return;
    struct gsi_ledger *ledger = &resume->job.loop->ledger;
    GSI_FREE(ledger, marks->taken, marks->run_count);
    GSI_FREE(ledger, marks->marked, marks->run_count);
    GSI_FREE(ledger, marks->last, resume->job.loop->layout->element_bytes);
    GSI_FREE(NULL, marks, 1);
    resume->marks = NULL;
}
