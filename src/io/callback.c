/* callback.c: runs callbacks on a pool with one thread per callback. So no callback waits for
 * another one: a program may fill two inputs of a merge in any order. */
#include "io/callback.h"

#include "base/checked.h"
#include "base/pool.h"

#include <errno.h>
#include <stdatomic.h>

/* Descriptors of callbacks are -2, -3, .. */
#define FIRST_FD (-2)

struct callback {
    struct gsi_task task; /* runs the transfer `io` */
    struct gsi_callbacks *callbacks;
    struct gsi_io *io;
    const struct gs_reader *reader; /* NULL: a writer */
    const struct gs_writer *writer;
    const char *name;
    uint64_t moved; /* bytes of all transfers */
    bool is_at_end;
    struct gs_error error; /* the callback's failure */
};

struct gsi_callbacks {
    struct gsi_pool *pool;
    struct gsi_ledger *ledger;
    struct gs_error *error;
    atomic_bool is_stopped;
    uint32_t count, capacity;
    struct callback *table;
};

uint32_t gsi_callbacks_count(const struct gs_reader *readers, size_t reader_count,
                             const struct gs_writer *writer)
{
    size_t count = writer != NULL;
    for (size_t i = 0; readers != NULL && i < reader_count; i++)
        count += readers[i].read != NULL;
    return (uint32_t)gsi_min_u64(count, INT32_MAX);
}

uint64_t gsi_callbacks_bytes(uint32_t count)
{
    return count > 0 ? sizeof(struct gsi_callbacks) + count * sizeof(struct callback) : 0;
}

enum gs_status gsi_callbacks_open(uint32_t capacity, void (*wake)(void *context), void *context,
                                  struct gsi_ledger *ledger, struct gsi_callbacks **out,
                                  struct gs_error *error)
{
    enum gs_status status = GS_OK;
    struct gsi_callbacks *callbacks = NULL;
    *out = NULL;
    if (capacity == 0)
        return GS_OK;
    GSI_TRY(GSI_NEW(ledger, callbacks, 1, error));
    callbacks->ledger = ledger;
    callbacks->error = error;
    callbacks->capacity = capacity;
    GSI_TRY_OR(GSI_NEW(ledger, callbacks->table, capacity, error), fail);
    GSI_TRY_OR(gsi_pool_create(capacity, wake, context, &callbacks->pool, error), fail);
    *out = callbacks;
    return GS_OK;
fail:
    gsi_callbacks_close(callbacks);
    return status;
}

void gsi_callbacks_close(struct gsi_callbacks *callbacks)
{
    if (callbacks == NULL)
        return;
    gsi_pool_free(callbacks->pool);
    GSI_FREE(callbacks->ledger, callbacks->table, callbacks->capacity);
    GSI_FREE(callbacks->ledger, callbacks, 1);
}

/* Adds a callback. Returns its descriptor. */
static int add_callback(struct gsi_callbacks *callbacks, struct callback callback)
{
    callback.callbacks = callbacks;
    callbacks->table[callbacks->count] = callback;
    return FIRST_FD - (int)callbacks->count++;
}

struct gsi_input gsi_callbacks_input(struct gsi_callbacks *callbacks,
                                     const struct gs_reader *reader, const char *name)
{
    int fd = add_callback(callbacks, (struct callback){.reader = reader, .name = name});
    return (struct gsi_input){.path = name,
                              .name = name,
                              .fd = fd,
                              .direct_fd = -1,
                              .is_stream = true,
                              .bytes = UINT64_MAX,
                              .file_bytes = UINT64_MAX,
                              .promised_bytes = reader->bytes,
                              .expected_bytes = UINT64_MAX};
}

struct gsi_output gsi_callbacks_output(struct gsi_callbacks *callbacks,
                                       const struct gs_writer *writer, const char *name)
{
    name = name != NULL ? name : "output";
    int fd = add_callback(callbacks, (struct callback){.writer = writer, .name = name});
    return (struct gsi_output){.kind = GSI_OUTPUT_STREAM,
                               .name = name,
                               .fd = fd,
                               .direct_fd = -1,
                               .dir_fd = -1,
                               .kept_dir_fd = -1};
}

/* ---- on a thread ---- */

