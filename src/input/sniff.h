/* sniff.h: detects by its first bytes what an input is: plain data, zstd frames, a format with a
 * header, or another program's format (foreign.h).
 *
 * The first bytes of a file are read by blocking calls. Those of a stream are read by transfers,
 * because they may be late, and stay in input->head. The result is input->coding. A compressed
 * input counts as a stream (frames_reader.h). */
#ifndef GSI_SNIFF_H
#define GSI_SNIFF_H

#include "input/inputs.h"

struct gsi_sniff {
    struct gsi_io io;
    struct gsi_inputs *inputs;
    struct gsi_input *input;
    bool is_at_end;
    bool has_frame;        /* a zstd frame that is not skippable was found */
    uint64_t passed_bytes; /* bytes of a file's empty frames, which were removed from input->head */
    size_t head_capacity;  /* allocated bytes at input->head */
    uint64_t frame_off;    /* end of the last frame in input->head */
    uint8_t *plain;        /* first decompressed bytes; from malloc */
    size_t plain_bytes;
    void (*done)(struct gsi_sniff *sniff);
};

/* gsi_sniff_start: starts to inspect an open input. It calls `done` after the inspection or a
 * failure, maybe before it returns. It records a failure in inputs->loop->error if a read fails,
 * the input has another program's format, or gsi_format_detect (format.h) refuses its header.
 * Inputs named .zst must be compressed. */
void gsi_sniff_start(struct gsi_sniff *sniff, struct gsi_inputs *inputs, struct gsi_input *input,
                     void (*done)(struct gsi_sniff *sniff));

#endif
