/* sorted_search.h: reads elements of sorted files in any order. It reads a block at a time, so that
 * elements which are near each other are read once. */
#ifndef GSI_SORTED_SEARCH_H
#define GSI_SORTED_SEARCH_H

#include "input/inputs.h"

struct gsi_search_file {
    uint64_t count;                    /* of elements */
    uint64_t block_first, block_count; /* those of the block that was read last */
    uint8_t *block;
};

struct gsi_search {
    struct gsi_inputs *inputs;
    struct gsi_search_file *files; /* table, as long as that of the inputs */
    uint8_t *blocks;
    uint64_t block_elements, blocks_bytes;
};

/* gsi_search_open: prepares searches in the inputs, which are files, measured and cut (range.h).
 * fails GS_E_MEMORY */
enum gs_status gsi_search_open(struct gsi_search *search, struct gsi_inputs *inputs);
void gsi_search_close(struct gsi_search *search); /* also zeroed ones */

/* gsi_search_at: returns element `idx` of a file, which stays valid until the next call for that
 * file.
 * fails GS_E_IO, GS_E_INPUT */
enum gs_status gsi_search_at(struct gsi_search *search, size_t file, uint64_t idx,
                             const uint8_t **element);

#endif
