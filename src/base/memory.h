/* memory.h: allocates every large buffer of a job, under one ceiling.
 *
 * A ledger counts the memory that the job has allocated, and refuses anything that would exceed its
 * ceiling. So --memory is a promise and not a hope. The ledger also records the uses of the memory
 * at its peak. Large memory is mapped (with huge pages if the kernel has them, untouched until
 * used); tables are on the heap. Main thread only. */
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
    GSI_MEMORY_DATA = 0, /* chunks, windows and frames */
    GSI_MEMORY_SCRATCH,  /* the device's working space */
    GSI_MEMORY_CODEC,    /* the codec's working space */
    GSI_MEMORY_RUNS,     /* a device's runs that are kept in host memory */
    GSI_MEMORY_TABLES,   /* tables of all parts */
    GSI_MEMORY_PART_COUNT
};

struct gsi_ledger {
    uint64_t ceiling_bytes, reserved_bytes, peak_bytes;
    uint64_t reserved_parts[GSI_MEMORY_PART_COUNT];
    uint64_t peak_parts[GSI_MEMORY_PART_COUNT]; /* of peak_bytes; they add up to it */
};

/* gsi_memory_map: maps `bytes` of zeroed memory, aligned to 2 MiB, for `part` (NULL ledger: not
 * counted). Free it with gsi_memory_unmap and the same part and size; NULL memory is allowed.
 * fails GS_E_MEMORY: over the ceiling or refused by the system; *memory is NULL then */
enum gs_status gsi_memory_map(struct gsi_ledger *ledger, enum gsi_memory_part part, uint64_t bytes,
                              void **memory, struct gs_error *error);
void gsi_memory_unmap(struct gsi_ledger *ledger, enum gsi_memory_part part, void *memory,
                      uint64_t bytes);

/* gsi_memory_reserve: counts memory that is allocated in another way.
 * fails GS_E_MEMORY: over the ceiling */
enum gs_status gsi_memory_reserve(struct gsi_ledger *ledger, enum gsi_memory_part part,
                                  uint64_t bytes, struct gs_error *error);
void gsi_memory_unreserve(struct gsi_ledger *ledger, enum gsi_memory_part part, uint64_t bytes);

/* gsi_memory_populate: maps in the pages of mapped memory now, on the calling thread. Any thread.
 * If the system refuses, pages are mapped in one by one later. */
void gsi_memory_populate(void *memory, size_t bytes);

/* gsi_memory_alloc: allocates count * unit zeroed heap bytes, counted as GSI_MEMORY_TABLES (NULL
 * ledger: not counted). Free them with gsi_memory_free and the same size; NULL memory is
 * allowed. */
enum gs_status gsi_memory_alloc(struct gsi_ledger *ledger, uint64_t count, uint64_t unit,
                                void **memory, struct gs_error *error);
void gsi_memory_free(struct gsi_ledger *ledger, void *memory, uint64_t count, uint64_t unit);

/* gsi_memory_alloc_to: calls gsi_memory_alloc for a pointer of any type, whose address is
 * `pointer`. */
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
 * GSI_FREE: frees such a table; NULL is allowed. */
#define GSI_NEW(ledger, pointer, count, error) \
    gsi_memory_alloc_to((ledger), (count), sizeof *(pointer), &(pointer), (error))
#define GSI_FREE(ledger, pointer, count) \
    gsi_memory_free((ledger), (pointer), (count), sizeof *(pointer))

/* A bump allocator lays out the memory of a stage in one block, by one function that runs twice.
 *
 *     static void lay_out(struct stage *stage, uint32_t count, struct gsi_bump *bump)
 *     {
 *         GSI_BUMP_ALLOC(bump, stage->table, count);        first run: NULL, and adds up sizes
 *         GSI_BUMP_ALLOC(bump, stage->ends, count + 1);     second run: addresses
 *     }
 *
 * The plan of a stage is its bump allocator after the first run, in a struct that the stage is
 * given. The plan of the job counts its `bytes`. To open the stage, copy that allocator, call
 * gsi_bump_open, and make the second run, which must not place more than the first. So a stage uses
 * the planned memory, and no size is written twice. Gaps between parts are not counted, as heap
 * gaps are not. */

/* Zeroed: the first run. */
struct gsi_bump {
    uint8_t *base;        /* NULL: the first run, or nothing is open */
    uint64_t bytes, used; /* of the first run without and with gaps; UINT64_MAX: overflow */
    uint64_t assigned;      /* of `used`, in the second run */
    uint64_t alignment;
};

/* gsi_bump_alloc: adds `count` * `unit` bytes. Returns their address; NULL in the first run.
 * in    alignment: a power of two up to 2 MiB
 *       count: 0 is allowed. The second run then returns an address of no elements, which is not
 *       NULL.
 * gsi_bump_alloc_rounded: adds `size` bytes, rounded up to a multiple of the alignment.
 * GSI_BUMP_ALLOC: sets `pointer` to that many elements of the type that it points to. */
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

/* gsi_bump_open: call it after the first run: allocates zeroed memory, counts `bytes` in the
 * ledger as `part`, and begins the second run. Large memory is mapped, and small memory is on the
 * heap.
 * fails GS_E_MEMORY: over the ceiling or refused by the system
 * gsi_bump_close: frees the memory, after the second run. Accepts one that was not opened. */
enum gs_status gsi_bump_open(struct gsi_bump *bump, struct gsi_ledger *ledger,
                             enum gsi_memory_part part, struct gs_error *error);
void gsi_bump_close(struct gsi_bump *bump, struct gsi_ledger *ledger, enum gsi_memory_part part);

#ifdef __cplusplus
}
#endif
#endif
