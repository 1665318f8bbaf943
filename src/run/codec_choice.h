/* codec_choice.h: decides by measurements whether the frames of a run are coded or written raw.
 *
 * Coding pays if it saves more disk time, for writing and reading back, than it costs processor
 * time:
 *
 *     coded / disk * 2 + (encode + decode) / threads  <  raw / disk * 2
 *
 * The disk's speed is measured with raw frames, while at least one of them is being written. Coded
 * frames arrive one by one and would make any disk seem slow. Sizes and times of coding are
 * measured on coded frames: a few of the first run, and the first of each later run. Each run has
 * one decision, except for these samples; the first run gets it as soon as enough is known. A later
 * run changes the decision only for a clear gain, so that noise does not flip it. Each run halves
 * the weight of earlier measurements, as far as the same is still measured. Owner's thread; pure:
 * time is an argument. */
#ifndef GSI_CODEC_CHOICE_H
#define GSI_CODEC_CHOICE_H

#include "base/choices.h"

struct gsi_codec_choice {
    enum gsi_compress_choice way; /* AUTO: measured; NONE: never; else always */
    uint32_t thread_count;
    bool is_coding;                         /* the decision for this run */
    bool is_decided;                        /* the decision is fixed until the end of the run */
    uint64_t run_frames;                    /* frames of this run so far */
    uint32_t samples_due;                   /* first-run frames still to be coded as samples */
    uint32_t coded_frames, raw_writes;      /* in all, counted up to the number that is needed */
    double raw_bytes, coded_bytes, code_ns; /* of coded frames */
    double written_bytes, written_ns;       /* of raw writes */
    uint64_t under_way, since_ns;           /* raw writes in progress; counted up to then */
};

/* gsi_codec_choice_make: returns the initial choice; way NONE if there is no codec. */
struct gsi_codec_choice gsi_codec_choice_make(enum gsi_compress_choice way, uint32_t thread_count);

/* gsi_codec_choice_begin_run: begins a run.
 * gsi_codec_choice_next: counts a frame of the run; returns whether to code it. */
void gsi_codec_choice_begin_run(struct gsi_codec_choice *choice);
bool gsi_codec_choice_next(struct gsi_codec_choice *choice);

/* Measurements: a frame was coded; the write of a raw frame began, and ended. */
void gsi_codec_choice_coded(struct gsi_codec_choice *choice, uint64_t raw_bytes,
                            uint64_t coded_bytes, uint64_t ns);
void gsi_codec_choice_write_begins(struct gsi_codec_choice *choice, uint64_t now_ns);
void gsi_codec_choice_write_ends(struct gsi_codec_choice *choice, uint64_t bytes, uint64_t now_ns);

#endif
