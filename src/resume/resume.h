/* resume.h: --resume DIR: keeps a journal of what a sort has done, so that the same command
 * continues it after a kill.
 *
 *     DIR/manifest   the journal (journal.h), which consists of entries (entry.h)
 *     DIR/runs       the frames of all runs: every run is spilled
 *     DIR/output     the output, as far as it is written; renamed over the target at the end
 *
 * An example: a sort of 5 runs, killed twice. An entry is appended once the data that it describes
 * are on the disk. It is on the disk itself before the next one is begun.
 *
 *     process 1   BEGIN  INPUTS  RUN 1  RUN 2  RUN 3    killed while it spills run 4
 *     process 2   reads the journal: three runs, and where run 3 ends in the input and in DIR/runs
 *                 reads the input from there; what was read after run 3 is read again
 *                 RUN 4  RUN 5, then the merge: WRITTEN 64 MiB  WRITTEN 128 MiB    killed
 *     process 3   reads nothing of the input. The last WRITTEN says how many elements of each run
 *                 are in the output: the merge begins after these, and the output at 128 MiB
 *                 WRITTEN ..  DONE, rename over the target, DIR removed
 *
 * So a kill costs what was read since the last RUN, or written since the last WRITTEN. There is a
 * mark for every 256th part of the output, and at least every 64 MiB. RUN contains the tally. All
 * threads count each chunk before the device gets it, so the tally is known at the end of each run.
 *
 * Numbers of 1 or 2 bytes are counted, and there are no runs. COUNTS has their counts once
 * everything is read. A kill before that costs all that was read. A mark in the output is one in a
 * list of one run, which has all elements.
 *
 * A shuffle sorts entries, a random key and an element each. Tallies and digests in its journal are
 * of elements. Positions in inputs and outputs follow from the number of elements.
 *
 * If the journal ends with DONE, the output only has to be put in its place. The journal is created
 * before DIR/runs and DIR/output, and removed after them. So files of these names without a journal
 * belong to somebody else, and are left alone.
 *
 * A resumed sort keeps the sizes of its plan: chunks, frames, and the number of runs that are
 * merged at once. They constrain the new plan, so a later gsort that plans otherwise continues the
 * journal. It needs the memory that the plan was made for. Threads may be fewer; or more, where
 * there is memory for them. Only the first process asks the machine how much a share of memory is.
 *
 * Costs: every run is spilled, and frames stay on the disk until the whole merge that reads them is
 * done. 4 GiB in 512 MiB took 0.97 of the time of --spill always, in 256 MiB 1.07; 16 GiB in 512
 * MiB, killed 50 times, read 1.26 times as much (gsort-bench/RESULTS.md).
 *
 * Rejected:
 *
 *     resident runs, and one pass for nearly sorted input: a kill would lose data in memory
 *     GPUs: only merges of the CPU say how much of each run is in their output
 *     marks inside intermediate merges, which are rare: they begin again
 *
 * In doubt: inputs are taken for the same if their size, inode, times and 16 samples of their
 * content are. Only the ends of some marks are read again; --verify=read reads all of the output.
 *
 * This header contains the calls of a job: its plan and its output (resume_job.c), its runs
 * (runs.c) and the marks in its output (output_marks.c). Without a journal (NULL) they do nothing.
 * resume_parts.h contains what these files share. */
#ifndef GSI_RESUME_H
#define GSI_RESUME_H

#include "loop/run_list.h"
#include "output/target.h"
#include "plan/plan.h"
#include "resume/entry.h"
#include "spill/spill.h"

#include <stdio.h>

struct gsi_delivery;
struct gsi_merger_spec;
struct gsi_record_tally;
struct gsi_resume;
struct gsi_source;
struct gsi_value_sums;

/* What --resume did. */
struct gsi_resume_report {
    uint64_t bytes, output_bytes; /* done before, by another process */
    bool is_kept;                 /* the same job would continue */
};

/* The parts of a job that --resume reads and changes. */
struct gsi_resume_job {
    const char *dir, *output; /* as they were given */
    bool memory_is_open; /* any memory of the machine may be used: --memory promises no number */
    /* Writes names and values, each with a NUL after it. */
    void (*put_settings)(const void *context, FILE *to);
    const void *context;
    uint64_t *seed; /* of a shuffle; that in the journal replaces it. NULL: no shuffle */
    struct gsi_resume_report *report;
    struct gsi_tally_report *tally, *field_tallies; /* the job's */
    struct gsi_loop *loop;
    struct gsi_inputs *inputs;
    struct gsi_target *target;
    struct gsi_spill *spill;
};

/* The contents of the journal when a process begins. */
struct gsi_snapshot {
    bool has_entries; /* there is something to continue with, in the same memory */
    bool has_runs;    /* it sorts, with the plan of `begin`; otherwise, it counts values */
    bool is_written;  /* it ends with DONE */
    struct gsi_resume_begin begin;
    struct gsi_resume_entry last[GSI_RESUME_TYPES]; /* of each type; type 0: none */
    uint64_t count[GSI_RESUME_TYPES];               /* entries of each type */
    uint64_t data_bytes;                            /* of the input, in runs or counts */
    uint64_t runs_end;                              /* where DIR/runs ends */
    uint64_t held_bytes;                            /* disk that files in DIR have */
};

/* gsi_resume_open: opens DIR once the inputs are known. If DIR has a journal, it reads that and
 * compares it with the inputs.
 * fails GS_E_USAGE: DIR cannot be used; GS_E_INPUT: an input has changed; GS_E_CORRUPT: the journal
 *       cannot be read */
enum gs_status gsi_resume_open(const struct gsi_resume_job *job, struct gsi_resume **resume);

