/* check_counts.h: what a check can count beside the order: elements with the key of the one before
 * them, and of records of 100 bytes the checksum that valsort prints.
 *
 *     source --> task: count a buffer --> device: reduce --> joined in input order
 *
 * Buffers are counted before the device turns elements into keys, so that it is the same on every
 * device. Nothing is counted unless it was asked for. */
#ifndef GSI_CHECK_COUNTS_H
#define GSI_CHECK_COUNTS_H

#include "base/u128.h"
#include "job/job.h"
#include "output/stream_check.h"

struct gsi_check_piece {
    uint64_t equal_count; /* not of the first element, which has none before it here */
    uint64_t first_equal; /* UINT64_MAX: there is none */
    uint8_t element[16];  /* that one, of numbers */
    gsi_u128 checksum;
};

struct gsi_check_counts {
    struct gsi_job *job;
    bool is_wanted, has_checksum;
    struct gsi_check_piece *pieces; /* one for each of job->arena.chunks */
    struct gsi_buffer_list counted;
    uint64_t duplicate_count; /* of what was joined */
    gsi_u128 checksum;
};

enum gs_status gsi_check_counts_open(struct gsi_check_counts *counts, struct gsi_job *job);
void gsi_check_counts_close(struct gsi_check_counts *counts); /* also zeroed ones */

/* gsi_check_counts_start: a buffer that was read, if is_wanted.  gsi_check_counts_next: one that
 * was counted, in any order; NULL: none. */
void gsi_check_counts_start(struct gsi_check_counts *counts, struct gsi_buffer *buffer);
struct gsi_buffer *gsi_check_counts_next(struct gsi_check_counts *counts);

/* gsi_check_counts_join: a buffer that was counted and reduced, in input order: its counts, and its
 * imprint to `check`. With --unique an element with the key of the one before it is a disorder. */
void gsi_check_counts_join(struct gsi_check_counts *counts, struct gsi_stream_check *check,
                           struct gsi_buffer *buffer);

/* gsi_check_counts_report: everything was joined. */
void gsi_check_counts_report(const struct gsi_check_counts *counts, struct gs_report *report);

#endif
