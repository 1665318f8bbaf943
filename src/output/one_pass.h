/* one_pass.h: one pass for input that is nearly in order and larger than memory. While the input is
 * read, elements whose place is certain are written, and nothing is spilled.
 *
 *     sorted runs  [===|======]            the lower part is merged and written
 *     in memory       [==|=======]         the rest is merged with the runs that follow
 *                         [..|=======]
 *
 * An example: chunks of 4 elements; 4 elements are held back (the plan's late_bytes).
 *
 *     read        2 1 4 3 | 5 8 6 7 | 10 9 11 12 | 14 13 15 16 | ..
 *     runs        1 2 3 4   5 6 7 8   9 10 11 12                      12 elements in memory
 *     written     1 2 3 4 5 6 7 8                                     12 less 4; 9 to 12 stay
 *     then 9      above 8: it waits with the others; at the end all are merged and written
 *     then 7      below 8, which is written: too late, the pass ends
 *
 * Then the written elements, 1 to 8, are the first run of an ordinary sort. They stay in their
 * file, which is no longer the output. It is read as a sorted file while its disk is released, and
 * a new output is begun. So its bytes would have been spilled anyway. Written elements sort before
 * equal ones, as they did in the input, so the sort stays stable. With --unique, a written element
 * may represent its whole group.
 *
 * 1. PROBING: the first runs are merged as far as a window, 64 elements at least, and nothing is
 *    written. If none of these is from the newest quarter of the runs, the input looks as if
 *    it were in order. Random data look so once in 10^8 times; they are spilled as ever.
 * 2. WRITING: whenever buffers get short, the sorted runs are merged up to what is held back, in
 *    whole windows. The first element of each merge is compared with the last one written.
 * 3. ENDING: an element was too late; the pass waits until started writes end. Then OFF.
 *
 * Two thirds of the buffers that reading does not need hold elements back. A third is left for
 * chunks that are partly written (plan/plan_runs.c). In 64 MiB that is 10.9 MiB.
 *
 * gsort-bench/RESULTS.md, "In order already", shows the gain; random data lose nothing that could
 * be measured.
 *
 * Rejected: writing without a probe, because random data would each time begin an output only to
 * read it again. Concatenated sorted files are not a case for this file: their runs are read again
 * in the input (merge/presorted.h).
 *
 * In doubt: one late element ends the pass for good, so 1 % of the elements anywhere gain nothing
 * here. The probe sees only the beginning of the input. */
#ifndef GSI_ONE_PASS_H
#define GSI_ONE_PASS_H

#include "merge/merger.h"
#include "output/delivery.h"

enum gsi_one_pass_state {
    GSI_ONE_PASS_OFF,     /* never begun, or ended: the sort continues as usual */
    GSI_ONE_PASS_PROBING, /* nothing is written yet */
    GSI_ONE_PASS_WRITING,
    GSI_ONE_PASS_ENDING, /* an element was too late; windows under way are waited for */
};

struct gsi_one_pass {
    struct gsi_loop *loop;
    struct gsi_delivery *delivery; /* of what is written */
    struct gsi_run_list *list;
    struct gsi_digest dropped; /* elements of the pass that are not in `written` */
    enum gsi_one_pass_state state;
    uint64_t low_chunks; /* fewer free ones are too few */
    uint32_t probe_runs;
    uint64_t written_bytes;   /* output that the pass has made */
    struct gsi_input written; /* that, once the pass was ended by a late element */
    bool has_written;         /* it is open, and the list's first run */
    bool is_checked;          /* nothing that was read is too late */
    /* The merge under way: of the list's first `run_count` runs. */
    struct gsi_merger merger;
    uint64_t *taken; /* elements of each run in windows that were cut */
    struct gsi_link link;
    uint32_t run_count;
    bool is_probe, is_late;
};

/* gsi_one_pass_begin: begins to probe if the job can be done in one pass; otherwise the state is
 * OFF. The delivery begins, too, and lasts until the end of the output if no element is too late.
 * in    chunks: how many buffers are read into
 * fails GS_E_MEMORY */
enum gs_status gsi_one_pass_begin(struct gsi_one_pass *one_pass, struct gsi_delivery *delivery,
                                  struct gsi_run_list *list, uint64_t chunks);
/* gsi_one_pass_close: releases it, if nothing is in flight; also zeroed ones. */
void gsi_one_pass_close(struct gsi_one_pass *one_pass);

/* gsi_one_pass_is_on: returns whether the job still tries one pass; then no run is spilled.
 * gsi_one_pass_is_whole: returns whether the written data are the beginning of the output, so that
 * the rest is appended. */
static inline bool gsi_one_pass_is_on(const struct gsi_one_pass *one_pass)
{
    return one_pass->state != GSI_ONE_PASS_OFF;
}
static inline bool gsi_one_pass_is_whole(const struct gsi_one_pass *one_pass)
{
    return one_pass->state == GSI_ONE_PASS_WRITING && one_pass->written_bytes > 0;
}

/* gsi_one_pass_pump: merges and writes. Returns whether anything moved.
 * in    free_chunks: free, or being read into
 *       is_read: every chunk was put */
bool gsi_one_pass_pump(struct gsi_one_pass *one_pass, uint64_t free_chunks, bool is_read);

/* gsi_one_pass_accept: accepts the window of the device's WINDOW event. */
void gsi_one_pass_accept(struct gsi_one_pass *one_pass, struct gsi_buffer *window);

/* gsi_one_pass_is_done: after the last chunk: nothing is under way, and nothing is too late. */
bool gsi_one_pass_is_done(const struct gsi_one_pass *one_pass);

#endif
