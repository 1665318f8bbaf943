/* job.h: one run: what was asked for, what was found out, and what does the work. */
#ifndef GSI_JOB_H
#define GSI_JOB_H

#include "job/permute/positions.h"
#include "job/spec/spec.h"
#include "merge/set_filter.h"
#include "option/conflicts.h"
#include "option/options.h"
#include "output/target.h"
#include "resume/resume.h"
#include "spill/spill.h"

/* The device of a job. */
struct gsi_device_choice {
    const struct gsi_device_ops *ops;
    uint64_t bytes; /* of the device's own memory; 0: it works in the arena */
    uint64_t fixed_bytes, scratch_part;
    uint32_t index;      /* of several devices of a kind */
    uint64_t set;        /* of several that work as one: which ones, */
    uint64_t failed_set; /* and which of them could not be opened */
    uint32_t count;      /* of them; 0: one alone */
    bool is_apart;       /* they cannot read each other's memory */
};

/* The memory of --permute besides windows (job/permute/permute.h). */
struct gsi_permute_plan {
    struct gsi_bump bump;
    uint64_t pair_memory, entry_memory; /* of the two sorts; 0: all elements fit into memory */
};

/* The plan of a job, which is never changed, only replaced (job/planning/planning.h). */
struct gsi_job_plan {
    struct gsi_plan sizes; /* of chunks, windows and frames; how many runs */
    /* Sizes of the buffers that stages have beside these. */
    struct gsi_output_plan output;
    struct gsi_input_plan input;
    struct gsi_codec_plan codec;
    struct gsi_bump counted; /* gsi_counted_plan */
    struct gsi_bump select;  /* gsi_select_plan */
    struct gsi_permute_plan permute;
    bool device_makes_entries;     /* the device makes pairs of elements and positions */
    const char *in_order_note;     /* why one pass is not tried; NULL: it is */
    struct gsi_resume_begin begin; /* with --resume: for the journal */
};

struct gsi_strategy;

struct gsi_job {
    const struct gsi_options *options;
    const bool *is_given;         /* run.h */
    struct gsi_features features; /* of the options */
    struct gsi_array *array;      /* run.h; NULL: inputs and output are what the options say */
    struct gs_report *report;     /* what was chosen; its numbers are filled in at the end */
    struct gsi_loop loop;
    struct gsi_job_plan plan;
    struct gsi_chosen chosen;           /* how elements are sorted */
    struct gsi_budget budget;           /* asked for, or the default */
    uint64_t lists_bytes;               /* of the options' lists of names */
    uint64_t given_bytes;               /* lists_bytes and the tables of inputs and callers */
    struct gsi_inputs_spec inputs_spec; /* inputs point to it */
    struct gsi_inputs inputs;
    struct gsi_set_filter sets; /* with --merge=SET; inputs point to it */
    /* With positions that the device adds, inputs point to it, too: the tally of elements. */
    struct gsi_tally_report element_tally;
    struct gsi_positions positions;     /* of --permute */
    struct gsi_output_spec output_spec; /* target points to it */
    struct gsi_target target;
    struct gsi_spill spill;
    struct gsi_device_choice device;
    struct gsi_arena arena;
    const struct gsi_strategy *strategy; /* for the last plan (job/strategy/strategy.h) */
    uint32_t run_count;                  /* before merges */
    struct gsi_order_by *order_by;       /* with --order-by: the job that reads the output */
    struct gsi_resume *resume;           /* NULL: a sort that is killed is lost */
};

struct gsi_delivery;

/* gsi_job_commit: puts the output in its place, when everything that was delivered is verified.
 * Before that, reads it back, if that was asked for, and tells the journal that it is whole.
 * in    written: as gsi_delivery_finish */
enum gs_status gsi_job_commit(struct gsi_job *job, struct gsi_delivery *delivery,
                              const struct gsi_digest *written);

#endif
