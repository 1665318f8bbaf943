/* sorted_inputs.c: makes the list of runs of a job with sorted inputs. */
#include "merge/sorted_inputs.h"

#include "base/checked.h"
#include "element/key_scope.h"
#include "input/format/format.h"

/* Returns the bytes of elements in all inputs, from the sizes of files and the headers of streams;
 * UINT64_MAX: not known. */
static uint64_t known_bytes(const struct gsi_inputs *inputs)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < gsi_inputs_merged_count(inputs); i++) {
        const struct gsi_input *input = &inputs->table[i];
        uint64_t input_bytes = input->is_stream ? input->expected_bytes : input->bytes;
        if (input_bytes == UINT64_MAX || !gsi_add_u64(bytes, input_bytes, &bytes))
            return UINT64_MAX;
    }
    return bytes;
}

enum gs_status gsi_sorted_inputs_check(const struct gsi_inputs *inputs, const char *output)
{
    bool is_unknown = inputs->head.format != NULL && known_bytes(inputs) == UINT64_MAX;
    return is_unknown
               ? gsi_fail(inputs->loop->error, GS_E_USAGE, 0,
                          "--merge cannot be used with '%s', a .npy file: its header holds its "
                          "length, which is unknown for streams; merge files, or use another "
                          "output name",
                          output != NULL ? output : "standard output")
               : GS_OK;
}

enum gs_status gsi_sorted_inputs_sizes(const struct gsi_inputs *inputs, struct gsi_ledger *ledger,
                                       uint64_t **sizes, uint64_t *count, struct gs_error *error)
{
    enum gs_status status = GSI_NEW(ledger, *sizes, gsi_inputs_merged_count(inputs), error);
    *count = 0;
    for (size_t i = 0; status == GS_OK && i < gsi_inputs_merged_count(inputs); i++)
        if (inputs->table[i].bytes > 0)
            (*sizes)[(*count)++] = inputs->table[i].bytes;
    return status;
}

/* Reads the first and the last record of an input that is not empty, and adds their keys to the
 * layout's scope. */
static enum gs_status scan_first_and_last(struct gsi_inputs *inputs, struct gsi_input *input,
                                          uint8_t *record)
{
    GSI_TRY(gsi_input_reopen(input, inputs->loop->error));
    GSI_TRY(
        gsi_input_read(input, record, inputs->loop->layout->element_bytes, 0, inputs->loop->error));
    gsi_key_scope_begin(inputs->loop->layout->scope, record);
    gsi_key_scope_scan(inputs->loop->layout->scope, record, 1);
    GSI_TRY(gsi_input_read(input, record, inputs->loop->layout->element_bytes,
                           input->bytes - inputs->loop->layout->element_bytes,
                           inputs->loop->error));
    gsi_key_scope_scan(inputs->loop->layout->scope, record, 1);
    if (inputs->are_many)
        gsi_input_close_for_now(input);
    return GS_OK;
}

static enum gs_status find_shared_bytes(struct gsi_inputs *inputs)
{
    enum gs_status status = GS_OK;
    uint8_t *record;
    GSI_TRY(GSI_NEW(&inputs->loop->ledger, record, inputs->loop->layout->element_bytes,
                    inputs->loop->error));
    for (size_t i = 0; status == GS_OK && i < gsi_inputs_merged_count(inputs); i++)
        if (inputs->table[i].bytes > 0)
            status = scan_first_and_last(inputs, &inputs->table[i], record);
    GSI_FREE(&inputs->loop->ledger, record, inputs->loop->layout->element_bytes);
    return status;
}

enum gs_status gsi_sorted_inputs_list(struct gsi_inputs *inputs, struct gsi_run_list *list)
{
    uint32_t element = inputs->loop->layout->element_bytes;
    list->ledger = &inputs->loop->ledger;
    inputs->data_bytes = known_bytes(inputs);
    for (size_t i = 0; i < gsi_inputs_merged_count(inputs); i++) {
        struct gsi_input *input = &inputs->table[i];
        struct gsi_run_entry entry = {.is_extent = true,
                                      .extent = {input, 0, input->bytes},
                                      .key_count =
                                          input->is_stream ? UINT64_MAX : input->bytes / element};
        if (input->bytes > 0)
            GSI_TRY(gsi_run_list_append(list, &entry, inputs->loop->error));
    }
    /* Elements that a filter removes may be in any order, so the first and last record do not bound
     * the others. */
    if (inputs->loop->layout->scope != NULL &&
        (inputs->bytes == UINT64_MAX || inputs->filter != NULL))
        gsi_key_scope_forget(inputs->loop->layout->scope);
    else if (inputs->loop->layout->scope != NULL)
        GSI_TRY(find_shared_bytes(inputs));
    return GS_OK;
}
