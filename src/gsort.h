/* gsort.h: out-of-core sort of huge binary files; the only installed header of libgsort.
 *
 *     struct gs_options options = {.inputs = (const char *[]){"x.f64"}, .input_count = 1,
 *                                  .output = "sorted.f64"};
 *     struct gs_report report;
 *     struct gs_error error;
 *     if (gs_run(&options, &report, &error) != GS_OK)
 *         fprintf(stderr, "%s\n", error.text);
 *
 * Threads: any thread may make any call at any time, and jobs may run beside each other. Calls share
 * nothing but what they are given; what they write to (a report, an error, an output) belongs to one
 * call at a time, unless something else is said. A job has threads of its own; callbacks come from
 * the calling one, but for those that read and write.
 * Ownership: what a call is given is borrowed until it returns, and what a callback is given until
 * that does. What is returned or pointed to as const (`const char *`, a list of choices) is the
 * library's, and stays as long as it is loaded. What has a _create or _open is given back by its
 * _free or _close.
 * Units: sizes and offsets are bytes, times nanoseconds, counts are of elements. Zero in an option
 * always means "the default".
 * Side effects: the library prints only into a FILE that it is given. It never exits and never
 * touches signal handlers.
 *
 * Versions: what is compiled with this header runs with every later libgsort.so.0. Structs of
 * options and reports are plain, which C and C++ fill and read by name and ctypes and cffi mirror
 * or take as JSON; they grow at their ends, and each call is told how large the caller's are. What
 * lies inside them, and what callbacks are given, grows into its `reserved`, and nothing else does.
 */
#ifndef GSORT_H
#define GSORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The version of this header; gs_version() is that of the library. */
#define GS_VERSION_MAJOR 0
#define GS_VERSION_MINOR 1
#define GS_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

#define GS_API __attribute__((visibility("default")))

/* Statuses: enum name, pinned value, exit code of the program, what it means. */
#define GS_STATUS_LIST(X)                                                     \
    X(GS_OK, 0, 0, "done")                                                    \
    X(GS_E_DISORDER, -1, 1, "the input is not sorted")                        \
    X(GS_E_USAGE, -2, 2, "an option is wrong")                                \
    X(GS_E_INPUT, -3, 2, "the input is not what was asked for")               \
    X(GS_E_IO, -4, 3, "a file could not be read or written")                  \
    X(GS_E_SPACE, -5, 3, "no space left on a file system")                    \
    X(GS_E_MEMORY, -6, 3, "out of memory")                                    \
    X(GS_E_DEVICE, -7, 3, "the sorting device failed")                        \
    X(GS_E_CORRUPT, -8, 4, "temporary data came back damaged")                \
    X(GS_E_VERIFY, -9, 4, "the output does not hold what was read, in order") \
    X(GS_E_CANCELED, -10, 3, "canceled")                                      \
    X(GS_E_INTERNAL, -11, 4, "a fault of gsort's own")

enum gs_status {
#define GS_STATUS_ENUM(name, value, exit_code, text) name = value,
    GS_STATUS_LIST(GS_STATUS_ENUM)
#undef GS_STATUS_ENUM
};

/* gs_status_text: one sentence, never NULL.
 * gs_status_exit_code: the code that a program should exit with. */
GS_API const char *gs_status_text(enum gs_status status);
GS_API int gs_status_exit_code(enum gs_status status);

/* The first failure of a call. `text` is one line: where, what, what to do. Does not grow. */
struct gs_error {
    enum gs_status status;
    int sys_errno;   /* 0: not a system error */
    char text[1024]; /* no newline; empty while status is GS_OK */
};

/* gs_fail: records a failure as the library does, for those who report theirs in the same way, and
 * returns its status. A failure that is there already stays.
 * in    error: begun with zeros; NULL: nobody wants to know
 *       sys_errno: an errno value, whose text is appended, or 0
 *       format: as in printf; the text becomes one line of UTF-8: control characters and other bytes
 *               become '?', and too long a name between quotes is shortened in its middle */
GS_API enum gs_status gs_fail(struct gs_error *error, enum gs_status status, int sys_errno,
                              const char *format, ...) __attribute__((format(printf, 4, 5)));

enum gs_action {
    GS_ACTION_SORT = 0,
    GS_ACTION_STATS,   /* aggregates only; nothing is written */
    GS_ACTION_CHECK,   /* aggregates and order; GS_E_DISORDER at the first disorder */
    GS_ACTION_EXPLAIN, /* fill report->plan only */
    GS_ACTION_LOOK,    /* find out what the elements are and where they begin; nothing else */
    GS_ACTION_FIND,    /* find out where in a sorted file options->find is; nothing else */
    GS_ACTION_CHECK_ALL /* of a gs_job: a check that reads on behind disorder, and counts duplicates */
};

enum gs_io_choice { GS_IO_AUTO = 0, GS_IO_URING, GS_IO_THREADS };
enum gs_device_choice {
    GS_DEVICE_AUTO = 0, /* a GPU where there is one and the input is large enough, else the CPU */
    GS_DEVICE_CPU,
    GS_DEVICE_CUDA /* a GPU; the CPU only if the GPU's memory is too small */
};

/* How spilled frames are stored: raw; coded; or, run by run, in the way that is measured faster. */
enum gs_compress_choice { GS_COMPRESS_AUTO = 0, GS_COMPRESS_NONE, GS_COMPRESS_ZSTD };

/* The words that users have for these choices. Where number_max is not 0, "WORD:N" is allowed, too:
 * N, from number_min to number_max, is a device_index or compress_level. A list ends with a word
 * that is NULL. Does not grow. */
struct gs_choice {
    const char *word;
    int value;
    uint32_t number_min, number_max;
};
GS_API const struct gs_choice *gs_device_choices(void);
GS_API const struct gs_choice *gs_io_choices(void);
GS_API const struct gs_choice *gs_compress_choices(void);
GS_API const struct gs_choice *gs_set_choices(void); /* enum gs_set */

/* Which of a group of equal keys is written, one at most: the first or the last of the input; the
 * only one of those that are alone; the first of those that are not. */
enum gs_keep_choice { GS_KEEP_FIRST = 0, GS_KEEP_LAST, GS_KEEP_SINGLES, GS_KEEP_DUPS };

/* What a merge of files keeps, by how many elements of each have a key: as many as the file with the
 * most has; of the first file as many as the one with the fewest has; of the first file those that are
 * more than in all others; of the first file all with a key that another has, or that none has. */
enum gs_set {
    GS_SET_NONE = 0,
    GS_SET_UNION,
    GS_SET_INTERSECT,
    GS_SET_EXCEPT,
    GS_SET_SEMI,
    GS_SET_ANTI
};

enum gs_phase {
    GS_PHASE_READ = 0,
    GS_PHASE_MERGE_RUNS,
    GS_PHASE_WRITE,
    GS_PHASE_READ_BACK, /* with verify_read */
    GS_PHASE_COUNT
};

/* The progress of a job: bytes of input (read, merge) or of output (write). */
struct gs_progress {
    enum gs_phase phase;
    uint64_t bytes_done, bytes_total; /* total 0: unknown (a stream) */
    uint64_t elapsed_ns;              /* since the job began */
    uint64_t phase_ns;                /* since this phase began */
    uint64_t reserved[4];             /* 0 */
};

/* The largest values of some options; larger ones fail with GS_E_USAGE. */
#define GS_THREADS_MAX      1024u
#define GS_FAN_IN_MAX       (1u << 20)
#define GS_ZSTD_LEVEL_MAX   19u
#define GS_VALUES_MAX       16
#define GS_VALUE_TEXT_BYTES 128

