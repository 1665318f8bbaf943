/* engine.h: reads and writes files asynchronously. Two engines implement one table of functions:
 * io_uring and threads.
 *
 *     owner ── gsi_engine_submit ──> kernel or I/O threads
 *     owner <── io->done(io) ── gsi_engine_wait <──┘      (done runs on the owner's thread only)
 *
 * The engine uses a `struct gsi_io` and its memory until it calls `done`; `done` may submit the
 * same struct again. Engines continue short transfers, and retry after EINTR and EAGAIN. If the
 * kernel refuses direct I/O (EINVAL), the engine clears O_DIRECT and repeats the transfer through
 * the page cache. So io->moved is below io->bytes only at the end of a file, or if io->sys_errno is
 * set.
 *
 * An engine has at most `depth` transfers in progress, and queues others in order. Transfers of
 * streams (GSI_IO_STREAM) use the file's own position, so submit one at a time per file. Engines
 * poll a stream before they read it, because a FIFO without a writer would otherwise seem to be at
 * its end.
 *
 * Only the owner's thread may call these functions, except gsi_engine_wake: any thread may call
 * that while the engine is open. Code that may run after the close must instead write to a
 * descriptor that the engine watches. */
#ifndef GSI_ENGINE_H
#define GSI_ENGINE_H

#include "base/choices.h"
#include "base/list.h"
#include "base/status.h"

#include <errno.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Report on the engine of a job. */
struct gsi_engine_report {
    const char *name;
    char note[128]; /* why the preferred engine was not used; empty: it was used */
};

#define GSI_IO_STREAM UINT64_MAX /* as an offset: the file's own position (pipes, terminals) */

enum gsi_io_op { GSI_IO_READ, GSI_IO_WRITE };

struct gsi_io {
    enum gsi_io_op op;
    int fd;
    void *data;
    size_t bytes;
    uint64_t off;
    bool is_copy; /* the kernel copies from or to memory: let it do that on another thread */
    void (*done)(struct gsi_io *io);
    /* results */
    size_t moved;
    int sys_errno;
    /* used by the engine while it holds the transfer */
    bool is_tried_again; /* the transfer is repeated through the page cache */
    struct gsi_io *next;
};

struct gsi_engine;

/* gsi_io_is_refused: returns whether the transfer failed because io_uring accepts no more
 * requests. */
static inline bool gsi_io_is_refused(const struct gsi_io *io)
{
    return io->sys_errno == EAGAIN || io->sys_errno == EBUSY;
}

struct gsi_engine_ops {
    const char *name;
    /* open: creates an engine with at most `depth` transfers in progress.
     * fails GS_E_IO: this machine does not support the engine; error->text says why */
    enum gs_status (*open)(uint32_t depth, struct gsi_engine **engine, struct gs_error *error);
    /* close: frees the engine; no transfer may be in progress. */
    void (*close)(struct gsi_engine *engine);
    void (*submit)(struct gsi_engine *engine, struct gsi_io *io);
    /* wait: starts queued transfers, and calls `done` of every finished transfer. If none has
     * finished yet, it first sleeps until a transfer finishes, `wake` is called, or `timeout_ns`
     * has passed (0: do not sleep; UINT64_MAX: no limit). */
    void (*wait)(struct gsi_engine *engine, uint64_t timeout_ns);
    void (*wake)(struct gsi_engine *engine); /* ends the current or next wait; any thread */
    /* watch: sets a descriptor that ends one wait when it is readable. The engine does not read it.
     * Call it at most once, before the first wait; the descriptor must stay open as long as the
     * engine. */
    void (*watch)(struct gsi_engine *engine, int fd);
    /* cancel: cancels all transfers. The engine still calls `done` of each, soon, with sys_errno
     * ECANCELED unless the transfer had finished. */
    void (*cancel)(struct gsi_engine *engine);
};

struct gsi_engine { /* the first member of each engine's struct */
    const struct gsi_engine_ops *ops;
};

extern const struct gsi_engine_ops gsi_engine_uring;   /* Linux io_uring, by liburing */
extern const struct gsi_engine_ops gsi_engine_threads; /* pread and pwrite in threads */

/* gsi_engine_find: returns the functions of an engine; NULL for GSI_IO_AUTO. */
const struct gsi_engine_ops *gsi_engine_find(enum gsi_io_choice choice);

/* gsi_engine_open: opens the requested engine; GSI_IO_AUTO tries io_uring, then threads.
 * out   note: why io_uring was not used, or empty
 * fails GS_E_IO: this machine does not support the requested engine */
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
