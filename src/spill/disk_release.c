/* disk_release.c: collects frames, sorts them by offset, and punches holes on a thread. */
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
                                         .most_bytes = gsi_plan_unreleased_bytes(spilled_bytes)};
    return GSI_NEW(&loop->ledger, release->frames, frame_count, loop->error);
}

void gsi_disk_release_close(struct gsi_disk_release *release)
{
    if (release->loop == NULL)
        return;
    GSI_FREE(&release->loop->ledger, release->frames, release->frame_count);
    *release = (struct gsi_disk_release){0};
}

static int compare_places(const void *a, const void *b)
{
    const struct gsi_frame_ref *x = *(const struct gsi_frame_ref *const *)a;
    const struct gsi_frame_ref *y = *(const struct gsi_frame_ref *const *)b;
    if (x->file_idx != y->file_idx)
        return x->file_idx < y->file_idx ? -1 : 1;
    return (x->off > y->off) - (x->off < y->off);
}

static void give_back(struct gsi_task *task, uint32_t worker_idx)
{
    (void)worker_idx;
    struct gsi_disk_release *release = GSI_CONTAINER_OF(task, struct gsi_disk_release, task);
    const struct gsi_spill_store *store = release->store;
    const struct gsi_frame_ref **frames = release->frames;
    qsort(frames + release->begin, release->busy_end - release->begin,
          sizeof(struct gsi_frame_ref *), compare_places);
    for (uint64_t i = release->begin; i < release->busy_end;) {
        const struct gsi_frame_ref *first = frames[i++], *next;
        uint64_t bytes = first->bytes;
        while (i < release->busy_end && (next = frames[i])->file_idx == first->file_idx &&
               next->off == first->off + bytes) {
            bytes += next->bytes;
            i++;
        }
        gsi_spill_punch(store, first->file_idx, first->off, bytes);
    }
}

/* Moves the gathered frames of files that hold nothing else to the front. Returns their number. */
static uint64_t partition(struct gsi_disk_release *release)
{
    uint64_t count = 0;
    const struct gsi_frame_ref **gathered = release->frames + release->busy_end;
    for (uint64_t i = 0; i < release->end - release->busy_end; i++) {
        const struct gsi_frame_ref *ref = gathered[i];
        if (release->store->files[ref->file_idx].live_bytes > 0)
            continue;
        gathered[i] = gathered[count];
        gathered[count++] = ref;
    }
    return count;
}

static void give_back_done(struct gsi_task *task);

/* Starts a release if it is due. Files that are no longer needed are released at once. All gathered
 * frames are released when only little more may be gathered meanwhile. */
static void begin_if_due(struct gsi_disk_release *release)
{
    bool is_all = release->gathered_bytes >= release->most_bytes / 4 * 3 || release->is_ended;
    if (release->begin < release->busy_end || release->busy_end == release->end ||
        (!is_all && !release->has_free_file))
        return;
    release->busy_end = is_all ? release->end : release->busy_end + partition(release);
    release->has_free_file = false;
    if (release->begin == release->busy_end) /* the file got new frames since */
        return;
    for (uint64_t i = release->begin; i < release->busy_end; i++)
        release->busy_bytes += release->frames[i]->bytes;
    release->gathered_bytes -= release->busy_bytes;
    release->task = (struct gsi_task){.run = give_back, .done = give_back_done, .is_urgent = true};
    gsi_pool_submit(release->loop->disk_pool, &release->task);
}

static void give_back_done(struct gsi_task *task)
{
    struct gsi_disk_release *release = GSI_CONTAINER_OF(task, struct gsi_disk_release, task);
    for (; release->begin < release->busy_end; release->begin++)
        gsi_spill_released(release->store, release->frames[release->begin]);
    release->busy_bytes = 0;
    begin_if_due(release);
}

bool gsi_disk_release_is_full(const struct gsi_disk_release *release)
{
    return release->busy_bytes > 0 &&
           release->busy_bytes + release->gathered_bytes >= release->most_bytes;
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
    release->has_free_file |= gsi_spill_done(release->store, ref);
    release->is_ended = is_last;
    begin_if_due(release);
}

void gsi_disk_release_end(struct gsi_disk_release *release)
{
    release->is_ended = true;
    begin_if_due(release);
}
