/* bench_report_parts.h: what the text and the JSON of a report share. Used by bench_report*.c only.
 */
#ifndef BENCH_REPORT_PARTS_H
#define BENCH_REPORT_PARTS_H

#include "gsort-bench/bench.h"

#include <stdio.h>

/* Statistics of a row's samples. */
struct spread {
    double least, median, most;
};

/* Where it was measured. */
struct place {
    char processor[128], kernel[200], date[32], file_system[256];
    uint32_t processor_count;
    double memory_gib;
};

struct spread bench_spread(const struct bench_row *row);

void bench_print_json(FILE *file, const struct bench_report *report, const struct place *place,
                      const char *command);

#endif
