/* job.h: one call of gs_run: what it was asked for, what it was found to be, and what works on it. */
#ifndef GSI_JOB_H
#define GSI_JOB_H

#include "input/choose.h"
#include "output/target.h"
#include "resume/resume.h"
#include "spill/spill.h"

/* Where a job sorts. */
struct gsi_device_choice {
    const struct gsi_device_ops *ops;
    uint64_t bytes; /* of the device's own memory; 0: it works in the arena */
    uint64_t fixed_bytes, scratch_part;
};

struct gsi_job {
    const struct gs_options *options;
    struct gs_report *report; /* of the plan and what was chosen; its numbers come at the end */
    struct gsi_loop loop;
    struct gsi_chosen chosen; /* how elements are sorted */
    uint64_t memory_bytes;    /* asked for, or what there is by default */
    uint32_t thread_count;    /* the same */
    uint64_t lists_bytes;     /* of names, in the options; */
    uint64_t given_bytes;     /* with the table of inputs */
    struct gsi_inputs inputs;
    struct gsi_target target;
    struct gsi_spill spill;
    struct gsi_device_choice device;
    struct gsi_arena arena;
    uint32_t run_count;         /* before merges */
    struct gsi_resume *resume;  /* NULL: a sort that is killed is lost */
    struct gsi_recorder no_one; /* then */
    struct gsi_recorder *recorder;
};

/* The work of an action: gsi_sort and gsi_reduce; gsi_top that of a sort of which the first
 * elements are wanted, and kept in one pass. */
enum gs_status gsi_sort(struct gsi_job *job);
enum gs_status gsi_top(struct gsi_job *job);
enum gs_status gsi_reduce(struct gsi_job *job);

#endif
