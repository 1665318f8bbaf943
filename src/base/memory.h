/* memory.h: every large buffer of a job, against one ceiling.
 *
 * A ledger counts what the job has taken and refuses what would pass its ceiling, so that
 * --memory is a promise and not a hope. Large memory comes as mappings (huge pages where the
 * kernel gives them, untouched until used); small tables come from the heap. Main thread only. */
#ifndef GSI_MEMORY_H
#define GSI_MEMORY_H

#include "base/status.h"

struct gsi_ledger {
    uint64_t ceiling_bytes, taken_bytes, peak_bytes;
};

/* gsi_memory_map: `bytes` of zeroed memory, aligned to 2 MiB, for data.
 * fails GS_E_MEMORY: over the ceiling or refused by the system; *memory is NULL then */
enum gs_status gsi_memory_map(struct gsi_ledger *ledger, uint64_t bytes, void **memory,
                              struct gs_error *error);
void gsi_memory_unmap(struct gsi_ledger *ledger, void *memory, uint64_t bytes);

/* gsi_memory_populate: make the pages of mapped memory present now, on the calling thread; any
 * thread. A refusal costs only that they are made one by one later. */
void gsi_memory_populate(void *memory, size_t bytes);

/* gsi_memory_alloc: count * unit zeroed heap bytes, entered in the ledger (NULL ledger: not
 * entered). Free with gsi_memory_free and the same size; NULL memory is fine. */
enum gs_status gsi_memory_alloc(struct gsi_ledger *ledger, uint64_t count, uint64_t unit,
                                void **memory, struct gs_error *error);
void gsi_memory_free(struct gsi_ledger *ledger, void *memory, uint64_t count, uint64_t unit);

#endif
