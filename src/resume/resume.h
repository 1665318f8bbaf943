/* resume.h: --resume DIR: what a sort has done is on record, so that after a kill the same command
 * goes on from there.
 *
 *     DIR/manifest   the record: a journal (resume/journal.h) of entries (entry.h)
 *     DIR/runs       the frames of all runs, which are spilled, every one
 *     DIR/output     the output, as far as it is written; renamed over the target at the end
 *
 *     source -> counted -> device -> run -> runs -> synced, RUN    a kill loses what was read since
 *     runs -> merge -> output  -> every now and then synced, WRITTEN    ..what was written since
 *
 * Here: the directory, and what goes on. record.h: entries, to the disk and back;
 * match.h: what must be the same; runs.h: runs; output_marks.h: the output.
 *
 * The record is there before RUNS and OUTPUT are, and goes after them: so files of these names
 * without a record are somebody else's, and are left alone.
 *
 * What was planned stays: chunks, frames, how many runs are merged at once. The memory that it was
 * planned for has to be there again; threads may be more, where there is memory for them, or fewer.
 * What a share of memory, or the default, comes to is asked of the machine the first time only.
 *
 * The tally is taken of the input before it is given to the device, chunk by chunk, so that it can
 * be kept at the end of each run. Space is given back at the end only. On the CPU only, whose merges
 * say how much of each run is in their output. */
#ifndef GSI_RESUME_H
#define GSI_RESUME_H

#include "merge/recorder.h"
#include "output/target.h"
#include "plan/plan.h"
#include "resume/entry.h"
#include "resume/kept_dir.h"
#include "spill/spill.h"

struct gsi_output_marks;

/* Snapshots of the tally: of runs that are sealed and not yet on record. */
struct gsi_resume_seal {
    uint64_t data_bytes;
    struct gsi_tally_saved *tallies; /* tally_count */
};

/* What of a job is recorded. */
struct gsi_resume_job {
    const struct gs_options *options;
    struct gs_report *report;
    struct gsi_loop *loop;
    struct gsi_inputs *inputs;
    struct gsi_target *target;
    struct gsi_spill *spill;
};

struct gsi_resume {
    struct gsi_recorder recorder; /* what stages tell; recorder.c implements it */
    struct gsi_resume_job job;
    struct gsi_kept_dir dir;
    struct gsi_journal journal;
    bool is_ours; /* begun, or gone on with: may be removed */
    bool is_done; /* the output is in its place */
    struct gsi_resume_begin begin;
    char *settings; /* of this life (match.h) */
    uint64_t setting_bytes;
    uint64_t memory_now;
    uint32_t threads_now; /* that this life may have */

    /* What was found. */
    bool has_begin;                        /* a record that can be read: what is in DIR is ours */
    bool has_record;                       /* and there is something in it to go on with */
    struct gsi_journal first;              /* behind BEGIN */
    struct gsi_resume_entry done, written; /* the last ones; type 0: none */
    uint64_t written_count;
    uint64_t entry_count; /* of what was done */
    uint64_t runs_end;    /* of DIR/runs, as recorded */
    uint64_t data_bytes;  /* of the input, in recorded runs */

    /* An entry on its way to the disk, after what it speaks of. */
    struct gsi_task task;
    uint32_t type;
    int sync_fd;
    struct iovec parts[4];
    int part_count, refusal;
    bool is_recording;
    void (*recorded)(struct gsi_resume *resume);
    union gsi_resume_head head;

    /* runs.c */
    uint32_t tally_count;
    void *tally;                   /* as layout.ops makes it */
    struct gsi_resume_seal *seals; /* a ring */
    uint32_t seal_count;
    uint64_t sealed, noted; /* runs so far */
    struct gsi_task count_task;
    struct gsi_buffer *counting; /* on its way through the tally, */
    bool is_counted;             /* and through */
    uint64_t counted_bytes;      /* given on, all lives together */

    struct gsi_output_marks *marks; /* NULL: the output is not begun */
};

/* gsi_resume_open: once the inputs are known; nothing without --resume (*resume is NULL then). The
 * record that is in DIR is read and compared with the inputs.
 * fails GS_E_USAGE: not with these options, or DIR will not do; GS_E_INPUT: an input has changed;
 * GS_E_CORRUPT: the record cannot be read */
enum gs_status gsi_resume_open(const struct gsi_resume_job *job, struct gsi_resume **resume);

/* gsi_resume_close: `status` is how the job ended; DIR is emptied, and removed if that left it
 * empty, when all is done, when nothing is on record, and when what is there has proved wrong. NULL
 * is fine, as for all that follow. */
void gsi_resume_close(struct gsi_resume *resume, enum gs_status status);

/* gsi_resume_has_record: the plan needs what it needed before, and no other memory will do. */
bool gsi_resume_has_record(const struct gsi_resume *resume);

/* gsi_resume_request: the plan is to be that of the first life.  gsi_resume_plan: it is made, from
 * `request`: it is that one, and threads are as many as there may be now.
 * fails GS_E_USAGE: the memory it was made for is not there */
enum gs_status gsi_resume_request(struct gsi_resume *resume, const struct gs_options *options,
                                  struct gsi_plan_request *request);
enum gs_status gsi_resume_plan(struct gsi_resume *resume, const struct gsi_plan_request *request);

/* gsi_resume_start: plan and output are there: the output goes to DIR from now on.
 * fails GS_E_USAGE: it is in another file system; files in DIR are not ours */
enum gs_status gsi_resume_start(struct gsi_resume *resume);

/* gsi_resume_open_store: a store with the frames on record. */
enum gs_status gsi_resume_open_store(struct gsi_resume *resume, struct gsi_spill_store *store);

/* gsi_resume_fail_wrong: GS_E_CORRUPT, after which gsi_resume_close removes what is there. */
enum gs_status gsi_resume_fail_wrong(const struct gsi_resume *resume);

/* gsi_resume_is_written: the whole output is on record.  gsi_resume_finish: then put it in its
 * place, if it is not there.
 * fails GS_E_INPUT: what is there is not the output on record; GS_E_CORRUPT: what is in DIR is not
 */
bool gsi_resume_is_written(const struct gsi_resume *resume);
enum gs_status gsi_resume_finish(struct gsi_resume *resume);

/* gsi_resume_end: the output is in its place: what is on record does not count any more, after a
 * power cut either. */
enum gs_status gsi_resume_end(struct gsi_resume *resume);

/* gsi_resume_record_done: the whole output is written: all that is left is to put it in its place.
 */
enum gs_status gsi_resume_record_done(struct gsi_resume *resume);

#endif
