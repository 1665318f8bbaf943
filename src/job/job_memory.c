/* job_memory.c: takes memory before there is a plan, and searches for how much a plan needs. */
#include "job/job_memory.h"

#include "base/checked.h"
#include "base/report.h"
#include "io/caller.h"
#include "option/option_texts.h"
#include "plan/limits.h"
#include "plan/plan.h"

#include <string.h>

#define MIB ((uint64_t)1 << 20)

/* No machine has more: a plan that fails with it fails for another reason. */
#define MOST_MIB ((uint64_t)1 << 30)

/* Conditions are kept as they are given, and in a form for reports. */
static uint64_t lists_bytes(const struct gsi_options *options)
{
    struct gsi_options copy = *options;
    struct gsi_text_list lists[GSI_OPT_COUNT];
    uint64_t bytes =
        gsi_texts_bytes(options->where, options->where_count) +
        gsi_filter_bytes(options->where_count, 0) +
        (options->readers != NULL ? options->input_count * sizeof *options->readers : 0);
    size_t count = gsi_option_texts(&copy, lists);
    for (size_t i = 0; i < count; i++)
        bytes += gsi_texts_bytes(*lists[i].texts, lists[i].count);
    return bytes;
}

/* How much in all is known once the inputs are. Whole MiB, rounded down: it is more than that. */
static enum gs_status refuse(struct gsi_job *job, size_t input_count, uint64_t least)
{
    return gsi_fail(job->loop.error, GS_E_USAGE, 0,
                    "--memory: %llu bytes are too few for the names and the table of %zu inputs; "
                    "more than %llu MiB are needed",
                    (unsigned long long)job->memory_bytes, input_count,
                    (unsigned long long)(least / MIB));
}

uint64_t gsi_job_memory_ceiling(const struct gsi_job *job)
{
    return gsi_max_u64(job->memory_bytes, GSI_PLAN_LEAST_BYTES + MIB);
}

enum gs_status gsi_job_memory_begin(struct gsi_job *job, size_t input_count)
{
    const struct gsi_options *options = job->options;
    struct gsi_limits limits = gsi_limits_probe("");
    uint64_t lists = lists_bytes(options), table, least;
    job->memory_bytes = gsi_limits_memory(&limits, options->memory_bytes);
    if (options->memory_bytes > limits.most_bytes)
        gsi_note(options,
                 "the memory asked for is more than this machine has; the %llu MiB that are "
                 "available are used",
                 (unsigned long long)(job->memory_bytes / MIB));
    job->thread_count = options->thread_count > 0 ? options->thread_count : limits.cpu_count;
    if (!gsi_mul_u64(input_count, sizeof *job->inputs.table, &table) ||
        !gsi_add_u64(table, lists + gsi_callers_bytes(options), &job->given_bytes) ||
        !gsi_add_u64(job->given_bytes, GSI_PLAN_LEAST_BYTES, &least))
        return gsi_fail(job->loop.error, GS_E_USAGE, 0, "%zu inputs are too many", input_count);
    job->loop.ledger.ceiling_bytes = gsi_job_memory_ceiling(job);
    if (least > job->loop.ledger.ceiling_bytes)
        return refuse(job, input_count, least);
    GSI_TRY(gsi_memory_reserve(&job->loop.ledger, GSI_MEMORY_TABLES, lists, job->loop.error));
    job->lists_bytes = lists;
    GSI_TRY(GSI_NEW(&job->loop.ledger, job->inputs.table, input_count, job->loop.error));
    job->inputs.room = input_count;
    return GS_OK;
}

void gsi_job_memory_end(struct gsi_job *job)
{
    GSI_FREE(&job->loop.ledger, job->inputs.table, job->inputs.room);
    gsi_memory_unreserve(&job->loop.ledger, GSI_MEMORY_TABLES, job->lists_bytes);
    job->inputs.table = NULL;
}

static bool is_enough(struct gsi_job *job, uint64_t mib, enum gs_status (*plan)(struct gsi_job *))
{
    struct gs_error unheard = {0}, *heard = job->loop.error;
    job->memory_bytes = mib * MIB;
    job->loop.error = &unheard;
    bool is_made = plan(job) == GS_OK;
    job->loop.error = heard;
    return is_made;
}

/* Twice as much until it is enough, then halves. The plan need not be monotonous: what is found is
 * enough, and a MiB below it was tried and is not. 0: no memory is. */
static uint64_t find_enough(struct gsi_job *job, uint64_t failed_mib,
                            enum gs_status (*plan)(struct gsi_job *))
{
    uint64_t low = failed_mib, high = failed_mib + 1;
    while (!is_enough(job, high, plan)) {
        low = high;
        high *= 2;
        if (high > MOST_MIB)
            return 0;
    }
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (is_enough(job, middle, plan))
            high = middle;
        else
            low = middle;
    }
    return high;
}

void gsi_job_memory_tell_enough(struct gsi_job *job, enum gs_status (*plan)(struct gsi_job *job))
{
    struct gs_error *error = job->loop.error;
    uint64_t memory_bytes = job->memory_bytes;
    uint64_t mib = find_enough(job, memory_bytes / MIB, plan);
    job->memory_bytes = memory_bytes;
    if (mib == 0)
        return;
    size_t length = strlen(error->text);
    const char *format = strncmp(error->text, "--memory", 8) == 0
                             ? "; at least %llu MiB are needed"
                             : "; --memory of %llu MiB would do";
    snprintf(error->text + length, sizeof error->text - length, format, (unsigned long long)mib);
}
