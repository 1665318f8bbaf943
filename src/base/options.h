/* options.h: what is asked of a job, as jobs read it. gs_job makes it of texts (src/option,
 * src/api). */
#ifndef GSI_OPTIONS_H
#define GSI_OPTIONS_H

#include "gsort.h"

enum gsi_io_choice { GSI_IO_AUTO = 0, GSI_IO_URING, GSI_IO_THREADS };

enum gsi_device_word {
    GSI_DEVICE_AUTO = 0, /* a GPU where there is one and the input is large enough, else the CPU */
    GSI_DEVICE_CPU,
    GSI_DEVICE_CUDA /* a GPU; the CPU only if the GPU's memory is too small */
};

/* How spilled frames are stored: raw; coded; or, run by run, in the way that is measured faster. */
enum gsi_compress_choice {
    GSI_COMPRESS_AUTO = 0,
    GSI_COMPRESS_NONE,
    GSI_COMPRESS_ZSTD,
    GSI_COMPRESS_DELTAS
};

/* Which of a group of equal keys is written, one at most: the first or the last of the input; the
 * only one of those that are alone; the first of those that are not. */
enum gsi_keep_choice {
    GSI_KEEP_FIRST = 0,
    GSI_KEEP_LAST,
    GSI_KEEP_SINGLES,
    GSI_KEEP_DUPS,
    GSI_KEEP_REPEATED
};

/* Which elements a merge of files keeps, by how many elements of each file have a key. UNION keeps
 * as many as the file with the most has, and XOR all if only one file has the key. The others keep
 * elements of the first file: INTERSECT as many as the file with the fewest has, EXCEPT those that
 * are more than in all other files, SEMI all if another file has the key, ANTI all if none has. */
enum gsi_set {
    GSI_SET_NONE = 0,
    GSI_SET_UNION,
    GSI_SET_INTERSECT,
    GSI_SET_EXCEPT,
    GSI_SET_SEMI,
    GSI_SET_ANTI,
    GSI_SET_XOR
};

/* Where NaNs and NaTs come: last in ascending order and first in descending, each key in its own;
 * or always there. */
enum gsi_nan_place { GSI_NAN_WITH_ORDER = 0, GSI_NAN_FIRST, GSI_NAN_LAST };

/* The order of bytes in the numbers that are written. */
enum gsi_byte_order { GSI_ORDER_AS_READ = 0, GSI_ORDER_LITTLE, GSI_ORDER_BIG };

/* The largest values of some options; larger ones fail with GS_E_USAGE. */
#define GSI_THREADS_MAX    1024u
#define GSI_FAN_IN_MAX     (1u << 20)
#define GSI_ZSTD_LEVEL_MAX 19u
#define GSI_MODEL_GPUS_MAX 16u

/* GPUs of a host that need not be there, and what limits their work; rates are bytes a second.
 * Names are those of --device-model. */
struct gsi_device_model {
    char name[48];        /* of one of them; empty: "GPU" */
    uint32_t gpus;        /* 1 to GSI_MODEL_GPUS_MAX; they work as one */
    uint64_t memory;      /* of each, free */
    double to_gpu;        /* from pinned host memory to all of them at once */
    double from_gpu;      /* from all of them at once to host memory */
    double peer;          /* from one to another; of one GPU: not looked at */
    double input, output; /* inputs to host memory, host memory to output; 0: they are memory */
    double sort, merge;   /* of keys, or the tags of records, on one; 0: those of an H200 */
    double start_seconds; /* before anything is read */
};

/* Statistics that follow from the order: of numbers, and of records of their first key, which is a
 * number. */
struct gsi_order_statistics {
    /* Fractions as decimals from "0" to "1" or "median", GSI_QUANTILES_MAX at most. With GS_STATS
     * they are of the first field with statistics; files are read up to three times then. */
    const char *const *quantiles;
    size_t quantile_count;
    bool distinct; /* how many values differ, as with `unique` */
    bool mode;     /* the most frequent value */
    /* As quantiles: bins of equal width between the least and the greatest value, GSI_BINS_MAX at
     * most; 0: none. With GS_STATS files are read at least twice. */
    uint32_t bins;
};

/* Who is told what is worth knowing though nothing failed: a type that was assumed, or bytes that
 * were left out. */
struct gsi_listener {
    /* Called with a line, a few times at most, from the calling thread; NULL: nobody listens. */
    void (*note)(void *context, const char *text);
    void *context;
};

