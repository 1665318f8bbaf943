/* gen_write.c: writes a data set: each thread makes the next block in its own buffer and writes it.
 *
 * Blocks of regular files are written in any order. Blocks of a stream are written one after
 * another. A thread whose block is ready early waits, so memory is one block per thread, however
 * slow the reader is. */
#include "gen_write.h"

#include "common/program.h"
#include "common/tool.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

/* With 1 MiB, two threads on a virtual NVMe disk were up to a quarter slower; with 4 and 8 MiB, not
 * faster. */
#define BLOCK_BYTES ((uint64_t)2 << 20)

#define PAGE_BYTES 4096 /* alignment of memory for direct writes */

struct writer {
    const struct gen_set *set;
    gs_output *output;
    bool is_file;
    const atomic_int *stop;
    uint64_t block_elements, block_count;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t turn;  /* blocks_written or status changed */
    uint64_t blocks_taken, blocks_written;
    enum gs_status status;
    struct gs_error *error;
};

/* Takes the next block. Returns false if none is left. */
static bool take_block(struct writer *writer, uint64_t *block)
{
    pthread_mutex_lock(&writer->lock);
    if (writer->status == GS_OK && atomic_load(writer->stop))
        writer->status = gs_fail(writer->error, GS_E_CANCELED, 0, "canceled");
    bool is_taken = writer->status == GS_OK && writer->blocks_taken < writer->block_count;
    if (is_taken)
        *block = writer->blocks_taken++;
    pthread_mutex_unlock(&writer->lock);
    return is_taken;
}

/* Waits until all blocks before this one are written. Returns false if another thread failed. */
static bool await_turn(struct writer *writer, uint64_t block)
{
    pthread_mutex_lock(&writer->lock);
    while (writer->status == GS_OK && !writer->is_file && writer->blocks_written < block)
        pthread_cond_wait(&writer->turn, &writer->lock);
    bool is_on = writer->status == GS_OK;
    pthread_mutex_unlock(&writer->lock);
    return is_on;
}

/* Stores a failure, unless another thread has failed before. */
static void finish_block(struct writer *writer, const struct gs_error *failure)
{
    pthread_mutex_lock(&writer->lock);
    writer->blocks_written++;
    if (failure->status != GS_OK && writer->status == GS_OK) {
        writer->status = failure->status;
        *writer->error = *failure;
    }
    pthread_cond_broadcast(&writer->turn);
    pthread_mutex_unlock(&writer->lock);
}

static void *worker_main(void *argument)
{
    struct writer *writer = argument;
    uint32_t element_bytes = writer->set->element_bytes;
    uint8_t *buffer = aligned_alloc(PAGE_BYTES, BLOCK_BYTES);
    uint64_t block;
    struct gs_error failure = {0};
    if (buffer == NULL) {
        gs_fail(&failure, GS_E_MEMORY, ENOMEM, "out of memory: cannot allocate a block");
        finish_block(writer, &failure);
    }
    while (buffer != NULL && take_block(writer, &block)) {
        uint64_t first = block * writer->block_elements;
        uint64_t n = min_u64(writer->block_elements, writer->set->count - first);
        gen_fill(writer->set, first, n, buffer);
        if (!await_turn(writer, block))
            break;
        (void)gs_output_write(writer->output, buffer, n * element_bytes, first * element_bytes,
                              &failure);
        finish_block(writer, &failure);
    }
    free(buffer);
    return NULL;
}

enum gs_status gen_write(const struct gen_set *set, gs_output *output, uint32_t thread_count,
                         const atomic_int *stop, struct gs_error *error)
{
    struct writer writer = {
        .set = set,
        .output = output,
        .is_file = gs_output_is_file(output),
        .stop = stop,
        .block_elements = BLOCK_BYTES / set->element_bytes,
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .turn = PTHREAD_COND_INITIALIZER,
        .error = error,
    };
    writer.block_count =
        set->count / writer.block_elements + (set->count % writer.block_elements != 0);
    uint32_t helper_count = (uint32_t)min_u64(thread_count, writer.block_count + 1) - 1;
    pthread_t *helpers = calloc(helper_count + 1, sizeof *helpers);
    if (helpers == NULL)
        return gs_fail(error, GS_E_MEMORY, 0, "out of memory: cannot allocate %u threads",
                       thread_count);
    /* If no more threads can start, fewer do the work: this one always does. */
    uint32_t started = 0;
    while (started < helper_count &&
           program_thread_start(&helpers[started], worker_main, &writer) == 0)
        started++;
    worker_main(&writer);
    for (uint32_t h = 0; h < started; h++)
        pthread_join(helpers[h], NULL);
    free(helpers);
    return writer.status;
}
