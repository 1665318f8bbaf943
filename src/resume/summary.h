/* summary.h: a record as a whole: what one that is there says, and how a new one begins. */
#ifndef GSI_RESUME_SUMMARY_H
#define GSI_RESUME_SUMMARY_H

#include "resume/record.h"

/* gsi_resume_record_read: resume->journal.fd is a record: what it says is summed up in *resume.
 * fails GS_E_CORRUPT: it is none, or of another version */
enum gs_status gsi_resume_record_read(struct gsi_resume *resume);

/* gsi_resume_record_bytes: of memory that record_begin takes, for the plan.
 * gsi_resume_record_begin: a new one, which is to be `name` once it is whole; until then its name
 * is `new_name`. */
uint64_t gsi_resume_record_bytes(const struct gsi_resume *resume);
enum gs_status gsi_resume_record_begin(struct gsi_resume *resume, const char *name,
                                       const char *new_name);

#endif
