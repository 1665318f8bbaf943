/* resume_parts.h: declares what the files of --resume share: the state of a job's journal, reading
 * and appending its entries, and comparing it with the job. Used by src/resume only. */
#ifndef GSI_RESUME_PARTS_H
#define GSI_RESUME_PARTS_H

#include "resume/kept_dir.h"
#include "resume/resume.h"

struct gsi_output_marks;
struct gsi_resume_slice;

struct gsi_resume {
    struct gsi_resume_job job;
    struct gsi_kept_dir dir;
    struct gsi_journal journal, first; /* its end; after BEGIN */
    bool is_ours;   /* this process began the sort, or continues it: files may be removed */
    bool is_done;   /* the output is in its place */
    char *settings; /* of this process (match.c) */
    uint64_t setting_bytes;
    struct gsi_snapshot snapshot;
    bool has_entries; /* in the journal now, besides BEGIN and INPUTS */

    /* snapshot.c: an entry on its way to the disk. The data that it describes are synced first. */
    struct gsi_task task;
    enum gsi_resume_type type;
    union gsi_resume_head head;
    void *arrays[GSI_RESUME_ARRAYS];
    int sync_fd, refusal;
    bool is_appending;
    uint64_t appended[GSI_RESUME_TYPES]; /* entries of each type, by this process */

    /* runs.c */
    uint32_t tally_count;
    struct gsi_record_tally *tally; /* of all chunks so far */
    struct gsi_bump bump;
    struct gsi_tally_sums *seals; /* a ring: tally_count at the end of each sealed run */
    uint32_t seal_count;
    uint64_t sealed;                 /* runs of this process so far */
    uint64_t data_bytes;             /* of the input, in runs in the journal */
    struct gsi_resume_slice *slices; /* of each thread */
    uint32_t slice_count, slices_left;
    struct gsi_buffer *counting; /* the chunk that is being counted */

    struct gsi_output_marks *marks; /* output_marks.c; NULL: the output is not begun */
};

/* ---- snapshot.c: the journal is read entry by entry, as often as needed. It is never in memory as
 * a whole. ---- */

/* gsi_snapshot_read: reads the journal resume->journal, and sums it up in resume->snapshot.
 * fails GS_E_USAGE: it is no journal, or of another version */
enum gs_status gsi_snapshot_read(struct gsi_resume *resume);

/* gsi_snapshot_next: reads the next entry after BEGIN, at *at, which starts as a copy of
 * resume->first. Moves *at to the end of the entry. entry->type is 0 if there is no further one. */
enum gs_status gsi_snapshot_next(const struct gsi_resume *resume, struct gsi_journal *at,
                                 struct gsi_resume_entry *entry);

/* gsi_snapshot_get: reads `bytes` of an entry, which are at `off` in the journal.
 * fails GS_E_CORRUPT: they are gone */
enum gs_status gsi_snapshot_get(const struct gsi_resume *resume, uint64_t off, void *data,
                                uint64_t bytes);

/* gsi_snapshot_load: reads array `idx` of an entry.
 * fails GS_E_CORRUPT: it does not have `bytes`; they are gone */
enum gs_status gsi_snapshot_load(const struct gsi_resume *resume,
                                 const struct gsi_resume_entry *entry, uint32_t idx, void *data,
                                 uint64_t bytes);

/* gsi_snapshot_write: appends an entry of resume->head and resume->arrays, whose sizes the head
 * says, and syncs it. Returns 0, or an errno value.
 * gsi_snapshot_append: lets a thread sync `sync_fd`, unless it is -1, and then do that. No other
 * entry may be under way. A failure fails the job. */
int gsi_snapshot_write(struct gsi_resume *resume, enum gsi_resume_type type);
void gsi_snapshot_append(struct gsi_resume *resume, enum gsi_resume_type type, int sync_fd);

/* gsi_snapshot_fail_version: fails with GS_E_USAGE: the file is no journal, or one of another
 * gsort.
 * gsi_snapshot_fail_wrong: fails with GS_E_CORRUPT; gsi_resume_close will remove the files. */
enum gs_status gsi_snapshot_fail_version(const struct gsi_resume *resume, struct gs_error *error);
enum gs_status gsi_snapshot_fail_wrong(const struct gsi_resume *resume);

/* ---- match.c: whether the job asks for the same sort, and its files are still the same ---- */

/* gsi_resume_settings: fills resume->settings and setting_bytes: the place of the output, which is
 * located, and the settings of the job.
 * fails GS_E_MEMORY
 * gsi_resume_match_settings: checks that the settings are those in the journal.
 * fails GS_E_USAGE: the line names the first that differs, with both values */
enum gs_status gsi_resume_settings(struct gsi_resume *resume, const struct gsi_output *output);
enum gs_status gsi_resume_match_settings(const struct gsi_resume *resume);

/* gsi_resume_describe: describes an input as it is now.
 * gsi_resume_describe_output: does so for the output, which has all its bytes, in the file `fd`.
 * fails GS_E_INPUT, GS_E_IO */
enum gs_status gsi_resume_describe(const struct gsi_resume *resume, struct gsi_input *input,
                                   struct gsi_resume_input *described);
enum gs_status gsi_resume_describe_output(const struct gsi_resume *resume, int fd,
                                          struct gsi_resume_input *described);

/* gsi_resume_match_inputs: checks that the inputs are still as the journal describes them.
 * in    is_placed: the output is in its place; an input that it replaced is not compared
 * fails GS_E_INPUT: the line names the first that is not, and what is different about it
 * gsi_resume_is_output: returns in *is_output whether the file `fd` is the output that the journal
 * describes.
 * fails GS_E_IO */
enum gs_status gsi_resume_match_inputs(const struct gsi_resume *resume, bool is_placed);
enum gs_status gsi_resume_is_output(const struct gsi_resume *resume, int fd, bool *is_output);

/* ---- runs.c ---- */

/* gsi_resume_runs_plan: returns the memory that tallies need.
 * gsi_resume_runs_open: allocates it: resume->bump. */
uint64_t gsi_resume_runs_plan(const struct gsi_resume *resume, uint32_t thread_count);
enum gs_status gsi_resume_runs_open(struct gsi_resume *resume);

/* gsi_resume_restore_tally: adds the tally that is the first array of an entry. */
enum gs_status gsi_resume_restore_tally(struct gsi_resume *resume,
                                        const struct gsi_resume_entry *entry);

/* ---- output_marks.c ---- */

/* gsi_output_marks_end: frees resume->marks, if there are any. */
void gsi_output_marks_end(struct gsi_resume *resume);

#endif
