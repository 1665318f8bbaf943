/* output_marks.h: --resume while the output is written: marks tell the journal how much of it is
 * there.
 *
 *     cut        a window is cut: how many elements of each run the output has up to its end
 *     checked    the window has passed the check: its digest, and its last entry
 *     delivered  the sink has all bytes up to there: the last of them, and what it keeps of a page
 *     written    these bytes and all before them -> synced -> WRITTEN in the journal
 *
 * There is one mark at a time, and the merge continues meanwhile. After a kill the merge begins
 * with the elements after the last mark in the journal, and the output is written from there. A
 * mark may be inside a block of the output (unique.h). */
#ifndef GSI_OUTPUT_MARKS_H
#define GSI_OUTPUT_MARKS_H

#include "merge/merger.h"
#include "output/delivery.h"
#include "resume/resume.h"

/* gsi_output_marks_begin: makes resume->marks, which watch the merge of the list and the delivery.
 * The runs of the list lose the elements that are written, by the journal. The merge, the sink and
 * the check continue from there. Does nothing without a journal (NULL).
 * gsi_output_marks_end: frees resume->marks, if there are any. */
enum gs_status gsi_output_marks_begin(struct gsi_resume *resume, struct gsi_run_list *list,
                                      struct gsi_delivery *delivery, struct gsi_merger_spec *merge);
void gsi_output_marks_end(struct gsi_resume *resume);

#endif
