/* sniff.h: what an input is, from its first bytes: plain data, zstd frames or a .npy file, packed
 * or not, or another program's format (foreign.h).
 *
 * Files are asked at once. A stream gives its first bytes only when it has them, so that is a
 * transfer like others; what was read of it stays in input->head. Afterwards input->coding is set,
 * and a coded input is a stream for whoever reads it (frames_reader.h). */
#ifndef GSI_SNIFF_H
#define GSI_SNIFF_H

#include "input/inputs.h"

struct gsi_sniff {
    struct gsi_io io;
    struct gsi_inputs *inputs;
    struct gsi_input *input;
    bool is_at_end;
    uint8_t *plain; /* what its first zstd frames begin with; from malloc */
    size_t plain_bytes;
    void (*done)(struct gsi_sniff *sniff);
};

/* gsi_sniff_start: look at an open input; one at a time. `done` is called when it is known, maybe
 * before this returns, or with a failure in inputs->loop->error: the file cannot be read, or (GS_E_INPUT) is
 * named .zst and holds something else,
 * or what gsi_npy_input_take (npy_input.h) refuses. */
void gsi_sniff_start(struct gsi_sniff *sniff, struct gsi_inputs *inputs, struct gsi_input *input,
                     void (*done)(struct gsi_sniff *sniff));

#endif
