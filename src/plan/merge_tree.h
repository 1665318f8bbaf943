/* merge_tree.h: decides which runs are merged with each other before the last merge, if there are
 * more than can be merged at once. Pure.
 *
 *     8 runs, 3 at once      a  b  c  d  e  f  g  h
 *     one pass, to 3 runs   [a  b][c  d  e][f  g  h]         then these at once
 *
 *     10 runs, 3 at once     a  b  c  d  e  f  g  h  i  j
 *     to 9 runs              a  b  c  d  e  f  g  h [i  j]
 *     to 3 runs             [a  b  c][d  e  f][g  h  (ij)]   then these at once
 *
 * Fewest bytes move if every merge, except one of the deepest, merges as many runs as it can. Then
 * every pass except the first merges everything, by powers of the fan-in (D. Huffman, "A method for
 * the construction of minimum-redundancy codes", Proc. IRE 40(9), 1952, with more than two
 * branches; Knuth, TAOCP vol. 3, 5.4.9). Only runs that are neighbours in the input's order are
 * merged, so that equal keys keep that order. As most runs are equally long, that costs nothing. */
#ifndef GSI_MERGE_TREE_H
#define GSI_MERGE_TREE_H

#include <stdint.h>

struct gsi_merge_pass {
    uint64_t run_count;   /* runs before the pass */
    uint64_t span;        /* neighbouring runs of these that are merged */
    uint64_t group_count; /* merged runs that result; the other runs stay */
    uint64_t first_group; /* runs in the first group; every other group has the fan-in */
};

/* gsi_merge_pass_make: returns the next pass over `run_count` > `fan_in` >= 2 runs. */
struct gsi_merge_pass gsi_merge_pass_make(uint64_t run_count, uint64_t fan_in);

/* gsi_merge_pass_left: returns the number of runs after the pass. */
static inline uint64_t gsi_merge_pass_left(const struct gsi_merge_pass *pass)
{
    return pass->run_count - pass->span + pass->group_count;
}

/* gsi_merge_pass_first: returns the first run of the span, placed where it has the fewest bytes;
 * among equal places, the first.
 * in    run_bytes[pass->run_count] */
uint64_t gsi_merge_pass_first(const struct gsi_merge_pass *pass, const uint64_t *run_bytes);

#endif
