/* gather.c: permutes elements that are all in memory.
 *
 *     scan: [ a b ] [ c d ]  copied by threads -->  elements  a b c d
 *     positions              2 0 0 3  read by threads, a part for each window
 *     windows                [ c a ] [ a d ]
 *
 * Positions are read as they are needed, so there may be any number of them. Most elements are in
 * no cache, so each one is requested from memory some time before it is copied. */
#include "job/permute/permute.h"

#include "base/assert.h"
#include "base/checked.h"
#include "input/scan.h"
#include "loop/loop.h"

/* Positions that are read at a time. */
#define PART GSI_CONSTANT((uint64_t)4096, (uint64_t)64)

/* Elements that are requested in advance, and the bytes that one request brings. */
#define AHEAD      24
#define LINE_BYTES 64
#define LINES_MOST 4

struct gather {
    const struct gsi_positions *positions;
    uint32_t element_bytes;
    uint8_t *elements;
    uint64_t bytes, read_bytes;
    struct gsi_bump bump;
};

static void lay_out(struct gather *gather, uint64_t bytes, struct gsi_bump *bump)
{
    gather->elements = gsi_bump_alloc(bump, bytes, 1, LINE_BYTES);
}

void gsi_gather_plan(uint64_t bytes, struct gsi_permute_plan *plan)
{
    struct gather gather = {.bytes = bytes};
    lay_out(&gather, bytes, &plan->bump);
}

/* ---- reading ---- */

/* Gives each buffer its place. */
static void place(void *context, const struct gsi_buffer *buffer, void *partial)
{
    struct gather *gather = context;
    memcpy(partial, &gather->read_bytes, sizeof gather->read_bytes);
    gather->read_bytes += buffer->bytes;
    GSI_ASSERT(gather->read_bytes <= gather->bytes);
}

static void copy(void *context, struct gsi_buffer *buffer, void *partial, uint32_t worker_idx)
{
    (void)worker_idx;
    const struct gather *gather = context;
    uint64_t off;
    memcpy(&off, partial, sizeof off);
    memcpy(gather->elements + off, buffer->data, buffer->bytes);
}

/* ---- writing ---- */

static void prefetch(const struct gather *gather, uint64_t position)
{
    const uint8_t *element = gather->elements + position * gather->element_bytes;
    for (uint32_t off = 0; off < gather->element_bytes && off < LINES_MOST * LINE_BYTES;
         off += LINE_BYTES)
        __builtin_prefetch(element + off);
}

static void copy_part(const struct gather *gather, const uint64_t *positions, size_t n, uint8_t *to)
{
    const uint32_t bytes = gather->element_bytes;
    for (size_t i = 0; i < n && i < AHEAD; i++)
        prefetch(gather, positions[i]);
    for (size_t i = 0; i < n; i++) {
        if (i + AHEAD < n)
            prefetch(gather, positions[i + AHEAD]);
        gsi_permute_copy(to + i * bytes, gather->elements + positions[i] * bytes, bytes);
    }
}

static enum gs_status fill(void *way, uint8_t *to, uint64_t first, uint64_t n, uint64_t *good,
                           struct gs_error *error)
{
    const struct gather *gather = way;
    const uint64_t count = gather->bytes / gather->element_bytes;
    uint64_t positions[PART];
    enum gs_status status = GS_OK;
    for (size_t part; *good < n && status == GS_OK; *good += part) {
        status = gsi_positions_read(gather->positions, first + *good, gsi_min_u64(n - *good, PART),
                                    count, positions, &part, error);
        copy_part(gather, positions, part, to + *good * gather->element_bytes);
    }
    return status;
}

enum gs_status gsi_gather(struct gsi_permute *permute)
{
    struct gsi_job *job = permute->job;
    struct gather gather = {.positions = permute->positions,
                            .element_bytes = permute->element_bytes,
                            .bytes = job->inputs.bytes,
                            .bump = job->plan.permute.bump};
    const struct gsi_scan scan = {.context = &gather,
                                  .device = GSI_SCAN_COUNTS,
                                  .partial_bytes = sizeof gather.read_bytes,
                                  .place = place,
                                  .run = copy};
    GSI_TRY(gsi_bump_open(&gather.bump, &job->loop.ledger, GSI_MEMORY_DATA, job->loop.error));
    lay_out(&gather, gather.bytes, &gather.bump);
    enum gs_status status = gsi_scan_run(&scan, &job->inputs, &job->arena.chunks);
    if (status == GS_OK)
        status = gsi_permute_write(permute, fill, &gather);
    job->loop.phases[GS_PHASE_WRITE].bytes_read +=
        permute->accepted_count * permute->positions->bytes;
    gsi_bump_close(&gather.bump, &job->loop.ledger, GSI_MEMORY_DATA);
    return status;
}
