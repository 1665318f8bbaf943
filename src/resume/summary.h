/* summary.h: a record as a whole: sums up one that is there, and begins a new one. */
#ifndef GSI_RESUME_SUMMARY_H
#define GSI_RESUME_SUMMARY_H

#include "resume/record.h"

/* gsi_resume_record_read: sums up in *resume what the record resume->journal.fd says.
 * fails GS_E_CORRUPT: it is no record, or of another version */
enum gs_status gsi_resume_record_read(struct gsi_resume *resume);

/* gsi_resume_record_bytes: the memory that gsi_resume_record_begin takes, for the plan.
 * gsi_resume_record_begin: begins a new record. It is named `name` once its beginning is whole, and
 * `new_name` until then. */
uint64_t gsi_resume_record_bytes(const struct gsi_resume *resume);
enum gs_status gsi_resume_record_begin(struct gsi_resume *resume, const char *name,
                                       const char *new_name);

#endif
