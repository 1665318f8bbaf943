/* make_runs.h: the first phase: reads everything, sorts it chunk by chunk, and spills the runs that
 * will not stay in memory. */
#ifndef GSI_MAKE_RUNS_H
#define GSI_MAKE_RUNS_H

#include "sort/merger.h"

/* Runs in input order. */
struct gsi_run_list {
    struct gsi_ledger *ledger;
    struct gsi_run_entry *entries;
    uint32_t count, capacity;
};

void gsi_run_list_clear(struct gsi_run_list *list);

/* gsi_run_list_replace: `merged` takes the place of `count` entries from `first` on, whose spilled
 * runs are forgotten. */
void gsi_run_list_replace(struct gsi_run_list *list, uint32_t first, uint32_t count,
                          const struct gsi_spilled_run *merged);

enum gs_status gsi_make_runs(struct gsi_job *job, struct gsi_run_list *list);

#endif
