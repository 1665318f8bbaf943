/* cpu_device.h: what the parts of the CPU device share; nobody else includes it. */
#ifndef GSI_CPU_DEVICE_H
#define GSI_CPU_DEVICE_H

#include "device/cpu/cpu_merge.h"
#include "device/device.h"
#include "device/record_ties.h"
#include "element/record/record_tally.h"

/* A buffer being sorted or reduced, or sorted. */
struct gsi_piece {
    struct gsi_task task;
    struct gsi_cpu_device *device;
    struct gsi_buffer *buffer;
    struct gsi_run *run;
    uint64_t taken_count;   /* elements, its lowest: that this merge, or the last one, took, */
    uint64_t passed_count;  /* and that are left out of merges */
    bool is_in_order;       /* it was before it was sorted */
    uint64_t first_index;   /* records: in tags, of the first one */
    uint32_t tags_at;       /* byte of the key that the tags were made at, */
    uint32_t shift_to;      /* and where a merge needs them */
    struct gsi_piece *next; /* in the run, or free */
};

GSI_LIST(gsi_piece_list, struct gsi_piece)

struct gsi_run {
    struct gsi_piece_list pieces;
    uint32_t piece_count, unsorted_count;
    bool is_sealed;
    struct gsi_run *next; /* in the list of events */
};

struct gsi_cpu_device {
    struct gsi_device base;
    struct gsi_device_config config;
    uint32_t thread_count;
    struct gsi_shelf shelf;
    void **tallies;   /* of each thread */
    uint8_t *scratch; /* GSI_MERGE_SCRATCH_BYTES a thread */
    struct gsi_piece *pieces, *free_pieces;
    struct gsi_run *open_run;
    struct gsi_run *sorted_runs;     /* events to come */
    struct gsi_buffer_list returned; /* events to come */
    struct gsi_buffer_list windows;  /* events to come, in pull order */
    uint64_t put_count;              /* chunk buffers so far */
    uint32_t shifting_count;         /* pieces whose tags are being shifted for a merge */
};

/* Records of a merge: where they are, and the byte of the key that all tags were made at. */
struct gsi_cpu_records {
    struct gsi_record_places places;
    uint64_t block_count, fed_count; /* of the first, blocks for what is fed */
    uint32_t at;
    const struct gsi_record_word
        *rider; /* records are in their tags, and the above is not used; else NULL */
};

/* cpu_records.c: what is done to records in place of what is done to numbers. */

/* On a thread: sort a piece's tags, with scratch as gsi_sort_keys takes it, or reduce it. */
void gsi_cpu_records_sort(struct gsi_piece *piece, struct gsi_record_tally *tally, void *scratch);
void gsi_cpu_records_reduce(const struct gsi_layout *layout, struct gsi_buffer *buffer,
                            bool is_ordered, struct gsi_record_tally *tally);

/* gsi_cpu_records_put: a piece that was put gets its indexes. */
void gsi_cpu_records_put(struct gsi_piece *piece);

/* gsi_cpu_records_begin: the table of a merge; its resident pieces' tags are shifted by threads,
 * while device->shifting_count is not 0. */
enum gs_status gsi_cpu_records_begin(struct gsi_cpu_device *device,
                                     const struct gsi_merge_spec *spec,
                                     struct gsi_cpu_records *records, struct gs_error *error);
void gsi_cpu_records_end(struct gsi_cpu_device *device, struct gsi_cpu_records *records);

/* gsi_cpu_records_feed: a frame is there. Returns its last tag. */
const gsi_u128 *gsi_cpu_records_feed(struct gsi_cpu_records *records,
                                     const struct gsi_buffer *buffer);

/* gsi_cpu_records_window: on a thread: merge the tags and gather what they stand for. */
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
