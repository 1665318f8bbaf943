/* disk_release.c: gathers frames that a merge has read, sorts them by offset, and punches holes
 * into their files on a thread. */
#include "spill/spill.h"

#include "base/checked.h"
#include "plan/plan.h"

#include <stdlib.h>

enum gs_status gsi_disk_release_open(struct gsi_disk_release *release, struct gsi_loop *loop,
                                     struct gsi_spill_store *store, uint64_t spilled_bytes,
                                     uint64_t frame_count)
{
    *release = (struct gsi_disk_release){.loop = loop,
                                         .store = store,
                                         .frame_count = frame_count,
                                         .limit_bytes = gsi_plan_merged_disk_bytes(spilled_bytes)};
    return GSI_NEW(&loop->ledger, release->frames, frame_count, loop->error);
}

void gsi_disk_release_close(struct gsi_disk_release *release)
{
    if (release->loop == NULL)
        return;
    GSI_FREE(&release->loop->ledger, release->frames, release->frame_count);
    *release = (struct gsi_disk_release){0};
}

static int compare_offsets(const void *a, const void *b)
{
    const struct gsi_frame_ref *x = *(const struct gsi_frame_ref *const *)a;
    const struct gsi_frame_ref *y = *(const struct gsi_frame_ref *const *)b;
    if (x->file_idx != y->file_idx)
        return x->file_idx < y->file_idx ? -1 : 1;
    return (x->off > y->off) - (x->off < y->off);
}

static void punch_holes(struct gsi_task *task, uint32_t worker_idx)
{
    (void)worker_idx;
    struct gsi_disk_release *release = GSI_CONTAINER_OF(task, struct gsi_disk_release, task);
    const struct gsi_spill_store *store = release->store;
    const struct gsi_frame_ref **frames = release->frames;
    qsort(frames + release->begin, release->releasing_end - release->begin,
          sizeof(struct gsi_frame_ref *), compare_offsets);
    for (uint64_t i = release->begin; i < release->releasing_end;) {
        const struct gsi_frame_ref *first = frames[i++], *next;
        uint64_t bytes = first->bytes;
        while (i < release->releasing_end && (next = frames[i])->file_idx == first->file_idx &&
               next->off == first->off + bytes) {
            bytes += next->bytes;
            i++;
        }
        gsi_spill_punch_hole(store, first->file_idx, first->off, bytes);
    }
}

/* Moves gathered frames of finished files to the front. A file is finished if the merge has read
 * all its frames. Returns the number of moved frames. */
static uint64_t move_finished_to_front(struct gsi_disk_release *release)
{
    uint64_t count = 0;
    const struct gsi_frame_ref **gathered = release->frames + release->releasing_end;
    for (uint64_t i = 0; i < release->end - release->releasing_end; i++) {
        const struct gsi_frame_ref *ref = gathered[i];
        if (release->store->files[ref->file_idx].live_bytes > 0)
            continue;
        gathered[i] = gathered[count];
        gathered[count++] = ref;
    }
    return count;
}

static void release_done(struct gsi_task *task);

/* Starts a task that releases frames, unless one runs. The task releases the frames of finished
 * files. If gathered frames have reached three quarters of limit_bytes, or the merge adds no more,
 * it releases all of them. */
static void start_if_due(struct gsi_disk_release *release)
{
    bool is_all = release->gathered_bytes >= release->limit_bytes / 4 * 3 || release->is_flushing;
    if (release->begin < release->releasing_end || release->releasing_end == release->end ||
        (!is_all && !release->has_finished_file))
        return;
    release->releasing_end =
        is_all ? release->end : release->releasing_end + move_finished_to_front(release);
    release->has_finished_file = false;
    if (release->begin == release->releasing_end) /* new frames were written to the finished file */
        return;
    for (uint64_t i = release->begin; i < release->releasing_end; i++)
        release->releasing_bytes += release->frames[i]->bytes;
    release->gathered_bytes -= release->releasing_bytes;
    release->task = (struct gsi_task){.run = punch_holes, .done = release_done, .is_urgent = true};
    gsi_pool_submit(release->loop->disk_pool, &release->task);
}

static void release_done(struct gsi_task *task)
{
    struct gsi_disk_release *release = GSI_CONTAINER_OF(task, struct gsi_disk_release, task);
    for (; release->begin < release->releasing_end; release->begin++)
        gsi_spill_frame_released(release->store, release->frames[release->begin]);
    release->releasing_bytes = 0;
    start_if_due(release);
}

bool gsi_disk_release_is_full(const struct gsi_disk_release *release)
{
    return release->releasing_bytes > 0 &&
           release->releasing_bytes + release->gathered_bytes >= release->limit_bytes;
}

bool gsi_disk_release_is_idle(const struct gsi_disk_release *release)
{
    return release->begin == release->end;
}

void gsi_disk_release_add(struct gsi_disk_release *release, const struct gsi_frame_ref *ref,
                          bool is_last)
{
    release->frames[release->end++] = ref;
    release->gathered_bytes += ref->bytes;
    release->has_finished_file |= gsi_spill_frame_consumed(release->store, ref);
    release->is_flushing = is_last;
    start_if_due(release);
}

void gsi_disk_release_flush(struct gsi_disk_release *release)
{
    release->is_flushing = true;
    start_if_due(release);
}
