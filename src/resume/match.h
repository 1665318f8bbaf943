/* match.h: whether a sort on record is the one that was asked for now, and its files are the
 * files that there are. */
#ifndef GSI_RESUME_MATCH_H
#define GSI_RESUME_MATCH_H

#include "resume/record.h"

/* gsi_resume_settings: resume->settings of the options, and how many bytes they are: what decides
 * about the output, and what was asked about the plan. `output` is located.
 * fails GS_E_MEMORY */
enum gs_status gsi_resume_settings(struct gsi_resume *resume, const struct gsi_output *output);

/* gsi_resume_match_settings: they are those of BEGIN.
 * fails GS_E_USAGE: names the first that is not, with both values */
enum gs_status gsi_resume_match_settings(const struct gsi_resume *resume,
                                         const struct gsi_resume_entry *begin);

/* gsi_resume_describe: an input as it is now.
 * fails GS_E_INPUT, GS_E_IO */
enum gs_status gsi_resume_describe(const struct gsi_resume *resume, struct gsi_input *input,
                                   struct gsi_resume_input *described);

/* gsi_resume_match_inputs: they are those on record. With `is_placed` the output is in its place,
 * so one that it replaced is not looked at.
 * fails GS_E_INPUT: names the first that is not, and what is different about it */
enum gs_status gsi_resume_match_inputs(const struct gsi_resume *resume, bool is_placed);

/* gsi_resume_describe_output: job->output, which has all its bytes, as it is now; by descriptor.
 * gsi_resume_is_output: whether the file `fd` is that one.
 * fails GS_E_IO */
enum gs_status gsi_resume_describe_output(const struct gsi_resume *resume, int fd,
                                          struct gsi_resume_input *described);
enum gs_status gsi_resume_is_output(const struct gsi_resume *resume, int fd, bool *is_output);

#endif
