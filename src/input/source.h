/* source.h: reads all inputs into given buffers, without the elements that a filter drops, and with
 * the payload of the others.
 *
 *     plain             given buffers --reader--> full, in order                       --> next
 *     --where, --sum    given buffers --reader--> full, in order --flow--> joined      --> next
 *     --argsort, --out  staged buffers -reader--> full, in order --flow--> entries in
 *                                                                        given buffers --> next
 *
 * The flow (loop/flow.h) has at most these operators:
 *
 *     filter          shrinks buffers to the elements that --where keeps   (shrink_operators.h)
 *     pre-aggregate   shrinks buffers: adds records to others with the same keys        (the same)
 *     payload         maps elements to entries of key and payload     (payload/entry_maker.h)
 *
 * Without payload, a buffer that shrank is joined with the next one if both fit in one. So the
 * source never returns more buffers than it read. Buffers whose elements were copied to another one
 * are returned empty. If all elements are kept, nothing is copied, and no buffer waits for the next
 * one. With payload, entries are written straight into the given buffers. Each has as many entries
 * as fit. So the plan is the plan of a sort of entries, whatever the size of elements. */
#ifndef GSI_SOURCE_H
#define GSI_SOURCE_H

#include "input/payload/entry_maker.h"
#include "input/reader.h"
#include "input/shrink_operators.h"

struct gsi_source {
    struct gsi_inputs *inputs;
    struct gsi_bump bump;
    struct gsi_reader reader;
    struct gsi_flow flow; /* not used without operators */
    struct gsi_filter_operator filter;
    struct gsi_pre_aggregate_operator pre_aggregate;
    struct gsi_entry_maker entries; /* has_payload */
    bool has_payload;
    bool is_end;                     /* no more buffers are needed */
    uint64_t read_count;             /* elements; of payload: the position of the next one */
    uint32_t offered_count;          /* buffers that were offered and are not returned yet */
    uint32_t populating_count;       /* offered, but their memory is not present yet */
    struct gsi_buffer_list given;    /* to be filled with entries */
    struct gsi_buffer_list finished; /* have passed the flow; to be returned */
};

/* gsi_source_plan: returns the bump allocator of a source with payload, for `memory_bytes` in all;
 * empty without payload.
 * gsi_source_init: allocates the planned memory.
 * fails GS_E_MEMORY
 * gsi_source_clear: frees a source, or a zeroed one; no task may run. */
struct gsi_bump gsi_source_plan(const struct gsi_inputs *inputs, uint64_t memory_bytes,
                                uint32_t thread_count);
enum gs_status gsi_source_init(struct gsi_source *source, struct gsi_inputs *inputs);
void gsi_source_clear(struct gsi_source *source);

/* gsi_source_offer: adds a buffer to fill, after the job's threads have made its memory present.
 * Otherwise the owner's thread alone would do that, during the transfers. (A virtual machine whose
 * host reclaims free memory did this with 0.47 GB/s per thread.)
 * gsi_source_offered_count: returns how many buffers were offered and are not returned yet. */
void gsi_source_offer(struct gsi_source *source, struct gsi_buffer *buffer);
uint32_t gsi_source_offered_count(const struct gsi_source *source);

/* gsi_source_pump: does everything that can be done now. Returns whether anything moved. */
bool gsi_source_pump(struct gsi_source *source);

/* gsi_source_next: returns the next full buffer; NULL: none is full yet, or none was offered. At
 * the end, the last buffer may not be full, and all offered buffers after it are returned empty. */
struct gsi_buffer *gsi_source_next(struct gsi_source *source);

/* gsi_source_refill: pumps, and offers as many free buffers as transfers can start with. The
 * buffers freed last are used first, so that others are not touched if few suffice.
 * gsi_source_next_filled: returns the next buffer that is not empty; it returns empty ones to
 * `buffers`. */
bool gsi_source_refill(struct gsi_source *source, struct gsi_buffers *buffers);
struct gsi_buffer *gsi_source_next_filled(struct gsi_source *source, struct gsi_buffers *buffers);

/* gsi_source_skip: begins to read `bytes` of data later. No input is a stream, and no buffer was
 * offered. */
void gsi_source_skip(struct gsi_source *source, uint64_t bytes);

/* gsi_source_has_data: returns whether the next buffer is, or may be, not empty. */
bool gsi_source_has_data(const struct gsi_source *source);

/* gsi_source_is_end: returns whether everything was read and gsi_source_next has returned all
 * buffers. */
bool gsi_source_is_end(const struct gsi_source *source);

#endif
