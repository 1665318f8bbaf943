/* set_filter.h: applies set operations to sorted files (--merge=SET). An element of a file stays,
 * or is removed, depending on how many elements of the other files have the same key.
 *
 *     --merge=union      of each key, as many elements as the file with the most: each file keeps
 *                        the elements that exceed the largest number in a file before it
 *            =intersect  the first file keeps as many as the file with the fewest, its first ones
 *            =except     the first file keeps what exceeds the sum of all others, its last ones
 *            =semi       the first file keeps elements whose key another file has
 *            =anti       the first file keeps elements whose key no other file has
 *            =xor        each file keeps elements whose key no other file has
 *
 * These are std::set_union and SQL's INTERSECT ALL and EXCEPT ALL; a plain merge is UNION ALL. With
 * --unique files are sets, and `except` is `anti`.
 *
 *     file 0   1 4 4 | 4 9 12      block 4 9 12 of a merged file
 *     file 1   2 4 4 5 8 9         and its range 4 4 5 8 9 in another file
 *
 * Threads filter blocks in any order, and a merge reads the elements that stay. For each block, a
 * binary search in every other file finds the range with the same keys, which is read once.
 * Together the ranges of all blocks are the whole other file. So gsort notices every file that is
 * not sorted. */
#ifndef GSI_SET_FILTER_H
#define GSI_SET_FILTER_H

#include "base/choices.h"
#include "base/memory.h"
#include "base/pool.h"
#include "input/inputs.h"
#include "merge/set_ranges.h"

#include <pthread.h>

/* The report of a set operation. */
struct gsi_set_report {
    enum gsi_set operation;
    size_t unsorted_input; /* number of a file that is not sorted, from 1 on; 0: none */
};

struct gsi_set_filter {
    struct gsi_set_files files;
    struct gsi_bump bump;
    struct gsi_set_work *works; /* one per thread */
    pthread_mutex_t lock;
    struct gs_error error; /* the first failure of a task */
    size_t unsorted_file;  /* number of the file that is not sorted, from 1 on; 0: none */
    struct gsi_set_digest read[GSI_SET_FILES_MAX]; /* of all bytes that were read from copies */
    /* The task that reads the other files if the first one is empty. */
    struct gsi_task task;
    uint64_t others_bytes;
    bool are_others_read;
};

/* gsi_set_filter_copy_streams: checks the number of inputs, and copies streams to files
 * (set_streams.h). The headers of the inputs were read before.
 * fails GS_E_USAGE: too many inputs; as set_streams.h
 * gsi_set_filter_attach: attaches the filter to the inputs, whose sizes are known. Sets
 * inputs->bytes to the bytes of merged inputs only. `sets` must outlive the inputs. The other
 * functions do nothing if the job has no set operation. */
enum gs_status gsi_set_filter_copy_streams(struct gsi_set_filter *sets, struct gsi_inputs *inputs,
                                           const char *output, const char *temp_dir);
void gsi_set_filter_attach(struct gsi_set_filter *sets, struct gsi_inputs *inputs,
                           enum gsi_set kind);

/* gsi_set_filter_compared_bytes: returns the bytes of files that are only compared with merged
 * files. */
uint64_t gsi_set_filter_compared_bytes(const struct gsi_set_filter *sets); /* also zeroed ones */

/* gsi_set_filter_plan: returns the planned bump allocator of the filter, for a job with
 * `memory_bytes` of memory.
 * gsi_set_filter_open: allocates what gsi_set_filter_plan has planned for the same arguments. If
 * the first file is empty, no block is filtered; so it reads the other files and checks their
 * order.
 * fails GS_E_MEMORY; GS_E_INPUT: a file is not sorted; GS_E_CANCELED */
struct gsi_bump gsi_set_filter_plan(const struct gsi_set_filter *sets, uint64_t memory_bytes,
                                    uint32_t thread_count);
enum gs_status gsi_set_filter_open(struct gsi_set_filter *sets, uint64_t memory_bytes,
                                   uint32_t thread_count);
void gsi_set_filter_close(struct gsi_set_filter *sets); /* also zeroed ones */

/* gsi_set_filter_apply: filters a block on a thread. `elements` are the `n` elements of `input`
 * from element `first` on. Moves those that stay to the front, counts them in *filtered, and
 * returns their number. A failure is stored in sets->error.
 * out   read_bytes: bytes read from other files */
size_t gsi_set_filter_apply(struct gsi_set_filter *sets, uint32_t worker_idx,
                            const struct gsi_input *input, uint64_t first, uint8_t *elements,
                            size_t n, struct gsi_filtered *filtered, uint64_t *read_bytes);

/* gsi_set_filter_check: copies the first failure of a task to `error`. The loop's thread calls it.
 * fails with the first failure of a task
 * gsi_set_filter_verify: checks that copies of streams were read as they were written. Call it
 * after all merged files were read completely. NULL is allowed.
 * fails GS_E_CORRUPT */
enum gs_status gsi_set_filter_check(struct gsi_set_filter *sets, struct gs_error *error);
enum gs_status gsi_set_filter_verify(const struct gsi_set_filter *sets);

#endif
