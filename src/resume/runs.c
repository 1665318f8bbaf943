/* runs.c: counts chunks; saves runs in the journal, and restores them. */
#include "resume/runs.h"

#include "base/assert.h"
#include "base/checked.h"
#include "element/key_scope.h"
#include "element/record/record_tally.h"

#include <string.h>

/* So many runs, at most, may be sealed and not yet in the journal: each thread sorts one, one waits
 * and one is being spilled. */
#define RUNS_BESIDE 2u

/* A slice of a chunk is not smaller: it is counted in about 20 us. */
#define SLICE_BYTES GSI_CONSTANT((uint64_t)64 << 10, (uint64_t)64)

/* Elements are copied from entries so many bytes at a time, which fit the first-level cache. */
#define ELEMENTS_BYTES 8192u

/* Returns how many bytes of elements are copied at a time; 0: entries are elements. */
static uint64_t copied_bytes(const struct gsi_resume *resume)
{
    const uint32_t each = resume->job.inputs->layout->element_bytes;
    return resume->job.inputs->entry_map != NULL ? gsi_max_u64(1, ELEMENTS_BYTES / each) * each : 0;
}

/* The tally at the end of a run that is sealed and not yet in the journal. */
struct gsi_resume_seal {
    uint64_t data_bytes;
    struct gsi_tally_sums *tallies; /* tally_count */
};

/* A part of a chunk that a thread counts. */
struct gsi_resume_slice {
    struct gsi_task task;
    struct gsi_resume *resume;
    struct gsi_record_tally *tally;
    const uint8_t *entries;
    uint64_t count;
    uint8_t *elements; /* memory for some, which are copied from entries of a shuffle */
};

static void lay_out(struct gsi_resume *resume, uint32_t thread_count, struct gsi_shelf *shelf)
{
    const struct gsi_layout *layout = resume->job.inputs->layout;
    resume->tally_count = gsi_record_tally_saved_count(layout);
    resume->tally = gsi_record_tally_place(layout, shelf);
    resume->slice_count = thread_count;
    GSI_PLACE(shelf, resume->slices, thread_count);
    for (uint32_t i = 0; i < thread_count; i++) {
        struct gsi_record_tally *tally = gsi_record_tally_place(layout, shelf);
        uint8_t *elements = gsi_shelf_place_whole(shelf, copied_bytes(resume), sizeof(gsi_u128));
        if (resume->slices != NULL) {
            resume->slices[i].tally = tally;
            resume->slices[i].elements = elements;
        }
    }
    resume->seal_count = thread_count + RUNS_BESIDE;
    GSI_PLACE(shelf, resume->seals, resume->seal_count);
    for (uint32_t i = 0; i < resume->seal_count; i++) {
        struct gsi_tally_sums *tallies = NULL;
        GSI_PLACE(shelf, tallies, resume->tally_count);
        if (resume->seals != NULL)
            resume->seals[i].tallies = tallies;
    }
}

uint64_t gsi_resume_runs_plan(const struct gsi_resume *resume, uint32_t thread_count)
{
    struct gsi_shelf shelf = {0};
    struct gsi_resume planned = {.job = resume->job};
    lay_out(&planned, thread_count, &shelf);
    return shelf.bytes;
}

enum gs_status gsi_resume_runs_open(struct gsi_resume *resume)
{
    struct gsi_loop *loop = resume->job.loop;
    /* There may be more threads than planned. */
    uint32_t thread_count =
        gsi_max_u32(resume->snapshot.begin.thread_count, loop->plan->thread_count);
    lay_out(resume, thread_count, &resume->shelf);
    GSI_TRY(gsi_shelf_open(&resume->shelf, &loop->ledger, GSI_MEMORY_TABLES, loop->error));
    lay_out(resume, thread_count, &resume->shelf);
    return GS_OK;
}

void gsi_resume_runs_close(struct gsi_resume *resume)
{
    gsi_shelf_close(&resume->shelf, &resume->job.loop->ledger, GSI_MEMORY_TABLES);
}

