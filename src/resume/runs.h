/* runs.h: --resume while runs are made: tallies what is read, and saves runs in the journal. The
 * calls of a sort do nothing without a journal (NULL). */
#ifndef GSI_RESUME_RUNS_H
#define GSI_RESUME_RUNS_H

#include "element/tally/tally_sums.h"
#include "element/value_counts.h"
#include "input/source.h"
#include "loop/run_list.h"
#include "resume/snapshot.h"

/* gsi_resume_runs_plan: returns the memory that the tally and seals need. */
uint64_t gsi_resume_runs_plan(const struct gsi_resume *resume, uint32_t thread_count);

enum gs_status gsi_resume_runs_open(struct gsi_resume *resume);
void gsi_resume_runs_close(struct gsi_resume *resume); /* also half-open ones */

/* gsi_resume_runs_add_saved: adds the tally that is saved at `off` in the journal.
 * gsi_resume_runs_tally: returns the tally of everything that was read, before and after kills. */
enum gs_status gsi_resume_runs_add_saved(struct gsi_resume *resume, uint64_t off);
struct gsi_tally_report gsi_resume_runs_tally(struct gsi_resume *resume);

/* gsi_resume_counts_restore: reads how often each of `value_count` values occurs, if the journal
 * says that: *is_there. Then all of the input is read.
 * gsi_resume_counts_note: appends it, and waits until it is on the disk.
 * gsi_resume_counts_tally: `tally` is of everything that was read.
 * fails GS_E_CORRUPT */
enum gs_status gsi_resume_counts_restore(struct gsi_resume *resume, uint64_t *counts,
                                         uint32_t value_count, struct gsi_value_sums *sums,
                                         bool *is_there);
enum gs_status gsi_resume_counts_note(struct gsi_resume *resume, uint64_t *counts,
                                      uint32_t value_count, const struct gsi_value_sums *sums);
void gsi_resume_counts_tally(struct gsi_resume *resume, const struct gsi_record_tally *tally);

/* gsi_resume_runs_restore: appends the runs in the journal to an empty list.
 * out   data_bytes: of the input, in these
 * fails GS_E_CORRUPT: the journal contradicts itself */
enum gs_status gsi_resume_runs_restore(struct gsi_resume *resume, struct gsi_run_list *list,
                                       uint64_t *data_bytes);

/* gsi_resume_runs_next: returns the next filled chunk, after it was counted; NULL: not yet, or
 * none. gsi_resume_runs_is_idle: returns whether no chunk is being counted. */
struct gsi_buffer *gsi_resume_runs_next(struct gsi_resume *resume, struct gsi_source *source);
bool gsi_resume_runs_is_idle(const struct gsi_resume *resume);

/* gsi_resume_runs_can_seal: returns whether another run may be sealed. A kill loses sealed runs
 * that are not in the journal yet, so only few may be.
 * gsi_resume_runs_sealed: all chunks so far are in runs.
 * gsi_resume_runs_note: appends the oldest sealed run, which is spilled. No other entry may be on
 * its way to the journal. */
bool gsi_resume_runs_can_seal(const struct gsi_resume *resume);
void gsi_resume_runs_sealed(struct gsi_resume *resume);
void gsi_resume_runs_note(struct gsi_resume *resume, const struct gsi_spilled_run *run);

/* gsi_resume_runs_merged: `merged` is about to replace `count` runs from `first` on. Saves that in
 * the journal, and then gives their frames back. */
enum gs_status gsi_resume_runs_merged(struct gsi_resume *resume, const struct gsi_run_list *list,
                                      uint32_t first, uint32_t count,
                                      const struct gsi_spilled_run *merged);

#endif
