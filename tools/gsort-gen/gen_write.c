/* gen_write.c: each thread takes the next block, makes it in its own buffer and writes it.
 *
 * Regular files take blocks in any order. A stream takes them in turn: a thread whose block is made
 * early waits, so memory is one block a thread however slow the reader is. */
#include "gen_write.h"

#include "base/checked.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

/* Measured over 1, 2, 4 and 8 MiB with two threads on a virtual NVMe disk: 1 loses up to a quarter,
 * more gains nothing. */
#define BLOCK_BYTES ((uint64_t)2 << 20)

struct writer {
    const struct gen_set *set;
    const struct gsi_output *output;
    const atomic_int *stop;
    uint64_t block_elements, block_count;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t turn;  /* blocks_written or status changed */
    uint64_t blocks_taken, blocks_written;
    enum gs_status status;
    struct gs_error *error;
};

/* A piece of a block to a regular file. Whole pages go directly: 2.2 GB/s where buffered writes and
 * the sync at the end gave anything from 0.6 to 3 (4 GiB, same disk), and a benchmark that follows
 * finds the page cache as it was. */
static ssize_t write_at(const struct gsi_output *output, const uint8_t *data, uint64_t bytes,
                        uint64_t off)
{
    bool is_direct =
        output->direct_fd >= 0 && off % GSI_DIRECT_ALIGN == 0 && bytes >= GSI_DIRECT_ALIGN;
    if (is_direct)
        bytes = gsi_round_down_u64(bytes, GSI_DIRECT_ALIGN);
    return pwrite(is_direct ? output->direct_fd : output->fd, data, bytes, (off_t)off);
}

/* One block's bytes to the file: at `off`, or where a stream stands. errno value or 0. */
static int write_all(const struct gsi_output *output, const uint8_t *data, uint64_t bytes,
                     uint64_t off)
{
    while (bytes > 0) {
        ssize_t moved = output->kind == GSI_OUTPUT_ATOMIC ? write_at(output, data, bytes, off)
                                                          : write(output->fd, data, bytes);
        if (moved < 0 && errno != EINTR)
            return errno;
        if (moved > 0) {
            data += moved;
            bytes -= (uint64_t)moved;
            off += (uint64_t)moved;
        }
    }
    return 0;
}

/* false: nothing is left to do. */
static bool take_block(struct writer *writer, uint64_t *block)
{
    pthread_mutex_lock(&writer->lock);
    if (writer->status == GS_OK && atomic_load(writer->stop))
        writer->status = gsi_fail(writer->error, GS_E_CANCELED, 0, "canceled");
    bool is_taken = writer->status == GS_OK && writer->blocks_taken < writer->block_count;
    if (is_taken)
        *block = writer->blocks_taken++;
    pthread_mutex_unlock(&writer->lock);
    return is_taken;
}

/* Wait until all blocks before this one are written; false: another thread failed. */
static bool await_turn(struct writer *writer, uint64_t block)
{
    pthread_mutex_lock(&writer->lock);
    while (writer->status == GS_OK && writer->output->kind != GSI_OUTPUT_ATOMIC &&
           writer->blocks_written < block)
        pthread_cond_wait(&writer->turn, &writer->lock);
    bool is_on = writer->status == GS_OK;
    pthread_mutex_unlock(&writer->lock);
    return is_on;
}

static void finish_block(struct writer *writer, int sys_errno)
{
    pthread_mutex_lock(&writer->lock);
    writer->blocks_written++;
    if (sys_errno != 0 && writer->status == GS_OK)
        writer->status = gsi_fail(writer->error, gsi_status_of_errno(sys_errno), sys_errno,
                                  "'%s': cannot write", writer->output->name);
    pthread_cond_broadcast(&writer->turn);
    pthread_mutex_unlock(&writer->lock);
}

static void *worker_main(void *argument)
{
    struct writer *writer = argument;
    uint32_t element_bytes = writer->set->type->bytes;
    uint8_t *buffer = aligned_alloc(GSI_DIRECT_ALIGN, BLOCK_BYTES);
    uint64_t block;
    if (buffer == NULL)
        finish_block(writer, ENOMEM);
    while (buffer != NULL && take_block(writer, &block)) {
        uint64_t first = block * writer->block_elements;
        uint64_t n = gsi_min_u64(writer->block_elements, writer->set->count - first);
        gen_fill(writer->set, first, n, buffer);
        if (await_turn(writer, block))
            finish_block(writer, write_all(writer->output, buffer, n * element_bytes,
                                           first * element_bytes));
    }
    free(buffer);
    return NULL;
}

enum gs_status gen_write(const struct gen_set *set, const struct gsi_output *output,
                         uint32_t thread_count, const atomic_int *stop, struct gs_error *error)
{
    struct writer writer = {
        .set = set,
        .output = output,
        .stop = stop,
        .block_elements = BLOCK_BYTES / set->type->bytes,
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .turn = PTHREAD_COND_INITIALIZER,
        .error = error,
    };
    writer.block_count = gsi_ceil_div_u64(set->count, writer.block_elements);
    uint32_t helper_count = (uint32_t)gsi_min_u64(thread_count, writer.block_count + 1) - 1;
    pthread_t *helpers = calloc(helper_count + 1, sizeof *helpers);
    if (helpers == NULL)
        return gsi_fail(error, GS_E_MEMORY, 0, "memory: cannot allocate %u threads", thread_count);
    /* A system short of threads gets by with fewer: this one always works. */
    uint32_t started = 0;
    while (started < helper_count &&
           pthread_create(&helpers[started], NULL, worker_main, &writer) == 0)
        started++;
    worker_main(&writer);
    for (uint32_t h = 0; h < started; h++)
        pthread_join(helpers[h], NULL);
    free(helpers);
    return writer.status;
}
