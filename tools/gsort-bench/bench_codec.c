/* bench_codec.c: how fast one thread codes and decodes frames, and how small they become, by data.
 *
 * `planes` splits keys into byte planes of differences and joins them again; `zstd` is that and
 * zstd at level 1, `deltas` differences in few bits, on frames of sorted keys as runs have them: 1
 * MiB out of a run of 16 MiB. Speeds are of raw bytes. What comes back is compared, outside the
 * clock. */
#include "bench.h"

#include "base/checked.h"
#include "base/clock.h"
#include "base/memory.h"
#include "device/cpu/cpu_leaf_sort.h"
#include "element/key_order.h"
#include "run/codec.h"
#include "run/planes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define KEY_BYTES   ((uint32_t)sizeof(uint64_t))
#define RUN_BYTES   ((uint64_t)16 << 20)
#define FRAME_BYTES ((uint64_t)1 << 20)
#define RUN_KEYS    (RUN_BYTES / KEY_BYTES)
#define FRAME_KEYS  (FRAME_BYTES / KEY_BYTES)

enum data { UNIFORM, TIMESTAMPS, ZIPF, NORMAL, DATA_COUNT };

enum { CODEC_COUNT = 2 };

static const enum gsi_codec_id ids[CODEC_COUNT] = {GSI_CODEC_ZSTD, GSI_CODEC_DELTAS};

/* By codec and data: encode, decode, and their ratio of sizes. */
static const char *const names[CODEC_COUNT][DATA_COUNT][3] = {
    {{"zstd: encode uniform", "zstd: decode uniform", "zstd: uniform"},
     {"zstd: encode timestamps", "zstd: decode timestamps", "zstd: timestamps"},
     {"zstd: encode zipf", "zstd: decode zipf", "zstd: zipf"},
     {"zstd: encode normal f64", "zstd: decode normal f64", "zstd: normal f64"}},
    {{"deltas: encode uniform", "deltas: decode uniform", "deltas: uniform"},
     {"deltas: encode timestamps", "deltas: decode timestamps", "deltas: timestamps"},
     {"deltas: encode zipf", "deltas: decode zipf", "deltas: zipf"},
     {"deltas: encode normal f64", "deltas: decode normal f64", "deltas: normal f64"}},
};

static double unit(uint64_t i)
{
    return ((double)(gsi_mix_u64(i) >> 11) + 0.5) / 9007199254740992.0; /* in (0, 1) */
}

/* Element i: any u64; microseconds of a year; ranks of weight 1 / rank up to 2^30; a key of a
 * normal number, by Box and Muller. */
static uint64_t key_at(enum data data, uint64_t i)
{
    switch (data) {
    case TIMESTAMPS:
        return 1700000000000000u + (uint64_t)(unit(i) * 3.1536e13);
    case ZIPF:
        return (uint64_t)exp(unit(i) * log(1073741824.0));
    case NORMAL: {
        double x = sqrt(-2 * log(unit(2 * i))) * cos(6.283185307179586 * unit(2 * i + 1));
        uint64_t bits;
        memcpy(&bits, &x, sizeof bits);
        return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
    }
    default:
        return gsi_mix_u64(i);
    }
}

struct codec_bench {
    struct gsi_codec codecs[CODEC_COUNT];
    uint64_t *keys, *frame; /* RUN_KEYS of one run after another; FRAME_KEYS */
    uint8_t *planes;        /* FRAME_BYTES */
};

static enum gs_status wrong(const char *name, struct gs_error *error)
{
    return gsi_fail(error, GS_E_VERIFY, 0, "%s: what came back is not what was coded", name);
}

static enum gs_status measure_planes(struct codec_bench *bench, struct bench_row *split,
                                     struct bench_row *join, struct gs_error *error)
{
    uint64_t split_ns = 0, join_ns = 0;
    for (uint64_t at = 0; at < RUN_KEYS; at += FRAME_KEYS) {
        uint64_t begin = gsi_clock_ns();
        struct gsi_planes which = gsi_planes_of(KEY_BYTES, bench->keys + at, FRAME_KEYS);
        gsi_planes_split(KEY_BYTES, bench->keys + at, FRAME_KEYS, which, bench->planes);
        uint64_t middle = gsi_clock_ns();
        gsi_planes_join(KEY_BYTES, bench->planes, FRAME_KEYS, which,
                        (const uint8_t *)(bench->keys + at), bench->frame);
        split_ns += middle - begin;
        join_ns += gsi_clock_ns() - middle;
        if (memcmp(bench->frame, bench->keys + at, FRAME_BYTES) != 0)
            return wrong(split->name, error);
    }
    bench_row_sample(split, RUN_BYTES, split_ns);
    bench_row_sample(join, RUN_BYTES, join_ns);
    return GS_OK;
}

