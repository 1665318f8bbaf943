/* source.h: reads all inputs, one after the other, into buffers that it is given.
 *
 *     give(b1) give(b2) ..  ->  transfers of one block each, many in flight  ->  next(): b1, b2, ..
 *
 * Buffers come back full and in order; the last one may be shorter. Files of known size are read
 * ahead, at many offsets at once; streams are read block by block. With --argsort and --out buffers
 * hold what is carried of elements (source_carrier.c). With --where what is left out is
 * gone when a buffer comes back, which may be shorter then (source_filter.c). */
#ifndef GSI_SOURCE_H
#define GSI_SOURCE_H

#include "input/sniff.h"
#include "loop/reorder.h"

/* Transfers that copy from the page cache are chunk / GSI_SOURCE_COPY_PART. They are fast enough
 * with less in flight; and with few buffers, data are still in the processor's cache when they are
 * used. */
#define GSI_SOURCE_COPY_PART 4

struct gsi_source_slot;
struct gsi_carrier;

/* What a source knows about a buffer that it fills. */
struct gsi_source_fill {
    uint64_t requested_bytes;
    uint32_t read_count; /* transfers under way */
    const uint8_t *from; /* of an array that is copied */
};

GSI_HOLDER_STATE(gsi_source_fill_of, struct gsi_source_fill)

struct gsi_source {
    struct gsi_inputs *inputs;
    struct gsi_carrier *carrier; /* fills what is given (source_carrier.c); NULL: the source does */
    size_t input_idx;
    uint64_t input_off;           /* bytes requested from that input */
    struct gsi_buffer_list given; /* in order */
    struct gsi_buffer *filling;   /* the first one with room */
    uint32_t given_count;
    uint32_t populating_count; /* offered, but their memory is not there yet */
    struct gsi_shelf shelf;    /* of slots; closed: they lie on another one */
    struct gsi_source_slot *slots, *free_slots;
    uint32_t slot_count;
    bool is_stream_busy;    /* a read of a stream is under way */
    bool is_end;            /* everything was requested */
    struct gsi_sniff sniff; /* of a stream that is to be read now */
    /* With --where: buffers that are held until they go on, those that tasks work on, those that
     * tasks are done with, the next of these, and the one that more may be added to. Threads hold
     * some to the end (element/fold/early_fold.h); then the order of the others does not matter. */
    uint32_t held_count, filtering_count;
    uint64_t started_count;
    struct gsi_reorder filtered;
    struct gsi_buffer *joining, *open;
    struct gsi_buffer_list joined;  /* go on in this order, each when all is in it */
    struct gsi_buffer_list emptied; /* go on at any time */
    bool is_folding;                /* what is open, once more */
    bool is_fold_poor;              /* that left most of it */
};

enum gs_status gsi_source_init(struct gsi_source *source, struct gsi_inputs *inputs);
void gsi_source_clear(struct gsi_source *source); /* also zeroed ones */

/* gsi_source_give: gives a buffer to fill; unaligned capacities are fine.
 * gsi_source_offer: gives it once its memory is present, which the job's threads see to. Otherwise
 * the owner's thread would make it present, alone, inside the transfers (0.47 GB/s a thread on a
 * virtual machine whose host takes free memory back; AMD EPYC, 2026-11-21).
 * gsi_source_given: how many buffers were given or offered and did not come back yet. */
void gsi_source_give(struct gsi_source *source, struct gsi_buffer *buffer);
void gsi_source_offer(struct gsi_source *source, struct gsi_buffer *buffer);
uint32_t gsi_source_given(const struct gsi_source *source);

/* gsi_source_pump: requests what can be requested. Returns whether anything was. */
bool gsi_source_pump(struct gsi_source *source);

/* gsi_source_next: the next full buffer; NULL: not yet, or none was given. At the end, the last
 * buffer may not be full, and then those that were given come back empty. */
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

/* Between the files of a source; nobody else calls these.
 * gsi_source_lay_out: lays out a source that is never a carrier, and has no inputs yet.
 * gsi_source_pump_reader: gsi_source_pump without a filter.
 * gsi_source_next_read: the next full buffer, with all that was read.
 * gsi_source_filter_start: starts to filter what is read. Returns whether there was anything.
 * gsi_source_filter_next: gsi_source_next with a filter.
 * gsi_source_filter_has_data: whether a filter has something that goes on.
 * gsi_source_request_array: all that the buffer being filled has room for, of an array. */
void gsi_source_lay_out(struct gsi_source *source, struct gsi_shelf *shelf);
bool gsi_source_pump_reader(struct gsi_source *source);
struct gsi_buffer *gsi_source_next_read(struct gsi_source *source);
bool gsi_source_filter_start(struct gsi_source *source);
void gsi_source_request_array(struct gsi_source *source);
struct gsi_buffer *gsi_source_filter_next(struct gsi_source *source);
bool gsi_source_filter_has_data(const struct gsi_source *source);

/* What gsi_source_.. of the same name do where elements are carried.
 * gsi_carrier_plan: the shelf of the carrier, out of `memory_bytes` in all; empty: no elements are
 * carried.
 * gsi_carrier_open: takes the memory that was planned.
 * fails GS_E_MEMORY
 * gsi_carrier_close: NULL is fine; no task may be under way.
 * gsi_carrier_pump: *is_end: no more chunks are needed. */
struct gsi_shelf gsi_carrier_plan(const struct gsi_inputs *inputs, uint64_t memory_bytes);
enum gs_status gsi_carrier_open(struct gsi_inputs *inputs, struct gsi_carrier **carrier);
void gsi_carrier_close(struct gsi_carrier *carrier);
void gsi_carrier_give(struct gsi_carrier *carrier, struct gsi_buffer *chunk);
uint32_t gsi_carrier_given(const struct gsi_carrier *carrier);
bool gsi_carrier_pump(struct gsi_carrier *carrier, bool *is_end);
struct gsi_buffer *gsi_carrier_next(struct gsi_carrier *carrier);
bool gsi_carrier_has_data(const struct gsi_carrier *carrier);
bool gsi_carrier_is_end(const struct gsi_carrier *carrier);

#endif
