/* merge_tree.h: which runs are merged with each other before the last merge, when there are more
 * than can be merged at once. Pure.
 *
 *     8 runs, 3 at once      a  b  c  d  e  f  g  h
 *     one pass, to 3 runs   [a  b][c  d  e][f  g  h]         then these at once
 *
 *     10 runs, 3 at once     a  b  c  d  e  f  g  h  i  j
 *     to 9 runs              a  b  c  d  e  f  g  h [i  j]
 *     to 3 runs             [a  b  c][d  e  f][g  h  (ij)]   then these at once
 *
 * Fewest bytes move when every merge but one of the deepest takes as many runs as it can, so when
 * every pass but the first merges everything, by powers of the fan-in (D. Huffman, "A method for
 * the construction of minimum-redundancy codes", Proc. IRE 40(9), 1952, with more than two
 * branches; Knuth, TAOCP vol. 3, 5.4.9). Runs are neighbours in the input's order and merged as
 * such, so that equal keys keep it; as most runs are equally long that costs nothing. */
#ifndef GSI_MERGE_TREE_H
#define GSI_MERGE_TREE_H

#include <stdint.h>

struct gsi_merge_pass {
    uint64_t run_count;   /* there are before the pass */
    uint64_t span;        /* of these, neighbours, are merged */
    uint64_t group_count; /* into as many; the other runs stay */
    uint64_t first_group; /* runs in the first group; every other one has the fan-in */
};

/* gsi_merge_pass_make: the next pass over `run_count` > `fan_in` >= 2 runs. */
struct gsi_merge_pass gsi_merge_pass_make(uint64_t run_count, uint64_t fan_in);

/* gsi_merge_pass_left: runs there are after it. */
static inline uint64_t gsi_merge_pass_left(const struct gsi_merge_pass *pass)
{
    return pass->run_count - pass->span + pass->group_count;
}

/* gsi_merge_pass_first: the first run of the span, placed where it has the fewest bytes; of several
 * such places the first.
 * in    run_bytes[pass->run_count] */
uint64_t gsi_merge_pass_first(const struct gsi_merge_pass *pass, const uint64_t *run_bytes);

#endif