/* What to do, by concept. Zeros are the defaults. */
struct gsi_options {
    enum gs_action action;

    /* ---- input ---- */

    const char *const *inputs; /* "-" is stdin; none means stdin */
    size_t input_count;
    /* input_count of them: where readers[i].read is not NULL it takes the place of a file, and
     * inputs[i] is its name, in messages and for its type. NULL: all inputs are files. */
    const struct gs_reader *readers;
    const char *type;      /* name of an element type; NULL: what names of files say, else u64 */
    bool strict;           /* fail where it would be u64 because nothing says the type */
    uint32_t record_bytes; /* bytes of a record, 1 to 65536; 0: numbers */
    uint64_t header_bytes; /* of every input, not sorted; the first input's begin the output, */
    bool drop_header; /* unless this is set; of .npy files, too: their data are written alone */
    bool drop_tail;   /* leave out what is left over behind the last whole element */
    bool raw;         /* take every input as it is: no format is looked for in data or names */
    /* With has_region only these bytes of the input, which is one file; UINT64_MAX: all from there
     * on. No format is looked for in there. */
    bool has_region;
    uint64_t region_off, region_bytes;
    /* With has_range only elements range_first to range_first + range_count - 1 of the inputs,
     * which are files and one list; a range_count of UINT64_MAX is all from there on. */
    bool has_range;
    uint64_t range_first, range_count;
    /* Conditions that an element has to meet, all of them; others are left out before anything is
     * counted or sorted. Of numbers "<op>VALUE", of records "OFF:TYPE<op>VALUE", of .npy files also
     * "NAME<op>VALUE"; the operators are == != < <= > >=. */
    const char *const *where;
    size_t where_count;
    /* "FILE:BYTES=OUTPUT", GSI_VALUES_MAX at most: files with as many values of BYTES each as there
     * are elements, which are sorted along with them, each to its own file. All outputs are regular
     * files and take their places at the end, `output` last. */
    const char *const *values;
    size_t value_count;

    /* ---- inputs that are sorted ---- */

    bool merge; /* merge them, checking that they are */
    /* With merge of 64 inputs at most, none packed: a set operation; with unique the inputs are
     * sets. Those that are streams are copied to the first of temp_dirs before. */
    enum gsi_set merge_set;
    /* With merge: only the report of what would be written is wanted. */
    bool merge_is_counted;
    /* With merge of files: of part_count parts of the output, which are equal but for one element,
     * only the one with this number, from 1 on. 0 of 0: all. */
    uint32_t part_number, part_count;
    /* What is looked for in sorted files: "VALUE", "LO..HI" with both ends, "LO.." or "..HI", of
     * records by the first key. A file that is seen not to be sorted is GS_E_INPUT. With merge,
     * statistics and checks that is all that there is. */
    const char *find;

    /* ---- order ---- */

    bool reverse;
    enum gsi_nan_place nan_place; /* of numbers, and of each key that is one */
    /* Keys of records: "OFF:TYPE[:desc]"; the first decides first. None: the record is one key of
     * bytes. */
    const char *const *keys;
    size_t key_count;
    bool ties_by_bytes; /* of records with equal keys all other bytes decide, in their order */
    /* With has_top the output is only the first top_count elements in order. Of records with equal
     * keys, those that come first in the input are taken. If the first top_count fit into memory,
     * the others are not sorted. */
    bool has_top;
    uint64_t top_count;
    /* With is_shuffled the order is random instead, and depends only on the seed and the number of
     * elements before each one. Without has_seed a seed is drawn. With is_sample, has_top is set as
     * well. */
    bool is_shuffled, has_seed, is_sample;
    uint64_t seed;

    /* ---- groups of equal keys ---- */

    bool unique;        /* only the first of equal keys; for a check, equal keys are disorder */
    bool unique_counts; /* behind each element how many had its key: a u64, little endian */
    enum gsi_keep_choice unique_keep; /* with unique */
    /* With unique, of records: the first group_keys keys make a group, while all keys make the
     * order, in which "first" and "last" are meant then. 0: all. */
    uint32_t group_keys;
    /* With unique, fields of records, "OFF:TYPE" or of .npy files "NAME", that the record which is
     * written has folded from all of its group: sums, minima, maxima. A sum that does not fit into
     * its field fails with GS_E_INPUT. With ":wide" behind it, or with sum_wide, a wider sum
     * stands behind the record instead, in this order, before its count: 8 bytes for integers of up
     * to 4, 16 for 8, 32 for 16, little endian; f64 for floats. */
    const char *const *sum_fields;
    size_t sum_field_count;
    const char *const *min_fields;
    size_t min_field_count;
    const char *const *max_fields;
    size_t max_field_count;
    bool sum_wide;

