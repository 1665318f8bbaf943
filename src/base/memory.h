/* memory.h: every large buffer of a job, against one ceiling.
 *
 * A ledger counts what the job has taken and refuses what would pass its ceiling, so that
 * --memory is a promise and not a hope. It also remembers what the memory was for when most was
 * taken. Large memory comes as mappings (huge pages where the kernel gives them, untouched until
 * used); tables come from the heap. Main thread only. */
#ifndef GSI_MEMORY_H
#define GSI_MEMORY_H

#include "base/report.h"
#include "base/status.h"

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gsi_ledger {
    uint64_t ceiling_bytes, taken_bytes, peak_bytes;
    uint64_t taken_parts[GSI_MEMORY_PART_COUNT];
    uint64_t peak_parts[GSI_MEMORY_PART_COUNT]; /* of peak_bytes; they add up to it */
};

/* gsi_memory_map: `bytes` of zeroed memory, aligned to 2 MiB, for `part` (NULL ledger: not
 * entered). Free with gsi_memory_unmap and the same part and size; NULL memory is fine.
 * fails GS_E_MEMORY: over the ceiling or refused by the system; *memory is NULL then */
enum gs_status gsi_memory_map(struct gsi_ledger *ledger, enum gsi_memory_part part, uint64_t bytes,
                              void **memory, struct gs_error *error);
void gsi_memory_unmap(struct gsi_ledger *ledger, enum gsi_memory_part part, void *memory,
                      uint64_t bytes);

/* gsi_memory_reserve: enter memory that is taken in another way.
 * fails GS_E_MEMORY: over the ceiling */
enum gs_status gsi_memory_reserve(struct gsi_ledger *ledger, enum gsi_memory_part part,
                                  uint64_t bytes, struct gs_error *error);
void gsi_memory_unreserve(struct gsi_ledger *ledger, enum gsi_memory_part part, uint64_t bytes);

/* gsi_memory_populate: make the pages of mapped memory present now. Any thread; the caller does
 * the work. If the system refuses, pages are made one by one later. */
void gsi_memory_populate(void *memory, size_t bytes);

/* gsi_memory_alloc: count * unit zeroed heap bytes, entered as GSI_MEMORY_TABLES (NULL ledger: not
 * entered). Free with gsi_memory_free and the same size; NULL memory is fine. */
enum gs_status gsi_memory_alloc(struct gsi_ledger *ledger, uint64_t count, uint64_t unit,
                                void **memory, struct gs_error *error);
void gsi_memory_free(struct gsi_ledger *ledger, void *memory, uint64_t count, uint64_t unit);

/* gsi_memory_alloc_to: gsi_memory_alloc into a pointer of any type, whose address is `pointer`. */
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
 * GSI_FREE: frees such a table; NULL is fine. */
#define GSI_NEW(ledger, pointer, count, error) \
    gsi_memory_alloc_to((ledger), (count), sizeof *(pointer), &(pointer), (error))
#define GSI_FREE(ledger, pointer, count) \
    gsi_memory_free((ledger), (pointer), (count), sizeof *(pointer))

#ifdef __cplusplus
}
#endif
#endif
