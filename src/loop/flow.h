/* flow.h: passes windows through operators on all threads, in batches, and fills blocks with what
 * the operators make, in order.
 *
 * An example: a flow makes an entry of each group of equal elements, with their count. Windows have
 * 6 elements, batches 3, and blocks 2 entries.
 *
 *     windows          [ a a b b b b ]  [ c d d d e f ]   in order; each returns to its set when
 *                         |     |          |     |         its batches were run
 *     begin, in order  [aab] [bbb]      [cdd] [def]       does the batch continue a group?
 *     run, any thread   a2    -          c1    e1         groups that begin and end in the batch
 *     join, in order    a2    -        b4 c1  d3 e1       an entry is put ahead of a batch when the
 *     flush                                          f1   group that was held back has ended
 *     blocks           [a2 b4] [c1 d3] [e1 f1]            copied on all threads; the receiver gets
 *                                                         each when all its bytes are there
 *
 * flow_operators.h has the kinds of operators, and how they are called.
 *
 * A flow that only maps knows the place of each entry before it is made. So threads write entries
 * directly into blocks. An entry that is larger than the rest of a block is the exception.
 * The owner's thread makes it in a room, and it is copied from there.
 *
 * Several flows may read the same windows, one after the other, and make different output of them:
 * each passes windows on to the next one.
 *
 * A flow without operators copies windows into blocks. Its receiver may cut a block before any
 * byte, where another file begins. (Windows that are only observed need no flow: they pass links,
 * loop/loop.h, and are not copied.)
 *
 * The windows of a flow that only shrinks are its blocks. A window is one batch. Two windows fill
 * one block if both fit. So any two blocks, one after the other, have more entries than fit in one,
 * and there are never more blocks than windows. A full window that is kept whole is not copied, and
 * does not wait.
 *
 *     windows          [a . b .] [. . . .] [. c d .] [e . f .] [g h i j]
 *     shrink, join     [a b]     []        [c d]     [e f]     [g h i j]
 *     blocks           [a b c d]                     [e f]     [g h i j]   [c d] is copied, and
 *                                                                          returns empty
 *
 * The owner may say how many entries are wanted at most. The flow then cuts the batch that reaches
 * this number, makes no more entries, and returns all windows that follow.
 *
 * A failure is stored in loop->error. Then no batch is joined any more, the loop ends, and
 * gsi_loop_drain waits for the tasks that are under way.
 *
 * Rejected:
 *
 *     a result of `run`    each task would need an error of its own, and no operator can fail
 *                          before its results are joined
 *     a result of `join`   that ends the flow: the wanted number is known when a batch begins, so
 *                          a map never makes an entry in vain */
#ifndef GSI_FLOW_H
#define GSI_FLOW_H

#include "base/assert.h"
#include "loop/flow_operators.h"
#include "loop/loop.h"

/* How many copies of windows into blocks should be under way: memory is slower than threads. */
#define GSI_FLOW_COPIES GSI_CONSTANT(32u, 5u)

/* gsi_flow_batches: returns how many batches should be under way to keep all threads busy. A few
 * more than threads are done and wait for their turn. */
static inline uint32_t gsi_flow_batches(uint32_t thread_count)
{
    return gsi_max_u32(GSI_FLOW_COPIES, thread_count + thread_count / 4);
}

/* Lends blocks, whose memory is the place of the output where that is possible, and gets them
 * filled. */
struct gsi_receiver {
    void *context;
    struct gsi_buffers *blocks; /* whose buffers are lent; NULL: those of `block` */
    /* block: returns an empty buffer for the output from byte `off` on; NULL: none is free.
     * take: takes the next block. Each is full, but for the last one and those that are cut. Of a
     *       flow that only shrinks: also takes windows that have no entries any more.
     * belonging: of a flow without operators: returns how many bytes of a window, from `off` on,
     *            may follow in the block; 0: the block is cut before them. NULL: all may. */
    struct gsi_buffer *(*block)(void *context, uint64_t off);
    void (*accept)(void *context, struct gsi_buffer *block);
    uint64_t (*bytes_before_cut)(void *context, const struct gsi_buffer *window, uint64_t off);
};

