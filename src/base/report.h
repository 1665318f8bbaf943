/* report.h: what became of a job, as it is filled. Programs see it by paths
 * (report/report_rows.h). */
#ifndef GSI_REPORT_H
#define GSI_REPORT_H

#include "base/calendar.h"
#include "base/options.h"
#include "base/status.h"

/* What a stream of elements holds: exact, and independent of order, threads and chunking. */
struct gsi_tally_report {
    uint64_t count;
    uint64_t nan_count, positive_infinity_count, negative_infinity_count, negative_zero_count;
    uint8_t min[16], max[16]; /* raw elements, NaN ignored; valid if has_extremes */
    bool has_extremes;
    uint64_t sum[4];         /* integers: 256-bit two's complement, least significant first */
    double sum_float;        /* floats: exact sum without NaNs, rounded once to nearest even */
    uint64_t fingerprint[2]; /* 128-bit sum of a 64-bit mix of every element */
    /* With --variance, if there are numbers: of these, without NaNs, exact and rounded once.
     * The variance is that of the whole (divided by n); infinities make it NaN. */
    double mean, variance;
    int64_t mean_time; /* of times: the mean, rounded once to a whole unit */
    bool has_moments;
};

/* Every decision, made before the first byte is read. */
/* What a phase moves. */
struct gsi_moves {
    uint64_t bytes_read, bytes_written;
};

struct gsi_plan {
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
    bool is_filtered;       /* with is_merge: elements of the inputs may be left out */
    bool is_in_place;       /* an array is sorted where it lies: no runs */
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
    bool is_circular; /* the device merges two runs by circular buffers, not by tiles */
    /* Candidates for the first elements, if those are kept in one pass, and the memory that they
     * take. 0: everything is sorted. */
    uint64_t top_room;
    uint64_t top_bytes;
    /* Devices that work as one, and take device_bytes each: a run is dealt to all of them. */
    uint64_t device_count;
    /* What is to be spilled is written as it is read, in one pass, as far as no element comes later
     * than by this much. 0: that is not tried. */
    uint64_t late_bytes;
    /* read_bytes and write_bytes by phase; zeros: not known. */
    struct gsi_moves moves[GS_PHASE_COUNT];
};

/* A file system that the job writes to, by a directory in it. */
struct gsi_space {
    char directory[512];
    uint64_t file_system;  /* its id */
    uint64_t free_bytes;   /* before the job */
    uint64_t needed_bytes; /* for output and temporary files, at most */
    uint64_t temp_bytes;   /* of free_bytes, what temporary files may take */
    bool has_output, has_temp;
};

#define GSI_SPACES_MAX 16

#define GSI_FIELDS_MAX 64

/* A text of a key or field, as given or as a .npy header names it; a longer one without its middle.
 */
#define GSI_FIELD_TEXT_BYTES 96

/* A field of a record: a key, or one with statistics. */
struct gsi_field_report {
    char text[GSI_FIELD_TEXT_BYTES];
    bool is_number; /* its value is an element of element_bytes; else bytes */
    uint32_t off, bytes, element_bytes;
    bool is_float, is_signed;
    bool is_big_endian; /* in the record; a value is little endian */
    bool is_bfloat;     /* a float of 2 bytes is the upper half of one of 4, not IEEE's half */
    bool is_time;       /* the least is NaT: no time */
    bool has_no_sum;    /* the values are times of a known unit */
    enum gsi_time_unit unit;
};

struct gsi_phase_report {
    uint64_t bytes_read, bytes_written, ns;
    uint64_t io_busy_ns; /* of ns, while a transfer to or from a file was under way */
};

#define GSI_PHASES_MAX 8

/* What memory is taken for. */
enum gsi_memory_part {
    GSI_MEMORY_DATA = 0, /* chunks, windows and frames */
    GSI_MEMORY_SCRATCH,  /* the device's working space */
    GSI_MEMORY_CODEC,    /* the codec's working space */
    GSI_MEMORY_RUNS,     /* a device's runs that are kept in host memory */
    GSI_MEMORY_TABLES,   /* tables of all parts */
    GSI_MEMORY_PART_COUNT
};