/* gsi_resume_close: removes gsort's files from DIR, and DIR if it is empty then, in three cases:
 * all is done; the journal is empty; the files have proved wrong.
 * in    status: how the job ended */
void gsi_resume_close(struct gsi_resume *resume, enum gs_status status);

/* gsi_resume_snapshot: returns what the journal said; never NULL. */
const struct gsi_snapshot *gsi_resume_snapshot(const struct gsi_resume *resume);

/* gsi_resume_constrain: changes a request so that the plan will be the first process's.
 * fails GS_E_USAGE: the memory that the plan was made for is not there */
enum gs_status gsi_resume_constrain(const struct gsi_resume *resume,
                                    struct gsi_plan_request *request, struct gs_error *error);

/* gsi_resume_plan: checks a plan that was made from such a request: it is the first process's. Adds
 * as many threads as the budget has beyond that.
 * in    codec: whose memory the request counts by now
 * out   begin: what the journal keeps of the plan
 * fails GS_E_USAGE: it is another plan */
enum gs_status gsi_resume_plan(const struct gsi_resume *resume, const struct gsi_budget *budget,
                               const struct gsi_plan_request *request,
                               const struct gsi_codec_plan *codec, struct gsi_plan *plan,
                               struct gsi_resume_begin *begin, struct gs_error *error);

/* gsi_resume_start: once plan and output are there: the output is written in DIR from now on.
 * fails GS_E_USAGE: the output is in another file system; files in DIR are not ours */
enum gs_status gsi_resume_start(struct gsi_resume *resume, const struct gsi_resume_begin *begin);

/* gsi_resume_open_store: opens a store with the frames in the journal. */
enum gs_status gsi_resume_open_store(struct gsi_resume *resume, struct gsi_spill_store *store);

/* gsi_resume_append_done: the whole output is written, and only has to be put in its place.
 * gsi_resume_finish: puts it there in another process, if it is not there yet.
 * fails GS_E_INPUT: the file in its place is not the output that the journal describes;
 *       GS_E_CORRUPT: the file in DIR is not
 * gsi_resume_end: the output is in its place: removes the journal, so that it stays removed after a
 * power cut. */
enum gs_status gsi_resume_append_done(struct gsi_resume *resume);
enum gs_status gsi_resume_finish(struct gsi_resume *resume);
enum gs_status gsi_resume_end(struct gsi_resume *resume);

/* gsi_resume_is_idle: returns whether no entry is on its way to the journal.
 * gsi_resume_wait: waits until that is so. */
bool gsi_resume_is_idle(const struct gsi_resume *resume);
enum gs_status gsi_resume_wait(struct gsi_resume *resume);

/* ---- runs ---- */

/* gsi_resume_tally: returns the tally of everything that was read, before and after kills. */
struct gsi_tally_report gsi_resume_tally(struct gsi_resume *resume);

/* gsi_resume_restore_runs: appends the runs in the journal to an empty list. All of the input
 * before snapshot->data_bytes is in them.
 * fails GS_E_CORRUPT: the journal contradicts itself */
enum gs_status gsi_resume_restore_runs(struct gsi_resume *resume, struct gsi_run_list *list);

/* gsi_resume_pop_counted: returns the next filled chunk, after it was counted; NULL: not yet, or
 * none. gsi_resume_is_counting: returns whether a chunk is being counted. */
struct gsi_buffer *gsi_resume_pop_counted(struct gsi_resume *resume, struct gsi_source *source);
bool gsi_resume_is_counting(const struct gsi_resume *resume);

/* gsi_resume_can_seal: returns whether another run may be sealed. A kill loses sealed runs that are
 * not in the journal yet, so only few may be.
 * gsi_resume_sealed: all chunks so far are in runs.
 * gsi_resume_append_run: appends the oldest sealed run, which is spilled. No other entry may be on
 * its way to the journal.
 * gsi_resume_append_merged: `merged` is about to replace `count` runs from `first` on. Saves that
 * in the journal, and then gives their frames back. */
bool gsi_resume_can_seal(const struct gsi_resume *resume);
void gsi_resume_sealed(struct gsi_resume *resume);
void gsi_resume_append_run(struct gsi_resume *resume, const struct gsi_spilled_run *run);
enum gs_status gsi_resume_append_merged(struct gsi_resume *resume, const struct gsi_run_list *list,
                                        uint32_t first, uint32_t count,
                                        const struct gsi_spilled_run *merged);

/* gsi_resume_restore_counts: reads how often each of `value_count` values occurs, if the journal
 * says that: *is_there. Then all of the input is read.
 * gsi_resume_append_counts: appends it, and waits until it is on the disk.
 * gsi_resume_add_tally: `tally` is of everything that was read.
 * fails GS_E_CORRUPT */
enum gs_status gsi_resume_restore_counts(struct gsi_resume *resume, uint64_t *counts,
                                         uint32_t value_count, struct gsi_value_sums *sums,
                                         bool *is_there);
enum gs_status gsi_resume_append_counts(struct gsi_resume *resume, uint64_t *counts,
                                        uint32_t value_count, const struct gsi_value_sums *sums);
void gsi_resume_add_tally(struct gsi_resume *resume, const struct gsi_record_tally *tally);

/* ---- marks in the output ---- */

/* gsi_resume_mark_output: appends marks from now on, as it watches the merge of the list and the
 * delivery. The runs of the list lose the elements that are written, by the journal. The merge, the
 * sink and the check continue from there. */
enum gs_status gsi_resume_mark_output(struct gsi_resume *resume, struct gsi_run_list *list,
                                      struct gsi_delivery *delivery, struct gsi_merger_spec *merge);

#endif
