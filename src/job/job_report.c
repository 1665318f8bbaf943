/* job_report.c: brings what a job found and did from where it was counted to the report. */
#include "job/job_report.h"

#include "base/clock.h"
#include "input/file_reader.h"
#include "job/job.h"
#include "merge/set_filter.h"
#include "output/delivery.h"

#include <string.h>

/* If a header does not fill whole pages, direct I/O cannot read the numbers after it to their place
 * among those of other inputs. */
static bool is_read_direct(const struct gsi_job *job, const struct gsi_input *input)
{
    if (input->direct_fd >= 0 && !gsi_file_is_direct(input->direct_fd))
        return false; /* its file system refused it later than at open */
    if (job->options->merge && input->coding == GSI_CODING_NONE)
        return gsi_file_reader_is_direct(&job->chosen.layout, input);
    return input->is_direct &&
           (input->coding != GSI_CODING_NONE || job->chosen.layout.align_bytes == 1 ||
            input->base_off % GSI_DIRECT_ALIGN == 0);
}

/* Returns the bytes that were read of the inputs, packed or not. A merge reads spilled runs at the
 * same time, so sizes of files are added up; with streams, sizes of elements. */
static uint64_t read_bytes(const struct gsi_job *job)
{
    uint64_t bytes = 0;
    if (!job->options->merge)
        return job->report->cost.phases[GS_PHASE_READ].bytes_read;
    for (size_t i = 0; i < job->inputs.count; i++) {
        const struct gsi_input *input = &job->inputs.table[i];
        uint64_t of_input = input->coding != GSI_CODING_NONE ? input->file_bytes
                            : input->is_stream               ? UINT64_MAX
                                                             : input->bytes;
        if (of_input == UINT64_MAX)
            return job->report->input.bytes;
        bytes += of_input;
    }
    return bytes;
}

void gsi_job_report(struct gsi_job *job)
{
    struct gs_report *report = job->report;
    gsi_loop_begin_phase(&job->loop, job->loop.phase, 0);
    memcpy(report->cost.phases, job->loop.phases, sizeof job->loop.phases);
    report->cost.start_ns = job->loop.start_ns;
    report->runs.count = job->run_count;
    report->runs.spilled_count = job->spill.run_count;
    report->runs.coded_count = job->spill.coded_run_count;
    report->runs.spilled_bytes = job->spill.key_bytes;
    report->runs.coded_bytes = job->spill.frame_bytes;
    report->output.bytes = job->target.bytes;
    report->output.file_bytes = job->target.file_bytes;
    for (int i = 0; i < GS_PHASE_COUNT; i++) {
        report->cost.bytes_read += report->cost.phases[i].bytes_read;
        report->cost.bytes_written += report->cost.phases[i].bytes_written;
    }
    report->set.unsorted_input = job->sets.unsorted_file; /* no task runs any more */
    report->groups.is_unique = job->options->unique && job->options->action == GS_SORT;
    const struct gsi_filtered *filtered = &job->inputs.filtered;
    report->input.left_out_count = filtered->left_count;
    report->input.left_out_fingerprint[0] = (uint64_t)filtered->left_mix;
    report->input.left_out_fingerprint[1] = (uint64_t)(filtered->left_mix >> 64);
    report->input.bytes =
        (report->tally.count + filtered->left_count) * job->inputs.layout->element_bytes +
        gsi_values_bytes(&job->chosen.values) + gsi_set_filter_compared_bytes(&job->sets);
    report->input.file_bytes = read_bytes(job);
    report->input.is_direct = job->inputs.count > 0 && job->chosen.layout.element_bytes > 0;
    for (size_t i = 0; i < gsi_inputs_merged_count(&job->inputs); i++)
        report->input.is_direct =
            report->input.is_direct && is_read_direct(job, &job->inputs.table[i]);
    const struct gsi_output *output =
        job->target.files.count > 0 ? &job->target.files.table[0].output : &job->target.output;
    report->output.is_direct = job->target.is_open && job->target.plan->pack_level == 0 &&
                               gsi_file_is_direct(output->direct_fd) &&
                               job->inputs.header.bytes % GSI_DIRECT_ALIGN == 0;
    report->output.is_placed = job->target.is_open && job->target.output.is_placed;
    report->runs.is_direct = job->spill.has_store && gsi_spill_is_direct(&job->spill.store);
    report->runs.temp_bytes = job->spill.store.peak_bytes;
    report->cost.memory_peak_bytes = job->loop.ledger.peak_bytes;
    memcpy(report->cost.memory_parts, job->loop.ledger.peak_parts,
           sizeof job->loop.ledger.peak_parts);
    report->cost.ns = gsi_clock_ns() - job->loop.begin_ns;
}

struct gsi_delivery_report gsi_job_delivery_report(struct gsi_job *job)
{
    struct gs_report *report = job->report;
    return (struct gsi_delivery_report){.tally = &report->tally,
                                        .field_tallies = report->field_tallies,
                                        .order_statistics = &report->order_statistics,
                                        .groups = &report->groups,
                                        .ends = &report->ends,
                                        .split = &report->split};
}
