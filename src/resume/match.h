/* match.h: the journal as a whole. Sums up a journal, and begins a new one. Compares a journal with
 * the job: whether the job asks for the same sort, and whether its files are still the same. */
#ifndef GSI_RESUME_MATCH_H
#define GSI_RESUME_MATCH_H

#include "resume/journal_io.h"

/* gsi_resume_settings: fills resume->settings and setting_bytes: the place of the output, which is
 * located, and the settings of the job.
 * fails GS_E_MEMORY */
enum gs_status gsi_resume_settings(struct gsi_resume *resume, const struct gsi_output *output);

/* gsi_resume_match_settings: checks that the settings are those of BEGIN.
 * fails GS_E_USAGE: the line names the first that differs, with both values */
enum gs_status gsi_resume_match_settings(const struct gsi_resume *resume,
                                         const struct gsi_resume_entry *begin);

/* gsi_resume_describe: describes an input as it is now.
 * fails GS_E_INPUT, GS_E_IO */
enum gs_status gsi_resume_describe(const struct gsi_resume *resume, struct gsi_input *input,
                                   struct gsi_resume_input *described);

/* gsi_resume_match_inputs: checks that the inputs are still as the journal describes them.
 * in    is_placed: the output is in its place; an input that it replaced is not looked at
 * fails GS_E_INPUT: the line names the first that is not, and what is different about it */
enum gs_status gsi_resume_match_inputs(const struct gsi_resume *resume, bool is_placed);

/* gsi_resume_describe_output: describes the output, which has all its bytes, as the file `fd` is
 * now.
 * gsi_resume_is_output: whether the file `fd` is the output that the journal describes.
 * fails GS_E_IO */
enum gs_status gsi_resume_describe_output(const struct gsi_resume *resume, int fd,
                                          struct gsi_resume_input *described);
enum gs_status gsi_resume_is_output(const struct gsi_resume *resume, int fd, bool *is_output);

/* gsi_resume_journal_read: sums up in *resume what the journal resume->journal.fd says.
 * fails GS_E_USAGE: it is of another version; GS_E_CORRUPT: it is no journal */
enum gs_status gsi_resume_journal_read(struct gsi_resume *resume);

/* gsi_resume_journal_begin: begins a new journal. It is named `name` once its beginning is whole,
 * and `new_name` until then. */
enum gs_status gsi_resume_journal_begin(struct gsi_resume *resume, const char *name,
                                        const char *new_name);

#endif
