/* record.h: the record of a sort: entries on their way to the disk, and back. It is read
 * piece by piece, as often as it is needed, and never held as a whole. */
#ifndef GSI_RESUME_RECORD_H
#define GSI_RESUME_RECORD_H

#include "resume/resume.h"

/* gsi_resume_entry_next: the next entry of any kind; *is_there false: there is no further one. */
enum gs_status gsi_resume_entry_next(const struct gsi_resume *resume, struct gsi_journal *journal,
                                     struct gsi_resume_entry *entry, bool *is_there);

/* gsi_resume_next: the next entry behind BEGIN, from *journal on, which begins as resume->first.
 * *is_there false: there is no further one. */
enum gs_status gsi_resume_next(const struct gsi_resume *resume, struct gsi_journal *journal,
                               struct gsi_resume_entry *entry, bool *is_there);

/* gsi_resume_fail_version: GS_E_CORRUPT: the record is none, or of another gsort. */
enum gs_status gsi_resume_fail_version(const struct gsi_resume *resume);

/* gsi_resume_get: `bytes` of an entry's part, which are at `off`.
 * fails GS_E_CORRUPT: they are gone */
enum gs_status gsi_resume_get(const struct gsi_resume *resume, uint64_t off, void *data,
                              uint64_t bytes);

/* gsi_resume_record: resume->head and resume->parts[1 .. part_count) become an entry once `sync_fd`
 * is synced. Nothing else may be under way (is_recording); `recorded` is called on the owner's
 * thread. A failure is the job's. gsi_resume_wait: until it is recorded. */
void gsi_resume_record(struct gsi_resume *resume, enum gsi_resume_type type, int sync_fd,
                       void (*recorded)(struct gsi_resume *resume));
enum gs_status gsi_resume_wait(struct gsi_resume *resume);

#endif
