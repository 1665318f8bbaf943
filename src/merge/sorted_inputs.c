/* sorted_inputs.c: a list of runs that needs no sorting. */
#include "merge/sorted_inputs.h"

#include "base/checked.h"
#include "element/key_scope.h"
#include "input/npy/npy_input.h"

/* Bytes of all inputs, as sizes and headers tell; UINT64_MAX: not known. */
static uint64_t known_bytes(const struct gsi_job *job)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < job->input_count; i++) {
        const struct gsi_input *input = &job->inputs[i];
        uint64_t of_input = input->is_stream ? input->expected_bytes : input->bytes;
        if (of_input == UINT64_MAX || !gsi_add_u64(bytes, of_input, &bytes))
            return UINT64_MAX;
    }
    return bytes;
}

enum gs_status gsi_sorted_inputs_check(const struct gsi_job *job)
{
    for (size_t i = 0; i < job->input_count; i++)
        if (job->inputs[i].coding != GSI_CODING_NONE)
            return gsi_fail(job->error, GS_E_USAGE, 0,
                            "--merge: '%s' is packed, and merges read plain data; give <(zstd -dc "
                            "FILE) in its place, or leave --merge out",
                            job->inputs[i].name);
    bool is_explained = job->options->action == GS_ACTION_EXPLAIN; /* streams were not looked at */
    if (gsi_npy_input_is_output(job) && !is_explained && known_bytes(job) == UINT64_MAX)
        return gsi_fail(job->error, GS_E_USAGE, 0,
                        "--merge: a .npy file begins with its length, which streams do not tell; "
                        "merge from files, or to another name");
    return GS_OK;
}

enum gs_status gsi_sorted_inputs_sizes(struct gsi_job *job, uint64_t **sizes, uint64_t *count)
{
    enum gs_status status = GSI_NEW(&job->ledger, *sizes, job->input_count, job->error);
    *count = 0;
    for (size_t i = 0; status == GS_OK && i < job->input_count; i++)
        if (job->inputs[i].bytes > 0)
            (*sizes)[(*count)++] = job->inputs[i].bytes;
    return status;
}

/* First and last record of an input that is not empty. */
static enum gs_status look_at_ends(struct gsi_job *job, struct gsi_input *input, uint8_t *record)
{
    GSI_TRY(gsi_input_wake(input, job->error));
    GSI_TRY(gsi_input_read(input, record, job->layout.element_bytes, 0, job->error));
    gsi_key_scope_begin(&job->scope, record);
    gsi_key_scope_take(&job->scope, record, 1);
    GSI_TRY(gsi_input_read(input, record, job->layout.element_bytes,
                           input->bytes - job->layout.element_bytes, job->error));
    gsi_key_scope_take(&job->scope, record, 1);
    if (job->rests_inputs)
        gsi_input_rest(input);
    return GS_OK;
}

static enum gs_status find_scope(struct gsi_job *job)
{
    enum gs_status status = GS_OK;
    uint8_t *record;
    GSI_TRY(GSI_NEW(&job->ledger, record, job->layout.element_bytes, job->error));
    for (size_t i = 0; status == GS_OK && i < job->input_count; i++)
        if (job->inputs[i].bytes > 0)
            status = look_at_ends(job, &job->inputs[i], record);
    GSI_FREE(&job->ledger, record, job->layout.element_bytes);
    return status;
}

enum gs_status gsi_sorted_inputs_list(struct gsi_job *job, struct gsi_run_list *list)
{
    uint32_t element = job->layout.element_bytes;
    list->ledger = &job->ledger;
    job->data_bytes = known_bytes(job);
    for (size_t i = 0; i < job->input_count; i++) {
        struct gsi_input *input = &job->inputs[i];
        struct gsi_run_entry entry = {
            .file = input, .key_count = input->is_stream ? UINT64_MAX : input->bytes / element};
        if (input->bytes > 0)
            GSI_TRY(gsi_run_list_append(list, &entry, job->error));
    }
    job->report->run_count = list->count;
    if (job->layout.scope != NULL && job->input_bytes == UINT64_MAX)
        gsi_key_scope_forget(&job->scope);
    else if (job->layout.scope != NULL)
        GSI_TRY(find_scope(job));
    return GS_OK;
}
