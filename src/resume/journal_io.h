/* journal_io.h: brings entries of the sort's journal to the disk, and reads them back. The journal
 * is read entry by entry, as often as it is needed, and is never in memory as a whole. */
#ifndef GSI_JOURNAL_IO_H
#define GSI_JOURNAL_IO_H

#include "resume/resume.h"

/* gsi_resume_entry_next: reads the next entry of any type; *is_there false: there is no other. */
enum gs_status gsi_resume_entry_next(const struct gsi_resume *resume, struct gsi_journal *journal,
                                     struct gsi_resume_entry *entry, bool *is_there);

/* gsi_resume_next: reads the next entry behind BEGIN, at *journal, which starts as a copy of
 * resume->first; *is_there false: there is no further one. */
enum gs_status gsi_resume_next(const struct gsi_resume *resume, struct gsi_journal *journal,
                               struct gsi_resume_entry *entry, bool *is_there);

/* gsi_resume_entries: returns how many entries the runs in the journal have. */
static inline uint64_t gsi_resume_entries(const struct gsi_resume *resume)
{
    return resume->data_bytes / resume->job.inputs->layout->element_bytes;
}

/* gsi_resume_fail_version: fails with GS_E_USAGE: the file is no journal, or one of another
 * gsort. */
enum gs_status gsi_resume_fail_version(const struct gsi_resume *resume, struct gs_error *error);

/* gsi_resume_get: reads `bytes` of an entry's array, which are at `off` in the file.
 * fails GS_E_CORRUPT: they are gone */
enum gs_status gsi_resume_get(const struct gsi_resume *resume, uint64_t off, void *data,
                              uint64_t bytes);

/* gsi_resume_append: syncs `sync_fd`, unless it is -1, then appends an entry of resume->head and
 * resume->parts[1 .. part_count). No other entry may be under way (is_appending). `appended` is
 * called on the owner's thread. A failure fails the job.
 * gsi_resume_is_idle: whether no entry is under way.
 * gsi_resume_wait: waits until the entry is on the disk. NULL is fine, also for gsi_resume_is_idle.
 */
void gsi_resume_append(struct gsi_resume *resume, enum gsi_resume_type type, int sync_fd,
                       void (*appended)(struct gsi_resume *resume));
bool gsi_resume_is_idle(const struct gsi_resume *resume);
enum gs_status gsi_resume_wait(struct gsi_resume *resume);

#endif
