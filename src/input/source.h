/* source.h: reads all inputs into the buffers that it is given, without elements that are not
 * wanted, and with the payload of those that are.
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
 * are returned empty. Nothing is copied, and no buffer waits, if all elements are kept. With
 * payload, entries are written straight into the given buffers. These hold as many entries as fit,
 * so that the plan is that of a sort of entries, whatever the size of elements in the inputs. */
#ifndef GSI_SOURCE_H
#define GSI_SOURCE_H

#include "input/payload/entry_maker.h"
#include "input/reader.h"
#include "input/shrink_operators.h"

struct gsi_source {
    struct gsi_inputs *inputs;
    struct gsi_shelf shelf;
    struct gsi_reader reader;
    struct gsi_flow flow; /* without operators: not used */
    struct gsi_filter_operator filter;
    struct gsi_pre_aggregate_operator pre_aggregate;
    struct gsi_entry_maker entries; /* has_payload */
    bool has_payload;
    bool is_end;                   /* no more buffers are needed */
    uint64_t read_count;           /* elements; of payload: the position of the next one */
    uint32_t given_count;          /* buffers that were given or offered, and not returned yet */
    uint32_t populating_count;     /* offered, but their memory is not there yet */
    struct gsi_buffer_list given;  /* to be filled with entries */
    struct gsi_buffer_list passed; /* the flow; to be returned */
};

/* gsi_source_plan: returns the shelf of a source with payload, out of `memory_bytes` in all; empty:
 * there is no payload.
 * gsi_source_init: takes the memory that was planned.
 * fails GS_E_MEMORY
 * gsi_source_clear: no task may be under way; also zeroed ones. */
struct gsi_shelf gsi_source_plan(const struct gsi_inputs *inputs, uint64_t memory_bytes,
                                 uint32_t thread_count);
enum gs_status gsi_source_init(struct gsi_source *source, struct gsi_inputs *inputs);
void gsi_source_clear(struct gsi_source *source);

/* gsi_source_offer: gives a buffer to fill, once its memory is present, which the job's threads see
 * to. Otherwise the owner's thread would make it present, alone, inside the transfers (0.47 GB/s a
 * thread on a virtual machine whose host takes free memory back; AMD EPYC, 2026-11-21).
 * gsi_source_given: returns how many buffers were offered and are not returned yet. */
void gsi_source_offer(struct gsi_source *source, struct gsi_buffer *buffer);
uint32_t gsi_source_given(const struct gsi_source *source);

/* gsi_source_pump: does everything that can be done now. Returns whether anything moved. */
bool gsi_source_pump(struct gsi_source *source);

/* gsi_source_next: the next full buffer; NULL: not yet, or none was given. At the end, the last
 * buffer may not be full, and then those that were given are returned empty. */
struct gsi_buffer *gsi_source_next(struct gsi_source *source);

/* gsi_source_refill: pumps, and offers as many free buffers as transfers can begin in. Buffers that
 * were freed last go first, so that others are not even touched where few are enough.
 * gsi_source_next_filled: the next buffer that is not empty; empty ones go back to `buffers`. */
bool gsi_source_refill(struct gsi_source *source, struct gsi_buffers *buffers);
struct gsi_buffer *gsi_source_next_filled(struct gsi_source *source, struct gsi_buffers *buffers);

/* gsi_source_skip: begins to read `bytes` of data later. No input is a stream, and nothing was
 * given. */
void gsi_source_skip(struct gsi_source *source, uint64_t bytes);

/* gsi_source_has_data: whether the next buffer is, or may be, not empty. */
bool gsi_source_has_data(const struct gsi_source *source);

/* gsi_source_is_end: everything was read, and every buffer came out of next. */
bool gsi_source_is_end(const struct gsi_source *source);

#endif
