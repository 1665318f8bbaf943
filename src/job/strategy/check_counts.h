/* check_counts.h: counts beside a check of the order: elements whose key equals that of the element
 * before them; and for records of 100 bytes the checksum that valsort prints.
 *
 *     task of a scan: count a buffer --> device: its digest --> joined in input order
 *
 * With --group the first keys of records say which are equal, while all keys make the order.
 * Buffers are counted before the device turns elements into keys, so that counts are the same on
 * every device. Nothing is counted unless it was asked for. */
#ifndef GSI_CHECK_COUNTS_H
#define GSI_CHECK_COUNTS_H

#include "base/u128.h"
#include "output/stream_check.h"

/* The counts of a check. */
struct gsi_check_report {
    bool has_duplicate_count, has_valsort_checksum;
    uint64_t duplicate_count;     /* elements with the key of the one before them */
    uint64_t valsort_checksum[2]; /* for records of 100 bytes: the sum of their CRC-32s */
};

struct gsi_job;

/* The counts of one buffer, a partial of the scan. */
struct gsi_check_partial {
    uint64_t equal_count; /* without the first element, which has none before it here */
    uint64_t first_equal; /* the index of the first such element; UINT64_MAX: there is none */
    uint8_t element[16];  /* numbers: that element */
    gsi_u128 checksum;
};

struct gsi_check_counts {
    struct gsi_job *job;
    bool is_wanted, has_checksum;
    struct gsi_layout layout; /* whose keys are compared */
    struct gsi_record *group; /* its records, if they are not the job's; NULL */
    uint64_t duplicate_count; /* of what was joined */
    gsi_u128 checksum;
};

/* gsi_check_counts_open: fails GS_E_USAGE: --group has more keys than there are; GS_E_MEMORY */
enum gs_status gsi_check_counts_open(struct gsi_check_counts *counts, struct gsi_job *job);
void gsi_check_counts_close(struct gsi_check_counts *counts); /* also zeroed ones */

/* gsi_check_counts_add: counts a buffer that was read, on any thread; only if is_wanted. */
void gsi_check_counts_add(const struct gsi_check_counts *counts, const struct gsi_buffer *buffer,
                          struct gsi_check_partial *partial);

/* gsi_check_counts_join: adds the counts of a buffer that was counted and reduced, and joins its
 * digest to `check`; in input order. With --unique an element whose key equals that of the element
 * before it is a disorder. */
void gsi_check_counts_join(struct gsi_check_counts *counts, struct gsi_stream_check *check,
                           struct gsi_buffer *buffer, const struct gsi_check_partial *partial);

/* gsi_check_counts_report: puts the counts into the report, once everything was joined. */
void gsi_check_counts_report(const struct gsi_check_counts *counts,
                             struct gsi_check_report *report);

#endif
