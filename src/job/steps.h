/* steps.h: steps of a job besides plan and strategy, in the order in which the driver calls them.
 * Each section is a source file. */
#ifndef GSI_STEPS_H
#define GSI_STEPS_H

#include "job/job.h"

/* ---- job_conflicts.c: refuses options that conflict with the inputs or the output ---- */

/* gsi_job_conflicts_begin: checks the options alone; before all others.
 * gsi_job_conflicts_check_inputs: checks them against inputs that are open.
 * gsi_job_conflicts_check_length: checks them against inputs that were measured.
 * gsi_job_conflicts_check_output: checks them against the output's name, and if it is open, its
 *   kind.
 * fails GS_E_USAGE */
enum gs_status gsi_job_conflicts_begin(struct gsi_job *job);
enum gs_status gsi_job_conflicts_check_inputs(const struct gsi_job *job);
enum gs_status gsi_job_conflicts_check_length(const struct gsi_job *job);
enum gs_status gsi_job_conflicts_check_output(const struct gsi_job *job);

/* ---- job_memory.c: the ceiling of memory, and how much would be enough ---- */

/* gsi_job_memory_begin: is called before all other steps. Sets the ceiling. Takes from it the lists
 * of the options (names of inputs, keys, directories) and the table of `input_count` inputs,
 * job->inputs. Both are in job->given_bytes, for the plan.
 * fails GS_E_USAGE: they do not fit; GS_E_MEMORY */
enum gs_status gsi_job_memory_begin(struct gsi_job *job, size_t input_count);
void gsi_job_memory_end(struct gsi_job *job); /* inputs are closed; also after begin has failed */

/* gsi_job_memory_shares: returns how many jobs share the memory that the options give. */
static inline uint32_t gsi_job_memory_shares(const struct gsi_options *options)
{
    return options->order_by_count > 0 || options->reads_groups ? 2 : 1;
}

/* gsi_job_memory_ceiling: returns how much the ledger allows until there is a plan. It is the
 * budget, or more if the budget is so small that the plan will refuse it and say what is enough. */
uint64_t gsi_job_memory_ceiling(const struct gsi_budget *budget);

/* gsi_job_memory_advise: `plan` has failed for want of memory. Makes the error name the option that
 * binds and an amount that is enough. The option is --chunk, --window or --batch-size where one of
 * these alone is in the way, else --memory. A MiB less of --memory is not enough.
 * in    plan: makes a plan out of a budget (job/planning/planning.h) */
typedef enum gs_status gsi_job_planner(const struct gsi_job *job, const struct gsi_budget *budget,
                                       struct gsi_job_plan *plan, struct gs_error *error);
void gsi_job_memory_advise(const struct gsi_job *job, gsi_job_planner *plan);

/* ---- job_files.c: opens the inputs and the output ---- */

/* gsi_job_open_inputs: opens all inputs (files, readers of the program, or its array) and reads
 * their headers.
 * gsi_job_open_output: opens the output, or all of them.
 * fails GS_E_USAGE: standard input is given twice, or the output would overwrite an input;
 *       GS_E_IO */
enum gs_status gsi_job_open_inputs(struct gsi_job *job, const char *const *paths, size_t count);
enum gs_status gsi_job_open_output(struct gsi_job *job);

/* ---- job_space.c: disk for the output and for spilled runs ---- */

/* gsi_job_explain_space: fills the report's spaces, which say where room is short. Opens nothing.
 * fails GS_E_IO: a directory is not there */
enum gs_status gsi_job_explain_space(struct gsi_job *job);

/* gsi_job_check_temp_dirs: checks that the directories can be used, whether anything is spilled or
 * not. So a mistake shows now, and not when the data have grown.
 * fails GS_E_IO */
enum gs_status gsi_job_check_temp_dirs(const struct gsi_job *job);

/* gsi_job_take_space: output and plan are made. If runs will be spilled, it opens the store and
 * checks that there is room for it and the output. Otherwise it reserves the output's disk.
 * fails GS_E_SPACE, GS_E_IO */
enum gs_status gsi_job_take_space(struct gsi_job *job);

/* ---- job_arena.c: the arena and the device ---- */

/* gsi_job_open_device: maps the arena and opens the device as planned, if the strategy needs them.
 * If a GPU has too little memory, plans again with less of it, and at last without it.
 * gsi_job_close_device: releases both and reports what the device did. */
enum gs_status gsi_job_open_device(struct gsi_job *job);
void gsi_job_close_device(struct gsi_job *job);

/* gsi_job_wake: wakes the loop of a job, on any thread.
 * in    job: a struct gsi_job */
void gsi_job_wake(void *job);

#endif
