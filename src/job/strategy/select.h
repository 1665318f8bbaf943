/* select.h: --quantiles and --histogram without a sort (--stats-only): exact, in few passes over
 * the files.
 *
 *     sample      small blocks from everywhere -> a bracket around each quantile, likely to hold it
 *     pass 1      tally; keys in brackets are kept, all others counted (quantile.h)
 *     pass 2, 3   better brackets, where a rank was outside or a bracket did not fit
 *
 * The width of a bracket is estimated: it follows how much neighbouring blocks of the sample
 * differ. So sorted, clustered and random data each get what they need. A wrong estimate costs a
 * pass, never exactness. The first pass finds the ends of bins, the next one counts them. Little
 * data have one bracket for all; so have streams, which are read once. A stream that does not fit
 * is refused. */
#ifndef GSI_SELECT_H
#define GSI_SELECT_H

#include "job/job.h"
#include "option/options.h"

/* gsi_select_is_wanted: whether the job has quantiles or bins to find without a sort.
 * gsi_select_plan: the bump allocator of kept keys, out of `memory_bytes` in all; empty: it has
 * none.
 * gsi_select: does the job.
 * fails GS_E_USAGE: a stream is too long for that; GS_E_INPUT: an input changed between passes */
bool gsi_select_is_wanted(const struct gsi_options *options);
struct gsi_bump gsi_select_plan(const struct gsi_job *job, uint64_t memory_bytes);
enum gs_status gsi_select(struct gsi_job *job);

#endif
