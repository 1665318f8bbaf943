/* output_marks.h: --resume while the output is written: now and then, how far it has come.
 *
 *     pulled     a window that is due was cut: what each run has in the output up to its end
 *     delivered  it was handed to the sink: imprint up to there, and what the sink keeps of a page
 *     settled    it and those before it are written -> synced -> WRITTEN on record
 *
 * One at a time; the merge goes on meanwhile. After a kill the merge begins with what lies behind
 * the last one, and the output is written from there on. */
#ifndef GSI_OUTPUT_MARKS_H
#define GSI_OUTPUT_MARKS_H

#include "loop/run_list.h"
#include "output/sink.h"
#include "output/stream_check.h"
#include "resume/record.h"

struct gsi_output_marks {
    struct gsi_resume *resume;
    struct gsi_sink *sink;
    struct gsi_stream_check *check;
    uint64_t *taken;    /* of each run, in windows that were pulled */
    uint64_t *recorded; /* the same up to the window that is marked */
    uint32_t run_count;
    uint64_t step_bytes, next_bytes; /* of output: between two of them, and of the next */
    uint64_t pulled_bytes, delivered_bytes;
    uint64_t marked_bytes;       /* where the marked window ends; 0: none is */
    bool is_delivered, is_begun; /* the marked window; its entry */
    uint8_t rest[GSI_DIRECT_ALIGN];
    uint8_t *last; /* the last element in the marked window */
};

/* gsi_output_marks_begin: resume->marks. What is on record is given to sink and check, and taken
 * from the runs of the list.  gsi_output_marks_end: also if they were not begun. */
enum gs_status gsi_output_marks_begin(struct gsi_resume *resume, struct gsi_run_list *list,
                                      struct gsi_sink *sink, struct gsi_stream_check *check);
void gsi_output_marks_end(struct gsi_resume *resume);

/* gsi_output_marks_pulled, _delivered: of the output `bytes` more, which are at `data` still.
 * gsi_output_marks_pump: whether anything moved. */
void gsi_output_marks_pulled(struct gsi_output_marks *marks, uint64_t bytes);
void gsi_output_marks_delivered(struct gsi_output_marks *marks, const uint8_t *data,
                                uint64_t bytes);
bool gsi_output_marks_pump(struct gsi_output_marks *marks);

#endif
