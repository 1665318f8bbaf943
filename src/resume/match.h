/* match.h: compares a journal with the job: whether the job asks for the same sort, and whether its
 * files are still the same. */
#ifndef GSI_RESUME_MATCH_H
#define GSI_RESUME_MATCH_H

#include "resume/snapshot.h"

/* gsi_resume_settings: fills resume->settings and setting_bytes: the place of the output, which is
 * located, and the settings of the job.
 * fails GS_E_MEMORY */
enum gs_status gsi_resume_settings(struct gsi_resume *resume, const struct gsi_output *output);

/* gsi_resume_match_settings: checks that the settings are those in the journal.
 * fails GS_E_USAGE: the line names the first that differs, with both values */
enum gs_status gsi_resume_match_settings(const struct gsi_resume *resume);

/* gsi_resume_describe: describes an input as it is now.
 * fails GS_E_INPUT, GS_E_IO */
enum gs_status gsi_resume_describe(const struct gsi_resume *resume, struct gsi_input *input,
                                   struct gsi_resume_input *described);

/* gsi_resume_match_inputs: checks that the inputs are still as the journal describes them.
 * in    is_placed: the output is in its place; an input that it replaced is not compared
 * fails GS_E_INPUT: the line names the first that is not, and what is different about it */
enum gs_status gsi_resume_match_inputs(const struct gsi_resume *resume, bool is_placed);

/* gsi_resume_describe_output: describes the output, which has all its bytes, as the file `fd` is
 * now.
 * gsi_resume_is_output: whether the file `fd` is the output that the journal describes.
 * fails GS_E_IO */
enum gs_status gsi_resume_describe_output(const struct gsi_resume *resume, int fd,
                                          struct gsi_resume_input *described);
enum gs_status gsi_resume_is_output(const struct gsi_resume *resume, int fd, bool *is_output);

#endif