/* One piece of work of a thread. */
struct gsi_flow_task {
    struct gsi_task task;
    struct gsi_flow *flow;
    struct gsi_batch batch; /* count 0: bytes are copied */
    uint32_t first;         /* the operator that reads it */
    struct gsi_buffer *from, *into;
    uint8_t *out;
    uint64_t made;            /* entries */
    uint64_t from_off, bytes; /* that are copied */
    bool is_rework;           /* of a block, by the last operator that shrinks */
    bool is_done;
};

/* Tasks that are begun and ended in order. */
struct gsi_flow_queue {
    struct gsi_flow_task *tasks;
    uint32_t count;
    uint64_t begun, ended;
};

struct gsi_flow {
    /* The owner sets these before gsi_flow_begin, and may change them while the flow is idle. */
    struct gsi_loop *loop;
    /* gsi_flow_alloc sets these. A map has its batches in `copies`; windows shrink in `batches`. */
    struct gsi_flow_queue batches, copies;
    struct gsi_operators operators; /* a part of their scratch memory for each room */
    struct gsi_receiver receiver;
    struct gsi_buffers *windows; /* the set to which windows return; not of one that only shrinks */
    struct gsi_flow *next;       /* reads them before they return; NULL: no other flow does */
    struct gsi_buffers *staging; /* for the entries of a batch; at most batches.count of them. NULL:
                                    the flow maps or shrinks, and blocks have whole entries */
    uint64_t most;               /* wanted entries; UINT64_MAX: all */
    /* The owner reads these. */
    uint64_t count; /* entries of batches that were joined */
    bool is_enough; /* no more entries are wanted, and so no more windows */
    /* The flow's. */
    uint64_t begun_count;                   /* of a map: entries of all batches that have begun */
    struct gsi_buffer_list waiting, in_use; /* windows: not read yet; read, but tasks need them */
    struct gsi_buffer *window;              /* being cut, up to window_off */
    uint64_t window_off;
    struct gsi_buffer *copying; /* of a joined batch: being copied, up to room_off */
    uint64_t copied_off;
    struct gsi_buffer *block;    /* being filled */
    struct gsi_buffer_list full; /* blocks that wait until all is in them */
    uint64_t full_bytes;         /* of all that were full so far */
    bool is_cut, is_ended;
    bool is_reworking;   /* the block */
    bool is_rework_poor; /* it left nearly all of a block: other blocks are not worth it */
};

/* gsi_flow_alloc: allocates the tasks of a flow from its owner's bump allocator: `batches` at a
 * time, if it makes or shrinks, and `copies`, or batches of a map, at a time. */
void gsi_flow_alloc(struct gsi_flow *flow, uint32_t batches, uint32_t copies,
                    struct gsi_bump *bump);

/* gsi_flow_begin: prepares a flow for its first window. An idle flow may begin again.
 * gsi_flow_accept: accepts the next window, in order.
 * gsi_flow_return: takes a window that an operator held. The flow is idle.
 * gsi_flow_end: called after the last window, when the flow is idle: flushes the operators. The
 * flow must be pumped until it is idle again.
 * gsi_flow_pump: does everything that can be done now. Returns whether anything moved.
 * gsi_flow_is_idle: whether no window waits and no task is under way. A block that is not full
 * may stay in an idle flow until the end. */
void gsi_flow_begin(struct gsi_flow *flow);
void gsi_flow_accept(struct gsi_flow *flow, struct gsi_buffer *window);
void gsi_flow_return(struct gsi_flow *flow, struct gsi_buffer *window);
void gsi_flow_end(struct gsi_flow *flow);
bool gsi_flow_pump(struct gsi_flow *flow);
bool gsi_flow_is_idle(const struct gsi_flow *flow);

/* gsi_flow_is_cut: whether a block was cut before the next byte, and the receiver has it. */
bool gsi_flow_is_cut(const struct gsi_flow *flow);

/* gsi_flow_bytes: the bytes that have their places in blocks. */
static inline uint64_t gsi_flow_bytes(const struct gsi_flow *flow)
{
    return flow->full_bytes + (flow->block != NULL ? flow->block->bytes : 0);
}

#endif
