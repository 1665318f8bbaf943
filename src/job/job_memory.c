/* job_memory.c: takes memory before there is a plan, and searches for how much a plan needs. */
#include "job/steps.h"

#include "base/checked.h"
#include "io/callback.h"
#include "job/job_report.h"
#include "option/option_parse.h"
#include "plan/limits.h"
#include "plan/plan.h"

#include <stdarg.h>
#include <stdio.h>
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
        (options->name_count > 0 ? GSI_NAMED_MAX * sizeof(struct gsi_name) : 0) +
        (options->readers != NULL ? options->input_count * sizeof *options->readers : 0);
    size_t count = gsi_option_texts(&copy, lists);
    for (size_t i = 0; i < count; i++)
        bytes += gsi_texts_bytes(*lists[i].texts, lists[i].count);
    return bytes;
}

/* Returns the memory of all jobs that share it, as --memory says. */
static uint64_t asked_bytes(const struct gsi_job *job)
{
    return job->budget.memory_bytes * gsi_job_memory_shares(job->options);
}

/* Names an amount that is enough. The plan, which may need more for each input, is not made yet. */
static enum gs_status refuse(struct gsi_job *job, size_t input_count, uint64_t least)
{
    return gsi_fail(job->loop.error, GS_E_USAGE, 0,
                    "--memory: %llu bytes are too few for the names and the table of %zu inputs; "
                    "%llu MiB are enough",
                    (unsigned long long)asked_bytes(job), input_count,
                    (unsigned long long)(gsi_mul_max_u64(2, least) / MIB + 1) *
                        gsi_job_memory_shares(job->options));
}

uint64_t gsi_job_memory_ceiling(const struct gsi_budget *budget)
{
    return gsi_max_u64(budget->memory_bytes, GSI_PLAN_LEAST_BYTES + MIB);
}

