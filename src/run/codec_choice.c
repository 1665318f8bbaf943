/* codec_choice.c: weighs disk time against processor time. */
#include "run/codec_choice.h"

#include "base/checked.h"

/* Enough for a decision. */
#define SAMPLE_FRAMES 4u
#define SAMPLE_WRITES 8u

/* Time of decoding divided by time of encoding (measured: 0.65 to 0.75 for deltas, 0.3 to 0.55 for
 * zstd). */
#define DECODE_RATIO 0.6

/* Coding starts only if its estimated time is less than this fraction of the time without coding.
 * The processors have other work, and while they do it the disk's time costs nothing. Coding
 * continues while its time is no longer than the time without. Random numbers keep 0.69 of their
 * size, so with 0.7 they would never be coded. */
#define CLEAR_GAIN 0.85

struct gsi_codec_choice gsi_codec_choice_make(enum gsi_compress_choice way, uint32_t thread_count)
{
    return (struct gsi_codec_choice){.way = way,
                                     .thread_count = thread_count,
                                     .is_coding =
                                         way != GSI_COMPRESS_NONE && way != GSI_COMPRESS_AUTO,
                                     .samples_due = SAMPLE_FRAMES};
}

void gsi_codec_choice_begin_run(struct gsi_codec_choice *choice)
{
    choice->run_frames = 0;
    choice->is_decided = choice->way != GSI_COMPRESS_AUTO;
    choice->raw_bytes /= 2;
    choice->coded_bytes /= 2;
    choice->code_ns /= 2;
    if (choice->is_coding)
        return;
    choice->written_bytes /= 2;
    choice->written_ns /= 2;
}

static void decide(struct gsi_codec_choice *choice)
{
    double disk_ns = 2 * choice->written_ns / choice->written_bytes; /* per byte, out and back */
    double part = choice->coded_bytes / choice->raw_bytes;
    double code_ns = choice->code_ns / choice->raw_bytes * (1 + DECODE_RATIO);
    double gain = choice->is_coding ? 1 : CLEAR_GAIN;
    choice->is_coding = part * disk_ns + code_ns / choice->thread_count < gain * disk_ns;
    choice->is_decided = true;
}

bool gsi_codec_choice_next(struct gsi_codec_choice *choice)
{
    bool is_known = choice->coded_frames >= SAMPLE_FRAMES && choice->raw_writes >= SAMPLE_WRITES;
    bool is_sample = choice->run_frames++ == 0 || choice->samples_due > 0;
    if (choice->way != GSI_COMPRESS_AUTO)
        return choice->is_coding;
    if (!choice->is_decided && is_known)
        decide(choice);
    if (is_sample && choice->samples_due > 0)
        choice->samples_due--;
    return choice->is_coding || is_sample;
}

void gsi_codec_choice_coded(struct gsi_codec_choice *choice, uint64_t raw_bytes,
                            uint64_t coded_bytes, uint64_t ns)
{
    choice->coded_frames = (uint32_t)gsi_min_u64(choice->coded_frames + 1, SAMPLE_FRAMES);
    choice->raw_bytes += (double)raw_bytes;
    choice->coded_bytes += (double)coded_bytes;
    choice->code_ns += (double)ns;
}

static void count_time(struct gsi_codec_choice *choice, uint64_t now_ns)
{
    if (choice->under_way > 0)
        choice->written_ns += (double)(now_ns - choice->since_ns);
    choice->since_ns = now_ns;
}

void gsi_codec_choice_write_begins(struct gsi_codec_choice *choice, uint64_t now_ns)
{
    count_time(choice, now_ns);
    choice->under_way++;
}

void gsi_codec_choice_write_ends(struct gsi_codec_choice *choice, uint64_t bytes, uint64_t now_ns)
{
    count_time(choice, now_ns);
    choice->under_way--;
    choice->raw_writes = (uint32_t)gsi_min_u64(choice->raw_writes + 1, SAMPLE_WRITES);
    choice->written_bytes += (double)bytes;
}
