/* sniff.h: finds out from its first bytes what an input is: plain data, zstd frames, a format with
 * a header, or another program's format (foreign.h).
 *
 * A file is read at once. A stream is read by a transfer, because its first bytes may be late. They
 * stay in input->head. Afterwards input->coding is set. All other code sees a compressed input as a
 * stream (frames_reader.h). */
#ifndef GSI_SNIFF_H
#define GSI_SNIFF_H

#include "input/inputs.h"

struct gsi_sniff {
    struct gsi_io io;
    struct gsi_inputs *inputs;
    struct gsi_input *input;
    bool is_at_end;
    bool has_frame;        /* of zstd that is not skippable */
    uint64_t passed_bytes; /* of a file's frames without data, which are not in the head */
    size_t head_capacity;  /* allocated bytes at input->head */
    uint64_t frame_off;    /* end of the frames that begin in the head */
    uint8_t *plain;        /* beginning of the decompressed data; from malloc */
    size_t plain_bytes;
    void (*done)(struct gsi_sniff *sniff);
};

/* gsi_sniff_start: starts to inspect an open input; one at a time. It calls `done` when the input
 * is known, maybe before it returns, or after a failure, which is in inputs->loop->error. Failures
 * are errors of reading, and GS_E_INPUT: the input has another program's format, is named .zst but
 * is not compressed, or gsi_format_detect (format.h) refuses it. */
void gsi_sniff_start(struct gsi_sniff *sniff, struct gsi_inputs *inputs, struct gsi_input *input,
                     void (*done)(struct gsi_sniff *sniff));

#endif
