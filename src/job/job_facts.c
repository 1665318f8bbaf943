/* job_facts.c: one fact after the other, with the name of the file that it is about. */
#include "job/job_facts.h"

#include "input/format/format.h"
#include "input/header.h"
#include "job/spec/spec.h"

static enum gs_status tell(const struct gsi_job *job, enum gsi_feature fact, const char *name)
{
    return gsi_together_tell(&job->together, fact, name, job->loop.error);
}

enum gs_status gsi_facts_begin(struct gsi_job *job)
{
    const struct gsi_options *options = job->options;
    GSI_TRY(gsi_together_begin(&job->together, options, gsi_together_verb(options->action),
                               job->is_given, job->loop.error));
    return gsi_spec_pack_level(options) > 0 ? tell(job, GSI_FACT_PACKED_OUTPUT, NULL) : GS_OK;
}

enum gs_status gsi_facts_tell_inputs(const struct gsi_job *job)
{
    for (size_t i = 0; i < job->inputs.count; i++) {
        const struct gsi_input *input = &job->inputs.table[i];
        bool is_packed = input->coding != GSI_CODING_NONE;
        if (i == 0 && is_packed)
            GSI_TRY(tell(job, GSI_FACT_PACKED_FIRST, input->name));
        if (i == 1)
            GSI_TRY(tell(job, GSI_FACT_SECOND_INPUT, input->name));
        if (input->is_stream)
            GSI_TRY(tell(job, is_packed ? GSI_FACT_PACKED : GSI_FACT_STREAM, input->name));
        if (input->is_device)
            GSI_TRY(tell(job, GSI_FACT_BLOCK_DEVICE, input->name));
    }
    GSI_TRY(gsi_header_check_dropped(&job->inputs));
    return job->inputs.formatted != NULL ? tell(job, GSI_FACT_FORMATTED, job->inputs.table[0].name)
                                         : GS_OK;
}

enum gs_status gsi_facts_tell_length(const struct gsi_job *job)
{
    const struct gsi_input *input = job->inputs.table;
    if (job->inputs.bytes != UINT64_MAX)
        return GS_OK;
    while (!input->is_stream)
        input++;
    return tell(job, GSI_FACT_UNCOUNTED, input->name);
}

enum gs_status gsi_facts_tell_output(const struct gsi_job *job)
{
    const struct gsi_options *options = job->options;
    const struct gsi_target *target = &job->target;
    enum gsi_output_kind kind = target->output.kind;
    const char *name = options->output != NULL ? options->output : "standard output";
    bool is_once =
        gsi_spec_pack_level(options) > 0 || (target->is_open && kind == GSI_OUTPUT_STREAM);
    if (target->is_open && kind != GSI_OUTPUT_ATOMIC && kind != GSI_OUTPUT_PLACE)
        GSI_TRY(tell(job, GSI_FACT_SPECIAL_OUTPUT, target->output.name));
    const struct gsi_format *format = job->inputs.head.format;
    if (format == NULL)
        return GS_OK;
    if (!format->is_plain) {
        GSI_TRY(tell(job, GSI_FACT_KEPT_OUTPUT, name));
        return is_once ? gsi_fail(job->loop.error, GS_E_USAGE, 0,
                                  "'%s': the header of %s is written last, so it needs an "
                                  "uncompressed file; choose one, or write only elements with "
                                  "--drop-header",
                                  name, format->name)
                       : GS_OK;
    }
    GSI_TRY(tell(job, GSI_FACT_NPY_OUTPUT, name));
    return is_once ? tell(job, GSI_FACT_NPY_OUTPUT_ONCE, name) : GS_OK;
}
