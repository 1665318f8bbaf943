/* header.h: skips, copies and makes headers of inputs and of the output, detects the formats of
 * inputs, and opens the reader that decompresses them. */
#ifndef GSI_HEADER_H
#define GSI_HEADER_H

#include "input/inputs.h"
#include "plan/plan.h"

/* The longest header that --header accepts. */
#define GSI_HEADER_BYTES_MAX ((uint64_t)1 << 20)

/* gsi_header_check_dropped: checks that the inputs have a header if --drop-header is given. Call it
 * after the inputs were inspected.
 * fails GS_E_USAGE */
enum gs_status gsi_header_check_dropped(const struct gsi_inputs *inputs);

/* gsi_header_allocate: allocates memory for the header that --header copies. Call it before all
 * other functions of this file.
 * fails GS_E_USAGE: --header is too long; GS_E_MEMORY */
enum gs_status gsi_header_allocate(struct gsi_inputs *inputs);

/* gsi_header_inspect: detects the format of an open input, and skips its header. It may wait for
 * the first bytes of a stream. It does nothing for streams after the first one, because their
 * writers may run one after the other; these are inspected when they are read. In a merge it
 * inspects all streams. The I/O engine must be open.
 * fails GS_E_INPUT, GS_E_IO, GS_E_CANCELED */
enum gs_status gsi_header_inspect(struct gsi_inputs *inputs, struct gsi_input *input);

/* gsi_header_skip: skips the header of an input whose format is known.
 * fails GS_E_INPUT: the input is shorter than its header */
enum gs_status gsi_header_skip(struct gsi_inputs *inputs, struct gsi_input *input);

/* gsi_header_strip: removes header bytes from the first `bytes` of a stream at `data`, and stores
 * them if --header copies them. Returns how many bytes of data remain. */
uint64_t gsi_header_strip(struct gsi_inputs *inputs, struct gsi_input *input, uint8_t *data,
                          uint64_t bytes);

/* gsi_header_copy_head: copies up to `room` bytes of input->head, which were read when the stream
 * was inspected, to `to`. Returns how many. */
uint64_t gsi_header_copy_head(struct gsi_input *input, uint8_t *to, uint64_t room);

/* gsi_header_check_end: checks the length of a stream that ended after `bytes` of data.
 * fails GS_E_INPUT: it ends within its header or within an element */
enum gs_status gsi_header_check_end(struct gsi_inputs *inputs, const struct gsi_input *input,
                                    uint64_t bytes);

/* gsi_header_plan: plans the memory for decompression. Returns the bytes for that and for headers.
 * in    is_reread: the output is compressed, and will be read again for verification */
uint64_t gsi_header_plan(const struct gsi_inputs *inputs, bool is_reread,
                         const struct gsi_budget *budget, struct gsi_input_plan *plan);

/* gsi_header_open_unpacker: opens the shared reader of compressed inputs, if one is planned.
 * fails GS_E_MEMORY */
enum gs_status gsi_header_open_unpacker(struct gsi_inputs *inputs);

/* gsi_header_make: makes the header of an output of `count` elements in inputs->header. Its length
 * is the same for any count. Everything has been read.
 * fails GS_E_MEMORY */
enum gs_status gsi_header_make(struct gsi_inputs *inputs, uint64_t count);
void gsi_header_close(struct gsi_inputs *inputs); /* no transfer may be in progress */

#endif
