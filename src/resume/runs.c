/* runs.c: counts chunks; saves runs in the journal, and restores them. */
#include "resume/resume_parts.h"

#include "base/assert.h"
#include "base/checked.h"
#include "element/key_scope.h"
#include "element/record/record_tally.h"
#include "element/value_counts.h"
#include "input/source.h"

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

/* A part of a chunk that a thread counts. */
struct gsi_resume_slice {
    struct gsi_task task;
    struct gsi_resume *resume;
    struct gsi_record_tally *tally;
    const uint8_t *entries;
    uint64_t count;
    uint8_t *elements; /* memory for some, which are copied from entries of a shuffle */
};

static void lay_out(struct gsi_resume *resume, uint32_t thread_count, struct gsi_bump *bump)
{
    const struct gsi_layout *layout = resume->job.inputs->layout;
    resume->tally_count = gsi_record_tally_saved_count(layout);
    resume->tally = gsi_record_tally_alloc(layout, bump);
    resume->slice_count = thread_count;
    GSI_BUMP_ALLOC(bump, resume->slices, thread_count);
    for (uint32_t i = 0; i < thread_count; i++) {
        struct gsi_record_tally *tally = gsi_record_tally_alloc(layout, bump);
        uint8_t *elements = gsi_bump_alloc_rounded(bump, copied_bytes(resume), sizeof(gsi_u128));
        if (resume->slices != NULL) {
            resume->slices[i].tally = tally;
            resume->slices[i].elements = elements;
        }
    }
    resume->seal_count = thread_count + RUNS_BESIDE;
    GSI_BUMP_ALLOC(bump, resume->seals, (uint64_t)resume->seal_count * resume->tally_count);
}

/* Returns the saved tally at the end of a run, counted from the first of this process. */
static struct gsi_tally_sums *seal_of(const struct gsi_resume *resume, uint64_t run)
{
    return resume->seals + run % resume->seal_count * resume->tally_count;
}

uint64_t gsi_resume_runs_plan(const struct gsi_resume *resume, uint32_t thread_count)
{
    struct gsi_bump bump = {0};
    struct gsi_resume planned = {.job = resume->job};
    lay_out(&planned, thread_count, &bump);
    return bump.bytes;
}

enum gs_status gsi_resume_runs_open(struct gsi_resume *resume)
{
    struct gsi_loop *loop = resume->job.loop;
    /* There may be more threads than planned. */
    uint32_t thread_count =
        gsi_max_u32(resume->snapshot.begin.thread_count, loop->plan->thread_count);
    lay_out(resume, thread_count, &resume->bump);
    GSI_TRY(gsi_bump_open(&resume->bump, &loop->ledger, GSI_MEMORY_TABLES, loop->error));
    lay_out(resume, thread_count, &resume->bump);
    return GS_OK;
}

/* The first seal lends its memory. */
enum gs_status gsi_resume_restore_tally(struct gsi_resume *resume,
                                        const struct gsi_resume_entry *entry)
{
    GSI_TRY(gsi_snapshot_load(resume, entry, 0, resume->seals,
                              resume->tally_count * sizeof *resume->seals));
    gsi_record_tally_add_saved(resume->tally, resume->seals);
    return GS_OK;
}

struct gsi_tally_report gsi_resume_tally(struct gsi_resume *resume)
{
    const struct gsi_resume_job *job = &resume->job;
    return gsi_record_tally_finish(resume->tally, job->field_tallies);
}

/* ---- runs from the journal ---- */

/* Restores the first record of all, if keys are compared with it. */
static enum gs_status restore_first(const struct gsi_resume *resume,
                                    const struct gsi_resume_entry *entry)
{
    const struct gsi_layout *layout = resume->job.loop->layout;
    struct gsi_key_scope *scope = layout->scope;
    if (scope == NULL)
        return gsi_snapshot_load(resume, entry, 1, NULL, 0);
    GSI_TRY(gsi_snapshot_load(resume, entry, 1, scope->first, layout->element_bytes));
    scope->has_first = true;
    return GS_OK;
}

/* Adds a run, and counts it as written. It has everything that was read since the run before it.
 * Its frames are read later: until then, `bytes` is where they are in the journal. */
static enum gs_status add_run(struct gsi_resume *resume, struct gsi_run_list *list,
                              const struct gsi_resume_entry *entry, uint64_t *runs_end)
{
    const struct gsi_resume_job *job = &resume->job;
    const struct gsi_resume_run *head = &entry->head.run;
    if (list->count == 0)
        GSI_TRY(restore_first(resume, entry));
    if (head->data_bytes < resume->data_bytes || head->runs_end < *runs_end)
        return gsi_snapshot_fail_wrong(resume);
    struct gsi_run_entry run = {.key_count = (head->data_bytes - resume->data_bytes) /
                                             job->inputs->layout->element_bytes};
    run.spilled =
        (struct gsi_spilled_run){.key_count = run.key_count, .bytes = head->runs_end - *runs_end};
    gsi_spill_count_run(job->spill, &run.spilled, job->loop->layout->key_bytes);
    run.spilled.frame_count = head->frame_count;
    run.spilled.bytes = entry->arrays[2];
    resume->data_bytes = head->data_bytes;
    *runs_end = head->runs_end;
    return gsi_run_list_append(list, &run, job->loop->error);
}

