/* sorted_reader.h: reads inputs that are sorted already, checks that they are, and feeds a merge.
 *
 *     free buffer -> piece of a file -> tags (records) -> reduce: tally, keys, order -.
 *         ^                                                                            |
 *         '---- device <- merge_feed, in the file's order <---------------------------'
 *
 * With --where, the elements that are kept go into the file's open piece. So the merge, too, gets
 * full pieces, but for the last one of a file:
 *
 *     piece of a file -> task: keep in place -> in order -> [open piece] full -> tags, as above
 *
 * A piece is fed only after it was found to be in order, in itself and with the piece before it. So
 * a merge never sees disorder. The last element of a piece is the bound of the next.
 *
 * Which file is read next? Where a piece of a file begins is known only once it is there. So the
 * end of what is read of each file is forecast: its last key, plus the span of the piece fed last
 * times the number of pieces that are coming. The file with the lowest forecast will be needed
 * first (Knuth, TAOCP vol. 3, 5.4.6, for more than one buffer a run). So files that are merged
 * evenly are read evenly; where one file follows the other, the one that is being merged gets all
 * the buffers.
 *
 * A forecast is advice, like the predicted order of frames of records, and it cannot stop the merge
 * for the reasons given in spill/reader.h. Two buffers are set aside for each file, and as many
 * more as a merge may need beside them (gsi_plan_frames_beside). Only the other buffers are filled
 * by forecast; the file that the merge needs may take any buffer. All pieces are full but the last
 * one of a file, after which the file needs no buffer. If there are too many files to be open at
 * once, only some are read at a time, each until its transfer ends. So one always comes free
 * without the help of the merge. */
#ifndef GSI_SORTED_READER_H
#define GSI_SORTED_READER_H

#include "base/report.h"
#include "input/inputs.h"
#include "loop/run_list.h"

struct gsi_sorted_file;

struct gsi_sorted_reader {
    struct gsi_inputs *inputs;
    struct gsi_buffers *buffers;
    struct gsi_merge *merge;
    struct gsi_sorted_file *files; /* table */
    uint32_t file_count;
    uint64_t spare_count;  /* buffers that files may hold beyond two each, by forecast */
    uint64_t extra_count;  /* buffers that files hold beyond two each */
    uint64_t coming_count; /* pieces on their way to the merge */
    uint32_t open_count;   /* of these, those that wait for more to be kept */
    uint32_t begun_count;  /* files of which a piece was fed; forecasts need that of all files */
    uint32_t busy_count;   /* files, not streams, that are being read */
    uint32_t needed_file;  /* the merge waits for it, none of it is coming; file_count: none */
    uint32_t starved_file; /* the merge waits for it, whether any of it is coming or not */
    uint64_t fed_count;
    bool is_stopped; /* no further piece is read */
};

/* gsi_sorted_reader_frames: for records: how many frames' indexes a run takes that is a file. */
uint64_t gsi_sorted_reader_frames(const struct gsi_plan *plan, const struct gsi_input *input);

/* gsi_sorted_reader_init: reads those of `entries` that are files. An entry's place in the table is
 * its input of the merge. Both tables are borrowed for the call.
 * in    first_indexes: in tags, by entry */
enum gs_status gsi_sorted_reader_init(struct gsi_sorted_reader *sorted, struct gsi_inputs *inputs,
                                      struct gsi_buffers *buffers,
                                      const struct gsi_run_entry *entries,
                                      const uint64_t *first_indexes, uint32_t count);
void gsi_sorted_reader_clear(struct gsi_sorted_reader *sorted); /* also zeroed ones */

/* gsi_sorted_reader_pump: starts reads. Returns whether there were any. */
bool gsi_sorted_reader_pump(struct gsi_sorted_reader *sorted);

/* gsi_sorted_reader_need: the merge can go on only after more of this input. If it is a file of
 * which nothing is coming, it is read next. Returns whether it will be. */
bool gsi_sorted_reader_need(struct gsi_sorted_reader *sorted, uint32_t input_idx);

/* gsi_sorted_reader_take: the device returns a buffer of this reader: reduced, to be checked and
 * fed; or done with. loop->error tells of a disorder (GS_E_INPUT). */
void gsi_sorted_reader_take(struct gsi_sorted_reader *sorted, struct gsi_buffer *buffer);

/* gsi_sorted_reader_stop: reads no more; what is on its way still goes to the merge. A zeroed
 * reader is fine. */
static inline void gsi_sorted_reader_stop(struct gsi_sorted_reader *sorted)
{
    sorted->is_stopped = true;
}

/* gsi_sorted_reader_is_idle: nothing is on its way to the merge. A zeroed reader is fine. */
bool gsi_sorted_reader_is_idle(const struct gsi_sorted_reader *sorted);

#endif
