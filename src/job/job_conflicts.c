/* job_conflicts.c: checks one property after the other, with the name of the file that has it. */
#include "job/steps.h"

#include "input/format/format.h"
#include "input/header.h"
#include "job/spec/spec.h"

static enum gs_status check(const struct gsi_job *job, enum gsi_feature property, const char *name)
{
    return gsi_conflicts_check(&job->features, property, name, job->loop.error);
}

enum gs_status gsi_job_conflicts_begin(struct gsi_job *job)
{
    const struct gsi_options *options = job->options;
    GSI_TRY(gsi_conflicts_begin(&job->features, options, gsi_verb_of(options->action),
                                job->is_given, job->loop.error));
    return gsi_spec_pack_level(options) > 0 ? check(job, GSI_PROPERTY_PACKED_OUTPUT, NULL) : GS_OK;
}

enum gs_status gsi_job_conflicts_check_inputs(const struct gsi_job *job)
{
    for (size_t i = 0; i < job->inputs.count; i++) {
        const struct gsi_input *input = &job->inputs.table[i];
        bool is_packed = input->coding != GSI_CODING_NONE;
        if (i == 0 && is_packed)
            GSI_TRY(check(job, GSI_PROPERTY_PACKED_FIRST, input->name));
        if (i == 1)
            GSI_TRY(check(job, GSI_PROPERTY_SECOND_INPUT, input->name));
        if (input->is_stream)
            GSI_TRY(check(job, is_packed ? GSI_PROPERTY_PACKED : GSI_PROPERTY_STREAM, input->name));
        if (input->is_device)
            GSI_TRY(check(job, GSI_PROPERTY_BLOCK_DEVICE, input->name));
    }
    GSI_TRY(gsi_header_check_dropped(&job->inputs));
    return job->inputs.formatted != NULL
               ? check(job, GSI_PROPERTY_FORMATTED, job->inputs.table[0].name)
               : GS_OK;
}

enum gs_status gsi_job_conflicts_check_length(const struct gsi_job *job)
{
    const struct gsi_input *input = job->inputs.table;
    if (job->inputs.bytes != UINT64_MAX)
        return GS_OK;
    while (!input->is_stream)
        input++;
    return check(job, GSI_PROPERTY_UNCOUNTED, input->name);
}

enum gs_status gsi_job_conflicts_check_output(const struct gsi_job *job)
{
    const struct gsi_options *options = job->options;
    const struct gsi_target *target = &job->target;
    enum gsi_output_kind kind = target->output.kind;
    const char *name = options->output != NULL ? options->output : "standard output";
    bool is_once = job->order_by == NULL && (gsi_spec_pack_level(options) > 0 ||
                                             (target->is_open && kind == GSI_OUTPUT_STREAM));
    if (target->is_open && kind != GSI_OUTPUT_ATOMIC && kind != GSI_OUTPUT_PART)
        GSI_TRY(check(job, GSI_PROPERTY_SPECIAL_OUTPUT, target->output.name));
    const struct gsi_format *format = job->inputs.head.format;
    if (format == NULL)
        return GS_OK;
    if (!format->is_plain) {
        GSI_TRY(check(job, GSI_PROPERTY_KEPT_OUTPUT, name));
        return is_once ? gsi_fail(job->loop.error, GS_E_USAGE, 0,
                                  "'%s': the header of %s is written last, so it needs an "
                                  "uncompressed file; choose one, or write only elements with "
                                  "--drop-header",
                                  name, format->name)
                       : GS_OK;
    }
    GSI_TRY(check(job, GSI_PROPERTY_NPY_OUTPUT, name));
    return is_once ? check(job, GSI_PROPERTY_NPY_OUTPUT_ONCE, name) : GS_OK;
}
