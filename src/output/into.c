/* into.c: computes the offset of the part. */
#include "output/into.h"

#include "input/header.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum gs_status gsi_into_apply(struct gsi_target *target, const struct gsi_part_report *part,
                              struct gsi_into_report *report)
{
    bool is_part = part->count > 0;
    uint32_t element = target->loop->layout->element_bytes;
    target->whole_bytes = is_part ? part->of * element : target->inputs->bytes;
    GSI_TRY(gsi_header_make(target->inputs, target->whole_bytes / element));
    report->is_given = true;
    report->off = target->inputs->header.bytes + part->first * element;
    report->file_bytes = target->inputs->header.bytes + target->whole_bytes;
    return GS_OK;
}

/* Its elements would be written over while they are read. */
static enum gs_status check_inputs(const struct gsi_target *target)
{
    struct stat info;
    return stat(target->spec->name, &info) != 0 || !gsi_inputs_contain(target->inputs, &info)
               ? GS_OK
               : gsi_fail(target->loop->error, GS_E_USAGE, 0,
                          "--into: '%s' is an input and would be overwritten while it is read",
                          target->spec->name);
}

enum gs_status gsi_into_open(struct gsi_target *target, const struct gsi_into_report *report)
{
    GSI_TRY(check_inputs(target));
    return gsi_output_open_part(target->spec->name, report->off - target->inputs->header.bytes,
                                report->file_bytes, &target->output, target->loop->error);
}

void gsi_into_tell(const struct gsi_target *target, const struct gsi_part_report *part)
{
    struct gs_error *error = target->loop->error;
    size_t length = strlen(error->text);
    bool has_begun = target->is_open && target->loop->phase >= GS_PHASE_WRITE;
    if (error->status == GS_OK || target->output.kind != GSI_OUTPUT_PART || !has_begun ||
        target->output.is_placed)
        return;
    if (part->count > 0)
        snprintf(error->text + length, sizeof error->text - length,
                 "; part %u of %u of '%.200s' may be incomplete; write it again", part->number,
                 part->count, target->output.name);
    else
        snprintf(error->text + length, sizeof error->text - length,
                 "; '%.200s' may be incomplete; write it again", target->output.name);
}
