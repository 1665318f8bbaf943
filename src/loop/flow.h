/* flow.h: passes buffers of elements through operators on all threads, and collects the results in
 * order.
 * The buffers that go in are called windows. A task runs the operators on a batch, a part of one
 * window. Results, called entries, fill output buffers, called blocks.
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
 * flow_operators.h describes the kinds of operators and their functions.
 *
 * Operators that keep or drop entries write their results into a staging buffer per batch, from
 * which they are copied into blocks. If a flow makes exactly one entry per element, threads write
 * entries directly into blocks. Only an entry that crosses the end of a block is made in a staging
 * buffer and copied.
 *
 * Several flows may make different output from the same windows. Each flow then passes its windows
 * on to the next one.
 *
 * A flow without operators copies windows into blocks. Its receiver may end a block early, where
 * another output file begins. (Code that only reads windows needs no flow: it is a link,
 * loop/loop.h.)
 *
 * A flow whose operators only remove elements returns its windows as blocks. Each window is one
 * batch. If the elements of the next window fit in the current block, they are copied to it. So
 * there are never more blocks than windows. A full window without removed elements is not copied.
 *
 *     windows          [a . b .] [. . . .] [. c d .] [e . f .] [g h i j]
 *     shrink, join     [a b]     []        [c d]     [e f]     [g h i j]
 *     blocks           [a b c d]                     [e f]     [g h i j]   [c d] is copied, and
 *                                                                          returns empty
 *
 * The owner may limit the number of entries. The flow then shortens the batch that reaches the
 * limit, and returns all later windows unread.
 *
 * After a failure, which is stored in loop->error, the flow joins no more batches. gsi_loop_drain
 * waits for running tasks.
 *
 * Rejected: `run` returns a status. Each task would need an error of its own; operators can report
 * failures in `join`. Rejected: `join` ends the flow. The owner's limit is known when a batch
 * begins, so no operator makes entries that are not needed. */
#ifndef GSI_FLOW_H
#define GSI_FLOW_H

#include "base/assert.h"
#include "loop/flow_operators.h"
#include "loop/loop.h"

/* How many tasks may copy into blocks at the same time. */
#define GSI_FLOW_COPIES GSI_CONSTANT(32u, 5u)

/* gsi_flow_batches: returns how many batches may be in progress. There are more than threads,
 * because finished batches wait until those before them are joined. */
static inline uint32_t gsi_flow_batches(uint32_t thread_count)
{
    return gsi_max_u32(GSI_FLOW_COPIES, thread_count + thread_count / 4);
}

/* The receiver provides empty blocks and accepts full ones. */
struct gsi_receiver {
    void *context;
    struct gsi_buffers *blocks; /* the set of empty blocks; NULL: call `block` */
    /* block: returns an empty buffer for the output from byte `off` on; NULL: none is free.
     * accept: accepts the next block. Only the last block and blocks that end early are not full.
     * If operators only remove elements, it also accepts windows that are empty now.
     * bytes_before_cut: (flow without operators) returns how many bytes of a window, from `off` on,
     *        still belong to the current block; 0: end the block. NULL: all bytes do. */
    struct gsi_buffer *(*block)(void *context, uint64_t off);
    void (*accept)(void *context, struct gsi_buffer *block);
    uint64_t (*bytes_before_cut)(void *context, const struct gsi_buffer *window, uint64_t off);
};

/* A task: runs operators on a batch, copies bytes, or works on a block again. */
struct gsi_flow_task {
    struct gsi_task task;
    struct gsi_flow *flow;
    struct gsi_batch batch; /* count 0: the task copies bytes */
    uint32_t first;         /* index of the first operator to run */
    struct gsi_buffer *from, *into;
    uint8_t *out;
    uint64_t made;            /* number of entries that the operators made */
    uint64_t from_off, bytes; /* the bytes to copy */
    bool is_rework;           /* works on a block again (`rework`) */
    bool is_done;
};

