/* memory.c: allocates mappings and heap tables, and counts them in a ledger. */
#include "base/memory.h"

#include "base/assert.h"
#include "base/checked.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE_BYTES ((uint64_t)2 << 20)
#define PAGE_BYTES      4096

enum gs_status gsi_memory_reserve(struct gsi_ledger *ledger, enum gsi_memory_part part,
                                  uint64_t bytes, struct gs_error *error)
{
    if (ledger == NULL)
        return GS_OK;
    if (bytes > ledger->ceiling_bytes - ledger->reserved_bytes)
        return gsi_fail(error, GS_E_MEMORY, 0,
                        "memory: %llu more bytes would exceed the limit of %llu; raise --memory",
                        (unsigned long long)bytes, (unsigned long long)ledger->ceiling_bytes);
    ledger->reserved_bytes += bytes;
    ledger->reserved_parts[part] += bytes;
    if (ledger->reserved_bytes > ledger->peak_bytes) {
        ledger->peak_bytes = ledger->reserved_bytes;
        memcpy(ledger->peak_parts, ledger->reserved_parts, sizeof ledger->peak_parts);
    }
    return GS_OK;
}

void gsi_memory_unreserve(struct gsi_ledger *ledger, enum gsi_memory_part part, uint64_t bytes)
{
    if (ledger == NULL)
        return;
    ledger->reserved_bytes -= bytes;
    ledger->reserved_parts[part] -= bytes;
}

enum gs_status gsi_memory_map(struct gsi_ledger *ledger, enum gsi_memory_part part, uint64_t bytes,
                              void **memory, struct gs_error *error)
{
    *memory = NULL;
    enum gs_status status = gsi_memory_reserve(ledger, part, bytes, error);
    if (status != GS_OK)
        return status;
    /* mmap aligns to 4 KiB. Map one huge page more, and unmap what precedes and follows the aligned
     * memory. */
    char *raw = MAP_FAILED;
    if (bytes <= SIZE_MAX - HUGE_PAGE_BYTES)
        raw = mmap(NULL, bytes + HUGE_PAGE_BYTES, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (raw == MAP_FAILED) {
        gsi_memory_unreserve(ledger, part, bytes);
        return gsi_fail(error, GS_E_MEMORY, errno,
                        "memory: the system refuses %llu bytes; lower --memory",
                        (unsigned long long)bytes);
    }
    char *base = raw + (gsi_round_up_u64((uintptr_t)raw, HUGE_PAGE_BYTES) - (uintptr_t)raw);
    char *raw_end = raw + bytes + HUGE_PAGE_BYTES,
         *end = base + gsi_round_up_u64(bytes, PAGE_BYTES);
    if (base > raw)
        munmap(raw, (size_t)(base - raw));
    if (raw_end > end)
        munmap(end, (size_t)(raw_end - end));
    madvise(base, bytes, MADV_HUGEPAGE); /* if the kernel refuses, memory is only slower */
    madvise(base, bytes, MADV_DONTDUMP); /* core files would be terabytes */
    *memory = base;
    return GS_OK;
}

void gsi_memory_unmap(struct gsi_ledger *ledger, enum gsi_memory_part part, void *memory,
                      uint64_t bytes)
{
    if (memory == NULL)
        return;
    munmap(memory, gsi_round_up_u64(bytes, PAGE_BYTES));
    gsi_memory_unreserve(ledger, part, bytes);
}

/* A page fault locks one mapping (Linux 6.4), but MADV_POPULATE_WRITE the whole address space. With
 * it, many threads wait for each other as soon as one of them maps memory or starts a thread. */
void gsi_memory_touch(void *memory, size_t bytes)
{
    for (size_t off = 0; off < bytes; off += PAGE_BYTES)
        ((volatile char *)memory)[off] = 0;
}

enum gs_status gsi_memory_alloc(struct gsi_ledger *ledger, uint64_t count, uint64_t unit,
                                void **memory, struct gs_error *error)
{
    uint64_t bytes;
    *memory = NULL;
    if (!gsi_mul_u64(count, unit, &bytes))
        return gsi_fail(error, GS_E_MEMORY, 0,
                        "memory: %llu table entries of %llu bytes do not fit into an address space",
                        (unsigned long long)count, (unsigned long long)unit);
    enum gs_status status = gsi_memory_reserve(ledger, GSI_MEMORY_TABLES, bytes, error);
    if (status != GS_OK)
        return status;
    *memory = calloc(count > 0 ? count : 1, unit > 0 ? unit : 1);
    if (*memory == NULL) {
        gsi_memory_unreserve(ledger, GSI_MEMORY_TABLES, bytes);
        return gsi_fail(error, GS_E_MEMORY, ENOMEM, "out of memory: cannot allocate %llu bytes",
                        (unsigned long long)bytes);
    }
    return GS_OK;
}

void gsi_memory_free(struct gsi_ledger *ledger, void *memory, uint64_t count, uint64_t unit)
{
    if (memory == NULL)
        return;
    free(memory);
    gsi_memory_unreserve(ledger, GSI_MEMORY_TABLES, count * unit);
}

/* ---- bump allocators ---- */

/* Smaller bump allocators use heap memory that is aligned to a cache line. */
#define MAPPED_BYTES   ((uint64_t)64 << 10)
#define HEAP_ALIGNMENT ((uint64_t)64)

static bool is_mapped(const struct gsi_bump *bump)
{
    return bump->used >= MAPPED_BYTES || bump->alignment > HEAP_ALIGNMENT;
}

static enum gs_status alloc_zeroed_heap(uint64_t bytes, void **memory, struct gs_error *error)
{
    uint64_t lines = gsi_round_up_u64(gsi_max_u64(bytes, 1), HEAP_ALIGNMENT);
    *memory = aligned_alloc(HEAP_ALIGNMENT, lines);
    if (*memory == NULL)
        return gsi_fail(error, GS_E_MEMORY, ENOMEM, "out of memory: cannot allocate %llu bytes",
                        (unsigned long long)bytes);
    memset(*memory, 0, lines);
    return GS_OK;
}

enum gs_status gsi_bump_open(struct gsi_bump *bump, struct gsi_ledger *ledger,
                             enum gsi_memory_part part, struct gs_error *error)
{
    void *memory;
    GSI_TRY(gsi_memory_reserve(ledger, part, bump->bytes, error));
    enum gs_status status = is_mapped(bump) ? gsi_memory_map(NULL, part, bump->used, &memory, error)
                                            : alloc_zeroed_heap(bump->used, &memory, error);
    if (status != GS_OK) {
        gsi_memory_unreserve(ledger, part, bump->bytes);
        return status;
    }
    bump->base = memory;
    bump->assigned = 0;
    return GS_OK;
}

void gsi_bump_close(struct gsi_bump *bump, struct gsi_ledger *ledger, enum gsi_memory_part part)
{
    if (bump->base == NULL)
        return;
    if (is_mapped(bump))
        gsi_memory_unmap(NULL, part, bump->base, bump->used);
    else
        free(bump->base);
    gsi_memory_unreserve(ledger, part, bump->bytes);
    *bump = (struct gsi_bump){0};
}