static enum gs_status replace_runs(struct gsi_resume *resume, struct gsi_run_list *list,
                                   const struct gsi_resume_entry *entry)
{
    const struct gsi_resume_merged *head = &entry->head.merged;
    if (head->run_count == 0 || head->first >= list->count ||
        head->run_count > list->count - head->first)
        return gsi_snapshot_fail_wrong(resume);
    const struct gsi_spilled_run merged = {
        .key_count = gsi_run_list_count_keys(list, head->first, head->run_count),
        .frame_count = head->frame_count,
        .bytes = entry->arrays[0]};
    gsi_run_list_replace(list, head->first, head->run_count, &merged);
    return GS_OK;
}

/* Returns whether a frame can be read: it is where frames are, and fits in a buffer. */
static bool is_frame(const struct gsi_resume *resume, const struct gsi_frame_ref *ref)
{
    const struct gsi_loop *loop = resume->job.loop;
    const uint64_t end = resume->snapshot.runs_end,
                   most = gsi_round_up_u64(loop->plan->frame_bytes + GSI_FRAME_HEADER_BYTES,
                                           GSI_FRAME_ALIGN);
    return ref->file_idx == 0 && ref->count > 0 && ref->bytes > 0 && ref->bytes <= most &&
           ref->bytes % GSI_FRAME_ALIGN == 0 && ref->off % GSI_FRAME_ALIGN == 0 &&
           ref->off <= end && ref->bytes <= end - ref->off &&
           (uint64_t)ref->count * loop->layout->element_bytes <= most;
}

/* Reads the frames of a run. Its table is counted in the ledger. */
static enum gs_status restore_frames(struct gsi_resume *resume, struct gsi_run_entry *entry)
{
    struct gsi_loop *loop = resume->job.loop;
    struct gsi_spilled_run *run = &entry->spilled;
    const uint64_t count = run->frame_count, off = run->bytes;
    *run = (struct gsi_spilled_run){0};
    GSI_TRY(gsi_spilled_run_alloc(&loop->ledger, run, count, loop->error));
    GSI_TRY(gsi_snapshot_get(resume, off, run->frames, count * sizeof *run->frames));
    for (uint64_t i = 0; i < count; i++) {
        const struct gsi_frame_ref ref = run->frames[i]; /* it is appended at the same place */
        if (!is_frame(resume, &ref))
            return gsi_snapshot_fail_wrong(resume);
        gsi_spilled_run_append(run, &ref);
        gsi_spill_restore_frame(&resume->job.spill->store, &ref);
    }
    return run->key_count == entry->key_count ? GS_OK : gsi_snapshot_fail_wrong(resume);
}

/* Restores what was counted up to the end of the last run. */
static enum gs_status restore_counted(struct gsi_resume *resume)
{
    const struct gsi_resume_entry *last = &resume->snapshot.last[GSI_RESUME_RUN];
    struct gsi_key_scope *scope = resume->job.loop->layout->scope;
    if (resume->data_bytes > resume->job.inputs->bytes)
        return gsi_snapshot_fail_wrong(resume);
    if (scope != NULL)
        gsi_key_scope_lower(scope, last->head.run.shared);
    return gsi_resume_restore_tally(resume, last);
}

enum gs_status gsi_resume_restore_runs(struct gsi_resume *resume, struct gsi_run_list *list)
{
    struct gsi_resume_entry entry;
    uint64_t runs_end = 0;
    if (gsi_resume_snapshot(resume)->count[GSI_RESUME_RUN] == 0)
        return GS_OK;
    struct gsi_journal at = resume->first;
    do {
        GSI_TRY(gsi_snapshot_next(resume, &at, &entry));
        if (entry.type == GSI_RESUME_RUN)
            GSI_TRY(add_run(resume, list, &entry, &runs_end));
        else if (entry.type == GSI_RESUME_MERGED)
            GSI_TRY(replace_runs(resume, list, &entry));
    } while (entry.type != 0);
    if (resume->data_bytes != resume->snapshot.data_bytes) /* the journal was replaced meanwhile */
        return gsi_snapshot_fail_wrong(resume);
    for (uint32_t i = 0; i < list->count; i++)
        GSI_TRY(restore_frames(resume, &list->entries[i]));
    return restore_counted(resume);
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

struct gsi_buffer *gsi_resume_pop_counted(struct gsi_resume *resume, struct gsi_source *source)
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
    return chunk;
}

bool gsi_resume_is_counting(const struct gsi_resume *resume)
{
    return resume != NULL && resume->counting != NULL;
}