#define GSI_MEMORY_PARTS_MAX 16

/* A quantile: of n elements that are no NaNs the one of rank ceil(p n), at least 1; and, between
 * elements, the value at place (n - 1) p, as NumPy's default. */
#define GSI_QUANTILES_MAX 64

struct gsi_quantile_report {
    char text[24];     /* as it was asked for */
    uint64_t rank;     /* from 1 on; 0: there are no numbers, and none of the following */
    uint8_t value[16]; /* an element of the report's type, or of a field; it occurs */
    double between;
    int64_t between_time; /* of times: the same, rounded once to a whole unit */
};

/* A bin of a histogram: values from this one on, up to that of the next bin. The borders are min +
 * i (max - min) / bins: exact of integers, in double precision of floats; the last bin has its
 * upper end, too. */
#define GSI_BINS_MAX 1024

struct gsi_bin {
    uint8_t from[16]; /* the least value that may be in it, an element as in gsi_quantile_report */
    uint64_t count;
};

#define GSI_SPLIT_MAX 256

/* Notes that a report keeps, the first ones; one that is longer loses its middle. */
#define GSI_NOTES_MAX  16
#define GSI_NOTE_BYTES 256

/* How long the GPUs of a device_model take: to start, to read and sort, and to merge and write, one
 * after the other. */
struct gsi_prediction {
    const char *why_unknown;              /* NULL: it is known */
    const char *read_bound, *write_bound; /* what takes so long: "links", "input", "sorting" .. */
    uint64_t start_ns, read_ns, write_ns;
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
    bool is_shuffled;
    uint64_t seed; /* of the shuffle: as given, or as drawn */
    const char *device, *engine;
    char device_name[64];  /* of a GPU; empty: the CPU */
    char device_note[256]; /* why the device is not the first choice; empty: it is */
    char engine_note[128]; /* why the engine is not the first choice; empty: it is */
    bool direct_input, direct_output, direct_temp;
    struct gsi_plan plan;
    struct gsi_space spaces[GSI_SPACES_MAX]; /* for an input of known size, as planned */
    uint32_t space_count;
    bool has_room;                                   /* all spaces have what they need */
    struct gsi_tally_report tally;                   /* for records: only count and fingerprint */
    char keys[GSI_FIELDS_MAX][GSI_FIELD_TEXT_BYTES]; /* of records */
    size_t key_count, field_count;
    /* Fields of records with statistics, and those statistics. With GS_LOOK: the columns that are
     * printed (input/format/record_columns.h); wide sums of wide_bytes follow each record. */
    uint32_t wide_bytes;
    struct gsi_field_report fields[GSI_FIELDS_MAX];
    struct gsi_tally_report field_tallies[GSI_FIELDS_MAX];
    bool is_packed; /* the first input, by zstd */
    /* Of the first input's first element: in the file, in what it unpacks to, or from where a
     * stream stands. */
    uint64_t data_off;
    uint64_t data_bytes;     /* from there on; UINT64_MAX: a stream's, or of what is packed */
    uint64_t expected_bytes; /* that its header says; UINT64_MAX: it says nothing */
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
    uint64_t circular_merge_count; /* of two runs each, for a window or a piece of a spilled run */
    uint32_t merge_passes;
    uint64_t bytes_read, bytes_written; /* all files together */
    uint64_t temp_bytes;                /* the most temporary disk space at one time */
    uint64_t ns;
    struct gsi_phase_report phases[GSI_PHASES_MAX];
    uint64_t memory_peak_bytes; /* by the ledger, in which every large buffer is entered */
    uint64_t memory_parts[GSI_MEMORY_PARTS_MAX]; /* of the peak; they add up to it */
    struct {                                     /* set with GS_E_DISORDER */
        uint64_t index; /* of the element that is smaller than the one before it */
        uint64_t file_idx, file_element_idx;
        /* Both elements. For records: the first key that differs, from byte key.off on. */
        uint8_t before[16], after[16];
        struct gsi_field_report key;
    } disorder;
    uint64_t start_ns;        /* of ns, before the first phase */
    uint64_t device_start_ns; /* of start_ns, to find the device and to take its memory */
    uint64_t end_ns;          /* after ns, to give everything back */
    /* Elements that do not meet the conditions of --where are in no tally: how many there
     * are, and their fingerprint. */
    char where[GSI_FIELDS_MAX][GSI_FIELD_TEXT_BYTES];
    size_t where_count;
    uint64_t left_out_count;
    uint64_t left_out_fingerprint[2];
    uint64_t group_count; /* if is_unique and not has_top: groups of equal keys */
    struct gsi_quantile_report quantiles[GSI_QUANTILES_MAX];
    uint32_t quantile_passes; /* over the inputs, where nothing was sorted; else 0 */
    size_t quantile_count;    /* 0: none was asked for */
    bool has_no_bins;         /* a histogram was asked for, and there are no numbers */
    struct gsi_field_report quantile_field; /* of records: the field they are of */
    bool has_groups;                        /* the following are there */
    uint64_t distinct_count;                /* values, as with `unique`, without NaNs */
    uint64_t mode_count;                    /* how often the most frequent value is there */
    uint8_t mode_value[16];                 /* of several, the first in order; if mode_count > 0 */

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
    struct gsi_bin bins[GSI_BINS_MAX];
    /* With into: where in the file the part begins; how long that is, with its header. */
    uint64_t place_off, place_of;
    bool has_place;
    /* The keys of the first and the last element that were sorted, if elements or one of each group
     * were written. They are bytes in whose order the elements are: sort keys, and normalised keys
     * of records. Only the first GS_END_KEY_BYTES are here. With --group, they are the keys of the
     * group. */
    bool has_ends;
    uint32_t end_key_bytes;
    uint8_t first_key[GS_END_KEY_BYTES], last_key[GS_END_KEY_BYTES];