/* gs_reader: an input that a callback gives; whatever a pipe may be as an input, it may be, too.
 * read: puts up to `bytes` bytes at `data`. Returns how many; 0: that was the end, and it is not
 *       called again; below 0: it failed, as gs_fail says in `error`, or else with GS_E_IO
 * bytes: that it gives in all, where that is known: the job is then planned as for a file of that
 *        size, and fails with GS_E_INPUT if they are fewer. 0: not known, as of a pipe
 * stop: called at most once, from the calling thread, while or after a call of `read`, when a job
 *       that failed or was canceled wants no more: a `read` that waits should return then, with
 *       anything. NULL: the job's end waits until `read` returns
 * Threads: `read` is called from the library's threads, and never by two at a time. It may wait for
 * as long as it likes; what needs no more data goes on meanwhile. */
struct gs_reader {
    int64_t (*read)(void *context, void *data, size_t bytes, struct gs_error *error);
    void (*stop)(void *context);
    void *context;
    uint64_t bytes;
    uint64_t reserved[4]; /* 0 */
};

/* gs_writer: an output that goes to a callback, in pieces, in order, as into a pipe. Only a job that
 * ends with GS_OK has written all, and has found it right.
 * write: takes all of `bytes` bytes at `data`, which is the library's again when it returns. false:
 *        it failed, as gs_fail says in `error`, or else with GS_E_IO
 * stop: as of a reader; a `write` that waits should return
 * Threads: as a reader's. */
struct gs_writer {
    bool (*write)(void *context, const void *data, size_t bytes, struct gs_error *error);
    void (*stop)(void *context);
    void *context;
    uint64_t reserved[4]; /* 0 */
};

/* GPUs of a host that need not be there, and what limits their work; rates are bytes a second. Names
 * are those of --device-model's JSON. */
#define GS_MODEL_GPUS_MAX 16u
struct gs_device_model {
    char name[48];        /* of one of them; empty: "GPU" */
    uint32_t gpus;        /* 1 to GS_MODEL_GPUS_MAX; they work as one */
    uint64_t memory;      /* of each, free */
    double to_gpu;        /* from pinned host memory to all of them at once */
    double from_gpu;      /* from all of them at once to host memory */
    double peer;          /* from one to another; of one GPU: not looked at */
    double input, output; /* inputs to host memory, host memory to output; 0: they are memory */
    double sort, merge;   /* of keys, or the tags of records, on one; 0: those of an H200 */
    double start_seconds; /* before anything is read */
    uint64_t reserved[8]; /* 0 */
};

/* What to do. Begin with zeros: {0}, or some fields by name. */
struct gs_options {
    enum gs_action action;
    const char *const *inputs; /* "-" is stdin; none means stdin */
    size_t input_count;
    const char *output; /* NULL or "-": stdout */
    const char *type;   /* name of an element type; NULL: what names of files say, else u64 */
    bool reverse;
    bool merge;            /* inputs are sorted: merge them, checking that they are */
    uint32_t record_bytes; /* bytes of a record, 1 to 65536; 0: numbers */
    /* Keys of records: "OFF:TYPE[:desc]"; the first decides first. None: the record is one key of
     * bytes. */
    const char *const *keys;
    size_t key_count;
    /* Fields of records that get statistics: "OFF:TYPE". None: the first key that is a number. */
    const char *const *stats_fields;
    size_t stats_field_count;
    /* With has_top the output is only the first top_count elements in order. Of records with equal
     * keys, those that come first in the input are taken. If the first top_count fit into memory,
     * the others are not sorted. */
    bool has_top;
    uint64_t top_count;
    uint64_t header_bytes; /* of every input, not sorted; the first input's begin the output */
    bool drop_tail;        /* leave out what is left over behind the last whole element */
    bool raw;              /* take every input as it is: no format is looked for in data or names */
    bool unique;           /* only the first of equal keys; for a check, equal keys are disorder */
    bool unique_counts;    /* behind each element how many had its key: a u64, little endian */
    bool check_counts; /* for a check: duplicates, valsort's sum; all is read then, past disorder */
    uint32_t output_zstd_level; /* pack the output, 1 to 19; 0: at 1 if its name ends in .zst */
    /* A directory for a record of what was done, and for runs: after the job was killed, the same
     * job goes on from there. Inputs and output are files. NULL: none. */
    const char *resume_dir;
    bool verify_read; /* read the output, a file, back from the disk before it takes its place */

    uint64_t memory_bytes; /* ceiling for the whole process */
    /* memory_bytes is a share of what there is now. With resume_dir, a job that goes on uses what
     * the share was at first. */
    bool memory_is_share;
    uint32_t thread_count;        /* sorting and merging threads */
    uint32_t fan_in;              /* most runs merged at once */
    const char *const *temp_dirs; /* where runs are spilled; none: the output's directory */
    size_t temp_dir_count;
    enum gs_compress_choice compress;
    uint32_t compress_level; /* of zstd, 1 to 19; default 1 */
    enum gs_io_choice io;
    enum gs_device_choice device;
    uint32_t device_index;        /* CUDA: which GPU */
    uint64_t device_memory_bytes; /* CUDA: the most memory to take there; default nearly all */

    uint64_t chunk_bytes;  /* what is sorted in one piece */
    uint64_t window_bytes; /* piece of output that one merge step makes; also the frame of a run */
    bool spill_all;        /* keep no run in memory, even if it fits */

    /* Called a few times a second from the calling thread while the job runs. */
    void (*progress)(void *context, const struct gs_progress *progress);
    void *progress_context;

    /* Called with a line that is worth knowing though nothing failed: a type that was assumed,
     * bytes that were left out. Called a few times at most, from the calling thread. */
    void (*note)(void *context, const char *text);
    void *note_context;
    struct gs_cancel *cancel; /* gs_cancel_now stops the job through it; NULL: nobody can */

    /* input_count of them: where readers[i].read is not NULL it takes the place of a file, and
     * inputs[i] is its name, in messages and for its type. NULL: all inputs are files. */
    const struct gs_reader *readers;
    /* Takes the place of the file, and `output` is its name, which says how to pack. NULL: it is a
     * file. */
    const struct gs_writer *writer;

    /* Conditions that an element has to meet, all of them; others are left out before anything is
     * counted or sorted. Of numbers "<op>VALUE", of records "OFF:TYPE<op>VALUE", of .npy files also
     * "NAME<op>VALUE"; the operators are == != < <= > >=. */
    const char *const *where;
    size_t where_count;

    enum gs_keep_choice unique_keep; /* with unique */
    /* With unique, of records: the first group_keys keys make a group, while all keys make the
     * order, in which "first" and "last" are meant then. 0: all. */
    uint32_t group_keys;

    /* What follows from the order, of records of their first key, which is a number: quantiles,
     * fractions as decimals from "0" to "1" or "median", GS_QUANTILES_MAX at most; how many values
     * differ, as with `unique`; and the most frequent value. Quantiles also with GS_ACTION_STATS, of
     * records of their first field with statistics; then files are read up to three times. */
    const char *const *quantiles;
    size_t quantile_count;
    bool distinct, mode;

    /* With unique, fields of records, "OFF:TYPE" or of .npy files "NAME", that the record which is
     * written has folded from all of its group: sums, minima, maxima. A sum that does not fit into
     * its field fails with GS_E_INPUT. With sum_wide wider sums stand behind the record instead, in
     * this order, before its count: 8 bytes for integers of up to 4, 16 for 8, 32 for 16, little
     * endian; f64 for floats. */
    const char *const *sum_fields;
    size_t sum_field_count;
    const char *const *min_fields;
    size_t min_field_count;
    const char *const *max_fields;
    size_t max_field_count;
    bool sum_wide;

