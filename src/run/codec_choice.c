/* codec_choice.c: compares the disk time that compression saves with the processor time that it
 * costs. */
#include "run/codec_choice.h"

#include "base/checked.h"

/* A decision needs measurements of this many coded frames and raw writes. */
#define SAMPLE_FRAMES 4u
#define SAMPLE_WRITES 8u

/* Time of decoding divided by time of encoding (measured: 0.65 to 0.75 for deltas, 0.3 to 0.55 for
 * zstd). */
#define DECODE_RATIO 0.6

/* Coding starts only if its estimated time is less than this fraction of the time without coding.
 * The fraction is below 1 because processors also sort, and the disk works at the same time. Coding
 * stops if its time is more than the time without coding. The fraction is above 0.7 because random
 * numbers keep 0.69 of their size, and coding them is still useful. */
#define CLEAR_GAIN 0.85

struct gsi_codec_choice gsi_codec_choice_make(enum gsi_compress_choice mode, uint32_t thread_count)
{
    return (struct gsi_codec_choice){.mode = mode,
                                     .thread_count = thread_count,
                                     .is_coding =
                                         mode != GSI_COMPRESS_NONE && mode != GSI_COMPRESS_AUTO,
                                     .samples_due = SAMPLE_FRAMES};
}

void gsi_codec_choice_begin_run(struct gsi_codec_choice *choice)
{
    choice->run_frames = 0;
    choice->is_decided = choice->mode != GSI_COMPRESS_AUTO;
    choice->raw_bytes /= 2;
    choice->coded_bytes /= 2;
    choice->code_ns /= 2;
    if (choice->is_coding)
        return;
    choice->written_bytes /= 2;
    choice->written_ns /= 2;
}

static void decide_coding(struct gsi_codec_choice *choice)
{
    double disk_ns =
        2 * choice->written_ns / choice->written_bytes; /* per byte, written and read */
    double ratio = choice->coded_bytes / choice->raw_bytes;
    double code_ns = choice->code_ns / choice->raw_bytes * (1 + DECODE_RATIO);
    double gain = choice->is_coding ? 1 : CLEAR_GAIN;
    choice->is_coding = ratio * disk_ns + code_ns / choice->thread_count < gain * disk_ns;
    choice->is_decided = true;
}

bool gsi_codec_choice_next_frame(struct gsi_codec_choice *choice)
{
    bool is_known = choice->coded_frames >= SAMPLE_FRAMES && choice->raw_writes >= SAMPLE_WRITES;
    bool is_sample = choice->run_frames++ == 0 || choice->samples_due > 0;
    if (choice->mode != GSI_COMPRESS_AUTO)
        return choice->is_coding;
    if (!choice->is_decided && is_known)
        decide_coding(choice);
    if (is_sample && choice->samples_due > 0)
        choice->samples_due--;
    return choice->is_coding || is_sample;
}

void gsi_codec_choice_frame_coded(struct gsi_codec_choice *choice, uint64_t raw_bytes,
                                  uint64_t coded_bytes, uint64_t ns)
{
    choice->coded_frames = (uint32_t)gsi_min_u64(choice->coded_frames + 1, SAMPLE_FRAMES);
    choice->raw_bytes += (double)raw_bytes;
    choice->coded_bytes += (double)coded_bytes;
    choice->code_ns += (double)ns;
}

static void add_write_time(struct gsi_codec_choice *choice, uint64_t now_ns)
{
    if (choice->writes_in_flight > 0)
        choice->written_ns += (double)(now_ns - choice->counted_until_ns);
    choice->counted_until_ns = now_ns;
}

void gsi_codec_choice_write_begins(struct gsi_codec_choice *choice, uint64_t now_ns)
{
    add_write_time(choice, now_ns);
    choice->writes_in_flight++;
}

void gsi_codec_choice_write_ends(struct gsi_codec_choice *choice, uint64_t bytes, uint64_t now_ns)
{
    add_write_time(choice, now_ns);
    choice->writes_in_flight--;
    choice->raw_writes = (uint32_t)gsi_min_u64(choice->raw_writes + 1, SAMPLE_WRITES);
    choice->written_bytes += (double)bytes;
}
