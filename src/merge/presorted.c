/* presorted.c: finds the range of an input file that contains a run. */
#include "merge/presorted.h"

#include "base/assert.h"
#include "element/tally/digest.h"

#include <string.h>
#include <sys/stat.h>

/* Returns whether writing the output changes no input before the output is complete. */
static bool keeps_inputs(const struct gsi_inputs *inputs, const struct gsi_output *output)
{
    struct stat output_stat;
    if (output->kind == GSI_OUTPUT_ATOMIC || gsi_fd_is_callback(output->fd))
        return true;
    return output->fd >= 0 && fstat(output->fd, &output_stat) == 0 &&
           !S_ISBLK(output_stat.st_mode) && !gsi_inputs_contain(inputs, &output_stat);
}

/* Returns whether ranges of the inputs can be read again. Inputs must be files of known size that
 * stay open, elements must be sorted as files contain them, and the device must report order. */
static bool can_read_again(const struct gsi_inputs *inputs)
{
    const struct gsi_loop *loop = inputs->loop;
    return inputs->bytes != UINT64_MAX && !inputs->are_many && !inputs->has_stream &&
           inputs->entry_map == NULL && !gsi_inputs_may_shrink(inputs) &&
           loop->device->ops->run_in_order != NULL;
}

enum gs_status gsi_presorted_begin(struct gsi_presorted *presorted, struct gsi_inputs *inputs,
                                   const struct gsi_output *output)
{
    if (!can_read_again(inputs) || !keeps_inputs(inputs, output))
        return GS_OK;
    presorted->inputs = inputs;
    return GSI_NEW(&inputs->loop->ledger, presorted->last_element,
                   inputs->loop->layout->element_bytes, inputs->loop->error);
}

void gsi_presorted_end(struct gsi_presorted *presorted)
{
    if (presorted->inputs == NULL)
        return;
    const struct gsi_loop *loop = presorted->inputs->loop;
    GSI_FREE(&presorted->inputs->loop->ledger, presorted->last_element,
             loop->layout->element_bytes);
    *presorted = (struct gsi_presorted){0};
}

/* Returns which range of which input contains the `bytes` bytes at offset `off` of all inputs
 * together. The input is NULL if it is not one uncompressed file. */
static struct gsi_extent find_extent(const struct gsi_inputs *inputs, uint64_t off, uint64_t bytes)
{
    for (size_t i = 0; i < inputs->count; i++) {
        struct gsi_input *input = &inputs->table[i];
        if (off >= input->bytes) {
            off -= input->bytes;
            continue;
        }
        bool is_plain = input->coding == GSI_CODING_NONE && input->array == NULL &&
                        input->fd >= 0 && bytes <= input->bytes - off;
        return (struct gsi_extent){is_plain ? input : NULL, off, bytes};
    }
    return (struct gsi_extent){0};
}

/* Returns whether `extent` follows the newest range, entry `previous`, in the file and in order. */
static bool continues_newest_range(const struct gsi_presorted *presorted,
                                   const struct gsi_run_entry *previous,
                                   const struct gsi_extent *extent, const struct gsi_run_ends *ends)
{
    return previous->is_presorted && previous->extent.input == extent->input &&
           previous->extent.off + previous->extent.bytes == extent->off &&
           gsi_compare_ends(presorted->inputs->loop->layout, presorted->last_element,
                            ends->first) <= 0;
}

bool gsi_presorted_replace_run(struct gsi_presorted *presorted, struct gsi_run_list *list,
                               uint32_t idx)
{
    struct gsi_inputs *inputs = presorted->inputs;
    struct gsi_run_entry *entry = &list->entries[idx];
    struct gsi_run_ends ends;
    if (inputs == NULL)
        return false;
    GSI_ASSERT(!inputs->loop->plan->are_inline); /* then all runs stay, and have no records */
    if (!inputs->loop->device->ops->run_in_order(entry->resident, &ends))
        return false;
    const struct gsi_layout *layout = inputs->loop->layout;
    uint64_t bytes = entry->key_count * layout->element_bytes;
    struct gsi_run_entry part = {.extent = find_extent(inputs, entry->read_off, bytes),
                                 .key_count = entry->key_count,
                                 .is_extent = true,
                                 .is_presorted = true};
    if (part.extent.input == NULL)
        return false;
    bool is_joined = idx > 0 && continues_newest_range(presorted, entry - 1, &part.extent, &ends);
    if (layout->form == GSI_FORM_KEYS) {
        part.has_first = true;
        memcpy(part.first_key, ends.first, layout->key_bytes);
    }
    memcpy(presorted->last_element, ends.last, layout->element_bytes);
    presorted->bytes += bytes;
    presorted->count += !is_joined;
    inputs->loop->device->ops->run_drop(inputs->loop->device, entry->resident);
    if (is_joined) {
        entry[-1].extent.bytes += bytes;
        entry[-1].key_count += entry->key_count;
        gsi_run_list_remove(list, idx);
    } else {
        *entry = part;
    }
    return true;
}
