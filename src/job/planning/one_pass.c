/* one_pass.c: compares what one pass needs with options and inputs. */
#include "job/planning/one_pass.h"

#include "input/format/format.h"
#include "input/header.h"
#include "job/spec/spec.h"
#include "output/byte_order.h"
#include "output/ranks.h"

const char *gsi_job_why_not_one_pass(const struct gsi_job *job)
{
    const struct gsi_options *options = job->options;
    const struct gsi_inputs *inputs = &job->inputs;
    if (options->resume_dir != NULL)
        return "--resume writes every run to disk";
    if (options->spill_all)
        return "--spill=always writes every run to disk";
    if (gsi_spec_is_split(options) || options->into)
        return "the output is not one file";
    if (gsi_spec_pack_level(options) > 0)
        return "the output is compressed";
    if (inputs->carry != NULL || (options->unique && !gsi_spec_keeps_elements(options)) ||
        gsi_byte_order_differs(options->out_order, inputs->layout))
        return "the output differs from the elements that are sorted";
    if (options->has_top || gsi_ranks_wanted(&options->order_statistics))
        return "the number of elements must be known first";
    if (inputs->are_many)
        return "there are too many inputs to keep open";
    bool is_known = inputs->bytes != UINT64_MAX && !gsi_inputs_shrink(inputs);
    bool has_header = inputs->header.bytes > 0 || inputs->spec->kept_header_bytes > 0 ||
                      inputs->head.format != NULL;
    return is_known || !has_header ? NULL : "the header needs the number of elements";
}
