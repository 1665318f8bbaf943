/* output_marks.h: --resume while the output is written: a mark now and then tells the journal how
 * much of it is there.
 *
 *     pulled     a window that is due was cut: what each run has in the output up to its end
 *     delivered  it was handed to the sink: digest up to there, and what the sink keeps of a page
 *     written    it and those before it -> synced -> WRITTEN in the journal
 *
 * There is one mark at a time; the merge goes on meanwhile. After a kill the merge begins with what
 * lies behind the last mark in the journal, and the output is written from there on. */
#ifndef GSI_OUTPUT_MARKS_H
#define GSI_OUTPUT_MARKS_H

#include "merge/merger.h"
#include "output/delivery.h"
#include "resume/journal_io.h"

struct gsi_output_marks {
    struct gsi_resume *resume;
    struct gsi_delivery *delivery;
    uint32_t entry_bytes, output_bytes; /* of an element: in the merge, in the output */
    uint64_t *taken;                    /* elements of each run in windows that were pulled */
    uint64_t *appended;                 /* the same, up to the window that is marked */
    uint32_t run_count;
    /* Bytes of output: between two marks; up to the next mark; in windows that were pulled. */
    uint64_t step_bytes, next_bytes, pulled_bytes, delivered_bytes;
    uint64_t marked_bytes;       /* where the marked window ends; 0: none is */
    bool is_delivered, is_begun; /* the marked window is delivered; its entry is begun */
    uint8_t rest[GSI_DIRECT_ALIGN];
    /* The last bytes that were delivered; windows may be shorter. */
    uint8_t tail[GSI_RESUME_TAIL_BYTES];
    uint32_t tail_bytes;
    uint8_t *last;            /* the last entry in the marked window */
    struct gsi_digest digest; /* of the output up to the mark */
};

/* gsi_output_marks_begin: makes resume->marks, which watch the merge of the list and the delivery.
 * The runs of the list lose the elements that the journal says are written. The merge, the sink and
 * the check go on from there. Does nothing without a journal (NULL).
 * gsi_output_marks_end: frees resume->marks, if there are any. */
enum gs_status gsi_output_marks_begin(struct gsi_resume *resume, struct gsi_run_list *list,
                                      struct gsi_delivery *delivery, struct gsi_merger_spec *merge);
void gsi_output_marks_end(struct gsi_resume *resume);

#endif