/* ---- runs to the journal ---- */

bool gsi_resume_can_seal(const struct gsi_resume *resume)
{
    if (resume == NULL)
        return true;
    const struct gsi_plan *plan = resume->job.loop->plan;
    uint64_t sorted = gsi_ceil_div_u64(plan->thread_count, plan->chunks_per_run);
    return resume->sealed - resume->appended[GSI_RESUME_RUN] < 1 + sorted;
}

void gsi_resume_sealed(struct gsi_resume *resume)
{
    if (resume != NULL)
        gsi_record_tally_save(resume->tally, seal_of(resume, resume->sealed++));
}

void gsi_resume_append_run(struct gsi_resume *resume, const struct gsi_spilled_run *run)
{
    if (resume == NULL)
        return;
    const struct gsi_resume_job *job = &resume->job;
    const struct gsi_layout *layout = job->loop->layout;
    bool is_first = layout->scope != NULL && resume->data_bytes == 0;
    resume->data_bytes += run->key_count * job->inputs->layout->element_bytes;
    resume->head.run = (struct gsi_resume_run){
        .data_bytes = resume->data_bytes,
        .runs_end = job->spill->store.files[0].end,
        .frame_count = run->frame_count,
        .tally_count = resume->tally_count,
        .shared = layout->scope != NULL ? gsi_key_scope_shared(layout->scope) : 0,
        .first_bytes = is_first ? layout->element_bytes : 0};
    resume->arrays[0] = seal_of(resume, resume->appended[GSI_RESUME_RUN]);
    resume->arrays[1] = is_first ? layout->scope->first : NULL;
    resume->arrays[2] = run->frames;
    gsi_snapshot_append(resume, GSI_RESUME_RUN, job->spill->store.files[0].fd);
}

/* Most frames of a run follow each other, and are given back together. */
static void give_back(struct gsi_spill_store *store, const struct gsi_spilled_run *run)
{
    for (uint64_t i = 0, first = 0; i < run->frame_count; i++) {
        const struct gsi_frame_ref *ref = &run->frames[i];
        bool is_end = i + 1 == run->frame_count || ref[1].off != ref->off + ref->bytes;
        (void)gsi_spill_frame_consumed(store, ref);
        if (!is_end)
            continue;
        uint64_t off = run->frames[first].off;
        gsi_spill_punch_hole(store, ref->file_idx, off, ref->off + ref->bytes - off);
        first = i + 1;
    }
    for (uint64_t i = 0; i < run->frame_count; i++)
        gsi_spill_frame_released(store, &run->frames[i]);
}

enum gs_status gsi_resume_append_merged(struct gsi_resume *resume, const struct gsi_run_list *list,
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
    gsi_snapshot_append(resume, GSI_RESUME_MERGED, job->spill->store.files[0].fd);
    enum gs_status status = gsi_resume_wait(resume);
    for (uint32_t i = first; status == GS_OK && i < first + count; i++)
        give_back(&job->spill->store, &list->entries[i].spilled);
    return status;
}

/* ---- counts of values ---- */

enum gs_status gsi_resume_restore_counts(struct gsi_resume *resume, uint64_t *counts,
                                         uint32_t value_count, struct gsi_value_sums *sums,
                                         bool *is_there)
{
    uint64_t elements = 0;
    const struct gsi_resume_entry *entry = &gsi_resume_snapshot(resume)->last[GSI_RESUME_COUNTS];
    const struct gsi_resume_counts *head = &entry->head.counts;
    *is_there = entry->type != 0;
    if (!*is_there)
        return GS_OK;
    GSI_TRY(gsi_snapshot_load(resume, entry, 0, counts, value_count * sizeof *counts));
    for (uint32_t i = 0; i < value_count; i++)
        elements += counts[i];
    if (head->data_bytes != resume->job.inputs->bytes ||
        head->data_bytes != elements * resume->job.loop->layout->element_bytes)
        return gsi_snapshot_fail_wrong(resume);
    resume->job.inputs->data_bytes = head->data_bytes;
    *sums = (struct gsi_value_sums){.sum = head->sum, .squares = head->squares};
    return GS_OK;
}

enum gs_status gsi_resume_append_counts(struct gsi_resume *resume, uint64_t *counts,
                                        uint32_t value_count, const struct gsi_value_sums *sums)
{
    if (resume == NULL)
        return GS_OK;
    resume->head.counts = (struct gsi_resume_counts){.data_bytes = resume->job.inputs->bytes,
                                                     .value_count = value_count,
                                                     .sum = sums->sum,
                                                     .squares = sums->squares};
    resume->arrays[0] = counts;
    gsi_snapshot_append(resume, GSI_RESUME_COUNTS, -1);
    return gsi_resume_wait(resume);
}

void gsi_resume_add_tally(struct gsi_resume *resume, const struct gsi_record_tally *tally)
{
    if (resume != NULL)
        gsi_record_tally_merge(resume->tally, tally);
}
