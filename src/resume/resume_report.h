/* resume_report.h: what --resume did. */
#ifndef GSI_RESUME_REPORT_H
#define GSI_RESUME_REPORT_H

#include <stdbool.h>
#include <stdint.h>

struct gsi_resume_report {
    uint64_t bytes, output_bytes; /* done before, by another process */
    bool is_kept;                 /* the same job would go on */
};

#endif