    /* With has_range only elements range_first to range_first + range_count - 1 of the inputs, which
     * are files and one list; a range_count of UINT64_MAX is all from there on. */
    uint64_t range_first, range_count;
    /* With merge of files: of part_count parts of the output, which are equal but for one element,
     * only the one with this number, from 1 on. 0 of 0: all. */
    uint32_t part_number, part_count;
    bool has_range;
    bool variance; /* tallies have mean and variance; of numbers of up to 8 bytes */
    /* What is looked for in sorted files: "VALUE", "LO..HI" with both ends, "LO.." or "..HI", of
     * records by the first key. A file that is seen not to be sorted is GS_E_INPUT. With merge,
     * statistics and checks that is all that there is. */
    const char *find;
    /* As quantiles: bins of equal width between the least and the greatest value, GS_BINS_MAX at
     * most. With GS_ACTION_STATS files are read twice at least. */
    uint32_t histogram_bins;
    /* With merge of files: `output` is a file with room for all parts, of which this job writes the one
     * that it makes, or all, at its place. Whoever finds no file, or an empty one, makes it; one of
     * another length is refused. A job that fails leaves what it has written; it may be run again. */
    bool into;

    /* What is written of each element in its stead. With argsort its position in the inputs, which
     * are one list, from 0 on: a u64, or with index_bytes of 4 a u32, little endian. With out_fields
     * bytes of records, "OFF:LEN" or of .npy files "NAME", in this order; bytes that nobody needs are
     * dropped as they are read. */
    const char *const *out_fields;
    size_t out_field_count;
    uint32_t index_bytes;
    bool argsort;
    /* Instead of one file several, at most GS_SPLIT_MAX, which appear all at the end: `output` is a
     * pattern with one %d or %03d for their numbers, from 1 on, and %% for a percent sign. Either
     * split_count files of as many elements, but for one; or a file up to each value, of records of
     * the first key, and one for the rest: a file begins with the first element that does not come
     * before its value in the order. */
    const char *const *split_values;
    size_t split_value_count;
    uint32_t split_count;
    /* With merge of 64 inputs at most, none packed: a set operation; with unique the inputs are sets.
     * Those that are streams are copied to the first of temp_dirs before. */
    enum gs_set merge_set;
    /* CUDA: several GPUs of this host, bit i is number i; all bits: all that there are. What is
     * sorted lies in the memory of all of them, of which each gives device_memory_bytes. 0: only
     * device_index. */
    uint64_t device_set;
    /* With GS_ACTION_EXPLAIN, and without `device`: the plan is for these GPUs, and the report says
     * how long they would take. None has to be here, and the library needs no CUDA. */
    const struct gs_device_model *device_model;
    /* "FILE:BYTES=OUTPUT", GS_VALUES_MAX at most: files with as many values of BYTES each as there are
     * elements, which are sorted along with them, each to its own file. All outputs are regular files
     * and take their places at the end, `output` last. */
    const char *const *values;
    size_t value_count;
};

/* gs_cancel: lets another thread or a signal handler stop jobs: those that run, and those that
 * begin later. It cannot be undone.
 *
 *     gs_cancel *cancel = gs_cancel_create();
 *     struct gs_options options = {.action = GS_ACTION_STATS, .cancel = cancel};
 *     gs_cancel_now(cancel);
 *     if (gs_run(&options, NULL, NULL) != GS_E_CANCELED)
 *         return 1;
 *     gs_cancel_free(cancel);
 *
 * gs_cancel_create: before the jobs. It takes a descriptor. NULL: no memory or no descriptor is
 * left.
 * gs_cancel_free: after the jobs and after the last gs_cancel_now.
 * gs_cancel_now: async-signal-safe; may be called at any time, also while a job ends or after it,
 * and by many at once.
 * It is that of the process that made it: in a child of fork gs_cancel_now does nothing, and jobs
 * refuse it. */
typedef struct gs_cancel gs_cancel;
GS_API gs_cancel *gs_cancel_create(void);
GS_API void gs_cancel_free(gs_cancel *cancel);
GS_API void gs_cancel_now(gs_cancel *cancel);

/* What a stream of elements holds: exact, and independent of order, threads and chunking. */
struct gs_tally {
    uint64_t count;
    uint64_t nan_count, positive_infinity_count, negative_infinity_count, negative_zero_count;
    uint8_t min[16], max[16]; /* raw elements, NaN ignored; valid if has_extremes */
    bool has_extremes;
    uint64_t sum[4];         /* integers: 256-bit two's complement, least significant first */
    double sum_float;        /* floats: exact sum, rounded once to nearest even */
    uint64_t fingerprint[2]; /* 128-bit sum of a 64-bit mix of every element */
    /* With options->variance, if there are numbers: of these, without NaNs, exact and rounded once.
     * The variance is that of the whole (divided by n); infinities make it NaN. */
    double mean, variance;
    bool has_moments;
    uint64_t reserved[1]; /* 0 */
};

/* Every decision, made before the first byte is read. */
struct gs_plan {
    uint64_t input_bytes;  /* UINT64_MAX: a stream */
    uint64_t output_bytes; /* of elements, at most; UINT64_MAX: not known */
    uint64_t memory_bytes; /* ceiling; arena_bytes of it are taken for data */
    uint64_t arena_bytes;
    uint64_t chunk_bytes;    /* sorted in one piece by one thread */
    uint32_t chunks_per_run; /* merged with each other before they are spilled */
    uint64_t window_bytes;   /* output buffer of one merge step */
    uint64_t frame_bytes;    /* unit of a spilled run */
    uint32_t window_count;   /* output buffers in flight */
    uint32_t record_bytes;   /* of a record, which lies in these buffers with a tag; 0: numbers */
    uint32_t thread_count;
    bool is_merge;          /* runs are the inputs, sorted already; only passes spill runs */
    bool is_counted;        /* values are counted, and the output is made of the counts: no runs */
    uint64_t stream_frames; /* with is_merge, for records: the most frames of a stream */
    uint64_t run_count;     /* runs after reading */
    uint64_t spilled_runs;  /* of these, on disk */
    uint64_t spilled_bytes; /* input bytes that go to disk once */
    uint32_t fan_in;        /* the most spilled runs merged at once */
    uint32_t merge_passes;  /* intermediate passes over spilled data */
    uint64_t read_bytes, write_bytes; /* predicted, all files together, frames raw */
    uint64_t temp_bytes;              /* temporary disk space at one time, at most */
    uint64_t space_bytes;             /* disk space of output and temporary files, at most */
    uint64_t disk_step_bytes;         /* disk is taken so far ahead of a spilled job's output */
    /* A device with memory of its own keeps up to device_runs runs there, of device_run_bytes each
     * (0: runs stay in the arena), and a mirror of the chunk buffers, for feeding. For what it has
     * no room for it has host memory: host_bytes for host_runs runs; then comes the disk. */
    uint32_t device_runs, host_runs;
    uint64_t device_bytes, device_run_bytes, device_mirror_bytes, host_bytes;
    /* Candidates for the first elements, if those are kept in one pass, and the memory that they
     * take. 0: everything is sorted. */
    uint64_t top_room;
    uint64_t top_bytes;
    /* Devices that work as one, and take device_bytes each: a run is dealt to all of them. */
    uint64_t device_count;
    /* What is to be spilled is written as it is read, in one pass, as far as no element comes later
     * than by this much. 0: that is not tried. */
    uint64_t late_bytes;
    uint64_t reserved[14]; /* 0; what is new takes its place */
};

