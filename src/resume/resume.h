/* resume.h: --resume DIR: keeps a journal of what a sort has done, so that after a kill the same
 * command goes on from there.
 *
 *     DIR/manifest   the journal (journal.h), made of entries (entry.h)
 *     DIR/runs       the frames of all runs, which are spilled, every one
 *     DIR/output     the output, as far as it is written; renamed over the target at the end
 *
 * An example: a sort of 5 runs, killed twice. An entry is appended once what it tells of is on the
 * disk, and is itself on the disk before the next one is begun.
 *
 *     first life    BEGIN  INPUTS  RUN 1  RUN 2  RUN 3    killed while it spills run 4
 *     second life   reads the journal: three runs, and where run 3 ends in the input and
 *                   in DIR/runs
 *                   reads the input on from there; what was read behind run 3 is read again
 *                   RUN 4  RUN 5, then the merge: WRITTEN 64 MiB  WRITTEN 128 MiB    killed
 *     third life    nothing is read of the input; the last WRITTEN says how many elements of each
 *                   run are in the output: the merge begins behind these, the output at 128 MiB
 *                   WRITTEN ..  DONE, rename over the target, DIR removed
 *
 * So a kill costs what was read since the last RUN, or written since the last WRITTEN. There is a
 * mark for every 256th part of the output, and at least every 64 MiB. The tally is part of RUN.
 * Each chunk is counted on all threads before the device gets it, so the tally is known at the end
 * of each run.
 *
 * Numbers of 1 or 2 bytes are counted, and there are no runs. COUNTS has their counts once
 * everything is read. A kill before that costs what was read. A mark in the output is one in a list
 * of one run, which has all elements.
 *
 * If the journal ends with DONE, the output only has to be put in its place. The journal is made
 * before DIR/runs and DIR/output, and removed after them. So files of these names without a journal
 * are somebody else's, and are left alone.
 *
 * A sort that goes on keeps the sizes of its plan: chunks, frames, how many runs are merged at
 * once. They are constraints of the new plan, so a later gsort that plans otherwise continues the
 * journal. The memory that the plan was made for has to be there again. Threads may be fewer; or
 * more, where there is memory for them. Only the first process asks the machine what a share of
 * memory, or the default, comes to.
 *
 * What it costs: every run is spilled, and disk comes back later, because frames stay until the
 * whole merge that reads them is done. 4 GiB in 512 MiB took 0.97 of the time of --spill always, in
 * 256 MiB 1.07; 16 GiB in 512 MiB, killed 50 times, read 1.26 times as much
 * (gsort-bench/RESULTS.md).
 *
 * Rejected:
 *   resident runs and one pass for what is in order: a kill would lose what is in memory only
 *   GPUs: only merges of the CPU say how much of each run is in their output
 *   marks inside intermediate merges, which are rare: they begin again
 *
 * In doubt: inputs are the same if size, inode, times and 16 samples of their content are. Of the
 * output only the ends of some marks are read again; --verify=read reads all of it.
 *
 * This header has the directory, and how a sort goes on. The others: journal_io.h: entries, to the
 * disk and back; match.h: what must be the same; runs.h: runs; output_marks.h: the output. */
#ifndef GSI_RESUME_H
#define GSI_RESUME_H

#include "loop/run_list.h"
#include "output/target.h"
#include "plan/plan.h"
#include "resume/entry.h"
#include "resume/kept_dir.h"
#include "resume/resume_report.h"
#include "spill/spill.h"

struct gsi_output_marks;

/* A snapshot of the tally at the end of a run that is sealed and not yet in the journal. */
struct gsi_resume_seal {
    uint64_t data_bytes;
    struct gsi_tally_sums *tallies; /* tally_count */
};

/* A part of a chunk that is counted. */
struct gsi_resume_slice {
    struct gsi_task task;
    struct gsi_resume *resume;
    struct gsi_record_tally *tally;
    const uint8_t *entries;
    uint64_t count;
    uint8_t *elements; /* memory for some, which are copied from entries of a shuffle */
};

/* The parts of a job that the journal tells of. */
struct gsi_resume_job {
    const char *dir, *output; /* as they were given */
    /* As much memory as there is may be used: no number of bytes was given that has to be there. */
    bool memory_is_open;
    const char *settings; /* names and values, each with a NUL after it; until it is open */
    size_t setting_bytes;
    uint64_t *seed; /* of a shuffle; another process may have drawn it. NULL: no shuffle */
    struct gsi_resume_report *report;
    struct gsi_tally_report *tally, *field_tallies; /* the job's */
    struct gsi_loop *loop;
    struct gsi_inputs *inputs;
    struct gsi_target *target;
    struct gsi_spill *spill;
};

struct gsi_resume {
    struct gsi_resume_job job;
    struct gsi_kept_dir dir;
    struct gsi_journal journal;
    bool is_ours; /* this process began the sort or goes on with it: files may be removed */
    bool is_done; /* the output is in its place */
    struct gsi_resume_begin begin;
    char *settings; /* of this process (match.h) */
    uint64_t setting_bytes;

