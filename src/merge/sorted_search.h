/* sorted_search.h: reads single elements of sorted files in any order, for searches. A search reads
 * one block of a file at a time, so elements near each other need one read. */
#ifndef GSI_SORTED_SEARCH_H
#define GSI_SORTED_SEARCH_H

#include "input/inputs.h"

struct gsi_search_file {
    uint64_t count;                    /* elements in the file */
    uint64_t block_first, block_count; /* the elements in the block that was read last */
    uint8_t *block;
};

struct gsi_search {
    struct gsi_inputs *inputs;
    struct gsi_search_file *files; /* table with an entry per input */
    uint8_t *blocks;
    uint64_t block_elements, blocks_bytes;
};

/* gsi_search_open: prepares searches in the inputs, which are files of known size, cut by --range.
 * fails GS_E_MEMORY */
enum gs_status gsi_search_open(struct gsi_search *search, struct gsi_inputs *inputs);
void gsi_search_close(struct gsi_search *search); /* also zeroed ones */

/* gsi_search_read: sets *element to element `idx` of a file. The element is valid until the next
 * call for this file.
 * fails GS_E_IO, GS_E_INPUT */
enum gs_status gsi_search_read(struct gsi_search *search, size_t file, uint64_t idx,
                               const uint8_t **element);

#endif
