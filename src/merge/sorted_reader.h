/* sorted_reader.h: reads inputs that are sorted already, checks that they are, and feeds a merge.
 *
 *     free buffer -> piece of a file -> tags (records) -> reduce: tally, keys, order -.
 *         ^                                                                            |
 *         '---- device <- merge_feed, in the file's order <---------------------------'
 *
 * What is fed has been found to be in order, with itself and with what came before it, so a merge
 * never sees anything else; the last element of a piece is the bound of the next.
 *
 * Which file is read next: where a piece of a file begins is known only once it is there, so the
 * end of what was read of each is forecast: its last key, and so many spans of the piece that was
 * fed last as pieces are coming. The file with the lowest forecast will be needed first (Knuth,
 * TAOCP vol. 3, 5.4.6, for more than one buffer a run). Files that are merged evenly are so read
 * evenly, and of files that follow each other the one whose turn it is gets all the buffers.
 *
 * A forecast is advice, as the prediction of frames of records is, and it cannot stop the merge for
 * the reasons given in spill/reader.h: two buffers are set aside for each file, and of the others as
 * many as a merge may need beside them (gsi_plan_frames_beside); only what remains is filled by
 * forecast, and the file that the merge needs may take any. Pieces are full but for the last one of
 * a file, behind which the file wants no more. Where there are too many files to be open at once,
 * only some are read at a time, each until its transfer ends: so one comes free without the merge.
 */
#ifndef GSI_SORTED_READER_H
#define GSI_SORTED_READER_H

#include "input/inputs.h"
#include "loop/run_list.h"

struct gsi_sorted_file;

struct gsi_sorted_reader {
    struct gsi_inputs *inputs;
    struct gsi_buffers *buffers;
    struct gsi_merge *merge;
    struct gsi_sorted_file *files; /* table */
    uint32_t file_count;
    uint64_t spare_count;  /* buffers for pieces of a file beyond two, as forecast */
    uint64_t extra_count;  /* held by files beyond two */
    uint64_t coming_count; /* pieces on their way to the merge */
    uint32_t
        begun_count;     /* files of which something was fed: of all of them, or none is forecast */
    uint32_t busy_count; /* files, not streams, that are being read */
    uint32_t needed_file; /* the merge waits for it and nothing of it is coming; file_count: none */
    uint64_t fed_count;
    bool is_stopped; /* no further piece is read */
};

/* gsi_sorted_reader_frames: of records, how many frames a run that is a file may take of the indexes.
 */
uint64_t gsi_sorted_reader_frames(const struct gs_plan *plan, const struct gsi_input *input);

/* gsi_sorted_reader_init: those of `entries` that are files, with their places among the inputs of the
 * merge and their first indexes in tags; both tables are borrowed for the call. */
enum gs_status gsi_sorted_reader_init(struct gsi_sorted_reader *sorted, struct gsi_inputs *inputs,
                                      struct gsi_buffers *buffers,
                                      const struct gsi_run_entry *entries,
                                      const uint64_t *first_indexes, uint32_t count);
void gsi_sorted_reader_clear(struct gsi_sorted_reader *sorted); /* also zeroed ones */

/* gsi_sorted_reader_pump: start reads; whether there were any. */
bool gsi_sorted_reader_pump(struct gsi_sorted_reader *sorted);

/* gsi_sorted_reader_need: the merge can go on only after more of this input: if it is a file of which
 * nothing is coming it is read next. Returns whether that is so. */
bool gsi_sorted_reader_need(struct gsi_sorted_reader *sorted, uint32_t input_idx);

/* gsi_sorted_reader_take: an event of the device returns one of its buffers: checked, or done
 * with. A disorder is recorded in loop->error (GS_E_INPUT). */
void gsi_sorted_reader_take(struct gsi_sorted_reader *sorted, struct gsi_buffer *buffer);

/* gsi_sorted_reader_stop: read no more; what is on its way still goes to the merge. Also zeroed ones.
 */
static inline void gsi_sorted_reader_stop(struct gsi_sorted_reader *sorted)
{
    sorted->is_stopped = true;
}

/* gsi_sorted_reader_is_idle: nothing is on its way to the merge; also of zeroed ones. */
static inline bool gsi_sorted_reader_is_idle(const struct gsi_sorted_reader *sorted)
{
    return sorted->coming_count == 0;
}

#endif
