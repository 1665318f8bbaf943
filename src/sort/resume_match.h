/* resume_match.h: whether a sort on record is the one that was asked for now. */
#ifndef GSI_RESUME_MATCH_H
#define GSI_RESUME_MATCH_H

#include "sort/resume.h"

/* gsi_resume_describe: what has to be the same when the sort goes on: of plan, options and output;
 * they are there. *inputs: of each input, from malloc; NULL: not asked for.
 * fails GS_E_INPUT, GS_E_MEMORY */
enum gs_status gsi_resume_describe(struct gsi_job *job, struct gsi_resume_begin *begin,
                                   struct gsi_resume_input **inputs);

/* gsi_resume_match: fails GS_E_INPUT, naming the first input that is not what it was: `inputs` are
 * those on record, unaligned. */
enum gs_status gsi_resume_match(struct gsi_resume *resume, const struct gsi_resume_begin *begin,
                                const uint8_t *inputs);

#endif