/* A file system that the job writes to, by a directory in it. */
struct gs_space {
    char directory[512];
    uint64_t file_system;  /* its id */
    uint64_t free_bytes;   /* before the job */
    uint64_t needed_bytes; /* for output and temporary files, at most */
    uint64_t temp_bytes;   /* of free_bytes, what temporary files may take */
    bool has_output, has_temp;
    uint64_t reserved[2]; /* 0 */
};
#define GS_SPACES_MAX 16

#define GS_FIELDS_MAX 64

/* A text of a key or field, as given or as a .npy header names it; a longer one without its middle.
 */
#define GS_FIELD_TEXT_BYTES 96

/* A field of a record: a key, or one with statistics. */
struct gs_field {
    char text[GS_FIELD_TEXT_BYTES];
    bool is_number; /* its value is an element of element_bytes; else bytes */
    uint32_t off, bytes, element_bytes;
    bool is_float, is_signed;
    bool is_big_endian;   /* in the record; a value is little endian */
    bool is_bfloat;       /* a float of 2 bytes is the upper half of one of 4, not IEEE's half */
    bool is_time;         /* the least is NaT: no time */
    uint64_t reserved[2]; /* 0 */
};

struct gs_phase_report {
    uint64_t bytes_read, bytes_written, ns;
    uint64_t io_busy_ns;  /* of ns, while a transfer to or from a file was under way */
    uint64_t reserved[2]; /* 0 */
};
#define GS_PHASES_MAX 8

/* What memory is taken for. */
enum gs_memory_part {
    GS_MEMORY_DATA = 0, /* chunks, windows and frames */
    GS_MEMORY_SCRATCH,  /* the device's working space */
    GS_MEMORY_CODEC,    /* the codec's working space */
    GS_MEMORY_RUNS,     /* a device's runs that are kept in host memory */
    GS_MEMORY_TABLES,   /* tables of all parts */
    GS_MEMORY_PART_COUNT
};
#define GS_MEMORY_PARTS_MAX 16

/* A quantile: of n elements that are no NaNs the one of rank ceil(p n), at least 1; and, between
 * elements, the value at place (n - 1) p, as NumPy's default. */
#define GS_QUANTILES_MAX 64
struct gs_quantile {
    char text[24];     /* as it was asked for */
    uint64_t rank;     /* from 1 on */
    uint8_t value[16]; /* an element of the report's type, or of a field; it occurs */
    double between;
    uint64_t reserved[4]; /* 0 */
};

/* A bin of a histogram: values from this one on, up to that of the next bin. The borders are min +
 * i (max - min) / bins: exact of integers, in double precision of floats; the last bin has its upper
 * end, too. */
#define GS_BINS_MAX 1024
struct gs_bin {
    uint8_t from[16]; /* the least value that may be in it, an element as in gs_quantile */
    uint64_t count;
};

#define GS_END_KEY_BYTES 128
#define GS_SPLIT_MAX     256

/* How long the GPUs of a device_model take: to start, to read and sort, and to merge and write, one
 * after the other. */
struct gs_prediction {
    const char *why_unknown;              /* NULL: it is known */
    const char *read_bound, *write_bound; /* what takes so long: "links", "input", "sorting" .. */
    uint64_t start_ns, read_ns, write_ns;
    uint64_t reserved[4]; /* 0 */
};

/* What became of a job. May be copied. */
struct gs_report {
    const char *type;        /* the element type's name */
    const char *type_source; /* "option", "npy header", "file name", "output name" or "default" */
    const char *type_word;   /* the word that said the type there, such as "float64"; or NULL */
    uint32_t element_bytes;
    bool is_float, is_signed, reverse;
    bool has_top;
    uint64_t top_count; /* with has_top: as asked for; there may be fewer */
    const char *device, *engine;
    char device_name[64];  /* of a GPU; empty: the CPU */
    char device_note[256]; /* why the device is not the first choice; empty: it is */
    char engine_note[128]; /* why the engine is not the first choice; empty: it is */
    bool direct_input, direct_output, direct_temp;
    struct gs_plan plan;
    struct gs_space spaces[GS_SPACES_MAX]; /* for an input of known size, as planned */
    uint32_t space_count;
    bool has_room;                                 /* all spaces have what they need */
    struct gs_tally tally;                         /* for records: only count and fingerprint */
    char keys[GS_FIELDS_MAX][GS_FIELD_TEXT_BYTES]; /* of records */
    size_t key_count, field_count;
    /* Fields of records with statistics, and those statistics; with GS_ACTION_LOOK: the keys. */
    struct gs_field fields[GS_FIELDS_MAX];
    struct gs_tally field_tallies[GS_FIELDS_MAX];
    bool is_packed; /* the first input, by zstd */
    /* Of the first input's first element: in the file, in what it unpacks to, or from where a
     * stream stands. */
    uint64_t data_off;
    uint64_t input_bytes, output_bytes;
    bool is_unique, has_duplicate_count, has_valsort_checksum;
    uint64_t unique_count;        /* elements written, if is_unique */
    uint64_t duplicate_count;     /* for a check: elements with the key of the one before them */
    uint64_t valsort_checksum[2]; /* for records of 100 bytes: the sum of their CRC-32s */
    uint64_t resumed_bytes, resumed_output_bytes; /* with resume_dir: done before, by another */
    bool is_placed; /* the output took its place; a failure came after that, if there is one */
    bool is_kept;   /* with resume_dir: the same job would go on */
    uint64_t input_file_bytes, output_file_bytes;    /* as in the files: packed or not */
    uint64_t run_count, spilled_runs, spilled_bytes; /* as it happened */
    char codec[16];               /* spilled runs may be coded with it: "none", "zstd:1" */
    uint64_t coded_runs;          /* of spilled_runs, those that were coded */
    uint64_t spilled_coded_bytes; /* the frames that spilled_bytes became */
    uint64_t host_run_bytes; /* of runs that a device with memory of its own kept on the host */
    uint32_t merge_passes;
    uint64_t bytes_read, bytes_written; /* all files together */
    uint64_t temp_bytes;                /* the most temporary disk space at one time */
    uint64_t ns;
    struct gs_phase_report phases[GS_PHASES_MAX];
    uint64_t memory_peak_bytes; /* by the ledger, in which every large buffer is entered */
    uint64_t memory_parts[GS_MEMORY_PARTS_MAX]; /* of the peak; they add up to it */
    struct {                                    /* set with GS_E_DISORDER */
        uint64_t index; /* of the element that is smaller than the one before it */
        uint64_t file_idx, file_element_idx;
        /* Both elements. For records: the first key that differs, from byte key.off on. */
        uint8_t before[16], after[16];
        struct gs_field key;
    } disorder;
    uint64_t start_ns;        /* of ns, before the first phase */
    uint64_t device_start_ns; /* of start_ns, to find the device and to take its memory */
    uint64_t end_ns;          /* after ns, to give everything back */
    /* Elements that do not meet the conditions of options->where are in no tally: how many there
     * are, and their fingerprint. */
    char where[GS_FIELDS_MAX][GS_FIELD_TEXT_BYTES];
    size_t where_count;
    uint64_t left_out_count;
    uint64_t left_out_fingerprint[2];
    uint64_t group_count; /* if is_unique and not has_top: groups of equal keys */
    struct gs_quantile quantiles[GS_QUANTILES_MAX];
    uint32_t quantile_passes;       /* over the inputs, where nothing was sorted; else 0 */
    size_t quantile_count;          /* 0: none was asked for, or there are no numbers */
    struct gs_field quantile_field; /* of records: the field they are of */
    bool has_groups;                /* the following are there */
    uint64_t distinct_count;        /* values, as with `unique`, without NaNs */
    uint64_t mode_count;            /* how often the most frequent value is there */
    uint8_t mode_value[16];         /* of several, the first in order; if mode_count > 0 */

