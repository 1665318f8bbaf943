/* caller.c: runs callbacks on a pool with a thread for every callback, so that none waits for
 * another. A program may fill two inputs of a merge in any order. */
#include "io/caller.h"

#include "base/checked.h"
#include "base/pool.h"

#include <errno.h>
#include <stdatomic.h>

/* Descriptors of callers count down from here. */
#define FIRST_FD (-2)

struct caller {
    struct gsi_task task; /* of the transfer in progress, `io` */
    struct gsi_callers *callers;
    struct gsi_io *io;
    const struct gs_reader *reader; /* NULL: a writer */
    const struct gs_writer *writer;
    const char *name;
    uint64_t moved; /* bytes in all */
    bool is_at_end;
    struct gs_error error; /* its own */
};

struct gsi_callers {
    struct gsi_pool *pool;
    struct gsi_ledger *ledger;
    struct gs_error *error;
    atomic_bool is_stopped;
    uint32_t count, room;
    struct caller *table;
};

uint32_t gsi_callers_count(const struct gs_reader *readers, size_t reader_count,
                           const struct gs_writer *writer)
{
    size_t count = writer != NULL;
    for (size_t i = 0; readers != NULL && i < reader_count; i++)
        count += readers[i].read != NULL;
    return (uint32_t)gsi_min_u64(count, INT32_MAX);
}

uint64_t gsi_callers_bytes(uint32_t count)
{
    return count > 0 ? sizeof(struct gsi_callers) + count * sizeof(struct caller) : 0;
}

enum gs_status gsi_callers_open(uint32_t room, void (*wake)(void *context), void *context,
                                struct gsi_ledger *ledger, struct gsi_callers **out,
                                struct gs_error *error)
{
    enum gs_status status = GS_OK;
    struct gsi_callers *callers = NULL;
    *out = NULL;
    if (room == 0)
        return GS_OK;
    GSI_TRY(GSI_NEW(ledger, callers, 1, error));
    callers->ledger = ledger;
    callers->error = error;
    callers->room = room;
    GSI_TRY_OR(GSI_NEW(ledger, callers->table, room, error), fail);
    GSI_TRY_OR(gsi_pool_create(room, wake, context, &callers->pool, error), fail);
    *out = callers;
    return GS_OK;
fail:
    gsi_callers_close(callers);
    return status;
}

void gsi_callers_close(struct gsi_callers *callers)
{
    if (callers == NULL)
        return;
    gsi_pool_free(callers->pool);
    GSI_FREE(callers->ledger, callers->table, callers->room);
    GSI_FREE(callers->ledger, callers, 1);
}

/* Adds a caller. Returns its descriptor. */
static int add(struct gsi_callers *callers, struct caller caller)
{
    caller.callers = callers;
    callers->table[callers->count] = caller;
    return FIRST_FD - (int)callers->count++;
}

