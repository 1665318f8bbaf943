/* resume_entry.h: what the journal of a sort says, entry by entry.
 *
 *     BEGIN   what has to be the same when the sort goes on         once, first
 *     RUN     a run was spilled: frames; the tally up to its end    in the order of the input
 *     MERGED  a run took the place of some that were merged         after all runs
 *     WRITTEN so much of the output is there                        the last one counts
 *     DONE    the whole output is; it has to be put in its place    once, last
 *
 * Structs of plain integers, as they are in memory, followed by arrays of such. Pure. */
#ifndef GSI_RESUME_ENTRY_H
#define GSI_RESUME_ENTRY_H

#include "format/imprint.h"
#include "format/tally.h"
#include "run/frame.h"
#include "run/journal.h"

#define GSI_RESUME_VERSION 1u

enum gsi_resume_type {
    GSI_RESUME_BEGIN = 1,
    GSI_RESUME_RUN,
    GSI_RESUME_MERGED,
    GSI_RESUME_WRITTEN,
    GSI_RESUME_DONE
};

/* BEGIN; then inputs[input_count]. */
struct gsi_resume_begin {
    uint32_t version, element_bytes;
    uint64_t options_hash, output_hash; /* of what decides about the output's bytes and place */
    uint64_t memory_bytes;              /* of the plan, as the next three */
    uint32_t thread_count, fan_in;
    uint64_t chunk_bytes, frame_bytes;
    uint64_t input_count;
};

struct gsi_resume_input {
    uint64_t bytes;
    int64_t mtime_ns;
    uint64_t sample_hash; /* of blocks here and there */
};

/* RUN; then tallies[tally_count], the first record (first_bytes), frames[frame_count]. */
struct gsi_resume_run {
    uint64_t data_bytes; /* of the input, up to the end of this run */
    uint64_t frame_count;
    uint32_t tally_count; /* 1, and with records their fields */
    uint32_t shared;      /* records: bytes of the key that all share (key_scope.h) */
    uint64_t first_bytes; /* of the first record of all; only in the first RUN, and of records */
};

/* MERGED: `run_count` runs from `first` on, by now; then frames[frame_count]. */
struct gsi_resume_merged {
    uint32_t first, run_count;
    uint64_t frame_count;
};

/* WRITTEN; then taken[run_count]: how many elements of each run are in the output; the last record
 * (last_bytes), and what is not yet on the disk of its last page (rest_bytes). */
struct gsi_resume_written {
    uint64_t bytes; /* of elements, with the rest */
    uint64_t run_count;
    uint32_t last_bytes, rest_bytes;
    struct gsi_imprint imprint; /* of them */
};

/* DONE; then tallies[tally_count]. */
struct gsi_resume_done {
    uint64_t output_bytes, file_bytes;
    uint64_t tally_count;
};

/* An entry that was read; the head in aligned memory, arrays where they lie in the file. */
struct gsi_resume_entry {
    enum gsi_resume_type type;
    union {
        struct gsi_resume_begin begin;
        struct gsi_resume_run run;
        struct gsi_resume_merged merged;
        struct gsi_resume_written written;
        struct gsi_resume_done done;
    } head;
    const uint8_t *parts[3]; /* unaligned: what follows the head, in the order given above */
};

/* gsi_resume_decode: false: no such entry; its sizes do not agree with each other. */
bool gsi_resume_decode(const struct gsi_journal_entry *raw, struct gsi_resume_entry *entry);

#endif
