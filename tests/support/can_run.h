/* can_run.h: what a machine may lack, found out by a sort that takes it. */
#ifndef CAN_RUN_H
#define CAN_RUN_H

#include "support/scratch.h"

#include "gsort.h"

/* Whether a job with these options works on a small file: the engine may be refused on this
 * machine, or there is no GPU, which may be an emulated one. Inputs, output and header are filled
 * in; `in` and `out` are written. */
static inline bool can_run(struct gs_options options)
{
    static const char *const inputs[] = {"in"};
    struct gs_report report;
    struct gs_error error;
    options.inputs = inputs;
    options.input_count = 1;
    options.output = "out";
    options.header_bytes = 0;
    put_bytes("in", "four or sixteen.", 16);
    return gs_run(&options, &report, &error) == GS_OK;
}

#endif
