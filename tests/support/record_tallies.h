/* record_tallies.h: opens a tally of records in memory of its own. */
#ifndef TEST_RECORD_TALLIES_H
#define TEST_RECORD_TALLIES_H

#include "element/record/record_tally.h"

#include <string.h>

static inline struct gsi_record_tally *record_tally_open(const struct gsi_record *record,
                                                         struct gsi_bump *bump)
{
    const struct gsi_layout layout = gsi_layout_make_records(record, NULL, false);
    struct gs_error error;
    memset(&error, 0, sizeof error);
    memset(bump, 0, sizeof *bump);
    gsi_record_tally_alloc(&layout, bump);
    gsi_bump_open(bump, NULL, GSI_MEMORY_TABLES, &error);
    return gsi_record_tally_alloc(&layout, bump);
}

static inline void record_tally_close(struct gsi_bump *bump)
{
    gsi_bump_close(bump, NULL, GSI_MEMORY_TABLES);
}

#endif