    /* Positions, or the fields `out`, are written in place of elements: so many bytes of each; and
     * so many of each are sorted, which is what the plan and `spilled_bytes` are of. 0: elements
     * are. */
    char out[GSI_FIELDS_MAX][GSI_FIELD_TEXT_BYTES];
    size_t out_count;
    uint32_t written_bytes, sorted_bytes;
    bool has_positions;
    uint32_t split_count;                 /* files; 0: one */
    uint64_t split_counts[GSI_SPLIT_MAX]; /* elements in each */
    size_t
        unsorted_input; /* of a set operation: the input that is not sorted, from 1 on; 0: none */
    enum gsi_set merge_set; /* of the options; what does not stay is left out */
    /* Of what was nearly in order and larger than memory: bytes of output that were written beside
     * the reading, and whether nothing came too late for that: then nothing was spilled. */
    uint64_t in_order_bytes;
    bool is_one_pass;
    const char *in_order_note; /* why that is not tried; NULL: it is, or nothing is spilled */
    struct gsi_prediction prediction;                  /* if has_prediction */
    bool has_prediction;                               /* there was a device_model */
    char values[GSI_VALUES_MAX][GSI_VALUE_TEXT_BYTES]; /* of the options, made to fit */
    size_t value_count;
    /* Of a sort that spilled: runs that were in order in the inputs and read again from there, and
     * their bytes, which are not among the spilled ones. */
    uint32_t stretch_count;
    uint64_t stretch_bytes;
    char notes[GSI_NOTES_MAX][GSI_NOTE_BYTES]; /* what the listener was told */
    size_t note_count;
    struct gsi_joined_sums *sums; /* of reports that were added up; the library's */
};

/* gsi_report_note: keeps what the listener was told, GSI_NOTES_MAX notes at most. */
static inline void gsi_report_note(struct gs_report *report, const char *text)
{
    if (report->note_count < GSI_NOTES_MAX)
        gsi_fit_name(report->notes[report->note_count++], GSI_NOTE_BYTES, text);
}

#endif