/* The first seal lends its memory. */
enum gs_status gsi_resume_runs_add_saved(struct gsi_resume *resume, uint64_t off)
{
    struct gsi_tally_sums *saved = resume->seals[0].tallies;
    enum gs_status status =
        gsi_snapshot_get(resume, off, saved, resume->tally_count * sizeof *saved);
    if (status == GS_OK)
        gsi_record_tally_add_saved(resume->tally, saved);
    return status;
}

struct gsi_tally_report gsi_resume_runs_tally(struct gsi_resume *resume)
{
    const struct gsi_resume_job *job = &resume->job;
    return gsi_record_tally_finish(resume->tally, job->field_tallies);
}

/* Returns whether a frame can be read: it is where frames are, and fits in a buffer. */
static bool is_frame(const struct gsi_resume_job *job, const struct gsi_frame_ref *ref,
                     uint64_t runs_end)
{
    uint64_t most =
        gsi_round_up_u64(job->loop->plan->frame_bytes + GSI_FRAME_HEADER_BYTES, GSI_FRAME_ALIGN);
    return ref->file_idx == 0 && ref->count > 0 && ref->bytes > 0 && ref->bytes <= most &&
           ref->bytes % GSI_FRAME_ALIGN == 0 && ref->off % GSI_FRAME_ALIGN == 0 &&
           ref->off <= runs_end && ref->bytes <= runs_end - ref->off &&
           (uint64_t)ref->count * job->loop->layout->element_bytes <= most;
}

/* Makes a spilled run of the frames of an entry. Its table is counted in the ledger. */
static enum gs_status restore_frames(struct gsi_resume *resume, uint64_t off, uint64_t count,
                                     uint64_t runs_end, struct gsi_spilled_run *run)
{
    const struct gsi_resume_job *job = &resume->job;
    enum gs_status status = GS_OK;
    GSI_TRY_OR(gsi_spilled_run_reserve(&job->loop->ledger, run, count, job->loop->error), fail);
    GSI_TRY_OR(gsi_snapshot_get(resume, off, run->frames, count * sizeof *run->frames), fail);
    for (uint64_t i = 0; i < count; i++) {
        const struct gsi_frame_ref ref = run->frames[i]; /* it is appended at the same place */
        if (!is_frame(job, &ref, runs_end))
            GSI_TRY_OR(gsi_snapshot_fail_wrong(resume), fail);
        gsi_spilled_run_append(run, &ref);
    }
    return GS_OK;
fail:
    gsi_spilled_run_clear(&job->loop->ledger, run);
    return status;
}

/* Restores the first record of all, and how much of their keys all share. */
static enum gs_status restore_scope(struct gsi_resume *resume, const struct gsi_resume_entry *raw)
{
    const struct gsi_resume_job *job = &resume->job;
    enum gs_status status = GS_OK;
    const struct gsi_resume_run *head = &raw->head.run;
    uint8_t *first = NULL;
    if (job->loop->layout->scope == NULL)
        return GS_OK;
    if (head->first_bytes > 0) {
        GSI_TRY_OR(GSI_NEW(&job->loop->ledger, first, head->first_bytes, job->loop->error), done);
        GSI_TRY_OR(gsi_snapshot_get(resume, raw->arrays[1], first, head->first_bytes), done);
        gsi_key_scope_begin(job->loop->layout->scope, first);
    }
    gsi_key_scope_lower(job->loop->layout->scope, head->shared);
done:
    GSI_FREE(&job->loop->ledger, first, head->first_bytes);
    return status;
}

/* Appends a run. Together with the runs before it, it has everything that was read up to its end.
 * */