    uint64_t range_first, range_count, range_of; /* of so many elements; if has_range */
    uint32_t part_number, part_count;            /* part_count 0: all */
    uint64_t part_first, part_of; /* where the part begins in the whole order, of so many */
    bool has_range;
    uint64_t find_first,
        find_count; /* where it begins in the first input; how many, in all inputs */
    bool has_find;
    uint64_t folded_count; /* records that were folded into others as they were read, unsorted */
    /* 0: none was asked for, there are no numbers, or the least or greatest is infinite. */
    uint32_t bin_count;
    struct gs_bin bins[GS_BINS_MAX];
    /* With into: where in the file the part begins; how long that is, with its header. */
    uint64_t place_off, place_of;
    bool has_place;
    /* Of a sort that wrote elements, or one of each group: the sort keys of the first and the last
     * one that it read, of records the normalised keys, as bytes in whose order the elements are;
     * the first GS_END_KEY_BYTES of longer ones. */
    bool has_ends;
    uint32_t end_key_bytes;
    uint8_t first_key[GS_END_KEY_BYTES], last_key[GS_END_KEY_BYTES];

    /* Positions, or the fields `out`, are written in place of elements: so many bytes of each; and so
     * many of each are sorted, which is what the plan and `spilled_bytes` are of. 0: elements are. */
    char out[GS_FIELDS_MAX][GS_FIELD_TEXT_BYTES];
    size_t out_count;
    uint32_t written_bytes, sorted_bytes;
    bool has_positions;
    uint32_t split_count;                /* files; 0: one */
    uint64_t split_counts[GS_SPLIT_MAX]; /* elements in each */
    enum gs_set merge_set;               /* of the options; what does not stay is left out */
    /* Of what was nearly in order and larger than memory: bytes of output that were written beside
     * the reading, and whether nothing came too late for that: then nothing was spilled. */
    uint64_t in_order_bytes;
    bool is_one_pass;
    const char *in_order_note;       /* why that is not tried; NULL: it is, or nothing is spilled */
    struct gs_prediction prediction; /* if has_prediction */
    bool has_prediction;             /* there was a device_model */
    char values[GS_VALUES_MAX][GS_VALUE_TEXT_BYTES]; /* of the options, made to fit */
    size_t value_count;
    /* Of a sort that spilled: runs that were in order in the inputs and read again from there, and
     * their bytes, which are not among the spilled ones. */
    uint32_t stretch_count;
    uint64_t stretch_bytes;
    struct gsi_joined_sums *sums; /* of reports that were added up; the library's */
};

/* gs_run: does options->action from start to end, and returns then.
 * in    options: not changed; with all that it points to, borrowed until then
 * out   report: filled as far as the job came; error: the first failure. Either may be NULL.
 * fails with any status; nothing is left behind then, and an existing output is untouched */
static inline enum gs_status gs_run(const struct gs_options *options, struct gs_report *report,
                                    struct gs_error *error);

/* Jobs on an array in memory, `bytes` long, at any address, read as a file of that size and raw.
 * The array is beside memory_bytes, which is about memory of their own: a sort copies the array to
 * it, and merges from there to the array. A GPU reads and writes an array of numbers where it is, if
 * that memory is pinned (cudaHostAlloc, cudaHostRegister) and there is room on the GPU.
 * gs_sort_array: sorts it in its place, with all threads; records with equal keys keep their order.
 * It is written to only after all of it was read. What does not fit into memory_bytes is spilled.
 * gs_stats_array, gs_check_array: as GS_ACTION_STATS and GS_ACTION_CHECK.
 * in    options: as in gs_run, without action, inputs, output and what is for them alone; with type or
 *       record_bytes, for there is no name that says what elements are
 *       data: nobody else touches it until the call returns
 * out   report: report->is_placed: the array was written to. Where a sort fails, error->text says
 *       whether the array is as it was or elements of it are lost: a failure or a cancel while it
 *       is written leaves sorted elements among old ones
 * fails as gs_run; GS_E_USAGE: an option is for files
 *
 *     double numbers[] = {3, -1, 2};
 *     struct gs_options options = {.type = "f64", .reverse = true};
 *     if (gs_sort_array(numbers, sizeof numbers, &options, NULL, NULL) != GS_OK || numbers[0] != 3)
 *         return 1;
 */
static inline enum gs_status gs_sort_array(void *data, uint64_t bytes,
                                           const struct gs_options *options,
                                           struct gs_report *report, struct gs_error *error);
static inline enum gs_status gs_stats_array(const void *data, uint64_t bytes,
                                            const struct gs_options *options,
                                            struct gs_report *report, struct gs_error *error);
static inline enum gs_status gs_check_array(const void *data, uint64_t bytes,
                                            const struct gs_options *options,
                                            struct gs_report *report, struct gs_error *error);

/* gs_argsort_array: the order of an array, which stays as it is: positions[0] is the place, from 0
 * on, of the element that comes first. Equal elements keep their order. What is sorted is the key of
 * each element with its place, report.sorted_bytes of them: 8 for numbers of 4 bytes, if they are no
 * more than 2^32, else 16; 16 for numbers of 8, 24 for numbers of 16; of records the keys and 8 more,
 * or 16 if both fit. So memory_bytes and disk are about 2 to 5 times the array; of records with short
 * keys less.
 * in    options: as in gs_sort_array
 * out   positions: `bytes` / size of an element of them, in no memory of the array; written to only
 *       after all of it was read, as report->is_placed says
 *       report: of the elements, as of a sort that writes positions
 * fails as gs_sort_array
 *
 *     const float numbers[] = {3, -1, 2};
 *     struct gs_options options = {.type = "f32"};
 *     uint64_t positions[3];
 *     if (gs_argsort_array(numbers, sizeof numbers, &options, positions, NULL, NULL) != GS_OK ||
 *         positions[0] != 1)
 *         return 1;
 */
static inline enum gs_status gs_argsort_array(const void *data, uint64_t bytes,
                                              const struct gs_options *options, uint64_t *positions,
                                              struct gs_report *report, struct gs_error *error);

