/* in_order.h: one pass for input that is nearly in order and larger than memory: beside the reading,
 * what can no longer change goes to the output.
 *
 *     sorted runs  [===|======]            merged as far as the lower part reaches: to the output
 *     in memory       [==|=======]         what is held back is merged with the runs that follow
 *                         [..|=======]
 *
 * A probe decides early whether to begin: of the first runs the newest may have nothing among the
 * lowest elements. So random data are written as they always were. An element that comes too late,
 * below what is written, ends the pass. What is written is the first run then: it stays where it is,
 * without a name, and is read as a sorted file while its disk is given back; the sort goes on as
 * usual, with another file for its output. What is written of equal elements comes before those that
 * are in memory, as it came before them in the input; of these one may be all that is written. */
#ifndef GSI_IN_ORDER_H
#define GSI_IN_ORDER_H

#include "base/options.h"
#include "loop/run_list.h"
#include "output/delivery.h"

enum gsi_in_order_state {
    GSI_IN_ORDER_OFF,     /* never begun, or ended: the sort goes on as usual */
    GSI_IN_ORDER_PROBING, /* nothing is written yet */
    GSI_IN_ORDER_WRITING,
    GSI_IN_ORDER_ENDING, /* an element was too late; what is under way to the output is waited for */
};

struct gsi_in_order {
    struct gsi_loop *loop;
    struct gsi_delivery *delivery; /* of what is written */
    struct gsi_run_list *list;
    struct gsi_imprint dropped; /* what came before the pass was ended and is not in `written` */
    enum gsi_in_order_state state;
    uint64_t low_chunks; /* fewer free ones are too few */
    uint32_t probe_runs;
    uint64_t written_bytes;   /* what of the output the pass has made */
    struct gsi_input written; /* that, once the pass was ended by a late element */
    bool has_written;         /* it is open, and the list's first run */
    bool is_checked;          /* nothing that was read is too late */
    /* The merge under way: of the list's first `run_count` runs. */
    struct gsi_merge *merge;
    uint32_t run_count;
    uint64_t *taken;
    uint64_t left_bytes, pulled_bytes;
    uint32_t pulled_count, delivered_count;
    bool is_probe, is_late;
};

/* gsi_in_order_why_not: why a job is not done in one pass, whatever the order; NULL: it may be. */
const char *gsi_in_order_why_not(const struct gsi_options *options,
                                 const struct gsi_inputs *inputs);

/* gsi_in_order_begin: begins to watch if the job can be done in one pass; otherwise, and at last, it
 * is off. Then it begins to deliver, too, and that goes on to the output's end if no element is too late.
 * in    chunks: how many buffers are read into
 * fails GS_E_MEMORY */
enum gs_status gsi_in_order_begin(struct gsi_in_order *in_order, struct gsi_delivery *delivery,
                                  struct gsi_run_list *list, uint64_t chunks);
/* gsi_in_order_end: nothing is in flight; zeroed ones are fine. */
void gsi_in_order_end(struct gsi_in_order *in_order);

/* gsi_in_order_is_on: runs are not to be spilled.
 * gsi_in_order_is_whole: what is written is the output's beginning, to which all else is added. */
static inline bool gsi_in_order_is_on(const struct gsi_in_order *in_order)
{
    return in_order->state != GSI_IN_ORDER_OFF;
}
static inline bool gsi_in_order_is_whole(const struct gsi_in_order *in_order)
{
    return in_order->state == GSI_IN_ORDER_WRITING && in_order->written_bytes > 0;
}

/* gsi_in_order_pump: merges and writes. Returns whether anything moved.
 * in    free_chunks: free, or being read into
 *       is_read: every chunk was put */
bool gsi_in_order_pump(struct gsi_in_order *in_order, uint64_t free_chunks, bool is_read);

/* gsi_in_order_take: takes the window of the device's WINDOW event. */
void gsi_in_order_take(struct gsi_in_order *in_order, struct gsi_buffer *window);

/* gsi_in_order_is_done: after the last chunk: nothing is under way, and nothing is too late. */
bool gsi_in_order_is_done(const struct gsi_in_order *in_order);

#endif