    /* What was found in DIR. */
    bool has_begin;           /* the journal can be read: what is in DIR is ours */
    bool has_entries;         /* the journal has something to go on with */
    struct gsi_journal first; /* behind BEGIN */
    struct gsi_resume_entry counts, done, written; /* the last ones; type 0: none */
    uint64_t written_count;
    uint64_t entry_count; /* entries that say what was done */
    uint64_t runs_end;    /* where DIR/runs ends, by the journal */
    uint64_t held_bytes;  /* disk that its files have */
    uint64_t run_count;   /* in the journal, before merges */
    uint64_t data_bytes;  /* of the input, in these */

    /* An entry on its way to the disk. What it speaks of goes to the disk first. */
    struct gsi_task task;
    uint32_t type;
    int sync_fd;
    struct iovec parts[4];
    int part_count, refusal;
    bool is_appending;
    void (*appended)(struct gsi_resume *resume);
    union gsi_resume_head head;

    /* runs.c */
    uint32_t tally_count;
    struct gsi_record_tally *tally;
    struct gsi_shelf shelf;
    struct gsi_resume_seal *seals; /* a ring */
    uint32_t seal_count;
    uint64_t sealed, noted;          /* runs so far */
    struct gsi_resume_slice *slices; /* of each thread */
    uint32_t slice_count, slices_left;
    struct gsi_buffer *counting; /* the tally is taken of it */
    uint64_t counted_bytes;      /* given on, before and after kills */

    struct gsi_output_marks *marks; /* NULL: the output is not begun */
};

/* gsi_resume_open: opens DIR once the inputs are known. If DIR has a journal, it reads that and
 * compares it with the inputs.
 * fails GS_E_USAGE: DIR cannot be used; GS_E_INPUT: an input has changed; GS_E_CORRUPT: the journal
 *       cannot be read */
enum gs_status gsi_resume_open(const struct gsi_resume_job *job, struct gsi_resume **resume);

/* gsi_resume_close: removes gsort's files from DIR, and DIR if it is empty then, in three cases:
 * all is done; the journal is empty; what is there has proved wrong. NULL is fine, also for all
 * calls that follow.
 * in    status: how the job ended */
void gsi_resume_close(struct gsi_resume *resume, enum gs_status status);

/* gsi_resume_has_entries: whether the journal has something to go on with. Then the plan needs the
 * same memory as before, and no other will do. */
bool gsi_resume_has_entries(const struct gsi_resume *resume);

/* gsi_resume_held_bytes: returns how much disk files in DIR have, which the sort goes on with. */
uint64_t gsi_resume_held_bytes(const struct gsi_resume *resume);

/* gsi_resume_may_count: whether numbers of 1 or 2 bytes may be counted: not if the journal has runs
 * of them, as gsort 1.0 made. */
bool gsi_resume_may_count(const struct gsi_resume *resume);

/* gsi_resume_is_coded: whether the first process planned a codec, if the journal has entries. */
bool gsi_resume_is_coded(const struct gsi_resume *resume);

/* gsi_resume_constrain: changes a request so that the plan will be the first process's.
 * fails GS_E_USAGE: the memory that the plan was made for is not there */
enum gs_status gsi_resume_constrain(const struct gsi_resume *resume,
                                    struct gsi_plan_request *request, struct gs_error *error);

/* gsi_resume_plan: after the plan was made from such a request: checks that it is the first
 * process's, and adds as many threads as the budget has beyond that.
 * in    thread_bytes: of the request, before a codec was added
 * out   begin: what the journal keeps of the plan
 * fails GS_E_USAGE: it is another plan
 * gsi_resume_adopt: the sort follows the plan that `begin` is of. */
enum gs_status gsi_resume_plan(const struct gsi_resume *resume, const struct gsi_budget *budget,
                               const struct gsi_plan_request *request, uint64_t thread_bytes,
                               const struct gsi_codec_plan *codec, struct gsi_plan *plan,
                               struct gsi_resume_begin *begin, struct gs_error *error);
void gsi_resume_adopt(struct gsi_resume *resume, const struct gsi_resume_begin *begin);

/* gsi_resume_start: once plan and output are there: the output goes to DIR from now on.
 * fails GS_E_USAGE: the output is in another file system; files in DIR are not ours */
enum gs_status gsi_resume_start(struct gsi_resume *resume);

/* gsi_resume_open_store: opens a store with the frames that the journal tells of. */
enum gs_status gsi_resume_open_store(struct gsi_resume *resume, struct gsi_spill_store *store);

/* gsi_resume_fail_wrong: fails with GS_E_CORRUPT; gsi_resume_close will remove what is there. */
enum gs_status gsi_resume_fail_wrong(const struct gsi_resume *resume);

/* gsi_resume_is_written: whether the journal says that the whole output is written.
 * gsi_resume_finish: then puts the output in its place, if it is not there yet.
 * fails GS_E_INPUT: the file in its place is not the output that the journal describes;
 *       GS_E_CORRUPT: the file in DIR is not */
bool gsi_resume_is_written(const struct gsi_resume *resume);
enum gs_status gsi_resume_finish(struct gsi_resume *resume);

/* gsi_resume_end: the output is in its place: the journal does not count any more, not even after a
 * power cut. */
enum gs_status gsi_resume_end(struct gsi_resume *resume);

/* gsi_resume_append_done: tells the journal that the whole output is written and only has to be put
 * in its place. */
enum gs_status gsi_resume_append_done(struct gsi_resume *resume);

#endif
