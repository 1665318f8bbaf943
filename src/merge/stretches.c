/* stretches.c: which part of which file a run is. */
#include "merge/stretches.h"

#include "element/element_ops.h"

#include <string.h>
#include <sys/stat.h>

struct gsi_stretch {
    struct gsi_input input; /* borrows the descriptors of the whole one */
    struct gsi_stretch *before;
};

/* ---- begin and end ---- */

/* Whether the output takes the place of an input only when it is whole, or is another file. */
static bool is_apart(const struct gsi_inputs *inputs, const struct gsi_output *output)
{
    struct stat of_output;
    if (output->kind == GSI_OUTPUT_ATOMIC || gsi_fd_is_caller(output->fd))
        return true;
    return output->fd >= 0 && fstat(output->fd, &of_output) == 0 && !S_ISBLK(of_output.st_mode) &&
           !gsi_inputs_have(inputs, &of_output);
}

/* Elements have to be sorted as they lie in files of known size, which stay open, by a device that
 * sees their order; and nothing else is to be kept of them. */
static bool is_possible(const struct gsi_inputs *inputs)
{
    const struct gsi_loop *loop = inputs->loop;
    return inputs->bytes != UINT64_MAX && !inputs->are_many && !inputs->has_stream &&
           inputs->carry == NULL && !gsi_inputs_shrink(inputs) &&
           loop->device->ops->run_in_order != NULL;
}

enum gs_status gsi_stretches_begin(struct gsi_stretches *stretches, struct gsi_inputs *inputs,
                                   const struct gsi_output *output)
{
    if (!is_possible(inputs) || !is_apart(inputs, output))
        return GS_OK;
    stretches->inputs = inputs;
    return GSI_NEW(&inputs->loop->ledger, stretches->last, inputs->loop->layout->element_bytes,
                   inputs->loop->error);
}

void gsi_stretches_end(struct gsi_stretches *stretches)
{
    if (stretches->inputs == NULL)
        return;
    struct gsi_loop *loop = stretches->inputs->loop;
    for (struct gsi_stretch *stretch = stretches->newest, *before; stretch != NULL;
         stretch = before) {
        before = stretch->before;
        GSI_FREE(&loop->ledger, stretch, 1);
    }
    GSI_FREE(&loop->ledger, stretches->last, loop->layout->element_bytes);
    *stretches = (struct gsi_stretches){0};
}

/* ---- runs ---- */

/* The input that holds all `bytes` from `off` of all that is read; *off: in that one. NULL:
 * none. */
static const struct gsi_input *find_input(const struct gsi_inputs *inputs, uint64_t *off,
                                          uint64_t bytes)
{
    for (size_t i = 0; i < inputs->count; i++) {
        const struct gsi_input *input = &inputs->table[i];
        if (*off >= input->bytes) {
            *off -= input->bytes;
            continue;
        }
        bool is_plain = input->coding == GSI_CODING_NONE && input->array == NULL &&
                        input->fd >= 0 && bytes <= input->bytes - *off;
        return is_plain ? input : NULL;
    }
    return NULL;
}

/* Whether a run goes on where the newest stretch, which is the list's entry `before`, ends. */
static bool goes_on(const struct gsi_stretches *stretches, const struct gsi_run_entry *before,
                    const struct gsi_input *input, uint64_t off, const struct gsi_run_ends *ends)
{
    const struct gsi_stretch *newest = stretches->newest;
    return newest != NULL && before->file == &newest->input && newest->input.fd == input->fd &&
           newest->input.base_off + newest->input.bytes == input->base_off + off &&
           gsi_compare_ends(stretches->inputs->loop->layout, stretches->last, ends->first) <= 0;
}

static enum gs_status add(struct gsi_stretches *stretches, const struct gsi_input *input,
                          uint64_t off, uint64_t bytes)
{
    struct gsi_loop *loop = stretches->inputs->loop;
    struct gsi_stretch *stretch;
    GSI_TRY(GSI_NEW(&loop->ledger, stretch, 1, loop->error));
    stretch->input = *input;
    stretch->input.is_stretch = true;
    stretch->input.base_off += off;
    stretch->input.passed_bytes += off;
    stretch->input.bytes = bytes;
    stretch->before = stretches->newest;
    stretches->newest = stretch;
    stretches->count++;
    return GS_OK;
}

enum gs_status gsi_stretches_take(struct gsi_stretches *stretches, struct gsi_run_list *list,
                                  uint32_t idx, bool *is_taken)
{
    struct gsi_inputs *inputs = stretches->inputs;
    struct gsi_run_entry *entry = &list->entries[idx];
    struct gsi_run_ends ends;
    *is_taken = false;
    if (inputs == NULL || !inputs->loop->device->ops->run_in_order(entry->resident, &ends))
        return GS_OK;
    const uint32_t element = inputs->loop->layout->element_bytes;
    uint64_t off = entry->read_off, bytes = entry->key_count * element;
    const struct gsi_input *input = find_input(inputs, &off, bytes);
    bool is_joined = input != NULL && idx > 0 && goes_on(stretches, entry - 1, input, off, &ends);
    if (input == NULL)
        return GS_OK;
    if (!is_joined)
        GSI_TRY(add(stretches, input, off, bytes));
    memcpy(stretches->last, ends.last, element);
    stretches->bytes += bytes;
    inputs->loop->device->ops->run_drop(inputs->loop->device, entry->resident);
    *is_taken = true;
    if (is_joined) {
        stretches->newest->input.bytes += bytes;
        entry[-1].key_count += entry->key_count;
        gsi_run_list_remove(list, idx);
    } else {
        *entry = (struct gsi_run_entry){.file = &stretches->newest->input,
                                        .key_count = entry->key_count};
    }
    return GS_OK;
}
