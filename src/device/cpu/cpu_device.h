/* cpu_device.h: defines what the parts of the CPU device share; no other code includes it. */
#ifndef GSI_CPU_DEVICE_H
#define GSI_CPU_DEVICE_H

#include "device/cpu/cpu_merge.h"
#include "device/device.h"
#include "device/record_ties.h"
#include "element/record/record_tally.h"

/* A buffer that is being sorted or reduced, or is sorted. */
struct gsi_cpu_task {
    struct gsi_task task;
    struct gsi_cpu_device *device;
    struct gsi_buffer *buffer;
    struct gsi_run *run;
    uint64_t taken_count;         /* lowest elements that this merge, or the last one, used */
    uint64_t passed_count;        /* lowest elements that are left out of merges */
    bool is_in_order;             /* its elements were already in order before the sort */
    uint32_t raise_chunks;        /* for a merge, indexes in tags grow by so many chunks' */
    uint64_t first_index;         /* records: index of the first one in tags */
    struct gsi_tag_choice choice; /* of its tags */
    struct gsi_cpu_task *next;    /* next in the run, or in the list of free pieces */
};

GSI_LIST(gsi_piece_list, struct gsi_cpu_task)

struct gsi_run {
    struct gsi_piece_list pieces;
    uint32_t piece_count, unsorted_count;
    bool is_sealed;
    struct gsi_run *next; /* next in the list of events */
};

struct gsi_cpu_device {
    struct gsi_device base;
    struct gsi_device_config config;
    uint32_t thread_count;
    struct gsi_bump bump;
    struct gsi_record_tally **tallies; /* one per thread */
    uint8_t *scratch;                  /* GSI_MERGE_SCRATCH_BYTES per thread */
    struct gsi_cpu_task *pieces, *free_pieces;
    struct gsi_run *open_run;
    struct gsi_run *sorted_runs;     /* pending events */
    struct gsi_buffer_list returned; /* pending events */
    struct gsi_buffer_list windows;  /* pending events, in pull order */
    uint64_t put_count;              /* chunk buffers put so far */
    uint32_t shifting_count;         /* pieces whose tags are being shifted for a merge */
    struct gsi_tag_choice wanted;    /* to which tags are shifted for a merge */
};

/* The records of a merge: their places, and the end of the choice of all tags. With inline records
 * only `inline_map` is used. */
struct gsi_cpu_records {
    struct gsi_record_table places;
    uint64_t block_count, fed_count; /* table entries in all; the first fed_count are for fed
                                      * frames */
    uint32_t end;
    const struct gsi_integer_map *inline_map; /* NULL: records are not inline */
};

/* cpu_records.c: the operations on records that replace the operations on numbers. */

/* gsi_cpu_records_sort: on a thread: sorts a piece's tags, with scratch as for gsi_sort_keys.
 * gsi_cpu_records_tally: on a thread: tallies a buffer and, if is_ordered, computes its
 * digest. */
void gsi_cpu_records_sort(struct gsi_cpu_task *piece, struct gsi_record_tally *tally,
                          void *scratch);
void gsi_cpu_records_tally(const struct gsi_layout *layout, struct gsi_buffer *buffer,
                           bool is_ordered, struct gsi_record_tally *tally);

/* gsi_cpu_records_put: assigns indexes to a piece that was put. */
void gsi_cpu_records_put(struct gsi_cpu_task *piece);

/* gsi_cpu_records_begin: allocates the table of a merge. Threads shift the tags of its resident
 * pieces; they are finished when device->shifting_count is 0. */
enum gs_status gsi_cpu_records_begin(struct gsi_cpu_device *device,
                                     const struct gsi_merge_spec *spec,
                                     struct gsi_cpu_records *records, struct gs_error *error);
void gsi_cpu_records_end(struct gsi_cpu_device *device, struct gsi_cpu_records *records);

/* gsi_cpu_records_feed: enters a fed frame into the table. Returns its last tag. */
const gsi_u128 *gsi_cpu_records_feed(struct gsi_cpu_records *records,
                                     const struct gsi_buffer *buffer);

/* gsi_cpu_records_window: on a thread: merges the tags and gathers their records. */
void gsi_cpu_records_window(const struct gsi_cpu_records *records, struct gsi_merge_work *work,
                            struct gsi_buffer *window, bool to_elements);

/* cpu_device_merge.c */
enum gs_status gsi_cpu_merge_begin(struct gsi_device *base, const struct gsi_merge_spec *spec,
                                   struct gsi_merge **merge, struct gs_error *error);
void gsi_cpu_merge_feed(struct gsi_merge *merge, uint32_t input_idx, struct gsi_buffer *buffer,
                        const void *bound);
enum gsi_pull gsi_cpu_merge_pull(struct gsi_merge *merge, struct gsi_buffer *window,
                                 uint32_t *needed_idx);
void gsi_cpu_merge_end(struct gsi_merge *merge);

#endif
