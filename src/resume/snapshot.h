/* snapshot.h: the journal of a sort: reads it, sums it up, and appends entries to it. The journal
 * is read entry by entry, as often as needed. It is never in memory as a whole. */
#ifndef GSI_SNAPSHOT_H
#define GSI_SNAPSHOT_H

#include "resume/resume.h"

/* gsi_snapshot_read: reads the journal resume->journal, and sums it up in resume->snapshot.
 * fails GS_E_USAGE: it is no journal, or of another version */
enum gs_status gsi_snapshot_read(struct gsi_resume *resume);

/* gsi_snapshot_next: reads the next entry after BEGIN, at *at, which starts as a copy of
 * resume->first. Moves *at to the end of the entry. entry->type is 0 if there is no further one. */
enum gs_status gsi_snapshot_next(const struct gsi_resume *resume, struct gsi_journal *at,
                                 struct gsi_resume_entry *entry);

/* gsi_snapshot_get: reads `bytes` of an entry's array, which are at `off` in the journal.
 * fails GS_E_CORRUPT: they are gone */
enum gs_status gsi_snapshot_get(const struct gsi_resume *resume, uint64_t off, void *data,
                                uint64_t bytes);

/* gsi_snapshot_append: syncs `sync_fd`, unless it is -1, then appends an entry of resume->head and
 * resume->arrays, whose sizes the head says. No other entry may be under way. `appended` is called
 * on the owner's thread. A failure fails the job.
 * gsi_snapshot_is_idle: returns whether no entry is under way. NULL is fine.
 * gsi_snapshot_wait: waits until the entry is on the disk. NULL is fine. */
void gsi_snapshot_append(struct gsi_resume *resume, enum gsi_resume_type type, int sync_fd,
                         void (*appended)(struct gsi_resume *resume));
bool gsi_snapshot_is_idle(const struct gsi_resume *resume);
enum gs_status gsi_snapshot_wait(struct gsi_resume *resume);

/* gsi_snapshot_fail_version: fails with GS_E_USAGE: the file is no journal, or one of another
 * gsort. gsi_snapshot_fail_wrong: fails with GS_E_CORRUPT; gsi_resume_close will remove the files.
 * */
enum gs_status gsi_snapshot_fail_version(const struct gsi_resume *resume, struct gs_error *error);
enum gs_status gsi_snapshot_fail_wrong(const struct gsi_resume *resume);

/* gsi_snapshot_entries: returns how many entries the runs in the journal have. */
static inline uint64_t gsi_snapshot_entries(const struct gsi_resume *resume)
{
    return resume->snapshot.data_bytes / resume->job.inputs->layout->element_bytes;
}

#endif
