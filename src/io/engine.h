/* engine.h: transfers data of files asynchronously: one C function table for two engines.
 *
 *     owner ── gsi_engine_submit ──> kernel or I/O threads
 *     owner <── io->done(io) ── gsi_engine_wait <──┘      (done runs on the owner's thread only)
 *
 * Ownership: a `struct gsi_io` and its memory belong to the engine from submit until its `done` is
 * called; `done` may submit again. An engine completes short transfers and retries EINTR and EAGAIN
 * itself. If a direct transfer is refused (EINVAL), it clears the descriptor's O_DIRECT and tries
 * again through the page cache. So io->moved < io->bytes happens only when a read reaches the end
 * of the file, or with io->sys_errno != 0.
 *
 * Any number may be submitted; an engine keeps at most `depth` in flight and queues the rest, in
 * order. Transfers at GSI_IO_STREAM move the file's own position: submit one at a time per file. A
 * read there first waits until there is data or an end. Otherwise a FIFO that has no writer yet
 * would seem to be at its end.
 *
 * All calls are for one owner thread, except gsi_engine_wake: any thread may call that while the
 * engine is open. A notifier that may run after the close writes to a descriptor of its own, which
 * the engine watches. */
#ifndef GSI_ENGINE_H
#define GSI_ENGINE_H

#include "base/choices.h"
#include "base/list.h"
#include "base/status.h"

#include <errno.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How bytes are moved. */
struct gsi_engine_report {
    const char *name;
    char note[128]; /* why the engine is not the first choice; empty: it is */
};

#define GSI_IO_STREAM UINT64_MAX /* offset: the file's own position (pipes, terminals) */

enum gsi_io_op { GSI_IO_READ, GSI_IO_WRITE };

struct gsi_io {
    enum gsi_io_op op;
    int fd;
    void *data;
    size_t bytes;
    uint64_t off;
    bool is_copy; /* buffered or tmpfs: let the kernel copy on another thread */
    void (*done)(struct gsi_io *io);
    /* results */
    size_t moved;
    int sys_errno;
    /* used by the engine while it holds the transfer */
    bool is_tried_again; /* after a refusal, through the page cache */
    struct gsi_io *next;
};

struct gsi_engine;

/* gsi_io_is_refused: returns whether the transfer ended because the kernel accepts no more of them
 * (io_uring only). */
static inline bool gsi_io_is_refused(const struct gsi_io *io)
{
    return io->sys_errno == EAGAIN || io->sys_errno == EBUSY;
}

struct gsi_engine_ops {
    const char *name;
    /* open: creates an engine with at most `depth` transfers in flight.
     * fails GS_E_IO if this machine refuses the engine; then error->text says why */
    enum gs_status (*open)(uint32_t depth, struct gsi_engine **engine, struct gs_error *error);
    /* close: frees the engine; nothing may be in flight. It holds no data that could be lost. */
    void (*close)(struct gsi_engine *engine);
    void (*submit)(struct gsi_engine *engine, struct gsi_io *io);
    /* wait: starts queued transfers; then, if none has finished yet, sleeps. The sleep ends when a
     * transfer finishes, wake is called or `timeout_ns` is over (0: do not sleep; UINT64_MAX:
     * forever). Calls `done` of every finished transfer. */
    void (*wait)(struct gsi_engine *engine, uint64_t timeout_ns);
    void (*wake)(struct gsi_engine *engine); /* any thread; ends the current or next wait */
    /* watch: adds a descriptor that ends one wait when it is readable; the engine does not read it.
     * At most one per engine, before the first wait; it must stay open until the engine is closed.
     */
    void (*watch)(struct gsi_engine *engine, int fd);
    /* cancel: gives up all transfers in flight and queued. Each still ends soon with `done`, and
     * with sys_errno ECANCELED unless it finished before. */
    void (*cancel)(struct gsi_engine *engine);
};

struct gsi_engine { /* every engine's first member */
    const struct gsi_engine_ops *ops;
};

extern const struct gsi_engine_ops gsi_engine_uring;   /* Linux io_uring, by liburing */
extern const struct gsi_engine_ops gsi_engine_threads; /* pread and pwrite in threads */

/* gsi_engine_find: returns the table of an engine, or NULL for GSI_IO_AUTO, which is none. */
const struct gsi_engine_ops *gsi_engine_find(enum gsi_io_choice choice);

/* gsi_engine_open: opens the requested engine; GSI_IO_AUTO tries io_uring, then threads.
 * out   note: why the first choice was not used, or empty
 * fails GS_E_IO if the engine was named and this machine refuses it */
enum gs_status gsi_engine_open(enum gsi_io_choice choice, uint32_t depth,
                               struct gsi_engine **engine, char *note, size_t note_bytes,
                               struct gs_error *error);

static inline void gsi_engine_close(struct gsi_engine *engine)
{
    if (engine != NULL)
        engine->ops->close(engine);
}

static inline void gsi_engine_submit(struct gsi_engine *engine, struct gsi_io *io)
{
    engine->ops->submit(engine, io);
}

static inline void gsi_engine_wait(struct gsi_engine *engine, uint64_t timeout_ns)
{
    engine->ops->wait(engine, timeout_ns);
}

static inline void gsi_engine_wake(struct gsi_engine *engine)
{
    engine->ops->wake(engine);
}

static inline void gsi_engine_watch(struct gsi_engine *engine, int fd)
{
    engine->ops->watch(engine, fd);
}

static inline void gsi_engine_cancel(struct gsi_engine *engine)
{
    engine->ops->cancel(engine);
}

#ifdef __cplusplus
}
#endif
#endif
