/* inputs.c: sizes of inputs. */
#include "input/inputs.h"

#include "base/checked.h"

enum gs_status gsi_inputs_measure(struct gsi_inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++) {
        const struct gsi_input *input = &inputs->table[i];
        if (input->is_stream) {
            inputs->bytes = UINT64_MAX;
            continue;
        }
        GSI_TRY(gsi_inputs_check_whole(inputs, input, input->bytes));
        if (inputs->bytes != UINT64_MAX &&
            !gsi_add_u64(inputs->bytes, input->bytes, &inputs->bytes))
            return gsi_fail(inputs->loop->error, GS_E_INPUT, 0,
                            "'%s': the inputs are too large together", input->name);
    }
    return GS_OK;
}

enum gs_status gsi_inputs_check_whole(const struct gsi_inputs *inputs,
                                      const struct gsi_input *input, uint64_t bytes)
{
    const struct gsi_layout *layout = inputs->loop->layout;
    struct gs_error *error = inputs->loop->error;
    if (input->expected_bytes != UINT64_MAX && bytes != input->expected_bytes)
        return gsi_fail(error, GS_E_INPUT, 0,
                        "'%s': %llu bytes follow its header, which says that there are %llu",
                        input->name, (unsigned long long)bytes,
                        (unsigned long long)input->expected_bytes);
    if (bytes % layout->element_bytes == 0)
        return GS_OK;
    if (layout->record != NULL)
        return gsi_fail(error, GS_E_INPUT, 0,
                        "'%s': %llu bytes are no whole number of records of %u; give the right "
                        "--record",
                        input->name, (unsigned long long)bytes, layout->element_bytes);
    return gsi_fail(error, GS_E_INPUT, 0,
                    "'%s': %llu bytes are no whole number of %u-byte %s elements; give the right "
                    "--type",
                    input->name, (unsigned long long)bytes, layout->element_bytes,
                    layout->type->name);
}
