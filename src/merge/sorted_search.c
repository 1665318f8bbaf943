/* sorted_search.c: reads the block that contains an element. */
#include "merge/sorted_search.h"

#include "base/assert.h"
#include "base/checked.h"

/* Size of a block: a page, because a disk reads at least a page. */
#define BLOCK_BYTES 4096u

/* If there are more files, the block of each contains one element. */
#define BLOCK_FILES_MAX GSI_CONSTANT(1024u, 2u)

enum gs_status gsi_search_open(struct gsi_search *search, struct gsi_inputs *inputs)
{
    struct gsi_ledger *ledger = &inputs->loop->ledger;
    uint32_t element = inputs->loop->layout->element_bytes;
    *search = (struct gsi_search){.inputs = inputs, .block_elements = 1};
    if (inputs->count <= BLOCK_FILES_MAX)
        search->block_elements = gsi_max_u64(BLOCK_BYTES / element, 1);
    search->blocks_bytes = gsi_mul_max_u64(inputs->count, search->block_elements * element);
    GSI_TRY(GSI_NEW(ledger, search->files, inputs->count, inputs->loop->error));
    GSI_TRY(GSI_NEW(ledger, search->blocks, search->blocks_bytes, inputs->loop->error));
    for (size_t i = 0; i < inputs->count; i++) {
        search->files[i].count = inputs->table[i].bytes / element;
        search->files[i].block = search->blocks + i * search->block_elements * element;
    }
    return GS_OK;
}

void gsi_search_close(struct gsi_search *search)
{
    if (search->inputs == NULL)
        return;
    struct gsi_ledger *ledger = &search->inputs->loop->ledger;
    GSI_FREE(ledger, search->files, search->inputs->count);
    GSI_FREE(ledger, search->blocks, search->blocks_bytes);
    *search = (struct gsi_search){0};
}

enum gs_status gsi_search_read(struct gsi_search *search, size_t file, uint64_t idx,
                               const uint8_t **element)
{
    struct gsi_search_file *state = &search->files[file];
    struct gsi_inputs *inputs = search->inputs;
    struct gsi_input *input = &inputs->table[file];
    uint32_t bytes = inputs->loop->layout->element_bytes;
    if (idx < state->block_first || idx - state->block_first >= state->block_count) {
        state->block_first = idx / search->block_elements * search->block_elements;
        state->block_count = 0;
        uint64_t count = gsi_min_u64(search->block_elements, state->count - state->block_first);
        GSI_TRY(gsi_input_reopen(input, inputs->loop->error));
        GSI_TRY(gsi_input_read(input, state->block, count * bytes, state->block_first * bytes,
                               inputs->loop->error));
        if (inputs->are_many)
            gsi_input_close_for_now(input);
        gsi_loop_phase_counts(inputs->loop)->bytes_read += count * bytes;
        state->block_count = count;
    }
    *element = state->block + (idx - state->block_first) * bytes;
    return GS_OK;
}
