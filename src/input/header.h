/* header.h: handles the headers of inputs and of the output, finds out which inputs are not plain
 * data, and opens the reader that decompresses them. */
#ifndef GSI_HEADER_H
#define GSI_HEADER_H

#include "input/inputs.h"
#include "plan/plan.h"

/* The longest header that --header accepts. */
#define GSI_HEADER_BYTES_MAX ((uint64_t)1 << 20)

/* gsi_header_check_dropped: checks that --drop-header has a header to drop, after the inputs were
 * inspected.
 * fails GS_E_USAGE */
enum gs_status gsi_header_check_dropped(const struct gsi_inputs *inputs);

/* gsi_header_allocate: is called before all other functions here.
 * fails GS_E_USAGE: --header is too long; GS_E_MEMORY */
enum gs_status gsi_header_allocate(struct gsi_inputs *inputs);

/* gsi_header_inspect: inspects an open input: every file, and the first stream, for whose bytes it
 * may wait. Other streams are inspected when they are read, because their writers may write one
 * after the other. Only a merge inspects all at once. Needs the engine.
 * fails GS_E_INPUT, GS_E_IO, GS_E_CANCELED */
enum gs_status gsi_header_inspect(struct gsi_inputs *inputs, struct gsi_input *input);

/* gsi_header_skip: makes the data of an inspected input begin after its header.
 * fails GS_E_INPUT: the input is shorter than its header */
enum gs_status gsi_header_skip(struct gsi_inputs *inputs, struct gsi_input *input);

/* gsi_header_strip: removes the header's bytes from bytes of a stream that were just read, and
 * keeps those that --header copies. Returns how many bytes of data are at `data` now. */
uint64_t gsi_header_strip(struct gsi_inputs *inputs, struct gsi_input *input, uint8_t *data,
                          uint64_t bytes);

/* gsi_header_copy_head: copies up to `room` bytes, which were read when the stream was inspected,
 * to `to`. Returns how many. */
uint64_t gsi_header_copy_head(struct gsi_input *input, uint8_t *to, uint64_t room);

/* gsi_header_check_end: checks a stream that ended after `bytes` of data.
 * fails GS_E_INPUT: it ends within its header or within an element */
enum gs_status gsi_header_check_end(struct gsi_inputs *inputs, const struct gsi_input *input,
                                    uint64_t bytes);

/* gsi_header_plan: plans decompression. Returns the memory for that and for headers.
 * in    is_reread: the output is compressed, and read back */
uint64_t gsi_header_plan(const struct gsi_inputs *inputs, bool is_reread,
                         const struct gsi_budget *budget, struct gsi_input_plan *plan);

/* gsi_header_open_unpacker: opens the planned decompression.
 * fails GS_E_MEMORY */
enum gs_status gsi_header_open_unpacker(struct gsi_inputs *inputs);

/* gsi_header_make: makes the header of an output of `count` elements in inputs->header. Its length
 * is the same for any count. Everything has been read.
 * fails GS_E_MEMORY */
enum gs_status gsi_header_make(struct gsi_inputs *inputs, uint64_t count);
void gsi_header_close(struct gsi_inputs *inputs); /* nothing may be in flight */

#endif