static enum gs_status restore_run(struct gsi_resume *resume, struct gsi_run_list *list,
                                  const struct gsi_resume_entry *raw, uint64_t *data_bytes)
{
    const struct gsi_resume_job *job = &resume->job;
    enum gs_status status = GS_OK;
    struct gsi_run_entry entry = {0};
    const struct gsi_resume_run *head = &raw->head.run;
    bool has_first = job->loop->layout->scope != NULL && list->count == 0;
    if (head->tally_count != resume->tally_count ||
        head->first_bytes != (has_first ? job->loop->layout->element_bytes : 0) ||
        head->data_bytes > job->inputs->bytes || head->data_bytes < *data_bytes)
        return gsi_snapshot_fail_wrong(resume);
    GSI_TRY_OR(
        restore_frames(resume, raw->arrays[2], head->frame_count, head->runs_end, &entry.spilled),
        fail);
    entry.key_count = entry.spilled.key_count;
    if (entry.key_count != (head->data_bytes - *data_bytes) / job->inputs->layout->element_bytes)
        GSI_TRY_OR(gsi_snapshot_fail_wrong(resume), fail);
    *data_bytes = head->data_bytes;
    gsi_spill_note(job->spill, &entry.spilled, job->loop->layout->key_bytes);
    GSI_TRY_OR(restore_scope(resume, raw), fail);
    GSI_TRY_OR(gsi_run_list_append(list, &entry, job->loop->error), fail);
    return GS_OK;
fail:
    gsi_spilled_run_clear(&job->loop->ledger, &entry.spilled);
    return status;
}

static enum gs_status restore_merged(struct gsi_resume *resume, struct gsi_run_list *list,
                                     const struct gsi_resume_entry *raw)
{
    const struct gsi_resume_job *job = &resume->job;
    struct gsi_spilled_run run = {0};
    const struct gsi_resume_merged *head = &raw->head.merged;
    if (head->run_count == 0 || head->first >= list->count ||
        head->run_count > list->count - head->first)
        return gsi_snapshot_fail_wrong(resume);
    enum gs_status status =
        restore_frames(resume, raw->arrays[0], head->frame_count, head->runs_end, &run);
    if (status != GS_OK)
        return status;
    if (run.key_count != gsi_run_list_keys(list, head->first, head->run_count)) {
        gsi_spilled_run_clear(&job->loop->ledger, &run);
        return gsi_snapshot_fail_wrong(resume);
    }
    gsi_run_list_replace(list, head->first, head->run_count, &run);
    return GS_OK;
}

enum gs_status gsi_resume_runs_restore(struct gsi_resume *resume, struct gsi_run_list *list,
                                       uint64_t *restored_bytes)
{
    struct gsi_resume_entry entry;
    uint64_t tallies = 0, data_bytes = 0;
    *restored_bytes = gsi_resume_snapshot(resume)->data_bytes;
    if (!gsi_resume_snapshot(resume)->has_entries)
        return GS_OK;
    struct gsi_journal at = resume->first;
    do {
        GSI_TRY(gsi_snapshot_next(resume, &at, &entry));
        if (entry.type == GSI_RESUME_RUN) {
            GSI_TRY(restore_run(resume, list, &entry, &data_bytes));
            tallies = entry.arrays[0];
        } else if (entry.type == GSI_RESUME_MERGED) {
            GSI_TRY(restore_merged(resume, list, &entry));
        }
    } while (entry.type != 0);
    if (data_bytes != *restored_bytes) /* the journal was replaced meanwhile */
        return gsi_snapshot_fail_wrong(resume);
    for (uint32_t i = 0; i < list->count; i++)
        for (uint64_t f = 0; f < list->entries[i].spilled.frame_count; f++)
            gsi_spill_restore(&resume->job.spill->store, &list->entries[i].spilled.frames[f]);
    resume->counted_bytes = data_bytes;
    return tallies != 0 ? gsi_resume_runs_add_saved(resume, tallies) : GS_OK;
}

/* ---- counting ---- */

static void count_slice(struct gsi_task *task, uint32_t worker_idx)
{
    (void)worker_idx;
    const struct gsi_resume_slice *slice = GSI_CONTAINER_OF(task, struct gsi_resume_slice, task);
    const struct gsi_entry_map *entry_map = slice->resume->job.inputs->entry_map;
    if (entry_map == NULL) {
        gsi_record_tally_add(slice->tally, slice->entries, slice->count);
        return;
    }
    const uint64_t most = copied_bytes(slice->resume) / entry_map->output_bytes;
    for (uint64_t i = 0, n; i < slice->count; i += n) {
        n = gsi_min_u64(most, slice->count - i);
        gsi_entry_write(entry_map, slice->entries + i * entry_map->entry_bytes, n,
                        entry_map->entry_bytes, slice->elements);
        gsi_record_tally_add(slice->tally, slice->elements, n);
    }
}

