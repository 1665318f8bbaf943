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

#include "base/assert.h"
#include "job/job.h"

struct gsi_one_pass;
struct gsi_presorted;
struct gsi_run_list;

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

/* gsi_make_runs: the first phase of a sort (make_runs.c): reads everything, sorts it chunk by
 * chunk, and spills runs that will not stay in memory. Appends the runs to `list`, which is empty.
 * With `one_pass`, the beginning of the output may be written, too. Then the runs of the list
 * follow it; or the pass has ended, and the written elements are the first run. With `presorted`,
 * runs that the inputs contain in order stay there. */
enum gs_status gsi_make_runs(struct gsi_job *job, struct gsi_run_list *list,
                             struct gsi_one_pass *one_pass, struct gsi_presorted *presorted);

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

/* gsi_select_is: returns whether the job has quantiles or bins to find without a sort (select.c).
 * gsi_select_plan: the bump allocator of kept keys, out of `memory_bytes` in all; empty: it has
 * none.
 * gsi_select: does the job.
 * fails GS_E_USAGE: a stream is too long for that; GS_E_INPUT: an input changed between passes */
bool gsi_select_is(const struct gsi_job *job);
struct gsi_bump gsi_select_plan(const struct gsi_job *job, uint64_t memory_bytes);
enum gs_status gsi_select(struct gsi_job *job);

/* ---- small_array.c: a small array, on the caller's thread, without a plan. It opens and starts
 * nothing, and asks the machine nothing, because all of these would take longer than sorting. ----
 */

/* Arrays from this size on are for threads. */
#define GSI_SMALL_ARRAY_END_BYTES GSI_CONSTANT((uint64_t)1 << 20, (uint64_t)16 << 10)

/* gsi_small_array_is: returns whether a job is the sort of a small array, or finds its order. Its
 * options only say what its elements are and how they are ordered. They do not conflict; nothing
 * else is known.
 * gsi_small_array: sorts it. The job is compiled; nothing else is open.
 * out   job->array->is_written; the report, as of other sorts
 * fails GS_E_MEMORY; GS_E_VERIFY */
bool gsi_small_array_is(const struct gsi_job *job);
enum gs_status gsi_small_array(struct gsi_job *job);

#endif