/* A ring of tasks. Tasks run in any order, but are begun and ended in order. */
struct gsi_flow_queue {
    struct gsi_flow_task *tasks;
    uint32_t count;
    uint64_t begun, ended;
};

struct gsi_flow {
    /* The owner sets these members before gsi_flow_begin, and may change them while the flow is
     * idle. */
    struct gsi_loop *loop;
    /* gsi_flow_alloc allocates these. Batches of a flow that writes directly into blocks are in
     * `copies`. */
    struct gsi_flow_queue batches, copies;
    struct gsi_operators operators; /* with scratch memory for each staging buffer */
    struct gsi_receiver receiver;
    struct gsi_buffers *windows; /* the set to which windows return; unused if windows are blocks */
    struct gsi_flow *next;       /* the flow that gets the windows next; NULL: they return to
                                  * `windows` */
    struct gsi_buffers *staging; /* one buffer per batch for its entries; at most batches.count.
                                  * NULL: all entries are written directly into blocks, and none
                                  * crosses the end of a block */
    uint64_t most;               /* limit of the number of entries; UINT64_MAX: none */
    /* The owner reads these. */
    uint64_t count; /* entries of all joined batches */
    bool is_enough; /* the limit is reached: the owner need not add windows */
    /* Internal state of the flow. */
    uint64_t begun_count;                   /* entries of all batches that have begun, if written
                                             * directly into blocks */
    struct gsi_buffer_list waiting, in_use; /* windows: not read yet; read, but still used by
                                             * tasks */
    struct gsi_buffer *window;              /* the window from which batches are made; window_off:
                                             * next byte */
    uint64_t window_off;
    struct gsi_buffer *copying; /* the buffer that is copied into blocks; copied_off: next byte */
    uint64_t copied_off;
    struct gsi_buffer *block;    /* the block that is being filled */
    struct gsi_buffer_list full; /* full blocks into which tasks still write */
    uint64_t full_bytes;         /* bytes of all full blocks so far */
    bool is_cut, is_ended;
    bool is_reworking;   /* a task works on `block` again */
    bool is_rework_poor; /* rework removed less than a quarter of a block: stop doing it */
};

/* gsi_flow_alloc: allocates two rings of tasks from the owner's bump allocator. `batches` tasks run
 * operators. `copies` tasks copy into blocks, or run operators that write directly into blocks. */
void gsi_flow_alloc(struct gsi_flow *flow, uint32_t batches, uint32_t copies,
                    struct gsi_bump *bump);

/* gsi_flow_begin: prepares a flow for its first window. An idle flow may begin again.
 * gsi_flow_accept: accepts the next window, in order.
 * gsi_flow_return: accepts a window again that an operator held. The flow must be idle.
 * gsi_flow_end: flushes the operators after the last window, when the flow is idle. Then call
 * gsi_flow_pump until the flow is idle again.
 * gsi_flow_pump: does all work that is possible now. Returns whether there was any.
 * gsi_flow_is_idle: returns whether no window waits and no task runs. An idle flow may hold a block
 * that is not full. */
void gsi_flow_begin(struct gsi_flow *flow);
void gsi_flow_accept(struct gsi_flow *flow, struct gsi_buffer *window);
void gsi_flow_return(struct gsi_flow *flow, struct gsi_buffer *window);
void gsi_flow_end(struct gsi_flow *flow);
bool gsi_flow_pump(struct gsi_flow *flow);
bool gsi_flow_is_idle(const struct gsi_flow *flow);

/* gsi_flow_is_cut: returns whether the flow has ended a block early and passed it to the
 * receiver. */
bool gsi_flow_is_cut(const struct gsi_flow *flow);

/* gsi_flow_bytes: returns how many bytes of output the flow has assigned to blocks. */
static inline uint64_t gsi_flow_bytes(const struct gsi_flow *flow)
{
    return flow->full_bytes + (flow->block != NULL ? flow->block->bytes : 0);
}

#endif
