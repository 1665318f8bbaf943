/* caller.h: transfers that callbacks of the program make, gs_reader and gs_writer.
 *
 *     owner ── gsi_callers_submit ──> a thread: read or write, until the transfer is whole
 *     owner <── io->done(io) ── gsi_callers_reap <──┘ and wake
 *
 * A callback may wait for long, so each has a thread when it needs one. It is a stream to all that
 * works with inputs and outputs: its descriptor is a number below -1 (gsi_fd_is_caller), and
 * whoever submits transfers brings those with such a descriptor here.
 *
 * What a callback fails with is recorded as the job's failure before the transfer comes back. All
 * calls are for one owner thread. In all but open, NULL is a job without callbacks. */
#ifndef GSI_CALLER_H
#define GSI_CALLER_H

#include "base/memory.h"
#include "base/options.h"
#include "io/engine.h"
#include "io/file.h"

struct gsi_callers;

/* gsi_callers_count: how many callbacks there are. `writer` may be NULL, and so may `readers` and
 * functions of theirs.
 * gsi_callers_bytes: the memory that open takes for `count` callbacks.
 * gsi_callers_open: *callers stays NULL if there are none.
 * in    wake: called from any thread; makes the owner reap
 *       error: where a callback's failure goes, too
 * gsi_callers_close: no transfer is under way. */
uint32_t gsi_callers_count(const struct gs_reader *readers, size_t reader_count,
                           const struct gs_writer *writer);
uint64_t gsi_callers_bytes(uint32_t count);
enum gs_status gsi_callers_open(uint32_t count, void (*wake)(void *context), void *context,
                                struct gsi_ledger *ledger, struct gsi_callers **callers,
                                struct gs_error *error);
void gsi_callers_close(struct gsi_callers *callers);

/* gsi_callers_input: a stream that reads by `reader`.
 * gsi_callers_output: a stream that writes by `writer`.
 * in    name: of it, in messages; borrowed. NULL of an output: it has none */
struct gsi_input gsi_callers_input(struct gsi_callers *callers, const struct gs_reader *reader,
                                   const char *name);
struct gsi_output gsi_callers_output(struct gsi_callers *callers, const struct gs_writer *writer,
                                     const char *name);

/* gsi_callers_submit: as gsi_engine_submit; one transfer at a time for each descriptor.
 * gsi_callers_reap: calls `done` of every transfer that ended.
 * gsi_callers_stop: no callback is called from now on, and those that wait are told. What is under
 * way comes back as ECANCELED, once they return. */
void gsi_callers_submit(struct gsi_callers *callers, struct gsi_io *io);
void gsi_callers_reap(struct gsi_callers *callers);
void gsi_callers_stop(struct gsi_callers *callers);

#endif
