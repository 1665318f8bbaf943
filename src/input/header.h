/* header.h: which inputs are no plain data and what reads them then; what the output begins with. */
#ifndef GSI_HEADER_H
#define GSI_HEADER_H

#include "input/inputs.h"

/* The longest that --header may say. */
#define GSI_HEADER_BYTES_MAX ((uint64_t)1 << 20)

/* gsi_header_begin: before all others.
 * fails GS_E_USAGE: --header is too long; GS_E_MEMORY */
enum gs_status gsi_header_begin(struct gsi_inputs *inputs);

/* gsi_header_look: look at an input that is open: at every file, and at the first stream, whose
 * bytes may be waited for; other streams are looked at when their turn comes, for whoever feeds
 * them may feed them one after the other (a merge needs all of them at once). Needs the engine.
 * fails GS_E_INPUT, GS_E_IO, GS_E_CANCELED */
enum gs_status gsi_header_look(struct gsi_inputs *inputs, struct gsi_input *input);

/* gsi_header_place: an input that was looked at: its data begin behind its header.
 * fails GS_E_INPUT: it has not even that */
enum gs_status gsi_header_place(struct gsi_inputs *inputs, struct gsi_input *input);

/* gsi_header_strip: bytes of a stream, as they come: those of its header are taken away, and what
 * --header copies is kept. Returns how many bytes of data are at `data` now. */
uint64_t gsi_header_strip(struct gsi_inputs *inputs, struct gsi_input *input, uint8_t *data,
                          uint64_t bytes);

/* gsi_header_head_bytes: what was read of a stream when it was looked at, `room` bytes at most, is
 * moved to `to`. Returns how many bytes. */
uint64_t gsi_header_head_bytes(struct gsi_input *input, uint8_t *to, uint64_t room);

/* gsi_header_end: a stream has ended after `bytes` of data.
 * fails GS_E_INPUT: in its header, or in an element */
enum gs_status gsi_header_end(struct gsi_inputs *inputs, const struct gsi_input *input,
                              uint64_t bytes);

/* gsi_header_plan: memory that unpacking and headers take, out of `memory_bytes` in all; decides
 * how much is done at a time.
 * in    has_coded: something is unpacked, even if no input is */
uint64_t gsi_header_plan(struct gsi_inputs *inputs, bool has_coded, uint64_t memory_bytes,
                         uint32_t thread_count);

/* gsi_header_open: what was planned.
 * fails GS_E_MEMORY */
enum gs_status gsi_header_open(struct gsi_inputs *inputs);

/* gsi_header_head: everything is read: what an output of `count` elements begins with is in
 * inputs->header, as long whatever the count.
 * fails GS_E_MEMORY */
enum gs_status gsi_header_head(struct gsi_inputs *inputs, uint64_t count);
void gsi_header_close(struct gsi_inputs *inputs); /* nothing may be in flight */

#endif
