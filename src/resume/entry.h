/* entry.h: the entries of a sort's journal.
 *
 *     BEGIN   what must be the same when the sort continues         once, first
 *     INPUTS  some of the inputs, as they were then                 until all are listed
 *     RUN     a run was spilled: frames; the tally up to its end    in the order of the input
 *     COUNTS  how often each value occurs in the whole input        once, instead of runs
 *     MERGED  a run replaced some that were merged                  after all runs
 *     WRITTEN a part of the output is written                       the last one counts
 *     DONE    all of it is; it only has to be put in its place      once, last
 *
 * An entry is a head, a struct of plain integers as it is in memory, and arrays after it. Pure. */
#ifndef GSI_RESUME_ENTRY_H
#define GSI_RESUME_ENTRY_H

#include "element/tally/digest.h"
#include "element/tally/tally.h"
#include "resume/journal.h"
#include "run/frame.h"

/* Needs another number if any of this changes, or the names of settings (match.c), or frames
 * (frame.h). A journal of an unknown version is refused, and left as it is. BEGIN always begins
 * with the version. Version 5 is that of 1.0 (tests/unit/resume/records_1.0). */
#define GSI_RESUME_VERSION 5u

/* The version of a journal of numbers of 1 or 2 bytes, which are counted. Its plan does not matter:
 * counts are the same for any. Version 5 sorts such numbers like all others. */
#define GSI_RESUME_COUNTED 6u

/* The version of a journal of a shuffle. Its frames contain entries, a random key and an element
 * each, but its tallies are of elements. The last setting is the seed. */
#define GSI_RESUME_SHUFFLED 7u

enum gsi_resume_type {
    GSI_RESUME_BEGIN = 1,
    GSI_RESUME_RUN,
    GSI_RESUME_MERGED,
    GSI_RESUME_WRITTEN,
    GSI_RESUME_DONE,
    GSI_RESUME_INPUTS,
    GSI_RESUME_COUNTS,
    GSI_RESUME_TYPES /* how many there are, and 0, which is none */
};

/* BEGIN; then settings[setting_bytes]: name, NUL, value, NUL of each option that decides about the
 * output or the plan (match.c). */
struct gsi_resume_begin {
    uint32_t version, element_bytes;
    uint64_t memory_bytes, thread_bytes; /* that the plan was made for */
    uint32_t thread_count;               /* that the plan was made for */
    uint32_t codec, fan_in;              /* as planned; codec: its id * 256 + its level */
    uint32_t chunks_per_run;             /* as planned */
    uint64_t chunk_bytes, frame_bytes, window_bytes; /* as planned */
    uint64_t input_count, setting_bytes;
};

/* INPUTS; then inputs[count]. */
struct gsi_resume_inputs {
    uint64_t count;
};

struct gsi_resume_input {
    uint64_t bytes, inode;
    int64_t mtime_ns, ctime_ns;
    uint64_t sample_hash; /* of some blocks of the file */
    uint64_t is_output;   /* the file is the one that the output will replace */
};

/* RUN; then tallies[tally_count], the first record (first_bytes), frames[frame_count]. */
struct gsi_resume_run {
    uint64_t data_bytes; /* of the input, up to the end of this run */
    uint64_t runs_end;   /* where the last frame so far ends */
    uint64_t frame_count;
    uint32_t tally_count; /* 1; for records also one for each field with statistics */
    uint32_t shared;      /* records: bytes of the key that all share (key_scope.h) */
    uint64_t first_bytes; /* of the first record of all; 0: numbers, or not the first RUN */
};

/* COUNTS; then counts[value_count]. */
struct gsi_resume_counts {
    uint64_t data_bytes; /* of the input */
    uint64_t value_count;
    uint64_t sum, squares; /* of all elements (element/value_counts.h) */
};

/* MERGED: replaces `run_count` runs from `first` on, as runs are numbered by then; then
 * frames[frame_count]. */
struct gsi_resume_merged {
    uint32_t first, run_count;
    uint64_t frame_count, runs_end;
};

/* The most bytes of output before a mark that are read again when the sort continues. */
#define GSI_RESUME_TAIL_BYTES 4096u

/* WRITTEN; then taken[run_count]: how many elements of each run are in the output; then the last
 * element (last_bytes); then the part of the output's last page that is not yet on the disk
 * (rest_bytes). */
struct gsi_resume_written {
    uint64_t bytes; /* of elements, rest_bytes included */
    uint64_t run_count;
    uint32_t last_bytes, rest_bytes;
    uint64_t tail_bytes, tail_hash; /* of the last of these bytes */
    struct gsi_digest digest;       /* of all these elements */
};

/* DONE; then tallies[tally_count]. */
struct gsi_resume_done {
    uint64_t output_bytes, file_bytes;
    /* The output itself, without its ctime, which renaming will change. */
    struct gsi_resume_input file;
    uint64_t tally_count;
};

union gsi_resume_head {
    struct gsi_resume_begin begin;
    struct gsi_resume_inputs inputs;
    struct gsi_resume_run run;
    struct gsi_resume_counts counts;
    struct gsi_resume_merged merged;
    struct gsi_resume_written written;
    struct gsi_resume_done done;
};

#define GSI_RESUME_ARRAYS 3u

/* An entry that was read: its head, and where in the file its arrays are, in the order given above.
 * An empty array is where the next one is. */
struct gsi_resume_entry {
    enum gsi_resume_type type; /* 0: none */
    union gsi_resume_head head;
    uint64_t arrays[GSI_RESUME_ARRAYS];
};

/* gsi_resume_head_bytes: returns the bytes of the head of an entry of this type; 0: there is no
 * such type.
 * gsi_resume_array_bytes: returns the bytes of an array, which the head says; UINT64_MAX: no number
 * is that large.
 * gsi_resume_decode: fills in the other members of `entry`. entry->head holds the bytes at
 * raw->off, gsi_resume_head_bytes of them. Returns false if there is no such type, or if the
 * entry's sizes do not agree with each other. */
uint64_t gsi_resume_head_bytes(uint32_t type);
uint64_t gsi_resume_array_bytes(uint32_t type, const union gsi_resume_head *head, uint32_t idx);
bool gsi_resume_decode(const struct gsi_journal_entry *raw, struct gsi_resume_entry *entry);

#endif
