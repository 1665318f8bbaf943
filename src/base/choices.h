/* choices.h: defines the values that options of a job choose from. Any folder may use them; only
 * the job sees which were chosen (option/options.h). */
#ifndef GSI_CHOICES_H
#define GSI_CHOICES_H

#include "gsort.h"

#define GSI_FIELDS_MAX    64 /* fields of a record: keys, or those with statistics */
#define GSI_QUANTILES_MAX 64
#define GSI_BINS_MAX      1024 /* of a histogram */
#define GSI_SPLIT_MAX     256  /* files of an output */
#define GSI_VALUES_MAX    16   /* files that are sorted along */

/* A text of a key or field, as given or as a .npy header names it; a longer one without its middle.
 */
#define GSI_FIELD_TEXT_BYTES 96
#define GSI_VALUE_TEXT_BYTES 128

enum gsi_io_choice { GSI_IO_AUTO = 0, GSI_IO_URING, GSI_IO_THREADS };

enum gsi_device_word {
    GSI_DEVICE_AUTO = 0, /* a GPU if there is one and the input is large enough, else the CPU */
    GSI_DEVICE_CPU,
    GSI_DEVICE_CUDA /* a GPU; the CPU only if the GPU's memory is too small */
};

/* The codecs of spilled frames, in the order of help, with a row each (run/codec.h has the rest):
 *
 *     row(NAME, word, number, levels)
 *
 * --compress=WORD requests a codec. A level from 1 to `levels` may follow the word (:LEVEL); 0: no
 * level may. The number is stored in frames on disk, so it is never reused. Raw frames have 0, and
 * records coded by zstd may have 3. */
#define GSI_CODECS(row)                                  \
    row(DELTAS, deltas, 2u, 0u /* run/codec_deltas.c */) \
        row(ZSTD, zstd, 1u, GSI_ZSTD_LEVEL_MAX /* run/codec_zstd.c */)
#define GSI_CODEC_CHOICE(NAME, ...) GSI_COMPRESS_##NAME,

/* How spilled frames are stored: raw; coded; or, run by run, in the way that was measured to be
 * faster. */
enum gsi_compress_choice {
    GSI_COMPRESS_AUTO = 0,
    GSI_COMPRESS_NONE,
    GSI_CODECS(GSI_CODEC_CHOICE) GSI_COMPRESS_COUNT
};

/* The elements of a group of equal keys that are written. FIRST, LAST: the first or the last in the
 * input. SINGLES: the element of a group of one. DUPS, REPEATED: of a larger group, the first
 * element or all elements. */
enum gsi_keep_choice {
    GSI_KEEP_FIRST = 0,
    GSI_KEEP_LAST,
    GSI_KEEP_SINGLES,
    GSI_KEEP_DUPS,
    GSI_KEEP_REPEATED
};

/* Which elements a merge of files keeps, by how many elements of each file have a key. UNION keeps
 * as many as the file with the most has, and XOR all if only one file has the key. The others keep
 * elements of the first file: INTERSECT keeps as many as the file with the fewest has, EXCEPT those
 * that are more than in all other files. SEMI keeps all if another file has the key, ANTI keeps all
 * if none has. */
enum gsi_set {
    GSI_SET_NONE = 0,
    GSI_SET_UNION,
    GSI_SET_INTERSECT,
    GSI_SET_EXCEPT,
    GSI_SET_SEMI,
    GSI_SET_ANTI,
    GSI_SET_XOR
};

/* The place of NaNs and NaTs: last in ascending order and first in descending, for each key
 * separately; or always first; or always last. */
enum gsi_nan_place { GSI_NAN_WITH_ORDER = 0, GSI_NAN_FIRST, GSI_NAN_LAST };

/* The kernels by which a GPU merges two runs, and their words in --tune=merge=WORD. Merges of more
 * runs always use tiles. The report names them (report_rows.c, plan_text.c). */
#define GSI_MERGE_KERNELS(row)              row(TILED, "tiles") row(CIRCULAR, "circular")
#define GSI_MERGE_KERNEL_NUMBER(name, word) GSI_MERGE_##name,
enum gsi_merge_kernel { GSI_MERGE_KERNELS(GSI_MERGE_KERNEL_NUMBER) GSI_MERGE_KERNEL_COUNT };

static inline const char *gsi_merge_kernel_word(enum gsi_merge_kernel kernel)
{
#define GSI_MERGE_KERNEL_WORD(name, word) word,
    static const char *const words[] = {GSI_MERGE_KERNELS(GSI_MERGE_KERNEL_WORD)};
    return words[kernel];
}

/* Merges of two runs: their kernel, and how many were made by another kernel than tiles. */
struct gsi_pair_merges {
    enum gsi_merge_kernel kernel;
    uint64_t count;
};

/* The byte order of the numbers that are written. */
enum gsi_byte_order { GSI_ORDER_AS_READ = 0, GSI_ORDER_LITTLE, GSI_ORDER_BIG };

/* The largest values of some options; larger ones fail with GS_E_USAGE. */
#define GSI_THREADS_MAX    1024u
#define GSI_FAN_IN_MAX     (1u << 20)
#define GSI_ZSTD_LEVEL_MAX 19u
#define GSI_MODEL_GPUS_MAX 16u

/* GPUs of a host, which need not exist, and the limits of their speed; rates are bytes per second.
 * Names are those of --device-model. */
struct gsi_device_model {
    char name[48];        /* of one GPU; empty: "GPU" */
    uint32_t gpus;        /* 1 to GSI_MODEL_GPUS_MAX; they work as one */
    uint64_t memory;      /* of each, free */
    double to_gpu;        /* from pinned host memory to all GPUs at once */
    double from_gpu;      /* from all GPUs at once to host memory */
    double peer;          /* from one GPU to another; ignored for one GPU */
    double input, output; /* inputs to host memory, host memory to output; 0: memory */
    double sort, merge;   /* of keys, or tags of records, on one GPU; 0: an H200's rates */
    double start_seconds; /* before anything is read */
};

/* Statistics that need the sorted order, such as quantiles. They describe the numbers, or the first
 * key of records, which must be a number. */
struct gsi_order_statistics {
    /* Fractions as decimals from "0" to "1" or "median", at most GSI_QUANTILES_MAX. With GS_STATS
     * they describe the first field with statistics; files are then read up to three times. */
    const char *const *quantiles;
    size_t quantile_count;
    bool distinct; /* number of distinct values, as with `unique` */
    bool mode;     /* the most frequent value */
    /* For the same values as quantiles: bins of equal width between the least and the greatest
     * value, at most GSI_BINS_MAX; 0: none. With GS_STATS files are read at least twice. */
    uint32_t bins;
};

/* Receives notes on events that are no failures: an assumed type, or omitted bytes. */
struct gsi_listener {
    /* Called with a line, at most a few times, from the calling thread; NULL: no listener. */
    void (*note)(void *context, const char *text);
    void *context;
};

#endif
