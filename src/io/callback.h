/* callback.h: makes transfers by callbacks of the program, gs_reader and gs_writer.
 *
 *     owner ── gsi_callbacks_submit ──> a thread: read or write, until the transfer is whole
 *     owner <── io->done(io) ── gsi_callbacks_reap <──┘ and wake
 *
 * A callback may wait for a long time, so each has a thread when it needs one. For code that works
 * with inputs and outputs, it is a stream: its descriptor is a number below -1 (gsi_fd_is_callback).
 * Code that submits transfers sends those with such a descriptor here.
 *
 * A callback's failure is recorded as the job's failure before the transfer is returned. All calls
 * are for one owner thread. In all functions except open, NULL is a job without callbacks. */
#ifndef GSI_CALLBACK_H
#define GSI_CALLBACK_H

#include "base/choices.h"
#include "base/memory.h"
#include "io/engine.h"
#include "io/file.h"

struct gsi_callbacks;

/* gsi_callbacks_count: returns the number of callbacks. `writer` may be NULL, and so may `readers`
 * and their functions.
 * gsi_callbacks_bytes: returns the memory that open allocates for `count` callbacks.
 * gsi_callbacks_open: allocates the callers; *callers stays NULL if there are none.
 * in    wake: called from any thread; makes the owner reap
 *       error: also receives a callback's failure
 * gsi_callbacks_close: frees them; no transfer may be in flight. */
uint32_t gsi_callbacks_count(const struct gs_reader *readers, size_t reader_count,
                             const struct gs_writer *writer);
uint64_t gsi_callbacks_bytes(uint32_t count);
enum gs_status gsi_callbacks_open(uint32_t count, void (*wake)(void *context), void *context,
                                  struct gsi_ledger *ledger, struct gsi_callbacks **callbacks,
                                  struct gs_error *error);
void gsi_callbacks_close(struct gsi_callbacks *callbacks);

/* gsi_callbacks_input: returns a stream that reads by `reader`.
 * gsi_callbacks_output: returns a stream that writes by `writer`.
 * in    name: the stream's name in messages; borrowed. NULL for an output: it has none */
struct gsi_input gsi_callbacks_input(struct gsi_callbacks *callbacks,
                                     const struct gs_reader *reader, const char *name);
struct gsi_output gsi_callbacks_output(struct gsi_callbacks *callbacks,
                                       const struct gs_writer *writer, const char *name);

/* gsi_callbacks_submit: works as gsi_engine_submit; one transfer at a time per descriptor.
 * gsi_callbacks_reap: calls `done` of every transfer that ended.
 * gsi_callbacks_stop: calls no callbacks from now on, and calls the `stop` functions of those that
 * wait. Transfers in flight end with ECANCELED when their callbacks return. */
void gsi_callbacks_submit(struct gsi_callbacks *callbacks, struct gsi_io *io);
void gsi_callbacks_reap(struct gsi_callbacks *callbacks);
void gsi_callbacks_stop(struct gsi_callbacks *callbacks);

#endif
