/* record_tallies.h: opens tallies of records in memory of their own. */
#ifndef TEST_RECORD_TALLIES_H
#define TEST_RECORD_TALLIES_H

#include "element/record/record_tally.h"

#include <string.h>

static inline struct gsi_tallies record_tallies_open(const struct gsi_record *record,
                                                     uint32_t count, struct gsi_shelf *shelf)
{
    struct gs_error error;
    memset(&error, 0, sizeof error);
    memset(shelf, 0, sizeof *shelf);
    gsi_record_tallies_lay_out(record, count, shelf);
    gsi_shelf_open(shelf, NULL, GSI_MEMORY_TABLES, &error);
    return gsi_record_tallies_lay_out(record, count, shelf);
}

static inline void record_tallies_close(struct gsi_shelf *shelf)
{
    gsi_shelf_close(shelf, NULL, GSI_MEMORY_TABLES);
}

#endif