/* gs_sorter: a sort that a program feeds and reads, in any amounts, within memory_bytes; what does
 * not fit there is spilled. Sorting goes on, on threads of its own, while elements come.
 *
 *     gs_job *job = gs_job_create();
 *     gs_job_set(job, "type", "u64");
 *     gs_job_set(job, "memory", "64M");
 *     struct gs_error error;
 *     gs_sorter *sorter = gs_sorter_open(job, &error);
 *     gs_job_free(job);
 *     if (sorter == NULL)
 *         return 1;
 *     const uint64_t numbers[] = {3, 1, 2};
 *     gs_sorter_push(sorter, numbers, sizeof numbers, NULL);
 *     gs_sorter_finish(sorter, NULL);
 *     const void *data;
 *     uint64_t bytes, first = 0;
 *     while (gs_sorter_pull(sorter, &data, &bytes, &error) == GS_OK && bytes > 0)
 *         first = first == 0 ? *(const uint64_t *)data : first;
 *     gs_sorter_close(sorter);
 *     if (error.status != GS_OK || first != 1)
 *         return 1;
 *
 * A call that fails with what became of the sort (a full disk, a cancel) says so again each time; then
 * there is nothing left but gs_sorter_close.
 *
 * gs_sorter_open: begins a sort; NULL: it failed.
 * in    job: as for gs_job_sort_array, with "top" and "unique", too; what it was told is copied, but
 *       `cancel` and the contexts are borrowed until close. Callbacks come from a thread of the sorter
 * fails as gs_job_run
 *
 * gs_sorter_push: copies whole elements, `bytes` long, into the sort; waits while it is busy with what
 * came before. Any number of threads may push and reserve at once; elements with equal keys come out
 * in the order in which these calls were made.
 * gs_sorter_reserve: instead of a push, lends room in the sorter's own memory for whole elements: at
 * most `bytes`, and at least one element. Others' elements may follow, so there is no waiting between
 * this and the commit for anything that waits for this sorter.
 * gs_sorter_commit: what was reserved at `data` is filled with `bytes` bytes of whole elements: all
 * that was reserved, or less, if nothing was pushed or reserved since.
 * gs_sorter_finish: all was pushed.
 * fails GS_E_USAGE: no whole elements; after gs_sorter_finish; with what became of the sort
 *
 * gs_sorter_pull: after finish: lends the next elements in order until the next pull or close. *bytes
 * is 0 at the end, and only then all is known to be right: no element was lost, changed or out of
 * order. With unique_counts each element has its count behind it. One thread at a time.
 * fails GS_E_USAGE: before gs_sorter_finish; with what became of the sort
 *
 * gs_sorter_pull_part: the same of the i-th of n equal parts of the order, i from 0 on: part i is
 * [count * i / n, count * (i + 1) / n). Each part may have a thread of its own and takes 1 MiB of
 * memory while it is read; n is the same in all calls.
 * gs_sorter_rank: copies the element that has `rank` others before it, from 0 on.
 * gs_sorter_rank_of: how many elements are below `element` (*below), and how many are not above it
 * (*not_above).
 * These three are for elements at any place. So the first of them puts the whole order into an
 * unnamed file in the first of temp_dirs, which costs one more pass over it and as much disk again;
 * it waits until that is done and found right, and what comes out of the file is compared with a
 * checksum each time. After gs_sorter_pull it is too late for them; a pull after them begins at the
 * first element. Any thread.
 * fails GS_E_USAGE: before finish, after a pull, no such part or rank; GS_E_CORRUPT: the file came
 *       back damaged; GS_E_SPACE, GS_E_IO, GS_E_MEMORY; with what became of the sort
 *
 * gs_sorter_report: a report of its own, once the sort is over: after a pull of 0 bytes, a part, a
 * rank or a failure; the caller's: gs_report_free. NULL: GS_E_USAGE before, GS_E_MEMORY.
 * gs_sorter_cancel: gs_cancel_now for this sorter, and for whatever else has options->cancel.
 * gs_sorter_close: ends and forgets the sort, at any point; nothing is left behind. No other call is
 * under way or follows, and what was lent is the sorter's again. NULL is allowed.
 *
 * A sorter is that of the process that opened it. In a child of fork calls fail with GS_E_USAGE;
 * gs_sorter_cancel and gs_sorter_close do nothing there, and the parent's sort goes on. */
typedef struct gs_sorter gs_sorter;
typedef struct gs_job gs_job;
typedef struct gs_report gs_report;
GS_API gs_sorter *gs_sorter_open(gs_job *job, struct gs_error *error);
GS_API enum gs_status gs_sorter_push(gs_sorter *sorter, const void *data, uint64_t bytes,
                                     struct gs_error *error);
GS_API enum gs_status gs_sorter_reserve(gs_sorter *sorter, uint64_t bytes, void **data,
                                        uint64_t *reserved, struct gs_error *error);
GS_API enum gs_status gs_sorter_commit(gs_sorter *sorter, void *data, uint64_t bytes,
                                       struct gs_error *error);
GS_API enum gs_status gs_sorter_finish(gs_sorter *sorter, struct gs_error *error);
GS_API enum gs_status gs_sorter_pull(gs_sorter *sorter, const void **data, uint64_t *bytes,
                                     struct gs_error *error);
GS_API enum gs_status gs_sorter_pull_part(gs_sorter *sorter, uint32_t i, uint32_t n,
                                          const void **data, uint64_t *bytes,
                                          struct gs_error *error);
GS_API enum gs_status gs_sorter_rank(gs_sorter *sorter, uint64_t rank, void *element,
                                     struct gs_error *error);
GS_API enum gs_status gs_sorter_rank_of(gs_sorter *sorter, const void *element, uint64_t *below,
                                        uint64_t *not_above, struct gs_error *error);
GS_API gs_report *gs_sorter_report(gs_sorter *sorter, struct gs_error *error);
GS_API void gs_sorter_cancel(gs_sorter *sorter);
GS_API void gs_sorter_close(gs_sorter *sorter);

/* What a report says, for people (text) and for programs (JSON). Numbers are exact and have a
 * decimal point in every locale. JSON is one object and a newline; its "schema" is 1. Integers are
 * numbers up to 2^53, and strings above; min, max and sum are always strings; what is not known is
 * null. A plan is for GS_ACTION_EXPLAIN: in words, or what a report's JSON says of type and plan, and
 * `spaces`, the file systems that are written to.
 * gs_report_print: into a FILE.
 * gs_report_string: as a string, for callers without one. NULL: no memory.
 * gs_string_free: gives such a text back; NULL is allowed. */
enum gs_format { GS_FORMAT_TEXT = 0, GS_FORMAT_JSON, GS_FORMAT_PLAN_TEXT, GS_FORMAT_PLAN_JSON };
GS_API void gs_report_print(const struct gs_report *report, FILE *file, enum gs_format format);
GS_API char *gs_report_string(const struct gs_report *report, enum gs_format format);
GS_API void gs_string_free(char *text);

/* gs_report_print_element: an element in a line of text: a number; of a record its fields with tabs
 * between them, or its bytes in hexadecimal, if it has none. GS_FORMAT_JSON: a number, or an object. */
GS_API void gs_report_print_element(const struct gs_report *report, FILE *file, const void *element,
                                    enum gs_format format);

/* A field of a report or of its plan by its path in their JSON: "tally.count", "quantiles[0].value".
 * gs_report_u64: as an integer: true is 1, false is 0, and a list is as many as it has.
 * gs_report_f64: as a double: exact, or rounded once to nearest even.
 * gs_report_text: as JSON has it, without quotes and escapes; any number, too, and exact. `bytes` are
 * those at `text`, with a 0 at the end; GS_REPORT_TEXT_BYTES are enough. A report that is NULL has no
 * fields.
 * out   value, text: as they were, if there is none
 *
 *     struct gs_options options = {.action = GS_ACTION_STATS, .type = "f32",
 *                                  .inputs = (const char *[]){"x.f64"}, .input_count = 1};
 *     struct gs_report report;
 *     double mean;
 *     if (gs_run(&options, &report, NULL) == GS_OK &&
 *         gs_report_f64(&report, "tally.mean", &mean) == GS_NULL)
 *         gs_report_print(&report, stdout, GS_FORMAT_TEXT);
 */
enum gs_found {
    GS_FOUND = 0, /* there it is */
    GS_NULL,      /* null: it is not known, or there is nothing that it would be of */
    GS_NO_FIELD,  /* a report has no such field, or the list is not that long */
    GS_INEXACT    /* there is one, but it is no such number, or has no room as text */
};
#define GS_REPORT_TEXT_BYTES 512
GS_API enum gs_found gs_report_u64(const struct gs_report *report, const char *path,
                                   uint64_t *value);
GS_API enum gs_found gs_report_f64(const struct gs_report *report, const char *path, double *value);
GS_API enum gs_found gs_report_text(const struct gs_report *report, const char *path, char *text,
                                    size_t bytes);

