/* summary.h: the journal as a whole: sums up one that is there, and begins a new one. */
#ifndef GSI_RESUME_SUMMARY_H
#define GSI_RESUME_SUMMARY_H

#include "resume/journal_io.h"

/* gsi_resume_journal_read: sums up in *resume what the journal resume->journal.fd says.
 * fails GS_E_USAGE: it is of another version; GS_E_CORRUPT: it is no journal */
enum gs_status gsi_resume_journal_read(struct gsi_resume *resume);

/* gsi_resume_journal_begin: begins a new journal. It is named `name` once its beginning is whole,
 * and `new_name` until then. */
enum gs_status gsi_resume_journal_begin(struct gsi_resume *resume, const char *name,
                                        const char *new_name);

#endif