/* One sample of each row and of the ratio of sizes: raw bytes by coded bytes. */
static enum gs_status measure_data(struct codec_bench *bench, const struct gsi_codec *codec,
                                   enum data data, struct bench_row *encode,
                                   struct bench_row *decode, struct bench_row *ratio,
                                   struct gs_error *error)
{
    const uint64_t *keys = bench->keys + data * RUN_KEYS;
    struct gsi_coder *coder = gsi_codec_coder(codec, 0);
    uint64_t encode_ns = 0, decode_ns = 0, coded_bytes = 0;
    for (uint64_t at = 0; at < RUN_KEYS; at += FRAME_KEYS) {
        memcpy(bench->frame, keys + at, FRAME_BYTES);
        struct gsi_packed_keys packed = {0};
        uint64_t begin = gsi_clock_ns();
        size_t bytes =
            gsi_coder_encode(coder, KEY_BYTES, bench->frame, FRAME_KEYS, FRAME_BYTES, &packed);
        uint64_t middle = gsi_clock_ns();
        packed.is_packed = false;
        bool is_good = bytes == 0 ||
                       gsi_coder_decode(coder, KEY_BYTES, bench->frame, bytes, FRAME_KEYS, &packed);
        encode_ns += middle - begin;
        decode_ns += gsi_clock_ns() - middle;
        coded_bytes += bytes > 0 ? bytes : FRAME_BYTES;
        if (!is_good || memcmp(bench->frame, keys + at, FRAME_BYTES) != 0)
            return wrong(encode->name, error);
    }
    bench_row_sample(encode, RUN_BYTES, encode_ns);
    bench_row_sample(decode, RUN_BYTES, decode_ns);
    ratio->samples[ratio->sample_count++] = (double)coded_bytes / (double)RUN_BYTES;
    return GS_OK;
}

static enum gs_status measure(struct codec_bench *bench, uint32_t repeat_count,
                              struct bench_report *report, struct gs_error *error)
{
    struct bench_row *rows[CODEC_COUNT][DATA_COUNT][2], *ratios[CODEC_COUNT][DATA_COUNT];
    enum gs_status status = GS_OK;
    report->ratio_text = "coded bytes by raw bytes";
    struct bench_row *split =
        bench_row_add(report, (struct bench_row){.name = "split planes", .thread_count = 1});
    struct bench_row *join =
        bench_row_add(report, (struct bench_row){.name = "join planes", .thread_count = 1});
    for (int c = 0; c < CODEC_COUNT; c++)
        for (int d = 0; d < DATA_COUNT; d++) {
            for (int way = 0; way < 2; way++)
                rows[c][d][way] = bench_row_add(
                    report, (struct bench_row){.name = names[c][d][way], .thread_count = 1});
            ratios[c][d] = bench_ratio_add(report, names[c][d][2]);
        }
    for (uint32_t repeat = 0; repeat < repeat_count; repeat++) {
        bench_round(repeat, repeat_count);
        GSI_TRY_OR(measure_planes(bench, split, join, error), done);
        for (int c = 0; c < CODEC_COUNT; c++)
            for (int d = 0; d < DATA_COUNT; d++)
                GSI_TRY_OR(measure_data(bench, &bench->codecs[c], (enum data)d, rows[c][d][0],
                                        rows[c][d][1], ratios[c][d], error),
                           done);
    }
done:
    bench_round(repeat_count, repeat_count);
    return status;
}

enum gs_status bench_codec(const struct bench_settings *settings, struct bench_report *report,
                           struct gs_error *error)
{
    struct codec_bench bench = {0};
    struct gsi_ledger ledger = {.ceiling_bytes = UINT64_MAX};
    void *keys = NULL, *frame = NULL, *planes = NULL;
    enum gs_status status = GS_OK;
    GSI_TRY_OR(gsi_memory_map(&ledger, GSI_MEMORY_DATA, DATA_COUNT * RUN_BYTES, &keys, error),
               done);
    GSI_TRY_OR(gsi_memory_map(&ledger, GSI_MEMORY_DATA, FRAME_BYTES, &frame, error), done);
    GSI_TRY_OR(gsi_memory_map(&ledger, GSI_MEMORY_DATA, FRAME_BYTES, &planes, error), done);
    for (int c = 0; c < CODEC_COUNT; c++)
        GSI_TRY_OR(gsi_codec_open(&bench.codecs[c], &ledger, ids[c], 1, FRAME_BYTES, 1, error),
                   done);
    bench.keys = keys;
    bench.frame = frame;
    bench.planes = planes;
    for (uint64_t d = 0; d < DATA_COUNT; d++) {
        for (uint64_t i = 0; i < RUN_KEYS; i++)
            bench.keys[d * RUN_KEYS + i] = key_at((enum data)d, i);
        gsi_leaf_sort(KEY_BYTES, bench.keys + d * RUN_KEYS, RUN_KEYS);
    }
    GSI_TRY_OR(measure(&bench, settings->repeat_count, report, error), done);
done:
    for (int c = 0; c < CODEC_COUNT; c++)
        gsi_codec_close(&bench.codecs[c]);
    if (keys != NULL)
        gsi_memory_unmap(&ledger, GSI_MEMORY_DATA, keys, DATA_COUNT * RUN_BYTES);
    if (frame != NULL)
        gsi_memory_unmap(&ledger, GSI_MEMORY_DATA, frame, FRAME_BYTES);
    if (planes != NULL)
        gsi_memory_unmap(&ledger, GSI_MEMORY_DATA, planes, FRAME_BYTES);
    return status;
}