/* Reports of parts, added up: of jobs, or of JSON that jobs printed elsewhere.
 * gs_report_create: one of nothing. NULL: no memory. gs_report_free gives it back; NULL is allowed.
 * gs_report_set: what JSON has at a path, as gs_report_text gets it; NULL is null. What says what
 * values are comes before them, as in JSON (type, element_bytes, is_float, is_signed; field and is_float
 * of fields); lists grow by their next item. GS_NO_FIELD: also what does not add up. GS_INEXACT: a
 * report has no such text there; what is there then is of no use.
 * gs_report_add: adds `part`: what tallies, sizes and left_out say. Of fields those stay that both have.
 * Sums of floats are those of rounded ones, and rounded once; mean and variance do not add up.
 * fails GS_E_INPUT: of other elements, or more than 2^64 of them: `whole` is of no use then;
 *       GS_E_MEMORY
 *
 *     gs_report *whole = gs_report_create(), *part = gs_report_create();
 *     gs_report_set(part, "tally.count", "7");
 *     if (gs_report_add(whole, part, NULL) != GS_OK || gs_report_add(whole, part, NULL) != GS_OK)
 *         return 1;
 *     gs_report_print(whole, stdout, GS_FORMAT_JSON);
 *     gs_report_free(part);
 *     gs_report_free(whole);
 */
GS_API gs_report *gs_report_create(void);
GS_API void gs_report_free(gs_report *report);
GS_API enum gs_found gs_report_set(gs_report *report, const char *path, const char *text);
GS_API enum gs_status gs_report_add(gs_report *whole, const gs_report *part,
                                    struct gs_error *error);

/* gs_version: of the library: "0.1.0".
 * gs_version_text: version, devices and engines of this build, and the instruction set in use. */
GS_API const char *gs_version(void);
GS_API void gs_version_text(FILE *file);

/* gs_element_text: a raw element of the report's type, as text.
 * gs_field_value: the value of a field in an element, as an element of field->element_bytes, which
 * may be more than the field has; of bytes, the first 16.
 * gs_field_text: a field's value, as text. */
GS_API void gs_field_value(const struct gs_field *field, const void *element, uint8_t value[16]);
#define GS_ELEMENT_TEXT_BYTES 96
GS_API void gs_element_text(const struct gs_report *report, const uint8_t element[16],
                            char text[GS_ELEMENT_TEXT_BYTES]);
GS_API void gs_field_text(const struct gs_field *field, const uint8_t value[16],
                          char text[GS_ELEMENT_TEXT_BYTES]);

/* gs_progress_draw: draws one line on a terminal, over the one drawn before.
 * gs_progress_erase: takes the line away.
 * Both leave the cursor at the start of the line or behind the text, and flush. */
GS_API void gs_progress_draw(FILE *file, const struct gs_progress *progress);
GS_API void gs_progress_erase(FILE *file);

/* Sizes and counts as users write them. false: it is none, negative or too large, and the number is
 * as it was.
 * gs_size_parse: "4096", "1e6", "64K", "1.5G", "16MiB", "200Mb", "10%": bytes; K M G T P E, with
 * optional B or iB, in any case, are powers of 1024. A percentage is of `whole`; 0 refuses it.
 * gs_count_parse: "1000", "1e6", "10K", "1.5M": a whole number; units are powers of 1000. */
GS_API bool gs_size_parse(const char *text, uint64_t whole, uint64_t *bytes);
GS_API bool gs_count_parse(const char *text, uint64_t *count);

/* A type of numbers. */
struct gs_type {
    const char *name; /* "uint8", "u32", "f64": one word a type */
    uint32_t element_bytes;
    bool is_float, is_signed;
    uint64_t reserved[2]; /* 0 */
};

/* Types by the names that people have for them: f64, float64, double, <f8. false: that is no type
 * of elements, and *type is as it was.
 * gs_type_find: a word, in upper or lower case; not u8 and i8, which are 8 bits to some and 8 bytes
 * to NumPy: uint8 and uint64 are clear.
 * gs_type_of_file: what a file's name says: x.f64, books_200M_uint64, x.u32.bin, x.f64.zst; x.u8 says
 * uint8.
 *
 *     struct gs_type type;
 *     uint64_t bytes;
 *     if (gs_type_of_file("x.f64.zst", &type) && gs_size_parse("1.5M", 0, &bytes))
 *         printf("%s: %zu elements\n", type.name, (size_t)(bytes / type.element_bytes));
 */
GS_API bool gs_type_find(const char *word, struct gs_type *type);
GS_API bool gs_type_of_file(const char *path, struct gs_type *type);

/* What this process may use now, by machine, control groups and rlimits.
 * gs_memory_available: bytes that it could take.
 * gs_memory_ceiling: what a job keeps to whose memory_bytes are `bytes`.
 * gs_processor_count: at least 1. */
GS_API uint64_t gs_memory_available(void);
GS_API uint64_t gs_memory_ceiling(uint64_t bytes);
GS_API uint32_t gs_processor_count(void);

/* gs_job: what is asked of gsort, by the names that the command line has for it, and what became of it.
 *
 *     gs_job *job = gs_job_create();
 *     gs_job_add(job, "input", "x.f64");
 *     gs_job_set(job, "type", "f32");
 *     gs_job_set(job, "memory", "64M");
 *     if (gs_job_run(job, GS_ACTION_STATS) != GS_OK)
 *         fprintf(stderr, "%s\n", gs_job_error(job)->text);
 *     gs_job_free(job);
 *
 * gs_job_create: NULL: no memory. The other calls take NULL for a job, and fail with GS_E_MEMORY.
 * gs_job_set: gives an option a value, as text; of a list it becomes the only element. NULL: as if it
 *       was never given. An option that is given or not takes "true" or "false", and so does one whose
 *       argument may be left out ("merge", "zstd").
 * gs_job_set_u64: the same with a number: bytes, a count, or 0 and 1 for "false" and "true".
 * gs_job_add: appends an element to a list, such as "input" or "key"; nothing in it is split.
 * gs_job_add_reader: an input that a callback gives, under a name for messages and for its type.
 * gs_job_set_writer: a callback takes what would go to the output of this name, which says how to
 *       pack.
 * gs_job_set_progress: `progress` is called a few times a second from the calling thread of a run.
 * gs_job_set_note: `note` is called with lines that are worth knowing though nothing failed.
 * gs_job_set_cancel: gs_cancel_now stops a run through it; NULL: nobody can.
 * out   texts and structs of callbacks are copied; contexts and `cancel` are borrowed until the run
 *       returns
 * fails GS_E_USAGE: no such option, not a value of its kind, or a run is under way; GS_E_MEMORY. What
 *       failed was not set, and gs_job_run says so again, until gs_job_reset. Neither files nor other
 *       options are looked at
 *
 * gs_job_run: does `action` from start to end. What was given stays, and may be changed for the next.
 * fails with any status; nothing is left behind then, and an existing output is untouched
 * gs_job_sort_array, gs_job_stats_array, gs_job_check_array, gs_job_argsort_array: as gs_sort_array,
 *       gs_stats_array, gs_check_array and gs_argsort_array, by what the job was told.
 * gs_job_error: the first failure of the last call.
 * gs_job_report: what became of the last run, as far as it came; NULL: there was none. It stays until
 *       the next run, or until gs_job_free.
 * gs_job_take_report: the same, which is then the caller's: gs_report_free.
 * gs_job_reset: forgets all that was given.
 * A job is used by one thread at a time. */
GS_API gs_job *gs_job_create(void);
GS_API void gs_job_free(gs_job *job);
GS_API void gs_job_reset(gs_job *job);
GS_API enum gs_status gs_job_set(gs_job *job, const char *name, const char *value);
GS_API enum gs_status gs_job_set_u64(gs_job *job, const char *name, uint64_t value);
GS_API enum gs_status gs_job_add(gs_job *job, const char *name, const char *value);
GS_API enum gs_status gs_job_add_reader(gs_job *job, const char *name,
                                        const struct gs_reader *reader);
GS_API enum gs_status gs_job_set_writer(gs_job *job, const char *name,
                                        const struct gs_writer *writer);
