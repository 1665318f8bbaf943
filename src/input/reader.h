/* reader.h: reads all inputs, one after the other, into buffers that its owner adds.
 *
 *     add(b1) add(b2) ..  ->  transfers of one block each, many in flight  ->  next(): b1, b2, ..
 *
 * The reader returns buffers full and in order; only the last one may be partly filled. It reads
 * several blocks of files at the same time, but streams block by block. */
#ifndef GSI_READER_H
#define GSI_READER_H

#include "input/sniff.h"

/* Transfers from the page cache have chunk / GSI_READER_COPY_PART bytes. Small transfers need few
 * buffers, so the data are still in the processor's cache when a thread uses them. */
#define GSI_READER_COPY_PART 4

struct gsi_reader_slot;

struct gsi_reader {
    struct gsi_inputs *inputs; /* set after gsi_reader_lay_out */
    size_t input_idx;
    uint64_t input_off;           /* bytes requested of the current input */
    struct gsi_buffer_list given; /* in order */
    struct gsi_buffer *filling;   /* the first buffer that is not completely requested */
    struct gsi_reader_slot *slots, *free_slots;
    uint32_t slot_count;
    bool is_stream_busy;    /* a read of a stream is in progress */
    bool is_end;            /* all data of all inputs were requested */
    struct gsi_sniff sniff; /* inspects the next stream */
};

/* gsi_reader_lay_out: allocates a reader from a bump allocator, still without inputs. At most
 * `reads` transfers are in flight.
 * gsi_reader_add: adds a buffer to fill; its capacity need not be aligned.
 * gsi_reader_pump: starts all transfers that are possible now. Returns whether it started any.
 * gsi_reader_next: returns the next full buffer; NULL: none is full yet, or none was added. At the
 * end of the inputs, one buffer may be partly filled, and it returns the remaining buffers empty.
 * gsi_reader_skip: skips the first `bytes` of data, before any buffer was added. No input may be a
 * stream. */
void gsi_reader_lay_out(struct gsi_reader *reader, uint32_t reads, struct gsi_bump *bump);
void gsi_reader_add(struct gsi_reader *reader, struct gsi_buffer *buffer);
bool gsi_reader_pump(struct gsi_reader *reader);
struct gsi_buffer *gsi_reader_next(struct gsi_reader *reader);
void gsi_reader_skip(struct gsi_reader *reader, uint64_t bytes);

/* gsi_reader_has_data: returns false if all further buffers will be empty. */
bool gsi_reader_has_data(const struct gsi_reader *reader);

#endif
