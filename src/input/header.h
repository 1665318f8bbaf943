/* header.h: the headers of inputs and of the output; which inputs are not plain data, and what
 * reads those. */
#ifndef GSI_HEADER_H
#define GSI_HEADER_H

#include "input/inputs.h"
#include "plan/plan.h"

/* The longest header that --header may give. */
#define GSI_HEADER_BYTES_MAX ((uint64_t)1 << 20)

/* gsi_header_check_dropped: --drop-header is for headers that are known. Inputs were looked at.
 * fails GS_E_USAGE */
enum gs_status gsi_header_check_dropped(const struct gsi_inputs *inputs);

/* gsi_header_begin: is called before all others here.
 * fails GS_E_USAGE: --header is too long; GS_E_MEMORY */
enum gs_status gsi_header_begin(struct gsi_inputs *inputs);

/* gsi_header_inspect: looks at an open input: at every file, and at the first stream, whose bytes may
 * be waited for. Other streams are looked at when they are read, because whoever writes them may do
 * so one after the other; only a merge looks at all at once. Needs the engine.
 * fails GS_E_INPUT, GS_E_IO, GS_E_CANCELED */
enum gs_status gsi_header_inspect(struct gsi_inputs *inputs, struct gsi_input *input);

/* gsi_header_skip: makes the data of an input that was looked at begin behind its header.
 * fails GS_E_INPUT: the input is shorter than its header */
enum gs_status gsi_header_skip(struct gsi_inputs *inputs, struct gsi_input *input);

/* gsi_header_strip: takes the header's bytes away from bytes of a stream that just came, and keeps
 * those that --header copies. Returns how many bytes of data are at `data` now. */
uint64_t gsi_header_strip(struct gsi_inputs *inputs, struct gsi_input *input, uint8_t *data,
                          uint64_t bytes);

/* gsi_header_copy_head: moves up to `room` bytes that were read when a stream was looked at to
 * `to`. Returns how many. */
uint64_t gsi_header_copy_head(struct gsi_input *input, uint8_t *to, uint64_t room);

/* gsi_header_end: a stream has ended after `bytes` of data.
 * fails GS_E_INPUT: it ends in its header, or in an element */
enum gs_status gsi_header_end(struct gsi_inputs *inputs, const struct gsi_input *input,
                              uint64_t bytes);

/* gsi_header_plan: plans unpacking.
 * in    is_reread: the output is packed, and read back
 * returns the memory that unpacking and headers take */
uint64_t gsi_header_plan(const struct gsi_inputs *inputs, bool is_reread,
                         const struct gsi_budget *budget, struct gsi_input_plan *plan);

/* gsi_header_open: opens what was planned.
 * fails GS_E_MEMORY */
enum gs_status gsi_header_open(struct gsi_inputs *inputs);

/* gsi_header_make: puts what an output of `count` elements begins with into inputs->header. It has
 * the same length for any count. Everything has been read.
 * fails GS_E_MEMORY */
enum gs_status gsi_header_make(struct gsi_inputs *inputs, uint64_t count);
void gsi_header_close(struct gsi_inputs *inputs); /* nothing may be in flight */

#endif
