/* set_ranges.h: reads what a block of a merged file is compared with in a set operation: in each
 * other file, the range with the same keys.
 *
 * Rows are what is compared: sort keys of numbers, or records. A range is read into a buffer, part
 * by part, and all of it is read once. The order of everything that is read is checked, and digests
 * of what is read from copies of streams (set_streams.h) are added up. */
#ifndef GSI_SET_RANGES_H
#define GSI_SET_RANGES_H

#include "base/choices.h"
#include "input/inputs.h"
#include "merge/set_streams.h"

/* Maximum number of files of a set operation. All files are open, and each file needs a buffer per
 * thread. */
#define GSI_SET_FILES_MAX 64u

struct gsi_set_files {
    struct gsi_inputs *inputs;
    enum gsi_set kind;
    uint64_t buffer_bytes; /* bytes that are read from another file at a time */
    struct gsi_set_digest written[GSI_SET_FILES_MAX]; /* of each file that is a copy of a stream */
};

/* A thread's position in another file, and its buffer with a part of this file. */
struct gsi_set_cursor {
    const struct gsi_input *file;
    uint64_t count, end;                 /* elements of the file; end of the block's range */
    uint64_t buffer_first, buffer_count; /* elements in the buffer */
    uint8_t *buffer;                     /* rows; memory for one more is before it */
    size_t row;                          /* index in the buffer of the next row */
    uint64_t equal_count;                /* elements with the group's key */
};

struct gsi_set_ranges {
    const struct gsi_set_files *files;
    struct gs_error *error;
    const struct gsi_input *file;                     /* contains the block */
    struct gsi_set_cursor cursors[GSI_SET_FILES_MAX]; /* in the files that it is compared with */
    size_t count;                                     /* of cursors */
    uint8_t *scratch;                                 /* for a few elements */
    uint64_t read_bytes;
    size_t unsorted_file;                          /* number of the unsorted file, from 1 on */
    struct gsi_set_digest read[GSI_SET_FILES_MAX]; /* digests of what was read from copies */
};

/* gsi_set_ranges_bytes: returns the bytes of memory that ranges need.
 * gsi_set_ranges_begin: begins a block of `file` with so much memory.
 * gsi_set_ranges_seek: finds the ranges of a block: the `n` elements of the file from `first` on.
 * out   equal_before: how many elements before the block have the same key as its first element
 * gsi_set_ranges_load: reads the next rows of a file into its buffer, and checks their order.
 * gsi_set_ranges_read_rest: reads all rows of the ranges that were not read for comparisons.
 * gsi_set_ranges_all: reads all other files as the ranges of an empty file.
 * fails GS_E_INPUT: a file is not sorted; GS_E_IO; GS_E_CANCELED */
uint64_t gsi_set_ranges_bytes(const struct gsi_set_files *files);
void gsi_set_ranges_begin(struct gsi_set_ranges *ranges, const struct gsi_set_files *files,
                          const struct gsi_input *file, uint8_t *memory, struct gs_error *error);
enum gs_status gsi_set_ranges_seek(struct gsi_set_ranges *ranges, uint64_t first,
                                   const uint8_t *elements, size_t n, uint64_t *equal_before);
enum gs_status gsi_set_ranges_load(struct gsi_set_ranges *ranges, struct gsi_set_cursor *cursor);
enum gs_status gsi_set_ranges_read_rest(struct gsi_set_ranges *ranges);
enum gs_status gsi_set_ranges_all(struct gsi_set_ranges *ranges);

/* gsi_set_ranges_fail_order: fails because element `idx` of `file` is less than the one before. */
enum gs_status gsi_set_ranges_fail_order(struct gsi_set_ranges *ranges,
                                         const struct gsi_input *file, uint64_t idx);

/* gsi_set_is_compared: returns whether blocks of file `merged` are compared with file `i`.
 * gsi_set_is_copy: returns whether a file is the copy of a stream, and contains all its bytes. */
bool gsi_set_is_compared(const struct gsi_set_files *files, size_t merged, size_t i);
bool gsi_set_is_copy(const struct gsi_set_files *files, const struct gsi_input *file);

#endif
