/* can_run.h: finds out by a sort whether the machine can do what a test needs. */
#ifndef CAN_RUN_H
#define CAN_RUN_H

#include "job/job_report.h"
#include "support/scratch.h"

#include "support/struct_jobs.h"

/* lacks: why a job with these options cannot run here, found out with a small file; NULL: it can.
 * The engine may be refused on this machine, or there is no GPU; any other failure is the test's,
 * and so are these of an emulated GPU, which is always there. Inputs, output and header are filled
 * in; `in` and `out` are written. */
static inline const char *lacks(struct gsi_options options)
{
    static const char *const inputs[] = {"in"};
    struct gs_report report;
    struct gs_error error;
    options.inputs = inputs;
    options.input_count = 1;
    options.output = "out";
    options.header_bytes = 0;
    put_bytes("in", "four or sixteen.", 16);
    if (gs_run(&options, &report, &error) == GS_OK)
        return NULL;
    if (strstr(error.text, "this machine refuses io_uring") != NULL)
        return "no io_uring";
#ifndef GSORT_TEST_EMULATED_GPU
    if (strstr(error.text, "this machine has no NVIDIA GPU") != NULL)
        return "no GPU";
#endif
    test_fail("%s", error.text);
    return "";
}

/* Returns whether a part of the test can run with these options. If not, it is counted as skipped,
 * unless CMake leaves it out of the build (GSORT_TEST_NO_GPU). */
static inline bool can_run(struct gsi_options options, const char *part)
{
#ifdef GSORT_TEST_NO_GPU
    if (options.device == GSI_DEVICE_CUDA)
        return false;
#endif
    const char *reason = lacks(options);
    if (reason != NULL)
        test_part_skipped(part, reason);
    return reason == NULL;
}

#endif
