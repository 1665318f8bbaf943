/* codec_choice.h: whether the frames of a run are coded or written raw, by what was measured so
 * far.
 *
 * Coding pays if the disk's time it saves, writing and reading back, is more than the processors'
 * time it takes:
 *
 *     coded / disk * 2 + (encode + decode) / threads  <  raw / disk * 2
 *
 * The disk's speed is measured with raw frames, while any of them is under way: coded frames come
 * one by one and would make any disk look slow. Sizes and times of coding come from frames that
 * were coded: a few of the first run, and the first of each later run. Each run has one way; the
 * first run has it as soon as enough is known. A later run changes the way only for a clear gain,
 * so that noise does not flip it. With each run, what is still measured counts half of before.
 * Owner's thread; pure: time is an argument. */
#ifndef GSI_CODEC_CHOICE_H
#define GSI_CODEC_CHOICE_H

#include "base/options.h"

struct gsi_codec_choice {
    enum gsi_compress_choice way; /* AUTO: measured; NONE: never; else always */
    uint32_t thread_count;
    bool is_coding;                    /* the way of this run */
    bool is_decided;                   /* it stays so until its end */
    uint64_t run_frames;               /* taken, of this run */
    uint32_t samples_due;              /* frames of the first run to be coded to learn of them */
    uint32_t coded_frames, raw_writes; /* seen in all, as far as it matters */
    double raw_bytes, coded_bytes, code_ns; /* of frames that were coded */
    double written_bytes, written_ns;       /* of raw writes */
    uint64_t under_way, since_ns;           /* raw writes now; up to when they are counted */
};

/* gsi_codec_choice_make: way NONE where there is no codec. */
struct gsi_codec_choice gsi_codec_choice_make(enum gsi_compress_choice way, uint32_t thread_count);

/* gsi_codec_choice_begin: a run begins.  gsi_codec_choice_take: a frame of it; whether to code it.
 */
void gsi_codec_choice_begin(struct gsi_codec_choice *choice);
bool gsi_codec_choice_take(struct gsi_codec_choice *choice);

/* What came of it: a frame was coded; the write of a raw frame began, and ended. */
void gsi_codec_choice_coded(struct gsi_codec_choice *choice, uint64_t raw_bytes,
                            uint64_t coded_bytes, uint64_t ns);
void gsi_codec_choice_write_begins(struct gsi_codec_choice *choice, uint64_t now_ns);
void gsi_codec_choice_write_ends(struct gsi_codec_choice *choice, uint64_t bytes, uint64_t now_ns);

#endif