static void slice_counted(struct gsi_task *task)
{
    const struct gsi_resume_slice *slice = GSI_CONTAINER_OF(task, struct gsi_resume_slice, task);
    gsi_record_tally_merge(slice->resume->tally, slice->tally);
    gsi_record_tally_clear(slice->tally);
    slice->resume->slices_left--;
}

/* Counts a chunk on all threads. */
static void count_chunk(struct gsi_resume *resume, struct gsi_buffer *chunk)
{
    const uint64_t bytes = resume->job.loop->layout->element_bytes, n = chunk->bytes / bytes;
    resume->counting = chunk;
    resume->slices_left =
        (uint32_t)gsi_clamp_u64(chunk->bytes / SLICE_BYTES, 1, resume->slice_count);
    for (uint32_t i = 0, count = resume->slices_left; i < count; i++) {
        struct gsi_resume_slice *slice = &resume->slices[i];
        const uint64_t begin = gsi_part_begin(n, i, count);
        slice->task =
            (struct gsi_task){.run = count_slice, .done = slice_counted, .is_urgent = true};
        slice->resume = resume;
        slice->entries = chunk->data + begin * bytes;
        slice->count = gsi_part_begin(n, i + 1, count) - begin;
        gsi_pool_submit(resume->job.loop->pool, &slice->task);
    }
}

struct gsi_buffer *gsi_resume_runs_next(struct gsi_resume *resume, struct gsi_source *source)
{
    if (resume == NULL)
        return gsi_source_next(source);
    struct gsi_buffer *chunk = resume->counting;
    if (chunk == NULL) {
        chunk = gsi_source_next(source);
        if (chunk == NULL || chunk->bytes == 0)
            return chunk;
        count_chunk(resume, chunk);
    }
    if (resume->slices_left > 0)
        return NULL;
    resume->counting = NULL;
    const struct gsi_resume_job *job = &resume->job;
    resume->counted_bytes +=
        chunk->bytes / job->loop->layout->element_bytes * job->inputs->layout->element_bytes;
    return chunk;
}

bool gsi_resume_runs_is_idle(const struct gsi_resume *resume)
{
    return resume == NULL || resume->counting == NULL;
}

/* ---- runs to the journal ---- */

bool gsi_resume_runs_can_seal(const struct gsi_resume *resume)
{
    if (resume == NULL)
        return true;
    const struct gsi_plan *plan = resume->job.loop->plan;
    uint64_t sorted = gsi_ceil_div_u64(plan->thread_count, plan->chunks_per_run);
    return resume->sealed - resume->noted < 1 + sorted;
}

void gsi_resume_runs_sealed(struct gsi_resume *resume)
{
    if (resume == NULL)
        return;
    struct gsi_resume_seal *seal = &resume->seals[resume->sealed++ % resume->seal_count];
    seal->data_bytes = resume->counted_bytes;
    gsi_record_tally_save(resume->tally, seal->tallies);
}

static void run_appended(struct gsi_resume *resume)
{
    resume->noted++;
}

void gsi_resume_runs_note(struct gsi_resume *resume, const struct gsi_spilled_run *run)
{
    if (resume == NULL)
        return;
    const struct gsi_resume_job *job = &resume->job;
    const struct gsi_layout *layout = job->loop->layout;
    const struct gsi_resume_seal *seal = &resume->seals[resume->noted % resume->seal_count];
    bool is_first = layout->scope != NULL && resume->noted == 0 && resume->snapshot.run_count == 0;
    resume->head.run = (struct gsi_resume_run){
        .data_bytes = seal->data_bytes,
        .runs_end = job->spill->store.files[0].end,
        .frame_count = run->frame_count,
        .tally_count = resume->tally_count,
        .shared = layout->scope != NULL ? gsi_key_scope_shared(layout->scope) : 0,
        .first_bytes = is_first ? layout->element_bytes : 0};
    resume->arrays[0] = seal->tallies;
    resume->arrays[1] = is_first ? layout->scope->first : NULL;
    resume->arrays[2] = run->frames;
    gsi_snapshot_append(resume, GSI_RESUME_RUN, job->spill->store.files[0].fd, run_appended);
}

