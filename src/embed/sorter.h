/* sorter.h: gs_sorter: a run on a thread, between two callbacks that threads of the program meet.
 *
 *     push, reserve ──> intake ──> gs_reader ──> gsi_run ─> gs_writer ──> outlet ──> pull
 *                     (sorter_intake.c)                    (sorter_outlet.c)  └──> order: parts,
 *                                                                    ranks (sorter_order.c)
 *
 * Nothing of the job is known here but what it is given and gives. Both sides lend memory of the
 * job: a push fills the chunk buffer that the reader was called with, and a pull shows the window
 * that the writer was called with. So neither callback returns, not even when the job is stopped,
 * while a thread of the program is in such memory.
 *
 * One lock guards everything, but copying does not hold it. */
#ifndef GSI_SORTER_H
#define GSI_SORTER_H

#include "element/layout.h"
#include "element/record/record.h"
#include "embed/sorter_order.h"
#include "job/job_report.h"
#include "option/options.h"

#include <pthread.h>

/* Room that was reserved and not committed yet. */
struct gsi_lend {
    struct gsi_lend *next;
    uint8_t *data;
    uint64_t off, bytes; /* in the stream of all pushed bytes */
    bool is_apart; /* an element that would straddle two buffers; its memory follows this struct */
};

/* Input: the stream's bytes [room_off, room_off + room_bytes) are copied to `room`. Each push takes
 * the next bytes of the stream as its own, and fills them when the buffer that they belong to is
 * there. */
struct gsi_intake {
    uint8_t *room; /* NULL: the reader was not called yet, or again */
    uint64_t room_off, room_bytes, filled_bytes;
    uint64_t claimed_bytes; /* of the stream, by pushes and reservations */
    uint32_t copying, lent; /* threads that fill the room, reservations in it */
    struct gsi_lend *lends;
    bool is_finished;
    pthread_cond_t has_room, is_filled;
};

/* Output: the piece that the writer was called with, of which `taken` bytes were pulled. */
struct gsi_outlet {
    enum { GSI_OUTLET_UNDECIDED, GSI_OUTLET_PULL, GSI_OUTLET_ORDER } way;
    const uint8_t *piece;
    size_t bytes, taken;
    size_t lent_bytes; /* of the piece, by the last pull */
    uint8_t *split;    /* an element that straddles pieces, */
    uint32_t split_bytes;
    pthread_cond_t changed;
};

struct gs_sorter {
    struct gsi_options options; /* with texts of its own, in `texts` */
    char *texts;
    gs_cancel *cancel; /* NULL: options.cancel is the caller's */
    struct gs_reader reader;
    struct gs_writer writer;
    struct gsi_names names;
    struct gsi_record record;
    struct gsi_layout layout;
    uint32_t element_bytes, entry_bytes; /* of pushed elements; of what goes */

    uint32_t process; /* that opened it; in a child of fork there is no thread of it */
    pthread_mutex_t lock;
    pthread_t thread;
    bool has_thread, has_begun, is_ended; /* the job */
    bool is_stopped;                      /* the callbacks are to return */
    bool is_closing;
    struct gs_report report; /* from the end on, as is `error` */
    struct gs_error error;
    struct gsi_intake intake;
    struct gsi_outlet outlet;
    struct gsi_order order;
};

/* gsi_sorter_enter: a call of the program takes the lock; nothing of it has failed yet.
 * fails GS_E_USAGE: in a child of fork, which does not take it */
enum gs_status gsi_sorter_enter(struct gs_sorter *sorter, struct gs_error *error);

/* gsi_sorter_result: returns the state of the sort, for callers that wait for more of it. They hold
 * the lock. */
enum gs_status gsi_sorter_result(const struct gs_sorter *sorter, struct gs_error *error);

/* The callbacks of the run; `context` is the sorter. */
int64_t gsi_intake_read(void *context, void *data, size_t bytes, struct gs_error *error);
bool gsi_outlet_write(void *context, const void *data, size_t bytes, struct gs_error *error);

/* gsi_intake_forget: gives up what is reserved. */
void gsi_intake_forget(struct gs_sorter *sorter);

#endif
