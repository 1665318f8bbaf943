/* reader.h: reads all inputs, one after the other, into buffers that it is given.
 *
 *     add(b1) add(b2) ..  ->  transfers of one block each, many in flight  ->  next(): b1, b2, ..
 *
 * Buffers are returned full and in order; the last one may be shorter. Files of known size are read
 * ahead, at many offsets at once; streams are read block by block. */
#ifndef GSI_READER_H
#define GSI_READER_H

#include "input/sniff.h"

/* Transfers that copy from the page cache have chunk / GSI_READER_COPY_PART bytes. They are fast
 * enough with less in flight. With few buffers, data are still in the processor's cache when they
 * are used. */
#define GSI_READER_COPY_PART 4

struct gsi_reader_slot;

struct gsi_reader {
    struct gsi_inputs *inputs; /* set after gsi_reader_lay_out */
    size_t input_idx;
    uint64_t input_off;           /* bytes requested from that input */
    struct gsi_buffer_list given; /* in order */
    struct gsi_buffer *filling;   /* the first one with room */
    struct gsi_reader_slot *slots, *free_slots;
    uint32_t slot_count;
    bool is_stream_busy;    /* a read of a stream is under way */
    bool is_end;            /* everything was requested */
    struct gsi_sniff sniff; /* of the next stream */
};

/* gsi_reader_lay_out: allocates a reader from a bump allocator. It has no inputs yet.
 * gsi_reader_add: adds a buffer to fill; its capacity need not be aligned.
 * gsi_reader_pump: requests everything that can be requested. Returns whether it requested
 * anything.
 * gsi_reader_next: returns the next full buffer; NULL: none is full yet, or none was added. At the
 * end, the last buffer may not be full, and all buffers after it are returned empty.
 * gsi_reader_skip: begins to read `bytes` of data later. No input is a stream, and no buffer was
 * added. */
void gsi_reader_lay_out(struct gsi_reader *reader, struct gsi_bump *bump);
void gsi_reader_add(struct gsi_reader *reader, struct gsi_buffer *buffer);
bool gsi_reader_pump(struct gsi_reader *reader);
struct gsi_buffer *gsi_reader_next(struct gsi_reader *reader);
void gsi_reader_skip(struct gsi_reader *reader, uint64_t bytes);

/* gsi_reader_has_data: returns whether the next buffer is, or may be, not empty. */
bool gsi_reader_has_data(const struct gsi_reader *reader);

#endif
