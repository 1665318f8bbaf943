/* strategy.c: the table of strategies. */
#include "job/strategy/strategy.h"

#include "job/permute/permute.h"

bool gsi_strategy_is_look(const struct gsi_job *job)
{
    return job->options->action == GS_LOOK || job->options->action == GS_FIND;
}

static bool writes_nothing(const struct gsi_job *job)
{
    return job->options->action != GS_SORT;
}

static bool counts_values(const struct gsi_job *job)
{
    return job->plan.sizes.is_counted;
}

static bool keeps_top(const struct gsi_job *job)
{
    return job->plan.sizes.top_room > 0;
}

static bool is_merge(const struct gsi_job *job)
{
    return job->plan.sizes.is_merge;
}

static bool is_any(const struct gsi_job *job)
{
    (void)job;
    return true;
}

static const struct gsi_strategy strategies[] = {
    {.name = "order statistics", .suits = gsi_select_is, .run = gsi_select},
    {.name = "statistics", .suits = writes_nothing, .run = gsi_statistics},
    {.name = "array in place", .suits = gsi_in_place_is, .run = gsi_in_place, .has_no_arena = true},
    {.name = "permute", .suits = gsi_permute_is, .run = gsi_permute},
    {.name = "count", .suits = counts_values, .run = gsi_counted},
    {.name = "top", .suits = keeps_top, .run = gsi_top},
    {.name = "merge", .suits = is_merge, .run = gsi_sort, .has_runs = true},
    {.name = "sort", .suits = is_any, .run = gsi_sort, .has_runs = true}};

const struct gsi_strategy *gsi_strategy_choose(const struct gsi_job *job)
{
    const struct gsi_strategy *strategy = strategies;
    while (!strategy->suits(job))
        strategy++;
    return strategy;
}
