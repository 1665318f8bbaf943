/* reader.h: reads the frames of spilled runs in the predicted order (read_order.h), checks and
 * decodes them, and feeds a merge.
 *
 *     free buffer -> read -> open on a thread -> merge_feed, in prediction order -> device -> free
 *                                                    '-> its disk is given back (disk_release.h)
 *
 * As many reads are in flight as there are free buffers; the set of buffers is the only limit.
 *
 * For records the prediction may be wrong. Then frames that are of no use yet could take all
 * buffers. So two buffers are set aside for each run, and as many more as a merge may need beside
 * them (gsi_plan_frames_beside). Only the other buffers are filled as predicted; the run that the
 * merge says it needs may take any buffer. A merge never needs more at one time than the rest
 * of one frame of each run, one frame of each that begins behind the bound, and frames before the
 * bound that do not fill a window. */
#ifndef GSI_SPILL_READER_H
#define GSI_SPILL_READER_H

#include "spill/disk_release.h"
#include "spill/spill.h"

/* The buffers that a run of records holds. */
struct gsi_spill_reader_share {
    uint64_t first_index;  /* of its first record, in tags */
    uint64_t held_count;   /* frames in buffers: being read, or held by the device */
    uint64_t coming_count; /* of these, not yet fed */
};

struct gsi_spill_reader {
    struct gsi_loop *loop;
    struct gsi_spill *spill;
    struct gsi_buffers *buffers;
    struct gsi_merge *merge;
    const struct gsi_spilled_run **runs; /* table, borrowed runs */
    uint32_t *input_idx;                 /* the merge's input, by run */
    uint32_t run_count;
    struct gsi_spill_reader_share *shares; /* records: by run; NULL: numbers */
    uint64_t spare_count; /* buffers that runs may hold beyond two each, as predicted */
    uint64_t extra_count; /* buffers that runs hold beyond two each */
    uint32_t needed_run;  /* the merge waits for it, and none of it is coming; run_count: none */
    struct gsi_ordered_frame *order;
    uint64_t frame_count, next_frame; /* the latter is the next to be read */
    struct gsi_buffer_list reading;   /* read or being read, in the order of reading */
    uint64_t fed_count;
    uint64_t most_held; /* buffers to hold at most, unless the merge starves */
    bool is_starved;    /* numbers: the merge needs more, so more than most_held may be held */
    bool is_stopped;    /* the merge needs no more */
    struct gsi_disk_release release;
};

/* gsi_spill_reader_init: the runs are borrowed until clear; the tables are copied.
 * in    first_indexes: for records, the index in tags of each input's first record; by input_idx,
 *       borrowed for the call */
enum gs_status gsi_spill_reader_init(struct gsi_spill_reader *reader, struct gsi_loop *loop,
                                     struct gsi_spill *spill, struct gsi_buffers *buffers,
                                     const struct gsi_spilled_run *const *runs,
                                     const uint32_t *input_idx, const uint64_t *first_indexes,
                                     uint32_t run_count);
void gsi_spill_reader_clear(struct gsi_spill_reader *reader); /* also zeroed ones */

/* gsi_spill_reader_pump: starts reads and feeds what is there. Returns whether anything moved. */
bool gsi_spill_reader_pump(struct gsi_spill_reader *reader);

/* gsi_spill_reader_need: the merge can go on only after more of this input. For records, this input
 * is read next, unless some of it is coming; for numbers, the next frame in order is. Returns
 * whether a read is due that was not due before. */
bool gsi_spill_reader_need(struct gsi_spill_reader *reader, uint32_t input_idx);

/* gsi_spill_reader_released: the device has done with this buffer. */
void gsi_spill_reader_released(struct gsi_spill_reader *reader, struct gsi_buffer *buffer);

/* gsi_spill_reader_stop: nothing more is read or fed; what is being read goes back to the buffers.
 * A zeroed reader is fine. */
void gsi_spill_reader_stop(struct gsi_spill_reader *reader);

/* gsi_spill_reader_is_idle: nothing that was begun is unfinished. A zeroed reader is fine. */
static inline bool gsi_spill_reader_is_idle(const struct gsi_spill_reader *reader)
{
    return reader->reading.head == NULL && gsi_disk_release_is_idle(&reader->release);
}

#endif