    /* ---- output ---- */

    const char *output; /* NULL or "-": stdout */
    /* Takes the place of the file, and `output` is its name, which says how to pack. NULL: it is a
     * file. */
    const struct gs_writer *writer;
    enum gsi_byte_order out_order; /* of the numbers that are written; GSI_ORDER_AS_READ */
    uint32_t output_zstd_level;    /* pack the output, 1 to 19; 0: at 1 if its name ends in .zst */
    bool verify_read; /* read the output, a file, back from the disk before it takes its place */
    /* What is written of each element in its stead. With argsort its position in the inputs, which
     * are one list, from 0 on: a u64, or with index_bytes of 4 a u32, little endian. With
     * out_fields bytes of records, "OFF:LEN" or of .npy files "NAME", in this order; bytes that
     * nobody needs are dropped as they are read. */
    const char *const *out_fields;
    size_t out_field_count;
    uint32_t index_bytes;
    bool argsort;
    /* Instead of one file several, at most GSI_SPLIT_MAX, which appear all at the end: `output` is
     * a pattern with one %d or %03d for their numbers, from 1 on, and %% for a percent sign. Either
     * split_count files of as many elements, but for one; or a file up to each value, of records of
     * the first key, and one for the rest: a file begins with the first element that does not come
     * before its value in the order. */
    const char *const *split_values;
    size_t split_value_count;
    uint32_t split_count;
    /* With merge of files: `output` is a file with room for all parts, of which this job writes the
     * one that it makes, or all, at its place. Whoever finds no file, or an empty one, makes it;
     * one of another length is refused. A job that fails leaves what it has written; it may be run
     * again.
     */
    bool into;

    /* ---- statistics ---- */

    /* Fields of records that get statistics: "OFF:TYPE". None: the first key that is a number. */
    const char *const *stats_fields;
    size_t stats_field_count;
    bool check_counts; /* for a check: duplicates, valsort's sum; all is read then, past disorder */
    bool variance;     /* tallies have mean and variance; of numbers of up to 8 bytes */
    struct gsi_order_statistics order_statistics;

    /* ---- resources ---- */

    uint64_t memory_bytes; /* ceiling for the whole process */
    /* memory_bytes is a share of what there is now. With resume_dir, a job that goes on uses what
     * the share was at first. */
    bool memory_is_share;
    uint32_t thread_count;        /* sorting and merging threads */
    uint32_t fan_in;              /* most runs merged at once */
    const char *const *temp_dirs; /* where runs are spilled; none: the output's directory */
    size_t temp_dir_count;
    /* A directory for a record of what was done, and for runs: after the job was killed, the same
     * job goes on from there. Inputs and output are files. NULL: none. */
    const char *resume_dir;
    enum gsi_compress_choice compress;
    uint32_t compress_level; /* of zstd, 1 to 19; default 1 */
    enum gsi_io_choice io;
    uint64_t chunk_bytes;  /* what is sorted in one piece */
    uint64_t window_bytes; /* piece of output that one merge step makes; also the frame of a run */
    bool spill_all;        /* keep no run in memory, even if it fits */

    /* ---- device ---- */

    enum gsi_device_word device;
    uint32_t device_index;        /* CUDA: which GPU */
    uint64_t device_memory_bytes; /* CUDA: the most memory to take there; default nearly all */
    /* CUDA: several GPUs of this host, bit i is number i; all bits: all that there are. What is
     * sorted lies in the memory of all of them, of which each gives device_memory_bytes. 0: only
     * device_index. */
    uint64_t device_set;
    bool merge_is_circular; /* CUDA: merges of two runs go by circular buffers, not by tiles */
    /* With GS_EXPLAIN, and without `device`: the plan is for these GPUs, and the report says
     * how long they would take. None has to be here, and the library needs no CUDA. */
    const struct gsi_device_model *device_model;

    /* ---- the program ---- */

    /* Called a few times a second from the calling thread while the job runs. */
    void (*progress)(void *context, const struct gs_progress *progress);
    void *progress_context;
    struct gsi_listener listener;
    struct gs_cancel *cancel; /* gs_cancel_now stops the job through it; NULL: nobody can */
};

#endif
