/* memory.h: allocates all large buffers of a job, and limits their sum.
 *
 * A ledger counts the memory that a job has allocated. It refuses an allocation that would exceed
 * its ceiling, which is --memory. It also records what the memory was used for when most was
 * allocated. Large buffers are mapped, with huge pages if the kernel has them; tables are on the
 * heap. Main thread only. */
#ifndef GSI_MEMORY_H
#define GSI_MEMORY_H

#include "base/assert.h"
#include "base/checked.h"
#include "base/status.h"

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The uses of memory. */
enum gsi_memory_part {
    GSI_MEMORY_DATA = 0, /* buffers for elements */
    GSI_MEMORY_SCRATCH,  /* working memory of the device */
    GSI_MEMORY_CODEC,    /* working memory of codecs */
    GSI_MEMORY_RUNS,     /* host memory for sorted runs of a GPU */
    GSI_MEMORY_TABLES,   /* tables of the program */
    GSI_MEMORY_PART_COUNT
};

struct gsi_ledger {
    uint64_t ceiling_bytes, reserved_bytes, peak_bytes;
    uint64_t reserved_parts[GSI_MEMORY_PART_COUNT];
    uint64_t peak_parts[GSI_MEMORY_PART_COUNT]; /* their sum is peak_bytes */
};

/* gsi_memory_map: maps `bytes` of zeroed memory, aligned to 2 MiB, and counts it in the ledger as
 * `part`; a NULL ledger counts nothing. Free it by gsi_memory_unmap, which accepts NULL, with the
 * same part and size.
 * fails GS_E_MEMORY: over the ceiling or refused by the system; *memory is NULL then */
enum gs_status gsi_memory_map(struct gsi_ledger *ledger, enum gsi_memory_part part, uint64_t bytes,
                              void **memory, struct gs_error *error);
void gsi_memory_unmap(struct gsi_ledger *ledger, enum gsi_memory_part part, void *memory,
                      uint64_t bytes);

/* gsi_memory_reserve: counts memory that its caller allocates otherwise.
 * fails GS_E_MEMORY: over the ceiling */
enum gs_status gsi_memory_reserve(struct gsi_ledger *ledger, enum gsi_memory_part part,
                                  uint64_t bytes, struct gs_error *error);
void gsi_memory_unreserve(struct gsi_ledger *ledger, enum gsi_memory_part part, uint64_t bytes);

/* gsi_memory_touch: lets the kernel allocate all pages of mapped memory now, on the calling thread.
 * It writes to each page, so the memory must not hold data yet. Any thread. */
void gsi_memory_touch(void *memory, size_t bytes);

/* gsi_memory_alloc: allocates count * unit zeroed heap bytes, and counts them as GSI_MEMORY_TABLES;
 * a NULL ledger counts nothing. Free them by gsi_memory_free, which accepts NULL, with the same
 * size. */
enum gs_status gsi_memory_alloc(struct gsi_ledger *ledger, uint64_t count, uint64_t unit,
                                void **memory, struct gs_error *error);
void gsi_memory_free(struct gsi_ledger *ledger, void *memory, uint64_t count, uint64_t unit);

/* gsi_memory_alloc_to: calls gsi_memory_alloc and stores the result in a pointer of any type, whose
 * address is `pointer`. */
static inline enum gs_status gsi_memory_alloc_to(struct gsi_ledger *ledger, uint64_t count,
                                                 uint64_t unit, void *pointer,
                                                 struct gs_error *error)
{
    void *table;
    enum gs_status status = gsi_memory_alloc(ledger, count, unit, &table, error);
    memcpy(pointer, &table, sizeof table);
    return status;
}

/* GSI_NEW: sets `pointer` to a table of `count` zeroed elements of the type that it points to; NULL
 * on failure. Returns an enum gs_status.
 * GSI_FREE: frees such a table; accepts NULL. */
#define GSI_NEW(ledger, pointer, count, error) \
    gsi_memory_alloc_to((ledger), (count), sizeof *(pointer), &(pointer), (error))
#define GSI_FREE(ledger, pointer, count) \
    gsi_memory_free((ledger), (pointer), (count), sizeof *(pointer))

/* A bump allocator places all tables of a stage in one block of memory. One function of the stage
 * allocates them, and is called twice.
 *
 *     static void lay_out(struct stage *stage, uint32_t count, struct gsi_bump *bump)
 *     {
 *         GSI_BUMP_ALLOC(bump, stage->table, count);        first run: NULL, and adds up sizes
 *         GSI_BUMP_ALLOC(bump, stage->ends, count + 1);     second run: addresses
 *     }
 *
 * The first run adds up the sizes, for the plan of the job. To open the stage, copy the allocator
 * of the first run, call gsi_bump_open, and call the function again. The second run must not
 * allocate more than the first. So a stage uses exactly the planned memory. `bytes` does not count
 * gaps for alignment. */

/* A zeroed allocator is at the beginning of the first run. */
struct gsi_bump {
    uint8_t *base;        /* the memory; NULL: not allocated yet */
    uint64_t bytes, used; /* sizes of the first run, without and with gaps; UINT64_MAX: overflow */
    uint64_t assigned;    /* bytes that the second run has allocated */
    uint64_t alignment;
};

/* gsi_bump_alloc: allocates `count` * `unit` bytes. Returns NULL in the first run, and their
 * address in the second.
 * in    alignment: a power of two up to 2 MiB
 *       count: may be 0; then the second run also returns an address that is not NULL
 * gsi_bump_alloc_rounded: allocates `size` bytes, rounded up to a multiple of the alignment.
 * GSI_BUMP_ALLOC: allocates `count` elements of the type that `pointer` points to, and sets
 * `pointer`. */
static inline void *gsi_bump_alloc(struct gsi_bump *bump, uint64_t count, uint64_t unit,
                                   uint64_t alignment)
{
    uint64_t *end = bump->base != NULL ? &bump->assigned : &bump->used;
    uint64_t size = gsi_mul_max_u64(count, unit);
    uint64_t at = gsi_add_max_u64(*end, -*end & (alignment - 1));
    *end = gsi_add_max_u64(at, size);
    if (bump->base != NULL) {
        GSI_ASSERT(bump->assigned <= bump->used);
        return bump->base + at;
    }
    bump->bytes = gsi_add_max_u64(bump->bytes, size);
    bump->alignment = gsi_max_u64(bump->alignment, alignment);
    return NULL;
}

static inline void *gsi_bump_alloc_rounded(struct gsi_bump *bump, uint64_t size, uint64_t alignment)
{
    return gsi_bump_alloc(bump, gsi_round_up_u64(size, alignment), 1, alignment);
}

#define GSI_BUMP_ALLOC(bump, pointer, count) \
    ((pointer) = gsi_bump_alloc((bump), (count), sizeof *(pointer), __alignof__(*(pointer))))

/* gsi_bump_open: ends the first run and begins the second: allocates zeroed memory, and counts
 * `bytes` in the ledger as `part`. Large memory is mapped, small memory is on the heap.
 * fails GS_E_MEMORY: over the ceiling or refused by the system
 * gsi_bump_close: frees the memory. Accepts an allocator that was not opened. */
enum gs_status gsi_bump_open(struct gsi_bump *bump, struct gsi_ledger *ledger,
                             enum gsi_memory_part part, struct gs_error *error);
void gsi_bump_close(struct gsi_bump *bump, struct gsi_ledger *ledger, enum gsi_memory_part part);

#ifdef __cplusplus
}
#endif
#endif
