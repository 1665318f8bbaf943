/* cpu_device.h: what the two halves of the CPU device share; nobody else includes it. */
#ifndef GSI_CPU_DEVICE_H
#define GSI_CPU_DEVICE_H

#include "device/cpu_merge.h"
#include "device/device.h"

/* A buffer being sorted or reduced, or sorted. */
struct gsi_piece {
    struct gsi_task task;
    struct gsi_cpu_device *device;
    struct gsi_buffer *buffer;
    struct gsi_run *run;    /* NULL: reduced, not sorted */
    bool is_ordered;        /* reduced with order */
    struct gsi_piece *next; /* in the run, or free */
};

struct gsi_run {
    struct gsi_piece *head, **tail;
    uint32_t piece_count, unsorted_count;
    bool is_sealed;
    struct gsi_run *next; /* in the list of events */
};

struct gsi_cpu_device {
    struct gsi_device base;
    struct gsi_device_config config;
    uint32_t thread_count;
    struct gsi_tally **tallies; /* one a thread */
    uint8_t *scratch;           /* GSI_MERGE_SCRATCH_BYTES a thread */
    struct gsi_piece *pieces, *free_pieces;
    struct gsi_run *open_run;
    struct gsi_run *sorted_runs;     /* events to come */
    struct gsi_buffer_list returned; /* events to come */
    struct gsi_buffer_list windows;  /* events to come, in pull order */
};

/* cpu_device_merge.c */
enum gs_status gsi_cpu_merge_begin(struct gsi_device *base, const struct gsi_merge_spec *spec,
                                   struct gsi_merge **merge, struct gs_error *error);
void gsi_cpu_merge_feed(struct gsi_merge *merge, uint32_t input_idx, struct gsi_buffer *buffer,
                        const void *bound);
enum gsi_pull gsi_cpu_merge_pull(struct gsi_merge *merge, struct gsi_buffer *window,
                                 uint32_t *needed_idx);
void gsi_cpu_merge_end(struct gsi_merge *merge);

#endif