/* Records a failure of the callback, with the callback's own message if it gave one. */
static void record_failure(struct callback *callback)
{
    struct gs_error described = callback->error;
    bool is_described = described.status != GS_OK && described.text[0] != '\0';
    described.text[sizeof described.text - 1] = '\0';
    callback->error = (struct gs_error){0};
    if (is_described)
        gsi_fail(&callback->error, described.status, 0, "%s", described.text);
    else
        gsi_fail(&callback->error, described.status != GS_OK ? described.status : GS_E_IO,
                 described.sys_errno, "'%s': its %s failed", callback->name,
                 callback->reader != NULL ? "reader" : "writer");
    callback->error.sys_errno = described.sys_errno;
}

/* Reads at most as many bytes as the reader promised, because the plan counts on that. */
static void read_some(struct callback *callback, uint8_t *data, size_t bytes)
{
    const struct gs_reader *reader = callback->reader;
    bool is_promised = reader->bytes > 0;
    if (is_promised)
        bytes = gsi_min_u64(bytes, reader->bytes - callback->moved);
    int64_t moved = bytes == 0 ? 0 : reader->read(reader->context, data, bytes, &callback->error);
    if (moved < 0) {
        record_failure(callback);
    } else if ((uint64_t)moved > bytes) {
        gsi_fail(&callback->error, GS_E_INPUT, 0,
                 "'%s': its reader returned %lld bytes, more than the %zu requested",
                 callback->name, (long long)moved, bytes);
    } else {
        callback->error = (struct gs_error){0}; /* the callback may have written to it without
                                                 * failing */
        callback->io->moved += (size_t)moved;
        callback->moved += (uint64_t)moved;
        callback->is_at_end = moved == 0;
        if (callback->is_at_end && is_promised && callback->moved < reader->bytes)
            gsi_fail(&callback->error, GS_E_INPUT, 0,
                     "'%s': ended after %llu bytes, but its reader promised %llu", callback->name,
                     (unsigned long long)callback->moved, (unsigned long long)reader->bytes);
    }
}

static void write_all(struct callback *callback, const uint8_t *data, size_t bytes)
{
    const struct gs_writer *writer = callback->writer;
    if (!writer->write(writer->context, data, bytes, &callback->error)) {
        record_failure(callback);
        return;
    }
    callback->error = (struct gs_error){0};
    callback->io->moved += bytes;
    callback->moved += bytes;
}

static void transfer(struct gsi_task *task, uint32_t worker_idx)
{
    (void)worker_idx;
    struct callback *callback = GSI_CONTAINER_OF(task, struct callback, task);
    struct gsi_io *io = callback->io;
    while (io->moved < io->bytes && !callback->is_at_end && callback->error.status == GS_OK &&
           !atomic_load(&callback->callbacks->is_stopped)) {
        uint8_t *data = (uint8_t *)io->data + io->moved;
        if (callback->reader != NULL)
            read_some(callback, data, io->bytes - io->moved);
        else
            write_all(callback, data, io->bytes - io->moved);
    }
}

/* ---- on the owner's thread ---- */

static void transfer_done(struct gsi_task *task)
{
    struct callback *callback = GSI_CONTAINER_OF(task, struct callback, task);
    const struct gs_error *error = &callback->error;
    struct gsi_io *io = callback->io;
    callback->io = NULL;
    if (error->status != GS_OK && callback->callbacks->error->status == GS_OK)
        *callback->callbacks->error = *error;
    if (io->moved < io->bytes && !callback->is_at_end)
        io->sys_errno = error->status != GS_OK ? EIO : ECANCELED;
    io->done(io);
}

void gsi_callbacks_submit(struct gsi_callbacks *callbacks, struct gsi_io *io)
{
    struct callback *callback = &callbacks->table[FIRST_FD - io->fd];
    io->moved = 0;
    io->sys_errno = 0;
    callback->io = io;
    callback->task = (struct gsi_task){.run = transfer, .done = transfer_done};
    gsi_pool_submit(callbacks->pool, &callback->task);
}

void gsi_callbacks_reap(struct gsi_callbacks *callbacks)
{
    if (callbacks != NULL)
        gsi_pool_reap(callbacks->pool);
}

void gsi_callbacks_stop(struct gsi_callbacks *callbacks)
{
    if (callbacks == NULL || atomic_exchange(&callbacks->is_stopped, true))
        return;
    for (uint32_t i = 0; i < callbacks->count; i++) {
        const struct gs_reader *reader = callbacks->table[i].reader;
        const struct gs_writer *writer = callbacks->table[i].writer;
        if (reader != NULL && reader->stop != NULL)
            reader->stop(reader->context);
        if (writer != NULL && writer->stop != NULL)
            writer->stop(writer->context);
    }
}
