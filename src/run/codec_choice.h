/* codec_choice.h: decides by measurements whether the frames of a run are compressed or written
 * raw. To code a frame is to compress it with the job's codec.
 *
 * Coding is better if it saves more time of writing and reading the disk than it costs in processor
 * time:
 *
 *     coded / disk * 2 + (encode + decode) / threads  <  raw / disk * 2
 *
 * The disk's speed is measured while raw frames are written. Writes of coded frames do not count,
 * because coding is slower than the disk, which would seem slow. Sizes and times of coding are
 * measured on samples: a few frames of the first run, and the first frame of each later run. All
 * other frames of a run are coded or all are raw. The decision for the first run is made after
 * enough samples. The decision changes from raw to coded only for a clear gain, so that noise does
 * not change it back and forth. At each new run, earlier measurements lose half of their weight.
 * Only the thread of the loop calls these functions. Pure: time is an argument. */
#ifndef GSI_CODEC_CHOICE_H
#define GSI_CODEC_CHOICE_H

#include "base/choices.h"

struct gsi_codec_choice {
    enum gsi_compress_choice
        mode; /* AUTO: decide by measurements; NONE: never code; else always code */
    uint32_t thread_count;
    bool is_coding;                         /* the decision for this run */
    bool is_decided;                        /* the decision is fixed until the end of the run */
    uint64_t run_frames;                    /* frames of this run so far */
    uint32_t samples_due;                   /* frames that will be coded next as samples */
    uint32_t coded_frames, raw_writes;      /* counted up to the number needed for a decision */
    double raw_bytes, coded_bytes, code_ns; /* of coded frames */
    double written_bytes, written_ns;       /* of raw writes */
    uint64_t writes_in_flight;              /* of raw frames */
    uint64_t counted_until_ns;              /* written_ns includes time up to then */
};

/* gsi_codec_choice_make: returns the initial state. `mode` is NONE if the job has no codec. */
struct gsi_codec_choice gsi_codec_choice_make(enum gsi_compress_choice mode, uint32_t thread_count);

/* gsi_codec_choice_begin_run: tells the choice that the next frame belongs to a new run.
 * gsi_codec_choice_next_frame: counts a frame of the run, and returns whether to code it. */
void gsi_codec_choice_begin_run(struct gsi_codec_choice *choice);
bool gsi_codec_choice_next_frame(struct gsi_codec_choice *choice);

/* These functions record measurements: that a frame was coded, and that the write of a raw frame
 * begins or ends. */
void gsi_codec_choice_frame_coded(struct gsi_codec_choice *choice, uint64_t raw_bytes,
                                  uint64_t coded_bytes, uint64_t ns);
void gsi_codec_choice_write_begins(struct gsi_codec_choice *choice, uint64_t now_ns);
void gsi_codec_choice_write_ends(struct gsi_codec_choice *choice, uint64_t bytes, uint64_t now_ns);

#endif
