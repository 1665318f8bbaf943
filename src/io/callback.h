/* callback.h: reads inputs and writes outputs by callbacks of the program (gs_reader, gs_writer).
 *
 *     owner ── gsi_callbacks_submit ──> a thread: read or write, until the transfer is whole
 *     owner <── io->done(io) ── gsi_callbacks_reap <──┘ and wake
 *
 * A callback may wait for a long time, so each callback has a thread of its own. For other code,
 * its input or output is a stream whose descriptor is a number below -1 (gsi_fd_is_callback).
 * Submit transfers of such a descriptor by gsi_callbacks_submit.
 *
 * If a callback fails, its failure is recorded in the job before the transfer ends. Only the
 * owner's thread may call these functions. All except open accept NULL: a job without callbacks. */
#ifndef GSI_CALLBACK_H
#define GSI_CALLBACK_H

#include "base/choices.h"
#include "base/memory.h"
#include "io/engine.h"
#include "io/file.h"

struct gsi_callbacks;

/* gsi_callbacks_count: returns the number of callbacks. `readers`, their functions and `writer` may
 * be NULL: these are files.
 * gsi_callbacks_bytes: returns the memory that open allocates for `count` callbacks.
 * gsi_callbacks_open: allocates `count` callbacks; sets *callbacks to NULL if `count` is 0.
 * in    wake: is called on any thread when a transfer has ended; must make the owner call
 *       gsi_callbacks_reap
 *       error: also receives failures of callbacks
 * gsi_callbacks_close: frees the callbacks; no transfer may be in progress. */
uint32_t gsi_callbacks_count(const struct gs_reader *readers, size_t reader_count,
                             const struct gs_writer *writer);
uint64_t gsi_callbacks_bytes(uint32_t count);
enum gs_status gsi_callbacks_open(uint32_t count, void (*wake)(void *context), void *context,
                                  struct gsi_ledger *ledger, struct gsi_callbacks **callbacks,
                                  struct gs_error *error);
void gsi_callbacks_close(struct gsi_callbacks *callbacks);

/* gsi_callbacks_input: returns a stream that reads by `reader`.
 * gsi_callbacks_output: returns a stream that writes by `writer`.
 * in    name: the stream's name in messages; borrowed. NULL: the output has no name */
struct gsi_input gsi_callbacks_input(struct gsi_callbacks *callbacks,
                                     const struct gs_reader *reader, const char *name);
struct gsi_output gsi_callbacks_output(struct gsi_callbacks *callbacks,
                                       const struct gs_writer *writer, const char *name);

/* gsi_callbacks_submit: starts a transfer, as gsi_engine_submit does; one at a time per descriptor.
 * gsi_callbacks_reap: calls `done` of all transfers that have ended.
 * gsi_callbacks_stop: stops all callbacks: calls their `stop` functions, and calls no more
 * callbacks. Transfers in progress end with ECANCELED when their callbacks return. */
void gsi_callbacks_submit(struct gsi_callbacks *callbacks, struct gsi_io *io);
void gsi_callbacks_reap(struct gsi_callbacks *callbacks);
void gsi_callbacks_stop(struct gsi_callbacks *callbacks);

#endif
