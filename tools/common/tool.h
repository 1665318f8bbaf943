/* tool.h: declares helpers that the programs share. They include only gsort.h of the library, as
 * every program can (tools/dev/check_layers). */
#ifndef TOOL_H
#define TOOL_H

#include "gsort.h"

/* TRY: returns the status from the function if the call failed.
 * TRY_OR: sets `status` and jumps to `label` instead, which releases resources. */
#define TRY(expression)                           \
    do {                                          \
        enum gs_status try_status = (expression); \
        if (try_status != GS_OK)                  \
            return try_status;                    \
    } while (0)
#define TRY_OR(expression, label) \
    do {                          \
        status = (expression);    \
        if (status != GS_OK)      \
            goto label;           \
    } while (0)

/* number_at: of a report, by its path; 0: there is none. */
static inline uint64_t number_at(const gs_report *report, const char *path)
{
    uint64_t number = 0;
    gs_report_u64(report, path, &number);
    return number;
}

/* of_job: returns the result of a call on a job, with the job's error. */
static inline enum gs_status of_job(enum gs_status status, const gs_job *job,
                                    struct gs_error *error)
{
    if (status != GS_OK)
        *error = *gs_job_error(job);
    return status;
}

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

#endif