enum gs_status gsi_job_memory_begin(struct gsi_job *job, size_t input_count)
{
    const struct gsi_options *options = job->options;
    struct gsi_limits limits = gsi_limits_probe("");
    const uint64_t shares = gsi_job_memory_shares(options);
    uint64_t lists = lists_bytes(options), table, least;
    uint32_t callbacks =
        gsi_callbacks_count(options->readers, options->input_count, options->writer);
    job->budget = (struct gsi_budget){
        .memory_bytes = gsi_limits_memory(&limits, options->memory_bytes) / shares,
        .thread_count = options->thread_count > 0 ? options->thread_count : limits.cpu_count,
        .fan_in = options->fan_in,
        .chunk_bytes = options->chunk_bytes,
        .window_bytes = options->window_bytes};
    if (options->memory_bytes > limits.most_bytes)
        gsi_note(&options->listener,
                 "--memory: more than this machine has; the %llu MiB that are available are used",
                 (unsigned long long)(asked_bytes(job) / MIB));
    if (!gsi_mul_u64(input_count, sizeof *job->inputs.table, &table) ||
        !gsi_add_u64(table, lists + gsi_callbacks_bytes(callbacks), &job->given_bytes) ||
        !gsi_add_u64(job->given_bytes, GSI_PLAN_LEAST_BYTES, &least))
        return gsi_fail(job->loop.error, GS_E_USAGE, 0, "%zu inputs are too many for memory",
                        input_count);
    job->loop.ledger.ceiling_bytes = gsi_job_memory_ceiling(&job->budget);
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

static bool is_planned(const struct gsi_job *job, const struct gsi_budget *budget,
                       gsi_job_planner *plan)
{
    struct gsi_job_plan made;
    struct gs_error unheard = {0};
    return plan(job, budget, &made, &unheard) == GS_OK;
}

static bool is_enough(const struct gsi_job *job, uint64_t mib, struct gsi_budget budget,
                      gsi_job_planner *plan)
{
    budget.memory_bytes = mib * MIB;
    return is_planned(job, &budget, plan);
}

/* Doubles the amount until it is enough, then halves the rest. The plan need not be monotonous: the
 * amount found is enough, and a MiB below it was tried and is not. 0: no memory is enough. */
static uint64_t find_enough(const struct gsi_job *job, const struct gsi_budget *budget,
                            gsi_job_planner *plan)
{
    uint64_t low = budget->memory_bytes / MIB, high = low + 1;
    while (!is_enough(job, high, *budget, plan)) {
        low = high;
        high *= 2;
        if (high > MOST_MIB)
            return 0;
    }
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (is_enough(job, middle, *budget, plan))
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* ---- options that bind ---- */

/* Options that can make a plan fail which memory would be enough for. A plan takes fewer threads
 * than --parallel by itself. */
enum bound { BOUND_CHUNK, BOUND_WINDOW, BOUND_FAN_IN, BOUND_COUNT };

static const struct {
    const char *name;
    uint64_t least;
    const char *unit;
} bounds[BOUND_COUNT] = {
    {"chunk", 4096, " bytes"},
    {"window", 4096, " bytes"},
    {"batch-size", 2, " runs at once"},
};

static uint64_t bound_of(const struct gsi_budget *budget, enum bound bound)
{
    return bound == BOUND_CHUNK    ? budget->chunk_bytes
           : bound == BOUND_WINDOW ? budget->window_bytes
                                   : budget->fan_in;
}

static void set_bound(struct gsi_budget *budget, enum bound bound, uint64_t value)
{
    if (bound == BOUND_CHUNK)
        budget->chunk_bytes = value;
    else if (bound == BOUND_WINDOW)
        budget->window_bytes = value;
    else
        budget->fan_in = (uint32_t)value;
}

/* Powers of two around the value: larger ones first, then smaller ones. 0: none would do. */
static uint64_t find_value(const struct gsi_job *job, struct gsi_budget budget, enum bound bound,
                           gsi_job_planner *plan)
{
    const uint64_t given = bound_of(&budget, bound), least = bounds[bound].least;
    const uint64_t most = bound == BOUND_FAN_IN ? GSI_FAN_IN_MAX : budget.memory_bytes;
    uint64_t above = least, below;
    while (above <= given && above <= most)
        above *= 2;
    below = above / 2;
    for (; above <= most; above *= 2) {
        set_bound(&budget, bound, above);
        if (is_planned(job, &budget, plan))
            return above;
    }
    for (; below >= least; below /= 2) {
        set_bound(&budget, bound, below);
        if (below < given && is_planned(job, &budget, plan))
            return below;
    }
    return 0;
}

/* As options take it: 64K. */
static void print_value(char text[32], enum bound bound, uint64_t value)
{
    static const char units[] = "KMGTPE";
    size_t unit = 0;
    while (bound != BOUND_FAN_IN && unit < sizeof units - 1 && value % 1024 == 0 && value > 0) {
        value /= 1024;
        unit++;
    }
    snprintf(text, 32, unit > 0 ? "%llu%c" : "%llu", (unsigned long long)value,
             unit > 0 ? units[unit - 1] : ' ');
}

static enum gs_status say(struct gs_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Takes the place of what the plan said. */
static enum gs_status say(struct gs_error *error, const char *format, ...)
{
    char text[sizeof error->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    *error = (struct gs_error){.status = GS_OK};
    return gsi_fail(error, GS_E_USAGE, 0, "%s", text);
}

/* Returns whether the plan blamed this option for another reason than the memory. */
static bool is_found_by_plan(const struct gs_error *error, const char *name)
{
    size_t length = strlen(name);
    return strncmp(error->text, "--", 2) == 0 && strncmp(error->text + 2, name, length) == 0 &&
           error->text[2 + length] == ':' && strstr(error->text, "--memory") == NULL;
}

/* Blames the one option without which there is a plan. false: there is no such option. */
static bool blame_option(const struct gsi_job *job, gsi_job_planner *plan)
{
    for (enum bound bound = 0; bound < BOUND_COUNT; bound++) {
        struct gsi_budget without = job->budget;
        const uint64_t given = bound_of(&without, bound);
        char value[32];
        set_bound(&without, bound, 0);
        if (given == 0 || !is_planned(job, &without, plan))
            continue;
        uint64_t found = find_value(job, job->budget, bound, plan);
        print_value(value, bound, found);
        if (is_found_by_plan(job->loop.error, bounds[bound].name) && found > 0)
            say(job->loop.error, "%s; use --%s=%s", job->loop.error->text, bounds[bound].name,
                value);
        else if (found == 0)
            say(job->loop.error,
                "--%s: %llu%s cannot be used with --memory of %llu bytes; leave --%s out",
                bounds[bound].name, (unsigned long long)given, bounds[bound].unit,
                (unsigned long long)asked_bytes(job), bounds[bound].name);
        else
            say(job->loop.error, "--%s: %llu%s are too %s for --memory of %llu bytes; use --%s=%s",
                bounds[bound].name, (unsigned long long)given, bounds[bound].unit,
                found > given ? "few" : "many", (unsigned long long)asked_bytes(job),
                bounds[bound].name, value);
        return true;
    }
    return false;
}

/* The names of the options that were given: "--chunk and --window". */
static void name_bounds(const struct gsi_budget *budget, char names[64])
{
    size_t at = 0;
    names[0] = '\0';
    for (enum bound bound = 0; bound < BOUND_COUNT; bound++)
        if (bound_of(budget, bound) > 0)
            at += (size_t)snprintf(names + at, 64 - at, "%s--%s", at > 0 ? " and " : "",
                                   bounds[bound].name);
}

void gsi_job_memory_advise(const struct gsi_job *job, gsi_job_planner *plan)
{
    const uint64_t memory_bytes = asked_bytes(job);
    const uint32_t shares = gsi_job_memory_shares(job->options);
    struct gsi_budget plain = job->budget;
    char names[64], without[128] = "";
    if (blame_option(job, plan))
        return;
    for (enum bound bound = 0; bound < BOUND_COUNT; bound++)
        set_bound(&plain, bound, 0);
    name_bounds(&job->budget, names);
    if (names[0] != '\0' && is_planned(job, &plain, plan)) {
        say(job->loop.error, "%s: cannot be used with --memory of %llu bytes; leave them out",
            names, (unsigned long long)memory_bytes);
        return;
    }
    uint64_t mib = shares * find_enough(job, &job->budget, plan);
    uint64_t plain_mib = names[0] != '\0' ? shares * find_enough(job, &plain, plan) : mib;
    if (mib == 0)
        snprintf(without, sizeof without, ", without %s", names);
    else if (plain_mib < mib)
        snprintf(without, sizeof without, ", or %llu MiB without %s", (unsigned long long)plain_mib,
                 names);
    mib = mib > 0 ? mib : plain_mib;
    if (mib > 0)
        say(job->loop.error,
            "--memory: %llu bytes are too few to sort with; at least %llu MiB are needed%s",
            (unsigned long long)memory_bytes, (unsigned long long)mib, without);
}