GS_API enum gs_status gs_job_set_progress(gs_job *job,
                                          void (*progress)(void *context,
                                                           const struct gs_progress *progress),
                                          void *context);
GS_API enum gs_status gs_job_set_note(gs_job *job, void (*note)(void *context, const char *text),
                                      void *context);
GS_API enum gs_status gs_job_set_cancel(gs_job *job, gs_cancel *cancel);
GS_API enum gs_status gs_job_run(gs_job *job, enum gs_action action);
GS_API enum gs_status gs_job_sort_array(gs_job *job, void *data, uint64_t bytes);
GS_API enum gs_status gs_job_stats_array(gs_job *job, const void *data, uint64_t bytes);
GS_API enum gs_status gs_job_check_array(gs_job *job, const void *data, uint64_t bytes);
GS_API enum gs_status gs_job_argsort_array(gs_job *job, const void *data, uint64_t bytes,
                                           uint64_t *positions);
GS_API const struct gs_error *gs_job_error(const gs_job *job);
GS_API const gs_report *gs_job_report(const gs_job *job);
GS_API gs_report *gs_job_take_report(gs_job *job);

/* An option, of jobs and of the program gsort. Help, manual pages and bindings are made of these. */
enum gs_option_place { GS_OPTION_OF_BOTH = 0, GS_OPTION_OF_PROGRAM, GS_OPTION_OF_JOBS };
struct gs_option {
    const char *name;     /* "memory" */
    char letter;          /* 'S'; 0: none */
    const char *argument; /* "SIZE"; "[=LEVEL]": may be left out on a command line; NULL: none */
    const char *group;    /* its heading in help */
    const char *help;     /* lines */
    const char *manual;   /* a sentence or more, in Markdown, with links into the manual */
    const char *daily;    /* a line for those who use it every day; NULL: nobody does */
    const char *alone;    /* what it means without an argument; NULL: it needs one */
    const char *alias;    /* another name that means the same; NULL: there is none */
    const struct gs_choice *choices; /* the words that it may be; NULL: it is something else */
    enum gs_option_place place;
    bool is_list, is_split, is_once; /* a command line splits it at commas, refuses it again */
    bool is_hidden;                  /* from help: an old spelling of something else */
};

/* gs_option_at: the i-th option, from 0 on; NULL: there are fewer.
 * gs_option_find: by its name; NULL: this library has no such option. */
GS_API const struct gs_option *gs_option_at(size_t i);
GS_API const struct gs_option *gs_option_find(const char *name);

/* gs_output: an output as gs_run makes it, for programs that write what they have made. A file
 * appears under its name whole or not at all; into a pipe or a device bytes go as they come.
 * gs_output_open: finds out whether `path` can be written; NULL or "-" is standard output. Waits
 * for the reader of a FIFO.
 * gs_output_is_file: pieces may be written in any order, by several threads at once.
 * gs_output_reserve: takes disk for `bytes` now, where that can be.
 * gs_output_write: to `off`; what is no file is written in order. Of a file, whole pages of 4096
 * bytes, in memory that is aligned so, go past the page cache where that can be.
 * gs_output_commit: `bytes` were written: syncs the file and puts it in its place.
 * gs_output_close: gives it back; what was not committed leaves nothing behind, but for what the
 * process that opened it has of it, where a child of fork closes it. NULL is allowed.
 * fails GS_E_IO, GS_E_SPACE, GS_E_MEMORY
 *
 *     gs_output *output;
 *     struct gs_error error = {0};
 *     if (gs_output_open("y.u64", &output, &error) != GS_OK)
 *         return 1;
 *     const uint64_t numbers[] = {3, 1, 2};
 *     if (gs_output_write(output, numbers, sizeof numbers, 0, &error) != GS_OK ||
 *         gs_output_commit(output, sizeof numbers, &error) != GS_OK)
 *         fprintf(stderr, "%s\n", error.text);
 *     gs_output_close(output);
 */
typedef struct gs_output gs_output;
GS_API enum gs_status gs_output_open(const char *path, gs_output **output, struct gs_error *error);
GS_API bool gs_output_is_file(const gs_output *output);
GS_API enum gs_status gs_output_reserve(gs_output *output, uint64_t bytes, struct gs_error *error);
GS_API enum gs_status gs_output_write(gs_output *output, const void *data, size_t bytes,
                                      uint64_t off, struct gs_error *error);
GS_API enum gs_status gs_output_commit(gs_output *output, uint64_t bytes, struct gs_error *error);
GS_API void gs_output_close(gs_output *output);

/* Under the inline functions: the same with the sizes of the caller's structs, for bindings, which
 * call these. A report may be a buffer of any size, which is filled as far as it goes, and the rest
 * with zeros.
 * fails GS_E_USAGE: options has fields, other than 0, that this library does not know */
GS_API enum gs_status gs_run_sized(const struct gs_options *options, size_t options_bytes,
                                   struct gs_report *report, size_t report_bytes,
                                   struct gs_error *error);
GS_API enum gs_status gs_sort_array_sized(void *data, uint64_t bytes,
                                          const struct gs_options *options, size_t options_bytes,
                                          struct gs_report *report, size_t report_bytes,
                                          struct gs_error *error);
GS_API enum gs_status gs_stats_array_sized(const void *data, uint64_t bytes,
                                           const struct gs_options *options, size_t options_bytes,
                                           struct gs_report *report, size_t report_bytes,
                                           struct gs_error *error);
GS_API enum gs_status gs_check_array_sized(const void *data, uint64_t bytes,
                                           const struct gs_options *options, size_t options_bytes,
                                           struct gs_report *report, size_t report_bytes,
                                           struct gs_error *error);
GS_API enum gs_status gs_argsort_array_sized(const void *data, uint64_t bytes,
                                             const struct gs_options *options, size_t options_bytes,
                                             uint64_t *positions, struct gs_report *report,
                                             size_t report_bytes, struct gs_error *error);
GS_API enum gs_status gs_sorter_open_sized(const struct gs_options *options, size_t options_bytes,
                                           gs_sorter **sorter, struct gs_error *error);
GS_API enum gs_status gs_sorter_report_sized(gs_sorter *sorter, struct gs_report *report,
                                             size_t report_bytes, struct gs_error *error);

static inline enum gs_status gs_run(const struct gs_options *options, struct gs_report *report,
                                    struct gs_error *error)
{
    return gs_run_sized(options, sizeof *options, report, sizeof *report, error);
}

static inline enum gs_status gs_sort_array(void *data, uint64_t bytes,
                                           const struct gs_options *options,
                                           struct gs_report *report, struct gs_error *error)
{
    return gs_sort_array_sized(data, bytes, options, sizeof *options, report, sizeof *report,
                               error);
}

static inline enum gs_status gs_stats_array(const void *data, uint64_t bytes,
                                            const struct gs_options *options,
                                            struct gs_report *report, struct gs_error *error)
{
    return gs_stats_array_sized(data, bytes, options, sizeof *options, report, sizeof *report,
                                error);
}

static inline enum gs_status gs_check_array(const void *data, uint64_t bytes,
                                            const struct gs_options *options,
                                            struct gs_report *report, struct gs_error *error)
{
    return gs_check_array_sized(data, bytes, options, sizeof *options, report, sizeof *report,
                                error);
}

static inline enum gs_status gs_argsort_array(const void *data, uint64_t bytes,
                                              const struct gs_options *options, uint64_t *positions,
                                              struct gs_report *report, struct gs_error *error)
{
    return gs_argsort_array_sized(data, bytes, options, sizeof *options, positions, report,
                                  sizeof *report, error);
}

#ifdef __cplusplus
}
#endif
#endif
