/* inputs.h: the inputs of a job, in order, and what was found out about them. */
#ifndef GSI_INPUTS_H
#define GSI_INPUTS_H

#include "base/checked.h"
#include "io/file.h"
#include "loop/loop.h"

struct gsi_npy_input;
struct gsi_frames_reader;

/* What the output begins with, as long whatever the number of elements. */
struct gsi_header {
    uint8_t *data; /* from malloc */
    uint64_t bytes;
};

struct gsi_inputs {
    struct gsi_loop *loop;
    const struct gs_options *options;
    struct gsi_input *table;
    size_t count, room;
    bool are_many;             /* too many to be open all at once: each is open while it is read */
    bool has_stream;           /* among those that were looked at */
    uint64_t bytes;            /* of data; UINT64_MAX: a stream is among them */
    uint64_t data_bytes;       /* of elements, read so far */
    struct gsi_header header;  /* of the first one, or made of theirs; what there is so far */
    struct gsi_npy_input *npy; /* of .npy inputs; NULL: there are none */
    struct gsi_frames_reader *unpack; /* of coded inputs; NULL: there are none */
    uint64_t unpack_window_bytes;     /* planned, both */
    uint32_t unpack_pieces;
};

/* gsi_inputs_measure: bytes of all of them, which are open.
 * fails GS_E_INPUT: one does not hold whole elements, or they are too many */
enum gs_status gsi_inputs_measure(struct gsi_inputs *inputs);

/* gsi_inputs_check_whole: `bytes` of data were found in `input`.
 * fails GS_E_INPUT unless they are a whole number of elements, and as many as its header says */
enum gs_status gsi_inputs_check_whole(const struct gsi_inputs *inputs,
                                      const struct gsi_input *input, uint64_t bytes);

/* gsi_inputs_drop_tail: of `bytes` of data found in `input`, those behind the last whole element that
 * are to be left out: none, unless that was asked for. A note says how many. A .npy header knows
 * better. */
uint64_t gsi_inputs_drop_tail(const struct gsi_inputs *inputs, const struct gsi_input *input,
                              uint64_t bytes);

/* gsi_pieces_fitting: how many pieces of `piece_bytes` are packed or unpacked beside each other:
 * they take an eighth of memory at most, but for the first. */
static inline uint32_t gsi_pieces_fitting(uint64_t piece_bytes, uint64_t memory_bytes,
                                          uint32_t thread_count)
{
    return (uint32_t)gsi_clamp_u64(memory_bytes / 8 / piece_bytes, 1, (uint64_t)thread_count + 2);
}

#endif
