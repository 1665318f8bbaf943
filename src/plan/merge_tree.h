/* merge_tree.h: decides which runs are merged with each other before the last merge, if there are
 * more runs than the fan-in. Pure.
 *
 *     8 runs, 3 at once      a  b  c  d  e  f  g  h
 *     one pass, to 3 runs [a b][c d e][f g h] the last merge reads these 3
 *
 *     10 runs, 3 at once     a  b  c  d  e  f  g  h  i  j
 *     to 9 runs              a  b  c  d  e  f  g  h [i  j]
 *     to 3 runs [a b c][d e f][g h (ij)] the last merge reads these 3
 *
 * The fewest bytes move if every merge reads as many runs as the fan-in allows, except one merge of
 * the first pass. Then every later pass merges all runs, and divides their number by the fan-in (D.
 * Huffman, "A method for the construction of minimum-redundancy codes", Proc. IRE 40(9), 1952, with
 * more than two branches; Knuth, TAOCP vol. 3, 5.4.9). Only runs that are neighbours in the input's
 * order are merged, so that equal keys keep that order. As most runs are equally long, that costs
 * nothing. */
#ifndef GSI_MERGE_TREE_H
#define GSI_MERGE_TREE_H

#include <stdint.h>

struct gsi_merge_pass {
    uint64_t run_count;   /* runs before the pass */
    uint64_t span;        /* neighbouring runs that the pass merges */
    uint64_t group_count; /* merges of the pass; each makes one run of a group of neighbours */
    uint64_t first_group; /* runs in the first group; every other group has as many as the fan-in */
};

/* gsi_merge_pass_make: returns the next pass over `run_count` > `fan_in` >= 2 runs. */
struct gsi_merge_pass gsi_merge_pass_make(uint64_t run_count, uint64_t fan_in);

/* gsi_merge_pass_runs_after: returns the number of runs after the pass. */
static inline uint64_t gsi_merge_pass_runs_after(const struct gsi_merge_pass *pass)
{
    return pass->run_count - pass->span + pass->group_count;
}

/* gsi_merge_pass_first_run: returns the index of the first run that the pass merges. The pass
 * merges those pass->span neighbours that have the fewest bytes; if several have, the first of
 * them.
 * in    run_bytes[pass->run_count] */
uint64_t gsi_merge_pass_first_run(const struct gsi_merge_pass *pass, const uint64_t *run_bytes);

#endif
