/* options.h: defines the options of a job, as the job reads them. gs_job makes them from texts
 * (src/option, src/api); the job compiles them into the specs of stages (job/spec). Folders below
 * the job cannot include this file (tools/dev/check_layers). */
#ifndef GSI_OPTIONS_H
#define GSI_OPTIONS_H

#include "base/choices.h"

/* The options of a job, by concept. Zeros are the defaults. */
struct gsi_options {
    enum gs_action action;

    /* ---- input ---- */

    const char *const *inputs; /* "-" is stdin; none means stdin */
    size_t input_count;
    /* An array of input_count readers. If readers[i].read is not NULL, it replaces a file, and
     * inputs[i] is its name, for messages and for its type. NULL: all inputs are files. */
    const struct gs_reader *readers;
    const char *type;      /* name of an element type; NULL: from the names of files, else u64 */
    bool strict;           /* fail instead of assuming u64 if the type is unknown */
    uint32_t record_bytes; /* bytes of a record, 1 to 65536; 0: numbers */
    /* Names of fields of records, "NAME=OFF:TYPE,..", or "@FILE", a file of these. Keys, conditions
     * and all else that names a field may use them. */
    const char *const *names;
    size_t name_count;
    uint64_t header_bytes; /* of every input, not sorted; the output begins with the first, */
    bool drop_header;      /* unless this is set; .npy files are then written without header */
    bool drop_tail;        /* leave out bytes after the last whole element */
    bool raw;              /* take every input as it is: detect no format in data or names */
    /* With has_region only these bytes of the input, which is one file, are read; UINT64_MAX: to
     * its end. No format is detected in them. */
    bool has_region;
    uint64_t region_off, region_bytes;
    /* With has_range only elements range_first to range_first + range_count - 1 are read. The
     * inputs are files and count as one list; range_count UINT64_MAX: to its end. */
    bool has_range;
    uint64_t range_first, range_count;
    /* Conditions that an element must all meet; other elements are left out before anything is
     * counted or sorted. For numbers "<op>VALUE", for records "OFF:TYPE<op>VALUE", for .npy files
     * also "NAME<op>VALUE"; the operators are == != < <= > >=. */
    const char *const *where;
    size_t where_count;
    /* "FILE:BYTES=OUTPUT", at most GSI_VALUES_MAX: files with one value of BYTES for each element.
     * They are sorted along with the elements, each to its own file. All outputs are regular files
     * and replace their targets at the end, `output` last. */
    const char *const *values;
    size_t value_count;

    /* ---- inputs that are sorted ---- */

    bool merge; /* merge them, checking their order */
    /* With merge of at most 64 inputs, none compressed: a set operation; with unique the inputs are
     * sets. Streams are first copied to the first of temp_dirs. */
    enum gsi_set merge_set;
    /* With merge: only a report on the merged result is wanted. */
    bool merge_is_counted;
    /* With merge of files: write only part part_number (from 1 on) of part_count parts of the
     * output, whose sizes differ by at most one element. 0 of 0: all. */
    uint32_t part_number, part_count;
    /* Values to look up in sorted files: "VALUE", "LO..HI" including both ends, "LO.." or "..HI";
     * for records by the first key. A file that turns out not to be sorted fails with GS_E_INPUT.
     * With merge, statistics and checks only these elements count. */
    const char *find;

    /* ---- order ---- */

    bool reverse;
    enum gsi_nan_place nan_place; /* of numbers, and of each key that is one */
    /* Keys of records: "OFF:TYPE[:desc]"; the first is compared first. None: the whole record is
     * one key of bytes. */
    const char *const *keys;
    size_t key_count;
    bool ties_by_bytes; /* compare records with equal keys by all other bytes, in their order */
    /* With has_top the output is only the first top_count elements in order. Among records with
     * equal keys, the earliest in the input are used. If the first top_count fit into memory, the
     * others are not sorted. */
    bool has_top;
    uint64_t top_count;
    /* With is_shuffled the order is random instead. It depends only on the seed and the number of
     * elements before each one. Without has_seed a seed is drawn. With is_sample, has_top is also
     * set. */
    bool is_shuffled, has_seed, is_sample;
    uint64_t seed;
    /* A file of positions, "FILE" or "FILE:TYPE". Element i of the output is the input's element at
     * position i of the file. NULL: elements are sorted. */
    const char *permute;

    /* ---- groups of equal keys ---- */