struct gsi_input gsi_callers_input(struct gsi_callers *callers, const struct gs_reader *reader,
                                   const char *name)
{
    int fd = add(callers, (struct caller){.reader = reader, .name = name});
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

struct gsi_output gsi_callers_output(struct gsi_callers *callers, const struct gs_writer *writer,
                                     const char *name)
{
    name = name != NULL ? name : "output";
    int fd = add(callers, (struct caller){.writer = writer, .name = name});
    return (struct gsi_output){.kind = GSI_OUTPUT_STREAM,
                               .name = name,
                               .fd = fd,
                               .direct_fd = -1,
                               .dir_fd = -1,
                               .kept_dir_fd = -1};
}

/* ---- on a thread ---- */

/* Records the callback's own description of its failure, or a general one. */
static void fail(struct caller *caller)
{
    struct gs_error said = caller->error;
    bool is_said = said.status != GS_OK && said.text[0] != '\0';
    said.text[sizeof said.text - 1] = '\0';
    caller->error = (struct gs_error){0};
    if (is_said)
        gsi_fail(&caller->error, said.status, 0, "%s", said.text);
    else
        gsi_fail(&caller->error, said.status != GS_OK ? said.status : GS_E_IO, said.sys_errno,
                 "'%s': its %s failed", caller->name, caller->reader != NULL ? "reader" : "writer");
    caller->error.sys_errno = said.sys_errno;
}

/* Reads no more than the promised bytes, because the plan has no room for more. */
static void read_some(struct caller *caller, uint8_t *data, size_t bytes)
{
    const struct gs_reader *reader = caller->reader;
    bool is_promised = reader->bytes > 0;
    if (is_promised)
        bytes = gsi_min_u64(bytes, reader->bytes - caller->moved);
    int64_t moved = bytes == 0 ? 0 : reader->read(reader->context, data, bytes, &caller->error);
    if (moved < 0) {
        fail(caller);
    } else if ((uint64_t)moved > bytes) {
        gsi_fail(&caller->error, GS_E_INPUT, 0,
                 "'%s': its reader returned %lld bytes, more than the %zu requested", caller->name,
                 (long long)moved, bytes);
    } else {
        caller->error = (struct gs_error){0}; /* nothing failed, whatever it contains */
        caller->io->moved += (size_t)moved;
        caller->moved += (uint64_t)moved;
        caller->is_at_end = moved == 0;
        if (caller->is_at_end && is_promised && caller->moved < reader->bytes)
            gsi_fail(&caller->error, GS_E_INPUT, 0,
                     "'%s': ended after %llu bytes, but its reader promised %llu", caller->name,
                     (unsigned long long)caller->moved, (unsigned long long)reader->bytes);
    }
}

static void write_all(struct caller *caller, const uint8_t *data, size_t bytes)
{
    const struct gs_writer *writer = caller->writer;
    if (!writer->write(writer->context, data, bytes, &caller->error)) {
        fail(caller);
        return;
    }
    caller->error = (struct gs_error){0};
    caller->io->moved += bytes;
    caller->moved += bytes;
}

static void transfer(struct gsi_task *task, uint32_t worker_idx)
{
    (void)worker_idx;
    struct caller *caller = GSI_CONTAINER_OF(task, struct caller, task);
    struct gsi_io *io = caller->io;
    while (io->moved < io->bytes && !caller->is_at_end && caller->error.status == GS_OK &&
           !atomic_load(&caller->callers->is_stopped)) {
        uint8_t *data = (uint8_t *)io->data + io->moved;
        if (caller->reader != NULL)
            read_some(caller, data, io->bytes - io->moved);
        else
            write_all(caller, data, io->bytes - io->moved);
    }
}

/* ---- on the owner's thread ---- */

static void transfer_done(struct gsi_task *task)
{
    struct caller *caller = GSI_CONTAINER_OF(task, struct caller, task);
    const struct gs_error *error = &caller->error;
    struct gsi_io *io = caller->io;
    caller->io = NULL;
    if (error->status != GS_OK && caller->callers->error->status == GS_OK)
        *caller->callers->error = *error;
    if (io->moved < io->bytes && !caller->is_at_end)
        io->sys_errno = error->status != GS_OK ? EIO : ECANCELED;
    io->done(io);
}

void gsi_callers_submit(struct gsi_callers *callers, struct gsi_io *io)
{
    struct caller *caller = &callers->table[FIRST_FD - io->fd];
    io->moved = 0;
    io->sys_errno = 0;
    caller->io = io;
    caller->task = (struct gsi_task){.run = transfer, .done = transfer_done};
    gsi_pool_submit(callers->pool, &caller->task);
}

void gsi_callers_reap(struct gsi_callers *callers)
{
    if (callers != NULL)
        gsi_pool_reap(callers->pool);
}

void gsi_callers_stop(struct gsi_callers *callers)
{
    if (callers == NULL || atomic_exchange(&callers->is_stopped, true))
        return;
    for (uint32_t i = 0; i < callers->count; i++) {
        const struct gs_reader *reader = callers->table[i].reader;
        const struct gs_writer *writer = callers->table[i].writer;
        if (reader != NULL && reader->stop != NULL)
            reader->stop(reader->context);
        if (writer != NULL && writer->stop != NULL)
            writer->stop(writer->context);
    }
}