/* Most frames of a run follow each other, and are given back together. */
static void give_back(struct gsi_spill_store *store, const struct gsi_spilled_run *run)
{
    for (uint64_t i = 0, first = 0; i < run->frame_count; i++) {
        const struct gsi_frame_ref *ref = &run->frames[i];
        bool is_end = i + 1 == run->frame_count || ref[1].off != ref->off + ref->bytes;
        (void)gsi_spill_done(store, ref);
        if (!is_end)
            continue;
        uint64_t off = run->frames[first].off;
        gsi_spill_punch(store, ref->file_idx, off, ref->off + ref->bytes - off);
        first = i + 1;
    }
    for (uint64_t i = 0; i < run->frame_count; i++)
        gsi_spill_released(store, &run->frames[i]);
}

enum gs_status gsi_resume_runs_merged(struct gsi_resume *resume, const struct gsi_run_list *list,
                                      uint32_t first, uint32_t count,
                                      const struct gsi_spilled_run *merged)
{
    if (resume == NULL)
        return GS_OK;
    const struct gsi_resume_job *job = &resume->job;
    resume->head.merged = (struct gsi_resume_merged){.first = first,
                                                     .run_count = count,
                                                     .frame_count = merged->frame_count,
                                                     .runs_end = job->spill->store.files[0].end};
    resume->arrays[0] = merged->frames;
    gsi_snapshot_append(resume, GSI_RESUME_MERGED, job->spill->store.files[0].fd, NULL);
    enum gs_status status = gsi_snapshot_wait(resume);
    for (uint32_t i = first; status == GS_OK && i < first + count; i++)
        give_back(&job->spill->store, &list->entries[i].spilled);
    return status;
}

/* ---- counts of values ---- */

enum gs_status gsi_resume_counts_restore(struct gsi_resume *resume, uint64_t *counts,
                                         uint32_t value_count, struct gsi_value_sums *sums,
                                         bool *is_there)
{
    uint64_t elements = 0;
    const struct gsi_resume_entry *entry = &gsi_resume_snapshot(resume)->counts;
    const struct gsi_resume_counts *head = &entry->head.counts;
    *is_there = entry->type != 0;
    if (!*is_there)
        return GS_OK;
    if (head->value_count != value_count || head->data_bytes != resume->job.inputs->bytes)
        return gsi_snapshot_fail_wrong(resume);
    GSI_TRY(gsi_snapshot_get(resume, entry->arrays[0], counts, value_count * sizeof *counts));
    for (uint32_t i = 0; i < value_count; i++)
        elements += counts[i];
    resume->job.inputs->data_bytes = head->data_bytes;
    *sums = (struct gsi_value_sums){.sum = head->sum, .squares = head->squares};
    return elements * resume->job.loop->layout->element_bytes == head->data_bytes
               ? GS_OK
               : gsi_snapshot_fail_wrong(resume);
}

enum gs_status gsi_resume_counts_note(struct gsi_resume *resume, uint64_t *counts,
                                      uint32_t value_count, const struct gsi_value_sums *sums)
{
    if (resume == NULL)
        return GS_OK;
    resume->head.counts = (struct gsi_resume_counts){.data_bytes = resume->job.inputs->bytes,
                                                     .value_count = value_count,
                                                     .sum = sums->sum,
                                                     .squares = sums->squares};
    resume->arrays[0] = counts;
    gsi_snapshot_append(resume, GSI_RESUME_COUNTS, -1, NULL);
    return gsi_snapshot_wait(resume);
}

void gsi_resume_counts_tally(struct gsi_resume *resume, const struct gsi_record_tally *tally)
{
    if (resume != NULL)
        gsi_record_tally_merge(resume->tally, tally);
}
