/* compile.c: elements, then which of them are read, then their payload, then the output. */
#include "job/spec/compile.h"

#include "input/inputs.h"
#include "io/array.h"
#include "job/job_report.h"
#include "job/permute/permute.h"
#include "job/planning/planning.h"
#include "job/spec/spec.h"
#include "job/steps.h"
#include "merge/find.h"
#include "merge/part.h"
#include "output/split/split.h"

/* An array is not written over by the positions of its elements. */
static enum gs_status check_positions(const struct gsi_job *job)
{
    const struct gsi_inputs *inputs = &job->inputs;
    if (job->array == NULL || !job->options->argsort ||
        !gsi_array_overlaps(job->array, inputs->bytes / inputs->layout->element_bytes *
                                            inputs->entry_map->output_bytes))
        return GS_OK;
    return gsi_fail(job->loop.error, GS_E_USAGE, 0,
                    "the positions: their memory overlaps the array");
}

/* Which elements of the inputs are read, and which of these are merged. */
static enum gs_status choose_part(struct gsi_job *job)
{
    const struct gsi_options *options = job->options;
    const enum gsi_set set = options->merge_set;
    if (options->has_range)
        GSI_TRY(gsi_range_select(&job->inputs, options->range_first, options->range_count,
                                 &job->report->range));
    if (options->find != NULL)
        GSI_TRY(gsi_find_apply(&job->inputs, options->find, &job->report->find));
    else if (options->action == GS_FIND)
        return gsi_fail(job->loop.error, GS_E_USAGE, 0,
                        "--find: has no value; give VALUE, LO..HI, LO.. or ..HI");
    GSI_TRY(gsi_part_apply(&job->inputs, options->part_number, options->part_count,
                           &job->report->part));
    if (set != GSI_SET_NONE)
        gsi_set_filter_attach(&job->sets, &job->inputs,
                              set == GSI_SET_EXCEPT && options->unique ? GSI_SET_ANTI : set);
    job->report->set.operation = set;
    return GS_OK;
}

/* The inputs follow what was chosen so far. */
static void adopt_chosen(struct gsi_job *job)
{
    const struct gsi_chosen *chosen = &job->chosen;
    const struct gsi_array *array = job->array;
    struct gsi_inputs *inputs = &job->inputs;
    inputs->layout = chosen->has_entries ? &chosen->input_layout : &chosen->layout;
    inputs->entry_map = chosen->has_entries ? &chosen->entry_map : NULL;
    inputs->values = chosen->values.count > 0 ? &job->chosen.values : NULL;
    inputs->fold = chosen->fold.count > 0 ? &chosen->fold : NULL;
    inputs->filter = job->options->where_count > 0 ? &chosen->filter : NULL;
    inputs->is_lent = chosen->has_entries && array != NULL && !gsi_inputs_may_shrink(inputs) &&
                      (uintptr_t)array->from % inputs->layout->align_bytes == 0;
}

/* Opens the positions of --permute, which say how many elements the output has. */
static enum gs_status open_positions(struct gsi_job *job)
{
    const struct gsi_options *options = job->options;
    struct gs_error *error = job->loop.error;
    if (!gsi_permute_is(job))
        return GS_OK;
    GSI_TRY(gsi_positions_open(&job->positions, options->permute, options->raw, error));
    job->report->output.is_permuted = job->output_spec.is_permuted = true;
    job->report->output.position_count = job->positions.count;
    job->output_spec.permuted_bytes =
        gsi_mul_max_u64(job->positions.count, job->chosen.layout.element_bytes);
    if (job->output_spec.permuted_bytes <= GSI_PLAN_MOST_BYTES)
        return GS_OK;
    return gsi_fail(error, GS_E_USAGE, 0, "--permute: the output would have more than 1 EiB");
}

/* Measures the inputs, whose elements are known, and cuts them to what is read of them. */
static enum gs_status measure(struct gsi_job *job)
{
    const struct gsi_options *options = job->options;
    if (options->merge_set != GSI_SET_NONE)
        GSI_TRY(gsi_set_filter_copy_streams(
            &job->sets, &job->inputs, options->writer == NULL ? options->output : NULL,
            options->temp_dir_count > 0 ? options->temp_dirs[0] : NULL));
    GSI_TRY(gsi_inputs_measure(&job->inputs));
    GSI_TRY(gsi_job_conflicts_check_length(job));
    GSI_TRY(choose_part(job));
    return gsi_job_has_sort(job) && options->into
               ? gsi_into_apply(&job->target, &job->report->part, &job->report->into)
               : GS_OK;
}

/* Reports the place of the first element, and its length. */
static void report_place(struct gsi_job *job)
{
    const struct gsi_input *input = &job->inputs.table[0];
    job->report->input.is_packed = input->coding == GSI_CODING_ZSTD;
    job->report->input.data_off = input->is_stream ? input->skip_bytes : input->base_off;
    job->report->input.data_bytes = input->bytes;
    job->report->input.expected_bytes = input->expected_bytes;
}

enum gs_status gsi_spec_compile(struct gsi_job *job)
{
    GSI_TRY(gsi_spec_elements(job, &job->chosen, job->report));
    adopt_chosen(job);
    GSI_TRY(measure(job));
    GSI_TRY(gsi_spec_payload(job, &job->chosen, job->report));
    adopt_chosen(job);
    job->output_spec = gsi_spec_of_output(job->options, &job->chosen);
    GSI_TRY(open_positions(job));
    GSI_TRY(check_positions(job));
    GSI_TRY(gsi_spec_check_names(job));
    GSI_TRY(gsi_split_check(&job->target, &job->report->split));
    report_place(job);
    return GS_OK;
}