    bool unique;        /* write only the first of equal keys; a check fails at equal keys */
    bool unique_counts; /* append each key's count as a little-endian u64 */
    enum gsi_keep_choice unique_keep; /* with unique */
    /* With unique, for records: the first group_keys keys define a group. All keys define the
     * order, which then determines "first" and "last". 0: all. */
    uint32_t group_keys;
    /* With unique: fields of records, "OFF:TYPE" or, for .npy files, "NAME". The written record has
     * in them the aggregates over its group: sums, minima, maxima. A sum that does not fit into its
     * field is a failure, GS_E_INPUT. With the suffix ":wide", or with sum_wide, a wider sum
     * follows the record instead. Wide sums are in this order, before the count. A wide sum has 8
     * bytes for integers of up to 4, 16 for 8, 32 for 16, little endian; f64 for floats. */
    const char *const *sum_fields;
    size_t sum_field_count;
    const char *const *min_fields;
    size_t min_field_count;
    const char *const *max_fields;
    size_t max_field_count;
    bool sum_wide;
    /* With unique: columns by which the written groups are sorted, "COLUMN[:desc]". COLUMN is what
     * --print calls it, the name of a field, or OFF:TYPE. The first is compared first; groups that
     * are equal keep the order of their keys. has_top then applies to the sorted groups. */
    const char *const *order_by;
    size_t order_by_count;
    bool reads_groups; /* set by the job: the input is another job's output (job/order_by.h) */

    /* ---- output ---- */

    const char *output; /* NULL or "-": stdout */
    /* Replaces the file; `output` is then its name, which decides about compression. NULL: a
     * file. */
    const struct gs_writer *writer;
    enum gsi_byte_order out_order; /* byte order of written numbers; default GSI_ORDER_AS_READ */
    uint32_t
        output_zstd_level; /* of the output, 1 to 19; 0: 1 if its name ends in .zst, else raw */
    bool verify_read; /* reread the output, a file, from the disk before it replaces its target */
    /* Data that are written instead of each element. With argsort: its position in the inputs,
     * which count as one list, from 0 on. It is a little-endian u64, or a u32 if index_bytes is 4.
     * With out_fields: bytes of records, "OFF:LEN" or, for .npy files, "NAME", in this order. Bytes
     * that are not needed are dropped as they are read. */
    const char *const *out_fields;
    size_t out_field_count;
    uint32_t index_bytes;
    bool argsort;
    /* Several files instead of one, at most GSI_SPLIT_MAX, which all appear at the end. `output` is
     * a pattern with one %d or %03d for their numbers, from 1 on, and %% for a percent sign. There
     * are split_count files with as many elements each, give or take one. Or there is a file up to
     * each value (for records, of the first key), and one for the rest. A file begins with the
     * first element that does not precede its value in the order. */
    const char *const *split_values;
    size_t split_value_count;
    uint32_t split_count;
    /* With merge of files: `output` is a file with room for all parts, in which this job writes its
     * part, or all, at its place. A job that finds no file, or an empty one, creates it; a file of
     * another length is refused. A job that fails leaves its written data; it may be run again. */
    bool into;

    /* ---- statistics ---- */

    /* Fields of records that get statistics: "OFF:TYPE". None: the first key that is a number. */
    const char *const *stats_fields;
    size_t stats_field_count;
    bool check_counts; /* for a check: duplicates, valsort's sum; it reads on after disorder */
    bool variance;     /* tallies have mean and variance; for numbers of up to 8 bytes */
    struct gsi_order_statistics order_statistics;

    /* ---- resources ---- */

    uint64_t memory_bytes; /* ceiling for the whole process */
    /* memory_bytes is a share of the memory available now. With resume_dir, a resumed job uses the
     * original share. */
    bool memory_is_share;
    uint32_t thread_count;        /* sorting and merging threads */
    uint32_t fan_in;              /* most runs merged at once */
    const char *const *temp_dirs; /* directories of spilled runs; none: the output's directory */
    size_t temp_dir_count;
    /* A directory for a journal and for runs: if the job is killed, the same job resumes from
     * there. Inputs and output are files. NULL: none. */
    const char *resume_dir;
    enum gsi_compress_choice compress;
    uint32_t compress_level; /* of zstd, 1 to 19; default 1 */
    enum gsi_io_choice io;
    uint64_t chunk_bytes;  /* size of a chunk, which is sorted as a unit */
    uint64_t window_bytes; /* output of one merge step; also the frame of a run */
    bool spill_all;        /* keep no run in memory, even if it fits */

    /* ---- device ---- */

    enum gsi_device_word device;
    uint32_t device_index;        /* CUDA: which GPU */
    uint64_t device_memory_bytes; /* CUDA: the most memory to use there; default nearly all */
    /* CUDA: several GPUs of this host, bit i is number i; all bits: all GPUs. The sorted data are
     * in the memory of all of them, of which each provides device_memory_bytes. 0: only
     * device_index. */
    uint64_t device_set;
    enum gsi_merge_kernel merge_kernel; /* CUDA: for two runs */
    /* With GS_EXPLAIN, and without `device`: the plan is for these GPUs, and the report predicts
     * their time. None has to exist here, and the library needs no CUDA. */
    const struct gsi_device_model *device_model;

    /* ---- the program ---- */

    /* Called a few times a second from the calling thread while the job runs. */
    void (*progress)(void *context, const struct gs_progress *progress);
    void *progress_context;
    struct gsi_listener listener;
    struct gs_cancel *cancel; /* gs_cancel_now stops the job through it; NULL: no call can */
};

#endif
