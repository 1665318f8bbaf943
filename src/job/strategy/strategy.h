/* strategy.h: the ways to do a job, one of which is chosen.
 *
 *     strategy          chosen for                                      reads      keeps
 *     look              heads, tails and --find without an output       nothing    nothing
 *     order statistics  quantiles and bins without a sort               1 to 3 x   keys in brackets
 *     statistics        statistics and checks                           once       tallies
 *     array in place    an array of numbers that is also the output     in place   the array
 *     permute           --permute                                       once       elements, or
 *                                                                                  sorted runs
 *     count             numbers of 1 or 2 bytes                         once       counts of values
 *     top               --top K, if K elements fit into memory          once       K elements
 *     merge             --merge                                         once       blocks of inputs
 *     sort              everything else                                 once       sorted runs
 *
 * The table in strategy.c has all but the first, in this order, and the first row that suits is the
 * strategy. A row asks only about the compiled job and its plan, so a new plan may have another
 * one. */
#ifndef GSI_STRATEGY_H
#define GSI_STRATEGY_H

#include "job/job.h"

struct gsi_strategy {
    const char *name;
    bool (*suits)(const struct gsi_job *job);
    enum gs_status (*run)(struct gsi_job *job);
    bool has_no_arena; /* it runs without the device and its memory */
    bool has_runs;     /* windows are merged from runs: the arena has memory for both */
};

/* gsi_strategy_is_look: returns whether the job only looks at its inputs, and needs no plan.
 * gsi_strategy_choose: returns the strategy of any other job, which is planned. Reads samples of an
 * array. */
bool gsi_strategy_is_look(const struct gsi_job *job);
const struct gsi_strategy *gsi_strategy_choose(const struct gsi_job *job);

/* gsi_sort: sorts, or merges sorted inputs (sort.c).
 * gsi_top: keeps the first elements in one pass and writes them (top.c).
 * gsi_top_note: notes that the output of --top begins with NaNs, unless an option asks for that.
 * gsi_counted: sorts numbers of 1 or 2 bytes by counting their values (counted.c).
 * gsi_statistics: statistics and the check of order (statistics.c). */
enum gs_status gsi_sort(struct gsi_job *job);
enum gs_status gsi_top(struct gsi_job *job);
void gsi_top_note(const struct gsi_job *job);
enum gs_status gsi_counted(struct gsi_job *job);
enum gs_status gsi_statistics(struct gsi_job *job);

/* gsi_counted_is: returns whether a job, whose elements are chosen, counts values.
 * gsi_counted_plan: its bump allocator; empty if it does not. */
bool gsi_counted_is(const struct gsi_job *job, const struct gsi_budget *budget);
struct gsi_bump gsi_counted_plan(const struct gsi_job *job, const struct gsi_budget *budget);

/* gsi_in_place_is: returns whether a planned job sorts this way: it would keep everything in
 * memory, on the CPU, and nothing asks for chunks or windows.
 * gsi_in_place: sorts. After a failure the array holds all of its elements, in some order, except
 * after GS_E_VERIFY. */
bool gsi_in_place_is(const struct gsi_job *job);
enum gs_status gsi_in_place(struct gsi_job *job);

#endif
