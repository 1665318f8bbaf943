/* source.h: reads all inputs into buffers that its owner offers, drops elements that --where does
 * not keep, and adds payload to the others.
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
 * Without payload, the elements of a buffer that shrank are copied to the buffer before it if they
 * fit. Such a buffer is returned empty. So the source never returns more filled buffers than it
 * read. With payload, threads write entries directly into the offered buffers, which are full of
 * entries. So the job is planned as a sort of entries. */
#ifndef GSI_SOURCE_H
#define GSI_SOURCE_H

#include "input/payload/entry_maker.h"
#include "input/reader.h"
#include "input/shrink_operators.h"

struct gsi_source {
    struct gsi_inputs *inputs;
    struct gsi_bump bump;
    struct gsi_reader reader;
    struct gsi_flow flow; /* used only if there are operators */
    struct gsi_filter_operator filter;
    struct gsi_pre_aggregate_operator pre_aggregate;
    struct gsi_entry_maker entries; /* has_payload */
    bool has_payload;
    bool is_end;                     /* no more buffers are needed */
    uint64_t read_count;             /* elements read so far; with payload: the position of the next
                                      * element */
    uint32_t offered_count;          /* buffers that the owner has offered and that are not returned
                                      * yet */
    uint32_t populating_count;       /* offered buffers whose memory is still being populated */
    struct gsi_buffer_list given;    /* offered buffers, for entries */
    struct gsi_buffer_list finished; /* buffers that the flow has finished, to be returned */
};

/* gsi_source_plan: returns the bump allocator of a source with payload, for a job with
 * `memory_bytes`; an empty one without payload.
 * gsi_source_init: allocates the planned memory.
 * fails GS_E_MEMORY
 * gsi_source_clear: frees a source; accepts a zeroed one. No task may run. */
struct gsi_bump gsi_source_plan(const struct gsi_inputs *inputs, uint64_t memory_bytes,
                                uint32_t thread_count);
enum gs_status gsi_source_init(struct gsi_source *source, struct gsi_inputs *inputs);
void gsi_source_clear(struct gsi_source *source);

/* gsi_source_offer: adds a buffer to fill. First a task populates its memory, because the owner's
 * thread would otherwise do that during transfers. (A virtual machine whose host reclaims free
 * memory did this with 0.47 GB/s per thread.)
 * gsi_source_offered_count: returns how many buffers were offered and are not returned yet. */
void gsi_source_offer(struct gsi_source *source, struct gsi_buffer *buffer);
uint32_t gsi_source_offered_count(const struct gsi_source *source);

/* gsi_source_pump: does all work that is possible now. Returns whether there was any. */
bool gsi_source_pump(struct gsi_source *source);

/* gsi_source_next: returns the next full buffer; NULL: none is full yet, or none was offered. At
 * the end of the inputs, one buffer may be partly filled, and it returns the remaining buffers
 * empty. */
struct gsi_buffer *gsi_source_next(struct gsi_source *source);

/* gsi_source_refill: pumps the source, and offers it as many free buffers as it can use now.
 * Recently freed buffers are used first, so a small job uses little memory.
 * gsi_source_next_filled: returns the next buffer with elements; empty buffers go back to
 * `buffers`. */
bool gsi_source_refill(struct gsi_source *source, struct gsi_buffers *buffers);
struct gsi_buffer *gsi_source_next_filled(struct gsi_source *source, struct gsi_buffers *buffers);

/* gsi_source_skip: skips the first `bytes` of data, before any buffer was offered. No input may be
 * a stream. */
void gsi_source_skip(struct gsi_source *source, uint64_t bytes);

/* gsi_source_has_data: returns false if all further buffers will be empty. */
bool gsi_source_has_data(const struct gsi_source *source);

/* gsi_source_is_end: returns whether everything was read, and gsi_source_next has returned all
 * offered buffers. */
bool gsi_source_is_end(const struct gsi_source *source);

#endif
