/* sniff.h: finds out from its first bytes what an input is: plain data, zstd frames or a .npy file,
 * packed or not, or another program's format (foreign.h).
 *
 * A file is read at once. A stream gives its first bytes only when it has them, so reading them is
 * a transfer like others, and they stay in input->head. Afterwards input->coding is set. A packed
 * input is a stream for whoever reads it (frames_reader.h). */
#ifndef GSI_SNIFF_H
#define GSI_SNIFF_H

#include "input/inputs.h"

struct gsi_sniff {
    struct gsi_io io;
    struct gsi_inputs *inputs;
    struct gsi_input *input;
    bool is_at_end;
    bool has_frame;        /* of zstd that is not skippable */
    uint64_t passed_bytes; /* of frames of a file without data, which are not in the head */
    size_t head_room;      /* bytes at input->head, once this made it */
    uint64_t frame_off;    /* behind those that begin in the head */
    uint8_t *plain;        /* what its first zstd frames begin with; from malloc */
    size_t plain_bytes;
    void (*done)(struct gsi_sniff *sniff);
};

/* gsi_sniff_start: starts to look at an open input; one at a time. `done` is called when the input
 * is known, maybe before this returns; or with a failure in inputs->loop->error: the input cannot
 * be read, or (GS_E_INPUT) it holds another program's format, is named .zst but holds something
 * else, or is what gsi_format_detect (format.h) refuses. */
void gsi_sniff_start(struct gsi_sniff *sniff, struct gsi_inputs *inputs, struct gsi_input *input,
                     void (*done)(struct gsi_sniff *sniff));

#endif
