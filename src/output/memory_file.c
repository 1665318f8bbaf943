/* memory_file.c: allocates and maps outputs in memory. */
#include "output/memory_file.h"

#include "base/checked.h"
#include "base/pool.h"
#include "io/file.h"

#include <sys/mman.h>

/* A step must not keep a cancelled job waiting. */
#define STEP_BYTES GSI_CONSTANT((uint64_t)64 << 20, (uint64_t)64 << 10)

/* With fewer threads, the faults of a mapping cost more than the lock of a file. */
#define MAP_MIN_THREADS GSI_CONSTANT(8u, 2u)

#define PAGE_BYTES 4096u

static void begin_step(struct gsi_memory_file *file);

static void allocate(struct gsi_task *task, uint32_t worker_idx)
{
    (void)worker_idx;
    struct gsi_memory_file *file = GSI_CONTAINER_OF(task, struct gsi_memory_file, task);
    file->refusal =
        gsi_file_allocate(file->output->fd, file->allocated, file->step, &file->is_there);
}

static void allocated(struct gsi_task *task)
{
    struct gsi_memory_file *file = GSI_CONTAINER_OF(task, struct gsi_memory_file, task);
    file->is_idle = true;
    if (file->refusal != 0 && !gsi_loop_has_failed(file->loop))
        gsi_output_fail_room(file->output, file->refusal, file->bytes, file->loop->error);
    if (file->is_there)
        file->allocated += file->step;
    else
        file->is_stopped = true;
    begin_step(file);
}

static void begin_step(struct gsi_memory_file *file)
{
    file->step = gsi_min_u64(STEP_BYTES, file->bytes - file->allocated);
    if (file->step == 0 || file->is_stopped || gsi_loop_has_failed(file->loop))
        return;
    file->is_idle = false;
    file->task = (struct gsi_task){.run = allocate, .done = allocated};
    gsi_pool_submit(file->loop->disk_pool, &file->task);
}

enum gs_status gsi_memory_file_begin(struct gsi_memory_file *file, struct gsi_loop *loop,
                                     struct gsi_output *output, uint64_t bytes)
{
    GSI_TRY(gsi_output_check_room(output, bytes, loop->error));
    *file =
        (struct gsi_memory_file){.loop = loop, .output = output, .bytes = bytes, .is_idle = true};
    output->allocated = bytes; /* will be */
    begin_step(file);
    return GS_OK;
}

enum gs_status gsi_memory_file_map(struct gsi_memory_file *file)
{
    if (file->output == NULL || file->map != NULL ||
        gsi_pool_thread_count(file->loop->pool) < MAP_MIN_THREADS)
        return GS_OK;
    while (file->allocated < file->bytes && !file->is_stopped)
        GSI_TRY(gsi_loop_wait(file->loop));
    if (file->allocated < file->bytes)
        return GS_OK;
    void *map = mmap(NULL, file->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file->output->fd, 0);
    if (map == MAP_FAILED) /* it is written by transfers then */
        return GS_OK;
    madvise(map, file->bytes, MADV_DONTDUMP);
    file->map = map;
    return GS_OK;
}

void gsi_memory_file_put(uint8_t *data, uint64_t bytes)
{
    const size_t before = (uintptr_t)data % PAGE_BYTES;
    madvise(data - before, before + bytes, MADV_DONTNEED);
}

enum gs_status gsi_memory_file_end(struct gsi_memory_file *file)
{
    file->is_stopped = true;
    if (file->output != NULL)
        GSI_TRY(gsi_loop_wait_until(file->loop, &file->is_idle));
    gsi_memory_file_close(file);
    return GS_OK;
}

void gsi_memory_file_close(struct gsi_memory_file *file)
{
    if (file->map != NULL)
        munmap(file->map, file->bytes);
    file->map = NULL;
}
