/* sorted_search.h: finds places in sorted files by looking at a few elements of each.
 *
 * The files make one order: by key, then by file, then by place, as a merge writes them. The cut at
 * a rank says how many elements of each file lie before that place of the order. It is found for
 * every 2^n-th element of the files first, then for every 2^(n-1)-th, and so on to all of them; the
 * cut of one step is nearly that of the next (P. J. Varman et al., "Merging multiple lists on
 * hierarchical-memory multiprocessors", J. Parallel Distrib. Comput. 12(2), 1991):
 *
 *      file 0   1 4 4 9 12      rank 5, by 4:  {4, 0}      4 5 .. | none left of it
 *      file 1   2 3 5 8               by 2:  {2, 2}      the second elements are 4 and 3
 *                                     by 1:  {3, 2}      1 2 3 4 4 | 5 8 9 12
 *
 * So a cut among k files of n elements takes about 2 k log2(n) looks; those that are near each
 * other are in one block, which is read once. */
#ifndef GSI_SORTED_SEARCH_H
#define GSI_SORTED_SEARCH_H

#include "input/inputs.h"

struct gsi_search_file {
    uint64_t count; /* of elements */
    uint64_t block_first, block_count;
    uint8_t *block;
    bool has_last, has_next; /* `last` and `next` are those of the cut */
};

struct gsi_search {
    struct gsi_inputs *inputs;
    struct gsi_search_file *files; /* table, as long as that of the inputs */
    uint8_t *blocks, *ends;
    uint64_t block_elements, blocks_bytes, ends_bytes;
};

/* gsi_search_open: the inputs are files, measured and cut (range.h).
 * fails GS_E_MEMORY */
enum gs_status gsi_search_open(struct gsi_search *search, struct gsi_inputs *inputs);
void gsi_search_close(struct gsi_search *search); /* also zeroed ones */

/* gsi_search_at: returns element `idx` of a file, which stays valid until the next call for that
 * file.
 * fails GS_E_IO, GS_E_INPUT */
enum gs_status gsi_search_at(struct gsi_search *search, size_t file, uint64_t idx,
                             const uint8_t **element);

/* gsi_search_cut: the cut at `rank`, which is no more than there are elements.
 * out   cut: a number a file; they add up to `rank`
 * fails GS_E_INPUT: the files are not sorted, as far as it has looked; GS_E_IO */
enum gs_status gsi_search_cut(struct gsi_search *search, uint64_t rank, uint64_t *cut);

#endif
