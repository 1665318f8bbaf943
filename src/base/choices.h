/* choices.h: defines the values that options of a job can have. All folders may use these types.
 * Only src/job knows which values the user chose (option/options.h). */
#ifndef GSI_CHOICES_H
#define GSI_CHOICES_H

#include "gsort.h"

#define GSI_FIELDS_MAX    64 /* of a record: its keys, or its fields with statistics */
#define GSI_QUANTILES_MAX 64
#define GSI_BINS_MAX      1024 /* of a histogram */
#define GSI_SPLIT_MAX     256  /* files of an output */
#define GSI_VALUES_MAX    16   /* files of --values */

/* Bytes of the text of a key or field, as the user or a .npy header wrote it. Longer texts lose
 * their middle. */
#define GSI_FIELD_TEXT_BYTES 96
#define GSI_VALUE_TEXT_BYTES 128

enum gsi_io_choice { GSI_IO_AUTO = 0, GSI_IO_URING, GSI_IO_THREADS };

enum gsi_device_word {
    GSI_DEVICE_AUTO = 0, /* a GPU if there is one and the input is large enough, else the CPU */
    GSI_DEVICE_CPU,
    GSI_DEVICE_CUDA /* a GPU; the CPU only if the GPU's memory is too small */
};

/* The codecs of frames, the blocks of a sorted run on disk. The help lists them in this order
 * (run/codec.h declares their functions):
 *
 *     row(NAME, word, number, levels)
 *
 * --compress=WORD requests a codec. A level from 1 to `levels` may follow the word (:LEVEL); 0: no
 * level may. Each frame on disk stores the number of its codec, so numbers are never reused. The
 * number of uncompressed frames is 0, and 3 is one of records that zstd compressed. */
#define GSI_CODECS(row)                                  \
    row(DELTAS, deltas, 2u, 0u /* run/codec_deltas.c */) \
        row(ZSTD, zstd, 1u, GSI_ZSTD_LEVEL_MAX /* run/codec_zstd.c */)
#define GSI_CODEC_CHOICE(NAME, ...) GSI_COMPRESS_##NAME,

/* How frames are stored on disk. AUTO: each run uses the codec that was measured to be faster.
 * NONE: frames are not compressed. */
enum gsi_compress_choice {
    GSI_COMPRESS_AUTO = 0,
    GSI_COMPRESS_NONE,
    GSI_CODECS(GSI_CODEC_CHOICE) GSI_COMPRESS_COUNT
};

/* Which elements of a group of equal keys are written. FIRST, LAST: the first or the last element
 * in the order of the input. SINGLES: the element of a group of one. DUPS, REPEATED: the first
 * element, or all elements, of a group of at least two. */
enum gsi_keep_choice {
    GSI_KEEP_FIRST = 0,
    GSI_KEEP_LAST,
    GSI_KEEP_SINGLES,
    GSI_KEEP_DUPS,
    GSI_KEEP_REPEATED
};

/* Set operations: how many elements with a key the merge of files keeps. Counts are the numbers of
 * elements with this key in each file.
 * UNION keeps the largest count. XOR keeps all elements if only one file has the key.
 * All others keep elements of the first file. INTERSECT keeps the smallest count. EXCEPT keeps the
 * count of the first file minus the counts of all others. SEMI keeps all if another file has the
 * key. ANTI keeps all if no other file has it. */
enum gsi_set {
    GSI_SET_NONE = 0,
    GSI_SET_UNION,
    GSI_SET_INTERSECT,
    GSI_SET_EXCEPT,
    GSI_SET_SEMI,
    GSI_SET_ANTI,
    GSI_SET_XOR
};

/* Where NaNs and NaTs are sorted. WITH_ORDER: each key has them last if it ascends, first if it
 * descends. FIRST, LAST: always there. */
enum gsi_nan_place { GSI_NAN_WITH_ORDER = 0, GSI_NAN_FIRST, GSI_NAN_LAST };

/* The GPU kernels that merge two runs, and their words in --tune=merge=WORD and in reports. Merges
 * of more than two runs always use TILED. */
#define GSI_MERGE_KERNELS(row)              row(TILED, "tiles") row(CIRCULAR, "circular")
#define GSI_MERGE_KERNEL_NUMBER(name, word) GSI_MERGE_##name,
enum gsi_merge_kernel { GSI_MERGE_KERNELS(GSI_MERGE_KERNEL_NUMBER) GSI_MERGE_KERNEL_COUNT };

static inline const char *gsi_merge_kernel_word(enum gsi_merge_kernel kernel)
{
#define GSI_MERGE_KERNEL_WORD(name, word) word,
    static const char *const words[] = {GSI_MERGE_KERNELS(GSI_MERGE_KERNEL_WORD)};
    return words[kernel];
}

/* Report on merges of two runs: the chosen kernel, and how many merges used another kernel than
 * TILED. */
struct gsi_pair_merges {
    enum gsi_merge_kernel kernel;
    uint64_t count;
};

/* The byte order of numbers in the output. */
enum gsi_byte_order { GSI_ORDER_AS_READ = 0, GSI_ORDER_LITTLE, GSI_ORDER_BIG };

/* The largest values of some options; larger ones fail with GS_E_USAGE. */
#define GSI_THREADS_MAX    1024u
#define GSI_FAN_IN_MAX     (1u << 20)
#define GSI_ZSTD_LEVEL_MAX 19u
#define GSI_MODEL_GPUS_MAX 16u

/* A model of a host with GPUs, to predict times for a machine that may not exist. Rates are bytes
 * per second. Members have the names of --device-model. */
struct gsi_device_model {
    char name[48];        /* of one GPU; empty: "GPU" */
    uint32_t gpus;        /* 1 to GSI_MODEL_GPUS_MAX; all GPUs sort one input together */
    uint64_t memory;      /* free bytes of each GPU */
    double to_gpu;        /* from pinned host memory to all GPUs at once */
    double from_gpu;      /* from all GPUs at once to host memory */
    double peer;          /* from one GPU to another; ignored for one GPU */
    double input, output; /* inputs to host memory, host memory to output; 0: memory */
    double sort, merge;   /* of keys, or tags of records, on one GPU; 0: an H200's rates */
    double start_seconds; /* time before the first read */
};

/* Statistics that need the sorted order, such as quantiles. They describe the sorted numbers. If
 * records are sorted, they describe the first key, which must be a number. */
struct gsi_order_statistics {
    /* Fractions as decimals from "0" to "1" or "median", at most GSI_QUANTILES_MAX. With GS_STATS,
     * quantiles describe the first field with statistics, and gsort reads files up to three
     * times. */
    const char *const *quantiles;
    size_t quantile_count;
    bool distinct; /* report the number of distinct values */
    bool mode;     /* report the most frequent value */
    /* Bins of a histogram of the same values, of equal width between the least and the greatest
     * value; 0: no histogram. At most GSI_BINS_MAX. With GS_STATS, gsort reads files at least
     * twice. */
    uint32_t bins;
};

/* Receives notes: lines on events that are not failures, such as an assumed type or omitted
 * bytes. */
struct gsi_listener {
    /* Called with one line, a few times per job, on the job's thread; NULL: notes are dropped. */
    void (*note)(void *context, const char *text);
    void *context;
};

#endif
